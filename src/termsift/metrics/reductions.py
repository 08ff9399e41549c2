"""Reductions of the scores of several classes to one score per term."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from termsift._internal.errors import unknown
from termsift._internal.ranking import best_by_column, turns
from termsift._internal.typing import Array

# (terms, classes) values and (classes,) shares P(c) of the documents -> (terms,)
REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "max": lambda values, priors: values.max(axis=1) if values.shape[1] else np.zeros(len(values)),
    "mean": lambda values, priors: values.sum(axis=1) / max(values.shape[1], 1),
    "weighted": lambda values, priors: (values * priors).sum(axis=1),
    "sum": lambda values, priors: values.sum(axis=1),
}


def reduction_name(name: str) -> str:
    """The name of a reduction as we write it; 'round-robin' is taken too."""
    written = name.replace("-", "_") if isinstance(name, str) else ""
    if written not in (*REDUCTIONS, "round_robin"):
        raise unknown("reduction", name, (*REDUCTIONS, "round_robin"))
    return written


def round_robin(values: Array, df: Array, terms: Array) -> Array:
    """A score that falls by one with each turn: the classes take turns, each its best term not taken yet.

    Forman (2004). Unlike the reductions it looks at all terms at once.
    """
    n = len(terms)
    scores = np.zeros(n)
    scores[turns(best_by_column(values, df, terms), n)] = np.arange(n, 0, -1)
    return scores
