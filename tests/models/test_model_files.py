"""Files of models: what is saved is loaded; damaged, foreign and malicious files raise one clear error."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

import termsift as ts
from saved_models import compared, saved, topic_texts
from termsift.engines import index_vocabulary
from termsift.models.storage import FORMAT


@pytest.fixture
def file(tmp_path):
    return compared("svm").save(tmp_path / "model")


def message(path, **options):
    with pytest.raises(ts.UnreadableFileError) as caught:
        ts.load_model(path, **options)
    return str(caught.value)


def rewrite(path, changes=(), arrays=()):
    """Change values and arrays of a saved model; None removes one."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    values = json.loads(contents["data.json"]) | dict(changes)
    contents["data.json"] = json.dumps(values).encode()
    for name, array in dict(arrays).items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        contents[f"{name}.npy"] = buffer.getvalue()
        if array is None:
            del contents[f"{name}.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def load_values(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("data.json"))


def load_array(path, name):
    with zipfile.ZipFile(path) as archive:
        return np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)


def test_a_saved_model_gives_the_same_decision_values(tmp_path):
    comparison = compared("svm")
    model, loaded = comparison.model, ts.load_model(comparison.save(tmp_path / "model"))
    texts, _ = topic_texts()
    assert np.array_equal(model.decision_function(texts), loaded.decision_function(texts))
    assert loaded.provenance == model.provenance
    assert loaded.analyzer == model.analyzer
    assert loaded.save(tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_file_is_json_and_plain_arrays(file):
    with zipfile.ZipFile(file) as archive:
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        assert {name.rpartition(".")[2] for name in archive.namelist()} == {"json", "npy"}
    values = load_values(file)
    assert values["classes"] == ["cook", "motor", "plant"]
    assert values["provenance"]["classifier"] == "svm"
    assert values["provenance"]["data"] == "list"
    assert load_array(file, "coefficients").shape == (len(load_array(file, "weights")), 3)


def test_a_folder_gets_the_file_model_termsift(tmp_path):
    file = compared("svm").save(tmp_path)
    assert file == tmp_path / "model.termsift"
    assert ts.load_model(tmp_path).classes == ("cook", "motor", "plant")


def test_a_file_is_replaced_only_with_overwrite(tmp_path):
    comparison = compared("multinomial_nb")
    file = comparison.save(tmp_path / "new" / "model")
    inode = file.stat().st_ino
    with pytest.raises(ts.UnreadableFileError, match="exists; choose another name, or replace it with"):
        comparison.save(file)
    assert file.stat().st_ino == inode
    assert comparison.save(file, overwrite=True).stat().st_ino != inode
    assert [path.name for path in file.parent.iterdir()] == ["model"]


def test_the_same_data_give_the_same_file(tmp_path):
    first, second = (compared("svm").save(tmp_path / name).read_bytes() for name in ("one", "two"))
    assert first == second


def test_a_damaged_file_is_refused(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert "is damaged or truncated" in message(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", pickle.dumps([1]), b"x" * 10_000])
def test_a_file_of_another_kind_is_refused(file, content):
    file.write_bytes(content)
    assert "is not a file saved by termsift, or is damaged" in message(file)


def test_a_newer_format_asks_for_an_upgrade(file):
    rewrite(file, {"termsift.model": FORMAT + 1})
    assert message(file) == (
        f"{file} has format {FORMAT + 1} and this version of termsift supports {FORMAT}; upgrade termsift"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"classes": ["ham", "spam"]}, "array 'coefficients' is float64 of shape"),
        ({"classes": ["a", "a", "b"]}, "a class is repeated"),
        ({"classes": ["a", 1, "b"]}, "'classes' has the invalid value '1'"),
        ({"class_type": "type"}, "'class_type' must be one of str, int, float, bool"),
        ({"norm": "features"}, "array 'features_starts' is missing"),
        ({"link": "platt"}, "array 'platt' is missing"),
        ({"transform": 3}, "'transform' must be one of counts, binary, log, got '3'"),
        ({"single_label": 1}, "'single_label' must be one of True, False, got '1'"),
        ({"provenance": [1]}, "its provenance is not"),
        ({"analyzer": {"input": "filename"}}, "its analyzer has unknown options"),
        ({"analyzer": {"segmenter": "os.system"}}, "its analyzer has unknown options"),
        ({"analyzer": {"lowercase": "yes"}}, "has the option lowercase='yes'"),
        ({"analyzer": {"ngram_range": [1, 10**9]}}, "ngram_range must not exceed 100"),
        ({"analyzer": {"stop_words": [["a"]]}}, "'stop_words' has the invalid value"),
        ({"analyzer": {"token_pattern": "(a+)+$"}}, "could take forever on some texts"),
        ({"analyzer": {"token_pattern": r"\w{1000000,}"}}, "could take forever on some texts"),
        ({"analyzer": {"token_pattern": "[z-a]+"}}, "token_pattern is not a regular expression"),
    ],
)
def test_values_are_validated(file, changes, reason):
    rewrite(file, changes)
    assert reason in message(file)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("coefficients", lambda a: a[:-1], "terms but coefficients for"),
        ("coefficients", lambda a: a * np.nan, "numbers that are not finite"),
        ("coefficients", lambda a: a.astype(np.float32), "should be an array of numbers"),
        ("coefficients", lambda a: a.astype(object), "should be an array of numbers"),
        ("intercepts", lambda a: a[:2], "array 'intercepts' is float64 of shape (2,)"),
        ("intercepts", lambda a: None, "array 'intercepts' is missing"),
        ("weights", lambda a: a + 1e60, "not finite, or not from -1e+50 to 1e+50"),
        ("term_ends", lambda a: a[::-1].copy(), "row starts that do not ascend from 0 to"),
        ("term_ends", lambda a: a + 10**9, "row starts that do not ascend from 0 to"),
        ("term_bytes", lambda a: np.full_like(a, 255), "its terms are not UTF-8"),
        ("term_bytes", np.zeros_like, "a term is repeated"),
        ("another", lambda a: np.zeros(3), "unknown array 'another'"),
    ],
)
def test_arrays_are_validated(file, name, change, reason):
    array = None if name == "another" else load_array(file, name)
    rewrite(file, arrays={name: change(array)})
    assert reason in message(file)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        (
            "class_terms_columns",
            lambda a: a + 10**9,
            "'class_terms' has numbers that are not finite, or not from 0 to 2",
        ),
        (
            "class_terms_columns",
            lambda a: -a - 1,
            "'class_terms' has numbers that are not finite, or not from 0 to 2",
        ),
        ("class_terms_starts", lambda a: a[:-1], "array 'class_terms_starts' is int64"),
        ("class_terms_starts", lambda a: a[::-1].copy(), "row starts that do not ascend from 0 to"),
        # differences that overflow are positive
        (
            "class_terms_starts",
            lambda a: np.array([0, 2**63 - 1, -(2**63), -1, *a[4:]]),
            "row starts that do not ascend from 0 to",
        ),
        ("class_terms_values", lambda a: a * 2, "has values other than 1"),
    ],
)
def test_indices_of_class_terms_are_validated(tmp_path, name, change, reason):
    comparison = compared("svm", metrics="bns:per_class", k=[9], tolerance=1.0)
    fitted = next(c for c in comparison.results.candidates if c.ranker.name == "bns:per_class")
    from termsift.compare.final_model import fit_candidate

    model = fit_candidate(comparison.documents, fitted, 9, 0).build_model({})
    file = model.save(tmp_path / "model")
    rewrite(file, arrays={name: change(load_array(file, name))})
    assert reason in message(file)


def test_a_header_that_states_more_than_the_file_holds_is_refused(file):
    with zipfile.ZipFile(file) as archive:
        content = archive.read("intercepts.npy")
    claimed = content.replace(b"(3,), }" + b" " * 17, b"(3" + b"0" * 15 + b",), }  ")
    assert len(claimed) == len(content)
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()} | {"intercepts.npy": claimed}
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in contents.items():
            archive.writestr(name, part)
    assert "does not have the size that its header states" in message(file)


def test_compressed_members_are_refused(file):
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    assert "is not a file saved by termsift" in message(file)


def test_a_pattern_of_the_user_needs_trust(tmp_path):
    analyzer = ts.Analyzer(token_pattern=r"\b[a-z](?:[a-z]|-[a-z])+")
    file = compared("svm", analyzer=analyzer).save(tmp_path / "model")
    assert "load it with trust_pattern=True" in message(file)
    model = ts.load_model(file, trust_pattern=True)
    assert model.analyzer == analyzer
    assert model.predict(["soup bread"]) == ["cook"]
    run = ts.Analyzer(token_pattern="[a-z]{3,}")
    assert saved(tmp_path / "run", analyzer=run).analyzer == run


def test_a_classifier_of_the_user_cannot_be_saved(tmp_path):
    comparison = compared(SGDClassifier(random_state=0))
    with pytest.raises(ts.InvalidInputError, match=r"save it yourself: joblib.dump\(comparison.pipeline"):
        comparison.save(tmp_path / "model")
    texts, labels = topic_texts()
    assert np.mean(comparison.pipeline.predict(texts) == labels) > 0.8


def test_a_path_without_a_model_is_refused(tmp_path):
    assert message(tmp_path / "none") == f"there is no file {tmp_path / 'none'}"
    assert message(tmp_path) == f"{tmp_path} contains no model: model.termsift is missing"
    with pytest.raises(ts.InvalidInputError, match="path must be that of a saved model, got None"):
        ts.load_model(None)


@pytest.mark.slow
def test_labelling_texts_imports_neither_scikit_learn_nor_pandas(file, tmp_path):
    (tmp_path / "new.csv").write_text("text\nsoup and bread\n")
    code = (
        "import sys\nfrom termsift.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "sys.exit(any(name in sys.modules for name in ('sklearn', 'pandas', 'skops')))"
    )
    command = [sys.executable, "-c", code, "predict", str(file), str(tmp_path / "new.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "row,label\n1,cook\n"


def test_a_term_that_is_no_n_gram_of_the_model_is_not_indexed(tmp_path):
    comparison = compared("svm", analyzer=ts.Analyzer(words="auto", ngram_range=(1, 2)))
    path = comparison.save(tmp_path / "model")
    raw, ends = load_array(path, "term_bytes").tobytes(), load_array(path, "term_ends").tolist()
    terms = [raw[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    terms[-1] = b" ".join([b"soup"] * 100_000)
    arrays = {"term_bytes": np.frombuffer(b"".join(terms), dtype=np.uint8)}
    rewrite(path, arrays=arrays | {"term_ends": np.cumsum(list(map(len, terms)))})
    model = ts.load_model(path)
    # its beginnings would be 100,000 more n-grams
    index = index_vocabulary(model.analyzer, dict(zip(model.terms.tolist(), range(len(terms)), strict=True)))
    assert int(index.scanner.lexicon.size[0]) < 1000
    assert index.count(["soup bread"], np.int64, 1).sum() == model.count_terms(["soup bread"]).sum()
