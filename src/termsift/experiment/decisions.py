"""Decisions: what a classifier says of documents, counted as a Confusion; and goals, read from the counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.errors import unknown
from termsift.evaluation import Confusion
from termsift.experiment.classifiers import Classifier
from termsift.experiment.folds import Fold
from termsift.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure of decisions, which a comparison maximises.

    words : as a reader is to see it
    measure : (..., classes) of each class
    at_break_even : whether decisions are those at the break-even point of each class
    """

    name: str
    words: str
    measure: Callable[[Confusion], Array]
    at_break_even: bool = False

    def values(self, confusion: Confusion) -> Array:
        """(...,): one number for all classes."""
        if self.name == "accuracy":
            return np.asarray(confusion.share_right)
        if self.name == "f1_micro":
            return np.asarray(confusion.micro.f1)
        present = confusion.tp + confusion.fp + confusion.fn > 0
        # the mean over the classes that are there or were predicted, as scikit-learn has it
        return ratio((self.measure(confusion) * present).sum(-1), present.sum(-1))


GOALS = {
    goal.name: goal
    for goal in (
        Goal("f1_macro", "macro-averaged F1", attrgetter("f1")),
        Goal("f1_micro", "micro-averaged F1", attrgetter("f1")),
        Goal("accuracy", "accuracy", attrgetter("f1")),
        Goal("precision", "macro-averaged precision", attrgetter("precision")),
        Goal("recall", "macro-averaged recall", attrgetter("recall")),
        Goal("break_even", "macro-averaged F1 at the break-even point", attrgetter("f1"), at_break_even=True),
    )
}
ALIASES = {
    "f1": "f1_macro",
    "precision_macro": "precision",
    "recall_macro": "recall",
    "break_even_f1": "break_even",
}


def goal_from(name: str) -> Goal:
    """The goal of a name.

    >>> goal_from("f1").words
    'macro-averaged F1'
    """
    key = ALIASES.get(name, name) if isinstance(name, str) else None
    if key not in GOALS:
        raise unknown("goal", name, (*GOALS, *ALIASES))
    return GOALS[key]


def accepted(margins: Array, single: bool) -> Array:
    """(..., documents, classes): the class of largest margin where each has one, else all above 0."""
    if not single:
        return margins > 0
    found = np.zeros(margins.shape, dtype=bool)
    np.put_along_axis(found, margins.argmax(axis=-1)[..., None], True, axis=-1)
    return found


def decisions(margins: Array, truth: Array, single: bool, classes: Sequence[Any]) -> Confusion:
    """Decisions by margins (..., documents, classes), counted."""
    return Confusion.of_decisions(accepted(margins, single), truth, classes)


def judged_in_parts(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goal: Goal, parts: int
) -> tuple[Confusion, Array]:
    """What `judged` gives, and (sizes, parts) the goal's pseudo-values of parts of the documents judged.

    A part's pseudo-value is n times the goal of all less n - 1 times that of all without the part: so much
    does the part add. Their spread says how far chance moves the goal, of one fold alone: Tukey's jackknife.
    Where documents are too few, or the goal is no sum of decisions, there are none.
    """
    n = min(parts, len(fold.truth))
    if goal.at_break_even or n < 2:
        return judged(classifier, fold, ranking, sizes, goal), np.zeros((len(sizes), 0))
    margins = classifier.margins(fold, ranking, sizes)
    yes, classes = accepted(margins, fold.train.is_single), fold.train.labels.classes
    own = Confusion.stacked(
        [Confusion.of_decisions(yes[:, part::n], fold.truth[part::n], classes) for part in range(n)]
    )
    whole = own.pooled()
    return whole, np.asarray(n * goal.values(whole) - (n - 1) * goal.values(own.without_each())).T


def judged(classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goal: Goal) -> Confusion:
    """(sizes, classes) what a classifier decides with the first terms of a ranking, as the goal asks."""
    classes = fold.train.labels.classes
    if goal.at_break_even:
        return Confusion.at_break_even(classifier.confidences(fold, ranking, sizes), fold.truth, classes)
    margins = classifier.margins(fold, ranking, sizes)
    return decisions(margins, fold.truth, fold.train.is_single, classes)
