"""The methods of a selector that follow from the columns it chose; each class takes them as its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.estimators.fitting import known_names, names_in, validated
from termsift.selection import analyzer_from, plain_vectorizer


def transform(self: Any, X: Any) -> Any:
    """X without the columns that were not chosen."""
    check_is_fitted(self, "counts_")
    return self._transform(validated(self, X, reset=False))


def get_feature_names_out(self: Any, input_features: Any = None) -> Array:
    """The names of the kept columns, in the order of X's."""
    names: Array = names_in(self, input_features)[self.get_support()]
    return names


def get_support_mask(self: Any) -> Array:
    """(terms,) which were chosen."""
    check_is_fitted(self, "counts_")
    mask = np.zeros(self.n_features_in_, dtype=bool)
    mask[self.selection_] = True
    return mask


def to_vectorizer(self: Any, vectorizer: Any = None) -> Any:
    """scikit-learn's own vectorizer of the chosen terms, best first, as `Selection.to_vectorizer` gives it.

    Parameters
    ----------
    vectorizer : the fitted vectorizer that made X; it gives the names of the columns and its settings.
        Without it the names must be known from a data frame or from counts.

    """
    check_is_fitted(self, "counts_")
    names = known_names(self) if vectorizer is None else vectorizer.get_feature_names_out()
    if names is None:
        raise InvalidInput("the names of the terms are unknown: pass the fitted vectorizer that made X")
    if len(names) != self.n_features_in_:
        raise InvalidInput(f"the vectorizer has {len(names)} terms, but X had {self.n_features_in_} columns")
    terms = [str(names[column]) for column in self.selection_]
    return plain_vectorizer(terms, vectorizer, analyzer_from(self.counts_.analyzer))
