"""Goals: what a comparison maximises, read from decisions, or from how documents are ranked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError, unknown
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.measures import average_precision, precision_at_recall

# (scores, truth, weights) of the documents for one class
Ranked: TypeAlias = Callable[[Array, Array, Any], float]


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure, which a comparison maximises.

    words : as a reader is to see it
    measure : (..., classes) of each class, by decisions
    whole : (...,) one number for all classes, where it is not the mean over those that are there
    ranked : of a class, by how sure a classifier is of each document; then there is no decision
    at_break_even : whether decisions are those at the break-even point of each class
    beta : of an F by decisions, for which thresholds can be tuned
    """

    name: str
    words: str
    measure: Callable[[Confusion], Array]
    whole: Callable[[Confusion], Array] | None = None
    ranked: Ranked | None = None
    at_break_even: bool = False
    beta: float | None = None

    def values(self, confusion: Confusion) -> Array:
        """(...,): one number for all classes, of decisions."""
        if self.whole is not None:
            return np.asarray(self.whole(confusion))
        present = confusion.tp + confusion.fp + confusion.fn > 0
        # the mean over the classes that are there or were predicted, as scikit-learn has it
        return ratio((self.measure(confusion) * present).sum(-1), present.sum(-1))


def balanced_accuracy(confusion: Confusion) -> Array:
    """The mean recall of the classes that are there; of several labels that of belonging and of not."""
    there, tn = confusion.sizes > 0, confusion.tn
    recall = confusion.recall
    if not is_single(confusion):
        recall = (recall + ratio(tn, tn + confusion.fp)) / 2
    return ratio((recall * there).sum(-1), there.sum(-1))


def matthews(confusion: Confusion) -> Array:
    """Matthews' correlation of all classes at once; of several labels its mean over those that are there.

    Gorodkin (2004): of one label each the counts of each class are enough.
    """
    if not is_single(confusion):
        there = confusion.sizes > 0
        return ratio((class_matthews(confusion) * there).sum(-1), there.sum(-1))
    n, right = np.asarray(confusion.documents, dtype=float), confusion.tp.sum(-1)
    given, own = confusion.tp + confusion.fp, confusion.sizes
    spread = (n**2 - (given**2).sum(-1)) * (n**2 - (own**2).sum(-1))
    return ratio(right * n - (given * own).sum(-1), np.sqrt(np.maximum(spread, 0)))


def class_matthews(confusion: Confusion) -> Array:
    """(..., classes) Matthews' correlation of each class against the rest."""
    parts = (confusion.tp, confusion.fp, confusion.fn, confusion.tn)
    tp, fp, fn, tn = (np.asarray(part, dtype=float) for part in parts)
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def is_single(confusion: Confusion) -> bool:
    """Whether each document has one label and got one."""
    documents = np.broadcast_to(confusion.documents, confusion.tp.shape[:-1])
    sums = (part.sum(-1) for part in (confusion.sizes, confusion.tp + confusion.fp))
    return all(np.allclose(part, documents) for part in sums)


def share_right(confusion: Confusion) -> Array:
    """The share of documents all of whose labels are right."""
    return np.asarray(confusion.share_right)


F1 = attrgetter("f1")
GOALS = {
    goal.name: goal
    for goal in (
        Goal("f1_macro", "macro-averaged F1", F1, beta=1.0),
        Goal("f1_micro", "micro-averaged F1", F1, lambda confusion: np.asarray(confusion.micro.f1), beta=1.0),
        Goal("accuracy", "accuracy", F1, share_right),
        Goal("balanced_accuracy", "balanced accuracy", attrgetter("recall"), balanced_accuracy),
        Goal("precision", "macro-averaged precision", attrgetter("precision")),
        Goal("recall", "macro-averaged recall", attrgetter("recall")),
        Goal("mcc", "Matthews' correlation", class_matthews, matthews),
        Goal("break_even", "macro-averaged F1 at the break-even point", F1, at_break_even=True),
        Goal("average_precision", "average precision, macro-averaged,", F1, ranked=average_precision),
    )
}
ALIASES = {
    "f1": "f1_macro",
    "precision_macro": "precision",
    "recall_macro": "recall",
    "break_even_f1": "break_even",
    "matthews": "mcc",
}
F_BETA = re.compile(r"f(\d+(?:\.\d+)?)(?:_(macro|micro))?")
AT_RECALL = re.compile(r"precision_at_recall\((\d*\.?\d+)\)")
PATTERNS = ("f2_macro", "f0.5_micro", "precision_at_recall(0.9)")


def goal_from(name: Any) -> Goal:
    """The goal of a name.

    >>> goal_from("f1").words, goal_from("f0.5_micro").words
    ('macro-averaged F1', 'micro-averaged F0.5')
    >>> goal_from("precision_at_recall(0.9)").words
    'precision at a recall of 0.9, macro-averaged,'
    """
    key = ALIASES.get(name, name) if isinstance(name, str) else None
    if key in GOALS:
        return GOALS[key]
    of_beta, at = (pattern.fullmatch(key or "") for pattern in (F_BETA, AT_RECALL))
    if of_beta:
        return f_goal(float(of_beta[1]), of_beta[2] or "macro")
    if at:
        return recall_goal(float(at[1]))
    raise unknown("goal", name, (*GOALS, *PATTERNS, *ALIASES))


def f_goal(beta: float, average: str) -> Goal:
    """F with recall beta times as important as precision."""
    if not 0 < beta <= 100:
        raise InvalidInputError(f"the beta of a goal is above 0 and at most 100, got {beta:g}")
    measure = partial(f_measure, beta)
    whole = partial(micro_measure, beta) if average == "micro" else None
    return Goal(f"f{beta:g}_{average}", f"{average}-averaged F{beta:g}", measure, whole, beta=beta)


def f_measure(beta: float, confusion: Confusion) -> Array:
    """(..., classes) F of each class."""
    return confusion.f_beta(beta)


def micro_measure(beta: float, confusion: Confusion) -> Array:
    """(...,) F of all decisions."""
    return np.asarray(confusion.micro.f_beta(beta))


def recall_goal(least: float) -> Goal:
    """Precision at a recall."""
    if not 0 < least <= 1:
        raise InvalidInputError(f"a recall is above 0 and at most 1, got {least:g}")

    def measured(scores: Array, truth: Array, weights: Any) -> float:
        return precision_at_recall(scores, truth, least, weights)

    name = f"precision_at_recall({least:g})"
    return Goal(name, f"precision at a recall of {least:g}, macro-averaged,", F1, ranked=measured)


def goals_from(given: Any) -> list[Goal]:
    """The goal, or several of which the first decides; none twice."""
    names = [given] if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    found = [goal_from(name) for name in names]
    if not found:
        raise InvalidInputError("goal must be at least one, got none")
    twice = next((goal for i, goal in enumerate(found) if goal.name in {one.name for one in found[:i]}), None)
    if twice is not None:
        raise InvalidInputError(f"goals must differ; {twice.name} is given twice")
    return found
