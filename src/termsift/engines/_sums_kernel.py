"""Kernels that sum the nonzeros of the documents of a class.

Invariants:
- `df`, `tf`, `tf2` are zero for every term on entry; then they hold the sums of the class until drained.
- `touched[:n]` lists each term whose `df` is above zero once, in the order of first occurrence.
- A stored zero is not an occurrence. Any other value outside `min_value` and `max_value` stops the kernel,
  and the caller reports it.
- NumPy does the sorting: numba takes longer to compile a sort than all of this.
"""

from __future__ import annotations

from termsift._internal.kernels import njit


@njit(cache=True, nogil=True)
def sum_class(  # type: ignore[no-untyped-def]
    indptr, indices, data, min_value, max_value, weights, documents, df, tf, tf2, touched
):
    """Sum the documents of one class; return the number of touched terms, and an invalid position or -1."""
    n = 0
    invalid = -1
    for i in range(documents.size):
        document = documents[i]
        weight = weights[document] if weights.size else df.dtype.type(1)
        for k in range(indptr[document], indptr[document + 1]):
            value = data[k]
            if value == 0 or weight == 0:
                continue
            if not (value >= min_value and value <= max_value):
                invalid = k
                break
            term = indices[k]
            if df[term] == 0:
                touched[n] = term
                n += 1
            df[term] += weight
            tf[term] += weight * value
            tf2[term] += weight * value * value
        if invalid >= 0:
            break
    return n, invalid


@njit(cache=True, nogil=True)
def add_sums(ids, batch_df, batch_tf, batch_tf2, df, tf, tf2, touched, n):  # type: ignore[no-untyped-def]
    """Add the sums of a batch to the scratch arrays with n touched terms; return the new n."""
    for i in range(ids.size):
        term = ids[i]
        if df[term] == 0:
            touched[n] = term
            n += 1
        df[term] += batch_df[i]
        tf[term] += batch_tf[i]
        tf2[term] += batch_tf2[i]
    return n


@njit(cache=True, nogil=True)
def move_sums(df, tf, tf2, terms, moved_df, moved_tf, moved_tf2):  # type: ignore[no-untyped-def]
    """Move the nonzero sums out of the scratch arrays, which are zero again."""
    n = 0
    for term in range(df.size):
        if df[term] != 0:
            terms[n] = term
            moved_df[n], moved_tf[n], moved_tf2[n] = df[term], tf[term], tf2[term]
            df[term], tf[term], tf2[term] = 0, 0, 0
            n += 1


@njit(cache=True, nogil=True)
def has_repeated_columns(indptr, indices, last_row_by_column):  # type: ignore[no-untyped-def]
    """Check whether a row stores a column twice; `last_row` is -1 for every column. Rows may be unsorted."""
    for row in range(indptr.size - 1):
        for k in range(indptr[row], indptr[row + 1]):
            if last_row_by_column[indices[k]] == row:
                return True
            last_row_by_column[indices[k]] = row
    return False
