"""What is known of documents beside their labels: groups, times, weights, which are to be judged; checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.border.class_names import as_scalar
from termsift.border.times import is_numeral, ordered_times
from termsift.engines.memory.matrix import as_weights
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.groups import coded_groups
from termsift.labels import as_list

SIDES = {"train": False, "training": False, "test": True, "testing": True}


def marked(documents: Documents, marks: Mapping[str, Any]) -> Documents:
    """The documents with their groups, times, weights and sides, checked; each may be missing."""
    size = len(documents)
    parts: dict[str, Any] = {}
    if "group" in marks:
        parts["groups"] = coded_groups(marks["group"], size)[1]
    if "time" in marks:
        parts["times"] = ordered_times(one_each("times", marks["time"], size))
    if "weight" in marks:
        parts["weights"] = checked_weights(marks["weight"], size)
    if "split" in marks:
        parts["held"] = sides(one_each("splits", marks["split"], size))
    return replace(documents, **parts)


def one_each(name: str, values: Any, size: int) -> list[Any]:
    """The values, if there is one for each document."""
    found = as_list(values)
    if len(found) != size:
        raise InvalidInput(f"{size} documents but {len(found)} {name}; there must be one each")
    return found


def checked_weights(values: Any, size: int) -> Array:
    """Weights, of which some are above 0; texts of a file as the numbers that they are."""
    for i, value in enumerate(values if isinstance(values, list) else ()):
        if isinstance(value, str) and not is_numeral(value):
            raise InvalidInput(f"document {i} has the weight {value!r}; a weight is a number of at least 0")
    weights = as_weights(values, size)
    if not weights.any():
        raise InvalidInput("all weights are 0, so no document counts")
    return weights


def sides(values: Sequence[Any]) -> Array:
    """(documents,) whether each is to be judged, by the words train and test."""
    names = [str(as_scalar(value)).strip().lower() for value in values]
    strange = next((i for i, name in enumerate(names) if name not in SIDES), None)
    if strange is not None:
        raise InvalidInput(f"split must say train or test; of document {strange} it says {values[strange]!r}")
    held = np.array([SIDES[name] for name in names], dtype=bool)
    if held.all() or not held.any():
        raise InvalidInput(f"split says {names[0]} of all documents; some must be train and some test")
    return held
