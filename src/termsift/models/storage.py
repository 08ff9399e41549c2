"""Files of saved models: JSON and plain arrays, validated completely when they are loaded.

No code is imported or called because of a file: the analyzer is rebuilt from its declarative options, and a
regular expression of a user is compiled only if the caller trusts it.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal import saved
from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import validate_output_path
from termsift._internal.resources import check_memory
from termsift._internal.typing import Array
from termsift.models import calibration as links
from termsift.models import steps
from termsift.models.calibration import Calibration
from termsift.models.steps import Steps
from termsift.text import DEFAULT_TOKEN_PATTERN, Analyzer, parse_run

FORMAT, FORMAT_KEY = 2, "termsift.model"
DEFAULT_NAME = "model.termsift"  # of the file, if a folder is given
CLASS_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
MAX_PATTERN_LENGTH, MAX_RUN_LENGTH = 1000, 100
TERM_BYTES = 600  # of memory per term: a string, its place in two tables, and the n-grams it begins with
OPTION_TYPES = {
    **dict.fromkeys(("lowercase", "hashtags", "html"), bool),
    **dict.fromkeys(("token_pattern", "strip_accents", "analyzer", "stemmer", "words", "normalize"), str),
    "min_length": int,
    **dict.fromkeys(("stop_words", "ngram_range"), list),
}
DAMAGED = "is not a model saved by termsift, or is damaged"


def resolve_model_path(path: Path) -> Path:
    """Return the path of the file of a model; in a folder it is `model.termsift`."""
    return path / DEFAULT_NAME if path.is_dir() else path


def check_model_path(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """Return the file that a model will be saved to, checked before long work."""
    file = resolve_model_path(Path(path))
    if file.exists() and not overwrite:
        raise UnreadableFileError(f"{file} exists; choose another name, or replace it with overwrite=True")
    # missing folders are created later, in the nearest one that exists
    parent = next(folder for folder in file.parents if folder.exists())
    if not parent.is_dir():
        raise UnreadableFileError(f"cannot write {file}: {parent} is not a folder")
    validate_output_path(parent / file.name)
    return file


def pack_options(analyzer: Analyzer) -> dict[str, Any]:
    """Return the options of an analyzer that are not at their defaults, ready for JSON.

    Raises
    ------
    InvalidInputError : an option is a function

    """
    options = {}
    for field in fields(analyzer):
        value = getattr(analyzer, field.name)
        if callable(value):
            raise InvalidInputError(
                f"a model whose {field.name} is a function cannot be saved, because loading it would need "
                "the function's code; use options of termsift.Analyzer instead"
            )
        if value != field.default:
            options[field.name] = list(value) if isinstance(value, tuple) else value
    return options


def is_safe_pattern(pattern: str) -> bool:
    """Check whether a token is a run of characters of one class, which takes linear time to find."""
    if pattern == DEFAULT_TOKEN_PATTERN:
        return True
    if len(pattern) > MAX_PATTERN_LENGTH:
        return False
    try:
        run = parse_run(pattern)
    except re.error:  # a class such as [z-a], which the analyzer refuses
        return True
    # Python's `re` reads the end of a text again for each character of a required length
    return run is not None and run.min_length <= MAX_RUN_LENGTH


def parse_options(options: Any, trust_pattern: bool) -> Analyzer | None:
    """Return the analyzer of saved options; None if the model takes term counts."""
    if options is None:
        return None
    if not isinstance(options, dict) or not options.keys() <= OPTION_TYPES.keys():
        raise InvalidInputError(f"its analyzer has unknown options: {str(options)[:100]}")
    for name, value in options.items():
        if type(value) is not OPTION_TYPES[name]:
            raise InvalidInputError(f"its analyzer has the option {name}={str(value)[:100]!r}")
    saved.check_list(options.get("stop_words", []), "stop_words", lambda value: isinstance(value, str))
    saved.check_list(options.get("ngram_range", []), "ngram_range", lambda value: type(value) is int)
    pattern = options.get("token_pattern", DEFAULT_TOKEN_PATTERN)
    if not trust_pattern and not is_safe_pattern(pattern):
        raise InvalidInputError(
            f"its token pattern {pattern[:100]!r} could take forever on some texts; if you trust the file, "
            "load it with trust_pattern=True"
        )
    # a list is not the name of a language
    sequences = {name: tuple(options[name]) for name in ("stop_words", "ngram_range") if name in options}
    return Analyzer(**options | sequences)


def pack_classes(classes: tuple[Any, ...]) -> dict[str, Any]:
    """Return classes and their type for JSON."""
    kind = type(classes[0]).__name__
    return {"classes": list(classes), "class_type": kind if kind in CLASS_TYPES else "str"}


def parse_classes(values: Mapping[str, Any], single: bool) -> tuple[Any, ...]:
    """Return the validated classes."""
    kind = CLASS_TYPES[saved.check_choice(values, "class_type", tuple(CLASS_TYPES))]

    def is_valid(value: Any) -> bool:
        return type(value) is kind and not (isinstance(value, float) and math.isinf(value))

    classes = tuple(saved.check_list(values.get("classes"), "classes", is_valid))
    if len(set(classes)) < len(classes) or len(classes) < 1 + single:
        raise InvalidInputError("a class is repeated, or there are too few classes")
    return classes


def pack_strings(terms: Array) -> dict[str, Array]:
    """Return terms as joined UTF-8 bytes and the end of each."""
    # terms of matrices may contain lone surrogates
    encoded = [str(term).encode("utf-8", "surrogatepass") for term in terms]
    ends = np.cumsum([len(term) for term in encoded], dtype=np.int64)
    return {"term_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8), "term_ends": ends}


def parse_strings(arrays: Mapping[str, Array]) -> Array:
    """Return the terms of joined bytes, checked."""
    raw = saved.check_array(arrays, "term_bytes", "u1", (None,)).tobytes()
    ends = saved.check_array(arrays, "term_ends", "<i8", (None,))
    starts = saved.check_starts(np.concatenate([[0], ends]), "term_ends", len(raw)).tolist()
    try:
        terms = [raw[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(starts)]
    except UnicodeDecodeError as error:
        raise InvalidInputError("its terms are not UTF-8") from error
    if not terms:
        raise InvalidInputError("it has no terms")
    return saved.check_terms(terms)


def pack_sparse(name: str, matrix: csr_array[Any]) -> dict[str, Array]:
    """Return the arrays of a sparse matrix."""
    arrays = {"starts": np.asarray(matrix.indptr, dtype=np.int64)}
    arrays["columns"] = np.asarray(matrix.indices, dtype=np.int64)
    arrays["values"] = np.asarray(matrix.data, dtype=np.float64)
    return {f"{name}_{part}": array for part, array in arrays.items()}


def parse_sparse(arrays: Mapping[str, Array], name: str, shape: tuple[int, int]) -> csr_array[Any]:
    """Return the sparse matrix of three arrays, checked."""
    starts = saved.check_array(arrays, f"{name}_starts", "<i8", (shape[0] + 1,))
    columns = saved.check_array(arrays, f"{name}_columns", "<i8", (None,))
    values = saved.check_array(arrays, f"{name}_values", "<f8", (len(columns),))
    # copied, because SciPy sorts indices in place
    return saved.check_sparse(starts.copy(), columns.copy(), values, shape, name)


def save_fields(path: Path, content: Mapping[str, Any]) -> None:
    """Write the fields of a model to a file, atomically."""
    model_steps: Steps = content["steps"]
    calibration: Calibration | None = content["calibration"]
    values = {
        FORMAT_KEY: FORMAT,
        "provenance": dict(content["provenance"]),
        **pack_classes(content["classes"]),
        "single_label": not content["is_multilabel"],
        "analyzer": None if content["analyzer"] is None else pack_options(content["analyzer"]),
        "plain_words": content["plain_words"],
        "transform": model_steps.transform,
        "norm": model_steps.norm,
        "link": content["link"],
        "calibrated_on": 0 if calibration is None else calibration.documents,
    }
    arrays = pack_strings(content["terms"])
    arrays |= {name: np.asarray(content[name], dtype=np.float64) for name in ("coefficients", "intercepts")}
    if model_steps.weights is not None:
        arrays["weights"] = np.asarray(model_steps.weights, dtype=np.float64)
    for name in ("class_terms", "features"):
        if getattr(model_steps, name) is not None:
            arrays |= pack_sparse(name, getattr(model_steps, name))
    if calibration is not None:
        arrays["platt"] = np.stack([calibration.slopes, calibration.intercepts])
    for name, array in arrays.items():
        if not (np.abs(array) <= saved.MAX_MAGNITUDE).all():
            raise InvalidInputError(f"the model has {name} that are not finite, so it cannot be saved")
    saved.write_archive(path, values, arrays)


def load_fields(path: Path, trust_pattern: bool) -> dict[str, Any]:
    """Return the fields of a model, completely validated.

    Raises
    ------
    UnreadableFileError : the file is missing, damaged, not a model, or of another format

    """
    values, arrays = saved.read_archive(path)
    remedy = "save the model again with compare"
    saved.check_format_version(values.get(FORMAT_KEY), FORMAT, str(path), f"{path} {DAMAGED}", remedy)
    n_terms = arrays["term_ends"].size if "term_ends" in arrays else 0
    check_memory(TERM_BYTES * n_terms, f"{path}, with {n_terms:,} terms,", "Use a machine with more memory")
    with saved.translate_invalid_data(f"{path} {DAMAGED}"):
        return _parse_fields(values, dict(arrays), trust_pattern)


def _parse_fields(values: dict[str, Any], arrays: dict[str, Array], trust_pattern: bool) -> dict[str, Any]:
    """Return the validated fields of a model from the content of its file."""
    single = saved.check_choice(values, "single_label", (True, False))
    classes, terms = parse_classes(values, single), parse_strings(arrays)
    norm = saved.check_choice(values, "norm", steps.NORMS)
    shape = len(terms), len(classes)
    weights = saved.check_array(arrays, "weights", "<f8", (len(terms),)) if "weights" in arrays else None
    class_terms = features = None
    if norm == steps.CLASS_TERMS:
        class_terms = parse_sparse(arrays, "class_terms", shape)
        if not (class_terms.data == 1).all():
            raise InvalidInputError("its array 'class_terms_values' has values other than 1")
    coefficients = saved.check_array(arrays, "coefficients", "<f8", (None, len(classes)))
    if norm == steps.FEATURES:
        features = parse_sparse(arrays, "features", (len(terms), len(coefficients)))
    elif len(coefficients) != len(terms):
        raise InvalidInputError(f"it has {len(terms):,} terms but coefficients for {len(coefficients):,}")
    link = saved.check_choice(values, "link", links.LINKS)
    calibration = None
    if link == links.PLATT:
        slopes, offsets = saved.check_array(arrays, "platt", "<f8", (2, len(classes)))
        documents = values.get("calibrated_on")
        if type(documents) is not int or documents < 0:
            raise InvalidInputError(f"'calibrated_on' has the invalid value {str(documents)[:100]!r}")
        calibration = Calibration(slopes, offsets, documents, single)
    expected = {"term_bytes", "term_ends", "coefficients", "intercepts"}
    expected |= {"weights"} & arrays.keys() | ({"platt"} if calibration is not None else set())
    for name, matrix in (("class_terms", class_terms), ("features", features)):
        if matrix is not None:
            expected |= pack_sparse(name, matrix).keys()
    if unknown := sorted(arrays.keys() - expected):
        raise InvalidInputError(f"it has an unknown array {unknown[0][:100]!r}")
    provenance = values.get("provenance")
    scalars = (str, int, float, bool, type(None))
    if not isinstance(provenance, dict) or not all(isinstance(v, scalars) for v in provenance.values()):
        raise InvalidInputError("its provenance is not a list of names and values")
    return {
        "terms": terms,
        "classes": classes,
        "coefficients": coefficients,
        "intercepts": saved.check_array(arrays, "intercepts", "<f8", (len(classes),)),
        "analyzer": parse_options(values.get("analyzer"), trust_pattern),
        "steps": Steps(
            saved.check_choice(values, "transform", steps.TRANSFORMS), weights, norm, class_terms, features
        ),
        "is_multilabel": not single,
        "link": link,
        "calibration": calibration,
        "plain_words": saved.check_choice(values, "plain_words", (True, False)),
        "provenance": provenance,
    }
