"""Spark DataFrames: whether their columns can be counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from termsift.errors import InvalidInput, UnknownName, near_miss

# what a label may be, by the name of its type in Spark; it travels as the second type
LABELS = {
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint", pa.int64())),
    **dict.fromkeys(("float", "double"), ("double", pa.float64())),
}
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """A DataFrame of the columns text, label and perhaps weight.

    spark_type, class_type : the type of a label, Spark's and Arrow's
    several : whether labels are arrays
    """

    frame: Any
    spark_type: str
    class_type: Any
    several: bool


def document_columns(frame: Any, text: str, label: str, weight: str | None) -> DocumentColumns:
    """The columns that are counted, if they are there and of types that can be."""
    types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    for name in (text, label, *([] if weight is None else [weight])):
        check_column(name, frame.columns)
    if types[text] != "string":
        raise InvalidInput(f"column {text!r} is of type {types[text]}; texts must be of type string")
    several = types[label].startswith("array<")
    kind = types[label].removeprefix("array<").removesuffix(">") if several else types[label]
    if kind not in LABELS:
        known = "strings, whole numbers, floats, booleans or dates, or arrays of these"
        raise InvalidInput(f"column {label!r} is of type {types[label]}; labels must be {known}")
    spark_type, class_type = LABELS[kind]
    wanted = {"text": (text, "string"), "label": (label, f"array<{spark_type}>" if several else spark_type)}
    if weight is not None:
        if not types[weight].startswith(NUMBERS):
            raise InvalidInput(f"column {weight!r} is of type {types[weight]}; weights must be numbers")
        wanted["weight"] = (weight, "double")
    columns = [f"CAST({quoted(name)} AS {kind}) AS {alias}" for alias, (name, kind) in wanted.items()]
    return DocumentColumns(frame.selectExpr(*columns), spark_type, class_type, several)


def check_column(name: str, columns: list[str]) -> None:
    """An error with the near miss unless the frame has the column, once."""
    if columns.count(name) > 1:
        raise InvalidInput(f"the frame has {columns.count(name)} columns named {name!r}; rename all but one")
    if name not in columns:
        near = near_miss(name, columns)
        hint = "" if near is None else f"did you mean {near!r}? "
        raise UnknownName(f"column {name!r} is not in the frame; {hint}it has: {', '.join(columns)}")


def quoted(name: str) -> str:
    """A column's name as Spark's SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
