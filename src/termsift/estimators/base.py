"""scikit-learn's X, y and weights become Documents, and a Spark DataFrame becomes Counts."""

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
from termsift._internal.expressions import check_k
from termsift._internal.matrices import csr_of, is_sparse, native, sound_matrix
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_terms
from termsift.counts import Counts, Labels, any_frame, as_labels, check_missing, frame_parts, is_frame
from termsift.engines import Documents, as_rows, as_weights, column_names, count, is_spark
from termsift.metrics import Scores
from termsift.selection import Selection


def metric_options(options: Any) -> Mapping[str, Any]:
    """The options of an estimator's metric, none where they are None; an error for what is no dict."""
    if not (options is None or isinstance(options, Mapping)):
        raise InvalidInputError(f"options of a metric are a dict of names and values, got {options!r}")
    return options or {}


def checked_matrix(estimator: Any, X: Any) -> Any:
    """X of a fitted estimator as scikit-learn checks it: sparse or dense, finite, of the columns fitted."""
    check_is_fitted(estimator, "counts_")
    return _checked_matrix(estimator, X, reset=False)


def _checked_matrix(estimator: Any, X: Any, *, reset: bool) -> Any:
    if is_frame(X):
        any_frame(X)  # an error for names that repeat
    if not reset and getattr(estimator, "_adopted", False) and is_frame(X):
        names, X = frame_parts(X)
        known = estimator._names_digest if names_dropped(estimator) else names_digest(estimator.counts_.terms)
        if names_digest(names) != known:
            raise InvalidInputError("the columns of X are not the terms that were counted, in their order")
    if is_sparse(X):
        # scikit-learn would follow indices that lie, and add entries in a type too small for their sum
        X = sound_matrix(X)
        X = X if X.format in ("csr", "csc") else csr_of(X)
    return native(validate_data(estimator, X, accept_sparse=True, reset=reset))


def adopt_counts(estimator: Any, counts: Counts) -> None:
    """Make the counts the estimator's own, as if it had counted them.

    feature_names_in_ stays unset: with it scikit-learn would warn of every sparse X, which has no names.
    """
    vars(estimator).pop("feature_names_in_", None)
    estimator.counts_ = counts
    estimator.n_features_in_ = len(counts.terms)
    estimator._adopted = True


def drop_counts(estimator: Any) -> None:
    """Let the counts of a fitted estimator go, and what holds them; what they say was learned stays."""
    if getattr(estimator, "_adopted", False):
        estimator._names_digest = names_digest(estimator.counts_.terms)
    estimator.counts_ = None
    learned = vars(estimator)
    for name, value in learned.items():
        if isinstance(value, Selection):
            learned[name] = replace(value, scores=None)


def names_dropped(estimator: Any) -> bool:
    """Whether the names of the terms were those of counts that are gone."""
    return getattr(estimator, "_adopted", False) and estimator.counts_ is None


def names_digest(names: Any) -> str:
    """What the names of terms, in their order, are known by."""
    return sha256("\0".join(map(str, names)).encode("utf-8", "surrogatepass")).hexdigest()


def known_names(estimator: Any) -> Any:
    """The names of the terms, from a data frame or from adopted counts, or None."""
    if getattr(estimator, "_adopted", False):
        return None if estimator.counts_ is None else estimator.counts_.terms
    return getattr(estimator, "feature_names_in_", None)


def input_names(estimator: Any, input_features: Any) -> Array:
    """The names of X's columns, as get_feature_names_out wants them."""
    check_is_fitted(estimator, "counts_")
    given = known_names(estimator) if input_features is None else input_features
    names: Array = _check_feature_names_in(estimator, given)
    return names


def term_tags(tags: Any) -> Any:
    """scikit-learn's tags of an estimator of term counts: sparse, not negative, y needed, several labels."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.target_tags.required = True
    tags.target_tags.multi_output = True
    return tags


def sample_documents(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Documents:
    """X, y and weights, by scikit-learn's rules for all three."""
    if y is None:
        raise InvalidInputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    X = _checked_matrix(estimator, X, reset=reset)
    check_non_negative(X, type(estimator).__name__)
    rows = as_rows(X)
    labels = target_labels(y)
    if labels.size != rows.shape[0]:
        raise InvalidInputError(
            f"Found input variables with inconsistent numbers of samples: {[rows.shape[0], labels.size]}"
        )
    weights = np.zeros(0)
    if sample_weight is not None:
        weights = as_weights(_check_sample_weight(sample_weight, X), labels.size)
    if reset:
        estimator._adopted = False
    names = column_names(known_names(estimator), rows.shape[1])
    return Documents(rows, labels, names, weights, not is_sparse(X))


def target_labels(y: Any) -> Labels:
    """Labels of a scikit-learn target: 1-d, or an indicator matrix, where no document's may be missing."""
    if is_sparse(y) or (is_frame(y) and np.shape(y)[1] > 1):
        return as_labels(y)
    try:
        y = np.asarray(y)
    except ValueError as error:
        raise InvalidInputError("y must be one label per document, or an indicator matrix") from error
    if y.ndim == 2 and y.shape[1] > 1:
        return as_labels(y)
    y = column_or_1d(y, warn=True)
    # before scikit-learn's check, which takes a missing label for a class or names no document
    check_missing(y)
    check_classification_targets(y)
    return as_labels(y)


def spark_counts(frame: Any, label: Any, weight: Any) -> Counts:
    """The counts of a Spark DataFrame that has one column beside its labels and weights: the texts."""
    named = [label, *([] if weight is None else [weight])]
    if not all(isinstance(name, str) for name in named):
        raise InvalidInputError(
            "of a Spark DataFrame, y names the column of labels and sample_weight that of weights"
        )
    texts = [name for name in frame.columns if name not in named]
    if len(texts) != 1:
        columns = ", ".join(frame.columns)
        raise InvalidInputError(
            f"the frame must have one column of texts beside {label!r}; it has: {columns}"
        )
    return count(frame, text=texts[0], label=label, sample_weight=weight)


Learned = TypeVar("Learned")
Estimator = TypeVar("Estimator")


class FromCounts:
    """The method `from_counts`, of a class or of an instance with parameters of its own."""

    def __get__(self, instance: Estimator | None, owner: type[Estimator]) -> Callable[..., Estimator]:
        def from_counts(counts: Counts, *arguments: Any, **parameters: Any) -> Any:
            """A fitted estimator from counts made elsewhere: from files, on a cluster, or earlier.

            Called on a class, `TermSelector.from_counts(counts, "chi2", k=100)`, it takes the parameters of
            the constructor. Called on an instance, it returns a copy with the instance's parameters, except
            those given; the instance does not change.
            """
            given = signature(owner).bind_partial(*arguments, **parameters).arguments
            made: Any = owner(**given) if instance is None else clone(instance).set_params(**given)
            made._check()
            return made._adopt(counts)

        return from_counts


class CountsMixin(ABC, Generic[Learned]):
    """An estimator that reads counts: fit counts, partial_fit adds, from_counts takes counts as they are.

    Its one method is `_learn`. The result is `_learned`, computed once, and anew after documents were added.
    """

    counts_: Counts | None
    keep_counts: bool = True
    _result: Learned | None = None
    from_counts = FromCounts()

    @abstractmethod
    def _learn(self) -> Learned:
        """What `counts_` say, by the parameters."""

    def _check(self) -> None:
        """An error if a parameter is wrong, before anything is counted; there need not be any to check."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the documents, and learn from the counts.

        X may be a Spark DataFrame: y names the column of labels, sample_weight that of weights, and the one
        other column holds the texts. `transform` then takes a matrix with the counted terms as columns.
        """
        self._check()
        if is_spark(X):
            return self._adopt(spark_counts(X, y, sample_weight))
        self.counts_ = sample_documents(self, X, y, sample_weight, reset=True).counts
        return self._relearn()

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to the counts. Fitted attributes are updated when next accessed.

        So the first batches may contain only one class.
        """
        self._check()
        if not self.keep_counts:
            raise InvalidInputError("partial_fit adds to the counts, so they must be kept: keep_counts=True")
        first = not hasattr(self, "counts_")
        more = sample_documents(self, X, y, sample_weight, reset=first).counts
        self.counts_ = more if first else self._known_counts + more
        self._result = None
        return self

    @property
    def _known_counts(self) -> Counts:
        """The counts, while something is learned from them."""
        check_is_fitted(self, "counts_")
        if self.counts_ is None:
            raise InvalidInputError("the counts are gone; to learn anew, fit with keep_counts=True")
        return self.counts_

    @property
    def _learned(self) -> Learned:
        check_is_fitted(self, "counts_")
        if self._result is None:
            self._result = self._learn()
        return self._result

    def _adopt(self, counts: Counts) -> Self:
        adopt_counts(self, counts)
        return self._relearn()

    def _relearn(self) -> Self:
        # an error leaves no result of other counts behind
        self._result = None
        self._result = self._learn()
        if not self.keep_counts:
            drop_counts(self)
        return self

    def __sklearn_tags__(self) -> Any:
        return term_tags(super().__sklearn_tags__())  # type: ignore[misc]


class SelectionMixin(SelectorMixin):
    """A selector of terms: what follows from `_learned`, the Selection that was made by fitting."""

    keep_counts: bool = True

    def _check(self) -> None:
        check_k(self.k)

    def _settled(self) -> Self:
        """The estimator without its counts, where they are not to be kept."""
        if not self.keep_counts:
            drop_counts(self)
        return self

    @property
    def selected_(self) -> Selection:
        """The chosen terms as a Selection, which prints and exports to a table, to JSON and to Spark."""
        check_is_fitted(self, "counts_")
        selection: Selection = self._learned
        return selection

    @property
    def selection_(self) -> Array:
        """The columns kept, best first."""
        return self.selected_.indices

    @property
    def scores_(self) -> Scores:
        """The scores that the terms were chosen by."""
        scores = self.selected_.scores
        if scores is None:
            raise AttributeError("the scores went with the counts; to have them, fit with keep_counts=True")
        return scores

    def transform(self, X: Any) -> Any:
        """X with only the chosen columns."""
        return self._transform(checked_matrix(self, X))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the kept columns, in the order of X."""
        if input_features is None and names_dropped(self):
            selection = self.selected_
            return as_terms(selection.terms)[np.argsort(selection.indices)]
        names: Array = input_names(self, input_features)[self.get_support()]
        return names

    def to_vectorizer(self, vectorizer: Any = None) -> Any:
        """A plain scikit-learn vectorizer for the chosen terms, best first: see `Selection.to_vectorizer`.

        Parameters
        ----------
        vectorizer : the fitted vectorizer that made X, for the column names and the settings. Without it, the
            names must be known from a data frame or from counts.

        """
        selection = self.selected_
        if vectorizer is None and names_dropped(self):
            return selection.to_vectorizer()
        names = known_names(self) if vectorizer is None else vectorizer.get_feature_names_out()
        if names is None:
            raise InvalidInputError(
                "the names of the terms are unknown: pass the fitted vectorizer that made X"
            )
        if len(names) != self.n_features_in_:
            raise InvalidInputError(
                f"the vectorizer has {len(names)} terms, but X had {self.n_features_in_} columns"
            )
        terms = as_terms(str(names[column]) for column in selection.indices)
        named = replace(selection, rows=Table(dict(selection.rows.columns) | {"term": terms}))
        return named.to_vectorizer(vectorizer)

    def _get_support_mask(self) -> Array:
        chosen = self.selection_
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[chosen] = True
        return mask
