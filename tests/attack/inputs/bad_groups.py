"""Counts by groups: their files damaged, or altered with care; groups that are no groups."""

from __future__ import annotations

import io
import json
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from bad_counts import answered, check_structure, packed_values, write_altered
from bad_files import documents
from bad_options import LABELS, TEXTS, odd_options
from changes import altered_bytes, strange_value
from trying import check

import termsift as ts

PAIRS: list[Any] = [
    5, "abc", [], ["a"], ["a", "x", "x"], [None, "x"], ["a", None], [["a"], "x"], ["a", {"date": "x"}],
    ["a", {}], [1, "x"], ["a", 1], [float("nan"), "x"], ["a", 10**400], {"date": "2024-01-01"},
    [{"datetime": "9999"}, "x"], ["\ud800", "x"], ["a\x1b[31m", "x"], [True, "x"], ["", ""],
]  # fmt: skip


@lru_cache(maxsize=4)
def grouped_bytes(which: int) -> bytes:
    """Counts by groups as they are saved: one label, several, weights, numbers for groups."""
    import tempfile

    rows = documents(random.Random(which), 40)
    texts, labels = [text for text, _ in rows], [label for _, label in rows]
    made = [
        lambda: ts.count(texts, labels, groups=["ann", "bob", "eve", "joe"] * 10),
        lambda: ts.count(texts, [[label, "all"] for label in labels], groups=["ann", "bob"] * 20),
        lambda: ts.count(
            texts, labels, groups=[*range(20)] * 2, sample_weight=[i % 5 / 3 for i in range(40)]
        ),
        ts.GroupedCounts.empty,
    ]
    with tempfile.TemporaryDirectory() as folder:
        made[which]().save(Path(folder) / "grouped")
        return (Path(folder) / "grouped").read_bytes()


def a_grouped_file(rng: random.Random, folder: Path) -> None:
    """The attempt at files of counts by groups, altered as bytes, as tables, or in their pairs."""
    path, way = folder / "grouped.parquet", rng.random()
    content = grouped_bytes(rng.choice([0, 0, 0, 1, 1, 2, 3]))
    if way < 0.25:
        path.write_bytes(altered_bytes(rng, content))
    elif way < 0.6:
        write_altered(rng, path, content)
    else:
        write_other_pairs(rng, path, content)
    use_groups(rng, ts.GroupedCounts.load(path), folder)


def write_other_pairs(rng: random.Random, path: Path, content: bytes) -> None:
    """Write the table with other pairs, or another name of what the groups are."""
    table = pq.read_table(io.BytesIO(content))
    metadata = dict(table.schema.metadata)
    names = list(ts.Counts.load(io_path(path, content)).classes)
    for _ in range(rng.choice([1, 1, 2])):
        if names:
            odd = rng.choice([json.dumps(rng.choice(PAIRS)), "[" * 3000, "", "[1", rng.choice(names)])
            names[rng.randrange(len(names))] = odd
    metadata[b"termsift.classes"] = packed_values(
        [name.encode("utf-8", "replace").decode() for name in names]
    )
    if rng.random() < 0.2:
        metadata[b"termsift.groups"] = packed_values(rng.choice([[], [1], ["a", "b"], ["\x1b[31m"], [None]]))
    pq.write_table(table.replace_schema_metadata(metadata), path)


def io_path(path: Path, content: bytes) -> Path:
    """A file of the bytes, beside the one that will be written."""
    beside = path.with_name("whole.parquet")
    beside.write_bytes(content)
    return beside


def use_groups(rng: random.Random, grouped: ts.GroupedCounts, folder: Path) -> None:
    """Whatever was loaded can be used: sums by class and by group agree, scores are finite."""
    check_structure(grouped.pairs)
    check_structure(grouped.counts)
    check(np.asarray(grouped.group_sizes).sum() <= grouped.pairs.documents * (1 + 1e-6), "groups of too many")
    check((grouped.range <= len(grouped.groups)).all(), "a term in more groups than there are")
    for metric in rng.sample(["chi2", "bns", "ig", "cmh", "odds_ratio"], 2):
        answered(lambda metric=metric: finite_jackknife(grouped, metric))
    answered(lambda: ts.score(grouped, "cmh"))
    check(grouped + grouped is not None, "no sum")
    grouped.save(folder / "again.parquet")
    check(ts.GroupedCounts.load(folder / "again.parquet") == grouped, "saved again, it is another")
    check(len(repr(grouped)) < 1000, "a long repr")


def finite_jackknife(grouped: ts.GroupedCounts, metric: str) -> None:
    """The intervals of a metric over groups; the scores themselves are finite."""
    found = ts.jackknife(grouped, metric)
    check(np.isfinite(np.asarray(found.values, dtype=float)).all(), f"{metric} is not finite")


def group_options(rng: random.Random, folder: Path) -> None:
    """The attempt at groups, at intervals over them, and at effects with their intervals."""
    groups = rng.choice([["a", "b"] * 10, [*range(20)], strange_value(rng), [strange_value(rng)] * 20])
    texts, labels = TEXTS * 4, LABELS * 4
    grouped = ts.count(texts, labels, groups=groups)
    if not isinstance(grouped, ts.GroupedCounts):
        return
    way = rng.randrange(3)
    if way == 0:
        options = {"metric": "chi2"} | odd_options(rng, ["metric", "level", "smoothing", "strange"])
        ts.jackknife(grouped, **options).top("spam")
    elif way == 1:
        ts.score(grouped.counts, "chi2").top(
            "spam", 3, **odd_options(rng, ["effect", "level", "adjust", "direction", "keep_nested"])
        )
    else:
        ts.score(grouped, **{"metric": "cmh"} | odd_options(rng, ["metric", "reduce", "strange"]))
