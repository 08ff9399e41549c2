"""The compiled finders of what runs of characters are in: texts, or words with a blank at each end.

`blank` says of each code point whether it is white space, `small` what becomes of each byte of the text.
What was found is written anew, with `small` applied: data[edges[k, 0]:edges[k, 1]], and that of document d is
edges[edge_indptr[d]:edge_indptr[d + 1]]. A blank between two words is part of both.
"""

from __future__ import annotations

import numpy as np

from termsift.machine.compiled import njit
from termsift.text._bytes_kernel import code_point

BLANK = 32


@njit(inline="always")
def character_at(data, i, blank):  # type: ignore[no-untyped-def]
    """The number of bytes of the character that begins at byte i, and whether it is white space."""
    b = data[i]
    if b < 128:
        return 1, blank[b]
    c, n = code_point(data, i)
    return n, blank[c]


@njit(inline="always")
def copy_character(data, i, n, small, out, at):  # type: ignore[no-untyped-def]
    """Write the n bytes of a character. Returns where the next one goes."""
    for k in range(n):
        out[at + k] = small[data[i + k]]
    return at + n


@njit(cache=True, nogil=True)
def find_texts(data, starts, blank, small, least):  # type: ignore[no-untyped-def]
    """Whole texts of `least` characters and more; white space of two characters and more is one blank."""
    out = np.empty(data.size, dtype=np.uint8)
    edges = np.empty((starts.size - 1, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    at = n_edges = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        begin, before, length, blanks = at, at, 0, 0
        while i < stop:
            n, is_blank = character_at(data, i, blank)
            blanks = blanks + 1 if is_blank else 0
            if blanks < 2:
                before, length = at, length + 1
                at = copy_character(data, i, n, small, out, at)
            elif blanks == 2:
                out[before] = BLANK
                at = before + 1
            i += n
        if length >= least:
            edges[n_edges, 0], edges[n_edges, 1] = begin, at
            n_edges += 1
        edge_indptr[document + 1] = n_edges
    return out[:at], edges[:n_edges], edge_indptr


@njit(cache=True, nogil=True)
def find_words(data, starts, blank, small):  # type: ignore[no-untyped-def]
    """What is between white space, with a blank before and one behind."""
    out = np.empty(data.size + 2 * starts.size, dtype=np.uint8)
    # memory that is not written to costs nothing
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    at = n_edges = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        out[at] = BLANK
        at += 1
        begin = at - 1
        while i < stop:
            n, is_blank = character_at(data, i, blank)
            if not is_blank:
                at = copy_character(data, i, n, small, out, at)
            i += n
            if at - begin > 1 and (is_blank or i == stop):
                out[at] = BLANK
                at += 1
                edges[n_edges, 0], edges[n_edges, 1] = begin, at
                n_edges += 1
                begin = at - 1
        edge_indptr[document + 1] = n_edges
    return out[:at], edges[:n_edges], edge_indptr
