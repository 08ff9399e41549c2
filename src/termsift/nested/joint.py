"""Squared hinge along a ranking, several classes against the rest at once: what comparisons spend most on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.nested.linear import PASSES, SQUARED_HINGE, Beginnings, RankedRows

BLOCK = 16  # classes: the weights of a term are two lines of the processor's cache
LARGEST = 1 << 22  # numbers of a block, of all documents or of all terms


@cache
def joint_loops() -> Any:
    """The compiled loops, loaded when the first of them is needed."""
    from termsift.nested import _joint_kernel

    return _joint_kernel


def joint_margins(
    fitted: RankedRows,
    truth: Array,
    judged: RankedRows,
    sizes: Array,
    *,
    costs: Array,
    tolerance: float = SQUARED_HINGE.tolerance,
    passes: int = PASSES,
) -> Array:
    """(sizes, judged, classes) margins with the k best terms of the order of the rows, for ascending sizes k.

    The same as `linear_margins` of each class, as near as `tolerance` has it.

    Parameters
    ----------
    truth : (fitted, classes) whether each document is in each class
    costs : (fitted, classes) C times what each document counts for

    """
    margins = np.empty((len(sizes), len(judged), truth.shape[1]))
    most = int(np.clip(LARGEST // max(len(fitted), fitted.n_terms, 1), 1, BLOCK))
    for first in range(0, truth.shape[1], most):
        own = slice(first, first + most)
        block_margins(
            fitted, truth[:, own], judged, sizes, costs[:, own], tolerance, passes, margins[:, :, own]
        )
    return margins


def block_margins(
    fitted: RankedRows,
    truth: Array,
    judged: RankedRows,
    sizes: Array,
    costs: Array,
    tolerance: float,
    passes: int,
    out: Array,
) -> None:
    """Write the margins of a few classes."""
    loops = joint_loops()
    here, there = Beginnings(fitted, unit=True), Beginnings(judged, unit=True)
    y, costs = np.where(truth.T, 1.0, -1.0), np.ascontiguousarray(costs.T)
    alpha, w = np.zeros(y.shape), np.zeros((len(y), fitted.n_terms))
    bias, classes = np.zeros(len(y)), np.arange(len(y))
    found = np.empty((len(judged), len(y)))
    for place, size in enumerate(np.asarray(sizes).tolist()):
        here.grow(size)
        loops.joint_squared_hinge(*here.arrays, y, costs, tolerance, passes, alpha, w, bias, size)
        there.grow(size)
        loops.class_margins(*there.arrays, loops.by_term(w, classes, size), bias, found)
        out[place] = found
