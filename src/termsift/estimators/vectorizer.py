"""TermVectorizer: a CountVectorizer that scans texts with compiled kernels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import can_skip_text_kernels
from termsift._internal.threads import batch_edges, map_in_order, resolve_n_jobs, run_in_background
from termsift._internal.typing import Array
from termsift.text import (
    CHAR_ANALYZERS,
    DEFAULT_TOKEN_PATTERN,
    MAX_NGRAM,
    Analyzer,
    Bags,
    Scanner,
    ScannerPool,
    grow_array,
    map_codes,
    pattern_mode,
    replace_surrogates,
)

# parameters that an Analyzer replaces
ANALYZER_PARAMETERS = (
    "strip_accents", "lowercase", "preprocessor", "tokenizer", "stop_words", "token_pattern", "ngram_range",
)  # fmt: skip


class TermVectorizer(CountVectorizer):
    """CountVectorizer of scikit-learn with a compiled scan instead of a loop over tokens.

    Parameters, attributes, methods and results are those of CountVectorizer. `analyzer` may also be a
    `termsift.Analyzer`, which finds words in every script and replaces all other tokenization parameters.
    Settings that the scan does not support (a tokenizer, a preprocessor, a pattern other than a run of
    characters of one kind, n-grams of more than 100 tokens or characters) use CountVectorizer's code.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads: None means 1, -1 all cores. The result does not depend on it.

    Examples
    --------
    >>> X = TermVectorizer().fit_transform(["a bad day", "a good day"])
    >>> X.toarray()
    array([[1, 1, 0],
           [0, 1, 1]])

    """

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            input=input, encoding=encoding, decode_error=decode_error, strip_accents=strip_accents,
            lowercase=lowercase, preprocessor=preprocessor, tokenizer=tokenizer, stop_words=stop_words,
            token_pattern=token_pattern, ngram_range=ngram_range, analyzer=analyzer, max_df=max_df,
            min_df=min_df, max_features=max_features, vocabulary=vocabulary, binary=binary, dtype=dtype,
        )  # fmt: skip
        self.n_jobs = n_jobs

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> Any:
        # only this step of CountVectorizer is slow; the steps before and after it are inherited
        analyzer = self._kernel_analyzer()
        if analyzer is None:
            return super()._count_vocab(raw_documents, fixed_vocab)
        documents = [self.decode(document) for document in raw_documents]
        if needs_count_vectorizer(documents, analyzer):
            return self._count_with_sklearn(documents, fixed_vocab)
        n_threads = 1 if self.n_jobs is None else resolve_n_jobs(self.n_jobs)
        if fixed_vocab:
            index = self._get_index(analyzer)
            return self.vocabulary_, index.count(documents, self.dtype, n_threads)
        self._index, X = build_vocabulary(documents, analyzer, self.dtype, n_threads)
        if not self._index.vocabulary:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        return self._index.vocabulary, X

    def _warn_for_unused_params(self) -> None:
        if not isinstance(self.analyzer, Analyzer):
            super()._warn_for_unused_params()
            return
        defaults = TermVectorizer().get_params(deep=False)
        for name in ANALYZER_PARAMETERS:
            if getattr(self, name) != defaults[name]:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} is not used with analyzer=Analyzer(...): set it there"
                )

    def _count_with_sklearn(self, documents: list[str], fixed_vocab: bool) -> Any:
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "n_jobs"}
        vectorizer = CountVectorizer(**(settings | {"input": "content"}))
        if fixed_vocab:
            vectorizer.vocabulary_ = self.vocabulary_
        return vectorizer._count_vocab(documents, fixed_vocab)

    def _get_index(self, analyzer: Analyzer) -> VocabularyIndex:
        # reused after fit, and from one transform to the next
        index: VocabularyIndex | None = getattr(self, "_index", None)
        if index is None or not index.is_valid(analyzer, self.vocabulary_):
            index = self._index = index_vocabulary(analyzer, self.vocabulary_)
        return index

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_index"}

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        # the scan returns sorted terms, which stay sorted when some are dropped
        index: VocabularyIndex | None = getattr(self, "_index", None)
        is_sorted = index is not None and index.vocabulary is vocabulary
        return X if is_sorted else super()._sort_features(X, vocabulary)

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: Any = None
    ) -> Any:
        if limit is None and (low is None or low <= 1) and (high is None or high >= X.shape[0]):
            return X
        return super()._limit_features(X, vocabulary, high, low, limit)

    def _kernel_analyzer(self) -> Analyzer | None:
        """Return the settings as an Analyzer that the kernels support, or None."""
        if isinstance(self.analyzer, Analyzer):
            return self.analyzer if self.analyzer.has_kernel else None
        if self.preprocessor is not None or callable(self.strip_accents) or self.ngram_range[1] > MAX_NGRAM:
            return None
        settings = {name: getattr(self, name) for name in ("lowercase", "ngram_range", "strip_accents")}
        if self.analyzer == "word":
            if self.tokenizer is not None or self.token_pattern is None:
                return None
            settings |= word_settings(self.token_pattern) | {"stop_words": self.get_stop_words() or ()}
        elif self.analyzer not in CHAR_ANALYZERS:
            return None
        try:
            analyzer = Analyzer(analyzer=self.analyzer, **settings)
        except InvalidInputError:
            # CountVectorizer either supports the settings or raises its error
            return None
        return analyzer if analyzer.has_kernel else None


def word_settings(token_pattern: str) -> dict[str, Any]:
    """Return the options of an Analyzer for a token pattern."""
    mode = pattern_mode(token_pattern)
    return {"token_pattern": token_pattern} if mode is None else {"words": mode[0], "hashtags": mode[1]}


def build_vocabulary(
    documents: list[str], analyzer: Analyzer, dtype: Any, n_threads: int
) -> tuple[VocabularyIndex, csr_matrix]:
    """Return the vocabulary of documents, in code-point order, and their document-term matrix."""
    from termsift.text import map_codes_inplace

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
    # the scan never produces terms with lone surrogates
    encodable = {term: column for term, column in vocabulary.items() if is_encodable(term)}
    codes = scanner.add_terms([term.encode() for term in encodable])
    column = np.fromiter(encodable.values(), dtype=np.int64, count=len(encodable))
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
            scanner = scanners.pop()
            bags = self._count_batch(scanner, documents[slice(*edge)])
            scanners.append(scanner)
            return bags

        rows = CsrBuilder(len(documents), dtype)
        for bags in map_in_order(count_batch, edges, n_threads):
            rows.add(bags)
        return rows.to_csr(len(self.vocabulary))

    def _count_batch(self, scanner: Scanner, documents: list[str]) -> Bags:
        """Return the bags of documents by column, without terms outside the vocabulary."""
        bags = scanner.scan_texts(documents, frozen=True)
        columns = map_codes(bags.codes, self.token_column, self.node_column)
        is_term = columns >= 0
        if is_term.all():
            return Bags(bags.indptr, columns, bags.counts)
        n_before = np.concatenate([[0], np.cumsum(is_term)])
        return Bags(n_before[bags.indptr], columns[is_term], bags.counts[is_term])


def batches(documents: list[str]) -> Iterable[tuple[int, int]]:
    """Return the first and last document of each batch."""
    return pairwise(batch_edges([len(document) for document in documents]))


def needs_count_vectorizer(documents: list[str], analyzer: Analyzer) -> bool:
    """Return whether to use CountVectorizer: for short texts, and for character n-grams with lone surrogates.

    The kernels scan UTF-8, which cannot encode lone surrogates; CountVectorizer has terms with them.
    """
    is_short, has_words = can_skip_text_kernels(sum(map(len, documents))), analyzer.analyzer == "word"
    if has_words and not is_short:
        return False
    return is_short if all(map(is_encodable, documents)) else not has_words


def is_encodable(text: str) -> bool:
    """Return whether a text has no lone surrogates."""
    return text.isascii() or replace_surrogates(text) is text


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
