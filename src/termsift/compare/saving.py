"""A model on disk: a vocabulary, the selection as JSON, and a pipeline that scikit-learn and skops load.

With it, where that is asked for, its calibration, by margins of documents it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

from termsift._typing import Array
from termsift.compare.models import Model, model_classes, model_of, needs_termsift, target
from termsift.errors import UnreadableFile
from termsift.experiment.documents import Documents
from termsift.experiment.splits import Division, Split
from termsift.models.archive import OWN_TYPES, pipeline_bytes
from termsift.models.calibration import fitted_calibration
from termsift.models.folder import FILES, PIPELINE, SELECTION, folder_contents
from termsift.models.margins import class_margins
from termsift.output import locked_file, replacing, scratch_folder, sync, told_disk_faults


def saved_model(
    folder: Path, model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> list[Path]:
    """Write the three files: all of them, or none. Files of these names are replaced."""
    pipeline = pipeline_bytes(model.of_texts(documents), model.line.classifier.name)
    what = selection_values(model, documents, figures, goal)
    contents = folder_contents(model.terms(documents), what, pipeline)
    with told_disk_faults(folder):
        if folder.exists():
            replace_files(folder, contents)
        else:
            make_folder_of(folder, contents)
    return [folder / name for name in contents]


def replace_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Put files into a folder that is there."""
    with ExitStack() as files:
        for name, content in contents.items():
            files.enter_context(replacing(folder / name)).write_bytes(content)


def make_folder_of(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder that appears with all of its files: a process that is killed leaves all or none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(folder.parent) as staged:
        made = staged / "model"
        made.mkdir()
        for name, content in contents.items():
            (made / name).write_bytes(content)
            sync(made / name)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            replace_files(folder, contents)  # another process was quicker
    sync(folder.parent)


def check_folder(folder: Path, overwrite: bool = False) -> None:
    """An error where the folder cannot be made or written to, or holds a model: asked before long work."""
    if folder.exists() and not folder.is_dir():
        raise UnreadableFile(f"{folder} is a file; a model needs a folder of its own")
    if not overwrite and any((folder / name).is_file() for name in FILES):
        raise UnreadableFile(f"{folder} holds a model; name another folder, or write over it: overwrite=True")
    known = folder
    while not known.exists():
        known = known.parent
    try:
        with locked_file(known):
            pass
    except OSError as error:
        raise UnreadableFile(f"cannot write to {folder}: {known} may not be written to") from error


def selection_values(
    model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> dict[str, Any]:
    """What was chosen and how, as values of JSON."""
    labels = documents.labels
    counts = documents.counts
    return {
        "termsift": version("termsift"),
        "method": model.line.ranker.name,
        "classifier": model.line.classifier.name,
        "goal": goal,
        "mean": figures["mean"],
        "standard_error": figures["error"],
        "documents": int(counts.documents),
        "classes": model_classes(labels).tolist(),
        "several_labels": not labels.single,
        "scikit_learn": sklearn.__version__,
        "analyzer": None if documents.analyzer is None else repr(documents.analyzer),
        "needs": needed_packages(documents),
        "terms": [
            {"term": term, "documents": int(counts.term_df[column])}
            for term, column in zip(model.terms(documents), model.columns, strict=True)
        ],
        "calibration": None if model.calibration is None else model.calibration.to_json(),
    }


def needed_packages(documents: Documents) -> list[str]:
    """What a saved model needs beside scikit-learn and skops, and is loaded by."""
    if not needs_termsift(documents):
        return []
    return ["termsift", *(["snowballstemmer"] if documents.analyzer and documents.analyzer.stemmer else [])]


def how_to_use(folder: Path, documents: Documents) -> str:
    """The lines of Python that use what was saved."""
    given = '["a text to label"]' if documents.texts is not None else "rows"
    path, needed = str(folder / PIPELINE), needed_packages(documents)
    trusted = f", trusted={list(OWN_TYPES)}" if needed else ""
    lines = [
        *([f"# it needs {' and '.join(needed)}"] if needed else []),
        "import skops.io as sio",
        f"model = sio.load({path!r}{trusted})",
    ]
    if documents.labels.single:
        return "\n".join([*lines, f"print(model.predict({given}))"])
    names = f"names = json.load(open({str(folder / SELECTION)!r}))['classes']"
    last = f"print([[name for name, yes in zip(names, row) if yes] for row in model.predict({given})])"
    return "\n".join(["import json", *lines, names, last])


def calibrated_model(model: Model, documents: Documents, split: Split, most: int) -> Model:
    """The model with what turns its margins into probabilities.

    In each division of the first round the candidate is fitted anew, its terms chosen anew, to the documents
    to learn from; margins are those of the documents to judge.
    """
    parts = [fold_margins(model, documents, part, most) for part in split.divisions(0)]
    margins, judged = (np.concatenate(own) for own in zip(*parts, strict=True))
    return replace(
        model, calibration=fitted_calibration(margins, class_truth(documents)[judged], documents.is_single)
    )


def fold_margins(model: Model, documents: Documents, part: Division, most: int) -> tuple[Array, Array]:
    """(judged, classes) margins, infinite for a class that none learned from has; and which were judged."""
    own = model_of(documents.take(part.learned), model.line, most, part.seed)
    found = class_margins(own.pipeline, documents.rows[part.judged][:, own.columns])
    if not documents.is_single:
        return found, part.judged
    known, all_known = list(own.pipeline.classes_), list(np.unique(target(documents)))
    margins = np.full((len(part.judged), len(all_known)), -np.inf)
    margins[:, [all_known.index(name) for name in known]] = found
    return margins, part.judged


def class_truth(documents: Documents) -> Array:
    """(documents, classes) which labels are right, in the order in which a model has its classes."""
    labels = target(documents)
    return np.asarray(labels.astype(bool) if labels.ndim == 2 else labels[:, None] == np.unique(labels))
