"""Documents that are copies of each other, or nearly: by sketches of their sets of terms.

A sketch is the least hash of the terms under each of many hash functions. Two documents agree in one with
the chance of their Jaccard similarity (Broder 1997), so those that agree in all of a band are compared.
Of documents that are alike, each is paired with one that came before: enough to know who has a copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array

ALIKE = 0.8  # the share of common terms, of all terms of both, from which documents are near copies
SHORTEST = 5  # terms of a document, for near copies; shorter ones count only where they are the same
BANDS, WIDTH = 12, 4
MIX = np.uint64(0x9E3779B97F4A7C15)


def copied(rows: csr_array[Any]) -> Array:
    """(pairs, 2) of documents that are copies or near copies, the earlier first, in order."""
    sets = sets_of(rows)
    lengths = np.diff(rows.indptr)
    filled = np.flatnonzero(lengths)
    if not len(filled):
        return np.zeros((0, 2), dtype=np.intp)
    sketches = sketches_of(sets[filled])
    near = lengths[filled] >= SHORTEST
    whole = [paired(filled, np.concatenate([sketches, lengths[filled, None].astype(np.uint64)], axis=1))]
    bands = [paired(filled[near], sketches[near, b * WIDTH : (b + 1) * WIDTH]) for b in range(BANDS)]
    candidates = np.unique(np.concatenate([*whole, *bands]), axis=0)
    return candidates[similarities(sets, candidates) >= ALIKE]


def sets_of(rows: csr_array[Any]) -> csr_array[Any]:
    """The terms of each document, whatever their numbers."""
    return csr_array((np.ones(rows.nnz, dtype=np.int32), rows.indices, rows.indptr), shape=rows.shape)


def set_similarities(rows: csr_array[Any], pairs: Array) -> Array:
    """(pairs,) the share of common terms of each two documents, of all terms of both."""
    return similarities(sets_of(rows), pairs)


def sketches_of(sets: csr_array[Any]) -> Array:
    """(documents, hashes) the least hash of each document's terms; no document is empty."""
    sketches = np.empty((sets.shape[0], BANDS * WIDTH), dtype=np.uint64)
    terms = np.arange(sets.shape[1], dtype=np.uint64)
    for i in range(BANDS * WIDTH):
        hashes = mixed(terms * np.uint64(2) + np.uint64(1) + mixed(np.full(1, i, dtype=np.uint64)))
        sketches[:, i] = np.minimum.reduceat(hashes[sets.indices], sets.indptr[:-1])
    return sketches


def mixed(numbers: Array) -> Array:
    """Numbers spread over 64 bits, as SplitMix64 does."""
    z = numbers * MIX
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed_up: Array = z ^ (z >> np.uint64(31))
    return mixed_up


def paired(documents: Array, keys: Array) -> Array:
    """(pairs, 2) of documents of the same key: each with the first of them, and with the one before."""
    if not len(documents):
        return np.zeros((0, 2), dtype=np.intp)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ordered, groups = documents[order], group.ravel()[order]
    same = groups[1:] == groups[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    first = ordered[np.repeat(starts, np.diff(np.append(starts, len(ordered))))]
    with_first = np.stack([first[1:][same], ordered[1:][same]], axis=1)
    with_last = np.stack([ordered[:-1][same], ordered[1:][same]], axis=1)
    return np.concatenate([with_first, with_last])


def similarities(sets: csr_array[Any], pairs: Array) -> Array:
    """(pairs,) the Jaccard similarity of each two documents."""
    lengths = np.diff(sets.indptr)
    common = np.zeros(len(pairs))
    for start in range(0, len(pairs), 10_000):
        part = slice(start, start + 10_000)
        common[part] = (sets[pairs[part, 0]] * sets[pairs[part, 1]]).sum(axis=1)
    union = lengths[pairs[:, 0]] + lengths[pairs[:, 1]] - common
    shares: Array = common / np.maximum(union, 1)
    return shares
