"""Counts of true and predicted labels per class, and the measures derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels, ratio, sort_classes
from termsift.evaluation import measures
from termsift.evaluation.measures import break_even_counts, shared_break_even_counts

BREAK_EVEN_COUNTS = {"together": break_even_counts, "shared": shared_break_even_counts}


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Counts of one-vs-rest decisions over the same documents, for each class.

    Leading axes, if any, are folds or numbers of terms. Confusions are sums, so folds can be added;
    a class missing in one of them counts there as never present and never predicted.

    Attributes
    ----------
    classes : tuple
        The labels, in the order of the last axis.
    documents : int, float or (...,) array
        Number of documents.
    tp, fp, fn, tn : (..., classes) array
        Numbers of documents, fractions with weights or shared ties; their sum is `documents` for every class.
    exact_matches : (...,) array
        Number of documents with exactly the true labels.

    Examples
    --------
    >>> fold = Confusion.from_labels([["a"], ["a", "b"], []], [["a"], ["b"], ["b"]])
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
    exact_matches: Any

    @classmethod
    def from_labels(cls, truth: Any, predicted: Any) -> Confusion:
        """Count true and predicted labels.

        Parameters
        ----------
        truth : list, array, sparse matrix or data frame
            True labels: one label or a list of labels per document, or an indicator matrix.
        predicted : list, array, sparse matrix or data frame
            Predicted labels of the same documents, in any of these forms.

        Returns
        -------
        Confusion
            The counts for all classes in `truth` or `predicted`.

        Raises
        ------
        InvalidInputError
            If the numbers of documents differ, or those of the columns of two indicator matrices.

        """
        true_labels, predicted_labels = as_labels(truth), as_labels(predicted)
        if true_labels.size != predicted_labels.size:
            message = f"truth has {true_labels.size} documents but predicted has {predicted_labels.size}"
            raise InvalidInputError(message)
        classes, n_predicted = true_labels.classes, len(predicted_labels.classes)
        are_matrices = all(len(getattr(labels, "shape", ())) == 2 for labels in (truth, predicted))
        if are_matrices and len(classes) != n_predicted:
            message = f"truth has {len(classes)} columns (classes) but predicted has {n_predicted}"
            raise InvalidInputError(message)
        if classes != predicted_labels.classes:
            classes = sort_classes((*classes, *predicted_labels.classes))
        return cls.from_decisions(
            indicator_matrix(predicted_labels, classes), indicator_matrix(true_labels, classes), classes
        )

    @classmethod
    def from_decision_values(
        cls, values: Array, truth: Array, single_label: bool, classes: Sequence[Any], weights: Any = None
    ) -> Confusion:
        """Count decisions by decision values.

        Parameters
        ----------
        values : (..., documents, classes) array
            Decision values.
        truth : (documents, classes) array of bool
            Whether each document has each label.
        single_label : bool
            Whether to accept the class of the largest value; otherwise all classes with a value above 0.
        classes : sequence
            The labels.
        weights : (documents,) array, optional
            Weight of each document; 1 by default.

        Returns
        -------
        Confusion
            The counts, with the leading axes of `values`.

        """
        return cls.from_decisions(accept_classes(values, single_label), truth, classes, weights)

    @classmethod
    def from_decisions(
        cls, accepted: Array, truth: Array, classes: Sequence[Any], weights: Array | None = None
    ) -> Confusion:
        """Count whether each document was accepted for each class.

        Parameters
        ----------
        accepted : (..., documents, classes) array of bool
            Decisions.
        truth : (documents, classes) array of bool
            Whether each document has each label, for all leading axes.
        classes : sequence
            The labels.
        weights : (documents,) or (samples, documents) array, optional
            Weight of each document; 1 by default.

        Returns
        -------
        Confusion
            The counts, with the leading axes of `accepted`.

        """
        if weights is not None:
            tp, fp = weights @ (accepted & truth), weights @ (accepted & ~truth)
            fn = weights @ (~accepted & truth)
            wrong = (accepted ^ truth).any(axis=-1) @ weights.T
            documents = weights.sum(axis=-1)
            return cls(tuple(classes), documents, tp, fp, fn, documents - wrong)
        # eight documents per byte: counting bits is many times faster than summing booleans
        packed, packed_truth = (np.packbits(matrix, axis=-2) for matrix in (accepted, truth))
        wrong = np.bitwise_or.reduce(packed ^ packed_truth, axis=-1, keepdims=True)
        bits = packed & packed_truth, packed & ~packed_truth, ~packed & packed_truth, wrong
        tp, fp, fn, n_wrong = (np.bitwise_count(array).sum(axis=-2, dtype=np.int64) for array in bits)
        return cls(tuple(classes), len(truth), tp, fp, fn, len(truth) - n_wrong[..., 0])

    @classmethod
    def at_break_even(
        cls,
        values: Array,
        truth: Array,
        classes: Sequence[Any],
        *,
        ties: Literal["together", "shared"] = "together",
    ) -> Confusion:
        """Count decisions at the break-even point of each class; `exact_matches` is then 0.

        Parameters
        ----------
        values : (..., documents, classes) array
            Decision values.
        truth : (documents, classes) array of bool
            Whether each document has each label.
        classes : sequence
            The labels.
        ties : {"together", "shared"}, default "together"
            Whether all tied documents are accepted or none, or tied documents share the cut.

        Returns
        -------
        Confusion
            The counts, with the leading axes of `values`.

        """
        flat, leading = values.reshape(-1, *truth.shape), values.shape[:-2]
        counts = np.zeros((3, len(flat), len(classes)), dtype=float if ties == "shared" else np.int64)
        for c in range(len(classes)):
            # contiguous per class, because the values of a class are read several times
            counts[:, :, c] = BREAK_EVEN_COUNTS[ties](np.ascontiguousarray(flat[:, :, c]).T, truth[:, c])
        tp, fp, fn = counts.reshape(3, *leading, len(classes))
        return cls(tuple(classes), len(truth), tp, fp, fn, np.zeros(leading, dtype=np.int64))

    @classmethod
    def empty(cls) -> Confusion:
        """Return the confusion without classes and documents; adding it changes nothing.

        Returns
        -------
        Confusion
            The empty confusion.

        """
        return cls.from_labels([], [])

    @classmethod
    def stack(cls, confusions: Sequence[Confusion]) -> Confusion:
        """Stack confusions with the same classes and axes along a new first axis.

        Parameters
        ----------
        confusions : sequence of Confusion
            At least one confusion.

        Returns
        -------
        Confusion
            The stacked counts.

        """
        arrays = (confusion.count_arrays for confusion in confusions)
        return cls(confusions[0].classes, *map(np.stack, zip(*arrays, strict=True)))

    @property
    def count_arrays(self) -> tuple[Array, ...]:
        """Number of documents at each leading index, tp, fp, fn and exact matches."""
        exact_matches = np.asarray(self.exact_matches)
        documents = np.broadcast_to(self.documents, exact_matches.shape)
        return documents, self.tp, self.fp, self.fn, exact_matches

    def __getitem__(self, index: Any) -> Confusion:
        """Return the entries at an index of the first axis."""
        return Confusion(self.classes, *(array[index] for array in self.count_arrays))

    def pool(self, axis: int = 0) -> Confusion:
        """Sum the decisions along a leading axis.

        Parameters
        ----------
        axis : int, default 0
            The axis to sum over.

        Returns
        -------
        Confusion
            The counts without that axis.

        """
        return Confusion(self.classes, *(array.sum(axis=axis) for array in self.count_arrays))

    def __add__(self, other: Confusion) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        classes = self.classes
        if classes != other.classes:
            classes = sort_classes((*self.classes, *other.classes))
        tp, fp, fn = map(np.add, self.expand_classes(classes), other.expand_classes(classes))
        documents = self.documents + other.documents
        return Confusion(classes, documents, tp, fp, fn, self.exact_matches + other.exact_matches)

    def __radd__(self, other: object) -> Confusion:
        # sum() starts from 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return self.classes == other.classes and all(
            map(np.array_equal, self.count_arrays, other.count_arrays)
        )

    __hash__ = None  # type: ignore[assignment]

    def expand_classes(self, classes: tuple[Any, ...]) -> list[Array]:
        """Return tp, fp and fn for these classes, 0 for classes not in this confusion.

        Parameters
        ----------
        classes : tuple
            All labels of this confusion, and others.

        Returns
        -------
        list of (..., classes) arrays
            tp, fp and fn.

        """
        columns = [classes.index(name) for name in self.classes]
        expanded = []
        for counts in (self.tp, self.fp, self.fn):
            expanded.append(np.zeros((*counts.shape[:-1], len(classes)), dtype=counts.dtype))
            expanded[-1][..., columns] = counts
        return expanded

    @property
    def tn(self) -> Array:
        """Documents correctly rejected."""
        return np.asarray(np.asarray(self.documents)[..., None] - self.tp - self.fp - self.fn)

    @property
    def sizes(self) -> Array:
        """Number of documents of each class, (..., classes)."""
        return self.tp + self.fn

    @property
    def precision(self) -> Array:
        """Share of accepted documents that belong to the class."""
        return measures.precision(self.tp, self.fp)

    @property
    def recall(self) -> Array:
        """Share of the class's documents that are accepted."""
        return measures.recall(self.tp, self.fn)

    @property
    def f1(self) -> Array:
        """Harmonic mean of precision and recall."""
        return ratio(2.0 * self.tp, 2.0 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> Array:
        """Share of correct decisions."""
        return measures.accuracy(self.tp, self.fp, self.fn, self.tn)

    def f_beta(self, beta: float) -> Array:
        """Return F with recall weighted beta times as much as precision.

        Parameters
        ----------
        beta : float
            Weight of recall relative to precision, at least 0.

        Returns
        -------
        (..., classes) array
            F of each class.

        """
        return measures.f_beta(self.tp, self.fp, self.fn, beta=beta)

    @property
    def exact_match_ratio(self) -> Any:
        """Share of documents with exactly the true labels."""
        return ratio(self.exact_matches, self.documents)[()]

    @property
    def micro(self) -> Average:
        """Micro average, over all decisions as one class: common classes dominate. 0 without classes."""
        tp, fp, fn = (counts.sum(axis=-1, keepdims=True) for counts in (self.tp, self.fp, self.fn))
        decisions = self.documents * len(self.classes)
        return Average(Confusion(("all",), decisions, tp, fp, fn, self.exact_matches), np.ones(1))

    @property
    def macro(self) -> Average:
        """Mean over the classes: rare classes count as much as common ones. 0 without classes."""
        return Average(self, np.full(len(self.classes), 1 / max(len(self.classes), 1)))

    @property
    def weighted(self) -> Average:
        """Mean over the classes, weighted by size. 0 if no document has a class."""
        return Average(self, ratio(self.sizes, self.sizes.sum(axis=-1, keepdims=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """Weighted average over the classes: one number, or (...,) with leading axes.

    Attributes
    ----------
    confusion : Confusion
        The counts for each class.
    weights : (..., classes) array
        Weights of the classes, with sum 1, or 0 if there is nothing to average.

    Examples
    --------
    >>> confusion = Confusion.from_labels(["a", "b", "b"], ["a", "b", "a"])
    >>> round(confusion.macro.f1, 3)
    0.667

    """

    confusion: Confusion
    weights: Array

    @property
    def precision(self) -> Any:
        """Average precision of the classes."""
        return self.average_classes(self.confusion.precision)

    @property
    def recall(self) -> Any:
        """Average recall of the classes."""
        return self.average_classes(self.confusion.recall)

    @property
    def f1(self) -> Any:
        """Average F1 of the classes."""
        return self.average_classes(self.confusion.f1)

    @property
    def accuracy(self) -> Any:
        """Average accuracy of the classes."""
        return self.average_classes(self.confusion.accuracy)

    def f_beta(self, beta: float) -> Any:
        """Return the average F of the classes.

        Parameters
        ----------
        beta : float
            Weight of recall relative to precision, at least 0.

        Returns
        -------
        float or (...,) array
            The average.

        """
        return self.average_classes(self.confusion.f_beta(beta))

    def average_classes(self, class_values: Array) -> Any:
        """Return the average of a measure over the classes.

        Parameters
        ----------
        class_values : (..., classes) array
            Value of the measure for each class.

        Returns
        -------
        float or (...,) array
            The average.

        """
        average = np.vecdot(self.weights, class_values)
        return float(average) if average.ndim == 0 else average


def accept_classes(values: Array, single_label: bool) -> Array:
    """Return (..., documents, classes) the class of the largest value, or for multiple labels all above 0."""
    if not single_label:
        return values > 0
    accepted = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(accepted, values.argmax(axis=-1)[..., None], True, axis=-1)
    return accepted


def indicator_matrix(labels: Labels, classes: tuple[Any, ...]) -> Array:
    """Return (documents, classes) whether each document has each label."""
    matrix = np.zeros((labels.size, len(classes)), dtype=bool)
    matrix[:, [classes.index(name) for name in labels.classes]] = labels.indicator.toarray()
    return matrix
