"""The folder of a model: a vocabulary, the selection as JSON and a pipeline, which belong together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from termsift.errors import UnreadableFile

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
        raise UnreadableFile(f"there is no folder {folder}")
    if not folder.is_dir():
        raise UnreadableFile(f"{folder} is a file; a model is a folder, as compare saves one")
    contents = {name: file_content(folder, name) for name in FILES}
    selection = selection_of(folder, contents[SELECTION])
    known = selection.get(DIGESTS)
    found = {name: file_digest(contents[name]) for name in FILES}
    found[SELECTION] = selection_digest(selection)
    for name in FILES:
        if not isinstance(known, dict) or known.get(name) != found[name]:
            raise UnreadableFile(
                f"{folder / name} is not what was saved: its digest differs, so the model was changed or "
                "mixed with another; save it again"
            )
    return selection, contents[PIPELINE]


def file_content(folder: Path, name: str) -> bytes:
    """The bytes of a file of a model."""
    path = folder / name
    if not path.is_file():
        raise UnreadableFile(f"{folder} holds no model: there is no {name} in it")
    try:
        if path.stat().st_size > LARGEST_MODEL:
            raise UnreadableFile(f"{path} is larger than any model")
        return path.read_bytes()
    except OSError as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error


def selection_of(folder: Path, content: bytes) -> dict[str, Any]:
    """What selection.json says, if this version of termsift reads it."""
    path = folder / SELECTION
    try:
        what = json.loads(content)
    # Python's reader gives up on deep nesting and on numbers of thousands of digits
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path} is not what was saved: it is no JSON") from error
    version = what.get(VERSION) if isinstance(what, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableFile(f"{path} is not of a model that can be loaded; save it again with compare")
    if version > FORMAT:
        raise UnreadableFile(f"{folder} has format {version} and this termsift reads {FORMAT}; upgrade it")
    return dict(what)
