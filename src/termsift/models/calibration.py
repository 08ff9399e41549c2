"""Calibration: margins become probabilities that hold on documents a model was not fitted to.

Platt (1999): for each class a logistic curve of its margin, found on margins out of fold. Of documents with
one label the curves of all classes are scaled to add up to 1; of two classes one curve is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from termsift._typing import Array
from termsift.errors import InvalidInput

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
            raise InvalidInput("its calibration is not one curve per class")
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
