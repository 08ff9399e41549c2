"""Significance tests of the difference between two methods, over problems or over resampled runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import stdtr

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.typing import Array
from termsift.evaluation.measures import as_finite_floats

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True, slots=True)
class TestResult:
    """Statistic and p-value of a test.

    Attributes
    ----------
    statistic : float
        Test statistic.
    p_value : float
        Probability of a statistic at least as extreme if there is no difference.

    Examples
    --------
    >>> wilcoxon([0.7, 0.8, 0.9], [0.6, 0.6, 0.6]).p_value
    0.25

    """

    # pytest would collect a class with this name
    __test__ = False

    statistic: float
    p_value: float


NO_DIFFERENCE = TestResult(0.0, 1.0)


def wilcoxon(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Test two methods over the same problems by Wilcoxon's signed-rank test.

    Equal pairs are ignored; if all pairs are equal, p is 1.

    Parameters
    ----------
    a, b : (problems,) array
        Results of the two methods, problem by problem.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Whether to test for any difference, for greater values of a, or for smaller ones.

    Returns
    -------
    TestResult
        The sum of the ranks of the pairs with greater a (if two-sided, the smaller of the two rank sums), and
        the p-value.

    Raises
    ------
    InvalidInputError
        If a and b differ in length, have no problems, or contain a value that is not finite.

    Examples
    --------
    >>> wilcoxon([0.7, 0.8, 0.9, 0.6], [0.6, 0.6, 0.6, 0.2], alternative="greater")
    TestResult(statistic=10.0, p_value=0.0625)

    """
    differences = subtract_results(a, b, min_problems=1)
    check_name("alternative", alternative, ALTERNATIVES)
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, which would break ties between ranks
    scale = max(np.abs(a).max(), np.abs(b).max()) or 1.0
    differences = np.round(differences / scale, 12)
    if not differences.any():
        return NO_DIFFERENCE
    result = stats.wilcoxon(differences, alternative=alternative)
    return TestResult(float(result.statistic), float(result.pvalue))


def paired_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Test two methods over the same independent problems by Student's paired t test.

    If all pairs are equal, p is 1; if all differ by the same amount, t is infinite.

    Parameters
    ----------
    a, b : (problems,) array
        Results of the two methods, on at least two problems.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Whether to test for any difference, for greater values of a, or for smaller ones.

    Returns
    -------
    TestResult
        Student's t, and the p-value.

    Raises
    ------
    InvalidInputError
        If a and b differ in length, have fewer than two problems, or contain a value that is not finite.

    Examples
    --------
    >>> round(paired_t([0.7, 0.8, 0.9], [0.6, 0.6, 0.6]).p_value, 3)
    0.074

    """
    differences = subtract_results(a, b, min_problems=2)
    check_name("alternative", alternative, ALTERNATIVES)
    if not np.ptp(differences):
        return t_test_mean(differences, 1 / len(differences), alternative)
    result = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    return TestResult(float(result.statistic), float(result.pvalue))


def corrected_resampled_t(
    differences: ArrayLike, *, n_train: float, n_test: float, alternative: Alternative = "two-sided"
) -> TestResult:
    """Test runs with overlapping training sets, as in cross-validation and random splits.

    t = mean / sqrt(variance (1/k + n_test / n_train)), with k - 1 degrees of freedom for k runs.
    Nadeau and Bengio (2003). For k-fold repeated r times, pass all r k differences: Bouckaert and Frank
    (2004).

    Parameters
    ----------
    differences : array of any shape
        Difference between the two methods in each run, at least two. If all are 0, p is 1; if all are equal,
        t is infinite.
    n_train, n_test : float
        Number of training and of test documents in a run, or their shares.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Whether to test for any difference, for a mean above 0, or for a mean below 0.

    Returns
    -------
    TestResult
        t and the p-value.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, one is not finite, or a number of documents is not above 0.

    Examples
    --------
    >>> round(corrected_resampled_t([0.1, 0.2, 0.3], n_train=80, n_test=20).p_value, 3)
    0.12

    """
    runs = as_finite_floats("differences", differences).ravel()
    if len(runs) < 2:
        raise InvalidInputError(f"a t test needs at least 2 differences, got {len(runs)}")
    if not (0 < n_train < np.inf and 0 < n_test < np.inf):
        raise InvalidInputError(f"n_train and n_test must be above 0, got {n_train!r} and {n_test!r}")
    return t_test_mean(runs, 1 / len(runs) + n_test / n_train, alternative)


def t_test_mean(differences: Array, variance_factor: float, alternative: Alternative) -> TestResult:
    """Test whether the mean is 0, if its variance is `variance_factor` times that of the differences."""
    check_name("alternative", alternative, ALTERNATIVES)
    if not differences.any():
        return NO_DIFFERENCE
    # np.ptp, because the computed variance of equal numbers is not always exactly 0
    deviation = np.std(differences, ddof=1) if np.ptp(differences) else 0.0
    with np.errstate(divide="ignore"):
        t = np.divide(differences.mean(), deviation * np.sqrt(variance_factor))
    lower_tail = float(stdtr(len(differences) - 1, t))
    upper_tail = float(stdtr(len(differences) - 1, -t))
    p = {"less": lower_tail, "greater": upper_tail, "two-sided": 2 * min(lower_tail, upper_tail)}
    return TestResult(float(t), p[alternative])


def subtract_results(a: ArrayLike, b: ArrayLike, *, min_problems: int) -> Array:
    """Return the differences of two methods, problem by problem."""
    first, second = as_finite_floats("a", a), as_finite_floats("b", b)
    if first.shape != second.shape or first.ndim != 1:
        raise InvalidInputError(
            f"a and b must be lists of equal length, one value per problem; "
            f"got shapes {first.shape} and {second.shape}"
        )
    if len(first) < min_problems:
        raise InvalidInputError(f"the number of problems must be at least {min_problems}, got {len(first)}")
    return first - second


def holm(p_values: ArrayLike) -> Array:
    """Adjust p-values of several tests by Holm's method to control the family-wise error rate.

    Holm (1979): the i-th smallest of m is multiplied by m - i + 1, never falls below a smaller one, and is at
    most 1.

    Parameters
    ----------
    p_values : (tests,) array
        The p-value of each test.

    Returns
    -------
    (tests,) array
        The adjusted p-values, in the same order.

    Raises
    ------
    InvalidInputError
        If a p-value is not between 0 and 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])

    """
    p = as_finite_floats("p_values", p_values)
    if p.ndim != 1 or np.any((p < 0) | (p > 1)):
        raise InvalidInputError(f"p_values must be a list of numbers between 0 and 1, got {p.tolist()}")
    order = np.argsort(p, kind="stable")
    # m for the smallest p-value, m - 1 for the next, ...
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return adjusted
