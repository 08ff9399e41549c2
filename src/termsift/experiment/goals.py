"""Goals: what a comparison maximises, from decisions counted by class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.errors import unknown
from termsift.evaluation import Confusion


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure of decisions.

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
    key = ALIASES.get(name, name)
    if key not in GOALS:
        raise unknown("goal", name, (*GOALS, *ALIASES))
    return GOALS[key]
