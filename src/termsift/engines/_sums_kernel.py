"""The compiled pass over the nonzeros of a class's documents.

Invariants:
- `df`, `tf`, `tf2` are zero for every term on entry; then they hold the class's sums, until they are emptied.
- `touched[:n]` lists each term whose `df` is above zero once, in the order of first sight.
- A stored zero is not an occurrence. Any other value outside `least` and `most` stops the pass, and the
  caller names it.
- What is sorted and laid out is left to NumPy: numba takes longer to compile a sort than all of this.
"""

from __future__ import annotations

from termsift._internal.kernels import njit


@njit(cache=True, nogil=True)
def class_sums(  # type: ignore[no-untyped-def]
    indptr, indices, data, least, most, weights, documents, df, tf, tf2, touched
):
    """Sum one class. Returns how many terms were touched, and the place of a bad value, or -1."""
    n = 0
    bad = -1
    for i in range(documents.size):
        document = documents[i]
        weight = weights[document] if weights.size else df.dtype.type(1)
        for k in range(indptr[document], indptr[document + 1]):
            value = data[k]
            if value == 0 or weight == 0:
                continue
            if not (value >= least and value <= most):
                bad = k
                break
            term = indices[k]
            if df[term] == 0:
                touched[n] = term
                n += 1
            df[term] += weight
            tf[term] += weight * value
            tf2[term] += weight * value * value
        if bad >= 0:
            break
    return n, bad


@njit(cache=True, nogil=True)
def add_part(ids, part_df, part_tf, part_tf2, df, tf, tf2, touched, n):  # type: ignore[no-untyped-def]
    """Add the sums of a part to the scratch, where n terms were touched. Returns how many are now."""
    for i in range(ids.size):
        term = ids[i]
        if df[term] == 0:
            touched[n] = term
            n += 1
        df[term] += part_df[i]
        tf[term] += part_tf[i]
        tf2[term] += part_tf2[i]
    return n


@njit(cache=True, nogil=True)
def move_sums(df, tf, tf2, terms, own_df, own_tf, own_tf2):  # type: ignore[no-untyped-def]
    """Move the sums of all terms that have any out of the scratch, which is zero again."""
    n = 0
    for term in range(df.size):
        if df[term] != 0:
            terms[n] = term
            own_df[n], own_tf[n], own_tf2[n] = df[term], tf[term], tf2[term]
            df[term], tf[term], tf2[term] = 0, 0, 0
            n += 1


@njit(cache=True, nogil=True)
def repeats(indptr, indices, last):  # type: ignore[no-untyped-def]
    """Whether a row holds a column twice; `last` is -1 for every column. Rows need not be sorted."""
    for row in range(indptr.size - 1):
        for k in range(indptr[row], indptr[row + 1]):
            if last[indices[k]] == row:
                return True
            last[indices[k]] = row
    return False
