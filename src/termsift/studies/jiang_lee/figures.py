"""Jiang and Lee's tables as pictures: accuracy and time against the number of features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.report.charts import roomy
from termsift.studies.charts import Rows, chart, rows

NUMBERS = ("printed", "ours", "printed, times", "ours, times", "words")
# of each corpus the tables of accuracy and of time, and its name
TABLES = {"20news": (1, 2, "20 Newsgroups"), "reuters10": (3, 4, "Reuters, ten classes")}
COLOURS = {"class weights": "#d62728", "DC": "#1f77b4", "IG": "#2ca02c"}
WEIGHTS = "class weights"
WHOSE = ("printed", "ours")
HIGH = 340


def figures(tables: Path) -> dict[str, Any]:
    """The charts that the tables have results for, by name."""
    words = {row["corpus"]: row["words"] for row in rows(tables / "words.csv", NUMBERS)}
    charts = {}
    for corpus, (accuracy, time, title) in TABLES.items():
        found = rows(tables / f"table{accuracy}.csv", NUMBERS)
        charts[f"accuracy-{corpus}"] = drawn(
            with_all_words(found, words[corpus]), "", f"accuracy, %: {title}", "linear"
        )
        lasted = [row for row in rows(tables / f"table{time}.csv", NUMBERS) if row["features"] != "any"]
        charts[f"time-{corpus}"] = drawn(lasted, ", times", f"time, class weights = 1: {title}", "log")
    return {name: roomy(one) for name, one in charts.items()}


def with_all_words(found: Rows, words: float) -> Rows:
    """The rows of a table of accuracy; all words are the last point of both lines."""
    every = [row for row in found if row["method"] == "all words"]
    ends = [row | {"method": method, "features": words} for row in every for method in ("DC", "IG")]
    return [row for row in found if row["method"] != "all words"] + ends


def drawn(found: Rows, column: str, title: str, scale: str) -> Any:
    """A line a method, the printed figures dashed; class weights are a point, with a level line."""
    points = points_of(found, column)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(type=scale, zero=scale == "linear"))
    color = coloured({point["method"] for point in points})
    dash = alt.StrokeDash("whose:N", title=None, scale=alt.Scale(domain=list(WHOSE), range=[[5, 4], [1, 0]]))
    lines = chart(points, height=HIGH).encode(x=along(points), y=y, color=color)
    levels = chart([point for point in points if point["method"] == WEIGHTS], height=HIGH)
    rule = levels.mark_rule(opacity=0.6).encode(y=y, color=color, strokeDash=dash)
    return lines.mark_line().encode(strokeDash=dash) + lines.mark_circle(size=40, opacity=1) + rule


def points_of(found: Rows, column: str) -> Rows:
    """The printed figure and ours of each row, apart."""
    return [
        {"method": row["method"], "features": float(row["features"]), "whose": whose}
        | {"value": row[f"{whose}{column}"]}
        for row in found
        for whose in WHOSE
    ]


def along(points: Rows) -> Any:
    """The axis of the number of features."""
    features = sorted({point["features"] for point in points})
    return alt.X(
        "features:Q",
        title="number of features",
        scale=alt.Scale(type="log", domain=[features[0], features[-1]], nice=False, padding=8),
        axis=alt.Axis(values=features, format="d"),
    )


def coloured(methods: set[str]) -> Any:
    """A colour a method."""
    present = [method for method in COLOURS if method in methods]
    colours = alt.Scale(domain=present, range=[COLOURS[method] for method in present])
    return alt.Color("method:N", scale=colours, legend=alt.Legend(symbolType="stroke", symbolStrokeWidth=3))
