"""Array type, canonical dtypes, numbers and expressions of users, and packages that can be called.

`termsift.metrics` is a package and `termsift.metrics()` its catalogue; `compare` and `report` likewise.
A function of the same name would be hidden by the import of the package, so the package is made callable.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._internal.errors import InvalidInputError

Array: TypeAlias = NDArray[Any]
# arrays named by their axes
TermClassArray: TypeAlias = Array
DocumentStepArray: TypeAlias = Array
SizeDocumentClassArray: TypeAlias = Array
ClassIndex: TypeAlias = int
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


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return name, arguments and keyword arguments of a call with literal arguments.

    >>> parse_call("PositiveNegative(50, ratio=0.8)")
    ('PositiveNegative', [50], {'ratio': 0.8})
    >>> parse_call("bns")
    ('bns', [], {})
    """
    name, bracket, arguments_text = text.strip().partition("(")
    if not bracket:
        return name, [], {}
    try:
        # the name is replaced, because it may be a keyword of Python such as `or`
        call = ast.parse(f"_({arguments_text}", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError(f"{text!r} is not a call")
        arguments = [ast.literal_eval(value) for value in call.args]
        options = {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
    # deeply nested expressions, and sets of unhashable values
    except (RecursionError, MemoryError, TypeError) as error:
        raise ValueError("arguments must be plain values such as 10 or 'max'") from error
    return name, arguments, options


def check_positive_integer(value: object, name: str = "k") -> None:
    """Check that a value is an integer of at least 1; `name` is used in the message."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidInputError(f"{name} must be a whole number, got {value!r}")
    if value < 1:
        raise InvalidInputError(f"{name} must be at least 1, got {value}")


def is_real_number(value: object) -> bool:
    """Return whether a value is a real number, not NaN, and within the range of floats."""
    try:
        return isinstance(value, int | float | np.number) and not np.isnan(float(value))
    except (OverflowError, TypeError):  # huge integers, complex numbers
        return False
