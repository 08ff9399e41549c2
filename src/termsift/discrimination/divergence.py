"""The JMH divergence of chosen terms: how far apart they hold the classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.discrimination.distributions import Distributions
from termsift.errors import InvalidInput, listed, unknown


def jmh_divergence(counts: Counts, terms: Iterable[Any]) -> float:
    """The Jeffreys-Multi-Hypothesis divergence of some terms, all others pooled into one.

    Sum over the classes of the Kullback-Leibler divergence of the class's distribution from the mixture of
    the other classes, by their sizes; of two classes it is the J divergence.
    Tang, Kay and He (2016), eq. 21, 22 and 26.

    Parameters
    ----------
    counts : Counts
    terms : the terms, by name or by index, in any order

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> round(jmh_divergence(counts, ["lunch", "prize"]), 4)
    0.3733

    """
    return float(divergences(counts, terms)[-1:].sum())


def divergences(counts: Counts, ranking: Iterable[Any]) -> Array:
    """The JMH divergence of each beginning of a ranking: of its first term, its first two, ...

    It never falls, for any ranking: theorem 1 of Tang, Kay and He (2016).

    Parameters
    ----------
    counts : Counts
    ranking : terms, by name or by index, best first

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> divergences(counts, ["lunch", "prize", "free"]).round(4)
    array([0.2289, 0.3733, 0.431 ])

    """
    gains, _ = gains_and_pool(Distributions.of(counts), indices(counts, ranking))
    return gains.cumsum()


def gains_and_pool(distributions: Distributions, ranking: Array) -> tuple[Array, Array]:
    """What each term of a ranking adds to the divergence, and the occurrences of all others, by class."""
    from termsift.discrimination._greedy_kernel import gains_along

    gains, pool = gains_along(distributions.occurrences, ranking, distributions.classes)
    return gains, pool


def term_gains(distributions: Distributions, ranking: Array) -> Array:
    """What each term adds: one of the ranking in its turn, any other if it came next."""
    from termsift.discrimination._greedy_kernel import gains_next

    gains, pool = gains_and_pool(distributions, ranking)
    scores = np.empty(len(distributions.occurrences))
    scores[ranking] = gains
    rest = np.delete(np.arange(len(scores)), ranking)
    scores[rest] = gains_next(distributions.occurrences, rest, pool, distributions.classes)
    return scores


def indices(counts: Counts, terms: Iterable[Any]) -> Array:
    """The rows of terms that are given by name or by index, each once."""
    given = list(terms)
    if any(isinstance(term, str) for term in given):
        places = {term: i for i, term in enumerate(counts.terms)}
        for term in given:
            if term not in places:
                raise unknown("term", term, places)
        rows = np.array([places[term] for term in given], dtype=np.intp)
    else:
        rows = checked_rows(given, len(counts.terms))
    if len(set(rows.tolist())) < len(rows):
        again = [i for i, n in zip(*np.unique(rows, return_counts=True), strict=True) if n > 1]
        raise InvalidInput(f"terms repeat: {listed(counts.terms[again])}")
    return rows


def checked_rows(given: list[Any], n: int) -> Array:
    """Indices of n terms."""
    rows = np.asarray(given if given else np.zeros(0, dtype=np.intp))
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise InvalidInput(f"terms must be given by name or by index, got {listed(given)}")
    outside = rows[(rows < 0) | (rows >= n)]
    if outside.size:
        raise InvalidInput(f"there is no term {outside[0]}: indices of {n} terms go from 0 to {n - 1}")
    return rows.astype(np.intp)
