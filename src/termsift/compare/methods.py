"""Methods: ways to rank terms, named as they are written: a metric, and how it serves several classes.

bns            each term by the class that values it most
bns:mean       by the mean over the classes; likewise bns:weighted and bns:sum
bns:turns      the classes take turns, each takes its best term not taken yet (Forman 2004)
bns:local      each class has terms of its own, and is told from the rest by them alone
cc:sides       terms for a class and terms against it, in a ratio found in the training part (Zheng 2004)
df             by document frequency
sklearn_chi2   as SelectKBest(chi2) of scikit-learn
l1             as SelectFromModel of a logistic regression with the L1 penalty
all            all terms
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.compare.baselines import l1_order, sklearn_chi2_order
from termsift.errors import InvalidInput, unknown
from termsift.experiment.fold import Fold
from termsift.experiment.sides import best_ratio
from termsift.metrics import metrics
from termsift.policies import PerClass, PositiveNegative, RoundRobin, TopK
from termsift.ranking import Ranking, best
from termsift.scoring import score

REDUCED = ("max", "mean", "weighted", "sum")
WAYS = (*REDUCED, "turns", "local", "sides")
BASELINES = ("sklearn_chi2", "l1", "all")
ALL, L1 = "all", "l1"
# Forman (2003): bns for F1 and recall, ig for precision and few terms, acc2 close to both, chi2 as the habit;
# Forman (2004): turns where there are several classes; Zheng (2004): both sides of a one-sided metric.
DEFAULT = ("bns", "bns:turns", "bns:local", "ig", "ig:turns", "acc2", "chi2", "cc:sides")
OTHERWISE = ("df", "sklearn_chi2", "l1")


@dataclass(frozen=True, slots=True)
class Method:
    """A way to rank terms: a metric and a way, or one of the baselines."""

    name: str

    @property
    def metric(self) -> str | None:
        """The metric's name; None for a baseline."""
        return None if self.name in BASELINES else metrics()[self.name.partition(":")[0]].name

    @property
    def way(self) -> str:
        """How the metric serves several classes."""
        return self.name.partition(":")[2] or "max"

    @property
    def words(self) -> str:
        """The method as a sentence can name it."""
        told = {"sklearn_chi2": "scikit-learn's chi2", "l1": "L1 logistic regression", "all": "all terms"}
        return told.get(self.name, self.name)

    @property
    def is_slow(self) -> bool:
        """Whether to rank by it takes longer than to judge by naive Bayes."""
        return self.name == L1

    @property
    def is_whole(self) -> bool:
        """Whether it chooses all there is."""
        return self.name == ALL

    def ranking(self, fold: Fold, most: int) -> Ranking:
        """The terms of a fold, ranked once for all classifiers; at least the `most` best."""
        k = min(most, len(fold.columns))
        if (self.name, k) not in fold.rankings:
            fold.rankings[self.name, k] = self.ranked(fold, k)
        found: Ranking = fold.rankings[self.name, k]
        return found

    def ranked(self, fold: Fold, k: int) -> Ranking:
        """The k best terms of a fold's training part."""
        if self.name in BASELINES:
            return Ranking((RANKED[self.name](fold),))
        return WAYS_TO_RANK.get(self.way, reduced)(self, fold, k)


def reduced(method: Method, fold: Fold, k: int) -> Ranking:
    """One score a term."""
    return Ranking((TopK(k).choose(score(fold.counts, method.name.partition(":")[0], reduce=method.way)),))


def in_turns(method: Method, fold: Fold, k: int) -> Ranking:
    """The classes take turns."""
    return Ranking((RoundRobin(k).choose(scores_by_class(method, fold)),))


def local(method: Method, fold: Fold, k: int) -> Ranking:
    """Each class its own."""
    return PerClass(k).ranking(scores_by_class(method, fold))


def sides(method: Method, fold: Fold, k: int) -> Ranking:
    """Terms for a class and against it."""
    ratio = best_ratio(method.name.partition(":")[0], fold, k)
    return Ranking((PositiveNegative(k, ratio).choose(scores_by_class(method, fold)),))


def scores_by_class(method: Method, fold: Fold) -> Any:
    """The metric's scores of each class."""
    line = metrics()[method.name.partition(":")[0]]
    options: dict[str, Any] = {"per_class": True} if "per_class" in line.options else {}
    return score(fold.counts, line.name, **options)


def everything(fold: Fold) -> Array:
    """All terms of the fold, the most frequent first."""
    counts = fold.counts
    return best(counts.term_df, counts.term_df, counts.terms)


RANKED: dict[str, Callable[[Fold], Array]] = {
    "sklearn_chi2": sklearn_chi2_order,
    "l1": l1_order,
    "all": everything,
}
WAYS_TO_RANK: dict[str, Callable[[Method, Fold, int], Ranking]] = {
    "turns": in_turns,
    "local": local,
    "sides": sides,
}


def methods_of(given: Iterable[str] | str | None, two_sides: bool, single: bool) -> list[Method]:
    """The methods to try, and beside them what one would do otherwise; all terms come first.

    two_sides : whether there are two classes that exclude each other, for which a two-sided metric says the
        same: turns and terms of their own then are nothing new, and are left out of the default set
    """
    if given is None:
        given = [name for name in DEFAULT if not (two_sides and name.endswith((":turns", ":local")))]
    several = [given] if isinstance(given, str) else list(given)
    if not several:
        raise InvalidInput("metrics must be at least one, got none")
    names = dict.fromkeys(checked_name(name) for name in (ALL, *several, *OTHERWISE))
    for name in names:
        check(name, single)
    return [Method(name) for name in names]


def checked_name(name: str) -> str:
    """A method's name, its metric by its own name and not an alias."""
    if name in BASELINES:
        return name
    if not isinstance(name, str):
        raise InvalidInput(f"a metric is named as in termsift.metrics(), got {name!r}")
    metric, mark, way = name.partition(":")
    if mark and way not in WAYS:
        raise unknown(f"way to use {metric}", way, WAYS)
    known = metrics()[metric].name
    return known if way in ("", "max") else f"{known}:{way}"


def check(name: str, single: bool) -> None:
    """An error for a metric that cannot serve in this way."""
    if name in BASELINES:
        return
    line = metrics()[name.partition(":")[0]]
    if name.endswith(":sides") and line.sided != 1:
        one_sided = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInput(f"{name} needs a one-sided metric, and {line.name} is not; one-sided: {one_sided}")
    if line.single_label and not single:
        raise InvalidInput(f"{line.name} needs exactly one label a document; these have several, or none")


def sizes_below(ks: Iterable[int] | None, terms: int) -> Array:
    """The numbers of terms to try, ascending: those that leave some out, and ours half at least."""
    tried = SIZES if ks is None else list(ks)
    for k in tried:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidInput(f"k must be whole numbers of at least 1, got {k!r}")
    if ks is None:
        halves = {max(terms >> halved, 1) for halved in (1, 2, 3)}
        return np.array([k for k in tried if k < terms / 2] or sorted(halves), dtype=np.int64)
    below = [k for k in sorted(set(tried)) if k < terms]
    if not below:
        raise InvalidInput(f"k must be below the number of terms, {terms:,}, got {min(tried, default=0):,}")
    return np.array(below, dtype=np.int64)


SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
