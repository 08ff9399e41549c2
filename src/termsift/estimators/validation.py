"""scikit-learn's X, y and weights become Documents, and a Spark DataFrame becomes Counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from termsift._typing import Array
from termsift.border.matrices import csr_of, is_sparse, native, sound_matrix
from termsift.counting import count
from termsift.counts import Counts
from termsift.engines.memory.matrix import as_rows, as_weights, column_names
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.labels import Labels, any_frame, as_labels, check_missing, frame_parts, is_frame
from termsift.selection import Selection


def metric_options(options: Any) -> Mapping[str, Any]:
    """The options of an estimator's metric, none where they are None; an error for what is no dict."""
    if not (options is None or isinstance(options, Mapping)):
        raise InvalidInput(f"options of a metric are a dict of names and values, got {options!r}")
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
            raise InvalidInput("the columns of X are not the terms that were counted, in their order")
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
        raise InvalidInput(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    X = _checked_matrix(estimator, X, reset=reset)
    check_non_negative(X, type(estimator).__name__)
    rows = as_rows(X)
    labels = target_labels(y)
    if labels.size != rows.shape[0]:
        raise InvalidInput(
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
        raise InvalidInput("y must be one label per document, or an indicator matrix") from error
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
        raise InvalidInput(
            "of a Spark DataFrame, y names the column of labels and sample_weight that of weights"
        )
    texts = [name for name in frame.columns if name not in named]
    if len(texts) != 1:
        columns = ", ".join(frame.columns)
        raise InvalidInput(f"the frame must have one column of texts beside {label!r}; it has: {columns}")
    return count(frame, text=texts[0], label=label, sample_weight=weight)
