"""Write docs/scale.md and its pictures from what benchmarks/scale.py and benchmarks/spark.py measured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import altair as alt

from termsift.report.charts import save_chart
from termsift_studies.publishing import format_markdown_table

DOCS = Path(__file__).parent.parent
PAGE, RESULTS = DOCS / "scale.md", DOCS.parent / "benchmarks" / "results"
SIZES, CORES = (1e11, 1e12, 1e13), (10, 100, 1000)
FITTED = 6  # the largest parts, as in benchmarks/scale.py
PARTITION = 128e6  # bytes of text: Spark's own default for files
HEAD = """# Beyond one machine: limits of a job on Spark

Written by `make docs` from the results of `benchmarks/scale.py` and `benchmarks/spark.py`; do not edit.

A job counts its partitions, sends partial counts by term, adds them, and returns the result to the driver.
Three constants limit it: bytes counted per core and second, rows sent per partition, and bytes per row.

## Measured

A standalone Spark cluster on one machine: a master and two workers of one core each.
The corpus is 20 Newsgroups resampled, with a new word in every thousand, as Parquet.

"""
GROWTH = """
## Growth of the vocabulary

By Heaps' law a text of b bytes has K b^e distinct terms; term-class pairs, one row each, follow the same law.
Fitted to 20 Newsgroups ({bytes:.0f} MB in 20 classes): {terms_factor:.2f} b^{terms_exponent:.3f} terms, {pairs_factor:.2f} b^{pairs_exponent:.3f} pairs.

![terms and pairs against bytes](img/scale/growth.svg)

## Rows per partition

P partitions of B bytes send P K (B / P)^e rows.
Counted with up to {most} partitions, and by the formula:

"""
PREDICTED = """
The formula is within {worst:.0%} for partitions of at least {least:.1f} MB; smaller ones send fewer rows.

![rows against partitions](img/scale/partitions.svg)

## Predicted

Time is text / (cores x bytes per second) + rows x seconds per row / cores; the shuffle is rows x bytes per row.

"""
ASSUMED = """
Assumptions, not measured:

- A partition has 128 MB of text, and its counts fit into 128 MiB.
- Text is like 20 Newsgroups, and the law holds far beyond the {bytes:.0f} MB it was fitted to.
- Cores are like those measured, without stragglers, retries or queues; storage and network keep up.
- Start-up (ten to twenty seconds) and the work of the driver are not included; `min_df=` and `ts.spark.top` reduce the rows that it receives.
"""


def page() -> str:
    """Return the whole page."""
    known, growth, sent = constants(), numbers("scale_growth"), numbers("scale_partitions")
    whole, least = growth[-1]["bytes"], growth[-FITTED]["bytes"]
    near = [row for row in sent if whole / row["partitions"] >= least]
    off = max(abs(row["formula"] / row["rows"] - 1) for row in near)
    parts = [
        HEAD,
        measured(known),
        GROWTH.format(bytes=whole / 1e6, most=int(sent[-1]["partitions"]), **known),
    ]
    parts += [partitions(sent), PREDICTED.format(worst=off, least=least / 1e6)]
    return "".join([*parts, predictions(known), ASSUMED.format(bytes=whole / 1e6)])


def numbers(name: str) -> list[dict[str, float]]:
    with (RESULTS / f"{name}.csv").open(encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def constants() -> dict[str, float]:
    found: dict[str, float] = {}
    for name in ("scale_laws", "scale_cluster"):
        with (RESULTS / f"{name}.csv").open(encoding="utf-8") as file:
            found |= {row["name"]: float(row["value"]) for row in csv.DictReader(file)}
    run = {"rate": found["text"] / found["before"], "row_bytes": found["shuffle"] / found["rows"]}
    return found | run | {"row_seconds": found["after"] / found["rows"]}


def measured(known: dict[str, float]) -> str:
    lines = [
        ["text of the corpus", f"{known['text'] / 1e9:.2f} GB"],
        ["from text to counts on the driver", f"{known['seconds']:.1f} s"],
        ["text a core counts and sends in a second", f"{known['rate'] / 1e6:.0f} MB"],
        ["rows of partial sums", f"{known['rows']:,.0f}"],
        ["rows of the result", f"{known['result']:,.0f}"],
        ["a row in the shuffle", f"{known['row_bytes']:.1f} bytes"],
        ["to add a row and send it on", f"{known['row_seconds'] * 1e6:.1f} µs of a core"],
    ]
    return format_markdown_table(("what", "value"), lines) + "\n" + against()


def against() -> str:
    """Return the comparisons of benchmarks/spark.py."""
    with (RESULTS / "spark.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not row["what"].startswith("version")]
    text = "Compared with the local engine on the same two cores, and with Tokenizer, CountVectorizer and UnivariateFeatureSelector of Spark ML (`benchmarks/spark.py`):\n\n"
    return text + format_markdown_table(("what", "value", "target"), [list(row.values()) for row in rows])


def partitions(sent: list[dict[str, float]]) -> str:
    lines = [
        [
            f"{row['partitions']:,.0f}",
            f"{row['rows']:,.0f}",
            f"{row['formula']:,.0f}",
            f"{row['formula'] / row['rows'] - 1:+.1%}",
        ]
        for row in sent[::2]
    ]
    return format_markdown_table(("partitions", "rows counted", "formula", "difference"), lines)


def predictions(known: dict[str, float]) -> str:
    lines = []
    for size in SIZES:
        rows = size / PARTITION * known["pairs_factor"] * PARTITION ** known["pairs_exponent"]
        result = known["pairs_factor"] * size ** known["pairs_exponent"]
        work = size / known["rate"] + rows * known["row_seconds"]
        times = [spoken(max(work / cores, PARTITION / known["rate"])) for cores in CORES]
        lines.append(
            [
                volume(size),
                *times,
                volume(rows * known["row_bytes"]),
                f"{rows:.1e}",
                f"{result:.1e}",
            ]
        )
    head = ("text", *(f"{cores:,} cores" for cores in CORES), "shuffle", "rows sent", "rows of the result")
    return format_markdown_table(head, lines)


def volume(size: float) -> str:
    return f"{size / 1e12:,.2g} TB" if size >= 1e12 else f"{size / 1e9:,.3g} GB"


def spoken(seconds: float) -> str:
    if seconds >= 5400:
        return f"{seconds / 3600:,.1f} h"
    return f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{seconds:,.0f} s"


def growth_chart() -> Any:
    known = constants()
    points = [
        {"MB": row["bytes"] / 1e6, "distinct": row[what], "law": known[f"{what}_factor"] * row["bytes"] ** known[f"{what}_exponent"],
         "what": {"terms": "terms", "pairs": "pairs of term and class"}[what]}
        for row in numbers("scale_growth") for what in ("terms", "pairs")
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("MB:Q", title="MB of text", scale=alt.Scale(type="log")),
        color=alt.Color("what:N", title=None),
    )
    dots = base.mark_point(filled=True, size=50).encode(
        y=alt.Y("distinct:Q", title="distinct", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"))
    )
    return (dots + base.mark_line().encode(y="law:Q")).properties(width=420, height=280)


def partitions_chart() -> Any:
    rows = numbers("scale_partitions")
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("partitions:Q", title="partitions", scale=alt.Scale(type="log", base=2))
    )
    scale = alt.Scale(type="log")
    dots = base.mark_point(filled=True, size=50).encode(
        y=alt.Y(
            "rows:Q",
            title="rows of partial sums: counted (dots), formula (line)",
            scale=scale,
            axis=alt.Axis(format="~s"),
        )
    )
    return (dots + base.mark_line().encode(y=alt.Y("formula:Q", scale=scale))).properties(
        width=420, height=280
    )


if __name__ == "__main__":
    save_chart(growth_chart(), DOCS / "img" / "scale" / "growth.svg")
    save_chart(partitions_chart(), DOCS / "img" / "scale" / "partitions.svg")
    PAGE.write_text(page(), encoding="utf-8")
