"""Base classes of the estimators: validation of X and y, counts, and selections of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from inspect import signature
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from termsift._internal.errors import InvalidInputError
from termsift._internal.matrices import is_sparse, to_csr, to_native_dtype, validate_matrix
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, check_positive_integer
from termsift.counts import (
    Counts,
    Labels,
    as_labels,
    check_no_missing_labels,
    frame_columns,
    is_frame,
    to_narwhals,
)
from termsift.engines import Documents, as_csr, column_names, count, is_spark, weights_or_empty
from termsift.metrics import Scores
from termsift.selection import Selection


def metric_options(options: Any) -> Mapping[str, Any]:
    """Return the options of an estimator's metric; None means no options."""
    if not (options is None or isinstance(options, Mapping)):
        raise InvalidInputError(f"options must be a dict of the metric's options, got {options!r}")
    return options or {}


def validate_fitted_matrix(estimator: Any, X: Any) -> Any:
    """Validate X for a fitted estimator: sparse or dense, finite, with the fitted columns."""
    check_is_fitted(estimator, "counts_")
    return _validate_matrix(estimator, X, reset=False)


def _validate_matrix(estimator: Any, X: Any, *, reset: bool) -> Any:
    if is_frame(X):
        to_narwhals(X)  # raises an error for repeated names
    if not reset and getattr(estimator, "_has_external_counts", False) and is_frame(X):
        names, X = frame_columns(X)
        is_dropped = has_dropped_names(estimator)
        digest = estimator._names_digest if is_dropped else names_digest(estimator.counts_.terms)
        if names_digest(names) != digest:
            raise InvalidInputError("the columns of X must be the counted terms, in the same order")
    if is_sparse(X):
        # scikit-learn checks neither the range of indices nor overflow when it sums duplicate entries
        X = validate_matrix(X)
        X = X if X.format in ("csr", "csc") else to_csr(X)
    # sparse data frames become COO, of which no columns can be taken
    return to_native_dtype(validate_data(estimator, X, accept_sparse=("csr", "csc"), reset=reset))


def wrap_sparse_output(estimator: Any, X: Any, source: Any) -> Any:
    """Return a data frame with sparse columns if the estimator is set to pandas output and X is sparse.

    source : input of the transformation; its index is that of the frame
    """
    config = getattr(estimator, "_sklearn_output_config", {})
    if config.get("transform") != "pandas" or not is_sparse(X):
        return X
    import pandas as pd

    index = source.index if isinstance(source, pd.Series | pd.DataFrame) else None
    return pd.DataFrame.sparse.from_spmatrix(X, index=index, columns=estimator.get_feature_names_out())


def set_external_counts(estimator: Any, counts: Counts) -> None:
    """Make counts from elsewhere the counts of an estimator, as if it had counted them.

    feature_names_in_ stays unset: with it scikit-learn would warn about every sparse X, which has no names.
    """
    vars(estimator).pop("feature_names_in_", None)
    estimator.counts_ = counts
    estimator.n_features_in_ = len(counts.terms)
    estimator._has_external_counts = True


def drop_counts(estimator: Any) -> None:
    """Remove the counts of a fitted estimator and all references to them; fitted results stay."""
    if getattr(estimator, "_has_external_counts", False):
        # enough to check the columns of a data frame later
        estimator._names_digest = names_digest(estimator.counts_.terms)
    estimator.counts_ = None
    attributes = vars(estimator)
    for name, value in attributes.items():
        # a Selection refers to the counts through its scores
        if isinstance(value, Selection):
            attributes[name] = replace(value, scores=None)


def has_dropped_names(estimator: Any) -> bool:
    """Return whether the names of the terms were dropped together with external counts."""
    return getattr(estimator, "_has_external_counts", False) and estimator.counts_ is None


def names_digest(names: Any) -> str:
    """Return a digest of the names of terms in their order."""
    # surrogatepass, because terms may contain lone surrogates
    return sha256("\0".join(map(str, names)).encode("utf-8", "surrogatepass")).hexdigest()


def term_names(estimator: Any) -> Array | None:
    """Return the names of the terms, from a data frame or from external counts, or None."""
    if getattr(estimator, "_has_external_counts", False):
        return None if estimator.counts_ is None else estimator.counts_.terms
    return getattr(estimator, "feature_names_in_", None)


def input_names(estimator: Any, input_features: Any) -> Array:
    """Return the names of X's columns, as get_feature_names_out needs them."""
    check_is_fitted(estimator, "counts_")
    candidates = term_names(estimator) if input_features is None else input_features
    return np.asarray(_check_feature_names_in(estimator, candidates))


def set_term_tags(tags: Any) -> Any:
    """Set the scikit-learn tags of estimators of counts: sparse, nonnegative X; required, multilabel y."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.target_tags.required = True
    tags.target_tags.multi_output = True
    return tags


def validate_documents(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Documents:
    """Validate X, y and weights by the rules of scikit-learn and return them as documents."""
    if y is None:
        message = f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        raise InvalidInputError(message)
    X = _validate_matrix(estimator, X, reset=reset)
    check_non_negative(X, type(estimator).__name__)
    rows = as_csr(X)
    labels = target_labels(y)
    if labels.size != rows.shape[0]:
        raise InvalidInputError(
            f"Found input variables with inconsistent numbers of samples: {[rows.shape[0], labels.size]}"
        )
    weights = np.zeros(0)
    if sample_weight is not None:
        weights = weights_or_empty(_check_sample_weight(sample_weight, X), labels.size)
    if reset:
        estimator._has_external_counts = False
    names = column_names(term_names(estimator), rows.shape[1])
    return Documents(rows, labels, names, weights, not is_sparse(X))


def target_labels(y: Any) -> Labels:
    """Return the labels of a scikit-learn target: 1-d without missing values, or an indicator matrix."""
    if is_sparse(y) or (is_frame(y) and np.shape(y)[1] > 1):
        return as_labels(y)
    try:
        y = np.asarray(y)
    except ValueError as error:
        raise InvalidInputError("y must contain one label per document, or be an indicator matrix") from error
    if y.ndim == 2 and y.shape[1] > 1:
        return as_labels(y)
    y = column_or_1d(y, warn=True)
    # before the check of scikit-learn, which treats a missing label as a class or names no document
    check_no_missing_labels(y)
    check_classification_targets(y)
    return as_labels(y)


def count_spark_frame(frame: Any, label_column: Any, weight_column: Any) -> Counts:
    """Count a Spark DataFrame with a column of labels, a column of texts and optionally one of weights."""
    named_columns = [label_column] if weight_column is None else [label_column, weight_column]
    if not all(isinstance(name, str) for name in named_columns):
        raise InvalidInputError("for a Spark DataFrame, y and sample_weight must be names of columns")
    text_columns = [name for name in frame.columns if name not in named_columns]
    if len(text_columns) != 1:
        raise InvalidInputError(
            f"the frame must have exactly one text column besides {label_column!r}; "
            f"its columns are: {', '.join(frame.columns)}"
        )
    return count(frame, text=text_columns[0], label=label_column, sample_weight=weight_column)


Result = TypeVar("Result")
Estimator = TypeVar("Estimator")


class FromCounts:
    """Descriptor of the method `from_counts`, callable on a class or on an instance."""

    def __get__(self, instance: Estimator | None, owner: type[Estimator]) -> Callable[..., Estimator]:
        def from_counts(counts: Counts, *arguments: Any, **parameters: Any) -> Any:
            """Fit an estimator to existing counts, for example from files, a cluster, or an earlier run.

            Called on a class, `TermSelector.from_counts(counts, "chi2", k=100)`, it takes the parameters of
            the constructor. Called on an instance, it returns a copy with the instance's parameters, updated
            by those in the call; the instance does not change.

            Parameters
            ----------
            counts : Counts
                The counts to fit to.
            *arguments, **parameters
                Parameters of the estimator.

            Returns
            -------
            estimator
                The fitted estimator.

            Raises
            ------
            InvalidInputError
                If a parameter is invalid.

            """
            # binds positional arguments to the names of the parameters
            values = signature(owner).bind_partial(*arguments, **parameters).arguments
            estimator: Any = owner(**values) if instance is None else clone(instance).set_params(**values)
            estimator._check_parameters()
            return estimator._fit_counts(counts)

        return from_counts


class CountsMixin(ABC, Generic[Result]):
    """Mixin of estimators that depend on counts only: fit, partial_fit and from_counts.

    Subclasses implement `_compute`. Its result is `_fit_result`, recomputed after partial_fit.
    """

    counts_: Counts | None
    keep_counts: bool = True
    _result: Result | None = None
    from_counts = FromCounts()

    @abstractmethod
    def _compute(self) -> Result:
        """Compute the fitted result from `counts_` and the parameters."""

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters before documents are counted."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the documents and fit the estimator to the counts.

        X may be a Spark DataFrame: y names the column of labels, sample_weight that of weights, and the only
        other column has the texts. `transform` then takes a matrix with the counted terms as columns.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame; or Spark DataFrame
            Counts of the terms, or texts.
        y : (documents,) array, or (documents, classes) indicator matrix; or str
            Labels of the documents, or the name of their column.
        sample_weight : (documents,) array, or str, optional
            Weights of the documents, or the name of their column.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        InvalidInputError
            If a parameter, X, y or a weight is invalid.

        """
        self._check_parameters()
        if is_spark(X):  # counted on the cluster
            return self._fit_counts(count_spark_frame(X, y, sample_weight))
        self.counts_ = validate_documents(self, X, y, sample_weight, reset=True).counts
        return self._compute_result()

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to the counts. Fitted attributes are updated when next accessed.

        So the first batches may contain only one class.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms.
        y : (documents,) array, or (documents, classes) indicator matrix
            Labels of the documents.
        sample_weight : (documents,) array, optional
            Weights of the documents.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        InvalidInputError
            If a parameter, X, y or a weight is invalid, or `keep_counts` is False.

        """
        self._check_parameters()
        if not self.keep_counts:
            raise InvalidInputError("partial_fit needs the counts: set keep_counts=True")
        is_first = not hasattr(self, "counts_")
        new_counts = validate_documents(self, X, y, sample_weight, reset=is_first).counts
        self.counts_ = new_counts if is_first else self._get_counts() + new_counts
        self._result = None
        return self

    def _get_counts(self) -> Counts:
        check_is_fitted(self, "counts_")
        if self.counts_ is None:
            raise InvalidInputError("the counts were not kept; fit with keep_counts=True")
        return self.counts_

    @property
    def _fit_result(self) -> Result:
        check_is_fitted(self, "counts_")
        if self._result is None:
            self._result = self._compute()
        return self._result

    def _fit_counts(self, counts: Counts) -> Self:
        set_external_counts(self, counts)
        return self._compute_result()

    def _compute_result(self) -> Self:
        # if _compute fails, no result of earlier counts may remain
        self._result = None
        self._result = self._compute()
        if not self.keep_counts:
            drop_counts(self)
        return self

    def __sklearn_tags__(self) -> Any:
        return set_term_tags(super().__sklearn_tags__())  # type: ignore[misc]


class SelectionMixin(SelectorMixin):
    """Mixin of selectors; `_fit_result` is the Selection that fitting produced."""

    keep_counts: bool = True

    def _check_parameters(self) -> None:
        check_positive_integer(self.k)

    def _drop_unneeded_counts(self) -> Self:
        if not self.keep_counts:
            drop_counts(self)
        return self

    @property
    def selected_(self) -> Selection:
        """Chosen terms as a Selection, which exports to a table, to JSON and to Spark."""
        check_is_fitted(self, "counts_")
        selection: Selection = self._fit_result
        return selection

    @property
    def selection_(self) -> Array:
        """Indices of the kept columns, best first."""
        return self.selected_.indices

    @property
    def scores_(self) -> Scores:
        """Scores that the terms were chosen by."""
        scores = self.selected_.scores
        if scores is None:
            raise AttributeError("the scores were not kept; fit with keep_counts=True")
        return scores

    def transform(self, X: Any) -> Any:
        """Return X with only the chosen columns.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms, with the columns of the fitted X.

        Returns
        -------
        (documents, chosen) array or sparse matrix
            The chosen columns, in the order of X.

        """
        return wrap_sparse_output(self, self._transform(validate_fitted_matrix(self, X)), X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the kept columns, in the order of X.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        (chosen,) array of str
            Names of the chosen columns.

        """
        if input_features is None and has_dropped_names(self):
            selection = self.selected_
            return as_term_array(selection.terms)[np.argsort(selection.indices)]
        return np.asarray(input_names(self, input_features)[self.get_support()])

    def to_vectorizer(self, vectorizer: Any = None) -> Any:
        """Return a scikit-learn vectorizer for the chosen terms, best first: see `Selection.to_vectorizer`.

        Parameters
        ----------
        vectorizer : CountVectorizer, optional
            The fitted vectorizer that produced X, for the column names and the settings. Without it, the
            names must come from a data frame or from counts.

        Returns
        -------
        CountVectorizer or TfidfVectorizer
            A vectorizer with the chosen terms as its vocabulary.

        Raises
        ------
        InvalidInputError
            If the names of the terms are unknown, or the vectorizer did not produce X.

        """
        selection = self.selected_
        if vectorizer is None and has_dropped_names(self):
            return selection.to_vectorizer()
        names = term_names(self) if vectorizer is None else vectorizer.get_feature_names_out()
        if names is None:
            message = "the names of the terms are unknown: pass the fitted vectorizer that produced X"
            raise InvalidInputError(message)
        if len(names) != self.n_features_in_:
            message = f"the vectorizer has {len(names)} terms, but X had {self.n_features_in_} columns"
            raise InvalidInputError(message)
        terms = as_term_array(str(names[column]) for column in selection.indices)
        named_selection = replace(selection, rows=Table(dict(selection.rows.columns) | {"term": terms}))
        return named_selection.to_vectorizer(vectorizer)

    def _get_support_mask(self) -> Array:
        columns = self.selection_  # raises NotFittedError before fit
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[columns] = True
        return mask
