"""A model on disk: a vocabulary, the selection as JSON, and a pipeline that scikit-learn and skops load."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sklearn

from termsift.compare.models import Model
from termsift.errors import InvalidInput, UnreadableFile
from termsift.experiment.documents import Documents


def saved_model(
    folder: Path, model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> list[Path]:
    """Write the three files: all of them, or none. Files of these names are replaced."""
    check_folder(folder)
    contents = {
        "vocabulary.txt": "".join(f"{term}\n" for term in model.terms(documents)).encode(),
        "selection.json": selection_json(model, documents, figures, goal),
        "pipeline.skops": dumped(model, documents),
    }
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    waiting = Path(tempfile.mkdtemp(prefix=".saving-", dir=folder))
    try:
        for name, content in contents.items():
            (waiting / name).write_bytes(content)
        for name in contents:
            (waiting / name).replace(folder / name)
    except OSError:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(waiting, ignore_errors=True)
    return [folder / name for name in contents]


def check_folder(folder: Path) -> None:
    """An error where the folder cannot be made or written to: asked before long work."""
    if folder.exists() and not folder.is_dir():
        raise UnreadableFile(f"{folder} is a file; a model needs a folder of its own")
    known = folder
    while not known.exists():
        known = known.parent
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".saving-", dir=known))
    except OSError as error:
        raise UnreadableFile(f"cannot write to {folder}: {known} may not be written to") from error


def selection_json(model: Model, documents: Documents, figures: Mapping[str, Any], goal: str) -> bytes:
    """What was chosen and how, as JSON."""
    labels = documents.labels
    counts = documents.counts
    what = {
        "method": model.line.ranker.name,
        "classifier": model.line.classifier.name,
        "goal": goal,
        "mean": figures["mean"],
        "standard_error": figures["error"],
        "documents": int(counts.documents),
        "classes": list(labels.classes),
        "several_labels": not labels.single,
        "scikit_learn": sklearn.__version__,
        "terms": [
            {"term": term, "documents": int(counts.term_df[column])}
            for term, column in zip(model.terms(documents), model.columns, strict=True)
        ],
    }
    return (json.dumps(what, ensure_ascii=False, indent=1, default=str) + "\n").encode()


def dumped(model: Model, documents: Documents) -> bytes:
    """The pipeline, in a format that runs no code when it is loaded."""
    import skops.io as sio

    content: bytes = sio.dumps(model.of_texts(documents), compression=zipfile.ZIP_DEFLATED, compresslevel=6)
    untrusted = sio.get_untrusted_types(data=content)
    if untrusted:
        raise InvalidInput(
            f"{model.line.classifier.name} cannot be saved safely: skops does not know {untrusted[0]}"
        )
    return content


def how_to_use(folder: Path, documents: Documents) -> str:
    """The lines of Python that use what was saved."""
    given = '["a text to label"]' if documents.texts is not None else "rows"
    lines = [
        "import skops.io as sio",
        f"model = sio.load({str(folder / 'pipeline.skops')!r})",
    ]
    if documents.labels.single:
        return "\n".join([*lines, f"print(model.predict({given}))"])
    names = f"names = json.load(open({str(folder / 'selection.json')!r}))['classes']"
    last = f"print([[name for name, yes in zip(names, row) if yes] for row in model.predict({given})])"
    return "\n".join(["import json", *lines, names, last])
