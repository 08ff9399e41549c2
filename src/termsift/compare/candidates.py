"""Rankers: the ways in which a comparison chooses terms, or makes features of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_selection import chi2

from termsift._internal.errors import InvalidInputError
from termsift._internal.expressions import check_positive_integer, parse_call
from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.typing import Array
from termsift.compare.documents import describe_representation, split_representation
from termsift.counts import Counts
from termsift.estimators import class_shares
from termsift.evaluation import Fold, choose_shared_ratio
from termsift.evaluation.classifiers import l1_weights, normalize_rows
from termsift.selection import (
    DivisiveClustering,
    FalseDiscovery,
    Method,
    PositiveNegative,
    RedundancyAware,
    Significant,
    class_profiles,
    greedy_ranking,
    parse_method,
    select_non_redundant,
)

# (terms, features) weights from training counts; a string because SciPy before 1.15 has no csr_array[...]
FeatureMap: TypeAlias = "Callable[[Counts], csr_array[Any]]"
CLASS_WEIGHTS, DIVISIVE = "class_weights", "divisive"
DEFAULT_CLUSTERS = 200

# Chosen by evidence; docs/compare.md has the table. On Forman's problems bns, cc:combined and
# log_odds_prior:combined lead, md_chi2 in precision; on corpora of several classes ig and ig:round_robin.
DEFAULT_METHODS = ("bns", "ig", "ig:round_robin", "cc:combined", "log_odds_prior:combined", "md_chi2")
DEFAULT_SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
MIN_COEFFICIENT = 1e-5  # as SelectFromModel
SUFFIX_DESCRIPTIONS = {
    "round_robin": ", round-robin over the classes",
    "per_class": ", separate terms per class",
    "combined": " (positive and negative terms)",
    "significant": ", significant terms only",
    "mean": ", averaged over the classes",
    "weighted": ", averaged over the classes by size",
    "sum": ", summed over the classes",
    "mrmr": ", minus redundancy (mRMR)",
    "jmi": ", by joint mutual information (JMI)",
    "cmim": ", by conditional mutual information (CMIM)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """Way to rank the terms of a fold.

    name, description : for tables, and for sentences
    rank : ranking of the k best terms by the training set, or of all terms it selects
    metric : name of its metric, if it has one
    is_slow : whether ranking takes longer than evaluating naive Bayes
    uses_all_terms : whether it selects all terms
    sets_size : whether it can determine the number of terms itself
    method : metric and policy, if it consists of these
    features : map from counts to features that replace the terms
    representation : n-grams that replace the terms, as written after the @
    """

    name: str
    description: str
    rank: Callable[[Fold, int], Ranking]
    metric: str | None = None
    is_slow: bool = False
    uses_all_terms: bool = False
    sets_size: bool = False
    method: Method | None = None
    features: FeatureMap | None = None
    representation: str = ""


def rank_by_method(method: Method, fold: Fold, k: int) -> Ranking:
    """Rank terms by metric and policy; a ratio "auto" is chosen within the training set."""
    policy = method.policy
    if isinstance(policy, RedundancyAware):
        selection, _ = select_non_redundant(fold.train, method.with_k(min(k, len(fold.train.terms))))
        return Ranking((selection.indices,))
    if isinstance(policy, PositiveNegative) and policy.ratio == "auto":
        ratio = choose_shared_ratio(method.scores, fold, k)
        method = replace(method, policy=replace(policy, ratio=ratio))
    ranking = method.ranking(fold.counts, k)
    if len(ranking.orders[0]):
        return ranking
    # no term is significant: fall back to the best one, because a classifier needs a feature
    return Method(method.metric, options=method.options).ranking(fold.counts, 1)


def rank_by_sklearn_chi2(fold: Fold, k: int) -> Ranking:
    """Rank terms as SelectKBest(chi2), including its order of ties."""
    target = fold.train.target if fold.train.is_single else fold.train.truth * 1
    scores, _ = chi2(fold.train.rows, target)
    return Ranking((np.argsort(np.nan_to_num(scores, nan=-np.inf), kind="stable")[::-1],))


def rank_by_greedy_discrimination(fold: Fold, k: int) -> Ranking:
    """Rank terms by greedy discrimination: Tang, Kay and He (2016)."""
    return Ranking((greedy_ranking(fold.counts, k),))


def rank_by_l1(fold: Fold, k: int) -> Ranking:
    """Rank terms as SelectFromModel with an L1 logistic regression per class.

    The importance of a term is the sum of its absolute coefficients; terms with none are left out.
    """
    columns = normalize_rows(fold.tfidf[0])
    importance = np.zeros(columns.shape[1])
    # with two exclusive classes the second model is the mirror image of the first
    for truth in fold.train.truth.T[1:] if fold.is_mirrored else fold.train.truth.T:
        if truth.any() and not truth.all():
            importance += np.abs(l1_weights(columns, truth))
    n_selected = max(int(np.count_nonzero(importance >= MIN_COEFFICIENT)), 1)
    return Ranking((rank_terms(importance, fold.counts.term_df, fold.counts.terms, n_selected),))


def rank_all_terms(fold: Fold, k: int) -> Ranking:
    """Rank all terms by document frequency."""
    counts = fold.counts
    return Ranking((rank_terms(counts.term_df, counts.term_df, counts.terms),))


ALL = Ranker("all", "all terms", rank_all_terms, uses_all_terms=True)
CHI2 = Ranker("sklearn_chi2", "scikit-learn's SelectKBest(chi2)", rank_by_sklearn_chi2)
L1 = Ranker("l1", "L1 logistic regression", rank_by_l1, is_slow=True, sets_size=True)
GREEDY = Ranker("greedy_discrimination", "greedy discrimination", rank_by_greedy_discrimination)
SPECIAL_RANKERS = {ranker.name: ranker for ranker in (ALL, CHI2, L1, GREEDY)}
BASELINES = ("df", CHI2.name, L1.name)


def list_rankers(metrics: Any, is_binary: bool, is_single_label: bool) -> list[Ranker]:
    """Return the rankers to try: all terms, the requested or default ones, and the baselines.

    is_binary : whether there are two exclusive classes. Two-sided metrics rank both equally, so the default
        set then omits round-robin and separate terms per class
    """
    if metrics is None:
        skipped = (":round_robin", ":per_class")
        metrics = [name for name in DEFAULT_METHODS if not (is_binary and name.endswith(skipped))]
    requested = list(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    if not requested:
        raise InvalidInputError("metrics is empty; name at least one")
    rankers: dict[str, Ranker] = {}
    for item in (ALL.name, *requested, *BASELINES):
        ranker = parse_ranker(item, is_single_label)
        rankers.setdefault(ranker.name, ranker)
    return list(rankers.values())


def parse_ranker(item: Any, is_single_label: bool) -> Ranker:
    """Return the ranker of a name, or of a Method."""
    if isinstance(item, str):
        text, representation = split_representation(item)
        if representation:
            ranker = parse_ranker(text, is_single_label)
            description = f"{ranker.description} on {describe_representation(representation)}"
            return replace(
                ranker,
                name=f"{ranker.name}@{representation}",
                description=description,
                representation=representation,
            )
        if item in SPECIAL_RANKERS:
            return SPECIAL_RANKERS[item]
        if item.partition("(")[0].strip() in (CLASS_WEIGHTS, DIVISIVE):
            return parse_feature_ranker(item)
    method = parse_method(item)
    method.check(is_single_label)
    description = "document frequency"
    if str(method) != "df":
        metric = str(Method(method.metric, options=method.options))
        description = metric + SUFFIX_DESCRIPTIONS.get(method.suffix or "", "")
    return Ranker(
        str(method),
        description,
        partial(rank_by_method, method),
        metric=method.metric.name,
        is_slow=isinstance(method.policy, RedundancyAware),
        sets_size=isinstance(method.policy, Significant | FalseDiscovery),
        method=method,
    )


def parse_feature_ranker(text: str) -> Ranker:
    """Return the ranker of features made from terms.

    >>> parse_feature_ranker("divisive(20)").description
    '20 clusters of words'
    """
    if text.startswith(CLASS_WEIGHTS):
        if text.strip() != CLASS_WEIGHTS:
            raise InvalidInputError(f"{CLASS_WEIGHTS} has no options, got {text!r}")
        return Ranker(
            CLASS_WEIGHTS, "class weights", rank_all_terms, uses_all_terms=True, features=class_shares
        )
    try:
        _, numbers, options = parse_call(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(f"{text!r} is not a clustering; write '{DIVISIVE}(100)'") from error
    if options or len(numbers) > 1:
        raise InvalidInputError(
            f"a clustering takes only a number of clusters, as in '{DIVISIVE}(100)', got {text!r}"
        )
    k = numbers[0] if numbers else DEFAULT_CLUSTERS
    check_positive_integer(k, "the number of clusters")
    return Ranker(
        f"{DIVISIVE}({k})",
        f"{k} clusters of words",
        rank_all_terms,
        uses_all_terms=True,
        features=partial(cluster_membership, int(k)),
    )


def cluster_membership(k: int, counts: Counts) -> csr_array[Any]:
    """Return which term is in which cluster (terms, clusters), as 0/1.

    There are at most as many clusters as distinct class profiles of terms.
    """
    profiles = class_profiles(counts)
    k = min(k, len(profiles))
    labels = DivisiveClustering().fit(profiles, k, 1)[-1].labels
    in_training = np.flatnonzero(profiles.term_profile >= 0)
    cells = in_training, labels[profiles.term_profile[in_training]]
    return csr_array((np.ones(len(in_training)), cells), shape=(len(profiles.term_profile), k))


def rank_fold_terms(ranker: Ranker, fold: Fold, max_k: int) -> Ranking:
    """Rank the terms of a fold, at least the `max_k` best; cached for all classifiers."""
    key = ranker.name, min(max_k, len(fold.train.terms))
    if key not in fold.rankings:
        fold.rankings[key] = ranker.rank(fold, key[1])
    return fold.rankings[key]


def map_fold_features(ranker: Ranker, fold: Fold) -> tuple[Fold, Ranking]:
    """Return the fold in the ranker's features, and a ranking of all of them; cached for all classifiers."""
    if ranker.features is not None and ranker.name not in fold.derived_folds:
        fold.derived_folds[ranker.name] = fold.map_features(ranker.features(fold.counts))
    mapped = fold.derived_folds[ranker.name]
    return mapped, Ranking((np.arange(mapped.test.shape[1]),))


def list_sizes(ks: Iterable[int] | None, n_terms: int) -> Array:
    """Return the numbers of terms to try, ascending and below the number of all terms."""
    if not (ks is None or isinstance(ks, Iterable)):
        raise InvalidInputError(f"k must be a list of whole numbers of at least 1, got {ks!r}")
    if ks is None:
        sizes = [k for k in DEFAULT_SIZES if k < n_terms / 2]
        return np.array(sizes or sorted({max(n_terms >> shift, 1) for shift in (1, 2, 3)}), dtype=np.int64)
    sizes = list(ks)
    for k in sizes:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidInputError(f"k must be whole numbers of at least 1, got {k!r}")
    below = [k for k in sorted(set(sizes)) if k < n_terms]
    if not below:
        smallest = min(sizes, default=0)
        raise InvalidInputError(f"k must be below the number of terms, {n_terms:,}, got {smallest:,}")
    return np.array(below, dtype=np.int64)
