"""Trials: evaluate candidates on a fold, within a time budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.threads import map_in_order, resolve_n_jobs
from termsift._internal.typing import Array
from termsift.compare.candidates import ALL, Ranker, map_fold_features, rank_fold_terms
from termsift.compare.splits import MAX_SPLITS
from termsift.evaluation import Fold, FoldResult, Goal, evaluate_classifier
from termsift.evaluation.classifiers import Classifier

Progress: TypeAlias = Callable[[int, int], None]
UNLIMITED = np.iinfo(np.int64).max  # k of rankers that use all terms or determine the number


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Configuration that a comparison tries: ranker, classifier and number of terms."""

    ranker: Ranker
    classifier: Classifier
    k: int

    @property
    def requested_size(self) -> str:
        """Number of terms requested; "own" if the method determines it, "all", or "features"."""
        if self.ranker.features is not None:
            return "features"
        if self.ranker.uses_all_terms:
            return "all"
        return "own" if self.k == UNLIMITED else str(self.k)

    @property
    def is_all_terms(self) -> bool:
        """Whether it is the baseline of all terms, in the default representation."""
        return self.ranker.name == ALL.name


@dataclass(slots=True, eq=False)
class RacingCandidate:
    """Candidate with its results so far.

    fold_results : of each fold
    values : (folds,) the first goal
    terms : (folds,) number of terms
    beaten_by : the better candidate, if this one was dropped
    p : p-value of that difference, corrected for all tests
    """

    candidate: Candidate
    fold_results: list[FoldResult] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    beaten_by: RacingCandidate | None = None
    p: float = 1.0

    @property
    def mean(self) -> float:
        """Mean of the goal over the folds, rounded so that ties are exact."""
        return round(float(np.mean(self.values)), 12)

    @property
    def size(self) -> float:
        """Mean number of terms over the folds."""
        return float(np.mean(self.terms))

    def add_fold(self, result: FamilyResult, index: int) -> None:
        """Add the result at one of the family's numbers of terms."""
        fold_result = result.fold_result.select_sizes(np.array([index]))
        self.fold_results.append(fold_result)
        self.values.append(float(fold_result.values[0].mean()))
        self.terms.append(int(result.terms[index]))


@dataclass(frozen=True, slots=True, eq=False)
class CandidateFamily:
    """Ranker and classifier at several numbers of terms, which are fitted together."""

    ranker: Ranker
    classifier: Classifier
    ks: tuple[int, ...]

    @property
    def duration_class(self) -> str:
        """Key shared by families that take about the same time."""
        return f"{self.classifier.name} {self.ranker.is_slow} {self.ranker.representation}"


@dataclass(frozen=True, slots=True, eq=False)
class FamilyResult:
    """Result of a family on a fold.

    fold_result : at each k, for the fold or for its blocks
    terms : (ks,) number of terms at each k
    test_ratio : test documents divided by training documents; 0 for blocks, which share a training set
    """

    fold_result: FoldResult
    terms: Array
    test_ratio: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """Resources of a comparison.

    deadline : in time of time.monotonic(), or None
    racing : whether candidates that can no longer win are dropped
    """

    n_jobs: int | None
    deadline: float | None
    progress: Progress | None
    racing: bool = True


@dataclass(slots=True)
class Clock:
    """Durations so far, and whether time remains.

    done : cost of the finished work
    longest : longest duration of each class of families
    later_folds : number of later folds, like this one, to reserve time for
    fold_start : start of the current fold
    is_over : whether the time is used up
    """

    schedule: Schedule
    done: int = 0
    longest: dict[str, float] = field(default_factory=dict)
    later_folds: float = 0.0
    fold_start: float = field(default_factory=time.monotonic)
    is_over: bool = False

    def start_fold(self, later_folds: float) -> None:
        """Start the time of a fold, and reserve time for later ones."""
        self.later_folds, self.fold_start = later_folds, time.monotonic()

    def has_time(self, duration_class: str) -> bool:
        """Predict whether one more family, and the later folds up to it, end before the deadline."""
        if self.schedule.deadline is not None and not self.is_over:
            now, duration = time.monotonic(), self.longest.get(duration_class, 0.0)
            end = now + duration + self.later_folds * (now - self.fold_start + duration)
            self.is_over = end > self.schedule.deadline
        return not self.is_over

    def report_progress(self, cost: int, remaining: int) -> None:
        """Add finished work, and call the progress callback."""
        self.done += cost
        if self.schedule.progress is not None:
            self.schedule.progress(self.done, self.done + remaining)


def list_families(
    rankers: Sequence[Ranker], classifiers: Sequence[Classifier], ks: Array
) -> list[CandidateFamily]:
    """Return the families to try, fast rankers first; slow classifiers try fewer numbers of terms.

    Features made from terms are combined only with classifiers in their default representation.
    """
    families = []
    for classifier in classifiers:
        sizes = ks[::-1][:: classifier.size_stride][::-1].tolist()
        for ranker in rankers:
            if ranker.features is not None and classifier.representation:
                continue
            tried = [] if ranker.uses_all_terms else list(sizes)
            if ranker.uses_all_terms or ranker.sets_size:
                tried.append(UNLIMITED)
            families.append(CandidateFamily(ranker, classifier, tuple(tried)))
    return sorted(families, key=lambda family: family.ranker.is_slow)


def evaluate_family(family: CandidateFamily, fold: Fold, goals: Sequence[Goal], max_k: int) -> FamilyResult:
    """Evaluate a family on a fold at all its numbers of terms."""
    ranking = rank_fold_terms(family.ranker, fold, max_k)
    sizes, inverse = np.unique(ranking.sizes(np.array(family.ks)), return_inverse=True)
    terms = ranking.terms(sizes)[inverse]
    if family.ranker.features is not None:
        fold, ranking = map_fold_features(family.ranker, fold)
        sizes = ranking.sizes(sizes)
    result = evaluate_classifier(family.classifier, fold, ranking, sizes, goals)
    test_ratio = 0.0 if fold.blocks.size else len(fold.truth) / len(fold.train)
    return FamilyResult(result.select_sizes(inverse), terms, test_ratio)


def evaluate_families(
    families: Sequence[CandidateFamily],
    folds: Mapping[str, Fold],
    goals: Sequence[Goal],
    clock: Clock,
    max_k: int,
    later_cost: int,
) -> list[FamilyResult | None]:
    """Evaluate families on a fold; None for those without time.

    folds : the fold by representation
    max_k : the largest number of terms of any family
    later_cost : cost of later folds, for the progress callback
    """

    def evaluate(family: CandidateFamily) -> FamilyResult | None:
        key = family.duration_class
        if not clock.has_time(key):
            return None
        start = time.monotonic()
        result = evaluate_family(family, folds[family.ranker.representation], goals, max_k)
        clock.longest[key] = max(clock.longest.get(key, 0.0), time.monotonic() - start)
        return result

    results = []
    remaining = later_cost + sum(family.classifier.cost for family in families)
    evaluations = map_in_order(evaluate, families, resolve_n_jobs(clock.schedule.n_jobs))
    for family, result in zip(families, evaluations, strict=True):
        results.append(result)
        remaining -= family.classifier.cost
        clock.report_progress(family.classifier.cost, remaining)
    return results


def check_schedule(folds: object, repeats: object, seed: object, budget: object, progress: object) -> None:
    """Check the options of folds, time and progress."""
    for name, value, minimum, maximum in (
        ("folds", folds, 2, MAX_SPLITS),
        ("repeats", 1 if repeats is None else repeats, 1, MAX_SPLITS),
        ("random_state", seed, 0, np.inf),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
            raise InvalidInputError(f"{name} must be a whole number of at least {minimum}, got {value!r}")
        if value > maximum:
            raise InvalidInputError(f"{name} must be at most {maximum:,}, got {value:,}")
    if budget is not None and not (isinstance(budget, int | float | np.number) and budget > 0):
        raise InvalidInputError(f"budget must be a number of seconds above 0, got {budget!r}")
    check_callback("progress", progress, "of the work done and of all work")


def check_callback(name: str, callback: object, arguments: str) -> None:
    """Check that an optional callback is callable."""
    if not (callback is None or callable(callback)):
        raise InvalidInputError(f"{name} must be a function {arguments}, got {callback!r}")
