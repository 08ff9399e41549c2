"""Weights as whole numbers, so that their sums do not depend on who adds first.

A weight is the sum of chunks of 20 bits, chunk times 2 ** (20 level). Chunks are whole, and sums of whole
numbers are the same in any order; 43 bits are left for the sum over documents. A float of 53 bits has at most
four chunks.
"""

from __future__ import annotations

import numpy as np

from termsift._typing import Array

BITS = 20


def levels(weights: Array) -> dict[int, Array]:
    """For each level the chunks of the weights, int64; one level at least.

    >>> {level: chunks.tolist() for level, chunks in levels(np.array([1.0, 2.5])).items()}
    {0: [1, 2], -1: [0, 524288]}
    """
    chunks: dict[int, Array] = {}
    rest = weights.copy()
    while rest.any():
        level = (int(np.frexp(rest.max())[1]) - 1) // BITS
        # what is far smaller waits for its level: scaled down from here it would lose its last bits
        reached = np.flatnonzero(rest >= np.ldexp(1.0, BITS * level))
        scaled = np.ldexp(rest[reached], -BITS * level)
        chunks[level] = np.zeros(len(weights), dtype=np.int64)
        chunks[level][reached] = np.floor(scaled)
        rest[reached] = np.ldexp(scaled - np.floor(scaled), BITS * level)
    return chunks or {0: np.zeros(len(weights), dtype=np.int64)}


def sums_of_levels(values: Array, level: Array, place: Array, size: int) -> Array:
    """The sums of chunks by place, (size,): added exactly, then rounded once to float64."""
    lowest = int(level.min(initial=0))
    total = np.zeros(size, dtype=object)
    np.add.at(total, place, values.astype(object) << BITS * (level - lowest).astype(object))
    # Python divides whole numbers to the nearest float, whatever their size
    return np.array(total / (1 << -BITS * lowest), dtype=np.float64)
