"""Statements of the paper on its statistics, tried on known distributions.

The paper's synthetic sets are in a supplement that is not part of the text, so these differ: documents drawn
from multinomial naive Bayes, and texts of growing length drawn from two classes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.special import rel_entr
from scipy.stats import chi2

from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_labels
from termsift.engines import Documents, count
from termsift.evaluation import Fold
from termsift.metrics import bernoulli_kl
from termsift_studies.study import Row, build_tables
from termsift_studies.tang2016.trials import INTERPRETATIONS, MAIN, METHODS, PROPOSED, measure_rows

SEED = 0
COLUMNS = ("part", "quantity", "at", "paper", "ours")
TERMS, DRAWS, NEARNESS = 20, 20_000, 5.0
LENGTHS = (100, 1000, 10_000, 100_000)
WORDS, BEST = 2000, 100
OCCURRENCES = (10_000, 100_000, 1_000_000, 10_000_000)
PAIRS, PAIR_TERMS = 10_000, 50
CLASSES, LENGTH, SIZES = 4, 60, np.array([10, 50, 200, 1000])
TRAINING, JUDGED = (20, 100, 500), 500


def statistic_rows(length: int) -> list[Row]:
    """Return 2D of texts of this length drawn from H2, from an H1 nearby and from a distant H1: section 4.4.

    Nearby means that the noncentrality is independent of the length; distant, that H1 is.
    """
    laws, rng = np.random.default_rng(SEED), np.random.default_rng([SEED, length])
    reference, far = laws.dirichlet(np.full(TERMS, 5.0), 2)
    # the step shrinks with the length, so that the noncentrality stays constant
    near = reference + sideways(laws, reference, length)
    free = TERMS - 1
    under_null, apart, farther = (
        statistics(rng, distribution, reference, length) for distribution in (reference, near, far)
    )
    estimated = noncentrality(rng.multinomial(length, near, DRAWS) / length, reference, length)
    beyond = np.mean(under_null > chi2.isf(0.05, free))
    rows = {
        "share of 2D beyond the 5 % point of chi-squared, under H2": (0.05, beyond),
        "mean of 2D, H1 near": (free + NEARNESS, apart.mean()),
        "variance of 2D, H1 near": (2 * free + 4 * NEARNESS, apart.var()),
        "mean of eq. 37 of estimates, H1 near": (NEARNESS, estimated.mean()),
        "mean of 2D over that by eq. 37, H1 far": (
            1.0,
            farther.mean() / (free + noncentrality(far, reference, length)),
        ),
    }
    return [row("statistic", quantity, length, *pair) for quantity, pair in rows.items()]


def sideways(rng: np.random.Generator, p: Array, length: int) -> Array:
    """Return a step to a distribution with the required noncentrality for texts of this length."""
    step = rng.uniform(-1, 1, len(p)) * p
    # the probabilities must still sum to one
    step -= p * step.sum()
    return step * np.sqrt(NEARNESS / noncentrality(p + step, p, length))


def noncentrality(p: Array, q: Array, length: int) -> Array:
    """Return the noncentrality of eq. 37."""
    return np.asarray(length * ((p - q) ** 2 / q).sum(axis=-1))


def statistics(rng: np.random.Generator, drawn_from: Array, reference: Array, length: int) -> Array:
    """Return 2D, eq. 36 summed over the terms of a text, (draws,)."""
    observed = rng.multinomial(length, drawn_from, DRAWS) / length
    return np.asarray(2 * length * rel_entr(observed, reference).sum(axis=1))


def likeness_rows(occurrences: int) -> list[Row]:
    """Return the share of best terms common to MD and MD-chi2 by length of the texts: section 4.4."""
    laws, rng = np.random.default_rng(SEED), np.random.default_rng([SEED, occurrences])
    p = laws.dirichlet(np.full(WORDS, 0.5))
    rival_laws = {"far": laws.dirichlet(np.full(WORDS, 0.5)), "near": p * np.exp(laws.normal(0, 0.1, WORDS))}
    texts = {
        how: np.stack([rng.multinomial(occurrences, distribution) for distribution in (p, q / q.sum())])
        for how, q in rival_laws.items()
    }
    return [
        row(
            "likeness", f"shared by the best {BEST}, classes {how}", occurrences, 1.0, share_best(text_counts)
        )
        for how, text_counts in texts.items()
    ]


def share_best(texts: Array) -> float:
    """Return the share of best terms common to MD and MD-chi2 for two classes of one text each."""
    counts = count(texts, [0, 1])
    md, md_chi2 = (METHODS[method].ranking(counts, BEST).terms_at_size(BEST) for method in PROPOSED)
    return len(np.intersect1d(md, md_chi2)) / BEST


def first_rows() -> list[Row]:
    """Return how often the best term by J meets the paper's condition to be first: eq. 33 and 34."""
    rng = np.random.default_rng(SEED)
    p, q = rng.dirichlet(np.ones(PAIR_TERMS), (2, PAIRS))
    one_way = bernoulli_kl(p, q)
    best = np.argsort(-(one_way + bernoulli_kl(q, p)), axis=1)[:, :2]
    first, second = np.take_along_axis(one_way, best, axis=1).T
    share = np.mean(first >= second)
    return [row("first", "share of pairs of classes for which eq. 34 holds", PAIRS, 1.0, share)]


def selection_rows(training: int) -> list[Row]:
    """Return the accuracy of the six methods on documents drawn from naive Bayes itself."""
    fold = draw_fold(training)
    return [
        row("selection", f"{method}, {measured['size']} terms", training, "", measured["accuracy"])
        for method in (*INTERPRETATIONS[MAIN], *PROPOSED)
        for measured in measure_rows(
            "NB", fold, METHODS[method].ranking(fold.train.counts, int(SIZES[-1])), SIZES
        )
    ]


def draw_fold(training: int) -> Fold:
    """Draw training documents and 500 test documents per class; each class prefers one term in twenty."""
    laws, rng = np.random.default_rng(SEED), np.random.default_rng([SEED, training])
    # Zipf-like frequencies, three times as high for the terms a class prefers
    base = np.where(laws.random((CLASSES, WORDS)) < 0.05, 3.0, 1.0) / (np.arange(WORDS) + 10)
    index = np.tile(np.arange(training + JUDGED), CLASSES)
    labels = np.repeat(np.arange(CLASSES), training + JUDGED)
    rows = csr_array(rng.multinomial(LENGTH, (base / base.sum(axis=1, keepdims=True))[labels]))
    documents = Documents(rows, as_labels(labels), as_term_array(f"{i:06}" for i in range(WORDS)))
    return Fold.from_indices(documents, np.flatnonzero(index < training), np.flatnonzero(index >= training))


def row(table: str, quantity: str, level: int, paper: float | str, ours: float) -> Row:
    """Return a row of results."""
    return {"part": table, "quantity": quantity, "at": level, "paper": paper, "ours": round(float(ours), 4)}


def synthetic_tables(rows: list[Row]) -> dict[str, Table]:
    """Build a table for each experiment: a row per quantity, a column per length or number of documents."""
    names = dict.fromkeys(row["part"] for row in rows)
    return build_tables(
        {name: tabulate_quantities([row for row in rows if row["part"] == name]) for name in names}
    )


def tabulate_quantities(rows: list[Row]) -> Iterator[Row]:
    """Tabulate the paper's value and ours at each level."""
    for quantity in dict.fromkeys(row["quantity"] for row in rows):
        quantity_rows = [row for row in rows if row["quantity"] == quantity]
        yield {"quantity": quantity, "paper": quantity_rows[0]["paper"]} | {
            str(row["at"]): row["ours"] for row in quantity_rows
        }
