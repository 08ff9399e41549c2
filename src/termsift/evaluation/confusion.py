"""Confusion: what was accepted and what belongs, counted for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels, ratio, sorted_classes
from termsift.evaluation import measures
from termsift.evaluation.measures import break_even_counts, shared_break_even_counts

CUTS = {"together": break_even_counts, "shared": shared_break_even_counts}


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Counts of one-vs-rest decisions over the same documents, for each class.

    tp, fp, fn, tn : (..., classes) numbers of documents, fractions with weights or shared ties; their sum
        is `documents` for every class
    documents : number of documents, a single number or (...,)
    right : (...,) number of documents with all labels right

    Leading axes, if any, are folds or numbers of terms. Confusions are sums, so folds and parts can be added;
    a class missing on one side counts there as never present and never predicted.

    classes : the labels, in the order of the last axis

    >>> fold = Confusion.of([["a"], ["a", "b"], []], [["a"], ["b"], ["b"]])
    >>> fold.recall
    array([0.5, 1. ])
    >>> round(fold.micro.recall, 3)
    0.667
    >>> (fold + fold).documents
    6
    """

    classes: tuple[Any, ...]
    documents: Any
    tp: Array
    fp: Array
    fn: Array
    right: Any

    @classmethod
    def of(cls, truth: Any, predicted: Any) -> Confusion:
        """From labels: one or a list per document, or an indicator matrix or data frame, dense or sparse."""
        own, given = as_labels(truth), as_labels(predicted)
        if own.size != given.size:
            raise InvalidInputError(f"{own.size} documents have true labels but {given.size} predicted ones")
        matrices = all(len(getattr(one, "shape", ())) == 2 for one in (truth, predicted))
        if matrices and len(own.classes) != len(given.classes):
            raise InvalidInputError(
                f"the true labels have {len(own.classes)} columns but the predicted ones {len(given.classes)}"
            )
        classes = own.classes
        if classes != given.classes:
            classes = sorted_classes((*own.classes, *given.classes))
        return cls.of_decisions(indicator(given, classes), indicator(own, classes), classes)

    @classmethod
    def of_decisions(
        cls, accepted: Array, truth: Array, classes: Sequence[Any], weights: Array | None = None
    ) -> Confusion:
        """From a yes or no for each document and class.

        accepted : (..., documents, classes); truth : (documents, classes), shared by all leading axes
        weights : (documents,) weight of each document, if not 1
        """
        if weights is not None:
            own, wrong = weights @ (accepted & truth), (accepted ^ truth).any(axis=-1) @ weights
            sums = own, weights @ (accepted & ~truth), weights @ (~accepted & truth)
            return cls(tuple(classes), weights.sum(), *sums, weights.sum() - wrong)
        # eight documents per byte: to count bits is many times faster than to add up booleans
        ours, theirs = (np.packbits(part, axis=-2) for part in (accepted, truth))
        tp, fp, fn = (bit_sums(part) for part in (ours & theirs, ours & ~theirs, ~ours & theirs))
        wrong = bit_sums(np.bitwise_or.reduce(ours ^ theirs, axis=-1, keepdims=True))[..., 0]
        return cls(tuple(classes), len(truth), tp, fp, fn, len(truth) - wrong)

    @classmethod
    def at_break_even(
        cls,
        margins: Array,
        truth: Array,
        classes: Sequence[Any],
        *,
        ties: Literal["together", "shared"] = "together",
    ) -> Confusion:
        """At the break-even point of each class. Each class has its own cut, so `right` is 0.

        margins : (..., documents, classes); truth : (documents, classes)
        ties : "together" to accept all tied documents or none, "shared" to let them share the cut
        """
        flat = margins.reshape(-1, *truth.shape)
        # the margins of one class side by side: each is read several times
        by_class = (np.ascontiguousarray(flat[:, :, c]).T for c in range(len(classes)))
        parts = [np.stack(CUTS[ties](*pair)) for pair in zip(by_class, truth.T, strict=True)]
        shape = (3, *margins.shape[:-2], len(classes))
        tp, fp, fn = np.stack(parts, axis=2).reshape(shape) if parts else np.zeros(shape, dtype=np.int64)
        return cls(tuple(classes), len(truth), tp, fp, fn, np.zeros(margins.shape[:-2], dtype=np.int64))

    @classmethod
    def empty(cls) -> Confusion:
        """No classes and no documents: adding it changes nothing."""
        return cls.of([], [])

    @classmethod
    def stacked(cls, parts: Sequence[Confusion]) -> Confusion:
        """Stack confusions with the same classes and axes along a new first axis."""
        names = ("tp", "fp", "fn", "right")
        tp, fp, fn, right = (np.stack([getattr(part, name) for part in parts]) for name in names)
        documents = np.stack([np.broadcast_to(part.documents, np.shape(part.right)) for part in parts])
        return cls(parts[0].classes, documents, tp, fp, fn, right)

    def __getitem__(self, place: Any) -> Confusion:
        """Some places of the first axis."""
        documents = self.documents[place] if np.ndim(self.documents) else self.documents
        tp, fp, fn, right = (part[place] for part in (self.tp, self.fp, self.fn, self.right))
        return Confusion(self.classes, documents, tp, fp, fn, right)

    def pooled(self, axis: int = 0) -> Confusion:
        """The sum of the decisions along a leading axis."""
        right = np.asarray(self.right)
        documents = np.broadcast_to(self.documents, right.shape).sum(axis=axis)
        tp, fp, fn = (part.sum(axis=axis) for part in (self.tp, self.fp, self.fn))
        return Confusion(self.classes, documents, tp, fp, fn, right.sum(axis=axis))

    def without_each(self) -> Confusion:
        """For each position on the first axis, the sum of all others."""
        whole = self.pooled()
        tp, fp, fn = (
            all_of_it - part
            for all_of_it, part in zip(
                (whole.tp, whole.fp, whole.fn), (self.tp, self.fp, self.fn), strict=True
            )
        )
        return Confusion(self.classes, whole.documents - self.documents, tp, fp, fn, whole.right - self.right)

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        classes = self.classes
        if classes != other.classes:
            classes = sorted_classes((*self.classes, *other.classes))
        mine, theirs = self.spread(classes), other.spread(classes)
        tp, fp, fn = (a + b for a, b in zip(mine, theirs, strict=True))
        documents, right = self.documents + other.documents, self.right + other.right
        return Confusion(classes, documents, tp, fp, fn, right)

    def __radd__(self, other: object) -> Confusion:
        # sum() starts from 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        mine, theirs = (
            (*one.spread(one.classes), one.right, np.broadcast_to(one.documents, np.shape(one.right)))
            for one in (self, other)
        )
        return self.classes == other.classes and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]

    def spread(self, classes: tuple[Any, ...]) -> list[Array]:
        """tp, fp and fn over the given classes, 0 for classes not in this confusion."""
        place = {name: c for c, name in enumerate(classes)}
        columns = [place[name] for name in self.classes]
        found = []
        for counts in (self.tp, self.fp, self.fn):
            whole = np.zeros((*counts.shape[:-1], len(classes)), dtype=counts.dtype)
            whole[..., columns] = counts
            found.append(whole)
        return found

    @property
    def tn(self) -> Array:
        """(..., classes) documents correctly rejected."""
        rest: Array = np.asarray(self.documents)[..., None] - self.tp - self.fp - self.fn
        return rest

    @property
    def sizes(self) -> Array:
        """(..., classes) documents that belong to each class."""
        return self.tp + self.fn

    @property
    def precision(self) -> Array:
        """(..., classes) the share of accepted documents that belong to the class."""
        return measures.precision(self.tp, self.fp)

    @property
    def recall(self) -> Array:
        """(..., classes) the share of the class's documents that are accepted."""
        return measures.recall(self.tp, self.fn)

    @property
    def f1(self) -> Array:
        """(..., classes) the harmonic mean of precision and recall."""
        return measures.f1(self.tp, self.fp, self.fn)

    @property
    def accuracy(self) -> Array:
        """(..., classes) the share of right decisions."""
        return measures.accuracy(self.tp, self.fp, self.fn, self.tn)

    def f_beta(self, beta: float) -> Array:
        """(..., classes) F with recall weighted beta times as much as precision."""
        return measures.f_beta(self.tp, self.fp, self.fn, beta=beta)

    @property
    def share_right(self) -> Any:
        """(...,) the share of documents whose labels are all right."""
        return ratio(self.right, self.documents)[()]

    @property
    def micro(self) -> Average:
        """The micro average, over all decisions as one class: common classes dominate. 0 without classes."""
        tp, fp, fn = (counts.sum(axis=-1, keepdims=True) for counts in (self.tp, self.fp, self.fn))
        decisions = self.documents * len(self.classes)
        return Average(Confusion(("all",), decisions, tp, fp, fn, self.right), np.ones(1))

    @property
    def macro(self) -> Average:
        """The mean over the classes: rare classes count as much as common ones. 0 without classes."""
        return Average(self, np.full(len(self.classes), 1 / max(len(self.classes), 1)))

    @property
    def weighted(self) -> Average:
        """The mean over the classes, weighted by size. 0 if no document has a class."""
        return Average(self, ratio(self.sizes, self.sizes.sum(axis=-1, keepdims=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """A weighted average over the classes: one number, or (...,) with leading axes.

    weights : (..., classes), summing to 1, or to 0 if there is nothing to average
    confusion : the counts for each class

    >>> confusion = Confusion.of(["a", "b", "b"], ["a", "b", "a"])
    >>> round(confusion.macro.f1, 3)
    0.667
    """

    confusion: Confusion
    weights: Array

    @property
    def precision(self) -> Any:
        """The average precision of the classes."""
        return self.of(self.confusion.precision)

    @property
    def recall(self) -> Any:
        """The average recall of the classes."""
        return self.of(self.confusion.recall)

    @property
    def f1(self) -> Any:
        """The average F1 of the classes."""
        return self.of(self.confusion.f1)

    @property
    def accuracy(self) -> Any:
        """The average accuracy of the classes."""
        return self.of(self.confusion.accuracy)

    def f_beta(self, beta: float) -> Any:
        """The average F of the classes."""
        return self.of(self.confusion.f_beta(beta))

    def of(self, values: Array) -> Any:
        """The average of the given values of the classes."""
        average = np.vecdot(self.weights, values)
        return float(average) if average.ndim == 0 else average


def bit_sums(packed: Array) -> Array:
    """(..., classes) the bits set in (..., bytes, classes)."""
    sums: Array = np.bitwise_count(packed).sum(axis=-2, dtype=np.int64)
    return sums


def indicator(labels: Labels, classes: tuple[Any, ...]) -> Array:
    """(documents, classes) whether each document has each label."""
    found = np.zeros((labels.size, len(classes)), dtype=bool)
    place = {name: c for c, name in enumerate(classes)}
    for c, name in enumerate(labels.classes):
        found[labels.of(c), place[name]] = True
    return found
