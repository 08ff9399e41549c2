"""References of effect sizes and their intervals: formulas of A, B, C, D, as `reference` describes them."""

import math
from fractions import Fraction
from statistics import NormalDist

from scipy.stats import beta, binomtest

from reference_cells import g2


def log_ratio(a: int, b: int, c: int, d: int) -> float:
    """How many times the share inside is doubled, a zero counted as one half."""
    inside, outside = Fraction(a or Fraction(1, 2)) / (a + c), Fraction(b or Fraction(1, 2)) / (b + d)
    return math.log2(inside) - math.log2(outside)


def log_ratio_interval(a: int, b: int, c: int, d: int, level: float = 0.95) -> tuple[float, float]:
    """The quantiles of beta distributions that Clopper and Pearson take, as a ratio of the rates."""
    least, most = beta.ppf((1 - level) / 2, a, b + 1), beta.isf((1 - level) / 2, a + 1, b)
    low = math.log2(least / (1 - least)) if a else -math.inf
    high = math.log2(most / (1 - most)) if b else math.inf
    sizes = math.log2((b + d) / (a + c))
    return low + sizes, high + sizes


def lrc(*table: int, level: float = 0.95) -> float:
    """The end of the interval nearer to 0, and 0 inside it."""
    low, high = log_ratio_interval(*table, level=level)
    return 0.0 if low <= 0 <= high else min(low, high, key=abs)


def percent_diff(a: int, b: int, c: int, d: int) -> float:
    """The difference of the rates per million, in percent of the second; a zero there counts as one half."""
    inside, outside = Fraction(10**6 * a, a + c), Fraction(10**6) * (b or Fraction(1, 2)) / (b + d)
    return float(100 * (inside - outside) / outside)


def odds_ratio_interval(a: int, b: int, c: int, d: int, level: float = 0.95) -> tuple[float, float]:
    """Woolf's, of the cells with a half added."""
    cells = [cell + 0.5 for cell in (a, b, c, d)]
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(sum(1 / cell for cell in cells))
    middle = math.log(cells[0] / cells[1]) - math.log(cells[2] / cells[3])
    return middle - half, middle + half


def rate_difference(a: int, b: int, c: int, d: int) -> float:
    """Tpr - fpr."""
    return float(Fraction(a, a + c) - Fraction(b, b + d))


def rate_difference_interval(a: int, b: int, c: int, d: int, level: float = 0.95) -> tuple[float, float]:
    """Newcombe's: the ends of SciPy's two Wilson intervals, their distances added as squares."""
    (p1, one), (p2, other) = (
        (x / n, binomtest(x, n).proportion_ci(level, "wilson")) for x, n in ((a, a + c), (b, b + d))
    )
    low = math.sqrt((p1 - one.low) ** 2 + (other.high - p2) ** 2)
    high = math.sqrt((one.high - p1) ** 2 + (p2 - other.low) ** 2)
    return p1 - p2 - low, p1 - p2 + high


def bic(*table: int) -> float:
    """Dunning's statistic less the logarithm of all."""
    return g2(*table) - math.log(sum(table))


def simple_maths(a: int, b: int, c: int, d: int, n: float = 1) -> float:
    """Rates per million, n added to both."""
    return (a * 1e6 / (a + c) + n) / (b * 1e6 / (b + d) + n)
