"""Decisions: what a classifier says of documents, counted as a Confusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.evaluation import Confusion
from termsift.experiment.classifiers import Classifier
from termsift.experiment.folds import Fold
from termsift.experiment.goals import Goal
from termsift.ranking import Ranking


def accepted(margins: Array, single: bool) -> Array:
    """(..., documents, classes): the class of largest margin where each has one, else all above 0."""
    if not single:
        return margins > 0
    found = np.zeros(margins.shape, dtype=bool)
    np.put_along_axis(found, margins.argmax(axis=-1)[..., None], True, axis=-1)
    return found


def decisions(margins: Array, truth: Array, single: bool, classes: Sequence[Any]) -> Confusion:
    """Decisions by margins (..., documents, classes), counted."""
    return Confusion.of_decisions(accepted(margins, single), truth, classes)


def judged(classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, goal: Goal) -> Confusion:
    """(sizes, classes) what a classifier decides with the first terms of a ranking, as the goal asks."""
    classes = fold.train.labels.classes
    if goal.at_break_even:
        return Confusion.at_break_even(classifier.confidences(fold, ranking, sizes), fold.truth, classes)
    margins = classifier.margins(fold, ranking, sizes)
    return decisions(margins, fold.truth, fold.train.is_single, classes)
