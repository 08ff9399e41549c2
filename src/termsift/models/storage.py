"""The folder of a model: a vocabulary, the selection as JSON and a pipeline, which belong together."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from termsift._internal.errors import InvalidInputError, UnreadableFileError

FORMAT = 1
VOCABULARY, SELECTION, PIPELINE = FILES = ("vocabulary.txt", "selection.json", "pipeline.skops")
VERSION, DIGESTS = "termsift.model", "digests"
LARGEST_MODEL = 1 << 31  # bytes of a file


def folder_contents(terms: list[str], selection: Mapping[str, Any], pipeline: bytes) -> dict[str, bytes]:
    """The files of a model; the selection holds the digests of all, of itself too."""
    vocabulary = "".join(f"{term}\n" for term in terms).encode("utf-8", "replace")
    what = {VERSION: FORMAT, **selection}
    digests = {
        VOCABULARY: file_digest(vocabulary),
        PIPELINE: file_digest(pipeline),
        SELECTION: selection_digest(what),
    }
    return dict(zip(FILES, (vocabulary, as_json({**what, DIGESTS: digests}), pipeline), strict=True))


def as_json(what: Mapping[str, Any]) -> bytes:
    """Values as lines of JSON."""
    return (json.dumps(what, ensure_ascii=False, indent=1, default=str) + "\n").encode("utf-8", "replace")


def file_digest(content: bytes) -> str:
    """What a file is known by."""
    return hashlib.sha256(content).hexdigest()


def selection_digest(what: Mapping[str, Any]) -> str:
    """What a selection is known by, its digests aside; the same for the values and for their JSON."""
    plain = json.loads(as_json({name: value for name, value in what.items() if name != DIGESTS}))
    return file_digest(json.dumps(plain, sort_keys=True).encode())


def read_folder(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The selection and the pipeline of a folder, which belong together; one clear line where they do not."""
    if not folder.exists():
        raise UnreadableFileError(f"there is no folder {folder}")
    if not folder.is_dir():
        raise UnreadableFileError(f"{folder} is a file; a model is a folder, as compare saves one")
    contents = {name: file_content(folder, name) for name in FILES}
    selection = selection_of(folder, contents[SELECTION])
    known = selection.get(DIGESTS)
    found = {name: file_digest(contents[name]) for name in FILES}
    found[SELECTION] = selection_digest(selection)
    for name in FILES:
        if not isinstance(known, dict) or known.get(name) != found[name]:
            raise UnreadableFileError(
                f"{folder / name} is not what was saved: its digest differs, so the model was changed or "
                "mixed with another; save it again"
            )
    return selection, contents[PIPELINE]


def file_content(folder: Path, name: str) -> bytes:
    """The bytes of a file of a model."""
    path = folder / name
    if not path.is_file():
        raise UnreadableFileError(f"{folder} holds no model: there is no {name} in it")
    try:
        if path.stat().st_size > LARGEST_MODEL:
            raise UnreadableFileError(f"{path} is larger than any model")
        return path.read_bytes()
    except OSError as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from error


def selection_of(folder: Path, content: bytes) -> dict[str, Any]:
    """What selection.json says, if this version of termsift reads it."""
    path = folder / SELECTION
    try:
        what = json.loads(content)
    # Python's reader gives up on deep nesting and on numbers of thousands of digits
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{path} is not what was saved: it is no JSON") from error
    version = what.get(VERSION) if isinstance(what, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableFileError(f"{path} is not of a model that can be loaded; save it again with compare")
    if version > FORMAT:
        raise UnreadableFileError(
            f"{folder} has format {version} and this termsift reads {FORMAT}; upgrade it"
        )
    return dict(what)


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
        raise InvalidInputError(f"{name} cannot be saved safely: skops does not know {strange[0]}")
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
