"""predict, explain and evaluate on files, from a saved model."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import termsift as ts
from saved_models import compared, topic_texts
from termsift.cli import main

ROWS = 40
COMMAND = ("predict", "model", "-", "--text", "body")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with two models, and files of documents in several forms."""
    folder = tmp_path_factory.mktemp("commands")
    compared("svm", calibrate=True).save(folder / "model")
    compared("multinomial_nb", several=True).save(folder / "several")
    texts, labels = topic_texts()
    rows = [
        {"id": f"d{i}", "body": text, "topic": label}
        for i, (text, label) in enumerate(zip(texts[:ROWS], labels[:ROWS], strict=True))
    ]
    with (folder / "test.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (folder / "test.jsonl").write_text(
        "".join(json.dumps(row | {"n": i}) + "\n" for i, row in enumerate(rows))
    )
    for row in rows[:6]:
        (folder / "tree" / row["topic"]).mkdir(parents=True, exist_ok=True)
        (folder / "tree" / row["topic"] / f"{row['id']}.txt").write_text(row["body"])
    return folder


@pytest.fixture
def run(place, monkeypatch, capsys):
    monkeypatch.chdir(place)

    def ran(line, code=0):
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == code, err
        return (out, err) if code == 0 else err

    return ran


def test_labels_are_printed_with_kept_columns(run, place):
    out, _ = run("predict model test.csv --text body --keep id --keep topic")
    found = list(csv.DictReader(io.StringIO(out)))
    texts, labels = topic_texts()
    expected = ts.load_model(place / "model").predict(texts[:ROWS])
    assert [row["label"] for row in found] == expected
    assert [row["row"] for row in found] == [str(i + 1) for i in range(ROWS)]
    assert [row["id"] for row in found] == [f"d{i}" for i in range(ROWS)]
    assert [row["topic"] for row in found] == labels[:ROWS]


def test_every_output_format_has_the_same_content(run, place, tmp_path):
    command = "predict model test.jsonl --text body --keep n --decision-values --probabilities"
    printed = [json.loads(line) for line in run(f"{command} --jsonl")[0].splitlines()]
    assert printed[0]["n"] == 0
    assert sum(printed[0][f"probability {name}"] for name in ("cook", "motor", "plant")) == pytest.approx(1)
    for ending in (".csv", ".tsv", ".jsonl", ".parquet"):
        _, err = run(f"{command} -o {tmp_path / ('out' + ending)}")
        assert f"{ROWS} documents written to" in err
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == printed
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == printed
    for name, delimiter in (("out.csv", ","), ("out.tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO((tmp_path / name).read_text()), delimiter=delimiter))
        assert [row["label"] for row in rows] == [row["label"] for row in printed]
        assert float(rows[3]["decision_value cook"]) == printed[3]["decision_value cook"]


def test_kept_values_with_any_line_break_are_read_back(run, tmp_path):
    breaks = ["a\rb", "a\nb", "a\r\nb", 'a,"b"']
    lines = (json.dumps({"id": value, "text": "soup"}) + "\n" for value in breaks)
    (tmp_path / "breaks.jsonl").write_text("".join(lines))
    command = f"predict model {tmp_path / 'breaks.jsonl'} --keep id -o"
    for name in ("out.csv", "out.tsv"):
        run(f"{command} {tmp_path / name}")
        content = (tmp_path / name).read_bytes().decode()
        rows = csv.DictReader(io.StringIO(content, newline=""), delimiter="\t" if "tsv" in name else ",")
        assert [row["id"] for row in rows] == breaks


def test_several_labels_are_a_list_or_joined(run, place):
    lines = [
        json.loads(line) for line in run("predict several test.jsonl --text body --jsonl")[0].splitlines()
    ]
    assert all(isinstance(line["label"], list) for line in lines)
    rows = list(
        csv.DictReader(io.StringIO(run("predict several test.jsonl --text body --label-separator +")[0]))
    )
    assert [row["label"] for row in rows] == ["+".join(line["label"]) for line in lines]


def test_folders_are_labelled_with_the_names_of_their_files(run, place):
    rows = list(csv.DictReader(io.StringIO(run("predict model tree --keep file")[0])))
    assert sorted(row["file"] for row in rows) == sorted(
        str(path.relative_to(place / "tree")) for path in (place / "tree").rglob("*.txt")
    )
    assert sum(row["file"].startswith(row["label"]) for row in rows) >= 5


def test_words_are_explained_row_by_row(run, place, tmp_path):
    texts, _ = topic_texts()
    out, _ = run(
        f"explain model test.csv --text body --row 7 --row 2 --json --report {tmp_path / 'page.html'}"
    )
    found = json.loads(out)
    assert [one["row"] for one in found] == [2, 7]
    margins = ts.load_model(place / "model").decision_function([texts[1], texts[6]])
    assert [one["decision_value"] for one in found] == pytest.approx(margins.max(axis=1))
    page = (tmp_path / "page.html").read_text()
    assert page.count('<p class="document"') == 2
    rows = list(csv.DictReader(io.StringIO(run("explain model test.csv --text body --row 7 --csv")[0])))
    assert sum(float(row["contribution"]) for row in rows) == pytest.approx(margins[1].max())
    assert run("explain model test.csv --text body --class motor --reference cook")[0].startswith("row 1: ")
    printed = run("explain model test.csv --text body --row 7 --csv")[0]
    run(f"explain model test.csv --text body --row 7 -o {tmp_path / 'words.csv'}")
    assert (tmp_path / "words.csv").read_text() == printed


def test_a_model_is_evaluated_on_a_file(run, place, tmp_path):
    out, _ = run(f"evaluate model test.csv --text body --label topic --report {tmp_path / 'page.html'}")
    assert out.startswith(f"{ROWS} documents: macro-averaged F1 ")
    assert '<table class="confusion">' in (tmp_path / "page.html").read_text()
    told = json.loads(run("evaluate model tree --json")[0])
    assert told["documents"] == 6


@pytest.mark.slow
def test_standard_input_is_labelled(place):
    done = subprocess.run(
        [sys.executable, "-c", "from termsift.cli import main; main()", *COMMAND],
        cwd=place, input=(place / "test.csv").read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    assert len(done.stdout.splitlines()) == ROWS + 1


def test_invalid_arguments_are_one_line_errors(run, place, tmp_path):
    (place / "empty.csv").write_text("")
    (place / "header.csv").write_text("text,label\n")
    (place / "strange.csv").write_text("text,label\nsoup,cook\nball,sport\n")
    (place / "holes.jsonl").write_text('{"text": "soup"}\n{"text": null}\n')
    for line, said in {
        "predict model empty.csv": "empty.csv is empty",
        "predict model header.csv": "header.csv has no rows, so there are no documents",
        "evaluate model header.csv": "header.csv has no rows, so there are no documents",
        "predict none test.csv": "there is no file none",
        "predict tree test.csv": "tree contains no model: model.termsift is missing",
        "predict model test.csv": "column 'text' is not in test.csv; it has: id, body, topic",
        "predict model test.csv --text body --keep idd": "did you mean 'id'?",
        "predict model test.csv --text body --keep label": "two columns named 'label'",
        "predict model test.csv --text body -o out.txt": "use one of .csv, .tsv, .jsonl, .ndjson, .parquet",
        "predict model test.csv --text body -o test.csv": "test.csv is also an input",
        "predict several test.csv --text body -o labels.json --jsonl": "use one of",
        "export test.csv -o pipeline.skops": "test.csv is not a file saved by termsift",
        "export model -o model": "model is also an input",
        "predict model holes.jsonl": "row 2 of holes.jsonl has no text; add it, or use --on-missing skip",
        "predict model tree --keep id": "tree has one folder per class, so its only column is 'file', got 'id'",
        "evaluate model strange.csv": "the model has no class 'sport'; its classes are: 'cook', 'motor'",
        "explain model test.csv --text body --row 41": "row 41 of test.csv does not exist or has no text; the last row is 40",
        "explain model test.csv --text body --row 0": "rows are numbered from 1, got --row 0",
        "explain model test.csv --text body --class kook": "no class named 'kook'; did you mean 'cook'?",
        "compare test.csv --text body --label topic --calibrate": "--calibrate needs --save",
    }.items():
        err = run(line, 1)
        assert said in err, (line, err)
        assert err.count("\n") == 1


def test_rows_without_text_are_skipped_on_request(run, place):
    (place / "holes.jsonl").write_text('{"text": "soup"}\n{"text": null}\n{"text": "oil"}\n')
    out, err = run("predict model holes.jsonl --on-missing skip")
    assert [line.split(",")[0] for line in out.splitlines()] == ["row", "1", "3"]
    assert "1 of 3 rows without a text" in err
