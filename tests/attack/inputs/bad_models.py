"""Folders of models that are damaged, or that someone has altered with care; and what models are asked."""

from __future__ import annotations

import json
import random
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from bad_counts import answered
from bad_options import LABELS, TEXTS, odd_options
from bad_selections import alter_json
from changes import altered_bytes, strange_value
from trying import check

import termsift as ts
from termsift.models.storage import encode_json, file_digest, selection_digest

READING = ["text", "header", "delimiter", "encoding", "on_missing", "strange"]


@lru_cache(maxsize=4)
def model_files(which: int) -> dict[str, bytes]:
    """The files of a model: of one label or of several, with a calibration or without."""
    labels: Any = LABELS * 4 if which < 2 else [[name] for name in LABELS * 4]
    found = ts.compare(
        TEXTS * 4,
        labels,
        metrics="chi2",
        classifiers=["multinomial_nb"],
        k=[2],
        folds=2,
        repeats=1,
        calibrate=which % 2 == 1,
    )
    with tempfile.TemporaryDirectory() as name:
        return {path.name: path.read_bytes() for path in found.save(Path(name, "model"))}


def a_model_folder(rng: random.Random, folder: Path) -> None:
    """The attempt at folders of models: half of them with digests that fit what was altered."""
    files = dict(model_files(rng.randrange(4)))
    name = rng.choice(list(files))
    if name == "selection.json" and rng.random() < 0.7:
        what = json.loads(files[name])
        alter_json(rng, what)
        files[name] = encode_json(what)
    else:
        files[name] = altered_bytes(rng, files[name])
    if rng.random() < 0.5:
        files["selection.json"] = fitting(files)
    if rng.random() < 0.05:
        del files[name]
    for own, content in files.items():
        (folder / own).write_bytes(content)
    model = ts.load_model(folder)
    answered(lambda: check(len(model.predict(["free prize", ""])) == 2, "labels are missing"))
    answered(lambda: repr(model.explain("free prize lunch")))


def fitting(files: dict[str, bytes]) -> bytes:
    """The selection with digests of the files as they are, where it can be read."""
    try:
        what = json.loads(files["selection.json"])
        what["digests"] = {name: file_digest(content) for name, content in files.items()}
        what["digests"]["selection.json"] = selection_digest(what)
        return encode_json(what)
    except (ValueError, TypeError, RecursionError):
        return files["selection.json"]


@lru_cache(maxsize=4)
def loaded(which: int) -> ts.Model:
    """A model as it was saved."""
    with tempfile.TemporaryDirectory() as name:
        for own, content in model_files(which).items():
            Path(name, own).write_bytes(content)
        return ts.load_model(name)


def model_options(rng: random.Random, folder: Path) -> None:
    """The attempt at what a model is asked: strange documents, classes and options."""
    model = loaded(rng.randrange(4))
    path = folder / "mail.csv"
    path.write_text("text,label\n" + "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS, LABELS, strict=True)))
    data = rng.choice([TEXTS, path, str(path), strange_value(rng), strange_value(rng)])
    ask = rng.randrange(5)
    if ask == 0:
        list(
            model._predict_tables(
                data, **odd_options(rng, ["decision_values", "probabilities", "keep", *READING])
            )
        )
    elif ask == 1:
        model.explain(rng.choice([TEXTS, strange_value(rng)]), **odd_options(rng, ["name", "reference"]))
    elif ask == 2:
        labels = rng.choice([LABELS, None, strange_value(rng)])
        model.evaluate(data, labels, **odd_options(rng, ["label", "separator", *READING]))
    else:
        check(len(getattr(model, ["predict", "decision_function"][ask - 3])(data)) >= 0, "no answer")
