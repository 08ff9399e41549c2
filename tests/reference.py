"""Every metric once more: plain, slow, and from the documents themselves.

Written from the formula sheet, the papers and the libraries that already hold a formula, never from
termsift's own code. A document is {term: count}, with its zeros; its labels are a set of classes.

A reference of a class is f(documents, labels, term, klass, **options); that of a term alone has no klass.
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

Documents = Sequence[Mapping[str, int]]
Labels = Sequence[Collection[Hashable]]
Reference = Callable[..., float]


def classes(labels: Labels) -> list[Hashable]:
    """The classes that occur, in order."""
    return sorted({klass for held in labels for klass in held})


def members(documents: Documents, labels: Labels, klass: Hashable) -> list[Mapping[str, int]]:
    """The documents of a class."""
    return [document for document, held in zip(documents, labels, strict=True) if klass in held]


def others(documents: Documents, labels: Labels, klass: Hashable) -> list[Mapping[str, int]]:
    """The documents outside a class."""
    return [document for document, held in zip(documents, labels, strict=True) if klass not in held]


def containing(documents: Documents, term: str) -> int:
    """How many documents hold a term."""
    return sum(document[term] > 0 for document in documents)


def occurrences(documents: Documents, term: str) -> int:
    """How often a term occurs."""
    return sum(document[term] for document in documents)


def length(documents: Documents) -> int:
    """All occurrences of all terms."""
    return sum(sum(document.values()) for document in documents)


def cells(documents: Documents, labels: Labels, term: str, klass: Hashable) -> tuple[int, int, int, int]:
    """A, B, C, D of the sheet."""
    inside, outside = members(documents, labels, klass), others(documents, labels, klass)
    a, b = containing(inside, term), containing(outside, term)
    return a, b, len(inside) - a, len(outside) - b


def says_nothing(a: int, b: int, c: int, d: int) -> bool:
    """Whether the term is in no document, or the class holds none or all of them: the score is 0."""
    return a + b == 0 or a + c == 0 or b + d == 0


def of_documents(formula: Reference) -> Reference:
    """A formula of (documents, labels, term, klass), 0 where the table says nothing."""

    def reference(
        documents: Documents, labels: Labels, term: str, klass: Hashable, **options: object
    ) -> float:
        if says_nothing(*cells(documents, labels, term, klass)):
            return 0.0
        return float(formula(documents, labels, term, klass, **options))

    return reference


def of_cells(formula: Reference) -> Reference:
    """A formula of (A, B, C, D) as one of the documents, 0 where the table says nothing."""

    def counted(documents: Documents, labels: Labels, term: str, klass: Hashable, **options: object) -> float:
        return formula(*cells(documents, labels, term, klass), **options)

    return of_documents(counted)


def summed(part: Reference) -> Reference:
    """The sum over the classes of a reference of a class."""

    def total(documents: Documents, labels: Labels, term: str) -> float:
        return math.fsum(part(documents, labels, term, klass) for klass in classes(labels))

    return total


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


def bns(*table: int, signed: bool = False) -> float:
    """Distance of the rates on the normal scale."""
    z = [NormalDist().inv_cdf(min(max(rate, 0.0005), 0.9995)) for rate in rates(*table)]
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


def cc(*table: int) -> float:
    """The signed root of Pearson's statistic."""
    return sign(*table) * math.sqrt(chi2(*table))


def g2(*table: int) -> float:
    """Dunning's log-likelihood ratio statistic."""
    return independence(*table, lambda_="log-likelihood")[0]


def expected_information(*table: float) -> float:
    """The sum over the four cells of P(t,c) log P(t,c) / (P(t) P(c)), in nats."""
    a, b, c, d = table
    tables = (a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)
    return math.fsum(cell / sum(table) * pointwise(cell, *rest) for cell, *rest in tables)


def ig(*table: int, smoothing: float = 0.0) -> float:
    """The information gain: in bits, or in nats of the smoothed table."""
    if smoothing:
        return expected_information(*(cell + smoothing for cell in table))
    return mutual_info_score(None, None, contingency=np.array(table).reshape(2, 2)) / math.log(2)


def sig(*table: int, smoothing: float = 0.5) -> float:
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
    """The class's own half of the gain: presence and absence of the term."""
    return cet(a, b, c, d) + cet(c, d, a, b)


def ig_all(documents: Documents, labels: Labels, term: str) -> float:
    """The information in nats between the term and the one class of each document."""
    held = [next(iter(held)) for held in labels]
    present = [document[term] > 0 for document in documents]
    table = [
        [
            sum(p == row and h == klass for p, h in zip(present, held, strict=True))
            for klass in classes(labels)
        ]
        for row in (True, False)
    ]
    return float(mutual_info_score(None, None, contingency=np.array(table)))


# Uchyigit and Clark.


def mean_and_variance(values: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The mean and the population variance, exact."""
    mean = Fraction(sum(values), len(values))
    return mean, Fraction(sum(value**2 for value in values), len(values)) - mean**2


def fisher(documents: Documents, labels: Labels, term: str, klass: Hashable, of: str = "presence") -> float:
    """Squared difference of the two means over the sum of the two variances."""
    groups = members(documents, labels, klass), others(documents, labels, klass)
    values = [[document[term] if of == "tf" else int(document[term] > 0) for document in g] for g in groups]
    (mu_c, s2_c), (mu_n, s2_n) = map(mean_and_variance, values)
    half = Fraction(1, 2 * len(documents))
    return (mu_c - mu_n) ** 2 / (s2_c + s2_n or half * (1 - half))


def between_within(groups: Sequence[Documents], term: str) -> float:
    """Between over within sum of squares of the counts, by the groups."""
    values = [[document[term] for document in group] for group in groups]
    n = sum(map(len, values))
    mean = Fraction(sum(map(sum, values)), n)
    between = sum(len(group) * (mean_and_variance(group)[0] - mean) ** 2 for group in values)
    within = sum(len(group) * mean_and_variance(group)[1] for group in values)
    return float(between / (within or Fraction(1, 2) * (1 - Fraction(1, 2 * n))))


def bss_wss(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """Between over within, of a class and the rest."""
    return between_within([members(documents, labels, klass), others(documents, labels, klass)], term)


def bss_wss_all(documents: Documents, labels: Labels, term: str) -> float:
    """Between over within, of all classes at once."""
    return between_within([members(documents, labels, klass) for klass in classes(labels)], term)


def gu(a: int, b: int, c: int, d: int, printed: bool = False) -> float:
    """|z| A neg / (pos B), z of the two proportions, or as printed, of the two counts."""
    pos, neg, p = a + c, b + d, (a + b) / (a + b + c + d)
    if p in (0, 1):
        return 0.0
    difference = a - b if printed else a / pos - b / neg
    z = difference / math.sqrt(p * (1 - p) * (1 / pos + 1 / neg))
    return abs(z) * a * neg / (pos * (b or 0.5))


# Tang, Kay and He (2016): algorithm 3 and section 4.4.


def estimate(documents: Documents, labels: Labels, term: str, klass: Hashable) -> Fraction:
    """p of the class: its share of the term, each term primed with one occurrence."""
    inside = members(documents, labels, klass)
    return Fraction(occurrences(inside, term) + 1, length(inside) + len(documents[0]))


def discriminated(
    documents: Documents, labels: Labels, term: str, klass: Hashable
) -> tuple[Fraction, Fraction]:
    """p of the class, and q: the p of the other classes by their sizes; q = p where there are none."""
    p = estimate(documents, labels, term, klass)
    sizes = {other: len(members(documents, labels, other)) for other in classes(labels) if other != klass}
    if not sizes:
        return p, p
    weighted = sum(estimate(documents, labels, term, other) * size for other, size in sizes.items())
    return p, weighted / sum(sizes.values())


def md(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """KL of (p, 1-p) from (q, 1-q)."""
    p, q = discriminated(documents, labels, term, klass)
    return 0.0 if p == q else p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def md_chi2(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """Eq. 38 on (p, 1-p) and (q, 1-q), without l."""
    p, q = discriminated(documents, labels, term, klass)
    return 0.0 if p == q else (p - q) ** 2 * (1 / q + 1 / (1 - q) + 1 / p + 1 / (1 - p)) / 2


# Beyond the five papers.


def dfs(a: int, b: int, c: int, d: int) -> float:
    """The class's part of the distinguishing feature selector."""
    return a / (a + b) / (c / (a + c) + b / (b + d) + 1)


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


def df(documents: Documents, labels: Labels, term: str) -> float:
    """How many documents hold the term."""
    return containing(documents, term)


def tf(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """How often the term occurs in the class."""
    return occurrences(members(documents, labels, klass), term)


def log_odds_prior(
    documents: Documents, labels: Labels, term: str, klass: Hashable, prior: float = 1.0
) -> float:
    """The z-score of the log odds ratio under an informative prior."""
    a, a0 = prior * occurrences(documents, term), prior * length(documents)
    sides = members(documents, labels, klass), others(documents, labels, klass)
    y1, y2 = (occurrences(side, term) + a for side in sides)
    rest1, rest2 = (max(length(side) + a0 - y, 0.5) for side, y in zip(sides, (y1, y2), strict=True))
    return (math.log(y1 / rest1) - math.log(y2 / rest2)) / math.sqrt(1 / y1 + 1 / y2)


def igm(documents: Documents, labels: Labels, term: str, of: str = "df") -> float:
    """The inverse gravity moment of the term's frequencies in the classes."""
    frequency = occurrences if of == "tf" else containing
    f = sorted(
        (frequency(members(documents, labels, klass), term) for klass in classes(labels)), reverse=True
    )
    moment = sum(rank * value for rank, value in enumerate(f, start=1))
    return f[0] / moment if moment else 0.0


def c_tf_idf(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """The term's share of the class, times ln(1 + mean class length / tf)."""
    lengths = {other: length(members(documents, labels, other)) for other in classes(labels)}
    share = tf(documents, labels, term, klass) / lengths[klass] if lengths[klass] else 0.0
    return share * math.log(1 + sum(lengths.values()) / len(lengths) / occurrences(documents, term))


OF_CELLS: dict[str, Reference] = {
    "acc": acc,
    "acc2": acc2,
    "bns": bns,
    "chi2": chi2,
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
    "gu": gu,
    "ndm": ndm,
    "mmr": mmr,
    "g2": g2,
    "cpd": cpd,
    "rf": rf,
    "hypergeometric": hypergeometric,
}
OF_DOCUMENTS: dict[str, Reference] = {
    "tf": tf,
    "fisher": fisher,
    "bss_wss": bss_wss,
    "log_odds_prior": log_odds_prior,
    "c_tf_idf": c_tf_idf,
}
# What per_class=True gives of a metric that sums over the classes.
PARTS: dict[str, Reference] = {
    "ig_all": of_cells(ig_member),
    "md": of_documents(md),
    "md_chi2": of_documents(md_chi2),
    "dfs": of_cells(dfs),
}
OF_TERM: dict[str, Reference] = {
    "df": df,
    "ig_all": ig_all,
    "md": summed(PARTS["md"]),
    "md_chi2": summed(PARTS["md_chi2"]),
    "dfs": summed(PARTS["dfs"]),
    "igm": igm,
}
OF_CLASS: dict[str, Reference] = {
    **{name: of_cells(formula) for name, formula in OF_CELLS.items()},
    **{name: of_documents(formula) for name, formula in OF_DOCUMENTS.items()},
}
REFERENCES: dict[str, Reference] = OF_CLASS | OF_TERM
