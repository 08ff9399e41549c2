"""Exit codes of every command, as docs/guide.md lists them, and --quiet."""

from __future__ import annotations

import json

import pytest

import termsift as ts
from termsift.cli import main
from termsift.cli.parser import COMMANDS

ROWS = [
    ("free prize", "spam"),
    ("free lunch prize", "spam"),
    ("lunch now", "ham"),
    ("see you at lunch", "ham"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Paths of a corpus, counts, a model, and results that commands read."""
    folder = tmp_path_factory.mktemp("exit")
    lines = [f"{text},{label},{i % 3},{i % 10}\n" for i, (text, label) in enumerate(ROWS * 10)]
    (folder / "mail.csv").write_text("text,label,author,day\n" + "".join(lines))
    texts, labels = zip(*ROWS * 10, strict=True)
    ts.count(list(texts), list(labels)).save(folder / "mail.counts")
    comparison = ts.compare(list(texts), list(labels), metrics=["bns"], max_terms=5)
    comparison.save(folder / "mail.model")
    columns = "problem,method,f1\n"
    (folder / "results.csv").write_text(
        columns + "".join(f"p{i},{m},{i / 10}\n" for i in range(6) for m in "ab")
    )
    return folder


def arguments(command, folder):
    """Return arguments with which a command succeeds."""
    mail, counts, model = (str(folder / name) for name in ("mail.csv", "mail.counts", "mail.model"))
    return {
        "audit": [mail],
        "benchmark": ["--results", str(folder / "results.csv"), "--goal", "f1"],
        "compare": [mail, "--metric", "bns", "--max-terms", "5"],
        "concordance": [mail, "lunch"],
        "corpora": [],
        "count": [mail, "-o", str(folder / "new.counts")],
        "diff": [mail, counts],
        "evaluate": [model, mail],
        "explain": [model, mail],
        "export": [model, "-o", str(folder / "pipeline.skops")],
        "keyness": [mail, mail],
        "landscape": ["bns", "-o", str(folder / "bns.html")],
        "merge": [counts, counts, "-o", str(folder / "sum.counts")],
        "metrics": [],
        "predict": [model, mail],
        "report": [mail, "-o", str(folder / "report.html")],
        "score": [mail],
        "select": [mail, "-k", "3"],
        "warm": [],
    }[command]


def run(capsys, *given):
    """Return the exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in given])
    return stop.value.code, *capsys.readouterr()


@pytest.fixture(autouse=True)
def restored_environment(monkeypatch):
    """Restore the variable that `warm` sets in its process."""
    monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "")


@pytest.fixture(autouse=True)
def no_compilation(monkeypatch):
    monkeypatch.setattr("termsift.cli.commands.compile_all_kernels", lambda: None)


@pytest.mark.parametrize("command", COMMANDS)
def test_success_is_0_and_quiet_leaves_only_data(files, capsys, command):
    given = [command, *arguments(command, files)]
    code, out, _ = run(capsys, *given)
    assert code == 0
    quiet_code, quiet_out, err = run(capsys, *given, "--quiet")
    assert (quiet_code, err) == (0, "")
    # seconds differ from run to run
    assert quiet_out == out or command == "compare"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistake_is_1_and_one_line_even_with_quiet(files, capsys, command):
    for quiet in ([], ["--quiet"]):
        code, out, err = run(capsys, command, *arguments(command, files), "--no-such-option", *quiet)
        assert (code, out) == (1, "")
        assert err.startswith("termsift: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("corpora", "metrics", "warm")])
def test_a_missing_file_or_name_is_1(files, capsys, command):
    given = arguments(command, files)
    broken = [
        str(files / "missing.csv") if word.startswith(str(files)) and i == 0 else word
        for i, word in enumerate(given)
    ]
    if command == "benchmark":
        broken[1] = str(files / "missing.csv")
    if command == "landscape":
        broken[0] = "no_such_metric"
    code, _, err = run(capsys, command, *broken)
    assert code == 1
    assert err.startswith("termsift: ")


def test_findings_named_by_fail_on_are_3(files, capsys):
    assert run(capsys, "audit", files / "mail.csv", "--fail-on", "duplicates", "--quiet")[0] == 3
    assert run(capsys, "audit", files / "mail.csv", "--fail-on", "empty_documents", "--quiet")[0] == 0


def test_an_empty_list_is_a_success(tmp_path, capsys):
    (tmp_path / "few.csv").write_text("text,label\na b,x\nc d,y\n")
    code, out, _ = run(capsys, "score", tmp_path / "few.csv", "--json")
    assert (code, json.loads(out)) == (0, [])
