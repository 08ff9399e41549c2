"""Evaluation of a classifier on the test documents of a fold: decisions, goals and their jackknife."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.classifiers.paths import Classifier
from termsift.evaluation.confusion import Confusion, accept_classes
from termsift.evaluation.goals import Goal
from termsift.evaluation.splits import Fold

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

    @property
    def blocks(self) -> list[Confusion]:
        """Decisions of each block, (sizes, classes)."""
        return [self.confusion[block] for block in range(len(self.by_class))]

    def select_sizes(self, indices: Array) -> FoldResult:
        """Keep only the sizes at these indices."""
        confusion = Confusion.stack([block[indices] for block in self.blocks])
        return FoldResult(
            confusion, self.values[..., indices], self.by_class[:, indices], self.spread[indices]
        )


def evaluate_classifier(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goals: Sequence[Goal]
) -> FoldResult:
    """Fit a classifier to the first terms of a ranking and evaluate the goals on the test documents."""
    values = classifier.decision_values(fold, ranking, sizes)
    confidences = values
    needs_ranks = any(goal.rank_measure or goal.at_break_even for goal in goals)
    if needs_ranks and type(classifier).confidences is not type(classifier).decision_values:
        confidences = classifier.confidences(fold, ranking, sizes)
    if fold.blocks.size:
        blocks = [fold.blocks == number for number in range(int(fold.blocks.max()) + 1)]
    else:
        blocks = [np.ones(len(fold.truth), dtype=bool)]
    if goals[0].at_break_even:
        confusions = [break_even_confusion(fold, confidences, block) for block in blocks]
    else:
        confusions = [confusion_within(fold, values, block) for block in blocks]
    confusion = Confusion.stack(confusions)
    measures = [evaluate_goal(goal, fold, confusion, confidences, blocks) for goal in goals]
    spread = group_spread(goals[0], fold, values)
    return FoldResult(confusion, np.stack([overall for overall, _ in measures]), measures[0][1], spread)


def evaluate_goal(
    goal: Goal, fold: Fold, confusion: Confusion, confidences: Array, blocks: list[Array]
) -> tuple[Array, Array]:
    """Return (blocks, sizes) values of a goal, and (blocks, sizes, classes) of each class."""
    everything = np.ones(len(fold.truth), dtype=bool)
    # the jackknife needs the goal of all documents, and of all without each block
    masks = [everything, *(~block for block in blocks)] if len(blocks) > 1 else [everything]
    if goal.rank_measure is not None:
        measures = [rank_values(goal, fold, confidences, mask) for mask in masks]
    elif goal.at_break_even:
        measures = [decision_goal(goal, break_even_confusion(fold, confidences, mask)) for mask in masks]
    else:
        indices = np.arange(len(blocks))
        left_out = [confusion[indices != block].pool() for block in indices] if len(blocks) > 1 else []
        measures = [decision_goal(goal, decisions) for decisions in (confusion.pool(), *left_out)]
    overall, by_class = (np.stack(column) for column in zip(*measures, strict=True))
    if len(blocks) > 1:
        return pseudo_values(overall), pseudo_values(by_class)
    return overall, by_class


def confusion_within(fold: Fold, values: Array, mask: Array) -> Confusion:
    """Count (sizes, classes) decisions on the test documents of a mask."""
    weights = fold.test_weights[mask] if fold.test_weights.size else None
    single = fold.train.is_single
    return Confusion.from_decision_values(
        values[:, mask], fold.truth[mask], single, fold.train.labels.classes, weights
    )


def break_even_confusion(fold: Fold, confidences: Array, mask: Array) -> Confusion:
    """Count (sizes, classes) decisions at the break-even points on the test documents of a mask."""
    return Confusion.at_break_even(confidences[:, mask], fold.truth[mask], fold.train.labels.classes)


def decision_goal(goal: Goal, confusion: Confusion) -> tuple[Array, Array]:
    """Return (sizes,) the goal, and (sizes, classes) its value for each class, NaN for an absent class."""
    present = confusion.tp + confusion.fp + confusion.fn > 0
    return goal.values(confusion), np.where(present, goal.measure(confusion), np.nan)


def rank_values(goal: Goal, fold: Fold, confidences: Array, mask: Array) -> tuple[Array, Array]:
    """Return the same as `decision_goal` for a goal that measures the ranking of documents."""
    assert goal.rank_measure is not None
    truth = fold.truth[mask]
    weights = fold.test_weights[mask] if fold.test_weights.size else None
    by_class = np.full((len(confidences), fold.n_classes), np.nan)
    for c in np.flatnonzero(truth.any(axis=0)):
        for size in range(len(confidences)):
            by_class[size, c] = goal.rank_measure(confidences[size, mask, c], truth[:, c], weights)
    present = ~np.isnan(by_class)
    return ratio(np.nansum(by_class, axis=1), present.sum(axis=1)), by_class


def group_spread(goal: Goal, fold: Fold, values: Array) -> Array:
    """Return (sizes, groups) pseudo-values of a goal of decisions by groups of test documents."""
    n_groups = min(SPREAD_GROUPS, len(fold.truth))
    if goal.rank_measure is not None or goal.at_break_even or n_groups < 2:
        return np.zeros((len(values), 0))
    confusion = confusion_by_group(fold, values, n_groups)
    overall = goal.values(confusion.pool())
    return pseudo_values(np.concatenate([overall[None], goal.values(confusion.leave_one_out())])).T


def confusion_by_group(fold: Fold, values: Array, n_groups: int) -> Confusion:
    """Count (groups, sizes, classes) decisions; document i is in group i modulo `n_groups`."""
    groups = np.arange(len(fold.truth)) % n_groups
    if fold.test_weights.size:
        return Confusion.stack([confusion_within(fold, values, groups == group) for group in range(n_groups)])
    # documents without label and decision make all groups equally large, so one call counts them all
    padding = -len(fold.truth) % n_groups
    accepted = np.pad(accept_classes(values, fold.train.is_single), ((0, 0), (0, padding), (0, 0)))
    truth = np.pad(fold.truth, ((0, padding), (0, 0)))
    accepted = accepted.reshape(len(values), -1, n_groups, fold.n_classes).transpose(2, 0, 1, 3)
    truth = truth.reshape(-1, n_groups, fold.n_classes).transpose(1, 0, 2)[:, None]
    padded = Confusion.from_decisions(accepted, truth, fold.train.labels.classes)
    # from_decisions takes the length of its first axis, the groups, for the number of documents
    wrong = len(truth) - padded.exact_matches
    documents = np.bincount(groups, minlength=n_groups)[:, None] + np.zeros_like(wrong)
    return Confusion(padded.classes, documents, padded.tp, padded.fp, padded.fn, documents - wrong)


def pseudo_values(values: Array) -> Array:
    """Return (blocks, ...) jackknife pseudo-values of a statistic.

    values : (1 + blocks, ...) the statistic of all blocks, then without each block; NaN counts as no change

    B times the value of all minus B - 1 times the value without a block, Tukey (1958): the standard error of
    their mean is that of B independent numbers. Shifted so that their mean is the statistic itself, not its
    bias-corrected estimate.

    >>> pseudo_values(np.array([0.5, 0.4, 0.6]))
    array([0.6, 0.4])
    """
    overall, without = values[0], np.where(np.isnan(values[1:]), values[0], values[1:])
    n = len(without)
    pseudo = n * overall - (n - 1) * without
    shifted: Array = pseudo - pseudo.mean(axis=0) + overall
    return shifted
