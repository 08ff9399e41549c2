"""Numbers at the border: what is none is an error of one line."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from termsift._typing import Array
from termsift.errors import InvalidInput


def numbers(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be numbers: {error}") from error


def finite(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats, all finite."""
    array = numbers(name, values)
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array
