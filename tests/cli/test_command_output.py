"""What a command writes: data as it is for programs, printable for people, and never over what it reads."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from mail_files import ROWS
from termsift.cli import main
from termsift.cli.console import print_message

STRANGE = "\x1b[31mred\x07\u202e\x9b"
WRITTEN = r"\x1b[31mred\x07\u202e\x9b"


def frame(path, mark=""):
    rows = [(text, label + mark) for text, label in ROWS]
    pd.DataFrame(rows, columns=["text", "label"]).to_csv(path, index=False)
    return path


class TestOutputIsNotInput:
    @pytest.fixture
    def place(self, tmp_path, monkeypatch):
        """A file by several names, a folder of classes, saved counts."""
        monkeypatch.chdir(tmp_path)
        frame("mail.csv")
        os.symlink("mail.csv", "link.csv")
        os.link("mail.csv", "hard.csv")
        for name in ("ham", "spam"):
            os.makedirs(f"classes/{name}")
            for i in range(3):
                (tmp_path / "classes" / name / f"{i}.txt").write_text(f"{name} {i} words")
        (tmp_path / "classes" / "ham" / "vocabulary.txt").write_text("ham words")
        ts.count("mail.csv").save("counts.parquet")
        return tmp_path

    @pytest.mark.parametrize(
        "arguments",
        [
            ("select", "mail.csv", "-o", "mail.csv"),
            ("select", "mail.csv", "-o", "link.csv"),
            ("select", "link.csv", "-o", "./mail.csv"),
            ("select", "hard.csv", "-o", "mail.csv"),
            ("select", "ma*.csv", "-o", "mail.csv"),
            ("select", "counts.parquet", "-o", "counts.parquet"),
            ("select", "classes", "-o", "classes/spam/1.txt"),
            ("count", "mail.csv", "-o", "link.csv"),
            ("report", "mail.csv", "-o", "mail.csv"),
            ("compare", "mail.csv", "--report", "mail.csv"),
            ("compare", "classes", "--save", "classes/ham/1.txt", "--overwrite"),
            ("audit", "mail.csv", "--report", "link.csv"),
            ("audit", "classes", "--test", "mail.csv", "--report", "mail.csv"),
            ("diff", "mail.csv", "hard.csv", "-o", "mail.csv"),
            ("diff", "classes", "mail.csv", "--report", "mail.csv"),
            ("merge", "counts.parquet", "counts.parquet", "-o", "counts.parquet"),
        ],
        ids=" ".join,
    )
    def test_overwriting_an_input_is_refused(self, run, place, arguments):
        before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
        code, out, err = run(*arguments)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "is also an input; choose another file" in err
        assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before

    def test_overwriting_standard_input_is_refused(self, place):
        command = [sys.executable, "-c", "from termsift.cli import main; main()", "select", "-", "-o"]
        with open("mail.csv") as mail:
            done = subprocess.run([*command, "mail.csv"], stdin=mail, capture_output=True, check=False)
        assert done.returncode == 1
        assert b"mail.csv is also an input" in done.stderr

    def test_overwriting_the_file_of_a_corpus_is_refused(self, run, place, monkeypatch):
        folder = place / "data"
        monkeypatch.setenv("TERMSIFT_DATA", str(folder))
        file = folder / next(row["file"] for row in ts.corpora.table() if row["name"] == "sms_spam")
        file.parent.mkdir(parents=True)
        file.write_text("ham\tsome text\n")
        assert "is also an input" in run("select", "sms_spam", "-o", file)[2]

    def test_another_file_is_written(self, run, place):
        assert run("select", "mail.csv", "-k", 3, "-o", "terms.txt")[0] == 0


class TestStreams:
    def test_counts_on_stdout_are_not_mixed_with_messages(self, mail, tmp_path):
        # a link of our own: the machine's /dev/stdout is not for tests
        (tmp_path / "out").symlink_to("/proc/self/fd/1")
        command = [sys.executable, "-c", "from termsift.cli import main; main()", "count", str(mail), "-o"]
        done = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, check=True)
        (tmp_path / "read").write_bytes(done.stdout)
        assert ts.Counts.load(tmp_path / "read") == ts.count(mail)
        assert b"saved to" in done.stderr
        assert (tmp_path / "out").is_symlink()

    def test_counts_are_written_to_a_named_pipe(self, run, mail, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        read = []
        reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()), daemon=True)
        reader.start()
        code, out, _ = run("count", mail, "-o", tmp_path / "pipe")
        reader.join(30)
        assert code == 0
        assert out.startswith("class")
        assert read[0].startswith(b"PAR1")
        assert (tmp_path / "pipe").is_fifo()


class Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self):
        return True


def seen(monkeypatch, *arguments, out=None):
    """What a command writes to a terminal, or to some other stream."""
    screen = Terminal() if out is None else out
    monkeypatch.setattr(sys, "stdout", screen)
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert stop.value.code == 0
    return screen.getvalue() if out is None else screen.buffer.getvalue()


class TestTerminals:
    @pytest.fixture
    def strange(self, tmp_path):
        """Counts from a stranger, whose terms and labels would paint the terminal."""
        matrix = np.array([[1, 0], [2, 0], [0, 1]])
        terms = [f"term{STRANGE}", "plain"]
        ts.count(matrix, [f"a{STRANGE}", f"a{STRANGE}", "b"], terms=terms).save(tmp_path / "c.parquet")
        return tmp_path / "c.parquet"

    @pytest.mark.parametrize(
        "arguments",
        [
            ("count",),
            ("count", "--csv"),
            ("score", "--all"),
            ("score", "--all", "--csv"),
            ("score", "--metric", "bns", "--metric", "ig"),
            ("select", "-k", 2),
            ("select", "-k", 2, "--csv"),
        ],
        ids=str,
    )
    def test_control_characters_are_escaped_on_a_terminal(self, monkeypatch, strange, arguments):
        out = seen(monkeypatch, arguments[0], strange, *arguments[1:])
        assert WRITTEN in out
        assert not set(out) & set("\x1b\x07\u202e\x9b")

    def test_control_characters_in_printed_tables_are_escaped(self, run, strange):
        assert f"a{WRITTEN}" in run("count", strange)[1]
        assert f"[a{WRITTEN}]" in run("score", strange, "--metric", "bns", "--metric", "ig")[1]

    def test_json_csv_and_terms_are_not_escaped(self, run, strange):
        assert run("select", strange, "-k", 2)[1].split("\n")[:2] == [f"term{STRANGE}", "plain"]
        assert json.loads(run("count", strange, "--json")[1])[0]["class"] == f"a{STRANGE}"
        rows = list(csv.DictReader(io.StringIO(run("count", strange, "--csv")[1])))
        assert rows[0]["class"] == f"a{STRANGE}"

    def test_binary_counts_are_not_written_to_a_terminal(self, monkeypatch, mail, tmp_path):
        (tmp_path / "out").symlink_to("/proc/self/fd/1")
        monkeypatch.setattr(sys, "stdout", Terminal())
        with pytest.raises(SystemExit) as stop:
            main(["count", str(mail), "-o", str(tmp_path / "out")])
        assert stop.value.code == 1

    def test_control_characters_in_comparisons_are_escaped(self, run, tmp_path):
        rows = [(text, label + STRANGE) for text, label in ROWS * 3]
        pd.DataFrame(rows, columns=["text", "label"]).to_csv(tmp_path / "mail.csv", index=False)
        quick = ("--metric", "bns", "-k", 2, "--classifier", "multinomial_nb", "--repeats", 1, "--folds", 2)
        code, out, err = run("compare", tmp_path / "mail.csv", *quick)
        assert (code, err) == (0, "")
        assert f"spam{WRITTEN}" in out
        assert "\x1b" not in out

    def test_messages_are_one_line_of_limited_length(self, capsys):
        print_message(f"termsift: {STRANGE}\n" * 9000)
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert len(err) < 1010
        assert WRITTEN in err

    def test_control_characters_are_escaped_in_notebooks(self):
        table = ts.Table({STRANGE: np.array([STRANGE], dtype=object)})
        assert table._repr_html_().count(WRITTEN) == 2
        assert repr(table).count(WRITTEN) == 2


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-16"])
    def test_output_for_programs_is_utf8_in_any_locale(self, monkeypatch, mail, encoding):
        expected = list(ts.select(ts.count(mail), "bns", ts.TopK(16)))
        assert not "".join(expected).isascii()

        def read(*more):
            out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
            return seen(monkeypatch, "select", mail, "-k", 16, *more, out=out).decode()

        assert read().split() == expected
        assert json.loads(read("--json")) == expected
        assert read("--csv").split() == ["term", *expected]

    def test_characters_outside_the_terminal_encoding_are_escaped(self, monkeypatch, mail):
        class Screen(io.TextIOWrapper):
            def isatty(self):
                return True

        out = Screen(io.BytesIO(), encoding="ascii")
        assert b"\\u6771" in seen(monkeypatch, "select", mail, "-k", 16, out=out)


FORMULAS = ["=1+1", "+1", "-1", "@sum(A1)", "\t=1", "a\rb", "a\nb", 'a"b', "a,b", " a", "", "plain"]


def test_csv_cells_survive_a_round_trip():
    table = ts.Table({"term": np.array(FORMULAS, dtype=object)})
    assert [row["term"] for row in csv.DictReader(io.StringIO(table.to_csv(), newline=""))] == FORMULAS
    assert pd.read_csv(io.StringIO(table.to_csv()), keep_default_na=False)["term"].tolist() == FORMULAS


LISTS = {
    "score": ["score", "MAIL", "--class", "spam", "--top", 3],
    "diff": ["diff", "MAIL", "MAIL"],
    "select": ["select", "MAIL", "-k", 3],
    "metrics": ["metrics"],
    "corpora": ["corpora"],
    "audit": ["audit", "MAIL"],
}
MAIL = "text,label\nfree prize,spam\nfree lunch,spam\nlunch at six,ham\nsee you,ham\n"


@pytest.fixture
def run_list(run, tmp_path):
    (tmp_path / "mail.csv").write_text(MAIL)
    return lambda name, *options: run(
        *(str(tmp_path / "mail.csv") if part == "MAIL" else part for part in LISTS[name]), *options
    )


class TestListFormats:
    @pytest.mark.parametrize("command", LISTS)
    def test_every_list_is_printed_and_written_in_every_format(self, run_list, tmp_path, command):
        for option, extension in (
            ("--csv", "csv"), ("--json", "json"), ("--markdown", "md"), ("--latex", "tex"), (None, "txt"),
        ):  # fmt: skip
            path = tmp_path / f"list.{extension}"
            code, printed, _ = run_list(command, *([] if option is None else [option]))
            assert code == 0
            # the extension chooses the format
            code, out, err = run_list(command, "-o", path)
            assert (code, out) == (0, "")
            assert err.splitlines()[-1].endswith(f"written to {path}")
            assert path.read_text() == printed
            assert printed.endswith("\n")

    def test_an_option_overrides_the_extension(self, run_list, tmp_path):
        run_list("select", "--markdown", "-o", tmp_path / "terms.csv")
        assert (tmp_path / "terms.csv").read_text().startswith("| term |")

    def test_two_formats_are_an_error_before_any_work(self, run_list):
        for command in LISTS:
            code, out, err = run_list(command, "--markdown", "--latex")
            assert (code, out, err) == (1, "", "termsift: give only one of --markdown and --latex\n")
