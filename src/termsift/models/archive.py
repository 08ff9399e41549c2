"""A pipeline as bytes: skops, which runs no code when it is loaded, in a form that is the same every time."""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from typing import Any

from termsift.errors import InvalidInput

# the types of ours that a model may hold, for skops to load
OWN_TYPES = ("termsift.estimators.vectorizer.TermVectorizer", "termsift.text.analyzer.Analyzer")
SCHEMA = "schema.json"
PLACE = "__id__"


@cache
def skops_io() -> Any:
    """skops, loaded when a model is saved or read: it takes longer to import than most of us."""
    import skops.io

    return skops.io


def pipeline_bytes(pipeline: Any, name: str) -> bytes:
    """A pipeline as skops writes it; an error where it holds what skops does not know.

    name : of its classifier, for the error
    """
    content: bytes = skops_io().dumps(pipeline)
    strange = untrusted_types(content)
    if strange:
        raise InvalidInput(f"{name} cannot be saved safely: skops does not know {strange[0]}")
    return settled_archive(content)


def untrusted_types(content: bytes) -> list[str]:
    """The types that an archive of skops holds and that neither it nor we know."""
    return sorted(set(skops_io().get_untrusted_types(data=content)) - set(OWN_TYPES))


def pipeline_of(content: bytes) -> Any:
    """The pipeline that an archive of known types holds."""
    return skops_io().loads(content, trusted=list(OWN_TYPES))


def settled_archive(content: bytes) -> bytes:
    """The archive with values numbered in their order, not by their place in memory, and without a date."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(files.pop(SCHEMA))
    numbers: dict[int, int] = {}
    number_values(schema, numbers)
    renamed = {
        f"{old}.{end}": f"{new}.{end}" for old, new in numbers.items() for end in ("npy", "npz", "bin")
    }
    name_files(schema, renamed)
    files = {renamed.get(name, name): own for name, own in files.items()}
    files[SCHEMA] = json.dumps(schema, indent=2).encode()
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 6)
    return held.getvalue()


def number_values(node: Any, numbers: dict[int, int]) -> None:
    """Number the values of a schema in the order in which they come."""
    if isinstance(node, dict) and isinstance(node.get(PLACE), int):
        node[PLACE] = numbers.setdefault(node[PLACE], len(numbers))
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        number_values(inner, numbers)


def name_files(node: Any, renamed: dict[str, str]) -> None:
    """Name the files of a schema by the numbers of their values."""
    if isinstance(node, dict) and isinstance(node.get("file"), str):
        node["file"] = renamed.get(node["file"], node["file"])
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        name_files(inner, renamed)
