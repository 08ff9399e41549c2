"""Parsing of call expressions such as `TopK(100)`, and checks of numbers."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError


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
        raise ValueError("it is not a call of plain values") from error
    return name, arguments, options


def check_positive_integer(value: object, name: str = "k") -> None:
    """Check that a value is an integer of at least 1; `name` is used in the message."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidInputError(f"{name} must be a whole number, got {value!r}")
    if value < 1:
        raise InvalidInputError(f"{name} must be at least 1, got {value}")


def is_number(value: object) -> bool:
    """Return whether a value is a real number, not NaN, and within the range of floats."""
    try:
        return isinstance(value, int | float | np.number) and not np.isnan(float(value))
    except (OverflowError, TypeError):  # huge integers, complex numbers
        return False
