"""Features that are made of terms: linear maps of counts, one column per class or per cluster of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_selection import chi2
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import Normalizer

from termsift._internal.errors import InvalidInputError
from termsift._internal.expressions import call_parts, check_k
from termsift._internal.ranking import Ranking, best
from termsift._internal.typing import Array
from termsift.compare.documents import reading_words, split_reading
from termsift.counts import Counts
from termsift.estimators import class_shares
from termsift.evaluation import Fold, shared_ratio
from termsift.evaluation.classifiers import l1_weights, unit_rows
from termsift.selection import (
    Significant,
    Agglomerative,
    DivisiveClustering,
    FalseDiscovery,
    Method,
    PositiveNegative,
    RedundancyAware,
    greedy_ranking,
    parse_method,
    class_profiles,
    select_non_redundant,
)

# (terms, features) of the counts of a training part; a text, since SciPy before 1.15 has no csr_array[...]
FeatureMap: TypeAlias = "Callable[[Counts], csr_array[Any]]"
CLUSTERINGS: dict[str, DivisiveClustering | Agglomerative] = {"divisive": DivisiveClustering(), "agglomerative": Agglomerative()}
# clusters where no number is given; agglomerative clustering takes longer the more there are
USUAL_CLUSTERS = {"divisive": 200, "agglomerative": 50}
CLASS_WEIGHTS = "class_weights"
MAPS = (CLASS_WEIGHTS, *CLUSTERINGS)


def feature_map(text: str) -> tuple[str, str, FeatureMap] | None:
    """The map that a text names: as it is written, in words, and itself; None where it names none.

    >>> feature_map("divisive(20)")[:2]
    ('divisive(20)', '20 clusters of words')
    """
    name = text.partition("(")[0].strip()
    if name not in MAPS:
        return None
    if name == CLASS_WEIGHTS:
        if text.strip() != name:
            raise InvalidInputError(f"{CLASS_WEIGHTS} has nothing to choose, got {text!r}")
        return name, "the class weights", class_shares
    k = clusters_of(text, name)
    how = "" if name == "divisive" else ", put together one by one,"
    return f"{name}({k})", f"{k} clusters of words{how}", partial(cluster_membership, CLUSTERINGS[name], k)


def clusters_of(text: str, name: str) -> int:
    """How many clusters are asked for."""
    try:
        _, numbers, options = call_parts(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(f"{text!r} is no clustering; write it as '{name}(100)'") from error
    if options or len(numbers) > 1:
        raise InvalidInputError(
            f"a clustering has a number of clusters alone, as in '{name}(100)', got {text!r}"
        )
    k = numbers[0] if numbers else USUAL_CLUSTERS[name]
    check_k(k, "the number of clusters")
    return int(k)


def cluster_membership(how: DivisiveClustering | Agglomerative, k: int, counts: Counts) -> csr_array[Any]:
    """(terms, clusters) 1 where a term is in a cluster; as many as there are words of different spread."""
    profiles = class_profiles(counts)
    k = min(k, len(profiles))
    labels = how.found(profiles, k, 1)[-1].labels
    known = np.flatnonzero(profiles.of_term >= 0)
    cells = known, labels[profiles.of_term[known]]
    return csr_array((np.ones(len(known)), cells), shape=(len(profiles.of_term), k))


def mapped_pipeline(estimator: Any, weights: csr_array[Any], unit: bool) -> list[tuple[str, Any]]:
    """The steps from counts of terms to labels of an estimator that was fitted to features.

    Naive Bayes adds up what each feature says, so a term says what its features say, and needs no map.
    unit : whether the estimator reads rows of unit length
    """
    if not unit and all(isinstance(one, MultinomialNB | ComplementNB) for one in parts_of(estimator)):
        for one in parts_of(estimator):
            one.feature_log_prob_ = one.feature_log_prob_ @ weights.T
            one.n_features_in_ = weights.shape[0]
        return [("classify", estimator)]
    mapping = TruncatedSVD(n_components=weights.shape[1])
    mapping.components_ = weights.T.toarray()
    mapping.n_features_in_ = weights.shape[0]
    return [("map", mapping), *([("scale", Normalizer())] if unit else []), ("classify", estimator)]


def parts_of(estimator: Any) -> list[Any]:
    """The fitted estimator, or those of each class against the rest."""
    return list(estimator.estimators_) if isinstance(estimator, OneVsRestClassifier) else [estimator]


# by evidence, whose table is in docs/compare.md: bns, both sides of cc and of log_odds_prior lead on Forman's
# problems, md_chi2 in precision; ig, and the classes taking turns where they are several, lead on corpora
DEFAULT = ("bns", "ig", "ig:round_robin", "cc:combined", "log_odds_prior:combined", "md_chi2")
SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
SMALLEST = 1e-5  # of a coefficient, for SelectFromModel
POLICIES_IN_WORDS = {
    "round_robin": ", the classes taking turns",
    "per_class": ", each class with terms of its own",
    "combined": ", terms for a class and against it",
    "significant": ", the terms above chance",
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
    features : the map of counts to features that are judged in place of the terms, if it makes some
    reading : which terms texts are read as, as it is written behind the @; empty for as usual
    """

    name: str
    words: str
    ranking: Callable[[Fold, int], Ranking]
    metric: str | None = None
    is_slow: bool = False
    is_whole: bool = False
    has_own_size: bool = False
    method: Method | None = None
    features: FeatureMap | None = None
    reading: str = ""


def method_ranker(method: Method) -> Ranker:
    """A metric and a policy."""
    words = "document frequency"
    if str(method) != "df":
        own = str(Method(method.metric, options=method.options))
        words = own + POLICIES_IN_WORDS.get(method.mark or "", "")
    is_slow = isinstance(method.policy, RedundancyAware)
    own_size = isinstance(method.policy, Significant | FalseDiscovery)
    ranking = partial(method_ranking, method)
    return Ranker(str(method), words, ranking, method.metric.name, is_slow, False, own_size, method)


def method_ranking(method: Method, fold: Fold, k: int) -> Ranking:
    """The k best terms; a ratio of both sides that is open is found inside the training part."""
    policy = method.policy
    if isinstance(policy, RedundancyAware):
        chosen, _ = select_non_redundant(fold.train, method.of_at_most(min(k, len(fold.train.terms))))
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


def greedy_discrimination(fold: Fold, k: int) -> Ranking:
    """Each term for what it adds to the divergence of those before it: Tang, Kay and He (2016)."""
    return Ranking((greedy_ranking(fold.counts, k),))


def l1_ranking(fold: Fold, k: int) -> Ranking:
    """As SelectFromModel takes terms, of a logistic regression with the L1 penalty for each class.

    The importance of a term is the sum of its coefficients' sizes; those of none are left out.
    """
    columns = unit_rows(fold.weighted[0])
    importance = np.zeros(columns.shape[1])
    for truth in fold.train.truth.T[1:] if fold.is_mirrored else fold.train.truth.T:
        if truth.any() and not truth.all():
            importance += np.abs(l1_weights(columns, truth))
    kept = int(np.count_nonzero(importance >= SMALLEST))
    return Ranking((best(importance, fold.counts.term_df, fold.counts.terms, max(kept, 1)),))


def ranking_of_all(fold: Fold, k: int) -> Ranking:
    """All terms of the fold, the most frequent first."""
    counts = fold.counts
    return Ranking((best(counts.term_df, counts.term_df, counts.terms),))


ALL = Ranker("all", "all terms", ranking_of_all, is_whole=True)
CHI2 = Ranker("sklearn_chi2", "SelectKBest(chi2) of scikit-learn", sklearn_chi2_ranking)
L1 = Ranker("l1", "L1 logistic regression", l1_ranking, is_slow=True, has_own_size=True)
GREEDY = Ranker("greedy", "greedy discrimination", greedy_discrimination)
BASELINES = {one.name: one for one in (ALL, CHI2, L1, GREEDY)} | {"none": ALL}
OTHERWISE = ("df", CHI2.name, L1.name)


def rankers_of(given: Any, two_sides: bool, single: bool) -> list[Ranker]:
    """The rankers to try, and beside them what one would do otherwise; all terms come first.

    two_sides : whether there are two classes that exclude each other, for which a two-sided metric says the
        same: turns and terms of their own then are nothing new, and are left out of the default set
    """
    if given is None:
        given = [
            name for name in DEFAULT if not (two_sides and name.endswith((":round_robin", ":per_class")))
        ]
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not several:
        raise InvalidInputError("metrics must be at least one, got none")
    found: dict[str, Ranker] = {}
    for one in (ALL.name, *several, *OTHERWISE):
        ranker = ranker_from(one, single)
        found.setdefault(ranker.name, ranker)
    return list(found.values())


def read_as(ranker: Ranker, mark: str) -> Ranker:
    """The ranker of other terms of the same texts."""
    name, words = f"{ranker.name}@{mark}", f"{ranker.words} {reading_words(mark)}"
    return replace(ranker, name=name, words=words, reading=mark)


def ranker_from(given: Any, single: bool) -> Ranker:
    """A baseline or method by its name, or a method; an error for a metric that cannot serve."""
    if isinstance(given, str):
        text, mark = split_reading(given)
        if mark:
            return read_as(ranker_from(text, single), mark)
        if given in BASELINES:
            return BASELINES[given]
        features = feature_map(given)
        if features is not None:
            name, words, found = features
            return Ranker(name, words, ranking_of_all, is_whole=True, features=found)
    method = parse_method(given)
    method.check(single)
    return method_ranker(method)


def fold_ranking(ranker: Ranker, fold: Fold, most: int) -> Ranking:
    """The terms of a fold, ranked once for all classifiers; at least the `most` best."""
    key = ranker.name, min(most, len(fold.train.terms))
    if key not in fold.rankings:
        fold.rankings[key] = ranker.ranking(fold, key[1])
    return fold.rankings[key]


def judged_fold(ranker: Ranker, fold: Fold) -> tuple[Fold, Ranking]:
    """The fold in the features that a ranker makes of its terms, and all of them, made once for all."""
    if ranker.features is not None and ranker.name not in fold.mapped:
        fold.mapped[ranker.name] = fold.in_features(ranker.features(fold.counts))
    made = fold.mapped[ranker.name]
    return made, Ranking((np.arange(made.test.shape[1]),))


def sizes_below(ks: Iterable[int] | None, terms: int) -> Array:
    """The numbers of terms to try, ascending: those that leave some out, and ours half at least."""
    if not (ks is None or isinstance(ks, Iterable)):
        raise InvalidInputError(f"k must be a list of whole numbers of at least 1, got {ks!r}")
    tried = SIZES if ks is None else list(ks)
    for k in tried:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidInputError(f"k must be whole numbers of at least 1, got {k!r}")
    if ks is None:
        halves = {max(terms >> halved, 1) for halved in (1, 2, 3)}
        return np.array([k for k in tried if k < terms / 2] or sorted(halves), dtype=np.int64)
    below = [k for k in sorted(set(tried)) if k < terms]
    if not below:
        raise InvalidInputError(
            f"k must be below the number of terms, {terms:,}, got {min(tried, default=0):,}"
        )
    return np.array(below, dtype=np.int64)
