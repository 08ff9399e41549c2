"""Linear classifiers for nested selections: one layout of rows, one driver, two losses; and along a path.

Margins are those of scikit-learn's LinearSVC and LogisticRegression(solver="liblinear"), a class against the
rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf, sqrt
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.evaluation.classifiers.paths import (
    BINARY,
    SelectionPath,
    append_representation,
    describe_features,
    one_vs_rest_decision_values,
)
from termsift.evaluation.splits import Fold

PASSES = 1000  # scikit-learn's own
PATH_PASSES = 5000


@cache
def loops() -> Any:
    """The compiled loops, loaded when the first of them is needed."""
    from termsift.evaluation.classifiers import _linear_kernel

    return _linear_kernel


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Documents, each listing its terms by their place in an order; a selection is a beginning of every row.

    starts : (documents + 1,) where rows begin; ranks, values : of the terms of all rows
    n_terms : how many terms are in the order
    """

    starts: Array
    ranks: Array
    values: Array
    n_terms: int

    @classmethod
    def from_columns(cls, order: Array, columns: Any) -> RankedRows:
        """From a matrix by column (CSC)."""
        parts = (columns.indptr, columns.indices, columns.data)
        starts, ranks, values = loops().ranked_rows(*parts, np.asarray(order), columns.shape[0])
        return cls(starts, ranks, values, len(order))

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class Loss:
    """What a linear classifier minimises.

    loop : the name of the compiled coordinate descent
    first : the logit of an alpha, as a share of C, at the start
    tolerance : how far from the optimum a fit may end
    """

    loop: str
    first: float
    tolerance: float


SQUARED_HINGE = Loss("squared_hinge", first=-inf, tolerance=0.02)
LOGISTIC = Loss("logistic_dual", first=-6.9, tolerance=0.05)  # a thousandth of C


def linear_decision_values(
    loss: Loss,
    fitted: RankedRows,
    truth: Array,
    judged: RankedRows,
    sizes: Array,
    *,
    C: float = 1.0,
    weights: Array | None = None,
    tolerance: float | None = None,
    passes: int = PASSES,
) -> Array:
    """(sizes, judged) margins with the k best terms of the order of the rows, for ascending sizes k.

    Parameters
    ----------
    truth : (fitted,) whether each document is in the class
    weights : (fitted,) what each document counts for, where it is not 1
    tolerance : how far projected gradients may differ when the fit ends; the loss's own where it is None
    passes : over the documents, at most

    """
    fit = getattr(loops(), loss.loop)
    near = loss.tolerance if tolerance is None else tolerance
    here, there = (Beginnings(rows) for rows in (fitted, judged))
    y = np.where(truth, 1.0, -1.0)
    costs = C * (np.ones(len(fitted)) if weights is None else weights)
    alpha = costs / (1 + exp(-loss.first))
    w, bias = np.zeros(fitted.n_terms), 0.0
    margins = np.empty((len(sizes), len(judged)))
    for out, size in zip(margins, np.asarray(sizes).tolist(), strict=True):
        here.grow(size)
        # the scales of all rows are new, so the weights are summed again
        bias = loops().unit_weights(*here.arrays, alpha, y, w)
        bias = fit(*here.arrays, y, costs, near, passes, alpha, w, bias)
        there.grow(size)
        loops().write_unit_margins(*there.arrays, w, bias, out)
    return margins


class Beginnings:
    """Prefixes of rows that a selection chooses: where each ends, and the scale that makes its length 1."""

    def __init__(self, rows: RankedRows) -> None:
        self.rows = rows
        self.ends = rows.starts[:-1].copy()
        self.scale = np.zeros(len(rows))

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Arguments of the kernels."""
        return self.rows.starts, self.ends, self.rows.ranks, self.rows.values, self.scale

    def grow(self, size: int) -> None:
        """Choose the terms of the first `size` ranks."""
        loops().move_ends(self.rows.starts, self.ends, self.rows.ranks, size)
        loops().scales(self.rows.starts, self.ends, self.rows.values, self.scale)


def logistic_decision_values(
    path: SelectionPath,
    columns: Any,
    truth: Array,
    others: Any,
    *,
    penalty: float,
    bias_penalty: float = 0.0,
    tolerance: float = 0.01,
) -> Array:
    """(others, steps) margins of documents that are judged.

    Minimises sum log(1 + exp(-y f)) + penalty / 2 * w.w, where a document has a term or not.

    Parameters
    ----------
    columns : the documents fitted, by column (CSC); a stored value is a term the document has
    truth : (documents,) whether each is in the class
    others : documents to judge, likewise
    bias_penalty : of the bias's square / 2: 0 leaves it free, `inf` leaves it out
    tolerance : no derivative of the sum is larger when the fit ends

    """
    from termsift.evaluation.classifiers._path_kernel import logistic_path

    margins: Array = logistic_path(
        columns.indptr, columns.indices, np.where(truth, 1.0, -1.0), path.first, path.last, path.sizes,
        path.k, penalty, bias_penalty, tolerance, PATH_PASSES, others.indptr, others.indices, others.shape[0],
    )  # fmt: skip
    return margins


BLOCK = 16  # classes: the weights of a term are two lines of the processor's cache
LARGEST = 1 << 22  # numbers of a block, of all documents or of all terms


@cache
def joint_loops() -> Any:
    """The compiled loops, loaded when the first of them is needed."""
    from termsift.evaluation.classifiers import _joint_kernel

    return _joint_kernel


def joint_decision_values(
    fitted: RankedRows,
    truth: Array,
    judged: RankedRows,
    sizes: Array,
    *,
    costs: Array,
    tolerance: float = SQUARED_HINGE.tolerance,
    passes: int = PASSES,
) -> Array:
    """(sizes, judged, classes) margins with the k best terms of the order of the rows, for ascending sizes k.

    The same as `linear_decision_values` of each class, as near as `tolerance` has it.

    Parameters
    ----------
    truth : (fitted, classes) whether each document is in each class
    costs : (fitted, classes) C times what each document counts for

    """
    margins = np.empty((len(sizes), len(judged), truth.shape[1]))
    most = int(np.clip(LARGEST // max(len(fitted), fitted.n_terms, 1), 1, BLOCK))
    for first in range(0, truth.shape[1], most):
        own = slice(first, first + most)
        block_margins(
            fitted, truth[:, own], judged, sizes, costs[:, own], tolerance, passes, margins[:, :, own]
        )
    return margins


def block_margins(
    fitted: RankedRows,
    truth: Array,
    judged: RankedRows,
    sizes: Array,
    costs: Array,
    tolerance: float,
    passes: int,
    out: Array,
) -> None:
    """Write the margins of a few classes."""
    loops = joint_loops()
    here, there = Beginnings(fitted), Beginnings(judged)
    y, costs = np.where(truth.T, 1.0, -1.0), np.ascontiguousarray(costs.T)
    alpha, w = np.zeros(y.shape), np.zeros((len(y), fitted.n_terms))
    bias, classes = np.zeros(len(y)), np.arange(len(y))
    found = np.empty((len(judged), len(y)))
    for place, size in enumerate(np.asarray(sizes).tolist()):
        here.grow(size)
        loops.joint_squared_hinge(*here.arrays, y, costs, tolerance, passes, alpha, w, bias, size)
        there.grow(size)
        loops.class_margins(*there.arrays, loops.by_term(w, classes, size), bias, found)
        out[place] = found


@dataclass(frozen=True, slots=True)
class Linear:
    """Linear classifier of tf-idf rows of unit length.

    base, called : what it is called in tables and in sentences, but for how it reads a row
    scikit_learn : what makes the same classifier of scikit-learn, given C
    balanced : whether a class and the rest count for as much as each other, however few documents it has
    reads : "binary" for terms a document has in place of counts, each times its idf; the name of a metric
        for what it says of a term in place of idf
    """

    base: str
    called: str
    loss: Loss
    C: float
    scikit_learn: Callable[..., Any]
    size_stride: int = 1
    balanced: bool = False
    representation: str = ""
    representations: ClassVar[tuple[str, ...]] = ("binary", "METRIC")
    cost: ClassVar[int] = 8
    uses_tfidf: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name with the representation."""
        return append_representation(self.base, self.representation)

    @property
    def description(self) -> str:
        """Description with the representation."""
        return describe_features(self.called, self.representation)

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        here, there = (RankedRows.from_columns(path.first, columns) for columns in self.parts(fold))
        truth, sizes = fold.train.truth, path.sizes

        def class_margins(c: int) -> Array:
            weights = document_weights(fold.train.weights, truth[:, c], self.balanced)
            return linear_decision_values(
                self.loss, here, truth[:, c], there, sizes, C=self.C, weights=weights
            ).T

        return class_margins

    def parts(self, fold: Fold) -> tuple[Any, Any]:
        """Both parts of a fold by column, as it reads them."""
        if self.representation in ("", BINARY):
            return (fold.binary if self.representation else fold).tfidf
        return fold.metric_weighted(self.representation)

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Each class against the rest; of the squared hinge all at once, where they have the same terms."""
        if ranking.local or self.loss is not SQUARED_HINGE:
            return one_vs_rest_decision_values(self, fold, ranking, sizes, mirrored=True)
        return self.all_at_once(fold, SelectionPath.from_ranking(ranking.orders[0], sizes))

    confidences = decision_values

    def all_at_once(self, fold: Fold, path: SelectionPath) -> Array:
        """(sizes, judged, classes) the same margins, of classes that are fitted together."""
        here, there = (RankedRows.from_columns(path.first, columns) for columns in self.parts(fold))
        truth, sizes = fold.train.truth, path.sizes
        margins = np.empty((len(sizes), len(fold.truth), fold.n_classes))
        margins[:] = np.where(truth.all(axis=0), np.inf, -np.inf)
        told = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
        told = told[-1:] if fold.is_mirrored else told
        costs = np.full((len(truth), len(told)), self.C)
        for c, own in enumerate(told):
            weights = document_weights(fold.train.weights, truth[:, own], self.balanced)
            costs[:, c] *= 1.0 if weights is None else weights
        margins[:, :, told] = joint_decision_values(here, truth[:, told], there, sizes, costs=costs)
        if fold.is_mirrored and len(told):
            margins[:, :, 0] = -margins[:, :, 1]
        return margins

    def make_estimator(self) -> Any:
        """LinearSVC, or LogisticRegression by liblinear."""
        return self.scikit_learn(C=self.C, **({"class_weight": "balanced"} if self.balanced else {}))


@dataclass(frozen=True, slots=True)
class BinaryLogistic:
    """Of 0/1 features: a stored value is a term that the document has.

    penalty : of w.w / 2, beside the sum of the losses
    bias_penalty : of the bias's square / 2: 0 leaves it free; the penalty makes it one more weight, of a
        feature that every document has; `inf` leaves it out
    tolerance : no derivative of the sum is larger when a fit ends
    """

    penalty: float = 1.0
    tolerance: float = 0.01
    bias_penalty: float = 0.0
    name: ClassVar[str] = "binary logistic"
    description: ClassVar[str] = "logistic regression of 0/1 features"
    cost: ClassVar[int] = 8
    size_stride: ClassVar[int] = 3
    uses_tfidf: ClassVar[bool] = False
    representation: ClassVar[str] = ""
    representations: ClassVar[tuple[str, ...]] = ()

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        here, there, truth = fold.train.columns, fold.test_columns, fold.train.truth
        how = {"penalty": self.penalty, "bias_penalty": self.bias_penalty, "tolerance": self.tolerance}
        return lambda c: logistic_decision_values(path, here, truth[:, c], there, **how)

    decision_values = confidences = one_vs_rest_decision_values

    def make_estimator(self) -> LogisticRegression:
        """LogisticRegression; by liblinear where the bias is a weight like the others."""
        if not self.bias_penalty:
            return LogisticRegression(C=1 / self.penalty)
        if self.bias_penalty == inf:
            return LogisticRegression(C=1 / self.penalty, fit_intercept=False)
        scale = sqrt(self.penalty / self.bias_penalty)
        return LogisticRegression(C=1 / self.penalty, solver="liblinear", intercept_scaling=scale)


def document_weights(weights: Array, truth: Array, balanced: bool) -> Array | None:
    """(documents,) what each counts for in telling a class from the rest; None where all count alike.

    Balanced, both sides count for as much, and all for what they do otherwise: class_weight="balanced" of
    scikit-learn.

    >>> document_weights(np.zeros(0), np.array([True, False, False, False]), balanced=True)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    if not balanced:
        return weights if weights.size else None
    own = weights if weights.size else np.ones(len(truth))
    sides = np.where(truth, own[truth].sum(), own[~truth].sum())
    found: Array = own * own.sum() / (2 * sides)
    return found


def liblinear_regression(C: float, class_weight: str | None = None) -> LogisticRegression:
    """LogisticRegression by liblinear, which decides about two classes."""
    return LogisticRegression(C=C, solver="liblinear", class_weight=class_weight)


SVM = Linear("svm", "a linear SVM", SQUARED_HINGE, 1.0, LinearSVC)
LOGISTIC_REGRESSION = Linear(
    "logistic", "logistic regression", LOGISTIC, 10.0, liblinear_regression, size_stride=3
)

BALANCED = tuple(
    replace(one, base=f"{one.base}_balanced", called=f"{one.called}, classes balanced", balanced=True)
    for one in (SVM, LOGISTIC_REGRESSION)
)

OFFERED = (SVM, LOGISTIC_REGRESSION, *BALANCED)

TOLERANCE = 1e-3  # of the penalty, by which a condition of the optimum may be broken
ROUNDS = 1000


def l1_weights(columns: Any, truth: Array, C: float = 1.0) -> Array:
    """(terms,) the weights by which a class is told from the rest; 0 for most.

    Of LogisticRegression(l1_ratio=1, C=C, solver="liblinear") of scikit-learn, nearer to the optimum.

    columns : the documents by column (CSC)
    truth : (documents,) whether each is in the class
    """
    from termsift.evaluation.classifiers._l1_kernel import l1_logistic

    y = np.where(truth, 1.0, -1.0)
    found: Array = l1_logistic(columns.indptr, columns.indices, columns.data, y, C, TOLERANCE, ROUNDS)
    return found


def normalize_rows(columns: csc_array[Any]) -> csc_array[Any]:
    """The same documents, the length of each row 1."""
    lengths = np.sqrt(np.bincount(columns.indices, columns.data**2, columns.shape[0]))
    lengths[lengths == 0] = 1
    data = columns.data / lengths[columns.indices]
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)
