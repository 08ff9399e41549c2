"""Files of a saved model: vocabulary, selection as JSON, scikit-learn pipeline as a skops archive."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError, UnreadableFileError, format_one_line

FORMAT = 1
MODEL_FILES = ("vocabulary.txt", "selection.json", "pipeline.skops")
VOCABULARY_FILE, SELECTION_FILE, PIPELINE_FILE = MODEL_FILES
VERSION_KEY, DIGESTS_KEY = "termsift.model", "digests"
MAX_FILE_BYTES = 1 << 31
# types of termsift that a pipeline may contain; skops loads them by these paths
TRUSTED_TYPES = ("termsift.estimators.vectorizer.TermVectorizer", "termsift.text.analyzer.Analyzer")
# errors that skops raises for a damaged archive, and for an archive of a newer skops or with missing classes
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError)
CONTENT_ERRORS = (RuntimeError, ValueError, TypeError, KeyError, AttributeError, ImportError)


def build_model_files(terms: list[str], selection: Mapping[str, Any], pipeline: bytes) -> dict[str, bytes]:
    """Return the contents of the files of a model by file name.

    Parameters
    ----------
    terms : vocabulary, in the order of the columns
    selection : values for selection.json, without format number and digests
    pipeline : archive, as returned by `serialize_pipeline`

    """
    vocabulary = "".join(f"{term}\n" for term in terms).encode("utf-8", "replace")
    values = {VERSION_KEY: FORMAT, **selection}
    digests = {VOCABULARY_FILE: file_digest(vocabulary), PIPELINE_FILE: file_digest(pipeline)}
    digests[SELECTION_FILE] = selection_digest(values)
    contents = vocabulary, encode_json({**values, DIGESTS_KEY: digests}), pipeline
    return dict(zip(MODEL_FILES, contents, strict=True))


def encode_json(values: Mapping[str, Any]) -> bytes:
    """Encode values as indented JSON."""
    return (json.dumps(values, ensure_ascii=False, indent=1, default=str) + "\n").encode("utf-8", "replace")


def file_digest(content: bytes) -> str:
    """Return the SHA-256 digest of a file's content."""
    return hashlib.sha256(content).hexdigest()


def selection_digest(selection: Mapping[str, Any]) -> str:
    """Return the digest of a selection without its digests; the same before and after a JSON round trip."""
    values = json.loads(encode_json({k: v for k, v in selection.items() if k != DIGESTS_KEY}))
    return file_digest(json.dumps(values, sort_keys=True).encode())


def load_model_files(folder: Path) -> tuple[dict[str, Any], Pipeline]:
    """Load and validate the selection and the pipeline of a model.

    Raises
    ------
    UnreadableFileError : a file is missing, damaged, from another model or from a newer termsift

    """
    if not folder.exists():
        raise UnreadableFileError(f"there is no folder {folder}")
    if not folder.is_dir():
        raise UnreadableFileError(f"{folder} is a file; expected a folder written by compare")
    contents = {name: load_file(folder, name) for name in MODEL_FILES}
    selection = parse_selection(folder, contents[SELECTION_FILE])
    digests = {name: file_digest(content) for name, content in contents.items()}
    # selection.json contains the digests, so its own digest is that of its other values
    digests[SELECTION_FILE] = selection_digest(selection)
    saved_digests = selection.get(DIGESTS_KEY)
    for name, digest in digests.items():
        if not isinstance(saved_digests, dict) or saved_digests.get(name) != digest:
            raise UnreadableFileError(
                f"{folder / name} was changed after saving or belongs to another model (its digest differs); "
                "save the model again"
            )
    return selection, load_pipeline(folder / PIPELINE_FILE, contents[PIPELINE_FILE])


def load_file(folder: Path, name: str) -> bytes:
    """Return the content of a file of a model."""
    path = folder / name
    if not path.is_file():
        raise UnreadableFileError(f"{folder} contains no model: {name} is missing")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from error
    if size > MAX_FILE_BYTES:
        raise UnreadableFileError(f"{path} has {size:,} bytes; the maximum is {MAX_FILE_BYTES:,}")
    return content


def parse_selection(folder: Path, content: bytes) -> dict[str, Any]:
    """Parse selection.json and check its format number."""
    path = folder / SELECTION_FILE
    try:
        selection = json.loads(content)
    # json raises RecursionError for deep nesting
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{path} is not valid JSON; save the model again") from error
    version = selection.get(VERSION_KEY) if isinstance(selection, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableFileError(f"{path} has no model format number; save the model again with compare")
    if version > FORMAT:
        raise UnreadableFileError(
            f"{folder} has model format {version}, but this termsift loads up to {FORMAT}; upgrade it"
        )
    return dict(selection)


def serialize_pipeline(pipeline: Pipeline, classifier: str) -> bytes:
    """Serialize a pipeline with skops.

    Parameters
    ----------
    pipeline : fitted pipeline
    classifier : name of its classifier, for the error message

    Raises
    ------
    InvalidInputError : the pipeline contains a type that skops does not trust

    """
    import skops.io  # takes long to import

    content: bytes = skops.io.dumps(pipeline)
    untrusted = find_untrusted_types(content)
    if untrusted:
        raise InvalidInputError(f"{classifier} cannot be saved safely: skops does not trust {untrusted[0]}")
    return content


def find_untrusted_types(content: bytes) -> list[str]:
    """Return the types in a skops archive that neither skops nor termsift trusts."""
    import skops.io

    return sorted(set(skops.io.get_untrusted_types(data=content)) - set(TRUSTED_TYPES))


def load_pipeline(path: Path, content: bytes) -> Pipeline:
    """Load a pipeline from a skops archive if it contains only trusted types."""
    import skops.io

    try:
        untrusted = find_untrusted_types(content)
        pipeline = None if untrusted else skops.io.loads(content, trusted=list(TRUSTED_TYPES))
    except (*ARCHIVE_ERRORS, *CONTENT_ERRORS) as error:
        raise UnreadableFileError(f"{path} cannot be loaded: {format_one_line(str(error), 200)}") from error
    if untrusted:
        raise UnreadableFileError(f"{path} was not loaded: it contains the untrusted type {untrusted[0]}")
    if not isinstance(pipeline, Pipeline):
        raise UnreadableFileError(f"{path} contains {type(pipeline).__name__} instead of a pipeline")
    return pipeline
