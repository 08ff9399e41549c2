"""Goals: what a comparison maximises, from decisions counted by class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.errors import unknown
from termsift.evaluation import f1, precision, recall

# (..., classes): tp, fp, fn -> a value of each class
Measure: TypeAlias = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Decisions about the documents of a fold, or of several arrays of folds.

    tp, fp, fn : (..., classes)
    right : (...,) documents whose labels are all right
    documents : (...,) documents decided
    """

    tp: Array
    fp: Array
    fn: Array
    right: Array
    documents: Array


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure of decisions.

    words : as a reader is to see it
    measure : of a class
    at_break_even : whether decisions are those at the break-even point of each class
    """

    name: str
    words: str
    measure: Measure
    at_break_even: bool = False

    def values(self, decided: Decided) -> Array:
        """(...,): one number for all classes."""
        tp, fp, fn = decided.tp, decided.fp, decided.fn
        if self.name == "accuracy":
            return ratio(decided.right, decided.documents)
        if self.name == "f1_micro":
            return f1(tp.sum(-1), fp.sum(-1), fn.sum(-1))
        return macro(self.measure(tp, fp, fn), tp + fp + fn > 0)


def macro(values: Array, present: Array) -> Array:
    """The mean over the classes that are there or were predicted, as scikit-learn has it."""
    return ratio((values * present).sum(-1), present.sum(-1))


def of_f1(tp: Array, fp: Array, fn: Array) -> Array:
    """F1 of each class."""
    return f1(tp, fp, fn)


def of_precision(tp: Array, fp: Array, fn: Array) -> Array:
    """Precision of each class."""
    return precision(tp, fp)


def of_recall(tp: Array, fp: Array, fn: Array) -> Array:
    """Recall of each class."""
    return recall(tp, fn)


GOALS = {
    goal.name: goal
    for goal in (
        Goal("f1_macro", "macro-averaged F1", of_f1),
        Goal("f1_micro", "micro-averaged F1", of_f1),
        Goal("accuracy", "accuracy", of_f1),
        Goal("precision", "macro-averaged precision", of_precision),
        Goal("recall", "macro-averaged recall", of_recall),
        Goal("break_even", "macro-averaged F1 at the break-even point", of_f1, at_break_even=True),
    )
}
ALIASES = {
    "f1": "f1_macro",
    "precision_macro": "precision",
    "recall_macro": "recall",
    "break_even_f1": "break_even",
}


def goal_of(name: str) -> Goal:
    """The goal of a name.

    >>> goal_of("f1").words
    'macro-averaged F1'
    """
    key = ALIASES.get(name, name)
    if key not in GOALS:
        raise unknown("goal", name, (*GOALS, *ALIASES))
    return GOALS[key]


def joined(parts: list[Decided]) -> Decided:
    """Decisions along a new first axis."""
    names = ("tp", "fp", "fn", "right", "documents")
    return Decided(*(np.stack([getattr(part, name) for part in parts]) for name in names))
