"""Duplicates and near-duplicates among documents, and what they do to lists of terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.typing import Array
from termsift.engines.documents import mix_bits
from termsift.engines.inputs import LabelledInput, build_term_matrix, count
from termsift.engines.texts import resolve_analyzer

NEAR_DUPLICATE_SIMILARITY = 0.8  # Jaccard similarity of the term sets of near-duplicates
MIN_NEAR_DUPLICATE_TERMS = 5  # documents with fewer terms are duplicates only if they are equal
N_BANDS, BAND_WIDTH = 12, 4  # locality-sensitive hashing
# documents that contain a term, of which most are duplicates, for a warning
MIN_TERM_DOCUMENTS = 5


def drop_duplicate_documents(
    documents: LabelledInput, analyzer: Any = None, n_jobs: int | None = None
) -> LabelledInput:
    """Return the documents that duplicate no earlier one, exactly or nearly."""
    duplicates = find_duplicates(count_document_rows(documents, analyzer, n_jobs)[0])
    if not len(duplicates):
        return documents
    kept = np.setdiff1d(np.arange(len(documents.labels)), duplicates)
    texts = documents.texts
    return replace(
        documents,
        labels=documents.labels.take(kept),
        texts=None if texts is None else type(texts)(texts[i] for i in kept.tolist()),
        matrix=None if documents.matrix is None else documents.matrix[kept],
        metadata={role: [values[i] for i in kept] for role, values in documents.metadata.items()},
    )


def find_terms_of_duplicates(
    documents: LabelledInput, terms: Sequence[str], analyzer: Any = None, n_jobs: int | None = None
) -> list[tuple[str, int, int]]:
    """Return the terms of which most documents are duplicates: (term, documents, duplicates among them)."""
    rows, names = count_document_rows(documents, analyzer, n_jobs)
    index = {term: i for i, term in enumerate(names.tolist())}
    listed = [term for term in dict.fromkeys(terms) if term in index]
    chosen = rows[:, [index[term] for term in listed]].tocsc()
    # duplicates of documents with a term have it too, or nearly so: others need no comparison;
    # documents of a few terms may be equal without being copies
    is_long = np.diff(rows.indptr) >= MIN_NEAR_DUPLICATE_TERMS
    holding = np.unique(chosen.indices)
    holding = holding[is_long[holding]]
    is_duplicate = np.zeros(rows.shape[0], dtype=bool)
    is_duplicate[holding[find_duplicates(rows[holding])]] = True
    found = []
    for term, start, end in zip(listed, chosen.indptr[:-1], chosen.indptr[1:], strict=True):
        n_duplicates = int(np.count_nonzero(is_duplicate[chosen.indices[start:end]]))
        if end - start >= MIN_TERM_DOCUMENTS and 2 * n_duplicates > end - start:
            found.append((term, int(end - start), n_duplicates))
    return found


def count_document_rows(
    documents: LabelledInput, analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array]:
    """Return the occurrences (documents, terms) and the terms."""
    if documents.texts is None:
        return csr_array(documents.matrix), np.asarray(documents.terms)
    options = {"analyzer": resolve_analyzer(documents.texts, analyzer), "n_jobs": n_jobs}
    terms = count(documents.texts, documents.labels, **options).terms
    return build_term_matrix(documents, terms, options), terms


def find_duplicates(rows: csr_array[Any]) -> Array:
    """Return the documents that duplicate an earlier one, exactly or nearly."""
    return np.unique(find_duplicate_pairs(rows)[:, 1])


def find_duplicate_pairs(rows: csr_array[Any]) -> Array:
    """Return pairs of documents, (pairs, 2), that are duplicates or near-duplicates, in order, earlier first.

    Candidates are documents with equal MinHash signatures, or an equal band of them.
    """
    lengths = np.diff(rows.indptr)
    nonempty = np.flatnonzero(lengths)
    signatures = np.empty((len(nonempty), N_BANDS * BAND_WIDTH), dtype=np.uint64)
    terms, filled = np.arange(rows.shape[1], dtype=np.uint64), rows[nonempty]
    for i in range(N_BANDS * BAND_WIDTH):
        # a pseudorandom function of the term number for each column of the signatures
        seed = mix_bits(np.full(1, i, dtype=np.uint64))
        hashes = mix_bits(terms * np.uint64(2) + np.uint64(1) + seed)
        signatures[:, i] = np.minimum.reduceat(hashes[filled.indices], filled.indptr[:-1])
    is_long = lengths[nonempty] >= MIN_NEAR_DUPLICATE_TERMS
    # equal signatures and lengths: candidates for exact duplicates, also of short documents
    exact_keys = np.concatenate([signatures, lengths[nonempty, None].astype(np.uint64)], axis=1)
    candidates = [pair_equal_keys(nonempty, exact_keys)]
    for band in range(0, N_BANDS * BAND_WIDTH, BAND_WIDTH):
        keys = signatures[is_long, band : band + BAND_WIDTH]
        candidates.append(pair_equal_keys(nonempty[is_long], keys))
    pairs = np.unique(np.concatenate(candidates), axis=0)
    return pairs[jaccard_similarities(rows, pairs) >= NEAR_DUPLICATE_SIMILARITY]


def pair_equal_keys(documents: Array, keys: Array) -> Array:
    """Pair each document with the first and with the previous document of the same key: (pairs, 2)."""
    _, group = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ordered, groups = documents[order], group.ravel()[order]
    is_repeated = groups[1:] == groups[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~is_repeated]))
    first = ordered[np.repeat(starts, np.diff(np.append(starts, len(ordered))))]
    # pairs with the first and with the previous document find chains of near-duplicates in linear time
    with_first = np.stack([first[1:][is_repeated], ordered[1:][is_repeated]], axis=1)
    with_previous = np.stack([ordered[:-1][is_repeated], ordered[1:][is_repeated]], axis=1)
    return np.concatenate([with_first, with_previous])


def jaccard_similarities(rows: csr_array[Any], pairs: Array) -> Array:
    """Return the Jaccard similarity of the term sets of each pair of documents."""
    # the product of two sets, with 1 for each count, is their intersection
    sets = csr_array((np.ones(rows.nnz, dtype=np.int32), rows.indices, rows.indptr), shape=rows.shape)
    lengths = np.diff(rows.indptr)
    n_common = np.zeros(len(pairs))
    # in batches, to bound the memory of the products
    for start in range(0, len(pairs), 10_000):
        batch = slice(start, start + 10_000)
        n_common[batch] = (sets[pairs[batch, 0]] * sets[pairs[batch, 1]]).sum(axis=1)
    n_union = lengths[pairs[:, 0]] + lengths[pairs[:, 1]] - n_common
    return np.divide(n_common, np.maximum(n_union, 1))
