"""termsift compare: advice and tables on stdout, talk on stderr, files where they were asked for."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from compared_texts import noise, several, topical
from termsift.cli import console

QUICK = ("--metric", "bns", "-k", 5, "-k", 20, "--classifier", "multinomial_nb", "--repeats", 1)


@pytest.fixture
def posts(tmp_path):
    texts, labels = topical(20)
    path = tmp_path / "posts.csv"
    pd.DataFrame({"body": texts, "topic": labels}).to_csv(path, index=False)
    return path


def columns(path):
    return (path, "--text", "body", "--label", "topic")


def test_advice_and_tables_are_printed(run, posts):
    code, out, err = run("compare", *columns(posts), *QUICK)
    assert (code, err) == (0, "")
    words, answer, summary, *rest = out.split("\n\n")
    assert words.splitlines()[0].split() == ["class", "documents", "words"]
    assert summary.split()[:4] == ["candidate", "features", "classifier", "terms"]
    assert "\nguessing " in summary
    assert answer.startswith("Use ")
    assert "Expected on new data: 0." in answer
    assert "Best candidate of each method" not in out
    assert rest[-1].startswith("Next: --save FILE")
    detailed = run("compare", *columns(posts), *QUICK, "--details")[1]
    assert detailed.startswith(f"{words}\n\n{answer}\n\ncandidate ")
    assert "Best candidate of each method:\nmethod" in detailed
    assert "and the best method:\nclass" in detailed


def test_json_has_all_results_and_csv_every_candidate(run, posts):
    code, out, _ = run("compare", *columns(posts), *QUICK, "--json")
    told = json.loads(out)
    assert code == 0
    assert {"chosen", "best", "answer", "warnings", "words", "dropped_candidates", "candidates"} <= set(told)
    assert told["answer"][0].startswith("Use ")
    _, out, err = run("compare", *columns(posts), *QUICK, "--csv")
    assert err.startswith("Use ")
    assert len(list(csv.DictReader(io.StringIO(out)))) == len(told["candidates"])


def test_several_labels_and_a_goal_are_supported(run, tmp_path):
    texts, labels = several(40)
    path = tmp_path / "posts.jsonl"
    pd.DataFrame({"text": texts, "label": labels}).to_json(path, orient="records", lines=True)
    code, out, _ = run("compare", path, *QUICK, "--goal", "f1_micro")
    assert code == 0
    assert "f1_micro" in out
    assert "each label as in most documents" in out or "random labels by frequency" in out


def test_report_without_texts_contains_no_word_pairs(run, tmp_path):
    texts, labels = topical(20)
    path, page = tmp_path / "posts.csv", tmp_path / "page.html"
    pd.DataFrame({"body": texts * 2, "topic": labels * 2}).to_csv(path, index=False)
    _, out, _ = run("compare", *columns(path), *QUICK, "--report", page)
    pairs = {" ".join(text.split()[:2]) for text in texts}
    assert "duplicate" in out
    assert any(pair in page.read_text(encoding="utf-8") for pair in pairs)
    run("compare", *columns(path), *QUICK, "--report", page, "--no-texts")
    assert not any(pair in page.read_text(encoding="utf-8") for pair in pairs)


def test_a_report_and_a_model_are_written(run, posts, tmp_path):
    model, report = tmp_path / "model", tmp_path / "report.html"
    code, out, err = run("compare", *columns(posts), *QUICK, "--save", model, "--report", report)
    assert code == 0
    assert "<html" in report.read_text(encoding="utf-8")
    assert f"report written to {report}" in err
    assert f"termsift predict {model} new.csv --text body -o labels.csv" in out
    assert out.count("Next: ") == 1
    lines = out[out.index("import termsift") :]
    assert len(lines.splitlines()) <= 5
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("['")


def test_stdout_has_only_data_if_a_model_is_saved(run, posts, tmp_path):
    code, out, err = run("compare", *columns(posts), *QUICK, "--save", tmp_path / "model", "--json")
    assert code == 0
    assert json.loads(out)["chosen"]
    assert "import termsift as ts\n" in err


def test_standard_input_is_compared(run, posts, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(posts.read_bytes())))
    assert run("compare", "-", "--text", "body", "--label", "topic", *QUICK)[0] == 0


def test_no_model_is_saved_if_no_candidate_is_better_than_guessing(run, tmp_path):
    path = tmp_path / "noise.csv"
    texts, labels = noise(100)
    pd.DataFrame({"text": texts, "label": labels}).to_csv(path, index=False)
    code, out, err = run("compare", path, *QUICK, "--save", tmp_path / "model")
    assert code == 1
    assert "No candidate is significantly better than" in out.split("\n\n")[1]
    assert "recommended" not in out
    assert err == "termsift: no model saved: no candidate is better than guessing\n"
    assert not (tmp_path / "model").exists()


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--goal", "f_two"], "no goal named 'f_two'"),
            (["--classifier", "tree"], "no classifier named 'tree'"),
            (["--seed", "-1"], "--seed must be a whole number of at least 0, got -1"),
            (["--budget", "-3"], "budget must be a number of seconds above 0"),
            (["--save", "FOLDER/posts.csv"], "exists; choose another name, or replace it with"),
            (["--save", "/proc/model"], "cannot write /proc/model"),
            (["--report", "FOLDER"], "is a folder; give the name of a file to write"),
            (["--json", "--csv"], "give only one of --json and --csv"),
        ],
    )
    def test_invalid_options_are_rejected_before_the_work(self, run, posts, arguments, message):
        named = [argument.replace("FOLDER", str(posts.parent)) for argument in arguments]
        code, out, err = run("compare", *columns(posts), *QUICK, *named)
        assert (code, out) == (1, "")
        assert message in err
        assert len(err.splitlines()) == 1

    def test_saved_counts_are_rejected(self, run, posts, tmp_path):
        run("count", *columns(posts), "-o", tmp_path / "counts.parquet")
        _, _, err = run("compare", tmp_path / "counts.parquet")
        assert "contains counts; pass the documents" in err

    def test_unknown_names_are_rejected(self, run):
        assert "did you mean 'docstrings'?" in run("compare", "docstring")[2]


class TestProgress:
    @pytest.fixture
    def clock(self, monkeypatch):
        """Seconds that the progress lines see."""
        seconds = [0.0]
        monkeypatch.setattr(console.time, "monotonic", lambda: seconds[0])
        return seconds

    def reports(self, clock, capsys, *, duration, as_json=False):
        """Lines of a task of 100 units that takes this many seconds after 30 seconds of reading."""
        progress = console.LineProgress("comparing", as_json=as_json)
        for done in range(1, 101):
            clock[0] = 30 + duration * (done - 1) / 99
            progress.update(done, 100)
        return capsys.readouterr().err.splitlines()

    def test_a_long_task_is_estimated_first_and_reported_every_ten_seconds(self, clock, capsys):
        lines = self.reports(clock, capsys, duration=49.5)
        assert lines[0] == "comparing: 3% after 31 s, about 48 s remaining"
        assert len(lines) == 5

    @pytest.mark.parametrize("as_json", [False, True])
    def test_a_long_step_is_reported_every_ten_seconds(self, clock, capsys, as_json):
        """A step without a report from second 2 to 62, looked at every second."""
        progress = console.LineProgress("comparing", as_json=as_json)
        for second in range(63):
            clock[0] = float(second)
            if second in (1, 2):
                progress.update(second, 100)
            progress.write_if_silent()
        lines = capsys.readouterr().err.splitlines()
        if as_json:
            seconds = [json.loads(line)["seconds"] for line in lines]
        else:
            seconds = [int(line.split(" after ")[1].split(" s")[0]) for line in lines]
            assert lines[-1] == "comparing: 2% after 62 s, still running"
        assert max(np.diff([0, *seconds, 62])) <= 10

    def test_json_has_every_report(self, clock, capsys):
        lines = list(map(json.loads, self.reports(clock, capsys, duration=49.5, as_json=True)))
        assert [line["done"] for line in lines] == list(range(1, 101))
        assert lines[0]["remaining"] is None
        assert lines[50] == {"done": 51, "total": 100, "seconds": 55.0, "remaining": 24.5}

    def test_stdout_has_only_data(self, run, posts):
        code, out, err = run("compare", *columns(posts), *QUICK, "--progress", "json", "--csv")
        reports = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        assert code == 0
        assert reports[-1]["done"] == reports[-1]["total"]
        assert len(list(csv.DictReader(io.StringIO(out)))) > 1
