"""Decisions: what a classifier says of documents, counted as a Confusion, and what goals make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.classifiers.paths import Classifier
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import Goal
from termsift.evaluation.splits import Fold

TWENTIETHS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What became of the judged documents of a fold, as a whole or by blocks.

    confusion : (parts, sizes, classes) decisions; a part is all of the fold, or a block of it
    values : (goals, parts, sizes) what each goal makes of them; of blocks they are pseudo-values of the
        jackknife, whose mean is the goal of all of them together
    by_class : (parts, sizes, classes) of the first goal; NaN for a class that is not there
    spread : (sizes, twentieths) pseudo-values of the first goal by twentieths of the documents: how far
        chance moves it. None where the goal is none of decisions, or documents are too few
    """

    confusion: Confusion
    values: Array
    by_class: Array
    spread: Array

    @property
    def parts(self) -> list[Confusion]:
        """(sizes, classes) the decisions of each part."""
        return [self.confusion[part] for part in range(len(self.by_class))]

    def at(self, places: Array) -> Judgement:
        """Of some of the sizes, by their places."""
        found = Confusion.stacked([part[places] for part in self.parts])
        return Judgement(found, self.values[..., places], self.by_class[:, places], self.spread[places])


def accepted(margins: Array, single: bool) -> Array:
    """(..., documents, classes): the class of largest margin where each has one, else all above 0."""
    if not single:
        return margins > 0
    found = np.zeros(margins.shape, dtype=bool)
    np.put_along_axis(found, margins.argmax(axis=-1)[..., None], True, axis=-1)
    return found


def decisions(
    margins: Array, truth: Array, single: bool, classes: Sequence[Any], weights: Array | None = None
) -> Confusion:
    """Decisions by margins (..., documents, classes), counted, or their weights added."""
    return Confusion.of_decisions(accepted(margins, single), truth, classes, weights)


def judged(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goals: Sequence[Goal]
) -> Judgement:
    """What a classifier decides with the first terms of a ranking, and what the goals make of it."""
    margins = classifier.margins(fold, ranking, sizes)
    sure = margins
    if any(goal.ranked or goal.at_break_even for goal in goals) and not is_same(classifier):
        sure = classifier.confidences(fold, ranking, sizes)
    at_points = any(goal.at_break_even for goal in goals[:1])
    parts = block_masks(fold)
    confusion = Confusion.stacked([counted_decisions(fold, margins, sure, own, at_points) for own in parts])
    figures = [goal_figures(goal, fold, margins, sure, confusion, parts) for goal in goals]
    spread = spread_of(goals[0], fold, margins)
    return Judgement(confusion, np.stack([one for one, _ in figures]), figures[0][1], spread)


def spread_of(goal: Goal, fold: Fold, margins: Array) -> Array:
    """(sizes, twentieths) pseudo-values of a goal of decisions by twentieths of the judged documents."""
    n = min(TWENTIETHS, len(fold.truth))
    if goal.ranked is not None or goal.at_break_even or n < 2:
        return np.zeros((len(margins), 0))
    own = confusion_by_parts(fold, margins, n)
    whole = goal.values(own.pooled())
    return pseudo_values(np.concatenate([whole[None], goal.values(own.without_each())])).T


def confusion_by_parts(fold: Fold, margins: Array, n: int) -> Confusion:
    """(parts, sizes, classes) decisions about n parts of the judged documents, which they go to in turns."""
    if fold.test_weights.size:
        numbers = np.arange(len(fold.truth)) % n
        return Confusion.stacked(
            [counted_decisions(fold, margins, margins, numbers == part, False) for part in range(n)]
        )
    more = -len(fold.truth) % n  # documents without a label and a decision, so that parts are as large
    yes = np.pad(accepted(margins, fold.train.is_single), ((0, 0), (0, more), (0, 0)))
    truth = np.pad(fold.truth, ((0, more), (0, 0)))
    ours = yes.reshape(len(yes), -1, n, fold.n_classes).transpose(2, 0, 1, 3)
    theirs = truth.reshape(-1, n, fold.n_classes).transpose(1, 0, 2)[:, None]
    found = Confusion.of_decisions(ours, theirs, fold.train.labels.classes)
    wrong = len(theirs) - found.right
    documents = np.bincount(np.arange(len(fold.truth)) % n, minlength=n)[:, None] + np.zeros_like(wrong)
    return Confusion(found.classes, documents, found.tp, found.fp, found.fn, documents - wrong)


def is_same(classifier: Classifier) -> bool:
    """Whether a classifier's margins are by what documents can be compared."""
    kind = type(classifier)
    return kind.confidences is kind.margins


def block_masks(fold: Fold) -> list[Array]:
    """(judged,) for each block which documents are in it; all of them where there are no blocks."""
    if not fold.blocks.size:
        return [np.ones(len(fold.truth), dtype=bool)]
    return [fold.blocks == number for number in range(int(fold.blocks.max()) + 1)]


def counted_decisions(fold: Fold, margins: Array, sure: Array, own: Array, at_points: bool) -> Confusion:
    """(sizes, classes) the decisions about some of the judged documents."""
    classes, truth = fold.train.labels.classes, fold.truth[own]
    if at_points:
        return Confusion.at_break_even(sure[:, own], truth, classes)
    weights = fold.test_weights[own] if fold.test_weights.size else None
    return decisions(margins[:, own], truth, fold.train.is_single, classes, weights)


def goal_figures(
    goal: Goal, fold: Fold, margins: Array, sure: Array, confusion: Confusion, parts: list[Array]
) -> tuple[Array, Array]:
    """(parts, sizes) what a goal makes of all parts, and (parts, sizes, classes) of each class."""
    every = np.ones(len(fold.truth), dtype=bool)
    masks = [every, *(every & ~own for own in parts)] if len(parts) > 1 else [every]
    if goal.ranked is not None:
        figures = [ranked_figures(goal, fold, sure, own) for own in masks]
    elif goal.at_break_even:
        figures = [decided_figures(goal, counted_decisions(fold, margins, sure, own, True)) for own in masks]
    else:
        figures = [decided_figures(goal, found) for found in with_parts_left_out(confusion)]
    values, by_class = (np.stack(column) for column in zip(*figures, strict=True))
    return (pseudo_values(values), pseudo_values(by_class)) if len(parts) > 1 else (values, by_class)


def with_parts_left_out(confusion: Confusion) -> list[Confusion]:
    """All parts added up, and, where there are several, all but each."""
    whole, n = confusion.pooled(), len(confusion.tp)
    places = np.arange(n)
    return [whole, *(confusion[places != part].pooled() for part in places)] if n > 1 else [whole]


def decided_figures(goal: Goal, found: Confusion) -> tuple[Array, Array]:
    """(sizes,) what a goal makes of decisions, and (sizes, classes) of each class; NaN for one not there."""
    there = found.tp + found.fp + found.fn > 0
    return goal.values(found), np.where(there, goal.measure(found), np.nan)


def ranked_figures(goal: Goal, fold: Fold, sure: Array, own: Array) -> tuple[Array, Array]:
    """The same of how some of the judged documents are ranked."""
    assert goal.ranked is not None
    truth, found = fold.truth[own], np.full((len(sure), fold.n_classes), np.nan)
    weights = fold.test_weights[own] if fold.test_weights.size else None
    for c in np.flatnonzero(truth.any(axis=0)):
        for size in range(len(sure)):
            found[size, c] = goal.ranked(sure[size, own, c], truth[:, c], weights)
    there = ~np.isnan(found)
    return ratio(np.nansum(found, axis=1), there.sum(axis=1)), found


def pseudo_values(figures: Array) -> Array:
    """(parts, ...) the jackknife of a figure; figures (1 + parts, ...): of all parts, and without each.

    B times the figure of all less B - 1 times that without a part: by them it has the error of a mean of B
    independent numbers. Tukey (1958); moved so that their mean is the figure itself, not the one corrected
    for bias. A class that is not there without a part says nothing of that part.

    >>> pseudo_values(np.array([0.5, 0.4, 0.6]))
    array([0.6, 0.4])
    """
    whole, without = figures[0], np.where(np.isnan(figures[1:]), figures[0], figures[1:])
    n = len(without)
    values = n * whole - (n - 1) * without
    moved: Array = values - values.mean(axis=0) + whole
    return moved
