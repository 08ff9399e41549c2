"""Which columns of a Spark DataFrame are texts, labels, weights and groups, and of which types."""

from __future__ import annotations

from collections.abc import Container
from itertools import combinations
from typing import Any

import pyarrow as pa

from termsift.errors import InvalidInput, unknown_column

# what a label may be, by the name of its type in Spark; it travels as the second type
LABELS = {
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint", pa.int64())),
    **dict.fromkeys(("float", "double"), ("double", pa.float64())),
}
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def document_columns(
    frame: Any, text: Any, label: str, weight: str | None, group: str | None
) -> tuple[Any, str, bool]:
    """A DataFrame of text, label and perhaps weight and group, a label's type, whether labels are arrays."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    named = {"text" if i == 1 else f"text {i}": name for i, name in enumerate(texts, 1)}
    named |= {role: name for role, name in (("label", label), ("group", group)) if name not in (None, "")}
    types = column_types(frame, [*named.values(), *([] if weight is None else [weight])])
    for one, other in combinations(named, 2):
        if named[one] == named[other]:
            raise InvalidInput(f"{one} and {other} are both column {named[one]!r}; name two")
    for name in texts:
        check_type(name, types, ["string"], "texts must be of type string")
    several = label != "" and types[label].startswith("array<")
    kind = types[label].removeprefix("array<").removesuffix(">") if label != "" else "bigint"
    if kind not in LABELS:
        known = "strings, whole numbers, floats, booleans or dates, or arrays of these"
        raise InvalidInput(f"column {label!r} is of type {types[label]}; labels must be {known}")
    if weight is not None and not types[weight].startswith(NUMBERS):
        raise InvalidInput(f"column {weight!r} is of type {types[weight]}; weights must be numbers")
    if group is not None:
        check_type(group, types, LABELS, "groups must be strings, whole numbers, floats, booleans or dates")
    class_type = LABELS[kind][0]
    # without a label all documents are of one class
    own_label = quoted(label) if label != "" else "0"
    wanted = [("text", joined_columns(texts), "string")]
    wanted += [("label", own_label, f"array<{class_type}>" if several else class_type)]
    wanted += [] if weight is None else [("weight", quoted(weight), "double")]
    wanted += [] if group is None else [("group", quoted(group), LABELS[types[group]][0])]
    return (
        frame.selectExpr(*(f"CAST({value} AS {cast}) AS {role}" for role, value, cast in wanted)),
        kind,
        several,
    )


def column_types(frame: Any, names: list[Any]) -> dict[str, str]:
    """The types of a frame's columns, if all of some names are there, and once."""
    for name in names:
        if frame.columns.count(name) > 1:
            times = frame.columns.count(name)
            raise InvalidInput(f"the frame has {times} columns named {name!r}; rename all but one")
        if name not in frame.columns:
            raise unknown_column(str(name), frame.columns, "the frame")
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def check_type(name: str, types: dict[str, str], known: Container[str], rule: str) -> None:
    """An error for a column of another type."""
    if types[name] not in known:
        raise InvalidInput(f"column {name!r} is of type {types[name]}; {rule}")


def joined_columns(texts: list[str]) -> str:
    """The texts of several columns in SQL, parted by line breaks; missing where all of them are."""
    if len(texts) == 1:
        return quoted(texts[0])
    names = ", ".join(map(quoted, texts))
    return f"IF(COALESCE({names}) IS NULL, NULL, CONCAT_WS('\\n', {names}))"


def quoted(name: str) -> str:
    """A column's name as Spark's SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
