"""load_model: a saved model, from a folder that is as it was saved."""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift.errors import InvalidInput, UnreadableFile, one_line
from termsift.estimators.vectorizer import TermVectorizer
from termsift.models.archive import pipeline_of, untrusted_types
from termsift.models.calibration import Calibration
from termsift.models.folder import PIPELINE, SELECTION, read_folder
from termsift.models.saved_model import COUNT, SavedModel

# what skops raises for an archive that is none, is of a newer skops, or holds what is not there
FAULTS = (
    *(
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ),
    *(ImportError, EOFError, RecursionError),
)


def load_model(folder: str | os.PathLike[str]) -> SavedModel:
    """Load a model that `compare` saved to a folder.

    The pipeline is loaded by skops, which accepts only known types, so no code from the folder is run. It is
    an error if files do not belong together, if one is missing, or if a newer termsift saved the folder.

    folder : a folder written by `compare(...).save(folder)` or `termsift compare --save`

    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> found = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = found.save(folder)
    ...     model = ts.load_model(folder)
    >>> list(model.predict(["a free prize", "lunch at noon"]))
    ['spam', 'ham']
    """
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise InvalidInput(f"a model is loaded from a folder, got {folder!r}")
    place = Path(folder)
    selection, content = read_folder(place)
    pipeline = loaded_pipeline(place, content)
    try:
        return model_from(selection, with_quick_counts(pipeline))
    except InvalidInput as error:
        raise UnreadableFile(f"{place / SELECTION} is not what was saved: {error}") from error


def loaded_pipeline(folder: Path, content: bytes) -> Pipeline:
    """The pipeline of a folder, if it holds known types alone."""
    path = folder / PIPELINE
    try:
        strange = untrusted_types(content)
        pipeline = None if strange else pipeline_of(content)
    except FAULTS as error:
        raise UnreadableFile(f"{path} cannot be loaded: {one_line(str(error), 200)}") from error
    if strange:
        raise UnreadableFile(f"{path} holds {strange[0]}, which no model of compare does; it is not loaded")
    if not isinstance(pipeline, Pipeline):
        raise UnreadableFile(f"{path} holds no pipeline, but {type(pipeline).__name__}")
    return pipeline


def with_quick_counts(pipeline: Pipeline) -> Pipeline:
    """The pipeline with the compiled scan in place of CountVectorizer's loop: the same rows, sooner."""
    name, first = pipeline.steps[0]
    if type(first) is not CountVectorizer:
        return pipeline
    quick = TermVectorizer(**first.get_params(deep=False))
    quick.fit([])
    return Pipeline([(name, quick), *pipeline.steps[1:]])


def model_from(selection: dict[str, Any], pipeline: Pipeline) -> SavedModel:
    """The model, if what the selection says of classes and terms is so in the pipeline."""
    several, classes = selection.get("several_labels"), selection.get("classes")
    terms = selection.get("terms")
    if not isinstance(several, bool) or not isinstance(classes, list) or not isinstance(terms, list):
        raise InvalidInput("it says no classes or terms")
    last = pipeline.steps[-1][1]
    if several:
        known = list(range(len(last.estimators_))) if isinstance(last, OneVsRestClassifier) else []
        agree = len(known) == len(classes)
    else:
        known = list(getattr(last, "classes_", []))
        agree = sorted(map(str, known)) == sorted(map(str, classes))
    if not agree:
        raise InvalidInput(f"it has {len(classes)} classes, and its pipeline {len(known)} or others")
    names = (
        tuple(classes) if several else tuple(name.item() if hasattr(name, "item") else name for name in known)
    )
    first = pipeline.steps[0]
    if first[0] == COUNT and len(first[1].vocabulary_) != len(terms):
        raise InvalidInput(f"it has {len(terms)} terms, and its pipeline {len(first[1].vocabulary_)}")
    held = selection.get("calibration")
    calibration = None if held is None else Calibration.of_json(held, len(names), not several)
    return SavedModel(selection, pipeline, names, calibration)
