"""The documents of a data frame: of pandas, polars, lazy or not, Arrow, and of Hugging Face's datasets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from termsift.border.class_names import is_missing
from termsift.errors import InvalidInput, unknown
from termsift.labels import any_frame, as_list

BETWEEN = "\n"  # the texts of several columns
# frames that are not in memory yet: the module that a class is of, its name
LAZY = ("polars.lazyframe.frame", "LazyFrame")
DATASET = ("datasets.arrow_dataset", "Dataset")
OTHERS = (("datasets.dataset_dict", "DatasetDict"), ("datasets.dataset_dict", "IterableDatasetDict"))
STREAM = ("datasets.iterable_dataset", "IterableDataset")


def is_one_of(data: Any, *kinds: tuple[str, str]) -> bool:
    """Whether the data is of such a class; no library is imported to see it."""
    return any((kind.__module__, kind.__name__) in kinds for kind in type(data).__mro__)


def is_unread(data: Any) -> bool:
    """Whether the data is a frame that must be read first; its columns have the usual names if no others."""
    return is_one_of(data, LAZY, DATASET, STREAM, *OTHERS)


def columns_read(data: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """Some columns of a frame, each as a list; labels of Hugging Face's datasets by their names."""
    if is_one_of(data, STREAM):
        raise InvalidInput("an IterableDataset is a stream; load it without streaming=True")
    if is_one_of(data, *OTHERS):
        raise InvalidInput(f"this has the splits {', '.join(map(repr, data))}; give one, as data['train']")
    frame = None if is_unread(data) else any_frame(data)
    known = known_columns(data) if frame is None else frame.columns
    for name in names:
        if name not in known:
            raise unknown("column", name, known)
    if is_one_of(data, LAZY):
        frame = any_frame(data.select(list(names)).collect())
    if frame is not None:
        return {name: as_list(frame[name]) for name in names}
    table = data.select_columns(list(names)).with_format("arrow")[:]
    return {name: named_labels(table.column(name).to_pylist(), data.features[name]) for name in names}


def known_columns(data: Any) -> list[Any]:
    """The names of the columns of a frame that is not in memory yet."""
    return list(data.column_names) if is_one_of(data, DATASET) else list(data.collect_schema().names())


def named_labels(values: list[Any], feature: Any) -> list[Any]:
    """Values of a column, or lists of them, by the names of the classes where it has such; -1 is none."""
    own = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    names = getattr(own, "names", None)
    if names is None:
        return values

    def named(value: Any) -> Any:
        if isinstance(value, list):
            return [named(one) for one in value]
        return None if value is None or value < 0 else names[value]

    return [named(value) for value in values]


def frame_documents(
    frame: Any, text: Any, label: Any, group: Any, labels: Any, groups: Any
) -> tuple[list[Any], Any, Any]:
    """The texts, labels and groups of a data frame; the texts of several columns are joined."""
    if is_unread(frame):
        text, label = "text" if text is None else text, "label" if (label, labels) == (None, None) else label
    if text is None:
        raise InvalidInput("text= is missing: name the column that holds the texts")
    several = isinstance(text, list | tuple)
    named = {f"text {i}" if i > 1 else "text": name for i, name in enumerate(text if several else [text], 1)}
    named |= {role: name for role, name in (("label", label), ("group", group)) if name is not None}
    for one, other in combinations(named, 2):
        if named[one] == named[other]:
            raise InvalidInput(f"{one} and {other} are both column {named[one]!r}; name two")
    if label is not None and labels is not None:
        raise InvalidInput("labels are given twice: by themselves, and by label=, the name of a column")
    if group is not None and groups is not None:
        raise InvalidInput("groups are given twice: by themselves, and by group=, the name of a column")
    columns = columns_read(frame, list(named.values()))
    texts = joined_columns([columns[name] for role, name in named.items() if role.startswith("text")])
    labels = labels if label is None else columns[label]
    return texts, labels, groups if group is None else columns[group]


def joined_columns(columns: list[list[Any]]) -> list[Any]:
    """The texts of several columns as one; missing where all of them are."""
    if len(columns) == 1:
        return columns[0]
    return [joined_parts(parts) for parts in zip(*columns, strict=True)]


def joined_parts(parts: Sequence[Any]) -> Any:
    """Texts as one, those that are missing left out; what is no text as it is, to be told of."""
    there = [part for part in parts if not is_missing(part)]
    strange = next((part for part in there if not isinstance(part, str)), None)
    if strange is not None:
        return strange
    return BETWEEN.join(there) if there else None
