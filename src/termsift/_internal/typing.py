"""Array type, canonical dtypes, and packages that can be called.

`termsift.metrics` is a package and `termsift.metrics()` its catalogue; `compare` and `report` likewise.
A function of the same name would be hidden by the import of the package, so the package is made callable.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
# Range of counts, weights and their sums: integers up to MAX_EXACT are exact as float64, and formulas of
# values within the range neither overflow nor underflow.
MIN_POSITIVE, MAX_EXACT = 2.0**-53, 2.0**53


def as_term_array(names: Iterable[object]) -> Array:
    """Return names as an object array, because string arrays of NumPy drop trailing zero bytes."""
    names = list(names)
    terms = np.empty(len(names), dtype=object)
    terms[:] = names
    return terms


def to_exact_dtype(values: Array) -> Array:
    """Return values as int64 if all are integers below 2**53, else as float64."""
    is_integer = values.dtype.kind in "iub"
    if (values if is_integer else np.abs(values)).max(initial=0) >= MAX_EXACT:
        return values.astype(np.float64, copy=False)
    if is_integer:
        return values.astype(np.int64, copy=False)
    truncated = values.astype(np.int64)
    return truncated if np.array_equal(truncated, values) else values.astype(np.float64, copy=False)


def to_exact_number(value: float) -> float:
    """Return an int if the value is integral and below 2**53, else a float."""
    number: float = to_exact_dtype(np.array([value]))[0].item()
    return number


def make_callable(package: str, function: Callable[..., Any]) -> None:
    """Make a package, given by its `__name__`, callable as a function."""
    members = {"__call__": staticmethod(function)}
    sys.modules[package].__class__ = type("CallableModule", (ModuleType,), members)


class StrataTest(Protocol):
    """Test of stratified scores, whose p-values follow from the scores alone."""

    @property
    def p(self) -> Callable[[Array], Array] | None:
        """Function from scores to p-values, or None if they are unknown."""
