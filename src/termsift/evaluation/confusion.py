"""Confusion: what was accepted and what belongs, counted for each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.errors import InvalidInput
from termsift.evaluation import measures
from termsift.evaluation.label_sets import is_indicator, label_sets
from termsift.labels import sorted_classes


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """One-vs-rest decisions over the same documents, counted for each class.

    tp, fp, fn, tn : (classes,) whole numbers; their sum is `documents` for every class

    Confusions are sums, so folds and parts add up; a class that one side has not seen was never
    there and never predicted.

    >>> fold = Confusion.of([["a"], ["a", "b"], []], [["a"], ["b"], ["b"]])
    >>> fold.recall
    array([0.5, 1. ])
    >>> round(fold.micro.recall, 3)
    0.667
    >>> (fold + fold).documents
    6
    """

    classes: tuple[Any, ...]
    documents: int
    tp: Array
    fp: Array
    fn: Array

    @classmethod
    def of(cls, truth: Any, predicted: Any) -> Confusion:
        """Of labels: one a document, a list each, or an indicator matrix, dense or sparse."""
        (own, right), (seen, given) = label_sets(truth), label_sets(predicted)
        if len(right) != len(given):
            raise InvalidInput(f"{len(right)} documents have true labels but {len(given)} predicted ones")
        if is_indicator(truth) and is_indicator(predicted) and len(own) != len(seen):
            raise InvalidInput(f"the true labels have {len(own)} columns but the predicted ones {len(seen)}")
        classes = own if own == seen else sorted_classes((*own, *seen))
        both = [t & p for t, p in zip(right, given, strict=True)]
        tp, positive, accepted = (tally(classes, sets) for sets in (both, right, given))
        return cls(classes, len(right), tp, accepted - tp, positive - tp)

    @classmethod
    def empty(cls) -> Confusion:
        """No classes and no documents: adding it changes nothing."""
        return cls.of([], [])

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        classes = self.classes
        if classes != other.classes:
            classes = sorted_classes((*self.classes, *other.classes))
        mine, theirs = self.spread(classes), other.spread(classes)
        sums = (a + b for a, b in zip(mine, theirs, strict=True))
        return Confusion(classes, self.documents + other.documents, *sums)

    def __radd__(self, other: object) -> Confusion:
        # sum() starts from 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        same = self.classes == other.classes and self.documents == other.documents
        return same and all(map(np.array_equal, self.spread(self.classes), other.spread(self.classes)))

    __hash__ = None  # type: ignore[assignment]

    def spread(self, classes: tuple[Any, ...]) -> list[Array]:
        """tp, fp, fn over these classes, 0 for those that are not ours."""
        place = {name: c for c, name in enumerate(classes)}
        columns = [place[name] for name in self.classes]
        counts = np.zeros((3, len(classes)), dtype=np.int64)
        counts[:, columns] = self.tp, self.fp, self.fn
        return list(counts)

    @property
    def tn(self) -> Array:
        """(classes,) documents rejected rightly."""
        return self.documents - self.tp - self.fp - self.fn

    @property
    def sizes(self) -> Array:
        """(classes,) documents that belong to each class."""
        return self.tp + self.fn

    @property
    def precision(self) -> Array:
        """(classes,) the share of the accepted that belongs."""
        return measures.precision(self.tp, self.fp)

    @property
    def recall(self) -> Array:
        """(classes,) the share of what belongs that is accepted."""
        return measures.recall(self.tp, self.fn)

    @property
    def f1(self) -> Array:
        """(classes,) the harmonic mean of precision and recall."""
        return measures.f1(self.tp, self.fp, self.fn)

    @property
    def accuracy(self) -> Array:
        """(classes,) the share of right decisions."""
        return measures.accuracy(self.tp, self.fp, self.fn, self.tn)

    def f_beta(self, beta: float) -> Array:
        """(classes,) F with recall beta times as important as precision."""
        return measures.f_beta(self.tp, self.fp, self.fn, beta=beta)

    @property
    def micro(self) -> Average:
        """Of all decisions as if of one class: common classes decide. No classes: 0."""
        tp, fp, fn = (np.atleast_1d(counts.sum()) for counts in (self.tp, self.fp, self.fn))
        decisions = self.documents * len(self.classes)
        return Average(Confusion(("all",), decisions, tp, fp, fn), np.ones(1))

    @property
    def macro(self) -> Average:
        """The mean over the classes: rare classes count as much as common ones. No classes: 0."""
        return Average(self, np.full(len(self.classes), 1 / max(len(self.classes), 1)))

    @property
    def weighted(self) -> Average:
        """The mean over the classes by their sizes. No document of any class: 0."""
        return Average(self, ratio(self.sizes, self.sizes.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """One number for all classes: their values, times `weights`, added.

    weights : (classes,), adding to 1, or to 0 where there is nothing to average
    """

    confusion: Confusion
    weights: Array

    @property
    def precision(self) -> float:
        """The average precision of the classes."""
        return self.of(self.confusion.precision)

    @property
    def recall(self) -> float:
        """The average recall of the classes."""
        return self.of(self.confusion.recall)

    @property
    def f1(self) -> float:
        """The average F1 of the classes."""
        return self.of(self.confusion.f1)

    @property
    def accuracy(self) -> float:
        """The average accuracy of the classes."""
        return self.of(self.confusion.accuracy)

    def f_beta(self, beta: float) -> float:
        """The average F of the classes."""
        return self.of(self.confusion.f_beta(beta))

    def of(self, values: Array) -> float:
        """The average of values of the classes."""
        return float(self.weights @ values)


def tally(classes: tuple[Any, ...], sets: Iterable[frozenset[Any]]) -> Array:
    """(classes,) how many of the sets hold each class."""
    found = Counter(name for names in sets for name in names)
    return np.array([found[name] for name in classes], dtype=np.int64)
