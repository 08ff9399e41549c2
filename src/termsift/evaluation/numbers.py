"""Numbers at the border, and what a method lacks to the best one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from termsift._typing import Array
from termsift.errors import InvalidInput

ROUNDING = 1e-12


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


def gaps(values: Array, relative: bool) -> Array:
    """What each method lacks to the best of its problem, in the unit of the values or as a share of the best.

    values : (..., methods)

    A gap that floats alone make is none, so 0.95 is within 0.01 of 0.96.
    Where the best value is 0, only 0 has a relative gap that is finite.
    """
    best = np.broadcast_to(values.max(axis=-1, keepdims=True), values.shape)
    rounding = ROUNDING * np.maximum(np.abs(best), np.abs(values))
    with np.errstate(over="ignore"):
        short: Array = np.maximum(best - values - rounding, 0.0)
        shares: Array = np.divide(short, np.abs(best), out=np.where(short > 0, np.inf, 0.0), where=best != 0)
    return shares if relative else short


def admitted(tolerance: float) -> float:
    """The tolerance, a number of at least 0; infinity admits every method."""
    if not isinstance(tolerance, int | float | np.number) or not tolerance >= 0:
        raise InvalidInput(f"a tolerance must be a number of at least 0, got {tolerance!r}")
    return float(tolerance)
