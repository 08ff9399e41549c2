"""Calibration of the recommended model, by margins out of fold: each of documents it was not fitted to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from termsift._typing import Array
from termsift.compare.models import Model, model_of, target
from termsift.experiment.documents import Documents
from termsift.experiment.splits import Division, Split
from termsift.models.calibration import fitted_calibration
from termsift.models.margins import class_margins


def calibrated_model(model: Model, documents: Documents, split: Split, most: int) -> Model:
    """The model with what turns its margins into probabilities.

    In each division of the first round the candidate is fitted anew, its terms chosen anew, to the documents
    to learn from; margins are those of the documents to judge.
    """
    parts = [fold_margins(model, documents, part, most) for part in split.divisions(0)]
    margins, judged = (np.concatenate(own) for own in zip(*parts, strict=True))
    return replace(
        model, calibration=fitted_calibration(margins, class_truth(documents)[judged], documents.is_single)
    )


def fold_margins(model: Model, documents: Documents, part: Division, most: int) -> tuple[Array, Array]:
    """(judged, classes) margins, infinite for a class that none learned from has; and which were judged."""
    own = model_of(documents.take(part.learned), model.line, most, part.seed)
    found = class_margins(own.pipeline, documents.rows[part.judged][:, own.columns])
    if not documents.is_single:
        return found, part.judged
    known, all_known = list(own.pipeline.classes_), list(np.unique(target(documents)))
    margins = np.full((len(part.judged), len(all_known)), -np.inf)
    margins[:, [all_known.index(name) for name in known]] = found
    return margins, part.judged


def class_truth(documents: Documents) -> Array:
    """(documents, classes) which labels are right, in the order in which a model has its classes."""
    labels = target(documents)
    return np.asarray(labels.astype(bool) if labels.ndim == 2 else labels[:, None] == np.unique(labels))
