"""References of the 2x2 table: formulas of A, B, C, D, as `reference` describes them."""

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from scipy.stats import chi2_contingency, entropy, power_divergence
from sklearn.metrics import mutual_info_score

import reference_strata

# Forman (2003), table 1.


def inverted(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """The table of a negative term read as that of its absence."""
    return (c, d, a, b) if a * d - b * c < 0 else (a, b, c, d)


def rates(a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """Tpr and fpr."""
    return a / (a + c), b / (b + d)


def acc(*table: int) -> float:
    """Tp - fp, inverted."""
    tp, fp, _, _ = inverted(*table)
    return tp - fp


def acc2(*table: int, signed: bool = False) -> float:
    """Tpr - fpr, or its size."""
    tpr, fpr = rates(*table)
    return tpr - fpr if signed else abs(tpr - fpr)


def bns(*table: int, signed: bool = False, zero: str = "clip") -> float:
    """Distance of the rates on the normal scale."""
    own = [
        min(max(rate, 0.0005), 0.9995) if zero == "clip" or rate in (0, 1) else rate for rate in rates(*table)
    ]
    z = [NormalDist().inv_cdf(rate) for rate in own]
    return z[0] - z[1] if signed else abs(z[0] - z[1])


def f1(*table: int) -> float:
    """Harmonic mean of precision and recall, inverted."""
    tp, fp, fn, _ = inverted(*table)
    recall, precision = tp / (tp + fn), tp / (tp + fp) if tp + fp else 0
    return 2 * recall * precision / (recall + precision) if tp else 0


def oddn(*table: int) -> float:
    """The numerator of the odds ratio, inverted."""
    tpr, fpr = rates(*inverted(*table))
    return tpr * (1 - fpr)


def odds(*table: int) -> float:
    """The odds ratio, inverted, a zero below the line counted as one."""
    tp, fp, fn, tn = inverted(*table)
    return tp * tn / ((fp or 1) * (fn or 1))


def power(*table: int, k: float = 5) -> float:
    """(1-fpr)^k - (1-tpr)^k, inverted."""
    tpr, fpr = rates(*inverted(*table))
    return (1 - fpr) ** k - (1 - tpr) ** k


def pr(*table: int) -> float:
    """Tpr / fpr, inverted."""
    tpr, fpr = rates(*inverted(*table))
    return tpr / (fpr or 1e-8)


# Tests of independence, and information.


def sign(a: int, b: int, c: int, d: int) -> int:
    """Whether the term speaks for the class (1), against it (-1), or neither."""
    return (a * d > b * c) - (a * d < b * c)


def independence(a: int, b: int, c: int, d: int, lambda_: str = "pearson") -> tuple[float, float]:
    """SciPy's statistic and p-value of a 2x2 table; 0 and 1 where every document holds the term."""
    if c + d == 0:
        return 0.0, 1.0
    test = chi2_contingency([[a, b], [c, d]], correction=False, lambda_=lambda_)
    return test.statistic, test.pvalue


def chi2(*table: int) -> float:
    """Pearson's statistic."""
    return independence(*table)[0]


def chi2_joint(a: int, b: int, c: int, d: int) -> float:
    """Eq. 9 of Tang, Kay and He (2016) by its probabilities, exact; 0 for an empty cell."""
    n = a + b + c + d
    p = [Fraction(cell, n) for cell in (a, b, c, d)]
    return float((p[0] * p[3] - p[1] * p[2]) ** 2 / math.prod(p)) if all(p) else 0.0


def chi2_member(a: int, b: int, c: int, d: int) -> float:
    """The two cells of the class in the table of all classes: (observed - expected)^2 / expected."""
    n = a + b + c + d
    rows = (a, Fraction((a + b) * (a + c), n)), (c, Fraction((c + d) * (a + c), n))
    return float(sum((seen - expected) ** 2 / expected for seen, expected in rows if expected))


def cc(*table: int) -> float:
    """The signed root of Pearson's statistic."""
    return sign(*table) * math.sqrt(chi2(*table))


def g2(*table: int, cells: int = 4) -> float:
    """Dunning's log-likelihood ratio statistic, or Rayson and Garside's of the two cells of the term."""
    if cells == 2:
        # SciPy's goodness of fit of the two frequencies to the sizes of the two corpora
        a, b, c, d = table
        expected = [(a + b) * (a + c) / sum(table), (a + b) * (b + d) / sum(table)]
        return float(power_divergence([a, b], expected, lambda_="log-likelihood").statistic)
    return independence(*table, lambda_="log-likelihood")[0]


def expected_information(*table: float) -> float:
    """The sum over the four cells of P(t,c) log P(t,c) / (P(t) P(c)), in nats."""
    a, b, c, d = table
    tables = (a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)
    return math.fsum(cell / sum(table) * pointwise(cell, *rest) for cell, *rest in tables)


def estimated_information(a: int, b: int, c: int, d: int) -> float:
    """The same sum of probabilities estimated each apart, n documents of N as (n + 1/2) / (N + 1)."""
    estimate = {n: Fraction(2 * n + 1, 2 * (a + b + c + d + 1)) for n in range(a + b + c + d + 1)}
    cells = (a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c), (d, c + d, b + d)
    return math.fsum(
        estimate[n] * math.log(estimate[n] / (estimate[row] * estimate[column])) for n, row, column in cells
    )


def ig(*table: int, smoothing: float | str = 0.0) -> float:
    """The information gain: in bits, or in nats of the smoothed table."""
    if smoothing == "ele":
        return estimated_information(*table)
    if smoothing:
        return expected_information(*(cell + smoothing for cell in table))
    return mutual_info_score(None, None, contingency=np.array(table).reshape(2, 2)) / math.log(2)


def sig(*table: int, smoothing: float | str = 0.5) -> float:
    """The information gain of the smoothed table, signed."""
    return sign(*table) * ig(*table, smoothing=smoothing)


def odds_ratio(a: int, b: int, c: int, d: int, smoothing: float = 0.5) -> float:
    """The log of the odds ratio, of P(t | c) = (A + s) / (pos + 2s)."""
    inside = (a + smoothing) / (a + c + 2 * smoothing)
    outside = (b + smoothing) / (b + d + 2 * smoothing)
    return math.log(inside * (1 - outside) / ((1 - inside) * outside))


def ors(*table: int, smoothing: float = 0.5) -> float:
    """The square of the log odds ratio."""
    return odds_ratio(*table, smoothing=smoothing) ** 2


def gss(a: int, b: int, c: int, d: int) -> float:
    """P(t,c) P(not t,not c) - P(t,not c) P(not t,c)."""
    n = a + b + c + d
    return float(Fraction(a, n) * Fraction(d, n) - Fraction(b, n) * Fraction(c, n))


def pointwise(a: float, b: float, c: float, d: float) -> float:
    """Log P(t,c) / (P(t) P(c))."""
    n = a + b + c + d
    return math.log((a / n) / ((a + b) / n * (a + c) / n))


def mi(a: int, b: int, c: int, d: int, smoothing: float = 0.5) -> float:
    """The pointwise information, of the smoothed table and never positive where A = 0."""
    if a:
        return pointwise(a, b, c, d)
    return min(0.0, pointwise(smoothing, b + smoothing, c + smoothing, d + smoothing))


def cet(a: int, b: int, c: int, d: int) -> float:
    """P(t,c) times the pointwise information."""
    return a / (a + b + c + d) * pointwise(a, b, c, d) if a else 0.0


def ig_member(a: int, b: int, c: int, d: int) -> float:
    """The class's own half of the gain in bits: presence and absence of the term."""
    return (cet(a, b, c, d) + cet(c, d, a, b)) / math.log(2)


def gain_ratio(*table: int) -> float:
    """The gain over the entropy of the term, both by SciPy and scikit-learn."""
    present = table[0] + table[1], table[2] + table[3]
    return ig(*table) / float(entropy(present, base=2)) if all(present) else 0.0


# Uchyigit and Clark.


def gu(a: int, b: int, c: int, d: int, printed: bool = False) -> float:
    """|z| A neg / (pos B), z of the two proportions, or as printed, of the two counts."""
    pos, neg, p = a + c, b + d, (a + b) / (a + b + c + d)
    if p in (0, 1):
        return 0.0
    difference = a - b if printed else a / pos - b / neg
    z = difference / math.sqrt(p * (1 - p) * (1 / pos + 1 / neg))
    return abs(z) * a * neg / (pos * (b or 0.5))


# Beyond the five papers.


def dfs(a: int, b: int, c: int, d: int) -> float:
    """The class's part of the distinguishing feature selector."""
    return a / (a + b) / (c / (a + c) + b / (b + d) + 1)


def gini(a: int, b: int, c: int, d: int) -> float:
    """P(t|c)^2 P(c|t)^2, exact."""
    return float(Fraction(a, a + c) ** 2 * Fraction(a, a + b) ** 2)


def ndm(a: int, b: int, c: int, d: int) -> float:
    """Difference of the rates over the smaller, a zero there counted as half a document."""
    tpr, fpr = rates(a, b, c, d)
    least = 0.5 / (a + c) if a == 0 else 0.5 / (b + d) if b == 0 else min(tpr, fpr)
    return abs(tpr - fpr) / least


def mmr(*table: int) -> float:
    """The larger rate times ndm."""
    return max(rates(*table)) * ndm(*table)


def cpd(a: int, b: int, c: int, d: int) -> float:
    """(A-B)/(A+B), as printed."""
    return (a - b) / (a + b)


def rf(a: int, b: int, c: int, d: int) -> float:
    """Relevance frequency."""
    return math.log2(2 + a / max(1, b))


def upper_tail(a: int, b: int, c: int, d: int) -> Fraction:
    """P(X >= A) of drawing A+B documents, exact."""
    n, pos, drawn = a + b + c + d, a + c, a + b
    ways = sum(math.comb(pos, k) * math.comb(n - pos, drawn - k) for k in range(a, min(pos, drawn) + 1))
    return Fraction(ways, math.comb(n, drawn))


def hypergeometric(*table: int) -> float:
    """-log10 of the upper tail."""
    p = upper_tail(*table)
    if p > 0.5:
        return -math.log1p(-float(1 - p)) / math.log(10)
    return math.log10(p.denominator) - math.log10(p.numerator)


OF_CELLS: dict[str, Callable[..., float]] = {
    "acc": acc,
    "acc2": acc2,
    "bns": bns,
    "chi2": chi2,
    "chi2_joint": chi2_joint,
    "f1": f1,
    "ig": ig,
    "oddn": oddn,
    "odds": odds,
    "pow": power,
    "pr": pr,
    "sig": sig,
    "cc": cc,
    "or": odds_ratio,
    "ors": ors,
    "gss": gss,
    "mi": mi,
    "cet": cet,
    "ig_member": ig_member,
    "gain_ratio": gain_ratio,
    "gu": gu,
    "ndm": ndm,
    "mmr": mmr,
    "g2": g2,
    "cpd": cpd,
    "rf": rf,
    "hypergeometric": hypergeometric,
    "cmh": lambda *table: reference_strata.cmh(table),
    "mh_odds": lambda *table: reference_strata.mh_odds(table),
}
