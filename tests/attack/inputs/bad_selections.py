"""Saved selections that are damaged, or that someone has altered with care."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

from bad_counts import answered
from bad_files import documents
from changes import altered_bytes, strange_texts
from trying import check

import termsift as ts


@lru_cache(maxsize=4)
def selection_text(which: int) -> str:
    """A selection as JSON."""
    counts = ts.count(*map(list, zip(*documents(random.Random(which), 30), strict=True)))
    policies = [ts.TopK(4), ts.RoundRobin(3), ts.Percentile(50), ts.Threshold(0)]
    return ts.select(counts, "chi2", policies[which]).to_json()


def a_selection(rng: random.Random, folder: Path) -> None:
    """The attempt at saved selections."""
    text = selection_text(rng.randrange(4))
    path = folder / "selection.json"
    if rng.random() < 0.4:
        path.write_bytes(altered_bytes(rng, text.encode()))
    else:
        what = json.loads(text)
        alter_json(rng, what)
        path.write_text(json.dumps(what), encoding="utf-8")
    chosen = ts.Selection.from_json(
        path if rng.random() < 0.7 else path.read_bytes().decode("utf-8", "replace")
    )
    check(len(chosen) == len(chosen.terms) == len(chosen.table()), "parts of different length")
    check(all(isinstance(term, str) for term in chosen), "a term that is no text")
    repr(chosen), chosen[:2], chosen == ["a"], hash(chosen)
    answered(lambda: ts.Selection.from_json(chosen.to_json(folder / "again.json")))
    answered(lambda: chosen.to_vectorizer().transform(["free prize lunch"]))


def alter_json(rng: random.Random, what: dict[str, Any]) -> None:
    """Change a value, or a part of one, or a key."""
    key = rng.choice(list(what))
    odd: list[Any] = [
        None,
        True,
        -1,
        1e308,
        2**70,
        float("nan"),
        float("inf"),
        "",
        [],
        {},
        [[]],
        [None],
        "\ud800",
        "a\0",
        {"a": [1]},
    ]
    odd += [
        ["a"] * 3,
        [-1, 2**63, 1],
        "TopK(",
        "TopK(k=10**400)",
        "TopK(__import__('os'))",
        "(" * 500,
        "Analyzer(" * 300,
        *strange_texts()[:8],
    ]
    if rng.random() < 0.2:
        del what[key]
    elif isinstance(what[key], list) and what[key] and rng.random() < 0.6:
        what[key][rng.randrange(len(what[key]))] = rng.choice(odd)
    else:
        what[key] = rng.choice([*odd, what[key][:-1] if isinstance(what[key], list | str) else 0])
