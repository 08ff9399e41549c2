"""Documents to learn from and documents to test with, as one, in the same terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from termsift.errors import InvalidInput
from termsift.inputs import LabelledInput
from termsift.labels import as_labels


def joined_inputs(parts: Sequence[LabelledInput]) -> LabelledInput:
    """The documents of several inputs, one after the other: all texts, or all in the same terms."""
    if len(parts) == 1:
        return parts[0]
    if len({part.texts is None for part in parts}) > 1:
        raise InvalidInput("one of the two is texts and the other a matrix; give the same of both")
    labels = as_labels([names for part in parts for names in part.labels.names])
    missing = sum(part.missing for part in parts)
    marks = {role: [value for part in parts for value in part.marks[role]] for role in parts[0].marks}
    first = parts[0]
    if first.texts is not None:
        texts = [text for part in parts for text in part.texts or ()]
        return LabelledInput(labels, texts, missing=missing, marks=marks)
    if any(not np.array_equal(np.asarray(part.terms), np.asarray(first.terms)) for part in parts):
        raise InvalidInput("the two matrices have different columns; count both in the same terms")
    rows: Any = csr_array(vstack([part.matrix for part in parts], format="csr"))
    return LabelledInput(labels, None, rows, first.terms, missing, marks)


def with_test(train: LabelledInput, test: LabelledInput) -> LabelledInput:
    """Both as one, each marked by its side."""
    sides = zip((train, test), ("train", "test"), strict=True)
    return joined_inputs(
        [replace(part, marks={**part.marks, "split": [side] * len(part.labels)}) for part, side in sides]
    )
