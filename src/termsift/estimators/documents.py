"""Documents of compare and audit: texts or matrices as rows of counts, training and test sets joined."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.feature_extraction.text import CountVectorizer

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_labels, explain_empty_vocabulary, resolve_df_limits
from termsift.engines import Documents, LabelledInput, document_term_matrix
from termsift.estimators.vectorizer import TermVectorizer
from termsift.text import DEFAULT_ANALYZER, Analyzer


def validate_count_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """Check that a matrix has counts, and return it without stored zeros."""
    if rows.data.size and (rows.data.min() < 0 or not np.isfinite(rows.data).all()):
        raise InvalidInputError("X must be counts: finite numbers of at least 0")
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def filter_by_df(documents: Documents, min_df: float = 1, max_df: float = 1.0) -> Documents:
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


def with_int32_indices(rows: csr_array[Any]) -> csr_array[Any]:
    """Convert indices to 32 bits if they fit, because some classifiers of scikit-learn require it."""
    if max(*rows.shape, rows.nnz) >= 2**31:
        return rows
    indices, indptr = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int32, copy=False)
    return csr_array((rows.data, indices, indptr), shape=rows.shape)


def vectorize_texts(
    texts: list[str], analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array, dict[str, Any] | None]:
    """Count texts: return rows, terms, and the settings of an equivalent CountVectorizer, if any."""
    analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
    settings = count_vectorizer_settings(analyzer)
    if isinstance(analyzer, Analyzer) and analyzer.has_kernel:
        vectorizer = TermVectorizer(analyzer=analyzer)
    elif settings is None:
        rows, terms = document_term_matrix(texts, analyzer)
        return rows, as_term_array(terms), None
    else:
        vectorizer = TermVectorizer(**settings)
    vectorizer.set_params(n_jobs=-1 if n_jobs is None else n_jobs)
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError as error:
        if "empty vocabulary" in str(error) or "no terms remain" in str(error).lower():
            raise InvalidInputError(
                f"none of the {len(texts):,} texts has a term; are they empty?"
            ) from error
        raise InvalidInputError(str(error)) from error
    X.sort_indices()
    return csr_array(X), as_term_array(vectorizer.get_feature_names_out().tolist()), settings


def count_vectorizer_settings(analyzer: Any) -> dict[str, Any] | None:
    """Return the settings of a CountVectorizer with the same terms; None if an analyzer needs user code."""
    if hasattr(analyzer, "fit_transform"):
        if not isinstance(analyzer, CountVectorizer):
            name = type(analyzer).__name__
            raise InvalidInputError(f"{name} does not count terms; use a CountVectorizer")
        # the weights of a TfidfVectorizer are ignored
        names = CountVectorizer().get_params().keys() - {"dtype"}
        settings = copy.deepcopy(analyzer.get_params())
        return {name: value for name, value in settings.items() if name in names}
    if not callable(analyzer):
        raise InvalidInputError(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer.settings if isinstance(analyzer, Analyzer) else None


def concatenate_inputs(inputs: Sequence[LabelledInput]) -> LabelledInput:
    """Concatenate the documents of several inputs: all texts, or all matrices of the same terms."""
    if len(inputs) == 1:
        return inputs[0]
    if len({item.texts is None for item in inputs}) > 1:
        raise InvalidInputError(
            "one of the two inputs is texts and the other a matrix; give the same type for both"
        )
    labels = as_labels([names for item in inputs for names in item.labels.labels_per_document])
    missing = sum(item.missing for item in inputs)
    metadata = {
        role: [value for item in inputs for value in item.metadata[role]] for role in inputs[0].metadata
    }
    first = inputs[0]
    if first.texts is not None:
        texts = [text for item in inputs for text in item.texts or ()]
        return LabelledInput(labels, texts, missing=missing, metadata=metadata)
    if any(not np.array_equal(np.asarray(item.terms), np.asarray(first.terms)) for item in inputs):
        raise InvalidInputError("the two matrices have different columns; count both in the same terms")
    rows: Any = csr_array(vstack([item.matrix for item in inputs], format="csr"))
    return LabelledInput(labels, None, rows, first.terms, missing, metadata)


def concatenate_train_test(train: LabelledInput, test: LabelledInput) -> LabelledInput:
    """Concatenate training and test documents, with their split as metadata."""
    splits = (train, "train"), (test, "test")
    return concatenate_inputs(
        [
            replace(item, metadata={**item.metadata, "split": [split] * len(item.labels)})
            for item, split in splits
        ]
    )
