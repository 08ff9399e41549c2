"""Goals of a comparison: measures of decisions or of ranked documents, and their values on a fold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.confusion import Confusion, accept_classes
from termsift.evaluation.measures import average_precision, precision_at_recall
from termsift.evaluation.splits import Fold

if TYPE_CHECKING:
    from termsift.evaluation.classifiers import Classifier

# (scores, truth, weights) of the documents for one class
RankMeasure: TypeAlias = Callable[[Array, Array, Any], float]


@dataclass(frozen=True, slots=True)
class Goal:
    """Measure that a comparison maximises.

    description : name for readers
    measure : (..., classes) measure of each class, computed from decisions
    overall : (...,) measure over all classes, unless it is the mean over the classes present
    rank_measure : measure of one class from the ranking of documents instead of decisions
    at_break_even : whether decisions are made at the break-even point of each class
    beta : beta of an F measure of decisions, for which thresholds can be tuned
    """

    name: str
    description: str
    measure: Callable[[Confusion], Array]
    overall: Callable[[Confusion], Array] | None = None
    rank_measure: RankMeasure | None = None
    at_break_even: bool = False
    beta: float | None = None

    def evaluate(self, confusion: Confusion) -> Array:
        """Return (...,) the measure of decisions over all classes."""
        if self.overall is not None:
            return np.asarray(self.overall(confusion))
        # as in scikit-learn, the mean is over the classes that occur or were predicted
        present = confusion.tp + confusion.fp + confusion.fn > 0
        return ratio((self.measure(confusion) * present).sum(-1), present.sum(-1))


def balanced_accuracy(confusion: Confusion) -> Array:
    """Return the mean recall of the classes present; with several labels, of recall and specificity."""
    present, tn = confusion.sizes > 0, confusion.tn
    recall = confusion.recall
    if not is_single_label(confusion):
        recall = (recall + ratio(tn, tn + confusion.fp)) / 2
    return ratio((recall * present).sum(-1), present.sum(-1))


def matthews(confusion: Confusion) -> Array:
    """Return Matthews' correlation over all classes; for multiple labels its mean over the classes present.

    Gorodkin (2004): for single labels the counts of each class suffice.
    """
    sizes = confusion.sizes
    if not is_single_label(confusion):
        return ratio((class_matthews(confusion) * (sizes > 0)).sum(-1), (sizes > 0).sum(-1))
    n, correct = np.asarray(confusion.documents, dtype=float), confusion.tp.sum(-1)
    predicted = confusion.tp + confusion.fp
    squares = (n**2 - (predicted**2).sum(-1)) * (n**2 - (sizes**2).sum(-1))
    return ratio(correct * n - (predicted * sizes).sum(-1), np.sqrt(np.maximum(squares, 0)))


def class_matthews(confusion: Confusion) -> Array:
    """Return (..., classes) Matthews' correlation of each class against the rest."""
    cells = (confusion.tp, confusion.fp, confusion.fn, confusion.tn)
    tp, fp, fn, tn = (cell.astype(float) for cell in cells)
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def is_single_label(confusion: Confusion) -> bool:
    """Check that each document has one true and one predicted label."""
    documents = np.broadcast_to(confusion.documents, confusion.tp.shape[:-1])
    labels = confusion.sizes.sum(-1), (confusion.tp + confusion.fp).sum(-1)
    return all(np.allclose(sums, documents) for sums in labels)


F1 = attrgetter("f1")
GOALS = {
    goal.name: goal
    for goal in (
        Goal("f1_macro", "macro-averaged F1", F1, beta=1.0),
        Goal("f1_micro", "micro-averaged F1", F1, lambda confusion: np.asarray(confusion.micro.f1), beta=1.0),
        Goal("accuracy", "accuracy", F1, lambda confusion: np.asarray(confusion.exact_match_ratio)),
        Goal("balanced_accuracy", "balanced accuracy", attrgetter("recall"), balanced_accuracy),
        Goal("precision_macro", "macro-averaged precision", attrgetter("precision")),
        Goal("recall_macro", "macro-averaged recall", attrgetter("recall")),
        Goal("mcc", "Matthews' correlation", class_matthews, matthews),
        Goal("break_even", "macro-averaged F1 at the break-even point", F1, at_break_even=True),
        Goal("average_precision", "average precision, macro-averaged,", F1, rank_measure=average_precision),
    )
}
F_BETA = re.compile(r"f(\d+(?:\.\d+)?)_(macro|micro)")
AT_RECALL = re.compile(r"precision_at_recall\((\d*\.?\d+)\)")
EXAMPLES = ("f2_macro", "f0.5_micro", "precision_at_recall(0.9)")


def parse_goal(name: Any) -> Goal:
    """Return the goal with this name.

    >>> parse_goal("f1_macro").description, parse_goal("f0.5_micro").description
    ('macro-averaged F1', 'micro-averaged F0.5')
    >>> parse_goal("precision_at_recall(0.9)").description
    'precision at a recall of 0.9, macro-averaged,'
    """
    text = name if isinstance(name, str) else ""
    if text in GOALS:
        return GOALS[text]
    if match := F_BETA.fullmatch(text):
        beta, average = float(match[1]), match[2]
        if not 0 < beta <= 100:
            raise InvalidInputError(f"beta in goal {text!r} must be above 0 and at most 100")

        def micro_f(confusion: Confusion) -> Array:
            return np.asarray(confusion.micro.f_beta(beta))

        overall = micro_f if average == "micro" else None
        title = f"{average}-averaged F{beta:g}"
        return Goal(f"f{beta:g}_{average}", title, methodcaller("f_beta", beta), overall, beta=beta)
    if match := AT_RECALL.fullmatch(text):
        min_recall = float(match[1])
        if not 0 < min_recall <= 1:
            raise InvalidInputError(f"recall in goal {text!r} must be above 0 and at most 1")
        title = f"precision at a recall of {min_recall:g}, macro-averaged,"

        def best_precision(scores: Array, truth: Array, weights: Any) -> float:
            return precision_at_recall(scores, truth, min_recall, weights)

        return Goal(f"precision_at_recall({min_recall:g})", title, F1, rank_measure=best_precision)
    raise unknown_name_error("goal", name, (*GOALS, *EXAMPLES))


def parse_goals(names: Any) -> list[Goal]:
    """Return one or several distinct goals; the first decides."""
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    goals = [parse_goal(name) for name in (names if is_list else [names])]
    if not goals:
        raise InvalidInputError("at least one goal is needed, for example f1_macro; got none")
    name, times = Counter(goal.name for goal in goals).most_common(1)[0]
    if times > 1:
        raise InvalidInputError(f"goal {name} is given twice; name each goal once")
    return goals


SPREAD_GROUPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """Decisions and goals of the test documents of a fold, as a whole or by blocks.

    confusion : (blocks, sizes, classes) decisions; without blocks, the first axis has length 1
    values : (goals, blocks, sizes) values of the goals; with several blocks, jackknife pseudo-values whose
        mean is the goal over all test documents
    by_class : (blocks, sizes, classes) values of the first goal; NaN for an absent class
    spread : (sizes, groups) pseudo-values of the first goal by groups of test documents, an estimate of its
        random variation; (sizes, 0) for goals that are not measured on decisions, or too few documents
    """

    confusion: Confusion
    values: Array
    by_class: Array
    spread: Array

    def select_sizes(self, indices: Array) -> FoldResult:
        """Keep only the sizes at these indices."""
        values, by_class = self.values[..., indices], self.by_class[:, indices]
        return FoldResult(self.confusion[:, indices], values, by_class, self.spread[indices])


def evaluate_classifier(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goals: Sequence[Goal]
) -> FoldResult:
    """Fit a classifier to the first terms of a ranking and evaluate the goals on the test documents."""
    values = classifier.decision_values(fold, ranking, sizes)
    confidences = values
    needs_ranks = any(goal.rank_measure or goal.at_break_even for goal in goals)
    # a second fit is needed only if decision values cannot be compared across documents
    if needs_ranks and type(classifier).confidences is not type(classifier).decision_values:
        confidences = classifier.confidences(fold, ranking, sizes)
    numbers = fold.blocks if fold.blocks.size else np.zeros(len(fold.truth), dtype=np.intp)
    blocks = [numbers == number for number in range(int(numbers.max(initial=0)) + 1)]
    at_break_even = goals[0].at_break_even
    decisive = confidences if at_break_even else values
    confusion = Confusion.stack([count_decisions(fold, decisive, block, at_break_even) for block in blocks])
    measures = [evaluate_goal_by_block(goal, fold, confusion, confidences, blocks) for goal in goals]
    spread = group_pseudo_values(goals[0], fold, values)
    return FoldResult(confusion, np.stack([overall for overall, _ in measures]), measures[0][1], spread)


def evaluate_goal_by_block(
    goal: Goal, fold: Fold, confusion: Confusion, confidences: Array, blocks: list[Array]
) -> tuple[Array, Array]:
    """Return (blocks, sizes) values of a goal, and (blocks, sizes, classes) of each class."""
    everything = np.ones(len(fold.truth), dtype=bool)
    # the jackknife needs the goal of all documents, and of all without each block
    masks = [everything, *(~block for block in blocks)] if len(blocks) > 1 else [everything]
    if goal.rank_measure is not None:
        measures = [evaluate_rank_goal(goal, fold, confidences, mask) for mask in masks]
    else:
        if goal.at_break_even:
            confusions = [count_decisions(fold, confidences, mask, True) for mask in masks]
        else:
            indices = np.arange(len(blocks))
            left_out = [confusion[indices != block].pool() for block in indices] if len(blocks) > 1 else []
            confusions = [confusion.pool(), *left_out]
        measures = []
        for decisions in confusions:
            present = decisions.tp + decisions.fp + decisions.fn > 0
            by_class = np.where(present, goal.measure(decisions), np.nan)
            measures.append((goal.evaluate(decisions), by_class))
    overall, by_class = (np.stack(column) for column in zip(*measures, strict=True))
    if len(blocks) > 1:
        return jackknife_pseudo_values(overall), jackknife_pseudo_values(by_class)
    return overall, by_class


def count_decisions(fold: Fold, values: Array, mask: Array, at_break_even: bool = False) -> Confusion:
    """Count (sizes, classes) decisions on the test documents of a mask."""
    truth, classes = fold.truth[mask], fold.train.labels.classes
    if at_break_even:
        return Confusion.at_break_even(values[:, mask], truth, classes)
    weights = fold.test_weights[mask] if fold.test_weights.size else None
    return Confusion.from_decision_values(
        values[:, mask], truth, fold.train.labels.is_single_label, classes, weights
    )


def evaluate_rank_goal(goal: Goal, fold: Fold, confidences: Array, mask: Array) -> tuple[Array, Array]:
    """Return (sizes,) a goal that measures rankings, and (sizes, classes) of each class, NaN if absent."""
    assert goal.rank_measure is not None
    truth = fold.truth[mask]
    weights = fold.test_weights[mask] if fold.test_weights.size else None
    by_class = np.full((len(confidences), fold.n_classes), np.nan)
    for c in np.flatnonzero(truth.any(axis=0)):
        for size in range(len(confidences)):
            by_class[size, c] = goal.rank_measure(confidences[size, mask, c], truth[:, c], weights)
    return ratio(np.nansum(by_class, axis=1), (~np.isnan(by_class)).sum(axis=1)), by_class


def evaluate_class(goal: Goal, values: Array, truth: Array, weights: Array) -> Array:
    """Return (steps,) a goal of one class against the rest, in which 0 is the threshold.

    values : (documents, steps) decision values
    truth : (documents,) whether each document is in the class
    weights : (documents,) sample weights, or empty
    """
    sample_weight = weights if weights.size else None
    if goal.rank_measure is not None:
        if not truth.any():
            return np.zeros(values.shape[1])
        return np.array([goal.rank_measure(column, truth, sample_weight) for column in values.T])
    decided, members = values.T[:, :, None], truth[:, None]
    if goal.at_break_even:
        confusion = Confusion.at_break_even(decided, members, ("class",))
    else:
        confusion = Confusion.from_decision_values(decided, members, False, ("class",), sample_weight)
    return np.asarray(goal.measure(confusion)[:, 0])


def group_pseudo_values(goal: Goal, fold: Fold, values: Array) -> Array:
    """Return (sizes, groups) pseudo-values of a goal of decisions by groups of test documents.

    Document i is in group i modulo the number of groups.
    """
    n_groups = min(SPREAD_GROUPS, len(fold.truth))
    if goal.rank_measure is not None or goal.at_break_even or n_groups < 2:
        return np.zeros((len(values), 0))
    groups = np.arange(len(fold.truth)) % n_groups
    if fold.test_weights.size:
        by_group = [count_decisions(fold, values, groups == group) for group in range(n_groups)]
        confusion = Confusion.stack(by_group)
    else:
        # documents without label and decision make all groups equally large, so one call counts them all
        padding = -len(fold.truth) % n_groups
        accepted = np.pad(
            accept_classes(values, fold.train.labels.is_single_label), ((0, 0), (0, padding), (0, 0))
        )
        truth = np.pad(fold.truth, ((0, padding), (0, 0)))
        accepted = accepted.reshape(len(values), -1, n_groups, fold.n_classes).transpose(2, 0, 1, 3)
        truth = truth.reshape(-1, n_groups, fold.n_classes).transpose(1, 0, 2)[:, None]
        padded = Confusion.from_decisions(accepted, truth, fold.train.labels.classes)
        # from_decisions takes the length of its first axis, the groups, for the number of documents
        wrong = len(truth) - padded.exact_matches
        documents = np.bincount(groups, minlength=n_groups)[:, None] + np.zeros_like(wrong)
        confusion = replace(padded, documents=documents, exact_matches=documents - wrong)
    overall = goal.evaluate(confusion.pool())
    without_group = Confusion(
        confusion.classes, *(array.sum(axis=0) - array for array in confusion.count_arrays)
    )
    return jackknife_pseudo_values(np.concatenate([overall[None], goal.evaluate(without_group)])).T


def jackknife_pseudo_values(values: Array) -> Array:
    """Return (blocks, ...) jackknife pseudo-values of a statistic.

    values : (1 + blocks, ...) the statistic of all blocks, then without each block; NaN counts as no change

    B times the value of all minus B - 1 times the value without a block, Tukey (1958): the standard error of
    their mean is that of B independent numbers. Shifted so that their mean is the statistic itself, not its
    bias-corrected estimate.

    >>> jackknife_pseudo_values(np.array([0.5, 0.4, 0.6]))
    array([0.6, 0.4])
    """
    overall, without = values[0], np.where(np.isnan(values[1:]), values[0], values[1:])
    n = len(without)
    pseudo = n * overall - (n - 1) * without
    return np.asarray(pseudo - pseudo.mean(axis=0) + overall)
