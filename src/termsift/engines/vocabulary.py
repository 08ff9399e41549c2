"""Vocabularies of texts: built by a scan, or fixed; and the counts of their terms as a matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import batch_edges, is_faster_in_python, map_in_order, run_in_background
from termsift._internal.typing import Array
from termsift.text import (
    Analyzer,
    Bags,
    Scanner,
    ScannerPool,
    grow_array,
    map_codes,
    map_codes_inplace,
    replace_surrogates,
)


def build_vocabulary(
    documents: list[str], analyzer: Analyzer, dtype: Any, n_threads: int
) -> tuple[VocabularyIndex, csr_matrix]:
    """Return the vocabulary of documents, in code-point order, and their document-term matrix."""
    edges = list(batches(documents))
    scanners = ScannerPool(analyzer, min(n_threads, max(len(edges), 1)))

    def scan_batch(edge: tuple[int, int]) -> tuple[int, Bags]:
        with scanners.acquire() as (number, scanner):
            return number, scanner.scan_texts(documents[slice(*edge)])

    rows = CsrBuilder(len(documents), dtype)
    entries = [(number, rows.add(bags)) for number, bags in map_in_order(scan_batch, edges, n_threads)]
    scanner, numbers = scanners.merge()
    ranked = scanner.lexicon.rank_terms(analyzer.token_range[0])
    columns = [(ranked.token_ranks[tokens], ranked.node_ranks[nodes]) for tokens, nodes in numbers]

    def recode_rows() -> None:
        for number, span in entries:
            map_codes_inplace(rows.indices[span], *columns[number])

    # building the dictionary takes as long as the recoding, so both run at once
    with run_in_background(recode_rows, n_threads):
        vocabulary = dict(zip(ranked.names, range(len(ranked.names)), strict=True))
    X = rows.to_csr(len(ranked.names))
    return VocabularyIndex(scanner, vocabulary, ranked.token_ranks, ranked.node_ranks), X


def index_vocabulary(analyzer: Analyzer, vocabulary: dict[str, int]) -> VocabularyIndex:
    """Return the index of a vocabulary that was built elsewhere."""
    scanner = Scanner(analyzer)
    high = analyzer.token_range[1]
    # the scan produces neither lone surrogates nor longer n-grams, each of whose beginnings would be indexed
    findable = {
        term: column
        for term, column in vocabulary.items()
        if replace_surrogates(term) is term and (high == 1 or term.count(" ") < high)
    }
    codes = scanner.add_terms([term.encode() for term in findable])
    column = np.fromiter(findable.values(), dtype=np.int64, count=len(findable))
    is_token = codes >= 0
    token_column = np.full(len(scanner.lexicon.tokens), -1, dtype=np.int64)
    token_column[codes[is_token]] = column[is_token]
    node_column = np.full(int(scanner.lexicon.size[0]), -1, dtype=np.int64)
    node_column[-1 - codes[~is_token]] = column[~is_token]
    return VocabularyIndex(scanner, vocabulary, token_column, node_column)


class VocabularyIndex:
    """Vocabulary with the column of each token and n-gram of the scanner, or -1."""

    def __init__(
        self, scanner: Scanner, vocabulary: dict[str, int], token_column: Array, node_column: Array
    ) -> None:
        self.scanner, self.vocabulary, self.size = scanner, vocabulary, len(vocabulary)
        self.token_column, self.node_column = token_column, node_column

    def is_valid(self, analyzer: Analyzer, vocabulary: dict[str, int]) -> bool:
        """Return whether the vocabulary is still the same object, without dropped terms."""
        is_same = self.vocabulary is vocabulary and self.size == len(vocabulary)
        return is_same and self.scanner.analyzer == analyzer

    def count(self, documents: list[str], dtype: Any, n_threads: int) -> csr_matrix:
        """Return the document-term matrix of documents."""
        edges = list(batches(documents))
        n_threads = min(n_threads, max(len(edges), 1))
        scanners = [self.scanner, *(self.scanner.clone() for _ in range(n_threads - 1))]

        def count_batch(edge: tuple[int, int]) -> Bags:
            # pop and append of a list are atomic, so threads share the scanners without a lock
            scanner = scanners.pop()
            bags = self.count_batch(scanner, documents[slice(*edge)])
            scanners.append(scanner)
            return bags

        rows = CsrBuilder(len(documents), dtype)
        for bags in map_in_order(count_batch, edges, n_threads):
            rows.add(bags)
        return rows.to_csr(len(self.vocabulary))

    def count_batch(self, scanner: Scanner, documents: list[str]) -> Bags:
        """Return the bags of documents by column, without terms outside the vocabulary."""
        bags = scanner.scan_texts(documents, frozen=True)
        columns = map_codes(bags.codes, self.token_column, self.node_column)
        is_term = columns >= 0
        if is_term.all():
            return Bags(bags.indptr, columns, bags.counts)
        # row pointers count the terms that remain before each row
        n_before = np.concatenate([[0], np.cumsum(is_term)])
        return Bags(n_before[bags.indptr], columns[is_term], bags.counts[is_term])


def batches(documents: list[str]) -> Iterable[tuple[int, int]]:
    """Return the first and last document of each batch."""
    return pairwise(batch_edges([len(document) for document in documents]))


class CsrBuilder:
    """Builder of a sparse matrix by rows, with arrays allocated ahead.

    Unwritten memory costs nothing, while moving arrays fragments the memory.
    """

    def __init__(self, n_rows: int, dtype: Any) -> None:
        self.indptr = np.zeros(n_rows + 1, dtype=np.int64)
        self.indices, self.data = np.empty(0, dtype=np.int32), np.empty(0, dtype=_parse_dtype(dtype))
        self.n_rows = self.n_entries = 0

    def add(self, bags: Bags) -> slice:
        """Add documents; return the slice of their entries."""
        n_new, span = len(bags.indptr) - 1, slice(self.n_entries, self.n_entries + len(bags.counts))
        self.indptr[self.n_rows + 1 : self.n_rows + n_new + 1] = bags.indptr[1:] + self.n_entries
        self.n_rows, self.n_entries = self.n_rows + n_new, span.stop
        if self.n_entries > len(self.data):
            # enough for all rows if they are as long as those so far, plus a quarter
            capacity = 5 * self.n_entries * (len(self.indptr) - 1) // (4 * self.n_rows)
            self.indices, self.data = grow_array(self.indices, capacity), grow_array(self.data, capacity)
        self.indices[span], self.data[span] = bags.codes, bags.counts
        return span

    def to_csr(self, width: int) -> csr_matrix:
        """Return the matrix; the builder cannot be used afterwards."""
        # no other reference to the arrays exists, so they can be shrunk in place
        self.indices.resize(self.n_entries, refcheck=False)
        self.data.resize(self.n_entries, refcheck=False)
        index_dtype: Any = np.int32 if self.n_entries < 2**31 else np.int64
        indptr, indices = self.indptr.astype(index_dtype), self.indices.astype(index_dtype, copy=False)
        return csr_matrix((self.data, indices, indptr), shape=(self.n_rows, width))


def _parse_dtype(dtype: Any) -> Any:
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError) as error:
        raise InvalidInputError(f"dtype must be a NumPy dtype such as numpy.int64, got {dtype!r}") from error


class TermCounter:
    """Counter of the terms of a fixed vocabulary, which several threads may use at once.

    Little text, and text of analyzers without a kernel, is counted in Python.
    """

    def __init__(self, analyzer: Analyzer, terms: Sequence[str]) -> None:
        self.analyzer = analyzer
        self.vocabulary = dict(zip(terms, range(len(terms)), strict=True))
        self._index: VocabularyIndex | None = None
        self._free: list[Scanner] = []

    def count(self, texts: list[str]) -> csr_array[Any]:
        """Return the counts of the terms in each text."""
        if not self.analyzer.has_kernel or is_faster_in_python(sum(map(len, texts)), text=True):
            return self._count_by_python(texts)
        if self._index is None:
            self._index = index_vocabulary(self.analyzer, self.vocabulary)
        # pop and append of a list are atomic, so threads share the scanners without a lock
        try:
            scanner = self._free.pop()
        except IndexError:
            scanner = self._index.scanner.clone()
        bags = self._index.count_batch(scanner, texts)
        self._free.append(scanner)
        return csr_array((bags.counts, bags.codes, bags.indptr), shape=(len(texts), len(self.vocabulary)))

    def _count_by_python(self, texts: list[str]) -> csr_array[Any]:
        indptr, columns, values = [0], list[int](), list[int]()
        for text in texts:
            known = [self.vocabulary[term] for term in self.analyzer(text) if term in self.vocabulary]
            occurrences = Counter(known)
            columns += occurrences.keys()
            values += occurrences.values()
            indptr.append(len(columns))
        data, indices = np.array(values, dtype=np.int32), np.array(columns, dtype=np.int32)
        return csr_array((data, indices, np.array(indptr)), shape=(len(texts), len(self.vocabulary)))
