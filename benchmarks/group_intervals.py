"""How often intervals hold the truth, and what those over groups cost, on corpora that are drawn.

A term is in a document of a group with a chance that differs from group to group (a beta distribution about
the rate of the class), so that documents of a group are alike. The truth is the score of the rates.
Effect sizes have intervals of documents that are no more alike within a group than others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import termsift as ts
from metrics import alternating, row, save
from termsift.counts.contingency import Cells

DRAWS, TERMS, SIZE = 500, 10, 30
ALIKE = 0.05  # the correlation of documents of a group, within a class
METRICS = ("bns", "or", "acc2", "gss", "ig")
EFFECTS = ("odds_ratio", "rate_difference", "log_ratio")
RESULTS = Path(__file__).parent / "results" / "group_intervals.csv"


def main() -> None:
    rows = [*coverage(10), *coverage(20), *coverage(60), *effect_coverage(), *cost()]
    for each in rows:
        print(f"{each['what']:<88} {each['value']:>10}  {each['target']}")
    save(rows, RESULTS)


def coverage(groups: int) -> Iterator[dict[str, str]]:
    """Yield the share of intervals that contain the true value, over all draws and terms.

    Scores of cells are each of one term, so the terms of all draws stand side by side in one corpus.
    """
    drawn_rates = np.tile(term_rates(), DRAWS)
    X, y, numbers = drawn(np.random.default_rng(0), drawn_rates, groups)
    grouped = ts.count(csr_array(X), y, groups=numbers)
    for name in METRICS:
        found, truth = ts.jackknife(grouped, name), signed_truth(drawn_rates, name)
        # the first class is that of the first rates
        held = (found.low[:, 0] <= truth) & (truth <= found.high[:, 0])
        what = f"{groups} groups of {SIZE}, {DRAWS} draws of {TERMS} terms: {name} within its interval"
        yield row(what, f"{held.mean():.1%}", "93 to 97 %")


def effect_coverage() -> Iterator[dict[str, str]]:
    """Yield that share for intervals of effect sizes, each document drawn by itself."""
    drawn_rates = np.tile(term_rates(), DRAWS)
    y = np.arange(20 * SIZE) % 2
    X = np.random.default_rng(0).random((len(y), drawn_rates.shape[1])) < drawn_rates[y]
    scores = ts.score(ts.count(csr_array(X.astype(int)), y), "chi2").of_class(0)
    inside, outside = drawn_rates
    odds = inside * (1 - outside) / (outside * (1 - inside))
    truths = {"odds_ratio": np.log(odds), "rate_difference": inside - outside}
    truths["log_ratio"] = np.log2(inside / outside)
    for effect in EFFECTS:
        found, truth = scores.table(effect=effect, of="df"), truths[effect]
        held = (found["low"] <= truth) & (truth <= found["high"])
        what = f"{len(y)} documents, {DRAWS} draws of {TERMS} terms: {effect} within its interval"
        yield row(what, f"{held.mean():.1%}", "at least 95 %" if effect == "log_ratio" else "93 to 97 %")


def term_rates() -> np.ndarray:
    """(2, terms) the shares of documents that hold a term, in the class and outside."""
    return np.stack([np.linspace(0.08, 0.5, TERMS), np.linspace(0.3, 0.2, TERMS)])


def drawn(rng: np.random.Generator, rates: np.ndarray, groups: int) -> tuple[np.ndarray, ...]:
    """Documents, their classes and their groups."""
    spread, terms = 1 / ALIKE - 1, rates.shape[1]
    own = rng.beta(rates[:, None] * spread, (1 - rates[:, None]) * spread, (2, groups, terms))
    y = np.arange(groups * SIZE) % 2
    numbers = np.repeat(np.arange(groups), SIZE)
    return (rng.random((len(y), terms)) < own[y, numbers]).astype(int), y, numbers


def signed_truth(rates: np.ndarray, name: str) -> np.ndarray:
    """Return the score of the rates, as if there were infinitely many documents."""
    n = 1e12
    inside, outside = rates * n
    cells = Cells(inside, outside, n - inside, n - outside)
    line = ts.metrics()[name]
    return line.function(cells) if line.sided == 1 else np.sign(cells.lean) * line.function(cells)


def cost() -> Iterator[dict[str, str]]:
    """All intervals of one metric of 20 Newsgroups in 100 groups, against its scores."""
    import newsgroups

    X, words, y = newsgroups.matrix()
    grouped = ts.count(X, y, terms=words, groups=np.arange(X.shape[0]) % 100)
    jobs = {
        "score": lambda: ts.score(grouped.counts, "bns"),
        "jackknife": lambda: ts.jackknife(grouped, "bns"),
    }
    best = alternating(jobs, rounds=3)
    yield row(
        "20 Newsgroups, 100 groups: intervals of bns / 100 scores",
        f"{best['jackknife'] / best['score'] / 100:.2f}",
    )
    yield row("20 Newsgroups, 100 groups: intervals of bns", f"{best['jackknife']:.1f} s")


if __name__ == "__main__":
    main()
