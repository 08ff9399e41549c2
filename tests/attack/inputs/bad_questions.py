"""The functions that answer a question about documents, with options that nobody expects."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from bad_options import LABELS, TEXTS, X, odd_options, parameters
from changes import strange_value
from trying import check

import termsift as ts

READING = ["encoding", "label_separator", "on_missing", "min_df", "max_df", "strange"]
QUICK: dict[str, Any] = {
    "metrics": ["chi2"],
    "classifiers": ["multinomial_nb"],
    "k": [2],
    "folds": 2,
    "repeats": 1,
}


def options_of(function: Any) -> list[str]:
    """What a function takes beside data and labels, with what is handed on to the engine that reads."""
    return [
        name
        for name in parameters(function, *READING)
        if name not in ("data", "labels", "target", "reference")
    ]


def corpus(rng: random.Random, folder: Path) -> tuple[Any, Any]:
    """Mostly labelled documents, in one of their forms."""
    path = folder / "mail.csv"
    path.write_text("text,label\n" + "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS, LABELS, strict=True)) * 4)
    return rng.choice(
        [(TEXTS * 4, LABELS * 4), (X.tolist() * 4, LABELS * 4), (path, None), (TEXTS * 4, strange_value(rng))]
        if rng.random() < 0.9
        else [(strange_value(rng), strange_value(rng))]
    )


def compare_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.compare, in a corner where it is quick."""
    options = odd_options(rng, options_of(ts.compare))
    # what fits a thousand folds, or tries all classifiers, is slow and not wrong
    known = {name: value for name, value in QUICK.items() if name not in options}
    found = ts.compare(*corpus(rng, folder), **known, **options)
    check(len(str(found)) > 0, "nothing is said")


def report_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.report: a page, or one line."""
    page = ts.report(*corpus(rng, folder), **odd_options(rng, options_of(ts.report)))
    check(page.endswith("</html>\n") or page.rstrip().endswith("</html>"), "half a page")


def audit_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.audit."""
    found = ts.audit(*corpus(rng, folder), **odd_options(rng, options_of(ts.audit)))
    check(isinstance(found.to_json(), str) and found.to_text(2), "nothing is said")


def diff_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.diff: two corpora, of which one may be anything."""
    data, _ = corpus(rng, folder)
    pair = rng.choice([(data, TEXTS), (TEXTS, data), (TEXTS[:2], strange_value(rng)), (TEXTS, {"free": 3})])
    found = ts.diff(*pair, **odd_options(rng, options_of(ts.diff)))
    found.more(rng.choice([2, None]), **odd_options(rng, ["effect", "level", "adjust"]))
    repr(found)
