"""Texts in memory: their counts, their vocabulary, and document-term matrices of new or given terms."""

from __future__ import annotations

import copy
import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import (
    batch_edges,
    map_in_order,
    resolve_n_jobs,
    run_in_second_thread,
    spend_python_budget,
)
from termsift._internal.typing import Array, as_term_array
from termsift.counts import Counts, Labels, as_list, is_missing, validate_labels
from termsift.engines.matrices import (
    Accumulator,
    BatchSums,
    ClassSummer,
    Sums,
    count_matrix,
    count_rows,
    drop_absent_terms,
    narrow_sums,
    weights_or_empty,
)
from termsift.text import (
    DEFAULT_ANALYZER,
    TOKEN_SEPARATOR,
    Analyzer,
    Bags,
    Lexicon,
    Scanner,
    ScannerPool,
    analyzer_for_joined_tokens,
    consume,
    grow_array,
    is_joined_token_analyzer,
    map_codes,
    map_codes_inplace,
    pack_terms,
    replace_surrogates,
)

MAX_PENDING_ENTRIES = 1 << 21  # entries of unsummed batches that a thread holds: 16 MB


def count_texts(
    texts: Any, labels: Any, *, analyzer: Any = None, sample_weight: Any = None, n_jobs: int | None = None
) -> Counts:
    """Count texts, with terms in code-point order; the parameters are those of `ts.count`.

    A scikit-learn vectorizer is copied and fitted, so that its limits (min_df, ...) apply.

    Examples
    --------
    >>> count_texts(["a bad day", "a good day"], [0, 1]).terms
    array(['bad', 'day', 'good'], dtype=object)

    """
    documents = texts if isinstance(texts, TokenTexts) else validate_texts(as_list(texts))
    analyzer = resolve_analyzer(documents, analyzer)
    labels = validate_labels(labels, len(documents))
    if hasattr(analyzer, "fit_transform"):
        return count_by_vectorizer(documents, labels, analyzer, sample_weight)
    analyzer = validate_analyzer(analyzer)
    weights = weights_or_empty(sample_weight, labels.size)
    n_threads = resolve_n_jobs(n_jobs)
    if is_scanned(documents, analyzer):
        return count_by_scanner(documents, labels, analyzer, weights, n_threads)
    return count_by_python(documents, labels, analyzer, weights)


def is_scanned(documents: list[str], analyzer: Any) -> bool:
    """Check whether the compiled scanner supports the analyzer, and is faster for this much text."""
    has_kernel = isinstance(analyzer, Analyzer) and analyzer.has_kernel
    return has_kernel and not spend_python_budget(sum(map(len, documents)), for_text_kernels=True)


def count_by_python(documents: list[str], labels: Labels, analyzer: Any, weights: Array) -> Counts:
    """Count documents by calling the analyzer on each."""
    rows, terms = document_term_matrix(documents, analyzer)
    return drop_absent_terms(
        count_rows(rows, labels, as_term_array(terms), weights, analyzer_identifier(analyzer))
    )


def validate_analyzer(analyzer: Any) -> Any:
    """Return the analyzer, or the default one for None; raise an error if it cannot count batches."""
    if hasattr(analyzer, "fit_transform"):
        raise InvalidInputError(
            "a vectorizer cannot count files, which are counted in batches; use an Analyzer or a function"
        )
    analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
    if not callable(analyzer):
        raise InvalidInputError(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer


def count_by_scanner(
    documents: list[str], labels: Labels, analyzer: Analyzer, weights: Array, n_threads: int
) -> Counts:
    """Count documents by the compiled scanner: threads count batches, which are added up."""
    edges = batch_edges(list(map(len, documents)))
    n_threads = min(n_threads, max(len(edges) - 1, 1))
    scanners = ScannerPool(analyzer, n_threads)
    pending: list[list[tuple[Bags, Labels]]] = [[] for _ in scanners.all]

    def scan_batch(span: tuple[int, int]) -> tuple[int, BatchSums | None]:
        first, last = span
        with scanners.acquire() as (number, scanner):
            batch = scanner.scan_texts(documents[first:last]), labels.slice_documents(first, last)
            if weights.size:
                # summed batch by batch, so that rounding does not depend on the threads
                return number, sum_batches([batch], scanner.lexicon, weights[first:last])
            pending[number].append(batch)
            # integer sums are equal in any order, so a thread adds up many of its batches at once
            n_entries = sum(len(bags.codes) for bags, _ in pending[number])
            return sum_pending(number) if n_entries >= MAX_PENDING_ENTRIES else (number, None)

    def sum_pending(scanner_index: int) -> tuple[int, BatchSums]:
        batches, pending[scanner_index] = pending[scanner_index], []
        return scanner_index, sum_batches(batches, scanners.all[scanner_index].lexicon, np.zeros(0))

    results = list(map_in_order(scan_batch, pairwise(edges), n_threads))
    results += map_in_order(sum_pending, [i for i, batches in enumerate(pending) if batches], n_threads)
    scanner, numbers = scanners.merge()
    accumulator = Accumulator(analyzer.token_range[0], scanner.lexicon)
    del scanner
    for number, sums in consume(results):
        if sums is not None:
            accumulator.add_mapped(sums, *numbers[number])
    return accumulator.drain_to_counts(analyzer_identifier(analyzer), labels.classes)


def sum_batches(batches: Sequence[tuple[Bags, Labels]], lexicon: Lexicon, weights: Array) -> BatchSums:
    """Sum the bags of batches with the same classes; weights are those of a single batch, or empty."""
    n_tokens = len(lexicon.tokens)
    all_labels = [labels for _, labels in batches]
    classes = all_labels[0].classes
    summer = ClassSummer([bags_to_csr(bags, lexicon) for bags, _ in batches], weights)

    def sum_by_code(document_indices: list[Array]) -> Sums:
        columns, df, tf, tf2 = summer.sum_documents(document_indices)
        return narrow_sums((np.where(columns < n_tokens, columns, n_tokens - 1 - columns), df, tf, tf2))

    members = {name: [labels.class_documents(c) for labels in all_labels] for c, name in enumerate(classes)}
    by_class = {name: sum_by_code(lists) for name, lists in members.items() if any(map(len, lists))}
    class_sizes = np.sum([labels.class_sizes(weights) for labels in all_labels], axis=0).tolist()
    n_documents = float(weights.sum()) if weights.size else sum(labels.size for labels in all_labels)
    is_single = all(labels.is_single_label for labels in all_labels)
    total = None if is_single else sum_by_code([np.arange(labels.size) for labels in all_labels])
    return BatchSums(lexicon, by_class, total, dict(zip(classes, class_sizes, strict=True)), n_documents)


def bags_to_csr(bags: Bags, lexicon: Lexicon) -> csr_array[Any]:
    """Return bags as a matrix whose columns are the tokens, then the n-grams."""
    n_tokens, n_ngrams = len(lexicon.tokens), int(lexicon.size[0])
    columns = np.where(bags.codes >= 0, bags.codes, n_tokens - 1 - bags.codes) if n_ngrams else bags.codes
    shape = (len(bags.indptr) - 1, n_tokens + n_ngrams)
    return csr_array((bags.counts, columns, bags.indptr), shape=shape)


def build_bags(documents: list[str], analyzer: Any) -> tuple[Bags, Lexicon]:
    """Return the bags of documents by an analyzer without a kernel, and their lexicon."""
    rows, terms = document_term_matrix(documents, analyzer)
    lexicon = Lexicon()
    lexicon.tokens.add(pack_terms([term.encode() for term in terms]))
    return Bags(rows.indptr, rows.indices, rows.data), lexicon


class TokenTexts(list[str]):
    """Documents that were lists of tokens, each a text of the tokens joined by TOKEN_SEPARATOR."""


def validate_texts(documents: list[Any]) -> list[str] | TokenTexts:
    """Return the documents; raise an error unless each is a str, or each is a list of tokens."""
    if set(map(type, documents)) <= {str}:
        return documents
    if documents and is_token_list(documents[0]):
        return join_tokens(documents)
    for i, document in enumerate(documents):
        if is_token_list(document):
            raise InvalidInputError(
                f"document {i} is a list of tokens, but document 0 is a text; give only texts or only lists"
            )
        if not isinstance(document, str):
            problem = "is missing" if is_missing(document) else f"is {type(document).__name__}, not str"
            raise InvalidInputError(f"document {i} {problem}; every document must be a text")
    return documents


def is_token_list(document: Any) -> bool:
    """Return whether a document is a list, tuple or array, as of tokens."""
    return isinstance(document, list | tuple | np.ndarray)


def join_tokens(documents: list[Any]) -> TokenTexts:
    """Return lists of tokens as texts; raise an error unless all are lists of str."""
    texts = TokenTexts()
    for i, document in enumerate(documents):
        if isinstance(document, str):
            raise InvalidInputError(
                f"document {i} is a text, but document 0 is a list of tokens; give only texts or only lists"
            )
        if not is_token_list(document):
            problem = "is missing" if is_missing(document) else f"is {type(document).__name__}"
            raise InvalidInputError(f"document {i} {problem}; every document must be a list of tokens")
        tokens = document.tolist() if isinstance(document, np.ndarray) else document
        try:
            texts.append(TOKEN_SEPARATOR.join(tokens))
        except TypeError as error:
            token = next(token for token in tokens if not isinstance(token, str))
            raise InvalidInputError(
                f"document {i} has the token {token!r}, which is {type(token).__name__}; tokens must be str"
            ) from error
    return texts


def resolve_analyzer(documents: Any, analyzer: Any) -> Any:
    """Return the analyzer for validated texts: for lists of tokens, one that takes the tokens as they are."""
    if isinstance(documents, TokenTexts):
        return analyzer_for_joined_tokens(analyzer)
    reject_token_analyzer(analyzer)
    return analyzer


def reject_token_analyzer(analyzer: Any) -> None:
    """Check that texts are not counted by the analyzer of lists of tokens, which would leave them whole."""
    if is_joined_token_analyzer(analyzer):
        raise InvalidInputError("the analyzer is for lists of tokens, but the documents are texts; omit it")


def document_term_matrix(
    documents: list[str], analyzer: Callable[[str], Any]
) -> tuple[csr_array[Any], list[str]]:
    """Return the matrix of counts and its terms in code-point order; a lone surrogate counts as "?"."""
    column_index: dict[Any, int] = {}
    indptr, indices, values = array("q", [0]), array("q"), array("q")
    for document in documents:
        terms = analyzer(document)
        if not isinstance(terms, Iterable):
            raise InvalidInputError(f"the analyzer returned {terms!r} for a document, not a list of terms")
        terms = terms if isinstance(terms, list | tuple) else list(terms)
        try:
            occurrences = Counter(terms)
            indices.extend([column_index.setdefault(term, len(column_index)) for term in occurrences])
        except TypeError as error:
            # an unhashable term
            term = next(term for term in terms if not isinstance(term, str))
            kind = type(term).__name__
            message = f"the analyzer returned {term!r}, which is {kind}; terms must be str"
            raise InvalidInputError(message) from error
        values.extend(occurrences.values())
        indptr.append(len(indices))
    for term in column_index:
        if not isinstance(term, str):
            kind = type(term).__name__
            raise InvalidInputError(f"the analyzer returned {term!r}, which is {kind}; terms must be str")
    names = [replace_surrogates(term) for term in column_index]
    sorted_terms = sorted(set(names))
    rank = {term: i for i, term in enumerate(sorted_terms)}
    ranks = np.array([rank[name] for name in names], dtype=np.int64)
    columns = ranks[np.frombuffer(indices, dtype=np.int64)] if indices else np.zeros(0, np.int64)
    data = np.frombuffer(values, dtype=np.int64) if values else np.zeros(0, np.int64)
    shape = (len(documents), len(sorted_terms))
    rows = csr_array((data, columns, np.frombuffer(indptr, dtype=np.int64)), shape=shape)
    if len(sorted_terms) < len(names):
        rows = rows.copy()
        rows.sum_duplicates()
    return rows, sorted_terms


def analyzer_identifier(analyzer: Any) -> str | None:
    """Return a name that identifies the analyzer across runs, or None if it has none."""
    if isinstance(analyzer, Analyzer):
        return repr(analyzer)
    name = getattr(analyzer, "__qualname__", None)
    if name is not None and "<" not in name:
        return f"{getattr(analyzer, '__module__', None) or 'builtins'}.{name}"
    # a representation with a memory address differs from run to run
    return None if " at 0x" in repr(analyzer) else repr(analyzer)


def vectorizer_identifier(vectorizer: Any) -> str | None:
    """Return the representation of a vectorizer with a digest of all its parameters, or None."""
    settings = repr(sorted(vectorizer.get_params(deep=False).items()))
    if " at 0x" in settings:
        return None
    return f"{' '.join(repr(vectorizer).split())} {hashlib.sha256(settings.encode()).hexdigest()[:12]}"


def count_by_vectorizer(documents: list[str], labels: Any, vectorizer: Any, sample_weight: Any) -> Counts:
    """Count the terms that a scikit-learn vectorizer extracts."""
    if not hasattr(vectorizer, "get_feature_names_out"):
        message = f"{type(vectorizer).__name__} does not store the names of its terms; use CountVectorizer"
        raise InvalidInputError(message)
    fitted = copy.deepcopy(vectorizer)
    if "use_idf" in fitted.get_params(deep=False):
        # counts are needed, not tf-idf weights
        fitted.set_params(use_idf=False, norm=None, sublinear_tf=False)
    X = fitted.fit_transform(documents)
    terms, name = fitted.get_feature_names_out(), vectorizer_identifier(vectorizer)
    return count_matrix(X, labels, terms=terms, sample_weight=sample_weight, analyzer=name)


def vectorize(documents: list[str], analyzer: Any, n_jobs: int | None) -> tuple[csr_array[Any], list[str]]:
    """Return the matrix of counts and its terms in code-point order, by the scanner or in Python."""
    analyzer = validate_analyzer(analyzer)
    if is_scanned(documents, analyzer):
        index, X = build_vocabulary(documents, analyzer, np.int64, resolve_n_jobs(n_jobs))
        return csr_array(X), list(index.vocabulary)
    return document_term_matrix(documents, analyzer)


def build_vocabulary(
    documents: list[str], analyzer: Analyzer, dtype: Any, n_threads: int
) -> tuple[VocabularyIndex, csr_matrix]:
    """Return the vocabulary of documents, in code-point order, and their document-term matrix."""
    edges = list(iter_batch_spans(documents))
    scanners = ScannerPool(analyzer, min(n_threads, max(len(edges), 1)))

    def scan_batch(span: tuple[int, int]) -> tuple[int, Bags]:
        with scanners.acquire() as (number, scanner):
            return number, scanner.scan_texts(documents[slice(*span)])

    rows = CsrBuilder(len(documents), dtype)
    entries = [(number, rows.add(bags)) for number, bags in map_in_order(scan_batch, edges, n_threads)]
    scanner, numbers = scanners.merge()
    ranked = scanner.lexicon.rank_terms(analyzer.token_range[0])
    columns = [(ranked.token_ranks[tokens], ranked.node_ranks[nodes]) for tokens, nodes in numbers]

    def recode_rows() -> None:
        for number, span in entries:
            map_codes_inplace(rows.indices[span], *columns[number])

    # building the dictionary takes as long as the recoding, so both run at once
    with run_in_second_thread(recode_rows, n_threads):
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

    def is_built_for(self, analyzer: Analyzer, vocabulary: dict[str, int]) -> bool:
        """Return whether the vocabulary is still the same object, without dropped terms."""
        is_same = self.vocabulary is vocabulary and self.size == len(vocabulary)
        return is_same and self.scanner.analyzer == analyzer

    def count(self, documents: list[str], dtype: Any, n_threads: int) -> csr_matrix:
        """Return the document-term matrix of documents."""
        edges = list(iter_batch_spans(documents))
        n_threads = min(n_threads, max(len(edges), 1))
        scanners = [self.scanner, *(self.scanner.clone_for_thread() for _ in range(n_threads - 1))]

        def count_batch(span: tuple[int, int]) -> Bags:
            # pop and append of a list are atomic, so threads share the scanners without a lock
            scanner = scanners.pop()
            bags = self.count_batch(scanner, documents[slice(*span)])
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


def iter_batch_spans(documents: list[str]) -> Iterator[tuple[int, int]]:
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
        if not is_scanned(texts, self.analyzer):
            indptr, columns, values = [0], list[int](), list[int]()
            for text in texts:
                known = [self.vocabulary[term] for term in self.analyzer(text) if term in self.vocabulary]
                occurrences = Counter(known)
                columns += occurrences.keys()
                values += occurrences.values()
                indptr.append(len(columns))
            data, indices = np.array(values, dtype=np.int32), np.array(columns, dtype=np.int32)
            return csr_array((data, indices, np.array(indptr)), shape=(len(texts), len(self.vocabulary)))
        if self._index is None:
            self._index = index_vocabulary(self.analyzer, self.vocabulary)
        # pop and append of a list are atomic, so threads share the scanners without a lock
        try:
            scanner = self._free.pop()
        except IndexError:
            scanner = self._index.scanner.clone_for_thread()
        bags = self._index.count_batch(scanner, texts)
        self._free.append(scanner)
        return csr_array((bags.counts, bags.codes, bags.indptr), shape=(len(texts), len(self.vocabulary)))
