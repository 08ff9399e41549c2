"""Loading a damaged or foreign model folder raises one clear error."""

from __future__ import annotations

import json
import pickle
import zipfile

import pytest

import termsift as ts
from saved_models import compared, saved
from termsift.models.storage import FORMAT, MODEL_FILES, encode_json, selection_digest


@pytest.fixture
def folder(tmp_path):
    saved(tmp_path / "model")
    return tmp_path / "model"


def message(folder):
    with pytest.raises(ts.UnreadableFileError) as caught:
        ts.load_model(folder)
    return str(caught.value)


def rewrite_selection(folder, **changes):
    """Change values of the selection and update its digest."""
    path = folder / "selection.json"
    selection = json.loads(path.read_text()) | changes
    selection["digests"]["selection.json"] = selection_digest(selection)
    path.write_bytes(encode_json(selection))


@pytest.mark.parametrize("name", MODEL_FILES)
def test_a_changed_file_is_named(folder, name):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content.replace(b"svm", b"SVM") if name.endswith("json") else content[:-1] + b"!")
    assert message(folder) == (
        f"{path} was changed after saving or belongs to another model (its digest differs); "
        "save the model again"
    )


@pytest.mark.parametrize("name", MODEL_FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert message(folder) == f"{folder} contains no model: {name} is missing"


def test_files_of_two_models_are_not_mixed(folder, tmp_path):
    compared("multinomial_nb").save(tmp_path / "other")
    (folder / "pipeline.skops").write_bytes((tmp_path / "other" / "pipeline.skops").read_bytes())
    assert "belongs to another model" in message(folder)


def test_a_newer_format_asks_for_an_upgrade(folder):
    rewrite_selection(folder, **{"termsift.model": FORMAT + 1})
    assert message(folder) == (
        f"{folder} has model format {FORMAT + 1}, but this termsift loads up to {FORMAT}; upgrade it"
    )


def test_a_selection_without_a_format_number_is_refused(folder):
    path = folder / "selection.json"
    path.write_text('{"classes": []}')
    assert message(folder) == f"{path} has no model format number; save the model again with compare"
    path.write_text("[" * 100_000)
    assert "is not valid JSON" in message(folder)


def test_classes_and_terms_must_match_the_pipeline(folder):
    rewrite_selection(folder, classes=["ham", "spam"])
    assert "its 2 classes do not match the classes of the pipeline" in message(folder)
    rewrite_selection(folder, classes=["cook", "motor", "plant"], terms=[])
    assert "it has 0 terms, but its pipeline has " in message(folder)


def test_an_invalid_calibration_is_refused(folder):
    rewrite_selection(folder, calibration={"slopes": [1, "x", 2], "starts": [0, 0, 0]})
    assert "its calibration does not have one curve per class" in message(folder)


def test_a_pipeline_with_an_untrusted_type_is_not_loaded(folder, tmp_path):
    path = folder / "pipeline.skops"
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["schema.json"] = (
        files["schema.json"].replace(b'"LinearSVC"', b'"system"').replace(b'"sklearn.svm._classes"', b'"os"')
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    update_pipeline_digest(folder)
    assert message(folder) == f"{path} was not loaded: it contains the untrusted type os.system"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", pickle.dumps([1])])
def test_a_damaged_archive_is_not_loaded(folder, content):
    (folder / "pipeline.skops").write_bytes(content)
    update_pipeline_digest(folder)
    assert message(folder).startswith(f"{folder / 'pipeline.skops'} cannot be loaded: ")


def update_pipeline_digest(folder):
    """Update the digest of the pipeline."""
    from termsift.models.storage import file_digest

    selection = json.loads((folder / "selection.json").read_text())
    selection["digests"]["pipeline.skops"] = file_digest((folder / "pipeline.skops").read_bytes())
    (folder / "selection.json").write_bytes(encode_json(selection))


def test_a_path_without_a_model_is_refused(tmp_path):
    assert message(tmp_path / "none") == f"there is no folder {tmp_path / 'none'}"
    (tmp_path / "file").write_text("x")
    assert "is a file; expected a folder written by compare" in message(tmp_path / "file")
    with pytest.raises(ts.InvalidInputError, match="folder must be the path of a saved model, got None"):
        ts.load_model(None)
