"""What all rooms share: the type of arrays and their two forms, and packages that can be called.

`termsift.metrics` is a package, and `termsift.metrics()` its catalogue; `compare` and `report` likewise.
An import of such a package would hide a function of its name, so `make_callable` lets the package be called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
# what a count or a weight above 0 may be, and the sums of documents and occurrences: whole numbers are exact
# there, and no formula leaves the range of floats
SMALLEST, LARGEST = 2.0**-53, 2.0**53


def as_terms(names: Iterable[object]) -> Array:
    """Names as an array of str. NumPy's own string arrays drop trailing zero bytes, so this is of objects."""
    names = list(names)
    terms = np.empty(len(names), dtype=object)
    terms[:] = names
    return terms


def exact(values: Array) -> Array:
    """The values as int64 where all are whole and below 2**53, else as float64: one value, one form."""
    whole = values.dtype.kind in "iub"
    if (values if whole else np.abs(values)).max(initial=0) >= LARGEST:
        return values.astype(np.float64, copy=False)
    if whole:
        return values.astype(np.int64, copy=False)
    cut = values.astype(np.int64)
    return cut if np.array_equal(cut, values) else values.astype(np.float64, copy=False)


def exact_number(value: float) -> float:
    """A number as an int where it is whole, else as a float."""
    number: float = exact(np.array([value]))[0].item()
    return number


def make_callable(package: str, function: Callable[..., Any]) -> None:
    """Let a package, by its `__name__`, be called as a function: Python lets a module's class be assigned."""
    called = {"__call__": staticmethod(function)}
    sys.modules[package].__class__ = type("CallableModule", (ModuleType,), called)


class Within(Protocol):
    """What scores within strata come from: sign and p-value follow from a score, not from all cells."""

    @property
    def p(self) -> Callable[[Array], Array] | None:
        """The p-values of scores, where they are known."""
