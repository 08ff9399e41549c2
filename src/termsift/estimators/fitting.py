"""What the estimators share: fitting, by counts that keep adding up, and what follows from a selection.

A selector is a class of `SelectionMixin`, `CountsMixin[Selection]` and scikit-learn's BaseEstimator that has
a parameter k and one method, `_learn`, which makes the Selection of `counts_`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from termsift._typing import Array, as_terms
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.estimators.validation import (
    adopt_counts,
    checked_matrix,
    drop_counts,
    input_names,
    known_names,
    names_dropped,
    sample_documents,
    spark_counts,
    term_tags,
)
from termsift.inputs import is_spark
from termsift.policies import check_k
from termsift.scores import Scores
from termsift.selection import Selection
from termsift.tables import Table

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
            raise InvalidInput("partial_fit adds to the counts, so they must be kept: keep_counts=True")
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
            raise InvalidInput("the counts are gone; to learn anew, fit with keep_counts=True")
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
            raise InvalidInput("the names of the terms are unknown: pass the fitted vectorizer that made X")
        if len(names) != self.n_features_in_:
            raise InvalidInput(
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
