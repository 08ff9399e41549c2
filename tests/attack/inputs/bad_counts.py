"""Saved counts and saved selections that are damaged, or that someone has altered with care."""

from __future__ import annotations

import base64
import io
import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bad_files import documents
from changes import altered_bytes
from trying import check

import termsift as ts
from termsift.counts.parquet import DIGEST

LISTS = ["class", "class_df", "class_tf", "class_tf2"]
TOTALS = ["df", "tf", "tf2"]
NUMBERS = [-1, 0, 1, 2, 5, 127, 2**31 - 1, -(2**31), 10**6]
WIDE = [*NUMBERS, 2**53, 2**63 - 1, -(2**63)]
FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, 0.5, 1e300, 1e-320, 2.0**53]


@lru_cache(maxsize=8)
def whole_bytes(which: int) -> bytes:
    """Counts as they are saved: one label, several, weights, numbers for classes, none at all."""
    rows = documents(random.Random(which), 40)
    texts, labels = [text for text, _ in rows], [label for _, label in rows]
    made = [
        lambda: ts.count(texts, labels),
        lambda: ts.count(texts, [[label, "all"] if i % 3 else [] for i, label in enumerate(labels)]),
        lambda: ts.count(texts, labels, sample_weight=[i % 5 / 3 for i in range(40)]),
        lambda: ts.count(texts, [len(label) for label in labels], analyzer=ts.Analyzer(ngram_range=(1, 2))),
        lambda: ts.count(texts, ["one"] * 40),
        ts.Counts.empty,
    ]
    sink = io.BytesIO()
    table = saved_table(made[which]())
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def saved_table(counts: ts.Counts) -> Any:
    """The table of a file of counts, without the digest: who alters it with care leaves that out."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        counts.save(Path(folder) / "counts")
        table = pq.read_table(Path(folder) / "counts")
    known = {key: value for key, value in table.schema.metadata.items() if key != DIGEST.encode()}
    return table.replace_schema_metadata(known)


def a_counts_file(rng: random.Random, folder: Path) -> None:
    """The attempt at files of counts, altered as tables are or as bytes are."""
    path = folder / "counts.parquet"
    content = whole_bytes(rng.choice([0, 0, 0, 1, 2, 3, 4, 5]))
    if rng.random() < 0.35:
        path.write_bytes(altered_bytes(rng, content))
    else:
        write_altered(rng, path, content)
    use_counts(rng, ts.Counts.load(path), folder)


def write_altered(rng: random.Random, path: Path, content: bytes) -> None:
    """Write the table after one or two changes; what Arrow refuses to make is left whole."""
    table = pq.read_table(io.BytesIO(content))
    for _ in range(rng.choice([1, 1, 2])):
        try:
            table = rng.choice(ALTERATIONS)(rng, table)
        except (pa.ArrowException, ValueError, TypeError, KeyError, IndexError, OverflowError):
            continue
    try:
        pq.write_table(table, path, row_group_size=rng.choice([None, None, 3]))
    except (pa.ArrowException, ValueError):
        path.write_bytes(content)


def use_counts(rng: random.Random, counts: ts.Counts, folder: Path) -> None:
    """Whatever was loaded can be used: nothing crashes, every score is finite."""
    check_structure(counts)
    for metric in rng.sample([metric.name for metric in ts.metrics()], 4):
        answered(lambda metric=metric: finite_scores(counts, metric))
    answered(lambda: ts.select(counts, "chi2", ts.TopK(3)).table())
    check(counts + counts is not None, "no sum")
    counts.save(folder / "again.parquet")
    check(ts.Counts.load(folder / "again.parquet") == counts, "saved again, it is another")
    check(len(repr(counts)) < 1000, "a long repr")


def check_structure(counts: ts.Counts) -> None:
    """The indices of loaded counts are within their arrays, and the values are counts."""
    for table in (counts.df, counts.tf, counts.tf2):
        table.check_format(full_check=True)
        check(table.shape == (len(counts.terms), len(counts.classes)), "a shape of its own")
        check(table.has_canonical_format, "classes of a term out of order, or twice")
        check(
            np.isfinite(table.data).all() and (table.data >= 0).all(),
            "a count that is negative or not finite",
        )
    check(len(set(counts.terms)) == len(counts.terms), "a term twice")
    check(len(set(counts.classes)) == len(counts.classes), "a class twice")
    check(all(isinstance(term, str) for term in counts.terms), "a term that is no text")


def finite_scores(counts: ts.Counts, metric: str) -> None:
    """The scores of a metric, which are finite."""
    values = np.asarray(ts.score(counts, metric), dtype=float)
    check(np.isfinite(values).all(), f"{metric} is not finite")


def answered(call: Callable[[], Any]) -> None:
    """The call works, or answers with one of our errors."""
    try:
        call()
    except ts.TermsiftError as error:
        check("\n" not in str(error), "an answer of several lines")


def replaced(table: Any, name: str, column: Any) -> Any:
    """The table with another column of that name."""
    return table.set_column(table.column_names.index(name), name, column)


def other_values(rng: random.Random, values: list[Any]) -> list[Any]:
    """Values, one or some of which are others."""
    values = list(values)
    for _ in range(rng.choice([1, 1, 3])):
        if values:
            whole = all(isinstance(value, int) for value in values)
            values[rng.randrange(len(values))] = rng.choice(WIDE if whole and rng.random() < 0.7 else FLOATS)
    return values


def other_index(rng: random.Random, table: Any) -> Any:
    """Class indices out of range, out of order, or twice."""
    rows = table["class"].to_pylist()
    i = rng.randrange(len(rows))
    if rows[i] and rng.random() < 0.6:
        rows[i][rng.randrange(len(rows[i]))] = rng.choice(NUMBERS)
    else:
        rows[i] = rng.choice([rows[i][::-1], [0] * len(rows[i]), rows[i] + [0], [], [-1], list(range(50))])
    return replaced(
        table, "class", pa.array(rows, pa.large_list(rng.choice([pa.int32(), pa.int32(), pa.int64()])))
    )


def other_list(rng: random.Random, table: Any) -> Any:
    """Counts of classes that are others, more or fewer."""
    name = rng.choice(LISTS[1:])
    rows = table[name].to_pylist()
    i = rng.randrange(len(rows))
    rows[i] = rng.choice(
        [other_values(rng, rows[i]), rows[i][:-1], rows[i] + [1], [None] * len(rows[i]), None]
    )
    return replaced(table, name, pa.array(rows))


def other_total(rng: random.Random, table: Any) -> Any:
    """Counts of terms that are others."""
    name = rng.choice(TOTALS)
    return replaced(table, name, pa.array(other_values(rng, table[name].to_pylist())))


def other_term(rng: random.Random, table: Any) -> Any:
    """Terms that are odd, there twice, missing or no texts."""
    terms = table["term"].to_pylist()
    i = rng.randrange(len(terms))
    terms[i] = rng.choice([terms[0], terms[-1], None, "", "\0", "\x1b[31m", "\u202e", "z" * 100_000, " "])
    made = [
        pa.array(terms),
        pa.array(range(len(terms))),
        pa.array([[t] for t in terms]),
        pa.array(terms).dictionary_encode(),
    ]
    made.append(pa.array([str(term).encode() + b"\xff" for term in terms], pa.binary()))
    return replaced(table, "term", rng.choice([made[0], made[0], *made]))


def other_type(rng: random.Random, table: Any) -> Any:
    """A column of another type."""
    name = rng.choice(table.column_names)
    n = table.num_rows
    made = [
        pa.array([None] * n), pa.array(["a"] * n), pa.array([1.5] * n), pa.array([[1.5]] * n),
        pa.array([{"a": 1}] * n),
        pa.array([[["a"]]] * n), pa.array([True] * n), pa.array(range(n), pa.uint64()),
        pa.array([[0, 1]] * n, pa.list_(pa.int8())),
        pa.array([[0, 1]] * n, pa.list_(pa.int32(), 2)), pa.array([b"\xff"] * n),
        pa.array(range(n), pa.decimal128(30, 2)),
        pa.array([["0", "1"]] * n), pa.array([[0, None]] * n), pa.array(range(n), pa.timestamp("s")),
        pa.array([[0.0, float("nan")]] * n),
    ]  # fmt: skip
    return replaced(table, name, rng.choice(made))


def other_columns(rng: random.Random, table: Any) -> Any:
    """Columns missing, renamed, twice, or more rows, or none."""
    name = rng.choice(table.column_names)
    return rng.choice([
        lambda: table.drop_columns([name]), lambda: table.append_column(name, table[name]),
        lambda: table.slice(0, 0),
        lambda: table.rename_columns(rng.sample(table.column_names, table.num_columns)),
        lambda: table.slice(1),
        lambda: pa.concat_tables([table, table]),
        lambda: table.append_column("extra", pa.array([1] * table.num_rows)),
        lambda: table.take(pa.array(range(table.num_rows - 1, -1, -1))), lambda: table.select([]),
    ])()  # fmt: skip


def packed_values(values: Any, name: str = "values") -> bytes:
    """Values as a file's metadata has them."""
    sink = pa.BufferOutputStream()
    batch = pa.record_batch({name: values if isinstance(values, pa.Array) else pa.array(values)})
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return base64.b64encode(sink.getvalue().to_pybytes())


def other_metadata(rng: random.Random, table: Any) -> Any:
    """Metadata missing, damaged, or of other values."""
    metadata = dict(table.schema.metadata)
    key = rng.choice(list(metadata))
    values = [
        [], [1], [1, 2, 3], ["a"], ["a", "a", "b"], [None], [None, None, None], [-1, 2, 3],
        [float("nan")] * 3, [1e300] * 3, [float("inf")],
        [0, 0, 0], [True, False, True], [[1], [2], [3]], ["x\x1b[31m", "\u202e", "c"], [b"\xff", b"a", b"b"],
        list(range(1000)), [2**63 - 1] * 3,
        pa.array(["a", "b", "c"]).dictionary_encode(), pa.array([1, 2, 3], pa.timestamp("ns")),
        [{"a": 1}] * 3, ["Analyzer(" * 50], ["__import__('os')"],
        ["Analyzer(stop_words=open('x'))"], ["Analyzer(ngram_range=(1, 10**9))"],
    ]  # fmt: skip
    made = [
        None, b"", b"\xff\xfe", b"1", b"2", b"-1", b"x", b"1.5", b"9" * 5000, b"AAAA",
        base64.b64encode(rng.randbytes(200)), altered_bytes(rng, metadata[key]),
        base64.b64encode(altered_bytes(rng, base64.b64decode(metadata[key] + b"==="))),
        packed_values([1], "other"), *[packed_values(value) for value in values],
    ]  # fmt: skip
    metadata[key] = rng.choice(made)
    if metadata[key] is None:
        del metadata[key]
    if rng.random() < 0.1:
        metadata[b"\xff\xfe"] = b"\xff"
    return table.replace_schema_metadata(metadata)


ALTERATIONS = [
    *[other_index, other_list, other_total, other_metadata] * 3,
    other_term,
    other_type,
    other_columns,
]
