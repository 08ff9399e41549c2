"""The commands: tables on stdout, talk on stderr, 0 or 1, and one clear line for a mistake."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

import termsift as ts
from termsift.cli import main

ROWS = [
    ("free prize, claim now", "spam"),
    ("free entry to win a prize", "spam"),
    ('lunch at "noon"?', "ham"),
    ("see you at noon; lunch is free", "ham"),
    ("grüße aus 東京 at noon", "ham"),
]


@pytest.fixture
def run(capsys):
    """Run a command: its exit code, stdout and stderr."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


@pytest.fixture
def mail(tmp_path):
    """The rows as a CSV file."""
    path = tmp_path / "mail.csv"
    pd.DataFrame(ROWS, columns=["text", "label"]).to_csv(path, index_label="id")
    return path


def written(folder, ending):
    """The rows as a file of each kind."""
    frame, path = pd.DataFrame(ROWS, columns=["text", "label"]), folder / f"mail{ending}"
    if ending == ".tsv":
        path.write_text(
            "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in ROWS), encoding="utf-8"
        )
    elif ending.startswith(".csv"):
        frame.to_csv(path, index=False, sep=";" if ending == ".csv" else ",")
    elif ending == ".jsonl.zst":
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(frame.to_json(orient="records", lines=True).encode())
    elif ".jsonl" in ending:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize(
    "ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet"]
)
def test_a_file_of_every_kind_gives_the_counts_of_its_texts(tmp_path, ending):
    texts, labels = zip(*ROWS, strict=True)
    assert ts.count(written(tmp_path, ending)) == ts.count(list(texts), list(labels))


def test_a_pattern_reads_all_files_that_match(tmp_path, mail):
    (tmp_path / "more.csv").write_bytes(mail.read_bytes())
    texts, labels = zip(*ROWS, strict=True)
    assert ts.count(str(tmp_path / "*.csv")) == ts.count(list(texts) * 2, list(labels) * 2)


def test_a_name_with_the_marks_of_a_pattern_is_read_as_it_is(tmp_path, mail):
    odd = tmp_path / "mail [1]*.csv"
    odd.write_bytes(mail.read_bytes())
    assert ts.count(odd) == ts.count(mail)


def test_labels_of_a_typed_file_keep_their_type_and_may_be_lists(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"body": "a b", "tags": [1, 2]}\n{"body": "b", "tags": [2]}\n{"body": "c", "tags": []}\n'
    )
    counts = ts.count(path, text="body", label="tags", analyzer=str.split)
    assert counts == ts.count(["a b", "b", "c"], [[1, 2], [2], []], analyzer=str.split)


def test_an_empty_field_of_a_csv_is_an_empty_document(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("text,label\n,x\na b,y\n")
    assert ts.count(path, analyzer=str.split).class_sizes.tolist() == [1, 1]


def test_a_long_field_with_quotes_and_line_breaks(tmp_path):
    path = tmp_path / "m.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), ('say "hi",\nthen go ' * 300_000, "x"), ("b", "y")])
    assert ts.count(path, analyzer=str.split).term_tf.max() == 300_000


def test_no_line_of_a_csv_is_taken_for_a_comment(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text('text,label\n"#sale ""today"", ok",spam\n#sale,spam\nlunch noon,ham\n')
    assert ts.count(path).class_sizes.tolist() == [1, 2]


def test_a_csv_of_a_spreadsheet_with_a_mark_and_carriage_returns(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes("\ufefftext;label\r\nfree prize;spam\r\nlunch;ham\r\n".encode())
    assert ts.count(path).classes == ("ham", "spam")


def test_values_of_json_lines_stay_what_they_are(tmp_path):
    path = tmp_path / "m.jsonl"
    rows = [('first\nfree "prize"', "2020-01-01"), ("2020-01-01T10:00:00Z", "A-b"), (5, "x y")]
    path.write_text("".join(json.dumps({"text/é": t, "a'b": c}) + "\n" for t, c in rows), encoding="utf-8")
    counts = ts.count(path, text="text/é", label="a'b")
    assert counts == ts.count([str(text) for text, _ in rows], [label for _, label in rows])


def test_weights_go_with_the_rows_of_a_file(mail):
    assert ts.count(mail, sample_weight=[2, 2, 1, 1, 0]).class_sizes.tolist() == [2, 4]


class TestMetrics:
    def test_the_json_has_every_name_with_formula_sides_needs_and_source(self, run):
        code, out, _ = run("metrics", "--json")
        rows = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert code == 0
        assert [row["name"] for row in rows] == ts.metrics().names
        assert all(
            row["formula"] and row["source"] and row["needs"] and row["sided"] in (0, 1, 2) for row in rows
        )

    def test_the_table_and_the_csv(self, run):
        assert run("metrics")[1].splitlines()[0].split() == [
            "name",
            "sided",
            "needs",
            "p",
            "options",
            "formula",
            "source",
        ]
        read = list(csv.DictReader(io.StringIO(run("metrics", "--csv")[1])))
        assert len(read) == len(ts.metrics())


def test_corpora_are_listed(run):
    code, out, _ = run("corpora", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == ts.corpora.names()


class TestCount:
    def test_the_counts_are_saved_and_the_classes_shown(self, run, mail, tmp_path):
        code, out, err = run("count", mail, "-o", tmp_path / "c.parquet", "--json")
        assert code == 0
        assert [(row["class"], row["documents"]) for row in json.loads(out)] == [("ham", 3), ("spam", 2)]
        assert "saved to" in err
        assert ts.Counts.load(tmp_path / "c.parquet") == ts.count(mail)

    def test_without_a_file_it_shows_the_classes(self, run, mail):
        code, out, _ = run("count", mail)
        assert code == 0
        assert out.splitlines()[1].split()[:2] == ["ham", "3"]


class TestScore:
    def test_the_table_of_a_class_has_cells_and_sign(self, run, mail):
        code, out, err = run("score", mail, "--metric", "cc", "--class", "spam", "--top", 1, "--csv")
        row = next(csv.DictReader(io.StringIO(out)))
        assert code == 0
        assert err == ""
        assert (row["term"], row["sign"], row["tp"], row["fp"]) == ("prize", "1", "2", "0")
        assert "p" in row

    def test_saved_counts_give_what_the_file_gives(self, run, mail, tmp_path):
        run("count", mail, "-o", tmp_path / "c.parquet")
        options = ("--metric", "bns", "--class", "ham", "--top", 5)
        assert run("score", tmp_path / "c.parquet", *options) == run("score", mail, *options)

    def test_all_classes_in_a_line_each(self, run, mail):
        lines = run("score", mail, "--top", 2)[1].splitlines()
        assert lines[0].split() == ["class", "terms"]
        assert lines[1].startswith("ham")
        assert lines[2].startswith("spam")

    def test_several_metrics_side_by_side_with_marks_of_negative_terms(self, run, mail):
        code, out, _ = run(
            "score",
            mail,
            "--metric",
            "bns",
            "--metric",
            "md",
            "--metric",
            "df",
            "--class",
            "spam",
            "--top",
            3,
        )
        lines = out.splitlines()
        assert code == 0
        assert lines[0] == "[spam]"
        assert lines[1].split() == ["bns", "md", "df"]
        assert "at (-)" in out

    def test_several_metrics_as_rows(self, run, mail):
        rows = json.loads(run("score", mail, "--metric", "bns", "--metric", "cc", "--top", 2, "--json")[1])
        assert [row["metric"] for row in rows] == ["bns"] * 4 + ["cc"] * 4

    def test_metrics_of_different_columns_lose_none(self, run, mail):
        rows = json.loads(
            run("score", mail, "--metric", "bns", "--metric", "df", "--metric", "chi2", "--json")[1]
        )
        assert {row["class"] for row in rows if row["metric"] == "df"} == {None}
        assert {row["class"] for row in rows if row["metric"] == "bns"} == {"ham", "spam"}
        assert all(row["p"] is not None for row in rows if row["metric"] == "chi2")

    def test_one_side(self, run, mail):
        rows = json.loads(run("score", mail, "--class", "spam", "--side", "against", "--json")[1])
        assert {row["sign"] for row in rows} == {-1}

    def test_a_metric_that_knows_no_classes(self, run, mail):
        assert run("score", mail, "--metric", "df", "--top", 1)[1].split() == [
            "term",
            "df",
            "score",
            "at",
            "3",
            "3",
        ]

    def test_rare_terms_are_left_out(self, run, mail):
        terms = {row["term"] for row in json.loads(run("score", mail, "--min-df", 3, "--json")[1])}
        assert terms == {"at", "free", "noon"}


class TestSelect:
    def test_terms_a_line_each(self, run, mail):
        code, out, _ = run("select", mail, "--metric", "chi2", "-k", 2)
        assert code == 0
        assert out.split() == ts.select(ts.count(mail), "chi2", ts.TopK(2))

    def test_to_a_file(self, run, mail, tmp_path):
        code, out, err = run("select", mail, "-k", 3, "-o", tmp_path / "terms.txt")
        assert (code, out) == (0, "")
        assert "3 of 16 terms written" in err
        assert len((tmp_path / "terms.txt").read_text(encoding="utf-8").split()) == 3

    def test_as_json_and_csv(self, run, mail):
        assert len(json.loads(run("select", mail, "-k", 4, "--json")[1])) == 4
        assert run("select", mail, "-k", 1, "--csv")[1].splitlines()[0] == "term"

    def test_a_policy_and_a_class(self, run, mail):
        policy = "PositiveNegative(2, ratio=0.5)"
        out = run("select", mail, "--metric", "cc", "--policy", policy, "--class", "spam")[1]
        assert out.split() == ts.select(ts.count(mail), "cc", ts.PositiveNegative(2, 0.5), for_class="spam")

    def test_k_above_the_number_of_terms_is_said(self, run, mail):
        code, out, err = run("select", mail, "-k", 500)
        assert code == 0
        assert err == "termsift: k is 500 but there are only 16 terms; all are kept\n"
        assert len(out.split()) == 16


def test_a_corpus_is_named_in_place_of_a_file(run):
    code, out, _ = run("score", "docstrings", "--class", "scipy.stats", "--top", 3)
    assert code == 0
    assert len(out.splitlines()) == 4


class TestMistakes:
    """Each is one line on stderr, nothing on stdout, exit 1."""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["score", "MAIL", "--metric", "chi"], "no metric named 'chi'; did you mean 'chi2'?"),
            (["score", "MAIL", "--class", "spma"], "no class named 'spma'; did you mean 'spam'?"),
            (["score", "MAIL", "--label", "labl"], "did you mean 'label'? it has: id, text, label"),
            (["score", "MAIL", "--text", "body"], "column 'body' is not in"),
            (["score", "MAIL", "--top", "0"], "top must be at least 1, got 0"),
            (["score", "MAIL", "--side", "up"], "no side named 'up'"),
            (["score", "MAIL", "--min-df", "0"], "min-df must be at least 1, got 0"),
            (["select", "MAIL", "-k", "0"], "k must be at least 1, got 0"),
            (["select", "MAIL", "-k", "-3"], "k must be at least 1, got -3"),
            (["select", "MAIL", "-k", "many"], 'unable to convert "many" into int'),
            (["select", "MAIL", "--policy", "TopN(3)"], "no policy named 'TopN'; did you mean 'TopK'?"),
            (["select", "MAIL", "--policy", "PositiveNegative(2)"], "needs a one-sided metric"),
            (["select", "MAIL", "--reduce", "median"], "no reduction named 'median'"),
            (["select", "MAIL", "-o", "FOLDER"], "is a folder; give the name of a file to write"),
            (["select", "MAIL", "-o", "FOLDER/no/terms.txt"], "does not exist"),
            (["score", "FOLDER"], "is a folder; give a file"),
            (["score", "FOLDER/none.csv"], "there is no file"),
            (["score", "FOLDER/*.jsonl"], "there is no file"),
            (["score", "docstring"], "there is no file docstring, nor a corpus of that name"),
            (["scor", "MAIL"], 'Unknown command "scor". Did you mean "score"?'),
            (["score", "MAIL", "--json", "--csv"], "give one of --json and --csv"),
            (["score"], "requires an argument"),
            (["score", "MAIL", "--metrik", "bns"], "--metrik"),
        ],
    )
    def test_the_arguments(self, run, mail, arguments, message):
        named = [a.replace("MAIL", str(mail)).replace("FOLDER", str(mail.parent)) for a in arguments]
        self.one_line(run(*named), message)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("empty.csv", b"", "is empty"),
            ("header.csv", b"text,label\n", "has no rows"),
            ("one.csv", b"text,label\na b,x\nc,x\n", "only 1 class: all documents are in 'x'"),
            ("missing.csv", b"text,label\na b,x\nc,\n", "row 2 has no label"),
            ("missing.jsonl", b'{"text": null, "label": 1}\n', "row 1 has no text"),
            ("ragged.csv", b"text,label\na,b,c,d\nx,y\n", "cannot be read as CSV"),
            ("latin.csv", "text,label\ngr\u00fc\u00dfe,x\n".encode("latin-1"), "cannot be read as CSV"),
            ("broken.jsonl", b'{"text": "a", "label"\n', "cannot be read as JSONL"),
            ("text.parquet", b"not parquet at all", "cannot be read as Parquet"),
            ("mail.txt", b"text,label\n", "cannot tell the format"),
            ("pipe.csv", b"text|label\nfree, prize|spam\n", "it has: text|label"),
            ("short.csv", b"text,label\na,x\nb\n", "Expected Number of Columns: 2 Found: 1"),
            ("mixed.jsonl", b'{"text": "a", "label": 1}\n{"text": "b", "label": "x"}\n', "mixed types"),
            ("nested.jsonl", b'{"text": "a", "label": {"a": 1}}\n', "not a single value"),
            ("broken.csv.gz", b"\x1f\x8b\x08\x00rubbish", "cannot be read as CSV"),
        ],
    )
    def test_the_file(self, run, tmp_path, name, content, message):
        (tmp_path / name).write_bytes(content)
        self.one_line(run("score", tmp_path / name), message)

    def test_files_of_different_formats(self, run, tmp_path):
        for name in ("a.csv", "a.tsv"):
            (tmp_path / name).write_text("text,label\n")
        self.one_line(run("score", tmp_path / "a.*"), "of different formats: CSV, TSV")

    def test_a_disk_that_is_full(self, run, mail):
        self.one_line(run("select", mail, "-k", 3, "-o", "/dev/full"), "No space left on device")

    def one_line(self, result, message):
        code, out, err = result
        assert code == 1
        assert out == ""
        assert err.startswith("termsift: ")
        assert err.count("\n") == 1
        assert message in err


def test_the_command_is_installed_and_needs_no_terminal(mail):
    command = [
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        "score",
        str(mail),
        "--top",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("class")
    assert done.stderr == ""


def test_a_reader_that_has_seen_enough_is_no_mistake(mail):
    command = f"{sys.executable} -c 'from termsift.cli import main; main()' metrics | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_letters_the_terminal_lacks_are_escaped(mail):
    command = [sys.executable, "-c", "from termsift.cli import main; main()", "select", str(mail), "-k", "16"]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True
    )
    assert b"\\u6771" in done.stdout


def test_counts_are_known_by_what_they_are_not_by_their_name(run, mail, tmp_path):
    run("count", mail, "-o", tmp_path / "counts.bin")
    assert run("select", tmp_path / "counts.bin", "-k", 3) == run("select", mail, "-k", 3)


def test_help_is_there_for_every_command(run):
    for command in ("metrics", "corpora", "count", "score", "select"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert command in out
