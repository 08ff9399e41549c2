"""Texts, labels and groups of data frames: in memory, lazy ones of Polars, and Hugging Face datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift.counts import as_list, is_missing, to_narwhals
from termsift.engines.texts import is_token_list

TEXT_SEPARATOR = "\n"  # between the texts of several columns
# module and name of the classes of frames that are not in memory yet
LAZY_FRAME = ("polars.lazyframe.frame", "LazyFrame")
DATASET = ("datasets.arrow_dataset", "Dataset")
DATASET_DICTS = (("datasets.dataset_dict", "DatasetDict"), ("datasets.dataset_dict", "IterableDatasetDict"))
ITERABLE_DATASET = ("datasets.iterable_dataset", "IterableDataset")


def is_instance_by_name(data: Any, *classes: tuple[str, str]) -> bool:
    """Check whether the data is an instance of one of the classes, without importing their modules."""
    return any((base.__module__, base.__name__) in classes for base in type(data).__mro__)


def is_unloaded_frame(data: Any) -> bool:
    """Check whether the data is a frame outside memory; its columns are text and label by default."""
    return is_instance_by_name(data, LAZY_FRAME, DATASET, ITERABLE_DATASET, *DATASET_DICTS)


def load_columns(data: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """Return columns of a frame as lists, with class labels of Hugging Face datasets by name."""
    if is_instance_by_name(data, ITERABLE_DATASET):
        message = "an IterableDataset cannot be counted; load the dataset without streaming=True"
        raise InvalidInputError(message)
    if is_instance_by_name(data, *DATASET_DICTS):
        raise InvalidInputError(
            f"the dataset has the splits {', '.join(map(repr, data))}; choose one, such as data['train']"
        )
    frame = None if is_unloaded_frame(data) else to_narwhals(data)
    if frame is not None:
        columns = frame.columns
    elif is_instance_by_name(data, DATASET):
        columns = list(data.column_names)
    else:
        columns = list(data.collect_schema().names())
    for name in names:
        if name not in columns:
            raise unknown_name_error("column", name, columns)
    if is_instance_by_name(data, LAZY_FRAME):
        frame = to_narwhals(data.select(list(names)).collect())
    if frame is not None:
        return {name: as_list(frame[name]) for name in names}
    table = data.select_columns(list(names)).with_format("arrow")[:]
    return {name: decode_class_labels(table.column(name).to_pylist(), data.features[name]) for name in names}


def decode_class_labels(values: list[Any], feature: Any) -> list[Any]:
    """Replace class numbers of a Hugging Face feature, or lists of them, by names; -1 means missing."""
    feature = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    names = getattr(feature, "names", None)
    if names is None:
        return values

    def decode(value: Any) -> Any:
        if isinstance(value, list):
            return [decode(item) for item in value]
        return None if value is None or value < 0 else names[value]

    return [decode(value) for value in values]


def load_frame_documents(
    frame: Any, text: Any, label: Any, group: Any, labels: Any, groups: Any
) -> tuple[list[Any], Any, Any]:
    """Return the texts, labels and groups of a data frame; texts of several columns are joined."""
    if is_unloaded_frame(frame):
        text, label = "text" if text is None else text, "label" if (label, labels) == (None, None) else label
    if text is None:
        raise InvalidInputError("text= is missing: name the text column")
    text_columns = text if isinstance(text, list | tuple) else [text]
    roles = {f"text {i}" if i > 1 else "text": name for i, name in enumerate(text_columns, 1)}
    roles |= {role: name for role, name in (("label", label), ("group", group)) if name is not None}
    check_distinct_columns(roles)
    if label is not None and labels is not None:
        raise InvalidInputError("labels are given twice; pass either labels or the column name label=")
    if group is not None and groups is not None:
        raise InvalidInputError("groups are given twice; pass either groups= or the column name group=")
    columns = load_columns(frame, list(roles.values()))
    texts = [columns[name] for name in text_columns]
    for name, column in zip(text_columns, texts, strict=True):
        if len(texts) > 1 and any(map(is_token_list, column)):
            message = f"column {name!r} has lists of tokens, which cannot be joined; name it alone"
            raise InvalidInputError(message)
    joined = texts[0] if len(texts) == 1 else [join_texts(row) for row in zip(*texts, strict=True)]
    for role, values in (("text", joined), ("label", columns.get(label, []))):
        row = next((i for i, value in enumerate(values, 1) if is_missing(value)), None)
        if row is not None:
            raise InvalidInputError(
                f"row {row} of the data frame has no {role}; fix it, or skip such rows: on_missing='skip'"
            )
    return joined, labels if label is None else columns[label], groups if group is None else columns[group]


def check_distinct_columns(roles: Mapping[str, Any]) -> None:
    """Check that no column has two roles."""
    for role, other_role in combinations(roles, 2):
        if roles[role] == roles[other_role]:
            message = f"{role} and {other_role} are both column {roles[role]!r}; name two columns"
            raise InvalidInputError(message)


def drop_incomplete_rows(frame: Any, text: Any, label: Any, group: Any) -> tuple[Any, int]:
    """Return a data frame without the rows that lack the text, label or group, and their number."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    columns = load_columns(frame, [*texts, *(name for name in (label, group) if name is not None)])
    values = [[join_texts(row) for row in zip(*(columns[name] for name in texts), strict=True)]]
    values += [columns[name] for name in (label, group) if name is not None]
    rows = [i for i, row in enumerate(zip(*values, strict=True)) if not any(map(is_missing, row))]
    n_dropped = len(values[0]) - len(rows)
    if not n_dropped:
        return frame, 0
    if is_instance_by_name(frame, DATASET):
        return frame.select(rows), n_dropped
    frame = to_narwhals(frame.collect() if is_instance_by_name(frame, LAZY_FRAME) else frame)
    return frame[rows].to_native(), n_dropped


def split_labels(field: Any, label_separator: str) -> Any:
    """Split a field into its labels."""
    if not isinstance(field, str):
        return field
    return [label for label in map(str.strip, field.split(label_separator)) if label]


def join_texts(texts: Sequence[Any]) -> Any:
    """Join the texts that are not missing; return a value that is not a text for validation to report."""
    present = [text for text in texts if not is_missing(text)]
    for text in present:
        if not isinstance(text, str):
            return text
    return TEXT_SEPARATOR.join(present) if present else None
