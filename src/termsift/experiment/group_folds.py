"""Folds of whole groups: the documents of an author, a thread or a source are all in one."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.labels import Labels


def stratified_group_folds(labels: Labels, groups: Array, folds: int, seed: int) -> Array:
    """(documents,) the fold of each, all of a group in one, the classes spread as evenly as groups allow.

    Groups are dealt from the largest down, those of about one size by lot, each to the fold by which the
    shares of all classes, and of all documents, then differ least between folds. No fold stays empty where
    there are as many groups as folds. Documents may have several labels.

    >>> from termsift.labels import as_labels
    >>> numbers = stratified_group_folds(as_labels(["a", "b"] * 4), np.arange(8) // 2, 2, seed=0)
    >>> np.bincount(numbers), numbers[::2] == numbers[1::2]
    (array([4, 4]), array([ True,  True,  True,  True]))
    """
    _, codes = np.unique(groups, return_inverse=True)
    sizes = group_sizes(labels, codes)
    # by powers of two: within one, the lot decides
    rank = np.frexp(sizes[:, -1])[1]
    lot = np.random.default_rng(seed).permutation(len(sizes))
    order = lot[np.argsort(-rank[lot], kind="stable")]
    shares = sizes / np.maximum(sizes.sum(axis=0), 1)
    filled, number = np.zeros((folds, shares.shape[1])), np.empty(len(sizes), dtype=np.intp)
    empty = folds
    for left, group in zip(range(len(order), 0, -1), order, strict=True):
        open_folds = np.flatnonzero(~filled[:, -1].astype(bool)) if left <= empty else np.arange(folds)
        number[group] = fold = open_folds[least_uneven(filled, shares[group], open_folds)]
        empty -= filled[fold, -1] == 0
        filled[fold] += shares[group]
    found: Array = number[codes]
    return found


def group_sizes(labels: Labels, codes: Array) -> Array:
    """(groups, classes + 1) the documents of each class in each group, and last all of its documents."""
    groups = int(codes.max()) + 1
    of_class = np.repeat(np.arange(len(labels.classes)), np.diff(labels.starts))
    sizes = np.zeros((groups, len(labels.classes) + 1))
    np.add.at(sizes, (codes[labels.documents], of_class), 1)
    sizes[:, -1] = np.bincount(codes, minlength=groups)
    return sizes


def least_uneven(filled: Array, shares: Array, open_folds: Array) -> int:
    """Which of some folds the group is best put into: the sum of squares of all shares grows least by it."""
    growth = (2 * filled[open_folds] + shares) @ shares
    return int(np.argmin(np.round(growth, 12)))
