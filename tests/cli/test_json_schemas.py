"""What commands print with --json is what its schema says."""

from __future__ import annotations

import inspect
import json
import runpy
from pathlib import Path

import jsonschema
import pytest

from saved_models import compared, topic_texts
from termsift.cli.parameters import TableOutput
from termsift.cli.parser import COMMANDS, app_for

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs" / "data"
TICKETS, RAW = str(DATA / "tickets.csv"), str(DATA / "raw.csv")
ASKED = [
    ("metrics",),
    ("corpora",),
    ("count", TICKETS, "-o", "counts.parquet"),
    ("count", TICKETS, "--group", "customer", "-o", "counts.parquet"),
    ("score", TICKETS, "--top", "2"),
    ("score", TICKETS, "--class", "login", "--metric", "ig", "--metric", "log_odds_prior"),
    ("score", TICKETS, "--group", "customer", "--top", "2"),
    ("select", TICKETS, "-k", "3"),
    ("diff", str(DATA / "october.csv"), str(DATA / "september.csv")),
    ("keyness", str(DATA / "october.csv"), str(DATA / "september.csv")),
    ("concordance", TICKETS, "login"),
    ("concordance", TICKETS, "login", "--label", "label"),
    ("audit", RAW),
    ("benchmark", TICKETS, "--metric", "ig", "--metric", "bns", "-k", "9", "--folds", "2", "--repeats", "1"),
    ("compare", TICKETS, "--metric", "ig", "-k", "20", "--classifier", "multinomial_nb", "--repeats", "1"),
]


def schema(command: str) -> dict:
    return json.loads((ROOT / "docs" / "schemas" / f"{command}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "asked", ASKED, ids=lambda asked: " ".join(part for part in asked if "/" not in part)
)
def test_the_json_of_a_command_follows_its_schema(asked, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*asked, "--json")
    assert code == 0, err
    printed = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert printed
    jsonschema.validate(printed, schema(asked[0]))


@pytest.fixture
def saved(tmp_path):
    """A saved model, and a file of labelled documents."""
    compared("multinomial_nb").save(tmp_path / "model")
    texts, labels = topic_texts()
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "mail.jsonl").write_text("\n".join(lines))
    return tmp_path / "model", tmp_path / "mail.jsonl"


@pytest.mark.parametrize("command", ["explain", "evaluate"])
def test_the_json_of_a_model_follows_its_schema(command, run, saved):
    code, out, err = run(command, *saved, "--json")
    assert code == 0, err
    jsonschema.validate(json.loads(out), schema(command))


def test_each_line_of_predictions_follows_its_schema(run, saved):
    code, out, err = run(
        "predict", *saved, "--jsonl", "--decision-values", "--probabilities", "--keep", "text"
    )
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == len(saved[1].read_text().splitlines())
    for line in lines:
        jsonschema.validate(line, schema("predict"))


def test_prediction_schema_rejects_probabilities_above_1():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"row": 1, "label": "a", "probability a": 1.5}, schema("predict"))


def test_schemas_reject_invalid_values():
    row = {"term": "a", "class": "b", "sign": 1, "tp": 1, "fp": 0, "fn": 0, "tn": 1, "score": "high"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([row], schema("score"))


def test_every_command_that_prints_json_has_a_schema():
    def prints_json(name):
        given = inspect.signature(app_for([name])[name].default_command).parameters
        options = {"as_json", "as_jsonl"} & given.keys()
        return options or any(isinstance(option.default, TableOutput) for option in given.values())

    printing = {name for name in COMMANDS if prints_json(name)}
    assert printing == {path.stem for path in (ROOT / "docs" / "schemas").glob("*.json")}


def test_stored_schemas_are_up_to_date():
    files = runpy.run_path(str(ROOT / "docs" / "make" / "schemas.py"))["files"]()
    assert {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in files} == files
