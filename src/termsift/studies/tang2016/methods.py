"""The methods: the paper's six, three of them in several readings, and the greedy ranking itself."""

from __future__ import annotations

from termsift.counts import Counts
from termsift.discrimination import greedy_ranking
from termsift.methods import method_from
from termsift.ranking import Ranking

# by their names in results; the paper does not say how the scores of the classes become one
METHODS = {
    name: method_from(name.replace(" ", ":"))
    for name in (
        "df", "cet max", "cet weighted", "cet sum", "chi2 max", "chi2 weighted", "chi2 sum",
        "gss max", "gss weighted", "md", "md_chi2",
    )
}  # fmt: skip
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


def method_rankings(counts: Counts, k: int) -> dict[str, Ranking]:
    """The k best terms by each method."""
    found = {name: method.ranking(counts, k) for name, method in METHODS.items()}
    return found | {GREEDY: Ranking((greedy_ranking(counts, k),))}
