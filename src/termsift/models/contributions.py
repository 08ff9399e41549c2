"""What each term of a document gives to the margin of each class; with what is given before, they add up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.models.margins import class_margins, coefficients, is_mirrored, wanted_models

CLOSE = 1e-6  # of sums that are the same but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What the terms of a document give.

    columns : (terms,) which terms the document has, by their place in the vocabulary
    times : (terms,) how often
    given : (terms, classes) what each gives to the margin of each class
    start : (classes,) what is given without any term
    """

    columns: Array
    times: Array
    given: Array
    start: Array

    @property
    def margins(self) -> Array:
        """(classes,): the sums."""
        return np.asarray(self.given.sum(axis=0) + self.start)


def contributions(model: Any, row: csr_array[Any], only: Collection[int] | None = None) -> Contributions:
    """What the terms of one document, a row of counts, give; an error where margins are no sums of words.

    only : the classes that are wanted; what is given to others may be 0
    """
    row = csr_array(row)
    columns = np.flatnonzero(row.toarray()[0])
    times = np.asarray(row[:, columns].toarray()[0])
    own = csr_array((times, (np.arange(len(columns)), columns)), shape=(len(columns), row.shape[1]))
    given, start = parts_of(model, own, row, only)
    found = Contributions(columns, times, given, start)
    margins = class_margins(model, row, only)[0]
    if not np.allclose(found.margins, margins, rtol=CLOSE, atol=CLOSE):
        raise InvalidInput(
            "the margins of this model are no sums over words, so no word can be given its part"
        )
    return found


def parts_of(model: Any, parts: Any, row: Any, only: Collection[int] | None = None) -> tuple[Array, Array]:
    """(terms, classes) and (classes,), of a pipeline, of each class against the rest, or of a classifier.

    parts : (terms, features) what each term gives to each feature of the row
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            parts, row = carried(step, parts, row)
        return parts_of(model.steps[-1][1], parts, row, only)
    if isinstance(model, OneVsRestClassifier):
        size = len(model.estimators_)
        given, start = np.zeros((parts.shape[0], size)), np.zeros(size)
        for c in wanted_models(model, only):
            own, begin = parts_of(model.estimators_[c], parts, row)
            given[:, c], start[c] = own[:, -1], begin[-1]
        if is_mirrored(model):
            return np.hstack([-given, given]), np.array([-start[0], start[0]])
        return given, start
    weights, start = coefficients(model)
    return np.asarray(parts @ weights), start


def carried(step: Any, parts: Any, row: Any) -> tuple[Any, Any]:
    """The parts of the features that a step makes, and the features.

    A step that adds up what terms give is asked for the parts of each term alone. One that makes a feature of
    each feature, as tf-idf does, has each shared out as it was before.
    """
    made = csr_array(step.transform(row))
    alone = csr_array(step.transform(parts)) if parts.shape[0] else csr_array((0, made.shape[1]))
    if np.allclose(np.asarray(alone.sum(axis=0)), made.toarray()[0], rtol=CLOSE, atol=CLOSE):
        return alone, made
    if made.shape != row.shape:
        raise InvalidInput(f"{type(step).__name__} adds up no words, so no word can be given its part")
    before, after = csr_array(row).toarray()[0], made.toarray()[0]
    share = np.divide(after, before, out=np.zeros(len(after)), where=before != 0)
    return csr_array(csr_array(parts) @ diags_array(share)), made
