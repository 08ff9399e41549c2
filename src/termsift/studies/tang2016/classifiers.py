"""Decisions among many classes with the first terms of an order, for all numbers of terms at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.counts import Counts
from termsift.nested.svm import hinge_margins

EXACT = 0.01


def bayes_decisions(order: Array, counts: Counts, others: csc_array[Any], sizes: Array) -> Array:
    """(sizes, others): the class by multinomial naive Bayes, for ascending sizes.

    Sums over the first terms go on from size to size, so that all sizes cost little more than the largest.
    The chosen terms are the whole vocabulary: equations 3 and 5, one added to every count.
    """
    tf = counts.tf[order].toarray().astype(float)
    logs, totals = np.log(tf + 1), tf.cumsum(axis=0)
    ranked = others[:, order]
    likelihood = np.tile(np.log(counts.class_sizes / counts.documents), (others.shape[0], 1))
    length = np.zeros((others.shape[0], 1))
    decided, done = [], 0
    for size in sizes.tolist():
        added = ranked[:, done:size]
        likelihood += added @ logs[done:size]
        length += added.sum(axis=1)[:, None]
        decided.append((likelihood - length * np.log(totals[size - 1] + size)).argmax(axis=1))
        done = size
    return np.stack(decided)


def svm_decisions(
    order: Array, columns: csc_array[Any], labels: Array, others: csc_array[Any], sizes: Array
) -> Array:
    """(sizes, others): the class of the largest margin, each class against the rest, features 0 or 1.

    Margins that differ by less than the fit is exact are tied, and the largest of their classes is taken.
    With ten terms that can be every second document: it has none of them, and all its margins are -1.
    """
    classes, members = np.unique(labels, return_counts=True)
    if len(classes) == 2:
        place = 1 * (hinge_margins(order, columns, labels == classes[1], others, sizes) > 0)
    else:
        margins = np.stack([
            hinge_margins(order, columns, labels == one, others, sizes, tolerance=EXACT) for one in classes
        ])  # fmt: skip
        tied = margins >= margins.max(axis=0) - EXACT
        place = np.where(tied, members[:, None, None], 0).argmax(axis=0)
    decided: Array = classes[place]
    return decided
