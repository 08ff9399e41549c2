"""From the scores of the classes to one score per term."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.errors import unknown
from termsift.ranking import best_by_column, turns

Reduction: TypeAlias = Callable[[Array, Array], Array]


def largest(values: Array, priors: Array) -> Array:
    """The score of the class that values the term most."""
    return values.max(axis=1) if values.shape[1] else np.zeros(len(values))


def mean(values: Array, priors: Array) -> Array:
    """The mean over the classes, each alike."""
    return np.asarray(values.sum(axis=1) / max(values.shape[1], 1))


def weighted(values: Array, priors: Array) -> Array:
    """The sum over the classes, each weighted by P(c)."""
    return np.asarray((values * priors).sum(axis=1))


def total(values: Array, priors: Array) -> Array:
    """The sum over the classes."""
    return np.asarray(values.sum(axis=1))


def round_robin(values: Array, df: Array, terms: Array) -> Array:
    """A score that falls by one with each turn: the classes take turns, each its best term not taken yet.

    Forman (2004). Unlike the others it looks at all terms at once.
    """
    n = len(terms)
    order = turns(best_by_column(values, df, terms), n)
    scores = np.zeros(n)
    scores[order] = np.arange(n, 0, -1)
    return scores


REDUCTIONS: dict[str, Reduction] = {"max": largest, "mean": mean, "weighted": weighted, "sum": total}
NAMES = (*REDUCTIONS, "round_robin")


def reduction_name(name: str) -> str:
    """The name of a reduction as we write it; 'round-robin' is taken too."""
    written = name.replace("-", "_") if isinstance(name, str) else name
    if written not in NAMES:
        raise unknown("reduction", name, NAMES)
    return written
