"""The user's documents as rows of terms, checked, and how a text becomes such a row."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from termsift._typing import Array, as_terms
from termsift.border.df_limits import df_limits, why_no_term
from termsift.compare.split.marks import marked
from termsift.engines.memory.texts import by_row
from termsift.errors import InvalidInput
from termsift.estimators.vectorizer import TermVectorizer
from termsift.experiment.documents import Documents, check_labels
from termsift.inputs import LabelledInput
from termsift.text import Analyzer
from termsift.text.analyzer import USUAL


def compared_documents(
    given: LabelledInput,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    n_jobs: int | None = None,
) -> Documents:
    """Texts, or a matrix of documents x terms, as rows of counts, checked."""
    if given.texts is None and analyzer is not None:
        raise InvalidInput("an analyzer is for texts; these are counts already")
    check_labels(given.labels)
    if given.texts is None:
        documents = Documents(narrow(count_rows(given.matrix)), given.labels, np.asarray(given.terms))
    else:
        rows, names, settings = text_rows(given.texts, analyzer, n_jobs)
        how = USUAL if analyzer is None else analyzer if isinstance(analyzer, Analyzer) else None
        documents = Documents(
            narrow(rows), given.labels, names, texts=given.texts, settings=settings, analyzer=how
        )
    return limited_terms(marked(documents, given.marks), min_df, max_df)


def documents_without(documents: Documents, dropped: Array) -> Documents:
    """The documents without some; terms that only they had are gone."""
    kept = documents.take(np.setdiff1d(np.arange(len(documents)), dropped))
    check_labels(kept.labels)
    return limited_terms(kept)


def count_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """The rows of a matrix of counts, without stored zeros."""
    if rows.data.size and (rows.data.min() < 0 or not np.isfinite(rows.data).all()):
        raise InvalidInput("X must hold counts: finite numbers of at least 0")
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def text_rows(
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
            raise InvalidInput(f"none of the {len(texts):,} texts has a term; are they empty?") from error
        raise InvalidInput(str(error)) from error
    X.sort_indices()
    return csr_array(X), as_terms(vectorizer.get_feature_names_out().tolist()), settings


def settings_of(analyzer: Any) -> dict[str, Any] | None:
    """What a CountVectorizer needs to find the same terms; None where it would take code of the user's."""
    if hasattr(analyzer, "fit_transform"):
        return vectorizer_settings(analyzer)
    if not callable(analyzer):
        raise InvalidInput(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer.settings if isinstance(analyzer, Analyzer) else None


def vectorizer_settings(vectorizer: Any) -> dict[str, Any]:
    """The settings of a vectorizer that are CountVectorizer's too: counts are wanted, not weights."""
    if not hasattr(vectorizer, "get_feature_names_out") or not isinstance(vectorizer, CountVectorizer):
        name = type(vectorizer).__name__
        raise InvalidInput(f"{name} does not count terms; use one that does, such as CountVectorizer")
    known = CountVectorizer().get_params()
    own = copy.deepcopy(vectorizer.get_params())
    return {name: own[name] for name in known if name in own and name != "dtype"}


def narrow(rows: csr_array[Any]) -> csr_array[Any]:
    """The rows with indices of 32 bits where they fit: some classifiers of scikit-learn take no others."""
    if max(*rows.shape, rows.nnz) >= 2**31:
        return rows
    indices, indptr = (part.astype(np.int32, copy=False) for part in (rows.indices, rows.indptr))
    return csr_array((rows.data, indices, indptr), shape=rows.shape)


def limited_terms(documents: Documents, min_df: float = 1, max_df: float = 1.0) -> Documents:
    """The documents in terms that enough of them hold and not too many; an error where there are none.

    Those held out have no say.
    """
    rows = documents.rows[~documents.held] if documents.held.size else documents.rows
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    low, high = df_limits(rows.shape[0], min_df, max_df)
    if not df.any():
        raise InvalidInput(
            f"there is no term in any of the {rows.shape[0]:,} documents; are the texts empty?"
        )
    kept = np.flatnonzero((df >= max(low, 1)) & (df <= high))
    if not len(kept):
        raise InvalidInput(why_no_term(df[df > 0], rows.shape[0], min_df, max_df))
    return documents if len(kept) == len(df) else documents.keep(kept)
