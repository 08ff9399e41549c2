"""TermVectorizer: a CountVectorizer that scans texts with compiled kernels."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.feature_extraction.text import CountVectorizer

from termsift import engines
from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import resolve_n_jobs, spend_python_budget
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_labels, explain_empty_vocabulary, resolve_df_limits
from termsift.estimators.base import wrap_sparse_output
from termsift.text import (
    CHAR_ANALYZERS,
    DEFAULT_ANALYZER,
    DEFAULT_TOKEN_PATTERN,
    MAX_NGRAM,
    Analyzer,
    analyzer_for_joined_tokens,
    is_joined_token_analyzer,
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
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words : optional
        As in CountVectorizer.
    token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype : optional
        As in CountVectorizer.
    analyzer : {"word", "char", "char_wb"}, function or Analyzer, default "word"
        As in CountVectorizer; or a `termsift.Analyzer`.
    n_jobs : int, optional
        Number of threads: None means 1, -1 all cores. The result does not depend on it.

    Raises
    ------
    InvalidInputError
        When fitting, if `analyzer` is an Analyzer and another tokenization parameter is set.

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

    def set_output(self, *, transform: str | None = None) -> TermVectorizer:
        """Set the container that `transform` and `fit_transform` return.

        Parameters
        ----------
        transform : {"default", "pandas"}, optional
            "default" for a sparse matrix, "pandas" for a data frame with a sparse column per term; None keeps
            the setting.

        Returns
        -------
        TermVectorizer
            This vectorizer.

        Raises
        ------
        InvalidInputError
            If the container is unknown, or cannot hold sparse columns.

        Examples
        --------
        >>> list(TermVectorizer().set_output(transform="pandas").fit_transform(["a bad day"]).columns)
        ['bad', 'day']

        """
        if transform not in (None, "default", "pandas"):
            raise InvalidInputError(
                f"transform must be 'default' or 'pandas', whose columns can be sparse, got {transform!r}"
            )
        if transform is not None:
            # the name under which scikit-learn copies the setting to clones
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any:
        """Learn the vocabulary and return the counts, as CountVectorizer does, in the container set."""
        return wrap_sparse_output(self, super().fit_transform(raw_documents, y), raw_documents)

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Return the counts of the vocabulary's terms, as CountVectorizer does, in the container set."""
        return wrap_sparse_output(self, super().transform(raw_documents), raw_documents)

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> Any:
        # only this step of CountVectorizer is slow; the steps before and after it are inherited
        analyzer, documents = self._resolve_token_analyzer(raw_documents)
        if analyzer is None:
            analyzer = self._kernel_analyzer()
            if analyzer is None:
                return super()._count_vocab(documents, fixed_vocab)
            documents = [self.decode(document) for document in documents]
        elif not analyzer.has_kernel:
            return self._count_by_python({"analyzer": analyzer}, documents, fixed_vocab)
        is_short = spend_python_budget(sum(map(len, documents)), for_text_kernels=True)
        has_words = analyzer.analyzer == "word"
        # the kernels scan UTF-8, which cannot encode lone surrogates; character n-grams can contain them
        is_encodable = (has_words and not is_short) or all(
            text.isascii() or replace_surrogates(text) is text for text in documents
        )
        if is_short if is_encodable else not has_words:
            tokens = {"analyzer": analyzer} if is_joined_token_analyzer(analyzer) else {}
            return self._count_by_python(tokens, documents, fixed_vocab)
        n_threads = 1 if self.n_jobs is None else resolve_n_jobs(self.n_jobs)
        if fixed_vocab:
            # reused after fit, and from one transform to the next
            index: engines.VocabularyIndex | None = getattr(self, "_index", None)
            if index is None or not index.is_built_for(analyzer, self.vocabulary_):
                index = self._index = engines.index_vocabulary(analyzer, self.vocabulary_)
            return self.vocabulary_, index.count(documents, self.dtype, n_threads)
        self._index, X = engines.build_vocabulary(documents, analyzer, self.dtype, n_threads)
        if not self._index.vocabulary:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        return self._index.vocabulary, X

    def _count_by_python(self, settings: dict[str, Any], documents: list[str], fixed_vocab: bool) -> Any:
        """Count documents as CountVectorizer does, with some settings replaced."""
        settings = {name: getattr(self, name) for name in CountVectorizer().get_params()} | settings
        # the documents are decoded already
        vectorizer = CountVectorizer(**(settings | {"input": "content"}))
        if fixed_vocab:
            vectorizer.vocabulary_ = self.vocabulary_
        return vectorizer._count_vocab(documents, fixed_vocab)

    def _resolve_token_analyzer(self, raw_documents: Iterable[Any]) -> tuple[Analyzer | None, Any]:
        """Return the analyzer of lists of tokens, or None for other documents; and the documents."""
        # CountVectorizer passes lists to functions as they are
        if callable(self.analyzer) and not isinstance(self.analyzer, Analyzer):
            return None, raw_documents
        if self.preprocessor is not None or self.tokenizer is not None:
            return None, raw_documents
        documents = list(raw_documents)
        if not any(map(engines.is_token_list, documents)):
            return None, documents
        analyzer = self.analyzer
        if not isinstance(analyzer, Analyzer):
            options = {"ngram_range": self.ngram_range, "stop_words": self.get_stop_words() or ()}
            analyzer = Analyzer(analyzer=analyzer, **options)
        return analyzer_for_joined_tokens(analyzer), engines.validate_texts(documents)

    def _warn_for_unused_params(self) -> None:
        if not isinstance(self.analyzer, Analyzer):
            super()._warn_for_unused_params()
            return
        defaults = TermVectorizer().get_params(deep=False)
        for name in ANALYZER_PARAMETERS:
            if getattr(self, name) != defaults[name]:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} has no effect with an Analyzer; set it in the Analyzer"
                )

    def __getstate__(self) -> Any:
        # the index is rebuilt when needed; a pickle contains the vocabulary only
        return {name: value for name, value in super().__getstate__().items() if name != "_index"}

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        # the scan returns sorted terms, which stay sorted when some are dropped
        index: engines.VocabularyIndex | None = getattr(self, "_index", None)
        is_sorted = index is not None and index.vocabulary is vocabulary
        return X if is_sorted else super()._sort_features(X, vocabulary)

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: Any = None
    ) -> Any:
        # limits that exclude no term need no document frequencies
        if limit is None and (low is None or low <= 1) and (high is None or high >= X.shape[0]):
            return X
        return super()._limit_features(X, vocabulary, high, low, limit)

    def _kernel_analyzer(self) -> Analyzer | None:
        """Return the settings as an Analyzer that the kernels support, or None."""
        analyzer = parse_vectorizer(self)
        return analyzer if analyzer is not None and analyzer.has_kernel else None


def parse_vectorizer(vectorizer: CountVectorizer) -> Analyzer | None:
    """Return the settings of a vectorizer as an Analyzer, or None if they contain functions."""
    v = vectorizer
    if isinstance(v.analyzer, Analyzer):
        return v.analyzer
    if v.preprocessor is not None or callable(v.strip_accents) or v.ngram_range[1] > MAX_NGRAM:
        return None
    settings = {name: getattr(v, name) for name in ("lowercase", "ngram_range", "strip_accents")}
    if v.analyzer == "word":
        if v.tokenizer is not None or v.token_pattern is None:
            return None
        settings |= word_settings(v.token_pattern) | {"stop_words": v.get_stop_words() or ()}
    elif v.analyzer not in CHAR_ANALYZERS:
        return None
    try:
        return Analyzer(analyzer=v.analyzer, **settings)
    except InvalidInputError:
        # CountVectorizer either supports the settings or raises its error
        return None


def word_settings(token_pattern: str) -> dict[str, Any]:
    """Return the options of an Analyzer for a token pattern."""
    mode = pattern_mode(token_pattern)
    return {"token_pattern": token_pattern} if mode is None else {"words": mode[0], "hashtags": mode[1]}


def clean_count_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """Check that a matrix has counts, and return it without stored zeros."""
    if rows.data.size and (rows.data.min() < 0 or not np.isfinite(rows.data).all()):
        raise InvalidInputError("X must contain counts: finite, non-negative numbers")
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def filter_by_df(documents: engines.Documents, min_df: float = 1, max_df: float = 1.0) -> engines.Documents:
    """Keep the terms whose document frequency, outside held-out documents, is within the limits."""
    rows = documents.rows[~documents.is_test] if documents.is_test.size else documents.rows
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    low, high = resolve_df_limits(rows.shape[0], min_df, max_df)
    if not df.any():
        raise InvalidInputError(f"none of the {rows.shape[0]:,} documents has a term; are the texts empty?")
    columns = np.flatnonzero((df >= max(low, 1)) & (df <= high))
    if not len(columns):
        raise InvalidInputError(explain_empty_vocabulary(df[df > 0], rows.shape[0], min_df, max_df))
    return documents if len(columns) == len(df) else documents.keep(columns)


def narrow_indices(rows: csr_array[Any]) -> csr_array[Any]:
    """Convert indices to 32 bits if they fit, because some classifiers of scikit-learn require it."""
    if max(*rows.shape, rows.nnz) >= 2**31:
        return rows
    indices, indptr = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int32, copy=False)
    return csr_array((rows.data, indices, indptr), shape=rows.shape)


def vectorize_texts(
    texts: list[str], analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array, dict[str, Any] | None]:
    """Count texts: return rows, terms, and the settings of the CountVectorizer, if the analyzer is one."""
    if not is_joined_token_analyzer(analyzer):
        analyzer = engines.resolve_analyzer(texts, analyzer)
    analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
    if not isinstance(analyzer, CountVectorizer):
        if hasattr(analyzer, "fit_transform"):
            kind = type(analyzer).__name__
            raise InvalidInputError(f"{kind} does not count terms; use a CountVectorizer")
        rows, terms = engines.vectorize(texts, analyzer, n_jobs)
        if not terms:
            raise InvalidInputError(f"none of the {len(texts):,} texts has a term; are they empty?")
        rows.sort_indices()
        return rows, as_term_array(terms), None
    # the weights of a TfidfVectorizer are ignored
    names = CountVectorizer().get_params().keys() - {"dtype"}
    parameters = copy.deepcopy(analyzer.get_params())
    settings = {name: value for name, value in parameters.items() if name in names}
    vectorizer = TermVectorizer(**settings, n_jobs=-1 if n_jobs is None else n_jobs)
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError as error:
        # scikit-learn has two messages for texts without terms
        if "empty vocabulary" in str(error) or "no terms remain" in str(error).lower():
            message = f"none of the {len(texts):,} texts has a term; are they empty?"
            raise InvalidInputError(message) from error
        raise InvalidInputError(str(error)) from error
    X.sort_indices()
    return csr_array(X), as_term_array(vectorizer.get_feature_names_out().tolist()), settings


def concatenate_inputs(inputs: Sequence[engines.LabelledInput]) -> engines.LabelledInput:
    """Concatenate the documents of several inputs: all texts, or all matrices of the same terms."""
    if len(inputs) == 1:
        return inputs[0]
    if len({item.texts is None for item in inputs}) > 1:
        raise InvalidInputError("one input contains texts and the other a matrix; use the same type for both")
    labels = as_labels([names for item in inputs for names in item.labels.labels_per_document])
    missing = sum(item.missing for item in inputs)
    first = inputs[0]
    metadata = {role: [value for item in inputs for value in item.metadata[role]] for role in first.metadata}
    if first.texts is not None:
        if len({type(item.texts) for item in inputs}) > 1:
            message = "one input contains texts and the other lists of tokens; use the same type for both"
            raise InvalidInputError(message)
        texts = type(first.texts)(text for item in inputs for text in item.texts or ())
        return engines.LabelledInput(labels, texts, missing=missing, metadata=metadata)
    if any(not np.array_equal(np.asarray(item.terms), np.asarray(first.terms)) for item in inputs):
        raise InvalidInputError("the two matrices have different columns; use the same vocabulary for both")
    rows: Any = csr_array(vstack([item.matrix for item in inputs], format="csr"))
    return engines.LabelledInput(labels, None, rows, first.terms, missing, metadata)


def concatenate_train_test(
    train: engines.LabelledInput, test: engines.LabelledInput
) -> engines.LabelledInput:
    """Concatenate training and test documents, with their split as metadata."""

    def mark(item: engines.LabelledInput, split: str) -> engines.LabelledInput:
        return replace(item, metadata={**item.metadata, "split": [split] * len(item.labels)})

    return concatenate_inputs([mark(train, "train"), mark(test, "test")])
