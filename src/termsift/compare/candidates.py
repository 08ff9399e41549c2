"""Candidates of a comparison: rankings of terms or extracted features, classifiers and sizes; their trials.

A ranker orders terms or extracts features. A family of candidates shares ranker and classifier, so one
fit along the ranking evaluates all its sizes on a fold, within a time budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_selection import chi2

from termsift import selection
from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.resources import map_in_order, resolve_n_jobs
from termsift._internal.typing import Array, check_positive_integer, parse_call
from termsift.compare.documents import describe_representation
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.estimators import class_shares
from termsift.evaluation import (
    Fold,
    FoldResult,
    Goal,
    RatioSearch,
    evaluate_classifier,
    parse_goals,
)
from termsift.evaluation.classifiers import (
    Classifier,
    MultinomialNaiveBayes,
    has_log_count_ratios,
    l1_weights,
    normalize_rows,
    parse_classifier,
)

# (terms, features) weights from training counts; a string because SciPy before 1.15 has no csr_array[...]
FeatureMap: TypeAlias = "Callable[[Counts], csr_array[Any]]"
CLASS_WEIGHTS, DIVISIVE = "class_weights", "divisive"
DEFAULT_CLUSTERS = 200

# Chosen by evidence; docs/guide/candidates.md has the table. On Forman's problems bns, cc:combined and
# log_odds_prior:combined lead, md_chi2 in precision; on corpora of several classes ig and ig:round_robin.
DEFAULT_METHODS = ("bns", "ig", "ig:round_robin", "cc:combined", "log_odds_prior:combined", "md_chi2")
# and with all terms only: what led on the corpora of SELECTION in benchmarks/accuracy.py
EXTRA_CLASSIFIERS = {
    "all": ("svm_balanced(C=0.3)", "svm_balanced", "svm_balanced(C=3)"),
    "all@1-2": ("svm_balanced(C=3)", "nbsvm"),
}
MAX_BIGRAM_ENTRIES = 1_000_000  # of the rows of words, above which bigrams would take too much memory
DEFAULT_SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
MIN_COEFFICIENT = 1e-5  # as SelectFromModel
SEARCH_COST = 12  # fits of a searched ratio: four ratios on three inner folds
SUFFIX_DESCRIPTIONS = {
    "round_robin": ", round-robin over the classes",
    "per_class": ", separate terms per class",
    "combined": " (positive and negative terms)",
    "combined_per_class": " (positive and negative terms, separate for each class)",
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
    is_slow : whether ranking takes longer than evaluating naive Bayes
    uses_all_terms : whether it selects all terms
    sets_size : whether it can determine the number of terms itself
    method : metric and policy, if it consists of these
    features : map from counts to features that replace the terms
    representation : n-grams that replace the terms, as written after the @
    tuned_for : the goal that a ratio "auto" is searched for, with each classifier and number of terms
    """

    name: str
    description: str
    rank: Callable[[Fold, int], Ranking]
    is_slow: bool = False
    uses_all_terms: bool = False
    sets_size: bool = False
    method: selection.Method | None = None
    features: FeatureMap | None = None
    representation: str = ""
    tuned_for: Goal | None = None


def rank_by_method(method: selection.Method, fold: Fold, k: int) -> Ranking:
    """Rank terms by metric and policy; without a candidate, a ratio "auto" is searched with naive Bayes."""
    policy = method.policy
    if isinstance(policy, selection.RedundancyAware):
        chosen, _ = selection.select_non_redundant(fold.train, method.limit_k(min(k, len(fold.train.terms))))
        return Ranking((chosen.indices,))
    if isinstance(policy, selection.PositiveNegative) and policy.ratio == "auto":
        (goal,) = parse_goals("f1_macro")
        search = RatioSearch.for_goal(method, MultinomialNaiveBayes(), goal)
        (method,), _ = search.tune(search.inner_folds(fold), np.array([k]))
    ranking = method.ranking(fold.train.counts, k)
    if len(ranking.orders[0]):
        return ranking
    # no term is significant: fall back to the best one, because a classifier needs a feature
    return selection.Method(method.metric, options=method.options).ranking(fold.train.counts, 1)


def rank_by_sklearn_chi2(fold: Fold, k: int) -> Ranking:
    """Rank terms as SelectKBest(chi2), including its order of ties."""
    target = fold.train.target if fold.train.labels.is_single_label else fold.train.truth * 1
    scores, _ = chi2(fold.train.rows, target)
    return Ranking((np.argsort(np.nan_to_num(scores, nan=-np.inf), kind="stable")[::-1],))


def rank_by_greedy_discrimination(fold: Fold, k: int) -> Ranking:
    """Rank terms by greedy discrimination: Tang, Kay and He (2016)."""
    return Ranking((selection.greedy_ranking(fold.train.counts, k),))


def rank_by_l1(fold: Fold, k: int) -> Ranking:
    """Rank terms as SelectFromModel with an L1 logistic regression per class.

    The importance of a term is the sum of its absolute coefficients; terms with none are left out.
    """
    columns = normalize_rows(fold.train_and_test_tfidf[0])
    importance = np.zeros(columns.shape[1])
    # with two exclusive classes the second model is the mirror image of the first
    for truth in fold.train.truth.T[1:] if fold.is_mirrored else fold.train.truth.T:
        if truth.any() and not truth.all():
            importance += np.abs(l1_weights(columns, truth))
    n_selected = max(int(np.count_nonzero(importance >= MIN_COEFFICIENT)), 1)
    return Ranking((rank_terms(importance, fold.train.counts.term_df, fold.train.counts.terms, n_selected),))


def rank_all_by_df(fold: Fold, k: int) -> Ranking:
    """Rank all terms by document frequency."""
    counts = fold.train.counts
    return Ranking((rank_terms(counts.term_df, counts.term_df, counts.terms),))


ALL = Ranker("all", "all terms", rank_all_by_df, uses_all_terms=True)
CHI2 = Ranker("sklearn_chi2", "scikit-learn's SelectKBest(chi2)", rank_by_sklearn_chi2)
L1 = Ranker("l1", "L1 logistic regression", rank_by_l1, is_slow=True, sets_size=True)
GREEDY = Ranker("greedy", "greedy discrimination", rank_by_greedy_discrimination)
SPECIAL_RANKERS = {ranker.name: ranker for ranker in (ALL, CHI2, L1, GREEDY)}
BASELINES = ("df", CHI2.name, L1.name)


def list_rankers(metrics: Any, is_binary: bool, is_single_label: bool, goal: Goal) -> list[Ranker]:
    """Return the rankers to try: all terms, the requested or default ones, and the baselines.

    goal : the goal that ratios are searched for

    is_binary : whether there are two exclusive classes. Two-sided metrics rank both equally, so the default
        set then omits round-robin and separate terms per class
    """
    if metrics is None:
        skipped = (":round_robin", ":per_class")
        metrics = [name for name in DEFAULT_METHODS if not (is_binary and name.endswith(skipped))]
    requested = list(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    if not requested:
        raise InvalidInputError("metrics is empty; give at least one metric")
    # a baseline may be requested as well, under this name or another
    rankers: dict[str, Ranker] = {}
    for item in (ALL.name, *requested, *BASELINES):
        ranker = parse_ranker(item, is_single_label, goal)
        rankers.setdefault(ranker.name, ranker)
    return list(rankers.values())


def parse_ranker(item: Any, is_single_label: bool, goal: Goal | None = None) -> Ranker:
    """Return the ranker of a name, or of a Method; a ratio "auto" is searched for the goal (default: F1)."""
    if isinstance(item, str):
        text, at_sign, representation = item.rpartition("@")
        if at_sign:
            kind = describe_representation(representation)
            ranker = parse_ranker(text, is_single_label, goal)
            name, description = f"{ranker.name}@{representation}", f"{ranker.description} on {kind}"
            return replace(ranker, name=name, description=description, representation=representation)
        if item in SPECIAL_RANKERS:
            return SPECIAL_RANKERS[item]
        if item.partition("(")[0].strip() in (CLASS_WEIGHTS, DIVISIVE):
            return parse_feature_ranker(item)
    # anything else is a metric, with or without a policy
    method = selection.parse_method(item)
    method.check(is_single_label)
    is_searched = isinstance(method.policy, selection.PositiveNegative) and method.policy.ratio == "auto"
    description = "document frequency"
    if str(method) != "df":
        metric = str(selection.Method(method.metric, options=method.options))
        description = metric + SUFFIX_DESCRIPTIONS.get(method.suffix or "", "")
    return Ranker(
        str(method),
        description,
        partial(rank_by_method, method),
        is_slow=is_searched or isinstance(method.policy, selection.RedundancyAware),
        sets_size=isinstance(method.policy, selection.Significant | selection.FalseDiscovery),
        method=method,
        tuned_for=(goal or parse_goals("f1_macro")[0]) if is_searched else None,
    )


def parse_feature_ranker(text: str) -> Ranker:
    """Return the ranker of features made from terms.

    >>> parse_feature_ranker("divisive(20)").description
    '20 clusters of words'
    """
    features: FeatureMap
    if text.startswith(CLASS_WEIGHTS):
        if text.strip() != CLASS_WEIGHTS:
            raise InvalidInputError(f"{CLASS_WEIGHTS} takes no options, got {text!r}")
        name, description, features = CLASS_WEIGHTS, "class weights", class_shares
    else:
        example = f"'{DIVISIVE}(100)'"
        try:
            _, numbers, options = parse_call(text)
        except (SyntaxError, ValueError) as error:
            raise InvalidInputError(f"cannot parse {text!r}; write it like {example}") from error
        if options or len(numbers) > 1:
            reason = f"{DIVISIVE} takes only the number of clusters"
            raise InvalidInputError(f"{reason}, as in {example}, got {text!r}")
        k = numbers[0] if numbers else DEFAULT_CLUSTERS
        check_positive_integer(k, "the number of clusters")
        name, description = f"{DIVISIVE}({k})", f"{k} clusters of words"
        features = partial(cluster_membership, int(k))
    return Ranker(name, description, rank_all_by_df, uses_all_terms=True, features=features)


@dataclass(frozen=True, slots=True)
class GuessingClassifier:
    """Baseline that ignores the texts.

    name : "majority" for the most frequent label, or "stratified" for random labels by their frequency
    """

    name: str

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Return 1 for the guessed classes and -1 for others."""
        weights = fold.train.weights if fold.train.weights.size else None
        shares = np.average(fold.train.truth, axis=0, weights=weights)
        rng, shape = np.random.default_rng([fold.seed, fold.test.nnz]), fold.truth.shape
        # several labels are guessed independently
        if not fold.train.labels.is_single_label:
            thresholds = rng.random(shape) if self.name == "stratified" else np.full(shape, 0.5)
            return np.where(shares > thresholds, 1.0, -1.0)[None]
        guesses = np.full(len(fold.truth), np.argmax(shares))
        if self.name == "stratified":
            guesses = rng.choice(len(shares), len(fold.truth), p=shares / shares.sum())
        return np.where(np.arange(len(shares)) == guesses[:, None], 1.0, -1.0)[None]

    confidences = decision_values


GUESSES = (GuessingClassifier("majority"), GuessingClassifier("stratified"))


def cluster_membership(k: int, counts: Counts) -> csr_array[Any]:
    """Return which term is in which cluster (terms, clusters), as 0/1.

    There are at most as many clusters as distinct class profiles of terms.
    """
    profiles = selection.class_profiles(counts)
    k = min(k, len(profiles))
    labels = selection.DivisiveClustering().fit_iterations(profiles, k, 1)[-1].labels
    in_training = np.flatnonzero(profiles.term_profile >= 0)
    cells = in_training, labels[profiles.term_profile[in_training]]
    return csr_array((np.ones(len(in_training)), cells), shape=(len(profiles.term_profile), k))


def rank_fold_terms(ranker: Ranker, fold: Fold, max_k: int) -> Ranking:
    """Rank the terms of a fold, at least the `max_k` best; cached for all classifiers."""
    key = ranker.name, min(max_k, len(fold.train.terms))
    if key not in fold.rankings:
        fold.rankings[key] = ranker.rank(fold, key[1])
    return fold.rankings[key]


def tune_methods(
    ranker: Ranker, fold: Fold, classifier: Classifier, ks: Sequence[int]
) -> list[selection.Method]:
    """Return for each k the ranker's method with the ratio that is best for the classifier."""
    assert ranker.method is not None
    assert ranker.tuned_for is not None
    # ratios of the same inner folds, for all classifiers
    key = ranker.name, classifier.name
    known = fold.tuned_methods.setdefault(key, {})
    missing = sorted({k for k in ks if k not in known})
    if missing:
        search = RatioSearch.for_goal(ranker.method, classifier, ranker.tuned_for)
        tuned, _ = search.tune(search.inner_folds(fold), np.array(missing))
        known.update(zip(missing, tuned, strict=True))
    return [known[k] for k in ks]


def rank_candidate_terms(candidate: Candidate, fold: Fold, max_k: int) -> Ranking:
    """Rank the terms of a fold for a candidate, as `evaluate_family` does."""
    if candidate.ranker.tuned_for is None:
        return rank_fold_terms(candidate.ranker, fold, max_k)
    k = min(candidate.k, len(fold.train.terms))
    (method,) = tune_methods(candidate.ranker, fold, candidate.classifier, [k])
    return method.ranking(fold.train.counts, k)


def map_fold_features(ranker: Ranker, fold: Fold) -> tuple[Fold, Ranking]:
    """Return the fold in the ranker's features, and a ranking of all of them; cached for all classifiers."""
    if ranker.features is not None and ranker.name not in fold.derived_folds:
        fold.derived_folds[ranker.name] = fold.map_features(ranker.features(fold.train.counts))
    mapped = fold.derived_folds[ranker.name]
    return mapped, Ranking((np.arange(mapped.test.shape[1]),))


def choose_sizes(ks: Iterable[int] | None, n_terms: int) -> Array:
    """Return the numbers of terms to try, ascending and below the number of all terms."""
    if ks is None:
        # a small vocabulary is tried at a half, a quarter and an eighth of its terms
        sizes = [k for k in DEFAULT_SIZES if k < n_terms / 2]
        return np.array(sizes or sorted({max(n_terms >> shift, 1) for shift in (1, 2, 3)}), dtype=np.int64)
    if not isinstance(ks, Iterable):
        raise InvalidInputError(f"k must be a list of whole numbers of at least 1, got {ks!r}")
    sizes = list(ks)
    for k in sizes:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidInputError(f"k must be a whole number of at least 1, got {k!r}")
    below = [k for k in sorted(set(sizes)) if k < n_terms]
    if not below:
        smallest = min(sizes, default=0)
        raise InvalidInputError(f"k must be smaller than the number of terms ({n_terms:,}), got {smallest:,}")
    return np.array(below, dtype=np.int64)


Progress: TypeAlias = Callable[[int, int], None]
UNLIMITED = np.iinfo(np.int64).max  # k of rankers that use all terms or determine the number


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Configuration that a comparison tries: ranker, classifier and number of terms.

    is_extra : whether it is outside the grid of all rankers and classifiers, on which methods are compared
    """

    ranker: Ranker
    classifier: Classifier
    k: int
    is_extra: bool = False


@dataclass(slots=True, eq=False)
class RacingCandidate:
    """Candidate with its results so far.

    fold_results : of each fold
    values : (folds,) the first goal
    terms, features : (folds,) number of terms, and of features of the classifier
    seconds : (folds,) time for ranking, fitting and evaluating
    beaten_by : the better candidate, if this one was dropped
    p : p-value of that difference, corrected for all tests
    """

    candidate: Candidate
    fold_results: list[FoldResult] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    beaten_by: RacingCandidate | None = None
    p: float = 1.0

    @property
    def mean(self) -> float:
        """Mean of the goal over the folds, rounded so that ties are exact."""
        return round(float(np.mean(self.values)), 12)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateFamily:
    """Ranker and classifier at several numbers of terms, which are fitted together."""

    ranker: Ranker
    classifier: Classifier
    ks: tuple[int, ...]
    is_extra: bool = False

    @property
    def cost(self) -> int:
        """Approximate run time; a larger size continues the fit of the previous one."""
        factor = 1 if self.ranker.tuned_for is None else SEARCH_COST
        return factor * self.classifier.cost * (3 + len(self.ks))


@dataclass(frozen=True, slots=True, eq=False)
class FamilyResult:
    """Result of a family on a fold.

    fold_results : one at each k, for the fold or for its blocks
    terms : (ks,) number of terms at each k
    test_ratio : test documents divided by training documents; 0 for blocks, which share a training set
    features : (ks,) number of features of the classifier, if other than the terms
    seconds : time for ranking, fitting and evaluating, per k
    """

    fold_results: Sequence[FoldResult]
    terms: Array
    test_ratio: float
    features: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    seconds: float = 0.0


@dataclass(slots=True)
class Schedule:
    """Resources of a comparison, and the time used so far.

    start, deadline : in time of time.monotonic(); no deadline if None
    progress : callback
    racing : whether candidates that can no longer win are dropped
    done : cost of the finished work
    longest : longest duration of each kind of families
    later_folds : number of later folds, like this one, to reserve time for
    fold_start : start of the current fold
    is_over : whether the time is used up
    """

    n_jobs: int | None
    deadline: float | None
    progress: Progress | None
    racing: bool = True
    start: float = field(default_factory=time.monotonic)
    done: int = 0
    longest: dict[str, float] = field(default_factory=dict)
    later_folds: float = 0.0
    fold_start: float = field(default_factory=time.monotonic)
    is_over: bool = False

    def has_time(self, kind: str) -> bool:
        """Predict whether one more family, and the later folds up to it, end before the deadline."""
        if self.deadline is not None and not self.is_over:
            now, duration = time.monotonic(), self.longest.get(kind, 0.0)
            # a later fold repeats the time of this one so far, and the family
            end = now + duration + self.later_folds * (now - self.fold_start + duration)
            self.is_over = end > self.deadline
        return not self.is_over


def list_extra_families(documents: Documents, *, has_time: bool) -> list[CandidateFamily]:
    """Return the default families of all terms that are not part of the grid.

    has_time : whether there is time to count bigrams
    """
    families = []
    for name, classifiers in EXTRA_CLASSIFIERS.items():
        ranker, analyzer = parse_ranker(name, documents.labels.is_single_label), documents.analyzer
        of_words = analyzer is not None and (analyzer.analyzer, analyzer.ngram_range) == ("word", (1, 1))
        is_small = has_time and documents.rows.nnz <= MAX_BIGRAM_ENTRIES
        if not ranker.representation or (of_words and is_small and documents.texts is not None):
            families += [
                CandidateFamily(ranker, parse_classifier(choice), (UNLIMITED,), is_extra=True)
                for choice in classifiers
            ]
    return families


def list_families(
    rankers: Sequence[Ranker],
    classifiers: Sequence[Classifier],
    ks: Array,
    extras: Sequence[CandidateFamily] = (),
) -> list[CandidateFamily]:
    """Return the families to try, fast rankers first; slow classifiers try fewer numbers of terms.

    Features made from terms are combined only with classifiers in their default representation.
    """
    families = list(extras)
    for classifier in classifiers:
        # counted from the largest number of terms, which is always tried
        sizes = ks[::-1][:: classifier.size_stride][::-1].tolist()
        for ranker in rankers:
            if ranker.features is not None and (
                classifier.representation or has_log_count_ratios(classifier)
            ):
                continue
            tried = [] if ranker.uses_all_terms else sizes
            if ranker.uses_all_terms or ranker.sets_size:
                tried = [*tried, UNLIMITED]
            families.append(CandidateFamily(ranker, classifier, tuple(tried)))
    # first what a practitioner would run, which is the answer of a small budget; the slow ones last
    usual = next((c for c in classifiers if c.name == "svm"), classifiers[0])
    return sorted(
        families,
        key=lambda family: (
            not (family.ranker is ALL and family.classifier is usual),
            family.ranker.is_slow,
            not family.ranker.uses_all_terms or bool(family.ranker.representation),
        ),
    )


def evaluate_family(family: CandidateFamily, fold: Fold, goals: Sequence[Goal], max_k: int) -> FamilyResult:
    """Evaluate a family on a fold at all its numbers of terms."""
    start = time.monotonic()
    ranker, ks = family.ranker, [min(k, len(fold.train.terms)) for k in family.ks]
    if ranker.tuned_for is None:
        rankings = {rank_fold_terms(ranker, fold, max_k): ks}
    else:
        # the ratio may differ from size to size
        by_method: dict[selection.Method, list[int]] = {}
        for k, method in zip(ks, tune_methods(ranker, fold, family.classifier, ks), strict=True):
            by_method.setdefault(method, []).append(k)
        rankings = {
            method.ranking(fold.train.counts, max(sizes)): sizes for method, sizes in by_method.items()
        }
    by_k: dict[int, tuple[FoldResult, int, int]] = {}
    for ranking, ranking_ks in rankings.items():
        # several k may give the same number of terms, which is fitted once
        sizes, inverse = np.unique(ranking.order_sizes(np.array(ranking_ks)), return_inverse=True)
        terms = ranking.count_terms(sizes)[inverse]
        features, mapped = terms, fold
        if ranker.features is not None:
            mapped, ranking = map_fold_features(ranker, fold)
            sizes = ranking.order_sizes(sizes)
            features = sizes[inverse]
        result = evaluate_classifier(family.classifier, mapped, ranking, sizes, goals)
        for position, k in enumerate(ranking_ks):
            size_result = result.select_sizes(inverse[[position]])
            by_k[k] = size_result, int(terms[position]), int(features[position])
    fold_results, n_terms, n_features = zip(*(by_k[k] for k in ks), strict=True)
    test_ratio = 0.0 if fold.blocks.size else len(fold.truth) / len(fold.train)
    # the sizes of a family are fitted together
    seconds = (time.monotonic() - start) / len(family.ks)
    return FamilyResult(fold_results, np.array(n_terms), test_ratio, np.array(n_features), seconds)


def evaluate_families(
    families: Sequence[CandidateFamily],
    folds: Mapping[str, Fold],
    goals: Sequence[Goal],
    schedule: Schedule,
    max_k: int,
    later_cost: int,
) -> list[FamilyResult | None]:
    """Evaluate families on a fold; None for those without time.

    folds : the fold by representation
    max_k : the largest number of terms of any family
    later_cost : cost of later folds, for the progress callback
    """

    def evaluate(family: CandidateFamily) -> FamilyResult | None:
        # families of a kind take about the same time
        ranker = family.ranker
        kind = f"{family.classifier.name} {ranker.is_slow} {ranker.representation}"
        if schedule.done and not schedule.has_time(kind):
            return None
        start = time.monotonic()
        result = evaluate_family(family, folds[ranker.representation], goals, max_k)
        schedule.longest[kind] = max(schedule.longest.get(kind, 0.0), time.monotonic() - start)
        return result

    results = []
    total = schedule.done + later_cost + sum(family.cost for family in families)
    # the first fit is always made, and alone, so that it is the fastest possible answer
    n_alone = 0 if schedule.done else 1
    evaluations = chain(
        map(evaluate, families[:n_alone]),
        map_in_order(evaluate, families[n_alone:], resolve_n_jobs(schedule.n_jobs)),
    )
    for family, result in zip(families, evaluations, strict=True):
        results.append(result)
        schedule.done += family.cost
        if schedule.progress is not None:
            schedule.progress(schedule.done, total)
    return results
