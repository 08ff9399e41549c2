"""Well-formed inputs with hostile meaning: labels, texts and columns that nobody expects, and packed files of them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from bad_commands import fault_of_talk, run
from trying import check, fault_of_line

import termsift as ts

LABELS: list[Any] = [
    "-o", "--help", "--quiet", "-", "--", "@file", "../../etc/passwd", "/dev/stdout", "C:\\x", "*.csv", "~", "$HOME", "`id`",
    "0", "1e400", "nan", "-1.5", "True", "None", "2024-02-30", "=1+1", "x" * 20_000, "\u202eabc", "a\u200bb",
    "\u200b", "\ufeffx", "\u0430dmin", "e\u0301", "<script>alert(1)</script>", "{{x}}", "%s%n", "'; DROP TABLE t", "a|b", "a,b",
    "\x1b[31mred", "a\nb", "a\tb", "𝕏", "ａ", "x + y", "[x]", "class", "term", "",
]  # fmt: skip
TEXTS = [
    "free prize", "lunch now", "\u202efree\u202c prize", "fr\u200bee", "a" * 50_000, "e\u0301" * 2000, "<b>" * 3000 + "deep",
    "<script>x</script>free", "&#x202e;&lt;b&gt;&#99999999;&amp" * 20, "<!-- " * 500, "<p title='" + "x" * 9000, "\0free\0",
    "中文字" * 400, "🙂" * 3000, "123 456 1e9", "ſtraße İI", " ", "=cmd()", "--top 5", "free " * 3000,
]  # fmt: skip
OPTIONS = [
    "--html",
    "--keep-case",
    "--strip-accents",
    "--hashtags",
    "--all",
    "--json",
    "--csv",
    "--keep-nested",
]
PACK = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def rows_of(rng: random.Random, size: int = 40) -> list[dict[str, str]]:
    """Rows of a corpus with a group, a weight and a time, in which two hostile labels occur often."""
    labels, texts = (
        rng.sample(LABELS, rng.choice([2, 2, 3, 6])),
        rng.sample(TEXTS, 8) + ["free prize lunch"] * 4,
    )
    times = [
        "2024-01-01",
        "2024-01-02T03:04:05Z",
        "1700000000",
        "31/12/2024",
        "0000-00-00",
        "99999-01-01",
        "now",
        "",
    ]
    kind = rng.choice([times[:1], times[:3], times])
    return [
        {
            "text": " ".join(rng.sample(texts, 2)), "label": rng.choice(labels),
            "author": rng.choice([*labels, "ann", "bob"]), "weight": rng.choice(["1", "2", "0.5", "-1", "nan", "1e308"]),
            "time": rng.choice(kind),
        }
        for _ in range(size)
    ]  # fmt: skip


def content_of(rows: list[dict[str, str]], kind: str) -> bytes:
    """The rows as CSV, JSON lines or a spreadsheet."""
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if kind == "xlsx":
        import openpyxl

        book, stream = openpyxl.Workbook(), io.BytesIO()
        book.active.append(list(rows[0]))
        for row in rows:
            # cells may hold 32,767 characters, and no control characters
            book.active.append(["".join(c for c in v if c.isprintable())[:32_000] for v in row.values()])
        book.save(stream)
        return stream.getvalue()
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write_corpus(rng: random.Random, folder: Path) -> Path:
    """A hostile corpus in a format, packed, or several files in a zip archive."""
    kind, packing = rng.choice(["csv", "csv", "jsonl", "xlsx"]), rng.choice(list(PACK))
    content = content_of(rows_of(rng), kind)
    if rng.random() < 0.25:
        path = folder / "corpus.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in rng.sample(
                [f"a.{kind}", f"b/-o.{kind}", f"../c.{kind}", f"\u202e.{kind}", "x.zip"], 2
            ):
                archive.writestr(name, content)
        return path
    packing = "" if kind == "xlsx" else packing
    path = folder / ".".join(filter(None, ["corpus", kind, packing]))
    path.write_bytes(PACK[packing](content))
    return path


def a_meaning(rng: random.Random, folder: Path) -> None:
    """Commands over a hostile corpus: exit 0, 1 or 3, printable lines, output that can be parsed."""
    path = write_corpus(rng, folder)
    command = rng.choice(["score", "select", "count", "audit", "diff", "keyness", "concordance", "report"])
    words = [command, str(path)]
    if command in ("diff", "keyness"):
        words.append(str(write_corpus(rng, folder)))
    if command == "concordance":
        words += [rng.choice(["free", "free prize", "\u200b", "(", "x" * 5000, "中文"])]
    if command in ("count", "report"):
        words += ["-o", str(folder / ("out.counts" if command == "count" else "out.html"))]
    more = {
        "score": [["--group", "author"], ["--control", "author"], ["--class", rng.choice(LABELS)]],
        "count": [["--group", "author"]],
        "audit": [["--time", "time"], ["--group", "author"], ["--fail-on", "any"]],
    }.get(command, [])
    words += rng.choice([[], *more]) + rng.sample(
        ["--html", "--keep-case", "--strip-accents", "--hashtags"], rng.choice([0, 1, 2])
    )
    as_json = rng.random() < 0.4 and command not in ("count", "report")
    words += ["--on-missing", "skip"] * (command != "audit") + ["--json"] * as_json
    code, out, err = run(words)
    fault = fault_of_talk(code, err, (0, 1, 3))
    check(fault is None, f"{fault} of {' '.join(words)!a}"[:600])
    if as_json and code != 1:
        json.loads(out)
    elif command == "report" and code == 0:
        page = (folder / "out.html").read_text(encoding="utf-8")
        check("<script>alert(1)" not in page, "a label runs on the page")
    elif code == 0:
        # tables for people show no control or direction marks
        fault = next(
            (f for line in out.decode().splitlines() if line and (f := fault_of_line(line, 10**6))), None
        )
        check(fault is None or command == "select", f"{fault} of {' '.join(words)!a}"[:400])


def many_classes(rng: random.Random, folder: Path) -> None:
    """Many thousands of classes, groups or columns, and documents with hundreds of labels."""
    n = rng.choice([1000, 20_000, 100_000])
    texts, labels = [f"word{i % 7} free" for i in range(n)], [str(i) for i in range(n)]
    way = rng.randrange(4)
    if way == 0:
        counts = ts.count(texts, labels)
        check(len(counts.classes) == n and int(counts.class_sizes.sum()) == n, "classes are missing")
        check(np.isfinite(np.asarray(ts.score(counts, "chi2", reduce="max"))).all(), "not finite")
    elif way == 1:
        counts = ts.count(texts, ["a", "b"] * (n // 2), groups=labels)
        check(len(counts.groups) == n, "groups are missing")
    elif way == 2:
        counts = ts.count(texts[:50], [labels[:300]] * 50)
        check(counts.documents == 50 and set(counts.class_sizes.tolist()) == {50}, "labels are missing")
    else:
        path = folder / "wide.jsonl"
        nested = "[" * rng.choice([10, 900, 100_000])
        row = {"text": "free prize", "label": "x"} | {f"c{i}": i for i in range(rng.choice([5, 3000]))}
        path.write_text((json.dumps(row) + "\n") * 3 + rng.choice(["", f'{{"text":{nested}}}\n']))
        check(ts.count(path).documents == 3, "rows are missing")


def a_segmenter(rng: random.Random, folder: Path) -> None:
    """Segmenters that return what they should not, and functions named on the command line."""
    returned = rng.choice(
        [["a", "b"], [], [""], [1], None, "ab", ["x" * 10**6], iter(["a"]), [None], ["a\0b"], [["a"]]]
    )
    counts = ts.count(
        ["中文字 free", "日本語"] * 3,
        ["x", "y"] * 3,
        analyzer=ts.Analyzer(words="unicode", segmenter=lambda text: returned),
    )
    check(counts.documents == 6, "documents are missing")
    name = rng.choice(
        ["os:system", "no_module:f", "os", ":", "os:", "os:no", "json:loads", "os.path:join", "sys:exit"]
    )
    path = folder / "mail.csv"
    path.write_text("text,label\nfree prize,x\nlunch now,y\n")
    code, _, err = run(["score", str(path), "--segmenter", name, "--all"])
    fault = fault_of_talk(code, err)
    check(fault is None, f"{fault} of {name}")


def a_benchmark(rng: random.Random, folder: Path) -> None:
    """Results of other programs for benchmark: odd names and numbers, missing cells, huge tables."""
    methods, values = rng.sample(LABELS, 3), ["0.5", "0.7", "1", "0", "", "nan", "-1", "2", "1e400", "x"]
    odd = rng.random() < 0.6
    lines = [
        {"problem": rng.choice([f"p{i}", rng.choice(LABELS)]) if odd else f"p{i}", "method": method, "k": rng.choice(["10", "20"]),
         "f1": rng.choice(values if odd else values[:4])}
        for i in range(rng.choice([1, 6, 200])) for method in methods
    ]  # fmt: skip
    path = folder / "results.csv"
    path.write_bytes(content_of(lines, "csv"))
    words = [
        "benchmark",
        "--results",
        str(path),
        *rng.choice([[], ["--goal", "f1"], ["--json"], ["--column", "size=k"]]),
    ]
    code, _, err = run(words)
    fault = fault_of_talk(code, err)
    check(fault is None, f"{fault} of {' '.join(words)!a}"[:600])
