"""TermVectorizer: CountVectorizer's results, many times faster."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import is_short
from termsift._internal.threads import batch_edges, beside, in_order, threads
from termsift._internal.typing import Array
from termsift.text import (
    CHARACTERS,
    LONGEST_RUN,
    WORD,
    Analyzer,
    Bags,
    Scanner,
    Scanners,
    known_pattern,
    longer,
    recoded,
    without_surrogates,
)

# the options that an Analyzer has
OF_TEXTS = (
    "strip_accents", "lowercase", "preprocessor", "tokenizer", "stop_words", "token_pattern", "ngram_range",
)  # fmt: skip


class TermVectorizer(CountVectorizer):
    """scikit-learn's CountVectorizer, with a compiled scan instead of a loop over tokens.

    Parameters, attributes, methods and results are those of CountVectorizer. `analyzer` may also be a
    `termsift.Analyzer`, which finds words in every script; it alone then decides how texts become terms.
    What the scan does not support (a tokenizer, a preprocessor, a pattern beyond a run of characters of one
    kind, n-grams of more than 100 tokens or characters) runs in CountVectorizer's own code, at its speed.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads: None means 1, -1 all cores. The result does not depend on it.

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
        token_pattern: str | None = WORD,
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
        # the one step of CountVectorizer that takes long; what it does before and after stays its own
        analyzer = self._compiled_analyzer()
        if analyzer is None:
            return super()._count_vocab(raw_documents, fixed_vocab)
        documents = [self.decode(document) for document in raw_documents]
        if is_left_to_python(documents, analyzer):
            return self._plain(documents, fixed_vocab)
        n_threads = 1 if self.n_jobs is None else threads(self.n_jobs)
        if fixed_vocab:
            return self.vocabulary_, self._known_words(analyzer).matrix(documents, self.dtype, n_threads)
        self._known, X = found(documents, analyzer, self.dtype, n_threads)
        if not self._known.vocabulary:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        return self._known.vocabulary, X

    def _warn_for_unused_params(self) -> None:
        # an Analyzer says all of it; of other functions CountVectorizer warns
        if not isinstance(self.analyzer, Analyzer):
            super()._warn_for_unused_params()
            return
        usual = TermVectorizer().get_params(deep=False)
        for name in OF_TEXTS:
            if getattr(self, name) != usual[name]:
                what = f"{name}={getattr(self, name)!r}"
                raise InvalidInputError(f"{what} has no use beside analyzer=Analyzer(...): say it there")

    def _plain(self, documents: list[str], fixed_vocab: bool) -> Any:
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "n_jobs"}
        plain = CountVectorizer(**(settings | {"input": "content"}))
        if fixed_vocab:
            plain.vocabulary_ = self.vocabulary_
        return plain._count_vocab(documents, fixed_vocab)

    def _known_words(self, analyzer: Analyzer) -> Known:
        # kept from fit, and from one transform to the next
        known: Known | None = getattr(self, "_known", None)
        if known is None or not known.fits(analyzer, self.vocabulary_):
            known = self._known = learned(analyzer, self.vocabulary_)
        return known

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_known"}

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        # terms of the scan are sorted already, and stay so when some are dropped
        known: Known | None = getattr(self, "_known", None)
        is_sorted = known is not None and known.vocabulary is vocabulary
        return X if is_sorted else super()._sort_features(X, vocabulary)

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: Any = None
    ) -> Any:
        if limit is None and (low is None or low <= 1) and (high is None or high >= X.shape[0]):
            return X
        return super()._limit_features(X, vocabulary, high, low, limit)

    def _compiled_analyzer(self) -> Analyzer | None:
        """The settings as an Analyzer that the scan can follow, or None."""
        if isinstance(self.analyzer, Analyzer):
            return self.analyzer if self.analyzer.is_compiled else None
        if self.preprocessor is not None or callable(self.strip_accents) or self.ngram_range[1] > LONGEST_RUN:
            return None
        settings = {name: getattr(self, name) for name in ("lowercase", "ngram_range", "strip_accents")}
        if self.analyzer == "word":
            if self.tokenizer is not None or self.token_pattern is None:
                return None
            settings |= word_settings(self.token_pattern) | {"stop_words": self.get_stop_words() or ()}
        elif self.analyzer not in CHARACTERS:
            return None
        try:
            analyzer = Analyzer(analyzer=self.analyzer, **settings)
        except InvalidInputError:
            # CountVectorizer takes it, or says what is wrong
            return None
        return analyzer if analyzer.is_compiled else None


def word_settings(token_pattern: str) -> dict[str, Any]:
    """The options of an Analyzer that finds the words of a pattern."""
    known = known_pattern(token_pattern)
    return {"token_pattern": token_pattern} if known is None else {"words": known[0], "hashtags": known[1]}


def found(documents: list[str], analyzer: Analyzer, dtype: Any, n_threads: int) -> tuple[Known, csr_matrix]:
    """The vocabulary of documents, in code-point order, and their matrix."""
    from termsift.text import recode

    edges = list(batches(documents))
    scanners = Scanners(analyzer, min(n_threads, max(len(edges), 1)))

    def scanned(edge: tuple[int, int]) -> tuple[int, Bags]:
        with scanners.one() as (number, scanner):
            return number, scanner.bags(documents[slice(*edge)])

    rows = Rows(len(documents), dtype)
    by = [(number, rows.add(bags)) for number, bags in in_order(scanned, edges, n_threads)]
    scanner, numbers = scanners.merged()
    ranked = scanner.lexicon.ranked(analyzer.token_range[0])
    columns = [(ranked.token_place[tokens], ranked.node_place[nodes]) for tokens, nodes in numbers]

    def recode_rows() -> None:
        for number, part in by:
            recode(rows.indices[part], *columns[number])

    # the dictionary is Python's, and takes as long as the rest
    with beside(recode_rows, n_threads):
        vocabulary = dict(zip(ranked.names, range(len(ranked.names)), strict=True))
    X = rows.matrix(len(ranked.names))
    return Known(scanner, vocabulary, ranked.token_place, ranked.node_place), X


def learned(analyzer: Analyzer, vocabulary: dict[str, int]) -> Known:
    """A vocabulary that was found elsewhere."""
    scanner = Scanner(analyzer)
    # the scan meets no term that holds half a surrogate pair
    met = {term: column for term, column in vocabulary.items() if is_written_by_utf_8(term)}
    codes = scanner.learn([term.encode() for term in met])
    column = np.fromiter(met.values(), dtype=np.int64, count=len(met))
    is_token = codes >= 0
    token_column = np.full(len(scanner.lexicon.tokens), -1, dtype=np.int64)
    token_column[codes[is_token]] = column[is_token]
    node_column = np.full(int(scanner.lexicon.size[0]), -1, dtype=np.int64)
    node_column[-1 - codes[~is_token]] = column[~is_token]
    return Known(scanner, vocabulary, token_column, node_column)


class Known:
    """A vocabulary as the scan looks it up: for each token and n-gram its column, or -1."""

    def __init__(
        self, scanner: Scanner, vocabulary: dict[str, int], token_column: Array, node_column: Array
    ) -> None:
        self.scanner, self.vocabulary, self.size = scanner, vocabulary, len(vocabulary)
        self.token_column, self.node_column = token_column, node_column

    def fits(self, analyzer: Analyzer, vocabulary: dict[str, int]) -> bool:
        """Whether this is still the vocabulary: the same object, from which no term was dropped."""
        same = self.vocabulary is vocabulary and self.size == len(vocabulary)
        return same and self.scanner.analyzer == analyzer

    def matrix(self, documents: list[str], dtype: Any, n_threads: int) -> csr_matrix:
        """The matrix of documents in the vocabulary."""
        edges = list(batches(documents))
        n_threads = min(n_threads, max(len(edges), 1))
        free = [self.scanner, *(self.scanner.twin() for _ in range(n_threads - 1))]

        def looked_up(edge: tuple[int, int]) -> Bags:
            scanner = free.pop()
            bags = self.bags(scanner, documents[slice(*edge)])
            free.append(scanner)
            return bags

        rows = Rows(len(documents), dtype)
        for bags in in_order(looked_up, edges, n_threads):
            rows.add(bags)
        return rows.matrix(len(self.vocabulary))

    def bags(self, scanner: Scanner, documents: list[str]) -> Bags:
        """The bags of documents, terms by their column, others left out."""
        bags = scanner.bags(documents, frozen=True)
        columns = recoded(bags.codes, self.token_column, self.node_column)
        kept = columns >= 0
        if kept.all():
            return Bags(bags.indptr, columns, bags.counts)
        before = np.concatenate([[0], np.cumsum(kept)])
        return Bags(before[bags.indptr], columns[kept], bags.counts[kept])


def batches(documents: list[str]) -> Iterable[tuple[int, int]]:
    """First and last document of each batch."""
    return pairwise(batch_edges([len(document) for document in documents]))


def is_left_to_python(documents: list[str], analyzer: Analyzer) -> bool:
    """Whether CountVectorizer does it: what is short, and runs of characters that UTF-8 cannot write.

    CountVectorizer has terms that hold half a surrogate pair.
    """
    is_little, of_words = is_short(sum(map(len, documents))), analyzer.analyzer == "word"
    if of_words and not is_little:
        return False
    return is_little if all(map(is_written_by_utf_8, documents)) else not of_words


def is_written_by_utf_8(text: str) -> bool:
    """Whether the text holds no half of a surrogate pair."""
    return text.isascii() or without_surrogates(text) is text


def number_type(dtype: Any) -> Any:
    """The type of NumPy that is asked for."""
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError) as error:
        raise InvalidInputError(
            f"dtype must be a type of numbers, such as numpy.int64, got {dtype!r}"
        ) from error


class Rows:
    """The rows of a sparse matrix as they come, in arrays long enough for what is yet to come.

    Memory that is not written to costs nothing, memory that moves leaves holes.
    """

    def __init__(self, n_rows: int, dtype: Any) -> None:
        self.indptr = np.zeros(n_rows + 1, dtype=np.int64)
        self.indices, self.data = np.empty(0, dtype=np.int32), np.empty(0, dtype=number_type(dtype))
        self.filled = self.entries = 0

    def add(self, bags: Bags) -> slice:
        """Add documents. Gives the place of their entries."""
        rows, part = len(bags.indptr) - 1, slice(self.entries, self.entries + len(bags.counts))
        self.indptr[self.filled + 1 : self.filled + rows + 1] = bags.indptr[1:] + self.entries
        self.filled, self.entries = self.filled + rows, part.stop
        if self.entries > len(self.data):
            self.make_room()
        self.indices[part], self.data[part] = bags.codes, bags.counts
        return part

    def make_room(self) -> None:
        """Room for all rows, if those to come are as long as those so far, and a quarter more."""
        capacity = 5 * self.entries * (len(self.indptr) - 1) // (4 * self.filled)
        self.indices, self.data = longer(self.indices, capacity), longer(self.data, capacity)

    def matrix(self, width: int) -> csr_matrix:
        """The matrix."""
        # nobody else holds the arrays
        self.indices.resize(self.entries, refcheck=False)
        self.data.resize(self.entries, refcheck=False)
        kind: Any = np.int32 if self.entries < 2**31 else np.int64
        indptr, indices = self.indptr.astype(kind), self.indices.astype(kind, copy=False)
        return csr_matrix((self.data, indices, indptr), shape=(self.filled, width))
