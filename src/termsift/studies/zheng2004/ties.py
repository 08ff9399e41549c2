"""What comes first of what ties: terms of equal score, documents of equal margin."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.experiment.folds import Fold


def tie_order(fold: Fold, tied: str) -> tuple[Array, Array]:
    """(terms,) twice: of equal terms the larger of the first comes first, then the smaller of the second.

    Terms stand in the order of the alphabet.
    """
    df, places = fold.counts.term_df, np.arange(len(fold.train.terms))
    if tied == "corpus":
        return -first_documents(fold), places
    orders = {
        "frequent": (df, places),
        "rare": (-df, places),
        "alphabet": (np.zeros_like(df), places),
        "alphabet's end": (np.zeros_like(df), -places),
    }
    return orders[tied]


def first_documents(fold: Fold) -> Array:
    """(terms,) the first training document that holds each; of one that none holds, their number."""
    columns = csc_array(fold.train.rows > 0)
    columns.sort_indices()
    first = np.full(columns.shape[1], columns.shape[0])
    held = np.diff(columns.indptr) > 0
    first[held] = columns.indices[columns.indptr[:-1][held]]
    return first


def in_file_order(margins: Array) -> Array:
    """(judged, steps) places in place of margins: of equal ones the first document has the higher.

    >>> in_file_order(np.array([[0.5], [0.7], [0.5]])).ravel()
    array([-1.,  0., -2.])
    """
    places = np.empty_like(margins)
    order = np.argsort(-margins, axis=0, kind="stable")
    np.put_along_axis(places, order, np.arange(0.0, -len(margins), -1)[:, None], axis=0)
    return places
