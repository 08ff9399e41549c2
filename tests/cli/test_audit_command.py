"""termsift audit: what is wrong on stdout, and an exit code for those who ask."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def mail(tmp_path):
    rng = np.random.default_rng(0)
    words = {name: [f"{name[:3]}{i}" for i in range(12)] for name in ("spam", "ham")}
    common = [f"w{i}" for i in range(90)]
    rows = [
        (" ".join([*rng.choice(words[c], 3), *rng.choice(common, 12)]), c) for c in words for _ in range(40)
    ]
    path = tmp_path / "mail.csv"
    pd.DataFrame(rows, columns=["text", "label"]).to_csv(path, index=False)
    return path


def change(path, **columns):
    frame = pd.read_csv(path)
    for name, values in columns.items():
        for i, value in values.items():
            frame.loc[i, name] = value
    frame.to_csv(path, index=False)


def test_clean_data_has_no_problems(run, mail):
    code, out, err = run("audit", mail, "--fail-on", "any")
    assert (code, err) == (0, "")
    assert "No problems found." in out


def test_fail_on_exits_with_code_3_if_a_check_fails(run, mail):
    change(mail, label={0: "Spam"})
    assert run("audit", mail)[0] == 0
    assert run("audit", mail, "--fail-on", "duplicates,encoding")[0] == 0
    code, out, err = run("audit", mail, "--fail-on", "duplicates, label_variants")
    assert code == 3
    assert "failed checks of --fail-on: label_variants" in err
    assert "'Spam'" in out
    assert run("audit", mail, "--fail-on", "any")[0] == 3


def test_json_and_report_are_written(run, mail, tmp_path):
    change(mail, label={0: None, 5: " ham"})
    code, out, err = run("audit", mail, "--json", "--report", tmp_path / "audit.html")
    assert code == 0
    assert [one["check"] for one in json.loads(out)["findings"]] == [
        "missing",
        "label_variants",
        "small_classes",
    ]
    assert "report written to" in err
    assert "Audit of" in (tmp_path / "audit.html").read_text()


def test_test_documents_are_checked_for_leakage(run, mail, tmp_path):
    test = tmp_path / "test.csv"
    pd.read_csv(mail).iloc[[3, 60]].to_csv(test, index=False)
    code, out, _ = run("audit", mail, "--test", test, "--fail-on", "leakage")
    assert code == 3
    assert "2 test documents" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-on", "copys"], "there are: 'any', 'missing'"),
        (["--top", "-1"], "top must be at least 0"),
        (["--text", "body"], "column 'body' is not in"),
    ],
)
def test_invalid_arguments_are_one_line_errors(run, mail, options, message):
    code, out, err = run("audit", mail, *options)
    assert (code, out) == (1, "")
    assert message in err


def test_report_does_not_overwrite_the_input(run, mail):
    assert "is also an input" in run("audit", mail, "--report", mail)[2]


def test_a_second_label_and_a_source_are_columns(run, mail):
    frame = pd.read_csv(mail)
    frame["model"] = [("ham" if i < 3 else name) for i, name in enumerate(frame["label"])]
    frame["folder"] = frame["label"].str.upper()
    frame.to_csv(mail, index=False)
    code, out, _ = run("audit", mail, "--label2", "model", "--source", "folder", "--fail-on", "shortcuts")
    assert code == 3
    assert "Agreement 96.2%" in out
    assert "SPAM (100%)" in out
    assert run("audit", mail, "--label2", "modle")[2].count("did you mean 'model'?") == 1
