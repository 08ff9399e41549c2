"""What the JSON of a selection holds, checked: it is data, and nothing in it is run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from termsift._typing import LARGEST, Array, as_terms, exact
from termsift.errors import InvalidInput, UnreadableFile
from termsift.tables import Table

FORMAT = 1


def read_selection(source: str | os.PathLike[str]) -> tuple[Any, ...]:
    """What a text or a file says of a selection: its name, rows, indices, metric, policy and analyzer."""
    name, text = json_text(source)
    try:
        what = json.loads(text)
    # Python's reader gives up on deep nesting and on numbers of thousands of digits
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{name} is not a selection that termsift wrote: it is no JSON") from error
    version = what.get("termsift.selection") if isinstance(what, dict) else None
    if not (isinstance(version, int) and version >= 1):
        raise UnreadableFile(f"{name} is not a selection that termsift wrote")
    if version > FORMAT:
        raise UnreadableFile(f"{name} has format {version} and this termsift reads {FORMAT}; upgrade it")
    try:
        return name, *selection_fields(what)
    except InvalidInput as error:
        raise UnreadableFile(f"{name} is not a selection that termsift wrote: {error}") from error


def json_text(source: str | os.PathLike[str]) -> tuple[str, str]:
    """What the text is called, and the text: as it is given, or of a file."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "the text", source
    try:
        # a text that is no JSON may be too long to be a path
        if not os.path.isfile(source):
            raise UnreadableFile(f"there is no file {source}")
        return str(source), Path(source).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{source} is not a selection that termsift wrote: it is no UTF-8") from error


def selection_fields(what: dict[str, Any]) -> tuple[Any, ...]:
    """Rows, indices, and as texts the metric, the policy and the analyzer."""
    size = len(values_of(what, "term", is_text))
    columns: dict[str, Array] = {"rank": np.arange(1, size + 1), "term": as_terms(what["term"])}
    columns["df"] = exact(np.array(values_of(what, "df", is_count, size), dtype=np.float64))
    if "class" in what:
        columns["class"] = as_terms(values_of(what, "class", is_scalar, size))
    columns["score"] = np.array(values_of(what, "score", is_score, size), dtype=np.float64)
    indices = np.array(values_of(what, "index", is_place, size), dtype=np.intp)
    if len(set(what["term"])) < size or len(set(what["index"])) < size:
        raise InvalidInput("a term is chosen twice")
    metric, policy = (text_of(what, name) for name in ("metric", "policy"))
    analyzer = None if what.get("analyzer", "") is None else text_of(what, "analyzer")
    return Table(columns), indices, metric, policy, analyzer


def values_of(
    what: dict[str, Any], name: str, fits: Callable[[Any], bool], size: int | None = None
) -> list[Any]:
    """A list of the JSON, as long as all others, whose values are all as they should be."""
    values = what.get(name)
    if not isinstance(values, list) or (size is not None and len(values) != size):
        raise InvalidInput(f"{name!r} is no list of a value for each term")
    strange = [value for value in values if not fits(value)]
    if strange:
        raise InvalidInput(f"{name!r} holds {str(strange[0])[:100]!r}")
    return values


def text_of(what: dict[str, Any], name: str) -> str:
    """A text of the JSON."""
    value = what.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name!r} is no text")
    return value


def is_text(value: object) -> bool:
    """Whether a value of JSON is a text."""
    return isinstance(value, str)


def is_scalar(value: object) -> bool:
    """Whether a value of JSON is one that a class can be called."""
    return isinstance(value, str | int | float)


def is_whole(value: object) -> bool:
    """Whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_score(value: object) -> bool:
    """Whether a value of JSON is a number that a float can be; a metric of one's own may say infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= LARGEST if isinstance(value, int) else value == value


def is_count(value: object) -> bool:
    """Whether a value of JSON is a number of documents, or a sum of weights."""
    return is_score(value) and 0 <= value <= LARGEST  # type: ignore[operator]


def is_place(value: object) -> bool:
    """Whether a value of JSON is the index of a term."""
    return is_whole(value) and is_count(value)
