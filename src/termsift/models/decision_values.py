"""Margins: what a fitted pipeline of scikit-learn says for each class, a number above 0 where it says yes.

Of two classes one margin is the other's opposite. Naive Bayes of more classes says for each how much more
likely the document is than on average over the classes, as a logarithm. A document with one label has that
of the largest margin, one with several all whose margins are above 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array


def class_margins(model: Any, X: Any, only: Collection[int] | None = None) -> Array:
    """(documents, classes): what a fitted classifier says for each class.

    only : the classes that are wanted; what is said for others may be 0
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return class_margins(model.steps[-1][1], X, only)
    if isinstance(model, OneVsRestClassifier):
        each = np.zeros((X.shape[0], len(model.estimators_)))
        for c in wanted_models(model, only):
            each[:, c] = class_margins(model.estimators_[c], X)[:, -1]
        return both_sides(each[:, 0]) if is_mirrored(model) else each
    if hasattr(model, "predict_joint_log_proba"):
        return centred(np.asarray(model.predict_joint_log_proba(X)))
    if not hasattr(model, "decision_function"):
        raise InvalidInputError(f"{type(model).__name__} says labels but no margins")
    found = np.asarray(model.decision_function(X))
    return both_sides(found) if found.ndim == 1 else found


def wanted_models(model: OneVsRestClassifier, only: Collection[int] | None) -> list[int]:
    """The places of the models of one class against the rest that are wanted."""
    return [c for c in range(len(model.estimators_)) if only is None or is_mirrored(model) or c in only]


def is_mirrored(model: OneVsRestClassifier) -> bool:
    """Whether a model of one class against the rest is of two classes, one the opposite of the other."""
    return len(model.estimators_) == 1 and not model.multilabel_


def both_sides(values: Array) -> Array:
    """The margins of the second of two classes with their opposites before them."""
    return np.stack([-values, values], axis=1)


def centred(values: Array) -> Array:
    """(..., classes) logarithms less their mean; of two classes one against the other."""
    if values.shape[-1] == 2:
        return both_sides(values[..., 1] - values[..., 0])
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def coefficients(model: Any) -> tuple[Array, Array]:
    """(features, classes) and (classes,): what a unit of each feature gives to each margin, and the start.

    An error for a classifier whose margins are no sums.
    """
    if hasattr(model, "feature_log_prob_") and hasattr(model, "predict_joint_log_proba"):
        prior = 0.0 if isinstance(model, ComplementNB) else model.class_log_prior_
        weights = np.asarray(model.feature_log_prob_).T
        return centred(weights), centred(np.broadcast_to(prior, (1, weights.shape[1])))[0]
    if not hasattr(model, "coef_"):
        raise InvalidInputError(
            f"{type(model).__name__} is not linear: what its words give cannot be added up"
        )
    weights, given = np.atleast_2d(np.asarray(model.coef_)).T, np.ravel(model.intercept_)
    if weights.shape[1] == 1:
        return both_sides(weights[:, 0]), np.array([-given[0], given[0]])
    return weights, given


LOOSE = 1e6  # how little the curve is held back


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A logistic curve for each class.

    slopes, starts : (classes,)
    documents : how many margins out of fold they were found on
    single : whether each document has one label
    """

    slopes: Array
    starts: Array
    documents: int
    single: bool

    def probabilities(self, margins: Array) -> Array:
        """(documents, classes) of margins; with one label per document they add up to 1."""
        found = expit(margins * self.slopes + self.starts)
        if not self.single:
            return np.asarray(found)
        total = found.sum(axis=1, keepdims=True)
        even = np.full(found.shape, 1 / found.shape[1])
        return np.asarray(np.divide(found, total, out=even, where=total > 0))

    def to_json(self) -> dict[str, Any]:
        """As a selection holds it."""
        return {
            "slopes": self.slopes.tolist(),
            "starts": self.starts.tolist(),
            "documents": self.documents,
        }

    @classmethod
    def of_json(cls, what: Any, classes: int, single: bool) -> Calibration:
        """What a selection holds, checked."""
        held = what if isinstance(what, Mapping) else {}
        slopes, starts = (np.array(held.get(name, []), dtype=object) for name in ("slopes", "starts"))
        try:
            slopes, starts = slopes.astype(float), starts.astype(float)
        except (TypeError, ValueError):
            slopes = starts = np.zeros(0)
        if (
            slopes.shape != (classes,)
            or starts.shape != (classes,)
            or not np.isfinite([*slopes, *starts]).all()
        ):
            raise InvalidInputError("its calibration is not one curve per class")
        documents = held.get("documents")
        return cls(slopes, starts, documents if isinstance(documents, int) else 0, single)


def fitted_calibration(margins: Array, truth: Array, single: bool) -> Calibration:
    """The curves of margins (documents, classes), which documents out of fold had.

    truth : (documents, classes) which labels are right
    """
    mirrored = single and truth.shape[1] == 2
    curves = [curve(margins[:, c], truth[:, c]) for c in range(int(mirrored), truth.shape[1])]
    if mirrored:
        curves = [(curves[0][0], -curves[0][1]), *curves]
    slopes, starts = (np.array(part) for part in zip(*curves, strict=True))
    return Calibration(slopes, starts, len(truth), single)


def curve(margins: Array, inside: Array) -> tuple[float, float]:
    """Slope and start of the logistic curve of a margin; a margin that falls with the truth says nothing.

    Platt's targets, a little inside of 0 and 1, keep it finite where margins part the classes.
    """
    usable = np.isfinite(margins)
    margins, inside = margins[usable], inside[usable]
    yes, no = float(inside.sum()), float((~inside).sum())
    target = np.where(inside, (yes + 1) / (yes + 2), 1 / (no + 2))
    spread = float(margins.std()) if len(margins) else 0.0
    if spread > 0:
        rows = np.concatenate([margins, margins])[:, None] / spread
        model = LogisticRegression(C=LOOSE).fit(
            rows, np.repeat([1, 0], len(margins)), sample_weight=np.concatenate([target, 1 - target])
        )
        slope, start = float(model.coef_[0, 0]) / spread, float(model.intercept_[0])
        if slope > 0:
            return slope, start
    share = float(target.mean()) if len(target) else 0.5
    return 0.0, float(np.log(share / (1 - share)))
