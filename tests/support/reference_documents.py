"""Plain counting of documents, and the references that need more of them than the 2x2 table."""

import functools
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import bernoulli, chi2_contingency, poisson
from sklearn.metrics import mutual_info_score

Documents = Sequence[Mapping[str, int]]
Labels = Sequence[Collection[Hashable]]


class Fixed(list):
    """Documents or labels that stay as they are: what is counted of them is counted once."""

    __hash__ = object.__hash__


def counted_once(count: Callable[..., Any]) -> Callable[..., Any]:
    """A count whose answers are kept where its documents are fixed."""
    kept = functools.lru_cache(maxsize=4096)(count)

    @functools.wraps(count)
    def counted(documents: Documents, *of: Any) -> Any:
        return (kept if isinstance(documents, Fixed) else count)(documents, *of)

    return counted


def classes(labels: Labels) -> list[Hashable]:
    """The classes that occur, in order."""
    return sorted({klass for held in labels for klass in held})


@counted_once
def members(documents: Documents, labels: Labels, klass: Hashable) -> list[Mapping[str, int]]:
    """The documents of a class."""
    return Fixed(document for document, held in zip(documents, labels, strict=True) if klass in held)


@counted_once
def others(documents: Documents, labels: Labels, klass: Hashable) -> list[Mapping[str, int]]:
    """The documents outside a class."""
    return Fixed(document for document, held in zip(documents, labels, strict=True) if klass not in held)


@counted_once
def containing(documents: Documents, term: str) -> int:
    """How many documents hold a term."""
    return sum(document[term] > 0 for document in documents)


@counted_once
def occurrences(documents: Documents, term: str) -> int:
    """How often a term occurs."""
    return sum(document[term] for document in documents)


@counted_once
def length(documents: Documents) -> int:
    """All occurrences of all terms."""
    return sum(sum(document.values()) for document in documents)


def presence_by_class(documents: Documents, labels: Labels, term: str) -> np.ndarray:
    """(2, classes): the documents of each class with the term and without, one class a document."""
    groups = [members(documents, labels, klass) for klass in classes(labels)]
    return np.array([[containing(group, term), len(group) - containing(group, term)] for group in groups]).T


def ig_all(documents: Documents, labels: Labels, term: str) -> float:
    """The information in bits between the term and the one class of each document."""
    table = presence_by_class(documents, labels, term)
    return float(mutual_info_score(None, None, contingency=table)) / math.log(2)


def chi2_all(documents: Documents, labels: Labels, term: str) -> float:
    """SciPy's Pearson statistic of the table of all classes; 0 where all documents hold the term, or none."""
    table = presence_by_class(documents, labels, term)
    return float(chi2_contingency(table, correction=False).statistic) if table.any(axis=1).all() else 0.0


# Uchyigit and Clark.


def mean_and_variance(values: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The mean and the population variance, exact."""
    mean = Fraction(sum(values), len(values))
    return mean, Fraction(sum(value**2 for value in values), len(values)) - mean**2


def fisher_score(
    documents: Documents, labels: Labels, term: str, klass: Hashable, of: str = "presence"
) -> float:
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


# Tang, Kay and He (2016): algorithm 3 and section 4.4.


def estimate(
    documents: Documents, labels: Labels, term: str, klass: Hashable, model: str = "multinomial"
) -> Fraction:
    """What naive Bayes knows of the term in the class.

    Its share of the text, each term primed with one occurrence; its share of the documents, or its
    occurrences in one, primed with two documents, one of which has it once.
    """
    inside = members(documents, labels, klass)
    if model == "multinomial":
        return Fraction(occurrences(inside, term) + 1, length(inside) + len(documents[0]))
    seen = containing(inside, term) if model == "bernoulli" else occurrences(inside, term)
    return Fraction(seen + 1, len(inside) + 2)


def discriminated(
    documents: Documents, labels: Labels, term: str, klass: Hashable, model: str = "multinomial"
) -> tuple[Fraction, Fraction]:
    """p of the class, and q: the p of the other classes by their sizes; q = p where there are none."""
    p = estimate(documents, labels, term, klass, model)
    sizes = {other: len(members(documents, labels, other)) for other in classes(labels) if other != klass}
    if not sizes:
        return p, p
    weighted = sum(estimate(documents, labels, term, other, model) * size for other, size in sizes.items())
    return p, weighted / sum(sizes.values())


def outcomes(model: str, p: Fraction, q: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """How likely each outcome of one trial is under p and under q, by SciPy.

    A trial is a word (this one or another), a document (has it or not), or the number of them in a document.
    """
    law = poisson if model == "poisson" else bernoulli
    reach = np.arange(2 if law is bernoulli else 60 + 3 * int(max(p, q)))
    return law.pmf(reach, float(p)), law.pmf(reach, float(q))


def md(documents: Documents, labels: Labels, term: str, klass: Hashable, model: str = "multinomial") -> float:
    """KL of the outcomes under p from those under q: the sum of its definition."""
    p, q = discriminated(documents, labels, term, klass, model)
    if model == "multinomial":
        return 0.0 if p == q else p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    under_p, under_q = outcomes(model, p, q)
    return math.fsum(a * math.log(a / b) for a, b in zip(under_p, under_q, strict=True) if a > 0)


def md_chi2(
    documents: Documents, labels: Labels, term: str, klass: Hashable, model: str = "multinomial"
) -> float:
    """Eq. 38 on (p, 1-p) and (q, 1-q), without l; a Poisson distribution has p alone."""
    p, q = discriminated(documents, labels, term, klass, model)
    if p == q:
        return 0.0
    values = [(p, q)] if model == "poisson" else [(p, q), (1 - p, 1 - q)]
    return float(sum((a - b) ** 2 / a + (a - b) ** 2 / b for a, b in values) / 2)


# Beyond the five papers.


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


def welch_t(documents: Documents, labels: Labels, term: str, klass: Hashable) -> float:
    """The definition by exact fractions; without spread, that of half a document in N."""
    groups = members(documents, labels, klass), others(documents, labels, klass)
    values = [[document[term] for document in group] for group in groups]
    means = [Fraction(sum(x), len(x)) for x in values]
    if means[0] == means[1]:
        return 0.0
    parts = [
        sum((x - mean) ** 2 for x in group) / (max(len(group) - 1, 1) * len(group))
        for group, mean in zip(values, means, strict=True)
    ]
    half = Fraction(1, 2 * len(documents))
    spread = sum(parts) or half * (1 - half) * sum(Fraction(1, len(group)) for group in values)
    return float(means[0] - means[1]) / math.sqrt(spread)


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


OF_DOCUMENTS: dict[str, Callable[..., float]] = {
    "tf": tf,
    "fisher_score": fisher_score,
    "welch_t": welch_t,
    "bss_wss": bss_wss,
    "log_odds_prior": log_odds_prior,
    "c_tf_idf": c_tf_idf,
}
