"""A model on disk: a vocabulary, the selection as JSON, and a pipeline that scikit-learn and skops load."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import sklearn

from termsift.compare.models import Model, model_classes, needs_termsift
from termsift.errors import InvalidInput, UnreadableFile
from termsift.experiment.documents import Documents
from termsift.output import locked_file, replacing, scratch_folder, sync, told_disk_faults

FILES = ("vocabulary.txt", "selection.json", "pipeline.skops")
# the types of ours that a model may hold, for skops to load
OWN_TYPES = ("termsift.estimators.vectorizer.TermVectorizer", "termsift.text.analyzer.Analyzer")


def saved_model(
    folder: Path, model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> list[Path]:
    """Write the three files: all of them, or none. Files of these names are replaced."""
    lines = "".join(f"{term}\n" for term in model.terms(documents))
    parts = lines.encode(), selection_json(model, documents, figures, goal), dumped(model, documents)
    contents = dict(zip(FILES, parts, strict=True))
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
        "classes": model_classes(labels).tolist(),
        "several_labels": not labels.single,
        "scikit_learn": sklearn.__version__,
        "analyzer": None if documents.analyzer is None else repr(documents.analyzer),
        "needs": needed_packages(documents),
        "terms": [
            {"term": term, "documents": int(counts.term_df[column])}
            for term, column in zip(model.terms(documents), model.columns, strict=True)
        ],
    }
    return (json.dumps(what, ensure_ascii=False, indent=1, default=str) + "\n").encode()


def needed_packages(documents: Documents) -> list[str]:
    """What a saved model needs beside scikit-learn and skops, and is loaded by."""
    if not needs_termsift(documents):
        return []
    return ["termsift", *(["snowballstemmer"] if documents.analyzer and documents.analyzer.stemmer else [])]


def dumped(model: Model, documents: Documents) -> bytes:
    """The pipeline, in a format that runs no code when it is loaded."""
    import skops.io as sio

    content: bytes = sio.dumps(model.of_texts(documents), compression=zipfile.ZIP_DEFLATED, compresslevel=6)
    untrusted = sorted(set(sio.get_untrusted_types(data=content)) - set(OWN_TYPES))
    if untrusted:
        raise InvalidInput(
            f"{model.line.classifier.name} cannot be saved safely: skops does not know {untrusted[0]}"
        )
    return content


def how_to_use(folder: Path, documents: Documents) -> str:
    """The lines of Python that use what was saved."""
    given = '["a text to label"]' if documents.texts is not None else "rows"
    path, needed = str(folder / "pipeline.skops"), needed_packages(documents)
    trusted = f", trusted={list(OWN_TYPES)}" if needed else ""
    lines = [
        *([f"# it needs {' and '.join(needed)}"] if needed else []),
        "import skops.io as sio",
        f"model = sio.load({path!r}{trusted})",
    ]
    if documents.labels.single:
        return "\n".join([*lines, f"print(model.predict({given}))"])
    names = f"names = json.load(open({str(folder / 'selection.json')!r}))['classes']"
    last = f"print([[name for name, yes in zip(names, row) if yes] for row in model.predict({given})])"
    return "\n".join(["import json", *lines, names, last])
