"""Results of a comparison: candidates by folds, and the rules that recommend one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.compare.trials import Candidate, RacingCandidate
from termsift.evaluation import Confusion, Goal, holm, t_test_mean
from termsift.evaluation.classifiers import Classifier


@dataclass(frozen=True, slots=True)
class RecommendationRule:
    """Rule for the recommended candidate; by default fewest terms within one standard error of the best.

    tolerance : fewest terms that lose at most this much against the best
    max_terms : the best candidate with at most this many terms
    """

    tolerance: float | None = None
    max_terms: int | None = None

    @property
    def description(self) -> str:
        """Predicate of a sentence about the recommended candidate."""
        if self.max_terms is None:
            limit = "one standard error" if self.tolerance is None else f"{self.tolerance:g}"
            return f"has the fewest terms within {limit} of the best"
        group = f"the candidates with at most {self.max_terms:,} terms"
        if self.tolerance is None:
            return f"is the best of {group}"
        return f"has the fewest terms within {self.tolerance:g} of the best of {group}"


def make_rule(tolerance: Any, max_terms: Any) -> RecommendationRule:
    """Return the rule, after checking its values."""
    is_number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if tolerance is not None and not (is_number and 0 <= float(tolerance) < np.inf):
        raise InvalidInputError(f"tolerance must be a number of at least 0, got {tolerance!r}")
    is_integer = isinstance(max_terms, int | np.integer) and not isinstance(max_terms, bool)
    if max_terms is not None and not (is_integer and max_terms >= 1):
        raise InvalidInputError(f"max_terms must be a whole number of at least 1, got {max_terms!r}")
    return RecommendationRule(tolerance, max_terms)


DEFAULT_RULE = RecommendationRule()


@dataclass(frozen=True, slots=True, eq=False)
class CandidateResults:
    """Candidates by folds.

    goals : the goal to maximise, then further goals to report
    candidates : those that were not dropped
    confusion : (candidates, folds, classes) decisions; folds of the first round, then of the next, or the
        blocks of a single test set
    values : (candidates, folds) the goal; for blocks pseudo-values, whose mean is the goal of all of them
    further_values : (further goals, candidates, folds)
    class_values : (candidates, folds, classes) the goal of each class; NaN if the fold lacks the class
    terms : (candidates, folds) number of terms
    test_ratios : (folds,) test documents divided by training documents; 0 for blocks
    split : description of a round of folds
    folds : number of folds in a round
    rule : rule for the recommended candidate
    dropped : candidates that racing dropped, with their results until then
    """

    goals: Sequence[Goal]
    classes: tuple[Any, ...]
    candidates: Sequence[Candidate]
    confusion: Confusion
    values: Array
    further_values: Array
    class_values: Array
    terms: Array
    test_ratios: Array
    split: str
    folds: int
    rule: RecommendationRule = DEFAULT_RULE
    dropped: Sequence[RacingCandidate] = ()

    @property
    def n_tried(self) -> int:
        """Number of candidates, including the dropped ones."""
        return len(self.candidates) + len(self.dropped)

    @property
    def goal(self) -> Goal:
        """Goal to maximise."""
        return self.goals[0]

    @property
    def means(self) -> Array:
        """Mean of the goal over the folds (candidates,)."""
        return np.asarray(self.values.mean(axis=1))

    @property
    def errors(self) -> Array:
        """Standard errors of the means (candidates,)."""
        return standard_errors(self.values, self.test_ratios)

    @property
    def is_holdout(self) -> bool:
        """Whether there is a single test set, whose blocks take the place of folds."""
        return not self.test_ratios.any()

    @property
    def sizes(self) -> Array:
        """Mean number of terms (candidates,)."""
        return np.asarray(self.terms.mean(axis=1))

    def evaluate_goal(self, goal: Goal) -> Array:
        """Return another goal of the decisions (candidates,)."""
        if self.is_holdout:
            return goal.values(self.confusion.pool(axis=1))
        return np.asarray(goal.values(self.confusion).mean(axis=1))

    @property
    def repeats(self) -> int:
        """Number of rounds of the cross-validation."""
        return int(self.terms.shape[1]) // self.folds

    @property
    def best(self) -> int:
        """Index of the candidate with the best mean."""
        return best_index(self.values, self.sizes)

    @property
    def recommended(self) -> int:
        """Index of the recommended candidate."""
        return self.recommend(np.arange(len(self.test_ratios)))

    @property
    def expected(self) -> float | None:
        """Expected goal of the recommended candidate on new documents; None if a round is a single split.

        The score of a candidate chosen for its score is biased upwards. Therefore the choice is repeated
        without each fold, and the chosen candidate is measured on that fold (nested cross-validation).
        """
        if self.folds < 2:
            return None
        rounds = np.arange(len(self.test_ratios)).reshape(-1, self.folds)
        scores = [
            self.values[self.recommend(folds[folds != fold]), fold] for folds in rounds for fold in folds
        ]
        return float(np.mean(scores))

    def recommend(self, folds: Array) -> int:
        """Return the index of the candidate that the rule recommends, by some of the folds."""
        eligible = np.arange(len(self.candidates))
        if self.rule.max_terms is not None:
            small = np.flatnonzero(np.round(self.sizes) <= self.rule.max_terms)
            eligible = small if len(small) else np.array([int(np.argmin(self.sizes))])
        values, sizes = self.values[np.ix_(eligible, folds)], self.sizes[eligible]
        best = best_index(values, sizes)
        if self.rule.tolerance is not None:
            tolerance = self.rule.tolerance
        elif self.rule.max_terms is not None:
            return int(eligible[best])
        else:
            tolerance = standard_errors(values[[best]], self.test_ratios[folds])[0]
        return int(eligible[smallest_within(values, sizes, tolerance)])

    def best_of_method(self, name: str, classifiers: Collection[Classifier] | None = None) -> int:
        """Return the index of a method's best candidate, optionally only with some classifiers."""
        classifiers = self.method_classifiers(name) if classifiers is None else classifiers
        indices = np.array(self.method_candidates(name, classifiers))
        return int(indices[best_index(self.values[indices], self.sizes[indices])])

    def method_candidates(self, name: str, classifiers: Collection[Classifier]) -> list[int]:
        """Return the indices of a method's candidates with some classifiers."""
        return [
            i
            for i, candidate in enumerate(self.candidates)
            if candidate.ranker.name == name and candidate.classifier in classifiers
        ]

    def method_classifiers(self, name: str) -> list[Classifier]:
        """Return the classifiers that a method was tried with; a budget may allow only some."""
        tried = (*self.candidates, *(racer.candidate for racer in self.dropped))
        return list(dict.fromkeys(c.classifier for c in tried if c.ranker.name == name))

    @property
    def methods(self) -> list[str]:
        """Methods whose best candidate was not dropped, best first."""
        names = dict.fromkeys(candidate.ranker.name for candidate in self.candidates)
        remaining = [name for name in names if self.dropped_best(name) is None]
        return sorted(remaining, key=lambda name: -self.means[self.best_of_method(name)])

    @property
    def dropped_methods(self) -> list[RacingCandidate]:
        """Best candidates of the methods whose best candidate was dropped, closest to the best first."""
        names = dict.fromkeys(racer.candidate.ranker.name for racer in self.dropped)
        racers = [racer for name in names if (racer := self.dropped_best(name)) is not None]
        return sorted(racers, key=lambda racer: -self.lead_over_best(racer))

    def dropped_best(self, name: str) -> RacingCandidate | None:
        """Return a method's best candidate if it was dropped, otherwise None.

        Remaining candidates of the method are compared with it on the folds before it was dropped.
        """
        racers = [racer for racer in self.dropped if racer.candidate.ranker.name == name]
        if not racers:
            return None
        racer = max(racers, key=self.lead_over_best)
        n_folds = len(racer.values)
        for i in self.method_candidates(name, self.method_classifiers(name)):
            if self.values[i, :n_folds].mean() >= racer.mean:
                return None
        return racer

    def lead_over_best(self, racer: RacingCandidate) -> float:
        """Return how far a dropped candidate leads the best of all, on the folds before it was dropped."""
        return float(np.mean(racer.values - self.values[self.best, : len(racer.values)]))

    @property
    def common_classifiers(self) -> list[Classifier]:
        """Classifiers that every method was tried with; if there is none, all classifiers."""
        classifiers = list(dict.fromkeys(candidate.classifier for candidate in self.candidates))
        methods = self.methods
        common = [c for c in classifiers if all(c in self.method_classifiers(name) for name in methods)]
        return common if all(self.method_candidates(name, common) for name in methods) else classifiers

    def is_comparable(self, name: str) -> bool:
        """Whether a method was tried with the classifier of the best candidate."""
        return self.candidates[self.best].classifier in self.method_classifiers(name)

    def comparison_pair(self, name: str) -> tuple[int, int]:
        """Return the best candidates of a method and of the best method, with classifiers of both."""
        winner = self.candidates[self.best].ranker.name
        shared = [c for c in self.method_classifiers(name) if c in self.method_classifiers(winner)]
        if not (self.method_candidates(name, shared) and self.method_candidates(winner, shared)):
            return self.best_of_method(name), self.best
        return self.best_of_method(name, shared), self.best_of_method(winner, shared)

    def p_value(self, first: int, second: int) -> float:
        """Return the two-sided p-value of two candidates, by the corrected resampled t test."""
        differences = self.values[first] - self.values[second]
        variance_factor = 1 / len(differences) + self.test_ratios.mean()
        return t_test_mean(differences, variance_factor, "two-sided").p_value

    def p_values(self) -> dict[str, float]:
        """Return Holm-adjusted p-values of each comparable method against the best."""
        winner = self.candidates[self.best].ranker.name
        names = [name for name in self.methods if name != winner and self.is_comparable(name)]
        adjusted = holm([self.p_value(*self.comparison_pair(name)[::-1]) for name in names])
        return dict(zip(names, adjusted.tolist(), strict=True))

    def class_scores(self, index: int) -> tuple[Array, Array]:
        """Return a candidate's goal of each class, and its jackknife standard error (classes,).

        Decisions are pooled over the folds, because a fold has too few documents of a rare class: Forman and
        Scholz (2010). Goals of rankings cannot be pooled; they are averaged over the folds that have the
        class.
        """
        if self.goal.rank_measure is not None:
            return self._mean_class_values(self.class_values[index])
        confusion, measure = self.confusion[index], self.goal.measure
        n = len(confusion.exact_matches)
        without = np.array([measure(confusion[np.arange(n) != i].pool()) for i in range(n)])
        squares = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        return measure(confusion.pool()), np.sqrt((n - 1) / n * squares)

    def _mean_class_values(self, values: Array) -> tuple[Array, Array]:
        """Return means and standard errors over the folds that have the class; 0 without any."""
        present = ~np.isnan(values)
        n = np.maximum(present.sum(axis=0), 1)
        means = np.where(present, values, 0.0).sum(axis=0) / n
        variance = (np.where(present, values - means, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 1)
        return means, np.sqrt(variance * (1 / n + self.test_ratios.mean()))


def standard_errors(values: Array, test_ratios: Array) -> Array:
    """Return standard errors of means over folds with overlapping training sets: Nadeau and Bengio (2003).

    The variance of the mean is that of the folds times 1/folds + test/training, not 1/folds alone.

    values : (candidates, folds)
    test_ratios : (folds,) test documents divided by training documents
    """
    n_folds = values.shape[1]
    deviations = values.std(axis=1, ddof=1) if n_folds > 1 else np.zeros(len(values))
    return np.asarray(deviations * np.sqrt(1 / n_folds + test_ratios.mean()))


def best_index(values: Array, sizes: Array) -> int:
    """Return the index of the best mean; ties by fewest terms, then by order."""
    means = np.round(values.mean(axis=1), 12)
    return int(np.lexsort((np.arange(len(means)), sizes, -means))[0])


def smallest_within(values: Array, sizes: Array, tolerance: float) -> int:
    """Return the index with fewest terms within a tolerance of the best mean; ties by the mean."""
    means = np.round(values.mean(axis=1), 12)
    within = np.flatnonzero(means >= np.round(means.max() - tolerance, 12))
    order = np.lexsort((within, -means[within], np.round(sizes[within], 6)))
    return int(within[order[0]])
