"""A folder that is not as it was saved is one clear line; what is as it was saved is the same every time."""

from __future__ import annotations

import json
import pickle
import zipfile

import pytest

import termsift as ts
from saved_models import compared, saved
from termsift.models.storage import FILES, FORMAT, as_json, selection_digest


@pytest.fixture
def folder(tmp_path):
    saved(tmp_path / "model")
    return tmp_path / "model"


def message(folder):
    with pytest.raises(ts.UnreadableFileError) as caught:
        ts.load_model(folder)
    return str(caught.value)


def rewritten(folder, **changes):
    """The selection with other values, and the digest that fits them."""
    path = folder / "selection.json"
    what = json.loads(path.read_text()) | changes
    what["digests"]["selection.json"] = selection_digest(what)
    path.write_bytes(as_json(what))


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_changed_is_named(folder, name):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content.replace(b"svm", b"SVM") if name.endswith("json") else content[:-1] + b"!")
    assert message(folder) == (
        f"{path} is not what was saved: its digest differs, so the model was changed or mixed with another; "
        "save it again"
    )


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_is_named(folder, name):
    (folder / name).unlink()
    assert message(folder) == f"{folder} holds no model: there is no {name} in it"


def test_files_of_two_models_are_told_from_one(folder, tmp_path):
    compared("multinomial_nb").save(tmp_path / "other")
    (folder / "pipeline.skops").write_bytes((tmp_path / "other" / "pipeline.skops").read_bytes())
    assert "mixed with another" in message(folder)


def test_a_newer_format_asks_for_an_upgrade(folder):
    rewritten(folder, **{"termsift.model": FORMAT + 1})
    assert message(folder) == f"{folder} has format {FORMAT + 1} and this termsift reads {FORMAT}; upgrade it"


def test_a_selection_without_a_format_is_to_be_saved_again(folder):
    path = folder / "selection.json"
    path.write_text('{"classes": []}')
    assert message(folder) == f"{path} is not of a model that can be loaded; save it again with compare"
    path.write_text("[" * 100_000)
    assert "it is no JSON" in message(folder)


def test_classes_that_the_pipeline_has_not_are_told(folder):
    rewritten(folder, classes=["ham", "spam"])
    assert "it has 2 classes, and its pipeline 3 or others" in message(folder)
    rewritten(folder, classes=["cook", "motor", "plant"], terms=[])
    assert "it has 0 terms, and its pipeline " in message(folder)


def test_a_calibration_that_is_none_is_told(folder):
    rewritten(folder, calibration={"slopes": [1, "x", 2], "starts": [0, 0, 0]})
    assert "its calibration is not one curve per class" in message(folder)


def test_a_pipeline_of_a_strange_type_is_not_loaded(folder, tmp_path):
    path = folder / "pipeline.skops"
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["schema.json"] = (
        files["schema.json"].replace(b'"LinearSVC"', b'"system"').replace(b'"sklearn.svm._classes"', b'"os"')
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    digests(folder)
    assert message(folder) == f"{path} holds os.system, which no model of compare does; it is not loaded"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", pickle.dumps([1])])
def test_what_is_no_archive_is_not_loaded(folder, content):
    (folder / "pipeline.skops").write_bytes(content)
    digests(folder)
    assert message(folder).startswith(f"{folder / 'pipeline.skops'} cannot be loaded: ")


def digests(folder):
    """Have the digest of the pipeline fit."""
    from termsift.models.storage import file_digest

    what = json.loads((folder / "selection.json").read_text())
    what["digests"]["pipeline.skops"] = file_digest((folder / "pipeline.skops").read_bytes())
    (folder / "selection.json").write_bytes(as_json(what))


def test_what_is_no_folder_of_a_model_is_told(tmp_path):
    assert message(tmp_path / "none") == f"there is no folder {tmp_path / 'none'}"
    (tmp_path / "file").write_text("x")
    assert "is a file; a model is a folder" in message(tmp_path / "file")
    with pytest.raises(ts.InvalidInputError, match="loaded from a folder, got None"):
        ts.load_model(None)


def test_the_same_model_is_the_same_bytes(tmp_path):
    for name in ("one", "other"):
        compared("svm").save(tmp_path / name)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
