"""Documents to learn from and documents to test with, as one, in the same terms."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.feature_extraction.text import CountVectorizer

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, as_terms
from termsift.counts import as_labels, df_limits, why_no_term
from termsift.engines import Documents, LabelledInput, by_row
from termsift.estimators.vectorizer import TermVectorizer
from termsift.text import USUAL, Analyzer


def validate_count_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """The rows of a matrix of counts, without stored zeros."""
    if rows.data.size and (rows.data.min() < 0 or not np.isfinite(rows.data).all()):
        raise InvalidInputError("X must hold counts: finite numbers of at least 0")
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def filter_by_df(documents: Documents, min_df: float = 1, max_df: float = 1.0) -> Documents:
    """The documents in terms that enough of them hold and not too many; an error where there are none.

    Those held out have no say.
    """
    rows = documents.rows[~documents.held] if documents.held.size else documents.rows
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    low, high = df_limits(rows.shape[0], min_df, max_df)
    if not df.any():
        raise InvalidInputError(
            f"there is no term in any of the {rows.shape[0]:,} documents; are the texts empty?"
        )
    kept = np.flatnonzero((df >= max(low, 1)) & (df <= high))
    if not len(kept):
        raise InvalidInputError(why_no_term(df[df > 0], rows.shape[0], min_df, max_df))
    return documents if len(kept) == len(df) else documents.keep(kept)


def with_int32_indices(rows: csr_array[Any]) -> csr_array[Any]:
    """The rows with indices of 32 bits where they fit: some classifiers of scikit-learn take no others."""
    if max(*rows.shape, rows.nnz) >= 2**31:
        return rows
    indices, indptr = (part.astype(np.int32, copy=False) for part in (rows.indices, rows.indptr))
    return csr_array((rows.data, indices, indptr), shape=rows.shape)


def vectorize_texts(
    texts: list[str], analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array, dict[str, Any] | None]:
    """The rows of texts, their terms, and the settings of a plain vectorizer, if one does the same."""
    analyzer = USUAL if analyzer is None else analyzer
    settings = settings_of(analyzer)
    if isinstance(analyzer, Analyzer) and analyzer.is_compiled:
        vectorizer = TermVectorizer(analyzer=analyzer)
    elif settings is None:
        rows, found = by_row(texts, analyzer)
        return rows, as_terms(found), None
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
    return csr_array(X), as_terms(vectorizer.get_feature_names_out().tolist()), settings


def settings_of(analyzer: Any) -> dict[str, Any] | None:
    """What a CountVectorizer needs to find the same terms; None where it would take code of the user's."""
    if hasattr(analyzer, "fit_transform"):
        return vectorizer_settings(analyzer)
    if not callable(analyzer):
        raise InvalidInputError(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer.settings if isinstance(analyzer, Analyzer) else None


def vectorizer_settings(vectorizer: Any) -> dict[str, Any]:
    """The settings of a vectorizer that are CountVectorizer's too: counts are wanted, not weights."""
    if not hasattr(vectorizer, "get_feature_names_out") or not isinstance(vectorizer, CountVectorizer):
        name = type(vectorizer).__name__
        raise InvalidInputError(f"{name} does not count terms; use one that does, such as CountVectorizer")
    known = CountVectorizer().get_params()
    own = copy.deepcopy(vectorizer.get_params())
    return {name: own[name] for name in known if name in own and name != "dtype"}


def concatenate_inputs(parts: Sequence[LabelledInput]) -> LabelledInput:
    """The documents of several inputs, one after the other: all texts, or all in the same terms."""
    if len(parts) == 1:
        return parts[0]
    if len({part.texts is None for part in parts}) > 1:
        raise InvalidInputError("one of the two is texts and the other a matrix; give the same of both")
    labels = as_labels([names for part in parts for names in part.labels.names])
    missing = sum(part.missing for part in parts)
    marks = {role: [value for part in parts for value in part.marks[role]] for role in parts[0].marks}
    first = parts[0]
    if first.texts is not None:
        texts = [text for part in parts for text in part.texts or ()]
        return LabelledInput(labels, texts, missing=missing, marks=marks)
    if any(not np.array_equal(np.asarray(part.terms), np.asarray(first.terms)) for part in parts):
        raise InvalidInputError("the two matrices have different columns; count both in the same terms")
    rows: Any = csr_array(vstack([part.matrix for part in parts], format="csr"))
    return LabelledInput(labels, None, rows, first.terms, missing, marks)


def concatenate_train_test(train: LabelledInput, test: LabelledInput) -> LabelledInput:
    """Both as one, each marked by its side."""
    sides = zip((train, test), ("train", "test"), strict=True)
    return concatenate_inputs(
        [replace(part, marks={**part.marks, "split": [side] * len(part.labels)}) for part, side in sides]
    )
