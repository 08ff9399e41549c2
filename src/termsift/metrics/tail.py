"""The upper tail of the hypergeometric distribution, in logarithms and for whole arrays.

SciPy's sf underflows to 0 for the terms that matter most, and its logsf takes one element at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from termsift._typing import Array
from termsift.contingency import Cells

TABLE = 1 << 22


def log_upper_tail(cells: Cells) -> Array:
    """Log P(X >= A), X the documents of the class among A + B drawn from N without return.

    The tail is summed from A upwards where A is above the mean; below it, the other tail is summed
    downwards from A - 1 and taken from 1. Either way the terms shrink from the first one on.
    """
    tp, fp, fn, tn = (np.ravel(x) for x in (cells.tp, cells.fp, cells.fn, cells.tn))
    n = tp + fp + fn + tn
    out = np.zeros(tp.size)
    seen = tp > 0
    above = seen & (tp * n >= (tp + fp) * (tp + fn))
    below = seen & ~above
    a, b, c, d = (x[above] for x in (tp, fp, fn, tn))
    out[above] = np.minimum(log_mass(a, b, c, d) + np.log(falling_sum(a, b, c, d)), 0)
    # one document fewer in the class: the cells at A - 1, seen from the complement of the class
    a, b, c, d = tp[below] - 1, fp[below] + 1, fn[below] + 1, tn[below] - 1
    lower = np.exp(log_mass(a, b, c, d)) * falling_sum(b, a, d, c)
    out[below] = np.log1p(-np.minimum(lower, 1 - 1e-16))
    return out.reshape(np.shape(cells.tp))


def log_mass(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Log P(X = A): the product of the margins' factorials over those of N and the cells."""
    n = a + b + c + d
    log_factorial = _log_factorials(a, b, c, d, n)
    margins = log_factorial(a + b) + log_factorial(c + d) + log_factorial(a + c) + log_factorial(b + d)
    cells = log_factorial(a) + log_factorial(b) + log_factorial(c) + log_factorial(d)
    return np.where(np.minimum(a, d) < 0, -np.inf, margins - cells - log_factorial(n))


def falling_sum(a: Array, b: Array, c: Array, d: Array) -> Array:
    """The sum of P(X = A + j) / P(X = A) over j = 0, 1, ..., until the terms no longer count."""
    total = np.ones(a.size)
    term = np.ones(a.size)
    going = np.arange(a.size)
    a, b, c, d = (x.astype(np.float64) for x in (a, b, c, d))
    while going.size:
        a, d = a + 1, d + 1
        term = term * np.maximum(b, 0) * np.maximum(c, 0) / (a * d)
        b, c = b - 1, c - 1
        total[going] += term
        more = term > 1e-17 * total[going]
        going, term = going[more], term[more]
        a, b, c, d = (x[more] for x in (a, b, c, d))
    return total


def _log_factorials(*numbers: Array) -> Callable[[Array], Array]:
    """Log x! for whole numbers, the largest the last, from a table; else one by one."""
    most = int(numbers[-1].max(initial=0))
    if most > TABLE or not all(np.array_equal(x, np.floor(x)) for x in numbers):
        return lambda x: gammaln(np.maximum(x, 0) + 1)
    table = gammaln(np.arange(most + 2) + 1.0)
    return lambda x: table[np.maximum(x, 0).astype(np.intp)]
