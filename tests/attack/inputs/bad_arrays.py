"""Whatever takes a matrix gets one that no program should make."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_counts import check_structure
from bad_labels import a_weight, bad_labels, good_labels
from bad_matrices import a_matrix, finite_scores
from trying import check

import termsift as ts


def rows_of(X: Any) -> int:
    """How many documents there seem to be."""
    return X.shape[0] if getattr(X, "shape", ()) else len(X)


def a_count(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.count with matrices."""
    X = a_matrix(rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["sample_weight"] = a_weight(rng, rows_of(X))
    if rng.random() < 0.2:
        options["terms"] = rng.choice(
            [
                ["a"],
                [None] * 4,
                "abcd",
                [1, 2, 3, 4],
                ["a", "a", "b", "c"],
                np.array([b"a"] * 4),
                ["\ud800", "\0", "", "a"],
            ]
        )
    counts = ts.count(X, good_labels(rng, rows_of(X)), **options)
    check_structure(counts)
    finite_scores(rng, counts)


def estimators(rng: random.Random) -> Any:
    """An estimator of ours."""
    made = [
        lambda: ts.TermSelector("chi2", k=2), lambda: ts.TermSelector("bns", policy="Percentile(50)"),
        lambda: ts.TermWeighter("chi2"),
        lambda: ts.PositiveNegativeSelector(k=2), lambda: ts.ClassWeightExtractor(),
        lambda: ts.WordClusterExtractor(n_clusters=2),
        lambda: ts.GreedyDiscriminationSelector(k=2),
    ]  # fmt: skip
    return rng.choice(made)()


def an_estimator(rng: random.Random, folder: Path) -> None:
    """The attempt at estimators: fitted to one matrix, they transform another."""
    X = a_matrix(rng)
    y = good_labels(rng, rows_of(X)) if rng.random() < 0.8 else bad_labels(rng, rows_of(X))
    if rng.random() < 0.15:
        ts.ScoreFunction(rng.choice(["chi2", "bns", "ig"]))(X, y)
        return
    fitted = estimators(rng)
    if hasattr(fitted, "partial_fit") and rng.random() < 0.2:
        fitted.partial_fit(X, y)
    else:
        fitted.fit(X, y)
    found = fitted.transform(X if rng.random() < 0.5 else a_matrix(rng))
    values = found.tocoo().data if sp.issparse(found) else np.asarray(found)
    check(np.isfinite(np.asarray(values, dtype=float)).all(), "a feature that is not finite")
