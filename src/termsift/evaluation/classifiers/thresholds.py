"""Thresholds tuned for F: offsets that are added to the decision values of each class.

Yang (2001) calls this SCut. With multiple labels each class is tuned separately: it is accepted if its
decision value is above 0. With single labels the largest decision value wins: each class in turn gets its
best offset while the others stay, until none changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._internal.typing import Array
from termsift.counts import ratio

MAX_ROUNDS = 10  # two or three are usual
MIN_GAIN = 1e-9  # smaller differences are rounding errors


@dataclass(frozen=True, slots=True)
class Aim:
    """F measure to maximise.

    beta : weight of recall relative to precision
    micro : whether to pool the decisions of all classes; else F is the mean over the classes
    """

    beta: float
    micro: bool


F1_MACRO = Aim(1.0, micro=False)


def multilabel_offsets(values: Array, truth: Array, weights: Array, aim: Aim) -> Array:
    """Return (classes,) offsets for classes accepted above 0; 0 for a class without documents.

    values, truth : (documents, classes) decision values and labels; weights : (documents,)

    >>> values, truth = np.array([[-0.2], [-0.4], [-0.9]]), np.array([[True], [True], [False]])
    >>> multilabel_offsets(values, truth, np.ones(3), F1_MACRO).round(2)
    array([0.65])
    """
    is_tuned = np.isfinite(values).all(axis=0) & truth.any(axis=0)
    values, truth = values[:, is_tuned], truth[:, is_tuned]
    order = np.argsort(-values, axis=0, kind="stable")
    descending, ordered_weights = np.take_along_axis(values, order, 0), weights[order]
    accepted = cumulative_sums(ordered_weights)
    tp = cumulative_sums(ordered_weights * np.take_along_axis(truth, order, 0))
    # F of accepting the first 0, 1, 2, ... documents is numerator / denominator
    numerator, denominator = (1 + aim.beta**2) * tp, aim.beta**2 * tp[-1] + accepted
    if aim.micro:
        f = maximal_micro_f(numerator, denominator, descending)
        objective = numerator - f * denominator
    else:
        objective = ratio(numerator, denominator)
    offsets = np.zeros(is_tuned.size)
    offsets[is_tuned] = best_offsets(objective, descending)
    return offsets


def maximal_micro_f(numerator: Array, denominator: Array, descending: Array) -> float:
    """Return the largest quotient of sums over classes, with one cut per class. Dinkelbach (1967).

    For the largest quotient q, each class has the cut that maximises numerator - q * denominator.
    """
    f, previous = 0.0, -1.0
    can_cut = ~np.isnan(cuts_between(descending))
    while f > previous + MIN_GAIN:
        cuts = np.where(can_cut, numerator - f * denominator, -np.inf).argmax(axis=0)[None]
        sums = (np.take_along_axis(terms, cuts, 0).sum() for terms in (numerator, denominator))
        f, previous = float(ratio(*sums)), f
    return f


def single_label_offsets(values: Array, truth: Array, weights: Array, aim: Aim) -> Array:
    """Return (classes,) offsets, with sum 0, for classes of which the one with the largest value wins.

    >>> values, truth = np.array([[2.0, 1.0], [3.0, 1.0], [4.0, 0.0]]), np.eye(2, dtype=bool)[[1, 1, 0]]
    >>> single_label_offsets(values, truth, np.ones(3), F1_MACRO).round(2)
    array([-1.5,  1.5])
    """
    is_tuned = np.isfinite(values).all(axis=0)
    shifted, truth = values[:, is_tuned].copy(), truth[:, is_tuned]
    for _ in range(MAX_ROUNDS):
        previous = shifted.copy()
        for c in range(shifted.shape[1] if shifted.shape[1] > 1 else 0):
            shifted[:, c] += find_class_offset(shifted, truth, weights, aim, c)
        if np.array_equal(previous, shifted):
            break
    offsets = np.zeros(is_tuned.size)
    offsets[is_tuned] = (shifted - values[:, is_tuned])[0]
    # a common offset changes no decision
    offsets[is_tuned] -= offsets[is_tuned].mean() if is_tuned.any() else 0.0
    return offsets


def find_class_offset(values: Array, truth: Array, weights: Array, aim: Aim, c: int) -> float:
    """Return the best offset of one class while those of the others stay.

    As the offset grows, the class gains documents in the order of their distance to the best other class,
    which loses them.
    """
    rivals = np.delete(values, c, axis=1).argmax(axis=1)
    rivals = rivals + (rivals >= c)
    rows = np.arange(len(values))
    lead = values[:, c] - values[rows, rivals]
    order = np.argsort(-lead, kind="stable")
    rivals, weights, truth = rivals[order], weights[order], truth[order]
    sizes = weights @ truth

    def f_measure(tp: Array, accepted: Array, size: Array) -> Array:
        # with single labels, micro-averaged F is the share of correct decisions
        if aim.micro:
            return tp
        return ratio((1 + aim.beta**2) * tp, aim.beta**2 * size + accepted)

    rival_weights = weights * truth[rows, rivals]
    rival_tp, rival_accepted = (suffix_sums(terms, rivals) for terms in (rival_weights, weights))
    before = f_measure(rival_tp, rival_accepted, sizes[rivals])
    after = f_measure(rival_tp - rival_weights, rival_accepted - weights, sizes[rivals])
    gains = f_measure(cumulative_sums(weights * truth[:, c]), cumulative_sums(weights), sizes[c])
    objective = gains + cumulative_sums(after - before)
    return float(best_offsets(objective[:, None], lead[order][:, None])[0])


def cumulative_sums(values: Array) -> Array:
    """Return the sums of the first 0, 1, 2, ... values."""
    return np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])


def suffix_sums(values: Array, groups: Array) -> Array:
    """Return for each value the sum of itself and all later values of its group.

    >>> suffix_sums(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1]))
    array([4., 6., 3., 4.])
    """
    by_group = np.argsort(groups, kind="stable")
    sums = np.cumsum(values[by_group][::-1])[::-1]
    last = np.append(np.flatnonzero(np.diff(groups[by_group])), len(groups) - 1)
    later_groups = np.append(sums, 0.0)[last + 1]
    suffixes = np.empty(len(values))
    suffixes[by_group] = sums - np.repeat(later_groups, np.diff(last, prepend=-1))
    return suffixes


def best_offsets(objective: Array, descending: Array) -> Array:
    """Return (classes,) offsets that move the best cut to 0; 0 if no cut is better than that at 0.

    objective : (documents + 1, classes) of accepting the first 0, 1, 2, ... documents
    descending : (documents, classes) decision values in descending order
    """
    cuts, classes = cuts_between(descending), np.arange(objective.shape[1])
    objective = np.where(np.isnan(cuts), -np.inf, objective)
    best, current = objective.argmax(axis=0), (descending > 0).sum(axis=0)
    is_better = objective[best, classes] > objective[current, classes] + MIN_GAIN
    return np.where(is_better, -cuts[best, classes], 0.0)


def cuts_between(descending: Array) -> Array:
    """Return (documents + 1, classes) cuts between descending values; NaN between equal values.

    >>> cuts_between(np.array([[3.0], [1.0], [1.0]])).ravel()
    array([3.5, 2. , nan, 0.5])
    """
    edges = np.concatenate([descending[:1] + 1, descending, descending[-1:] - 1])
    return np.where(edges[:-1] > edges[1:], (edges[:-1] + edges[1:]) / 2, np.nan)
