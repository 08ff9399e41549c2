"""Times as strangers write them: dates, moments, ISO 8601, numbers; as numbers that can be ordered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.border.class_names import as_scalar, is_missing
from termsift.errors import InvalidInput

RIGHT = "give numbers, or dates as 2026-11-17 or 2026-11-17T09:30"


def ordered_times(values: Sequence[Any]) -> Array:
    """(documents,) numbers from 0 that order the times, equal for equal ones.

    >>> ordered_times(["2026-01-02", "2025-12-31T23:00", "2026-01-02"])
    array([1, 0, 1])
    >>> ordered_times(["1999", "2001", "2000"])
    array([0, 2, 1])
    """
    found = [as_scalar(value) for value in values]
    for i, value in enumerate(found):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            raise InvalidInput(f"document {i} has no time; drop it or give it one")
    texts = [value for value in found if isinstance(value, str)]
    if texts and len(texts) == len(found) and all(map(is_numeral, texts)):
        moments: list[Any] = [float(text) for text in texts]
    else:
        moments = [moment(i, value) for i, value in enumerate(found)]
    check_one_kind(moments, found)
    keys = sorted(set(moments))
    place = {key: n for n, key in enumerate(keys)}
    return np.array([place[key] for key in moments], dtype=np.intp)


def is_numeral(text: str) -> bool:
    """Whether a text is a number."""
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def moment(i: int, value: Any) -> float | datetime:
    """A time as a number, or as a moment; in no zone if it says none."""
    if isinstance(value, bool):
        raise InvalidInput(f"the times cannot be ordered: document {i} has {value!r}; {RIGHT}")
    if isinstance(value, int) or (isinstance(value, float) and np.isfinite(value)):
        return value
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return moment(i, datetime.fromisoformat(value.strip()))
    except (ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"the times cannot be ordered: document {i} has {value!r}; {RIGHT}") from error


def check_one_kind(moments: list[Any], values: Sequence[Any]) -> None:
    """An error where some are numbers and others moments, or some have a zone and others none."""
    kinds = [one.tzinfo is None if isinstance(one, datetime) else "number" for one in moments]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is None:
        return
    why = "one has a zone and the other none" if "number" not in (kinds[0], kinds[other]) else "use one kind"
    raise InvalidInput(
        f"the times cannot be ordered: document 0 has {values[0]!r}, "
        f"document {other} has {values[other]!r}; {why}"
    )
