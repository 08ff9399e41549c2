"""Weights as whole numbers, so that their sums do not depend on who adds first.

A weight is the sum of chunks of 20 bits, chunk times 2 ** (20 level). Chunks are whole, and sums of whole
numbers are the same in any order; 43 bits are left for the sum over documents. A float of 53 bits has at most
four chunks.
"""

from __future__ import annotations

import numpy as np

from termsift.counts import Array

BITS = 20


def levels(weights: Array) -> dict[int, Array]:
    """For each level the chunks of the weights, int64; one level at least.

    >>> {level: chunks.tolist() for level, chunks in levels(np.array([1.0, 2.5])).items()}
    {0: [1, 2], -1: [0, 524288]}
    """
    chunks: dict[int, Array] = {}
    rest = weights
    while rest.any():
        level = (int(np.frexp(rest.max())[1]) - 1) // BITS
        scaled = np.ldexp(rest, -BITS * level)
        whole = np.floor(scaled)
        chunks[level] = whole.astype(np.int64)
        rest = np.ldexp(scaled - whole, BITS * level)
    return chunks or {0: np.zeros(len(weights), dtype=np.int64)}


def joined(values: Array, level: Array, place: Array, size: int) -> Array:
    """The sums of chunks by place, (size,): added exactly, then rounded once to float64."""
    lowest = int(level.min(initial=0))
    total = np.zeros(size, dtype=object)
    np.add.at(total, place, values.astype(object) << BITS * (level - lowest).astype(object))
    # Python divides whole numbers to the nearest float, whatever their size
    return np.array((total * 1) / (1 << -BITS * lowest), dtype=np.float64)
