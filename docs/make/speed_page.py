"""Write docs/speed.md and its pictures from what benchmarks/ measured."""

from __future__ import annotations

import csv
import math
from itertools import groupby
from pathlib import Path
from typing import Any

import altair as alt

from termsift.report.charts import save_chart
from termsift_studies.publishing import format_markdown_table

DOCS = Path(__file__).parent.parent
PAGE, RESULTS, PICTURES = DOCS / "speed.md", DOCS.parent / "benchmarks" / "results", DOCS / "img" / "speed"
Rows = list[dict[str, str]]
HEAD = """# Speed: other packages, and growth with size

Written by `make docs` from the results of `benchmarks/peers.py`, `growth.py`, `start.py`, `predict.py` and `scan_limit.py`; do not edit.

All figures come from one machine with two cores, which was not always idle.
So times are CPU seconds, summed over all threads and processes; with two threads the elapsed time is down to half of that.
Packages run in turn, warm, and the best time of each counts ([how to repeat this](../benchmarks/README.md)).

## Other packages

The same task on 20 Newsgroups, {texts} (`make bench-peers`).
Equal results are verified; the column "result" has the comparison.
Words are those of CountVectorizer if a package has that option.

![seconds of each package, work by work](img/speed/peers.svg)

"""
PEERS_END = """
"ratio" is the CPU time divided by that of termsift on the same task.
scikit-learn's chi2 sums only the documents that contain a term; termsift's uses all cells of the table.
Spark ML ranks by p-values, which are 0 below 1e-16; termsift ranks by the statistic.

## Growth with size

Parts of 20 Newsgroups; each figure comes from a fresh process: the best time, and the peak memory above its input.
An exponent of 1 means that time or memory grows in step with the input; below 1 it grows more slowly.

![time and memory against size](img/speed/growth.svg)

"""
START = """
`score` computes all metrics, `select` chooses 1,000 terms by Bi-Normal Separation, and `compare` tries the default candidates.

## The start

Each command is a separate process: the first one on a machine, which compiles and caches kernels, and later ones.

"""
PREDICT = """
## Saved models

Labels of all texts by a model of 200 terms (`bns` with a linear SVM), compared with its export to scikit-learn, and with TfidfVectorizer and LinearSVC of all terms; one thread each:

"""
SCAN = """
## The scan

Finding and counting the words of ASCII text, on one thread, compared with a plain loop in C with a hash table (`benchmarks/plain_scan.c`):

"""


def page() -> str:
    """Return the whole page."""
    parts = [
        HEAD.format(texts="18,846 messages of 20 classes, 36 million characters"),
        peers_table(),
        PEERS_END,
    ]
    parts += [growth_table(), START, figures("start", with_versions=False)]
    if (RESULTS / "predict.csv").exists():  # measured apart, by `python benchmarks/predict.py`
        parts += [PREDICT, figures("predict", with_versions=False)]
    parts += [SCAN, figures("scan_limit")]
    return "".join(parts)


def rows_of(name: str) -> Rows:
    with (RESULTS / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def figures(name: str, *, with_versions: bool = True) -> str:
    """Return a table of tasks, values and targets, and the versions it was measured with."""
    rows = rows_of(name)
    versions = [
        f"{row['what'].removeprefix('version of ')} {row['value']}" for row in rows if is_version(row)
    ]
    lines = [list(row.values()) for row in rows if not is_version(row)]
    table = format_markdown_table(("task", "value", "target"), lines)
    return table + (f"\nWith {', '.join(versions)}.\n" if with_versions else "")


def is_version(row: dict[str, str]) -> bool:
    return row["what"].startswith("version of ")


def peers_table() -> str:
    lines = [
        [row["work"], f"{row['package']} {row['version']}", row["way"], seconds(row["cpu"]), row["times"], row["result"]]
        for row in rows_of("peers")
    ]  # fmt: skip
    return format_markdown_table(("task", "package", "method", "CPU s", "ratio", "result"), lines)


def seconds(value: str) -> str:
    return f"{float(value):.2f}" if value else ""


def growth_table() -> str:
    lines = []
    for work, group in groupby(rows_of("growth"), lambda row: row["work"]):
        rows = list(group)
        millions = ", ".join(f"{int(row['size']) / 1e6:.2g}" for row in rows)
        sizes = f"{millions} million {rows[0]['unit']}"
        shown = [", ".join(f"{float(row[key]):.3g}" for row in rows) for key in ("cpu", "memory")]
        laws = [f"{exponent(rows, key):.2f}" for key in ("cpu", "memory")]
        lines.append([f"`{work}`", sizes, shown[0], laws[0], shown[1], laws[1]])
    return format_markdown_table(("work", "sizes", "seconds", "exponent", "MB", "exponent"), lines)


def exponent(rows: Rows, key: str) -> float:
    """Of the law from the smallest size to the largest."""
    first, last = rows[0], rows[-1]
    return math.log(float(last[key]) / float(first[key])) / math.log(int(last["size"]) / int(first["size"]))


def peers_chart() -> Any:
    """Bars of seconds for each way, a panel for each work."""
    panels = []
    for work, group in groupby(rows_of("peers"), lambda row: row["work"]):
        values = [
            {"way": f"{row['package']}: {row['way']}", "seconds": float(row["cpu"]), "of": kind(row),
             "label": f"{float(row['cpu']):.2f} s"}
            for row in group
        ]  # fmt: skip
        panels.append(panel(work, values))
    return alt.vconcat(*panels).configure_title(anchor="start", fontSize=12).configure_view(stroke=None)


def kind(row: dict[str, str]) -> str:
    return "termsift" if row["package"] == "termsift" else "other"


def panel(work: str, values: list[dict[str, Any]]) -> Any:
    base = alt.Chart(alt.Data(values=values), title=work).encode(
        y=alt.Y("way:N", title=None, sort="-x", axis=alt.Axis(labelLimit=330, minExtent=330)),
        x=alt.X("seconds:Q", title=None, axis=alt.Axis(grid=False, tickCount=5)),
    )
    colors = alt.Scale(domain=["termsift", "other"], range=["#d95f02", "#7f8ea3"])
    bars = base.mark_bar().encode(color=alt.Color("of:N", legend=None, scale=colors))
    return (bars + base.mark_text(align="left", dx=4).encode(text="label:N")).properties(
        width=380, height=alt.Step(20)
    )


def growth_chart() -> Any:
    """Time and memory against the share of the largest size, with lines that are straight."""
    points = []
    for _, group in groupby(rows_of("growth"), lambda row: row["work"]):
        rows = list(group)
        for key, title in (("cpu", "CPU seconds"), ("memory", "MB")):
            points += [
                {"work": row["work"], "share": int(row["size"]) / int(rows[-1]["size"]), "what": title,
                 "value": float(row[key]), "straight": float(rows[0][key]) * int(row["size"]) / int(rows[0]["size"])}
                for row in rows
            ]  # fmt: skip
    return alt.hconcat(
        *(growth_panel([p for p in points if p["what"] == what], what) for what in ("CPU seconds", "MB"))
    )


def growth_panel(points: list[dict[str, Any]], title: str) -> Any:
    log = alt.Scale(type="log", nice=False, padding=8)
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "share:Q",
            title="size, of the largest",
            scale=log,
            axis=alt.Axis(values=[0.25, 0.5, 1], format="~"),
        ),
        color=alt.Color("work:N", title="dashed: linear"),
    )
    dots = base.mark_line(point=True).encode(
        y=alt.Y("value:Q", title=title, scale=alt.Scale(type="log"), axis=alt.Axis(format="~"))
    )
    return (base.mark_line(strokeDash=[4, 4], opacity=0.5).encode(y="straight:Q") + dots).properties(
        width=300, height=300
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    save_chart(peers_chart(), PICTURES / "peers.svg")
    save_chart(growth_chart(), PICTURES / "growth.svg")
    PAGE.write_text(page(), encoding="utf-8")
