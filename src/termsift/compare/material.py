"""Material: the user's documents as rows of terms, checked, and how a text becomes such a row."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from termsift._typing import Array
from termsift.arrays import as_terms
from termsift.counts import Counts
from termsift.engines.memory.matrix import as_rows, column_names, is_matrix
from termsift.engines.memory.texts import by_row, checked_texts
from termsift.errors import InvalidInput, listed
from termsift.estimators.vectorizer import TermVectorizer
from termsift.experiment.documents import Documents
from termsift.labels import Labels, as_labels, as_list, frame_parts, is_frame
from termsift.text import Analyzer


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The documents to compare on.

    documents : rows of counts, labels and terms
    texts : where they came as texts
    settings : of a CountVectorizer that makes the same rows of texts; None where no plain one does
    counts : the sums of all documents
    """

    documents: Documents
    texts: list[str] | None
    settings: dict[str, Any] | None
    counts: Counts

    @property
    def labels(self) -> Labels:
        """The labels of the documents."""
        return self.documents.labels


def material_of(
    data: Any, labels: Any, *, terms: Iterable[str] | None, analyzer: Any, min_df: int, n_jobs: int | None
) -> Material:
    """Texts, or a matrix of documents x terms, with labels."""
    if labels is None:
        raise InvalidInput("labels are missing: give one label a document, or a list of labels each")
    known = as_labels(labels)
    if is_matrix(data):
        if analyzer is not None:
            raise InvalidInput("an analyzer is for texts; these are counts already")
        rows, names = matrix_rows(data, terms)
        check_labels(known, rows.shape[0])
        return made_of(rows, names, known, min_df, None, None)
    texts = checked_texts(as_list(data))
    check_labels(known, len(texts))
    rows, names, settings = text_rows(texts, analyzer, n_jobs)
    return made_of(rows, names, known, min_df, texts, settings)


def made_of(
    rows: csr_array[Any],
    names: Array,
    labels: Labels,
    min_df: int,
    texts: list[str] | None,
    settings: dict[str, Any] | None,
) -> Material:
    """The material of rows whose labels are checked."""
    documents = frequent(Documents(narrow(rows), labels, names, np.zeros(0), False), min_df)
    return Material(documents, texts, settings, documents.counts)


def without(material: Material, dropped: Array) -> Material:
    """The material without some documents; terms that only they had are gone."""
    kept = np.setdiff1d(np.arange(material.labels.size), dropped)
    documents = material.documents.take(kept)
    check_labels(documents.labels, len(kept))
    texts = None if material.texts is None else [material.texts[i] for i in kept]
    return made_of(documents.rows, documents.terms, documents.labels, 1, texts, material.settings)


def matrix_rows(X: Any, terms: Iterable[str] | None) -> tuple[csr_array[Any], Array]:
    """The rows of a matrix, and the names of its columns."""
    if is_frame(X):
        names, X = frame_parts(X)
        terms = names if terms is None else terms
    rows = as_rows(X)
    if rows.data.size and (rows.data.min() < 0 or not np.isfinite(rows.data).all()):
        raise InvalidInput("X must hold counts: finite numbers of at least 0")
    rows = csr_array(rows)
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows, column_names(terms, rows.shape[1])


def text_rows(
    texts: list[str], analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array, dict[str, Any] | None]:
    """The rows of texts, their terms, and the settings of a plain vectorizer, if one does the same."""
    settings = settings_of(analyzer)
    if settings is None:
        rows, found = by_row(texts, analyzer)
        return rows, as_terms(found), None
    vectorizer = TermVectorizer(**settings, n_jobs=-1 if n_jobs is None else n_jobs)
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
    if analyzer is None:
        return {}
    if hasattr(analyzer, "fit_transform"):
        return vectorizer_settings(analyzer)
    if not callable(analyzer):
        raise InvalidInput(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    if not isinstance(analyzer, Analyzer) or analyzer.stemmer is not None or callable(analyzer.analyzer):
        return None
    names = ("lowercase", "token_pattern", "ngram_range", "strip_accents", "analyzer")
    own = {name: getattr(analyzer, name) for name in names}
    return own | {"stop_words": list(analyzer.stop_words) or None}


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


def frequent(documents: Documents, min_df: int) -> Documents:
    """The documents in terms that at least so many of them hold."""
    if isinstance(min_df, bool) or not isinstance(min_df, int | np.integer) or min_df < 1:
        raise InvalidInput(f"min_df must be a whole number of at least 1, got {min_df!r}")
    rows = documents.rows
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    kept = np.flatnonzero(df >= min_df)
    if not len(kept):
        size = f"in {min_df} documents" if df.any() else f"in any of the {rows.shape[0]:,} documents"
        raise InvalidInput(f"there is no term {size}; are the texts empty?")
    if len(kept) == len(df):
        return documents
    return Documents(rows[:, kept], documents.labels, documents.terms[kept], documents.weights, False)


def check_labels(labels: Labels, documents: int) -> None:
    """An error unless there is something to tell apart, and enough of it to learn and to judge."""
    if labels.size != documents:
        raise InvalidInput(f"{documents} documents but {labels.size} labels; there must be one label each")
    sizes = np.diff(labels.starts)
    filled = np.flatnonzero(sizes)
    if labels.single and len(filled) == 1:
        only = labels.classes[filled[0]]
        raise InvalidInput(
            f"only 1 class: all {labels.size:,} documents are in {only!r}, so there is nothing to tell apart"
        )
    usable = (sizes >= 2) & (labels.size - sizes >= 2)
    if labels.single and len(filled) == labels.size and labels.size:
        raise InvalidInput(
            f"all {labels.size:,} labels are different, so no class has documents to learn from; "
            "is this the column of labels?"
        )
    if not usable.any() or (labels.single and usable.sum() < 2):
        named = listed([labels.classes[c] for c in filled], 5)
        raise InvalidInput(
            "at least 2 classes need 2 documents each, to learn from one and judge the other; "
            f"the classes are {named}"
        )
