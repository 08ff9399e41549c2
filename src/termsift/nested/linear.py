"""Linear classifiers for nested selections: one layout of rows, one driver, three losses; and along a path.

Margins are those of scikit-learn's LinearSVC and LogisticRegression(solver="liblinear"), a class against the
rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, inf
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.nested.paths import SelectionPath

PASSES = 1000  # scikit-learn's own
PATH_PASSES = 5000


@cache
def loops() -> Any:
    """The compiled loops, loaded when the first of them is needed."""
    from termsift.nested import _linear_kernel

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
    def of(cls, order: Array, columns: Any) -> RankedRows:
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
    unit : whether rows are of unit length; else features are 0 or 1
    first : the logit of an alpha, as a share of C, at the start
    tolerance : how far from the optimum a fit may end
    """

    loop: str
    unit: bool
    first: float
    tolerance: float


HINGE = Loss("hinge", unit=False, first=-inf, tolerance=0.01)
SQUARED_HINGE = Loss("squared_hinge", unit=True, first=-inf, tolerance=0.02)
LOGISTIC = Loss("logistic_dual", unit=True, first=-6.9, tolerance=0.05)  # a thousandth of C


def linear_margins(
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
    here, there = (Beginnings(rows, loss.unit) for rows in (fitted, judged))
    y = np.where(truth, 1.0, -1.0)
    costs = C * (np.ones(len(fitted)) if weights is None else weights)
    alpha = costs / (1 + exp(-loss.first))
    w, bias = np.zeros(fitted.n_terms), 0.0
    margins = np.empty((len(sizes), len(judged)))
    for out, size in zip(margins, np.asarray(sizes).tolist(), strict=True):
        before = here.ends.copy()
        here.grow(size)
        bias = here.true_weights(before, alpha, y, w, bias)
        bias = fit(*here.arrays, y, costs, near, passes, alpha, w, bias)
        there.grow(size)
        there.write_margins(w, bias, out)
    return margins


class Beginnings:
    """What a selection chooses of rows: where each ends, and what makes its length 1, if it is to be."""

    def __init__(self, rows: RankedRows, unit: bool) -> None:
        self.rows = rows
        self.ends = rows.starts[:-1].copy()
        self.scale = np.zeros(len(rows)) if unit else None

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What a compiled loop reads."""
        plain = (self.rows.starts, self.ends, self.rows.ranks)
        return plain if self.scale is None else (*plain, self.rows.values, self.scale)

    def grow(self, size: int) -> None:
        """Choose the terms of the first `size` ranks."""
        loops().move_ends(self.rows.starts, self.ends, self.rows.ranks, size)
        if self.scale is not None:
            loops().scales(self.rows.starts, self.ends, self.rows.values, self.scale)

    def true_weights(self, before: Array, alpha: Array, y: Array, w: Array, bias: float) -> float:
        """Make the weights those of the alphas again, after rows grew. Gives the bias."""
        if self.scale is None:
            loops().extend_weights(before, self.ends, self.rows.ranks, alpha, y, w)
            return bias
        return float(loops().unit_weights(*self.arrays, alpha, y, w))

    def write_margins(self, w: Array, bias: float, out: Array) -> None:
        """What the weights say of each row."""
        write = loops().write_margins if self.scale is None else loops().write_unit_margins
        write(*self.arrays, w, bias, out)


def logistic_margins(
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
    from termsift.nested._path_kernel import logistic_path

    margins: Array = logistic_path(
        columns.indptr, columns.indices, np.where(truth, 1.0, -1.0), path.first, path.last, path.sizes,
        path.k, penalty, bias_penalty, tolerance, PATH_PASSES, others.indptr, others.indices, others.shape[0],
    )  # fmt: skip
    return margins


def tf_idf(columns: csc_array[Any], idf: Array) -> csc_array[Any]:
    """Counts as (1 + log count) idf, rows not yet of unit length: TfidfTransformer(sublinear_tf=True)."""
    factors = np.repeat(idf, np.diff(columns.indptr))
    data = (1 + np.log(columns.data)) * factors
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)


def inverse_document_frequencies(df: Array, documents: float) -> Array:
    """scikit-learn's, smoothed: log((1 + N) / (1 + df)) + 1."""
    idf: Array = np.log((1 + documents) / (1 + df)) + 1
    return idf
