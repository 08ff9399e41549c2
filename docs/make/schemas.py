"""Write docs/schemas/*.json, the JSON Schema of what each command prints with --json, and docs/schemas.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT, WHOLE, NUMBER, FLAG = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
LABEL = {"type": ["string", "number", "boolean"]}
OPEN = {"type": ["number", "null"]}
TEXTS = {"type": "array", "items": TEXT}


def record(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object of these fields and no others."""
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def rows(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """A list of such objects."""
    return {"type": "array", "items": record(required, **optional)}


ANY_ROWS = {"type": "array", "items": {"type": "object"}}
CELLS = {"term": TEXT, "class": LABEL, "sign": {"enum": [-1, 0, 1]}} | dict.fromkeys(
    ("tp", "fp", "fn", "tn"), NUMBER
)
CANDIDATE = record({"method": TEXT, "classifier": TEXT, "terms": WHOLE, "mean": NUMBER, "error": NUMBER})

# the title of each schema, what it says, and the schema
SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "metrics": (
        "A line of the catalogue each; a bound that is null is none.",
        rows(
            {
                "name": TEXT, "aliases": TEXTS, "formula": TEXT, "sided": {"enum": [0, 1, 2]}, "needs": TEXT,
                "bounds": {"type": "array", "items": OPEN, "minItems": 2, "maxItems": 2},
                "options": {"type": "object"}, "p_value": FLAG, "source": TEXT,
            }
        ),
    ),
    "corpora": (
        "A corpus each: whether its file is there, and where its publisher offers it.",
        rows(
            {
                "name": TEXT, "state": TEXT, "documents": {"type": ["integer", "null"]},
                "classes": {"type": ["integer", "null"]}, "file": TEXT, "bytes": {"type": ["integer", "null"]},
                "sha256": TEXT, "where": TEXT, "citation": TEXT, "terms_of_use": TEXT,
            }
        ),
    ),
    "count": (
        "A class each; `groups` with `--group`.",
        rows({"class": LABEL, "documents": NUMBER, "terms": WHOLE, "occurrences": NUMBER}, groups=WHOLE),
    ),
    "score": (
        "A term of a class each, best first. `metric` where several are asked for; `p` and `q` where chance "
        "is known; `range` and `expected` with `--group`. An end of an interval that is null has none.",
        rows(
            CELLS | {"score": NUMBER},
            metric=TEXT, p=OPEN, q=OPEN, effect=OPEN, low=OPEN, high=OPEN, above_chance={"type": ["boolean", "null"]},
            range=WHOLE, expected=NUMBER,
        ),
    ),
    "select": ("The chosen terms, best first.", TEXTS),
    "diff": (
        "A term each: `more_in` names the corpus that has more of it, `new` and `old` are documents, or "
        "occurrences of a list of words.",
        rows(
            {"more_in": TEXT, "term": TEXT, "new": NUMBER, "old": NUMBER, "effect": OPEN, "low": OPEN, "high": OPEN, "score": NUMBER},
            p=OPEN, q=OPEN, above_chance={"type": ["boolean", "null"]},
        ),
    ),
    "audit": (
        "What was found, a finding per check; the fields of its rows are those of the table.",
        record(
            {
                "documents": WHOLE, "test_documents": WHOLE, "classes": WHOLE, "skipped": {"type": "array"},
                "findings": rows({"check": TEXT, "count": WHOLE, "sentence": TEXT, "rows": ANY_ROWS}),
            }
        ),
    ),
    "compare": (
        "The whole comparison: sentences, the recommended and the best candidate, and tables as lists of rows.",
        record(
            {
                "goal": TEXT, "split": TEXT, "folds": WHOLE, "repeats": WHOLE, "chosen": CANDIDATE, "best": CANDIDATE,
                "expected": OPEN, "answer": TEXTS, "details": TEXTS, "left_out": TEXTS, "warnings": TEXTS,
                "words": {"type": "object", "additionalProperties": TEXTS},
                "methods": ANY_ROWS, "by_size": ANY_ROWS, "trade_off": ANY_ROWS, "classes": ANY_ROWS,
                "candidates": ANY_ROWS,
            }
        )
        # tables may come
        | {"additionalProperties": True},
    ),
    "explain": (
        "A document each, by its row: its labels, the class that is explained, and what each word gives to its "
        "margin.",
        rows(
            {
                "row": WHOLE, "labels": {"type": "array", "items": LABEL}, "name": LABEL,
                "against": {"type": ["string", "number", "boolean", "null"]}, "margin": NUMBER, "start": NUMBER,
                "words": rows({"term": TEXT, "times": NUMBER, "contribution": NUMBER}),
            }
        ),
    ),
    "evaluate": (
        "Figures with the ends of their intervals; `confusion` has a row per class, a column per decision.",
        record(
            {
                "documents": WHOLE, "answer": TEXTS,
                "figures": rows({"measure": TEXT, "value": NUMBER, "low": NUMBER, "high": NUMBER}),
                "by_class": rows(
                    {
                        "class": LABEL, "documents": WHOLE, "precision": NUMBER, "recall": NUMBER, "f1": NUMBER,
                        "low": NUMBER, "high": NUMBER,
                    }
                ),
                "confused": rows({"truth": LABEL, "decided": LABEL, "documents": WHOLE}),
                "misleading": rows(
                    {"term": TEXT, "truth": TEXT, "decided": TEXT, "documents": WHOLE, "push": NUMBER}
                ),
                "classes": {"type": "array", "items": LABEL},
                "confusion": {"type": "array", "items": {"type": "array", "items": WHOLE}},
            }
        ),
    ),
    "study": (
        "A row of the study's first table each.",
        ANY_ROWS,
    ),
}  # fmt: skip


def files() -> dict[str, str]:
    """The page and the schemas, by their names below docs/."""
    schemas = {
        f"schemas/{name}.json": json.dumps(
            {"$schema": DRAFT, "title": f"termsift {name} --json", "description": words, **schema}, indent=1
        )
        + "\n"
        for name, (words, schema) in SCHEMAS.items()
    }
    return schemas | {"schemas.md": page()}


def page() -> str:
    """The page that lists them."""
    lines = [
        "# What programs read\n",
        "Written by `make docs` from `docs/make/schemas.py`; do not edit.\n",
        "Each command that has `--json` prints one JSON value to stdout, in UTF-8; talk goes to stderr.",
        "What it looks like is a [JSON Schema](https://json-schema.org), which the tests hold the commands to.\n",
        "| command | prints | schema |\n|---|---|---|",
    ]
    lines += [
        f"| `termsift {name}` | {words} | [{name}.json](schemas/{name}.json) |"
        for name, (words, _) in SCHEMAS.items()
    ]
    lines += [
        "",
        "`--csv` prints the same columns, and the exit codes are in [the guide](guide.md#what-a-command-writes).\n",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    for name, text in files().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
