"""Folds in which every class has its share, with several labels a document too."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.labels import Labels


def fold_numbers(labels: Labels, folds: int, seed: int) -> Array:
    """(documents,) the fold of each, by iterative stratification: Sechidis, Tsoumakas and Vlahavas (2011).

    The class with fewest documents left is dealt first, each of its documents to the fold that still wants
    most of the class, then to the one that wants most documents, then by lot. Documents without a label come
    last. With one label a document this is stratification as usual.

    >>> from termsift.labels import as_labels
    >>> numbers = fold_numbers(as_labels(["a"] * 4 + ["b"] * 2), 2, seed=0)
    >>> np.bincount(numbers[:4]), np.bincount(numbers[4:])
    (array([2, 2]), array([1, 1]))
    """
    lot = np.random.default_rng(seed)
    numbers = np.full(labels.size, -1)
    sizes = np.diff(labels.starts).astype(float)
    wanted, room = np.tile(sizes / folds, (folds, 1)), np.full(folds, labels.size / folds)
    own = np.split(*_classes_of(labels))
    left = sizes.copy()
    while np.any(left > 0):
        c = int(np.argmin(np.where(left > 0, left, np.inf)))
        for d in lot.permutation(labels.of(c)):
            if numbers[d] < 0:
                fold = _neediest(wanted[:, c], room, lot)
                numbers[d] = fold
                wanted[fold, own[d]] -= 1
                room[fold] -= 1
                left[own[d]] -= 1
    for d in lot.permutation(np.flatnonzero(numbers < 0)):
        numbers[d] = _neediest(room, room, lot)
        room[numbers[d]] -= 1
    return numbers


def _classes_of(labels: Labels) -> tuple[Array, Array]:
    """The classes of all documents, one after the other, and where each but the first begins."""
    rows = labels.indicator.tocsr()
    return rows.indices, rows.indptr[1:-1]


def _neediest(wanted: Array, room: Array, lot: np.random.Generator) -> int:
    # shares of a document are floats: what rounding alone tells apart is equal
    most = np.flatnonzero(wanted > wanted.max() - 1e-9)
    widest = most[room[most] > room[most].max() - 1e-9]
    return int(widest[0] if len(widest) == 1 else lot.choice(widest))
