"""The labels of a document, one by one, and the names of classes: of one kind, distinct, in order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from termsift.errors import InvalidInput, listed, unknown


def sorted_classes(names: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct class names in order. Names of mixed kinds, or of a kind without order, are an error.

    >>> sorted_classes(["spam", "ham", "spam"])
    ('ham', 'spam')
    """
    try:
        return of_one_type(ordered_kind(names))
    # what cannot be hashed or compared, and numbers too large for a float
    except (TypeError, ArithmeticError) as error:
        what = "class names must have an order, as texts, numbers and dates do"
        raise InvalidInput(f"{what}: {error}") from error


def ordered_kind(names: Iterable[Any]) -> list[Any]:
    """The distinct names in order, if they are of one kind."""
    # by kind first: to a set, True and 1 are one name
    by_kind: dict[str, set[Any]] = {}
    for name in names:
        by_kind.setdefault(kind_of_name(name), set()).add(name)
    if len(by_kind) > 1:
        kinds = sorted(by_kind)
        examples = listed(min(by_kind[kind]) for kind in kinds)
        raise InvalidInput(
            f"class names are of mixed types ({' and '.join(kinds)}), such as {examples}; use one type"
        )
    return sorted(*by_kind.values() or [()])


def of_one_type(ordered: list[Any]) -> tuple[Any, ...]:
    """The names as a column of a file has them: with a fraction among them, all numbers are fractions."""
    if not any(isinstance(name, float) for name in ordered):
        return tuple(ordered)
    for name in ordered:
        if float(name) != name:
            raise InvalidInput(f"the class name {name!r} is no fraction, and others are; use one type")
    return tuple(map(float, ordered))


def kind_of_name(name: object) -> str:
    """The kind of a name: whole numbers and fractions are one, truth is another."""
    if isinstance(name, bool):
        return "bool"
    return "number" if isinstance(name, int | float) else type(name).__name__


def is_many(value: object) -> bool:
    """Whether a document's label is a collection of labels."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, list | tuple | set | frozenset)


def as_scalar(value: Any) -> Any:
    """NumPy scalars as Python's own."""
    if value is np.ma.masked:
        return None
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return value.item() if is_scalar else value


def is_missing(value: object) -> bool:
    """None, NaN, NaT or pandas' NA: what is not itself, or says so by its name."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Number) and value != value


def class_place(classes: Sequence[Any], name: object) -> int:
    """The place of a class among some, by its name, or by what that is written as.

    >>> class_place([3, 7], "7")
    1
    """
    if isinstance(name, Hashable) and name in classes:
        return classes.index(name)
    written = [str(known) for known in classes]
    if written.count(str(name)) == 1:
        return written.index(str(name))
    raise unknown("class", name, classes)
