from __future__ import annotations

import ast
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError


def call_parts(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name, the arguments and the options of a call of plain values; of a name alone there are none.

    >>> call_parts("PositiveNegative(50, ratio=0.8)")
    ('PositiveNegative', [50], {'ratio': 0.8})
    """
    name, bracket, inside = text.strip().partition("(")
    if not bracket:
        return name, [], {}
    try:
        # a name such as `or` is a word of Python's own, so it is kept out of what Python parses
        call = ast.parse(f"_({inside}", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError(f"{text!r} is not a call")
        arguments = [ast.literal_eval(value) for value in call.args]
        options = {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
    # what is nested too deeply, and sets of what cannot be hashed
    except (RecursionError, MemoryError, TypeError) as error:
        raise ValueError("it is not a call of plain values") from error
    return name, arguments, options


def check_k(k: object, name: str = "k") -> None:
    """An error unless k, or what else is so named, is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise InvalidInputError(f"{name} must be a whole number, got {k!r}")
    if k < 1:
        raise InvalidInputError(f"{name} must be at least 1, got {k}")


def is_number(value: object) -> bool:
    """Whether a value is a number, not NaN, and not longer than floats are."""
    try:
        return isinstance(value, int | float | np.number) and not np.isnan(float(value))
    except (OverflowError, TypeError):  # of whole numbers of hundreds of digits, of complex ones
        return False
