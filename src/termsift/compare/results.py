"""Results of a comparison: candidates by folds, rules that recommend one of them, and advice in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.compare.candidates import Candidate, RacingCandidate
from termsift.compare.documents import describe_representation
from termsift.evaluation import Confusion, Goal, t_test_mean
from termsift.evaluation.classifiers import Classifier
from termsift.selection import PositiveNegative, RedundancyAware, describe_significance

if TYPE_CHECKING:
    from termsift.compare.comparison import Comparison

SIGNIFICANCE = 0.05
LEVEL = 0.05  # upper bound of the probability that racing drops the best candidate
DEFAULT_TOLERANCE, DEFAULT_MAX_TERMS = 0.01, 500  # of the rules that are shown in any case
WIN_TOLERANCE = 0.01  # a method wins a class if it is within this of the best


@dataclass(frozen=True, slots=True)
class RecommendationRule:
    """Rule for the recommended candidate; by default fewest terms within one standard error of the best.

    tolerance : fewest terms that lose at most this much against the best
    max_terms : the best candidate with at most this many terms
    is_timed : whether a budget limits the time; then none below the first candidate is recommended, which
        is what everybody would have tried in that time
    """

    tolerance: float | None = None
    max_terms: int | None = None
    is_timed: bool = False


@dataclass(slots=True, eq=False)
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
    features : (candidates,) mean number of features of the classifier: terms, or what replaces them
    seconds : (candidates,) mean time per fold for ranking, fitting and evaluating; divided by the number of
        sizes of a method, which are fitted together
    test_ratios : (folds,) test documents divided by training documents; 0 for blocks
    split : description of a round of folds
    folds : number of folds in a round
    rule : rule for the recommended candidate
    dropped : candidates that racing dropped, with their results until then
    guess_values : (2, folds) the goal of the most frequent label, and of random labels by frequency
    guess_p : p-value of the lead of the best candidate over the better guess, corrected for all candidates
    fold_errors : (candidates,) standard errors within the fold if there is only one, or empty

    Derived values:

    goal : the goal to maximise
    means, errors : (candidates,) mean of the goal over the folds, and its standard error
    sizes : (candidates,) mean number of terms
    is_holdout : whether there is a single test set, whose blocks take the place of folds
    repeats : number of rounds of the cross-validation
    n_tried : number of candidates, including the dropped ones
    best, recommended : indices of the candidate with the best mean, and of the recommended one
    best_guess : index of the guess with the better mean, 0 for the most frequent label, 1 for random labels
    beats_guessing : whether the best candidate is significantly better than guessing
    """

    goals: Sequence[Goal]
    classes: tuple[Any, ...]
    candidates: Sequence[Candidate]
    confusion: Confusion
    values: Array
    further_values: Array
    class_values: Array
    terms: Array
    features: Array
    seconds: Array
    test_ratios: Array
    split: str
    folds: int
    rule: RecommendationRule = field(default_factory=RecommendationRule)
    dropped: Sequence[RacingCandidate] = ()
    guess_values: Array = field(default_factory=lambda: np.zeros((2, 0)))
    guess_p: float = 0.0
    fold_errors: Array = field(default_factory=lambda: np.zeros(0))
    goal: Goal = field(init=False)
    means: Array = field(init=False)
    errors: Array = field(init=False)
    sizes: Array = field(init=False)
    is_holdout: bool = field(init=False)
    repeats: int = field(init=False)
    n_tried: int = field(init=False)
    best: int = field(init=False)
    recommended: int = field(init=False)
    best_guess: int = field(init=False)
    beats_guessing: bool = field(init=False)

    def __post_init__(self) -> None:
        self.goal = self.goals[0]
        self.means = np.asarray(self.values.mean(axis=1))
        self.errors = standard_errors(self.values, self.test_ratios)
        if self.fold_errors.size:
            self.errors = self.fold_errors
        self.sizes = np.asarray(self.terms.mean(axis=1))
        self.is_holdout = not self.test_ratios.any()
        self.repeats = int(self.terms.shape[1]) // self.folds
        self.n_tried = len(self.candidates) + len(self.dropped)
        self.best = best_index(self.values, self.sizes)
        self.recommended = self.recommend(np.arange(len(self.test_ratios)))
        self.best_guess = int(np.argmax(np.round(self.guess_values.mean(axis=1), 12)))
        self.beats_guessing = self.guess_p < SIGNIFICANCE

    def nested_score(self) -> float | None:
        """Return the expected goal on new documents; None if a round is a single split.

        The score of a candidate chosen for its score is biased upwards. Therefore the choice is repeated
        without each fold, and the chosen candidate is measured on that fold (nested cross-validation).
        """
        if self.folds < 2:
            return None
        rounds = np.arange(len(self.test_ratios)).reshape(-1, self.folds)
        scores = [self.values[self.recommend(f[f != fold]), fold] for f in rounds for fold in f]
        return float(np.mean(scores))

    def recommend(self, folds: Array) -> int:
        """Return the index of the candidate that the rule recommends, by some of the folds."""
        eligible = np.arange(len(self.candidates))
        if self.rule.max_terms is not None:
            small = np.flatnonzero(np.round(self.sizes) <= self.rule.max_terms)
            # if all candidates are larger, the smallest comes closest
            eligible = small if len(small) else np.array([int(np.argmin(self.sizes))])
        values, sizes = self.values[np.ix_(eligible, folds)], self.sizes[eligible]
        best = best_index(values, sizes)
        if self.rule.tolerance is not None:
            tolerance = self.rule.tolerance
        elif self.rule.max_terms is not None:
            return int(eligible[best])
        else:
            tolerance = standard_errors(values[[best]], self.test_ratios[folds])[0]
        # fewest terms, ties by the mean; rounded, so that ties do not depend on rounding errors
        means = np.round(values.mean(axis=1), 12)
        limit = np.round(means.max() - tolerance, 12)
        if self.rule.is_timed and self.rule.tolerance is None:
            limit = max(limit, means[0])
        within = np.flatnonzero(means >= limit)
        order = np.lexsort((within, -means[within], np.round(sizes[within], 6)))
        return int(eligible[within[order[0]]])

    def best_of_method(self, method_name: str, classifiers: Collection[Classifier] | None = None) -> int:
        """Return the index of a method's best candidate, optionally only with some classifiers."""
        indices = np.array(self.grid_candidates(method_name, classifiers))
        return int(indices[best_index(self.values[indices], self.sizes[indices])])

    def grid_candidates(
        self, method_name: str, classifiers: Collection[Classifier] | None = None
    ) -> list[int]:
        """Return the indices of a method's candidates, optionally only with some classifiers."""
        return [
            i
            for i, candidate in enumerate(self.candidates)
            if candidate.ranker.name == method_name
            and not candidate.is_extra
            and (classifiers is None or candidate.classifier in classifiers)
        ]

    def method_classifiers(self, name: str) -> list[Classifier]:
        """Return the classifiers that a method was tried with; a budget may allow only some."""
        tried = (*self.candidates, *(racer.candidate for racer in self.dropped))
        grid = (candidate for candidate in tried if not candidate.is_extra)
        return list(dict.fromkeys(c.classifier for c in grid if c.ranker.name == name))

    @property
    def remaining_methods(self) -> list[str]:
        """Methods whose best candidate was not dropped, best first."""
        grid = (candidate for candidate in self.candidates if not candidate.is_extra)
        names = dict.fromkeys(candidate.ranker.name for candidate in grid)
        remaining = [name for name in names if self.best_if_dropped(name) is None]
        return sorted(remaining, key=lambda name: -self.means[self.best_of_method(name)])

    def best_if_dropped(self, method_name: str) -> RacingCandidate | None:
        """Return a method's best candidate if it was dropped, otherwise None.

        Remaining candidates of the method are compared with it on the folds before it was dropped.
        """
        grid = (racer for racer in self.dropped if not racer.candidate.is_extra)
        racers = [racer for racer in grid if racer.candidate.ranker.name == method_name]
        if not racers:
            return None
        racer = max(racers, key=self.lead_over_best)
        remaining = self.values[self.grid_candidates(method_name), : len(racer.values)]
        return None if np.any(remaining.mean(axis=1) >= racer.mean) else racer

    def lead_over_best(self, racer: RacingCandidate) -> float:
        """Return how far a dropped candidate leads the best of all, on the folds before it was dropped."""
        return float(np.mean(racer.values - self.values[self.best, : len(racer.values)]))

    @property
    def best_of_grid(self) -> int:
        """Index of the best candidate of the grid of all methods and classifiers."""
        indices = np.array([i for i, candidate in enumerate(self.candidates) if not candidate.is_extra])
        return int(indices[best_index(self.values[indices], self.sizes[indices])])

    def comparison_pair(self, method_name: str) -> tuple[int, int]:
        """Return the best candidates of a method and of the best method, with classifiers of both."""
        winner = self.candidates[self.best_of_grid].ranker.name
        shared = [c for c in self.method_classifiers(method_name) if c in self.method_classifiers(winner)]
        if not (self.grid_candidates(method_name, shared) and self.grid_candidates(winner, shared)):
            return self.best_of_method(method_name), self.best_of_grid
        return self.best_of_method(method_name, shared), self.best_of_method(winner, shared)

    def p_value(self, first: int, second: int) -> float:
        """Return the two-sided p-value of two candidates, by the corrected resampled t test."""
        return self.difference_p_value(self.values[first] - self.values[second])

    def difference_p_value(self, differences: Array) -> float:
        """Return the two-sided p-value of differences (folds,); 1 for a single fold."""
        if len(differences) < 2:
            return 1.0
        variance_factor = 1 / len(differences) + self.test_ratios.mean()
        return t_test_mean(differences, variance_factor, "two-sided").p_value

    def class_scores(self, index: int) -> tuple[Array, Array]:
        """Return a candidate's goal of each class, and its standard error (classes,).

        Decisions are pooled over the folds, because a fold has too few documents of a rare class: Forman and
        Scholz (2010). Goals of rankings cannot be pooled; they are averaged over the folds that have the
        class.
        """
        if self.goal.rank_measure is not None:
            values = self.class_values[index]
            present = ~np.isnan(values)
            n = np.maximum(present.sum(axis=0), 1)
            means = np.where(present, values, 0.0).sum(axis=0) / n
            variance = (np.where(present, values - means, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 1)
            return means, np.sqrt(variance * (1 / n + self.test_ratios.mean()))
        confusion, measure = self.confusion[index], self.goal.measure
        n_folds = len(confusion.exact_matches)
        # the jackknife: pooled scores without each fold
        without = np.array([measure(confusion[np.arange(n_folds) != i].pool()) for i in range(n_folds)])
        squares = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        return measure(confusion.pool()), np.sqrt((n_folds - 1) / n_folds * squares)


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


def describe_race(results: CandidateResults) -> str:
    """Describe in a sentence how many candidates were dropped, when and why."""
    if not results.dropped:
        return ""
    counts = Counter(len(racer.values) for racer in results.dropped)
    steps = [f"{counts[n]:,} after {n} {'fold' if n == 1 else 'folds'}" for n in sorted(counts)]
    return (
        f"Racing dropped {len(results.dropped):,} of {results.n_tried:,} candidates ({', '.join(steps)}): "
        "each was significantly worse than a candidate of equal or smaller size. The probability that the "
        f"best one is among them is at most {LEVEL:.0%}; "
        "--no-racing, or racing=False in Python, evaluates all."
    )


def pareto_candidates(results: CandidateResults) -> list[int]:
    """Return the candidates that none with at most as many terms beats, by number of terms."""
    order = np.lexsort((-results.means, np.round(results.sizes, 6)))
    indices: list[int] = []
    for index in order.tolist():
        if not indices or results.means[index] > results.means[indices[-1]] + 1e-12:
            indices.append(index)
    return indices


def candidates_by_rule(results: CandidateResults) -> dict[str, int]:
    """Return the candidate that each rule recommends, by a description of the rule."""
    rule = results.rule
    tolerance = DEFAULT_TOLERANCE if rule.tolerance is None else rule.tolerance
    max_terms = DEFAULT_MAX_TERMS if rule.max_terms is None else rule.max_terms
    rules = {
        "one standard error": RecommendationRule(),
        f"within {tolerance:g}": RecommendationRule(tolerance=tolerance),
    }
    if results.sizes.min() <= max_terms:
        rules[f"at most {max_terms:,} terms"] = RecommendationRule(max_terms=max_terms)
    return {"best": results.best} | {
        name: replace(results, rule=rule).recommended for name, rule in rules.items()
    }


def format_summary(comparison: Comparison, *, is_saved: bool = False) -> str:
    """Format the answer: its sentences, and the summary as a table with the meaning of its names."""
    r, rows = comparison.results, list(comparison.summary)
    speeds = [row["documents_per_second"] for row in rows]
    mark = "recommended, saved" if is_saved and r.beats_guessing else "recommended"
    columns = {
        "candidate": [row["candidate"].replace("recommended", mark) for row in rows],
        "features": [row["features"] for row in rows],
        "classifier": [row["classifier"] for row in rows],
        "terms": [f"{row['terms']:,}" for row in rows],
        r.goal.name: [f"{row['mean']:.3f} ± {row['error']:.3f}" for row in rows],
        **{goal.name: [f"{row[goal.name]:.3f}".replace("nan", "") for row in rows] for goal in r.goals[1:]},
        "difference": ["", *(f"{row['difference']:+.3f}" for row in rows[1:])],
        "p": ["< 0.001" if row["p"] < 0.001 else f"{row['p']:.2g}".replace("nan", "") for row in rows],
        # two digits, because the measurement is no more accurate
        "docs/s": [f"{float(format(speed, '.2g')):,.0f}".replace("nan", "") for speed in speeds],
    }
    # cells of numbers are right-aligned
    for name in ("terms", "difference", "docs/s"):
        width = max(map(len, [name, *columns[name]]))
        columns[name] = [cell.rjust(width) for cell in columns[name]]
    table = format_table(Table({name: as_term_array(cells) for name, cells in columns.items()}))
    candidates = [r.candidates[i] for i in dict.fromkeys((r.best, r.recommended)) if r.beats_guessing]
    named: Iterable[Any] = chain.from_iterable((c.ranker, c.classifier) for c in candidates)
    # the label of the row of all terms explains both of its names
    names = dict.fromkeys(f"{x.name} is {x.description}" for x in named if x.name not in ("all", "svm"))
    notes = ["± standard error; differences from the best; docs/s: documents labelled per CPU second."]
    notes += [f"{'; '.join(names)}."] if names else []
    return "\n".join([*comparison.answer, "", table, *notes])


def describe_best_guess(comparison: Comparison) -> str:
    """Describe the better guess."""
    if comparison.results.best_guess:
        return "random labels by frequency"
    labels = comparison.documents.labels
    if not labels.is_single_label:
        return "each label as in most documents"
    return f"always {labels.classes[int(np.argmax(np.diff(labels.starts)))]!r}"


def _explain_no_recommendation(comparison: Comparison, split: str) -> str:
    """Write that no candidate is better than guessing."""
    r, goal = comparison.results, comparison.results.goal.description.rstrip(",")
    guess = "guessing labels at random" if r.best_guess else f"answering {describe_best_guess(comparison)}"
    return (
        f"No candidate is significantly better than {guess}: {goal} {r.means[r.best]:.3f} ± "
        f"{r.errors[r.best]:.3f} for the best of {r.n_tried:,} candidates, "
        f"{r.guess_values[r.best_guess].mean():.3f} for the guess ({split}). There is no "
        "recommendation: the texts do not predict the labels, or there are too few documents to show it."
    )


def answer_sentences(comparison: Comparison) -> list[str]:
    """Return what to use and why, and its score on new data."""
    r = comparison.results
    split = r.split + (f", {r.repeats} times" if r.repeats > 1 else "")
    if not r.beats_guessing:
        return [_explain_no_recommendation(comparison, split)]
    total = f"{r.n_tried:,} candidates"
    if r.rule.max_terms is not None:
        total = f"the candidates with at most {r.rule.max_terms:,} terms"
    limit = "one standard error" if r.rule.tolerance is None else f"{r.rule.tolerance:g}"
    floor = ", and not below all terms" if r.rule.is_timed and r.rule.tolerance is None else ""
    reason = f"the fewest terms within {limit} of the best of {total}{floor}"
    if r.rule.tolerance == 0 or (r.rule.max_terms is not None and r.rule.tolerance is None):
        reason = f"the best of {total}"
    elif r.recommended == r.best:
        reason = f"the best of {total}; none with fewer terms is within {limit}"
    score = f"{r.goal.description} {r.means[r.recommended]:.3f} ± {r.errors[r.recommended]:.3f}"
    scope = "inside each fold" if "fold" in r.split else "in each split"
    if r.is_holdout:
        scope = "on the training set"
    expected = r.nested_score()
    outlook = "Expect less on new data: the candidate was chosen on the same test documents."
    if expected is not None:
        outlook = f"Expected on new data: {expected:.3f} (nested cross-validation)."
    return [
        f"Use {describe_candidate(r, r.recommended)}: {reason}.",
        f"{score[0].upper()}{score[1:]} ({split}; terms chosen {scope}). {outlook}",
    ]


def detail_sentences(comparison: Comparison) -> list[str]:
    """Return further findings in sentences."""
    r, model = comparison.results, comparison.models[0]
    sentences, method = [describe_race(r)], model.candidate.ranker.method
    # these policies take terms for other reasons than their score alone
    if method is not None and not isinstance(method.policy, PositiveNegative | RedundancyAware):
        k = len(model.columns)
        text = describe_significance(k, method.selection(comparison.documents.counts, k).n_significant)
        sentences.append(f"{text[0].upper()}{text[1:]}." if text else "")
    return [sentence for sentence in sentences if sentence]


def describe_candidate(r: CandidateResults, index: int) -> str:
    """Describe a candidate: its number of terms, method and classifier."""
    ranker, classifier = r.candidates[index].ranker, r.candidates[index].classifier.description
    terms = r.sizes[index]
    if ranker.features is not None:
        return f"{ranker.description} of all {terms:,.0f} terms, with {classifier}"
    if ranker.uses_all_terms:
        kind = f" ({describe_representation(ranker.representation)})" if ranker.representation else ""
        return f"all {terms:,.0f} terms{kind} with {classifier}"
    return f"{terms:,.0f} terms chosen by {ranker.description}, with {classifier}"
