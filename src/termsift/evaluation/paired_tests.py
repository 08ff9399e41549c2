"""Whether two methods differ by more than chance, over problems or over resampled runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import stdtr

from termsift._internal.errors import InvalidInputError, unknown
from termsift._internal.typing import Array
from termsift.evaluation.measures import finite

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class TestResult:
    """The statistic and p-value of a test.

    statistic : the statistic of the test
    p_value : the chance of one at least as extreme if there is no difference

    >>> wilcoxon([0.7, 0.8, 0.9], [0.6, 0.6, 0.6]).p_value
    0.25
    """

    statistic: float
    p_value: float


NO_DIFFERENCE = TestResult(0.0, 1.0)


def wilcoxon(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Wilcoxon's signed-rank test of two methods over the same problems.

    a, b : (problems,) the results of each method. "greater" tests whether a is greater.
    Equal pairs are left out; if all pairs are equal, p is 1.
    The statistic is the sum of the ranks where a is greater; if two-sided, the smaller of the two sums.

    alternative : "two-sided", "greater" or "less"

    >>> wilcoxon([0.7, 0.8, 0.9, 0.6], [0.6, 0.6, 0.6, 0.2], alternative="greater")
    Significance(statistic=10.0, p_value=0.0625)
    """
    differences = paired(a, b, at_least=1)
    check_alternative(alternative)
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and ranks would see it
    scale = max(np.abs(a).max(), np.abs(b).max()) or 1.0
    differences = np.round(differences / scale, 12)
    if not differences.any():
        return NO_DIFFERENCE
    found = stats.wilcoxon(differences, alternative=alternative)
    return TestResult(float(found.statistic), float(found.pvalue))


def paired_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Student's paired t test of two methods over the same independent problems.

    a, b : (problems,) the results of each method, at least two. "greater" tests whether a is greater.
    If all pairs are equal, p is 1; if all differ by the same amount, t is infinite.

    alternative : "two-sided", "greater" or "less"

    >>> round(paired_t([0.7, 0.8, 0.9], [0.6, 0.6, 0.6]).p_value, 3)
    0.074
    """
    differences = paired(a, b, at_least=2)
    check_alternative(alternative)
    if not np.ptp(differences):
        return t_of_mean(differences, 1 / len(differences), alternative)
    found = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    return TestResult(float(found.statistic), float(found.pvalue))


def corrected_resampled_t(
    differences: ArrayLike, *, n_train: float, n_test: float, alternative: Alternative = "two-sided"
) -> TestResult:
    """The t test for runs with overlapping training sets, as in cross-validation and random splits.

    t = mean / sqrt(variance (1/k + n_test / n_train)), with k - 1 degrees of freedom for k runs.
    Nadeau and Bengio (2003). For k-fold repeated r times, pass all r k differences: Bouckaert and Frank
    (2004).

    differences : one per run, in any shape, at least two. If all are 0, p is 1; if all are equal, t is
        infinite
    n_train, n_test : number of documents in a run, or their shares
    alternative : "two-sided", "greater" or "less"

    >>> round(corrected_resampled_t([0.1, 0.2, 0.3], n_train=80, n_test=20).p_value, 3)
    0.12
    """
    runs = finite("differences", differences).ravel()
    if len(runs) < 2:
        raise InvalidInputError(f"a t test needs at least 2 differences, got {len(runs)}")
    if not (0 < n_train < np.inf and 0 < n_test < np.inf):
        raise InvalidInputError(f"n_train and n_test must be above 0, got {n_train!r} and {n_test!r}")
    return t_of_mean(runs, 1 / len(runs) + n_test / n_train, alternative)


def t_of_mean(differences: Array, share: float, alternative: Alternative) -> TestResult:
    """The test that the mean is 0, its variance being that share of the differences' variance."""
    check_alternative(alternative)
    if not differences.any():
        return NO_DIFFERENCE
    # np.ptp: the variance of equal numbers is not always exactly 0
    deviation = np.std(differences, ddof=1) if np.ptp(differences) else 0.0
    with np.errstate(divide="ignore"):
        t = np.divide(differences.mean(), deviation * np.sqrt(share))
    below = float(stdtr(len(differences) - 1, t))
    above = float(stdtr(len(differences) - 1, -t))
    p = {"less": below, "greater": above, "two-sided": 2 * min(below, above)}[alternative]
    return TestResult(float(t), p)


def paired(a: ArrayLike, b: ArrayLike, *, at_least: int) -> Array:
    """The differences of two methods, problem by problem."""
    first, second = finite("a", a), finite("b", b)
    if first.shape != second.shape or first.ndim != 1:
        raise InvalidInputError(
            f"a and b must be of the same problems, got shapes {first.shape} and {second.shape}"
        )
    if len(first) < at_least:
        raise InvalidInputError(f"problems must be at least {at_least}, got {len(first)}")
    return first - second


def check_alternative(alternative: str) -> None:
    """An error unless the alternative is one we know."""
    if alternative not in ("two-sided", "greater", "less"):
        raise unknown("alternative", alternative, ("two-sided", "greater", "less"))


def holm(p_values: ArrayLike) -> Array:
    """p-values of several tests, adjusted by Holm's method to control the family-wise error rate.

    Holm (1979): the i-th smallest of m is multiplied by m - i + 1, never falls below a smaller one, and is at
    most 1.

    p_values : one per test

    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    p = finite("p_values", p_values)
    if p.ndim != 1 or np.any((p < 0) | (p > 1)):
        raise InvalidInputError("p_values must be a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return corrected
