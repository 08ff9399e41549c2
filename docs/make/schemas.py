"""Write docs/schemas/*.json, the JSON Schema of what each command prints with --json, and docs/schemas.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT, WHOLE, NUMBER = ({"type": kind} for kind in ("string", "integer", "number"))
LABEL = {"type": ["string", "number", "boolean"]}
OPEN = {"type": ["number", "null"]}
TEXTS = {"type": "array", "items": TEXT}


def record(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def rows(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """Return the schema of a list of such objects."""
    return {"type": "array", "items": record(required, **optional)}


ANY_ROWS = {"type": "array", "items": {"type": "object"}}
CELLS = {"term": TEXT, "class": LABEL, "sign": {"enum": [-1, 0, 1]}} | dict.fromkeys(
    ("tp", "fp", "fn", "tn"), NUMBER
)
CANDIDATE = record({"method": TEXT, "classifier": TEXT, "terms": WHOLE, "mean": NUMBER, "error": NUMBER})

# the title of each schema, what it says, and the schema
SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "metrics": (
        "A list of metrics; a bound that is null means no bound.",
        rows(
            {
                "name": TEXT, "aliases": TEXTS, "formula": TEXT, "sided": {"enum": [0, 1, 2]}, "needs": TEXT,
                "bounds": {"type": "array", "items": OPEN, "minItems": 2, "maxItems": 2},
                "options": {"type": "object"}, "source": TEXT,
            }
        ),
    ),
    "corpora": (
        "A list of corpora: whether the file is there, and where its publisher offers it.",
        rows(
            {
                "name": TEXT, "state": TEXT, "documents": {"type": ["integer", "null"]},
                "classes": {"type": ["integer", "null"]}, "file": TEXT, "bytes": {"type": ["integer", "null"]},
                "sha256": TEXT, "where": TEXT, "citation": TEXT, "terms_of_use": TEXT,
            }
        ),
    ),
    "count": (
        "A list of classes; `groups` with `--group`.",
        rows({"class": LABEL, "documents": NUMBER, "terms": WHOLE, "occurrences": NUMBER}, groups=WHOLE),
    ),
    "score": (
        "A list of terms with their class, best first. `metric` where several are given; `share` and "
        "`share_outside` of the documents inside and outside the class; `tf`, `tf_outside`, `per_million` and "
        "`per_million_outside` for metrics of occurrences; `p` and `q` of unweighted documents; `range`, `expected`, `dp` and `juilland_d` with `--group`. An end of an interval that is null is infinite.",
        rows(
            CELLS | {"score": NUMBER},
            metric=TEXT, share=NUMBER, share_outside=NUMBER, tf=OPEN, tf_outside=OPEN, per_million=OPEN,
            per_million_outside=OPEN, p=OPEN, q=OPEN, effect=OPEN, low=OPEN, high=OPEN, significant={"type": ["boolean", "null"]},
            range=WHOLE, expected=NUMBER, dp=OPEN, juilland_d=OPEN,
        ),
    ),
    "select": ("The chosen terms, best first.", TEXTS),
    "diff": (
        "A list of terms: `more_in` names the corpus that has more of it, `target` and `reference` count documents, or "
        "occurrences if the metric does; then there are rates per million instead of shares.",
        rows(
            {"more_in": TEXT, "term": TEXT, "target": NUMBER, "reference": NUMBER, "effect": OPEN, "low": OPEN, "high": OPEN, "score": NUMBER},
            target_share=NUMBER, reference_share=NUMBER, target_per_million=NUMBER, reference_per_million=NUMBER,
            p=OPEN, q=OPEN, significant={"type": ["boolean", "null"]},
        ),
    ),
    "keyness": (
        "A list of words: `more_in` names the corpus in which the word is more frequent, `target` and `reference` count "
        "its occurrences. Dispersion is null for a corpus without documents.",
        rows(
            {
                "more_in": TEXT, "term": TEXT, "target": NUMBER, "reference": NUMBER, "target_per_million": NUMBER,
                "reference_per_million": NUMBER, "ll": NUMBER, "log_ratio": NUMBER, "percent_diff": NUMBER,
            },
            welch_t=OPEN, range=OPEN, dp=OPEN, dp_norm=OPEN, juilland_d=OPEN,
        ),
    ),
    "concordance": (
        "A list of occurrences: the number of the document, from 0, and the term between the texts to its left and "
        "right; `label` with `--label`.",
        rows({"document": WHOLE, "left": TEXT, "term": TEXT, "right": TEXT}, label=TEXT),
    ),
    "audit": (
        "A finding per check; its rows have the columns of the table.",
        record(
            {
                "documents": WHOLE, "test_documents": WHOLE, "classes": WHOLE, "skipped": {"type": "array"},
                "findings": rows({"check": TEXT, "count": WHOLE, "sentence": TEXT, "rows": ANY_ROWS}),
            }
        ),
    ),
    "benchmark": (
        "The number of problems, sentences, and tables as lists of rows; `best` has the value of each method on each "
        "problem, `residual`, `pairs` and `differences` need two methods, the bands the sizes of the classes.",
        record(
            {
                "problems": WHOLE, "answer": TEXTS,
                "chances": rows({"goal": TEXT, "tolerance": NUMBER, "method": TEXT, "wins": WHOLE, "share": NUMBER}),
                "by_size": rows({"goal": TEXT, "method": TEXT, "terms": {"type": ["integer", "string", "null"]}, "mean": NUMBER}),
                "best": rows({"goal": TEXT, "problem": TEXT, "method": TEXT, "value": NUMBER}),
            },
            by_skew=ANY_ROWS, by_positives=ANY_ROWS, residual=ANY_ROWS, pairs=ANY_ROWS, differences=ANY_ROWS,
        ),
    ),
    "compare": (
        "The whole comparison: sentences, the recommended and the best candidate, and tables as lists of rows.",
        record(
            {
                "goal": TEXT, "split": TEXT, "folds": WHOLE, "repeats": WHOLE, "chosen": CANDIDATE, "best": CANDIDATE,
                "expected": OPEN, "better_than_guessing": {"type": "boolean"}, "answer": TEXTS, "details": TEXTS,
                "dropped_candidates": TEXTS, "warnings": TEXTS,
                "words": {"type": "object", "additionalProperties": TEXTS},
                # a column for each further goal
                "summary": {
                    "type": "array",
                    "items": record(
                        {
                            "candidate": TEXT, "features": TEXT, "classifier": TEXT, "terms": WHOLE, "mean": NUMBER,
                            "error": NUMBER, "difference": NUMBER, "p": OPEN, "documents_per_second": OPEN,
                        }
                    )
                    | {"additionalProperties": OPEN},
                },
                "methods": ANY_ROWS, "trade_off": ANY_ROWS, "classes": ANY_ROWS,
                "by_class": rows(
                    {"class": LABEL, "method": TEXT, "classifier": TEXT, "terms": WHOLE, "mean": NUMBER, "error": NUMBER}
                ),
                "chances": rows({"method": TEXT, "chance": NUMBER}),
                "pairs": rows({"method": TEXT, "other": TEXT, "wins": WHOLE, "share": NUMBER, "ties": WHOLE}),
                "costs": rows(
                    {"method": TEXT, "classifier": TEXT, "terms": WHOLE, "features": WHOLE, "seconds": NUMBER}
                ),
                "candidates": ANY_ROWS,
            }
        )
        # tables may come
        | {"additionalProperties": True},
    ),
    "predict": (
        "With `--jsonl` a line for each document: its number, the columns that were kept, and its label, or a list of "
        "them; `--decision-values` and `--probabilities` add a number per class.",
        {
            "type": "object",
            "properties": {"row": WHOLE, "label": LABEL | {"type": [*LABEL["type"], "array"], "items": LABEL}},
            "required": ["row", "label"],
            "patternProperties": {"^decision_value ": NUMBER, "^probability ": {"type": "number", "minimum": 0, "maximum": 1}},
        },
    ),
    "explain": (
        "A list of documents, by row: the labels, the class that is explained, and the contribution of each word to its "
        "decision value.",
        rows(
            {
                "row": WHOLE, "labels": {"type": "array", "items": LABEL}, "name": LABEL,
                "reference": {"type": ["string", "number", "boolean", "null"]}, "decision_value": NUMBER, "intercept": NUMBER,
                "words": rows({"term": TEXT, "times": NUMBER, "contribution": NUMBER}),
            }
        ),
    ),
    "evaluate": (
        "Figures with their intervals; `confusion` has a row per true class and a column per predicted class.",
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
                "error_pairs": rows({"truth": LABEL, "predicted": LABEL, "documents": WHOLE}),
                "misleading": rows(
                    {"term": TEXT, "truth": TEXT, "predicted": TEXT, "documents": WHOLE, "weight": NUMBER}
                ),
                "classes": {"type": "array", "items": LABEL},
                "confusion": {"type": "array", "items": {"type": "array", "items": WHOLE}},
            }
        ),
    ),
}  # fmt: skip


def files() -> dict[str, str]:
    """Return the page and the schemas, by their names below docs/."""
    schemas = {
        f"schemas/{name}.json": json.dumps(
            {
                "$schema": DRAFT,
                "title": f"termsift {name} --json{'l' if name == 'predict' else ''}",
                "description": words,
                **schema,
            },
            indent=1,
        )
        + "\n"
        for name, (words, schema) in SCHEMAS.items()
    }
    return schemas | {"schemas.md": page()}


def page() -> str:
    """Return the page that lists them."""
    lines = [
        "# JSON schemas\n",
        "Written by `make docs` from `docs/make/schemas.py`; do not edit.\n",
        "Each command that has `--json` prints one JSON value to stdout, in UTF-8; messages go to stderr.",
        "A [JSON Schema](https://json-schema.org) describes it, and tests check that the commands keep to it.\n",
        "| command | prints | schema |\n|---|---|---|",
    ]
    lines += [
        f"| `termsift {name}` | {words} | [{name}.json](schemas/{name}.json) |"
        for name, (words, _) in SCHEMAS.items()
    ]
    lines += [
        "",
        "`--csv`, `--markdown` and `--latex` print the same columns; [the guide](guide/commands.md#output) lists the exit codes.\n",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    for name, text in files().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
