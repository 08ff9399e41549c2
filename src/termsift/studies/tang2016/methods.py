"""The methods: the paper's six, three of them in several readings, and the greedy ranking itself."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.discrimination import greedy_ranking
from termsift.ranking import best
from termsift.scoring import score

# method -> metric, and how the scores of the classes become one, which the paper does not say
METHODS: dict[str, tuple[str, str | None]] = {
    "df": ("df", None),
    "cet max": ("cet", "max"),
    "cet weighted": ("cet", "weighted"),
    "cet sum": ("cet", "sum"),
    "chi2 max": ("chi2", "max"),
    "chi2 weighted": ("chi2", "weighted"),
    "chi2 sum": ("chi2", "sum"),
    "gss max": ("gss", "max"),
    "gss weighted": ("gss", "weighted"),
    "md": ("md", None),
    "md_chi2": ("md_chi2", None),
}
GREEDY, ALL = "greedy", "all"
PROPOSED = ("md", "md_chi2")
# the four methods that MD is compared with; GSS of one label a document sums to 0 over the classes
READINGS = {
    "max": ("df", "cet max", "chi2 max", "gss max"),
    "weighted": ("df", "cet weighted", "chi2 weighted", "gss weighted"),
    "sum": ("df", "cet sum", "chi2 sum", "gss max"),
}
NAMES = {"df": "DF", "cet": "CET", "chi2": "chi2", "gss": "GSS", "md": "MD", "md_chi2": "MD-chi2"}


def method_name(method: str) -> str:
    """A method as the paper names it, with its reading where it has several.

    >>> method_name("cet max"), method_name("md_chi2"), method_name("greedy")
    ('CET max', 'MD-chi2', 'greedy')
    """
    metric, *reading = method.split()
    return " ".join([NAMES.get(metric, metric), *reading])


def orders(counts: Counts, k: int) -> dict[str, Array]:
    """For each method its k best terms, the best first; terms that tie go on by df, then by column."""
    places = np.arange(len(counts.terms))
    found = {
        name: best(np.asarray(score(counts, metric, reduce=reduce)), counts.term_df, places, k)
        for name, (metric, reduce) in METHODS.items()
    }
    return found | {GREEDY: greedy_ranking(counts, k)}
