"""Files of documents that are damaged, odd or hostile: CSV, TSV, JSON lines, Parquet, folders of classes."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from changes import altered_file, packed_bytes, strange_texts
from trying import check

import termsift as ts
from termsift.engines.inputs import load_documents

WORDS = [
    "free",
    "prize",
    "lunch",
    "noon",
    "grüße",
    "東京",
    "claim",
    "now",
    "naïve",
    "a",
    "\u2028",
    "=cmd",
    "x1",
]


def documents(rng: random.Random, size: int | None = None) -> list[tuple[str, str]]:
    """Texts and labels of a small corpus."""
    size = rng.choice([1, 3, 12, 60]) if size is None else size
    return [
        (" ".join(rng.choices(WORDS, k=rng.randrange(9))), rng.choice(["spam", "ham", "work"]))
        for _ in range(size)
    ]


def quoted(cell: str) -> str:
    """A cell of a CSV file."""
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\n\r;') else cell


def csv_bytes(rng: random.Random) -> bytes:
    """A CSV file, often with something odd in its header or rows."""
    comma = rng.choice([",", ",", ",", ";"])
    header = ["text", "label"]
    if rng.random() < 0.3:
        header = rng.choice(
            [header * 2, ["id", *header], header + strange_texts()[:30], ["text", "text\nlabel"], ["label"]]
        )
        header = rng.choice([header, [*header, "h" * rng.choice([300, 70_000])]])
    rows = [[text, label] + [""] * (len(header) - 2) for text, label in documents(rng)]
    if rng.random() < 0.3 and rows:
        rng.choice(rows)[rng.randrange(2)] = rng.choice(strange_texts())
    if rng.random() < 0.1 and rows:
        rng.choice(rows).append("one too many")
    lines = [comma.join(map(quoted, row)) for row in [header, *rows]]
    return rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines).encode("utf-8", "surrogatepass") + rng.choice(
        [b"", b"\n"]
    )


def tsv_bytes(rng: random.Random) -> bytes:
    """A TSV file."""
    rows = [("text", "label"), *documents(rng)]
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def json_value(rng: random.Random, plain: str) -> Any:
    """What stands where a text or a label should."""
    odd = [
        None,
        1,
        -0.0,
        1e308,
        True,
        [],
        {},
        [plain, "b"],
        [[1]],
        [None],
        {"a": plain},
        2**70,
        [1, "a"],
        "\ud800",
        "a\0b",
    ]
    return rng.choice(odd) if rng.random() < 0.1 else plain


def jsonl_bytes(rng: random.Random) -> bytes:
    """JSON lines, often with something odd in them."""
    lines = [json.dumps({"text": json_value(rng, t), "label": json_value(rng, c)}) for t, c in documents(rng)]
    if rng.random() < 0.3:
        odd = [
            "[" * 20_000,
            "9" * 5000,
            "{}",
            "[]",
            "null",
            "",
            " ",
            '{"text": "a"}',
            '{"text": NaN, "label": Infinity}',
        ]
        odd += [
            '{"text": "a", "label": ' + "[" * 20_000,
            '{"text": "a", "label": ' + "9" * 5000 + "}",
            '{"text": "\\ud800", "label": "\\udfff"}',
        ]
        odd += [
            '{"text": "a", "text": "b", "label": 1, "label": 2}',
            '{"text": ' + '{"a":' * 5000 + "1" + "}" * 5000 + ', "label": 1}',
        ]
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(odd))
    return "\n".join(lines).encode() + rng.choice([b"", b"\n"])


def odd_column(rng: random.Random, plain: list[str]) -> Any:
    """An Arrow column that is not of plain strings."""
    n = len(plain)
    made = [
        lambda: pa.array(range(n)), lambda: pa.array([float("nan")] * n), lambda: pa.array([None] * n),
        lambda: pa.array([None] * n, pa.string()), lambda: pa.array([[x, x] for x in plain]),
        lambda: pa.array([{"a": x} for x in plain]),
        lambda: pa.array(plain).dictionary_encode(),
        lambda: pa.array([x.encode() + b"\xff" for x in plain], pa.binary()),
        lambda: pa.array(plain, pa.large_string()), lambda: pa.array([i % 2 == 0 for i in range(n)]),
        lambda: pa.array([i / 3 for i in range(n)], pa.float32()),
        lambda: pa.array(range(n), pa.timestamp("ns", "UTC")), lambda: pa.array(range(n), pa.date32()),
        lambda: pa.array(range(n), pa.decimal128(20, 3)),
        lambda: pa.array([x if i % 3 else None for i, x in enumerate(plain)]),
        lambda: pa.array([[None, x] for x in plain]),
        lambda: pa.array(range(n), pa.uint64()), lambda: pa.array([np.inf, -np.inf] * n)[:n],
        lambda: pa.array([[[x]] for x in plain]),
        lambda: pa.array([2**63 + i for i in range(n)], pa.uint64()),
        lambda: pa.array(range(n), pa.time64("us")),
        lambda: pa.array([x[:3].ljust(3) for x in map(ascii, plain)]),
    ]  # fmt: skip
    return rng.choice(made)()


def parquet_bytes(rng: random.Random) -> bytes:
    """A Parquet file, often with columns of other types, twice, missing, or with odd metadata."""
    rows = documents(rng)
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(2)]
    names = ["text", "label"]
    if rng.random() < 0.4:
        i = rng.randrange(2)
        columns[i] = odd_column(rng, [row[i] for row in rows])
    if rng.random() < 0.15:
        names = rng.choice(
            [["text", "text"], ["label", "label"], ["TEXT", "Label"], ["text", "a\0b"], ["text", ""]]
        )
    table = pa.Table.from_arrays(columns, names=names)
    if rng.random() < 0.15:
        table = table.replace_schema_metadata(
            {b"\xff\xfe": b"\xff", b"termsift.counts": rng.choice([b"1", b"x", b"\xff"])}
        )
    sink = io.BytesIO()
    pq.write_table(
        table, sink, compression=rng.choice(["none", "zstd", "snappy"]), store_schema=rng.random() < 0.8
    )
    return sink.getvalue()


MADE = {"csv": csv_bytes, "tsv": tsv_bytes, "jsonl": jsonl_bytes, "parquet": parquet_bytes}


def reading(rng: random.Random) -> dict[str, Any]:
    """Ways to read, all of them right."""
    options: dict[str, Any] = {"on_missing": rng.choice(["error", "skip"])}
    if rng.random() < 0.2:
        options["encoding"] = rng.choice(
            ["utf-8", "latin-1", "utf-16", "cp1252", "ascii", "utf-8-sig", "gb18030", "auto"]
        )
    if rng.random() < 0.15:
        options["encoding_errors"] = "replace"
    if rng.random() < 0.2:
        options["label_separator"] = rng.choice(["|", ",", " "])
    if rng.random() < 0.2:
        options["memory"] = rng.choice([1, 1 << 12])
    if rng.random() < 0.1:
        options["analyzer"] = rng.choice(
            [
                str.split,
                ts.Analyzer(analyzer="char"),
                ts.Analyzer(ngram_range=(1, 3), strip_accents="unicode"),
            ]
        )
    return options


def a_file(kind: str, compression: str = "") -> Any:
    """The attempt at files of a format."""
    ending = f"{kind}.{compression}" if compression else kind

    def attempt(rng: random.Random, folder: Path) -> None:
        path = folder / f"mail.{ending}"
        content = MADE[kind](rng)
        if rng.random() < 0.25:
            path.write_bytes(packed_bytes(content, compression))
        else:
            altered_file(rng, path, content, compression)
        options = reading(rng)
        if rng.random() < 0.15:
            known = {name: value for name, value in options.items() if name not in ("memory", "analyzer")}
            load_documents(path, **known)
        else:
            used(ts.count(path, **options))

    return attempt


def used(counts: ts.Counts) -> None:
    """Counts that were made can be used: scores are finite."""
    check(counts.term_df.size == len(counts.terms), "counts whose parts do not fit")
    for metric in ("chi2", "bns", "ig"):
        values = np.asarray(ts.score(counts, metric))
        check(np.isfinite(values).all(), f"{metric} is not finite")
