"""Rankers: ways to rank the terms of a fold. Methods, by their names, and what one would do otherwise.

bns:turns, df  any method, as methods.py writes it; the ratio of cc:sides, and what terms of ig:cmim occur
               together, are found in the training part
sklearn_chi2   as SelectKBest(chi2) of scikit-learn
l1             as SelectFromModel of a logistic regression with the L1 penalty
all            all terms
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.experiment.folds import Fold
from termsift.experiment.ratios import LIBLINEAR, shared_ratio
from termsift.methods import Method, method_from
from termsift.policies import AboveChance, FalseDiscovery, PositiveNegative, RedundancyAware
from termsift.ranking import Ranking, best
from termsift.redundancy import redundancy_choice

# Forman (2003): bns for F1 and recall, ig for precision and few terms, acc2 close to both, chi2 as the habit;
# Forman (2004): turns where there are several classes; Zheng (2004): both sides of a one-sided metric.
DEFAULT = ("bns", "bns:turns", "bns:local", "ig", "ig:turns", "acc2", "chi2", "cc:sides")
SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
SMALLEST = 1e-5  # of a coefficient, for SelectFromModel
POLICIES_IN_WORDS = {
    "turns": ", the classes taking turns",
    "local": ", each class with terms of its own",
    "sides": ", terms for a class and against it",
    "above_chance": ", the terms above chance",
    "mean": ", averaged over the classes",
    "weighted": ", averaged over the classes by their size",
    "sum": ", summed over the classes",
    "mrmr": ", less what a term says of those before it",
    "jmi": ", by what a term says together with those before it",
    "cmim": ", by what a term adds to each before it",
}


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """What ranks the terms of a fold.

    name, words : what it is called in tables, and in sentences
    ranking : the k best terms of a fold's training part, or all that it takes
    metric : the name of its metric, if it has one
    is_slow : whether to rank by it takes longer than to judge by naive Bayes
    is_whole : whether it chooses all there is
    has_own_size : whether it also says how many terms to take
    method : the metric and the policy, if it is made of these
    """

    name: str
    words: str
    ranking: Callable[[Fold, int], Ranking]
    metric: str | None = None
    is_slow: bool = False
    is_whole: bool = False
    has_own_size: bool = False
    method: Method | None = None


def method_ranker(method: Method) -> Ranker:
    """A metric and a policy."""
    words = "document frequency"
    if str(method) != "df":
        own = str(Method(method.metric, options=method.options))
        words = own + POLICIES_IN_WORDS.get(method.mark or "", "")
    is_slow = isinstance(method.policy, RedundancyAware)
    own_size = isinstance(method.policy, AboveChance | FalseDiscovery)
    ranking = partial(method_ranking, method)
    return Ranker(str(method), words, ranking, method.metric.name, is_slow, False, own_size, method)


def method_ranking(method: Method, fold: Fold, k: int) -> Ranking:
    """The k best terms; a ratio of both sides that is open is found inside the training part."""
    policy = method.policy
    if isinstance(policy, RedundancyAware):
        chosen, _ = redundancy_choice(fold.train, method.of_at_most(min(k, len(fold.train.terms))))
        return Ranking((chosen.indices,))
    if isinstance(policy, PositiveNegative) and policy.ratio == "auto":
        ratio = shared_ratio(method.scores, fold, k)
        method = replace(method, policy=replace(policy, ratio=ratio))
    found = method.ranking(fold.counts, k)
    # where nothing is above chance, the best term stands for it: a classifier needs one
    return (
        found
        if len(found.orders[0])
        else Method(method.metric, options=method.options).ranking(fold.counts, 1)
    )


def sklearn_chi2_ranking(fold: Fold, k: int) -> Ranking:
    """As SelectKBest(chi2) takes terms, for every k; its ties included."""
    target = fold.train.target if fold.train.is_single else fold.train.truth * 1
    scores, _ = chi2(fold.train.rows, target)
    return Ranking((np.argsort(np.nan_to_num(scores, nan=-np.inf), kind="stable")[::-1],))


def l1_ranking(fold: Fold, k: int) -> Ranking:
    """As SelectFromModel takes terms, of a logistic regression with the L1 penalty for each class.

    The importance of a term is the sum of its coefficients' sizes; those of none are left out.
    """
    X = normalize(fold.weighted[0].tocsr())
    importance = np.zeros(X.shape[1])
    for truth in fold.train.truth.T[1:] if fold.is_mirrored else fold.train.truth.T:
        if truth.any() and not truth.all():
            with LIBLINEAR:
                importance += np.abs(l1_regression().fit(X, truth).coef_[0])
    kept = int(np.count_nonzero(importance >= SMALLEST))
    return Ranking((best(importance, fold.counts.term_df, fold.counts.terms, max(kept, 1)),))


def l1_regression() -> LogisticRegression:
    """Logistic regression with the L1 penalty, which scikit-learn 1.8 asks for in another way."""
    old = LogisticRegression().get_params()["penalty"] == "l2"
    how = {"penalty": "l1"} if old else {"l1_ratio": 1.0}
    return LogisticRegression(**how, solver="liblinear", random_state=0)


def ranking_of_all(fold: Fold, k: int) -> Ranking:
    """All terms of the fold, the most frequent first."""
    counts = fold.counts
    return Ranking((best(counts.term_df, counts.term_df, counts.terms),))


ALL = Ranker("all", "all terms", ranking_of_all, is_whole=True)
CHI2 = Ranker("sklearn_chi2", "SelectKBest(chi2) of scikit-learn", sklearn_chi2_ranking)
L1 = Ranker("l1", "L1 logistic regression", l1_ranking, is_slow=True, has_own_size=True)
BASELINES = {one.name: one for one in (ALL, CHI2, L1)}
OTHERWISE = ("df", CHI2.name, L1.name)


def rankers_of(given: Any, two_sides: bool, single: bool) -> list[Ranker]:
    """The rankers to try, and beside them what one would do otherwise; all terms come first.

    two_sides : whether there are two classes that exclude each other, for which a two-sided metric says the
        same: turns and terms of their own then are nothing new, and are left out of the default set
    """
    if given is None:
        given = [name for name in DEFAULT if not (two_sides and name.endswith((":turns", ":local")))]
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not several:
        raise InvalidInput("metrics must be at least one, got none")
    found: dict[str, Ranker] = {}
    for one in (ALL.name, *several, *OTHERWISE):
        ranker = ranker_from(one, single)
        found.setdefault(ranker.name, ranker)
    return list(found.values())


def ranker_from(given: Any, single: bool) -> Ranker:
    """A baseline or method by its name, or a method; an error for a metric that cannot serve."""
    if isinstance(given, str) and given in BASELINES:
        return BASELINES[given]
    method = method_from(given)
    method.check(single)
    return method_ranker(method)


def fold_ranking(ranker: Ranker, fold: Fold, most: int) -> Ranking:
    """The terms of a fold, ranked once for all classifiers; at least the `most` best."""
    key = ranker.name, min(most, len(fold.train.terms))
    if key not in fold.rankings:
        fold.rankings[key] = ranker.ranking(fold, key[1])
    return fold.rankings[key]


def sizes_below(ks: Iterable[int] | None, terms: int) -> Array:
    """The numbers of terms to try, ascending: those that leave some out, and ours half at least."""
    if not (ks is None or isinstance(ks, Iterable)):
        raise InvalidInput(f"k must be a list of whole numbers of at least 1, got {ks!r}")
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
