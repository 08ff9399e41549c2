"""Goals of a comparison: measures of decisions, or of how documents are ranked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.measures import average_precision, precision_at_recall

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

    def values(self, confusion: Confusion) -> Array:
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
    tp, fp, fn, tn = (np.asarray(cell, dtype=float) for cell in cells)
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
    if isinstance(name, str):
        if name in GOALS:
            return GOALS[name]
        if match := F_BETA.fullmatch(name):
            return f_beta_goal(float(match[1]), match[2])
        if match := AT_RECALL.fullmatch(name):
            return precision_at_recall_goal(float(match[1]))
    raise unknown_name_error("goal", name, (*GOALS, *EXAMPLES))


def f_beta_goal(beta: float, average: str) -> Goal:
    """Return the goal of F with recall weighted beta times as much as precision."""
    if not 0 < beta <= 100:
        raise InvalidInputError(f"beta of a goal must be above 0 and at most 100, got {beta:g}")

    def micro_f(confusion: Confusion) -> Array:
        return np.asarray(confusion.micro.f_beta(beta))

    return Goal(
        f"f{beta:g}_{average}",
        f"{average}-averaged F{beta:g}",
        lambda confusion: confusion.f_beta(beta),
        micro_f if average == "micro" else None,
        beta=beta,
    )


def precision_at_recall_goal(min_recall: float) -> Goal:
    """Return the goal of the best precision with at least this recall."""
    if not 0 < min_recall <= 1:
        raise InvalidInputError(f"recall of a goal must be above 0 and at most 1, got {min_recall:g}")

    def best_precision(scores: Array, truth: Array, weights: Any) -> float:
        return precision_at_recall(scores, truth, min_recall, weights)

    name = f"precision_at_recall({min_recall:g})"
    description = f"precision at a recall of {min_recall:g}, macro-averaged,"
    return Goal(name, description, F1, rank_measure=best_precision)


def parse_goals(names: Any) -> list[Goal]:
    """Return one or several distinct goals; the first decides."""
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    goals = [parse_goal(name) for name in (names if is_list else [names])]
    if not goals:
        raise InvalidInputError("goal must name at least one goal, got none")
    name, times = Counter(goal.name for goal in goals).most_common(1)[0]
    if times > 1:
        raise InvalidInputError(f"goals must differ; {name} is given twice")
    return goals
