"""Jiang and Lee's tables as pictures: accuracy and time against the number of features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.studies.charts import ChartRows, canvas, chart_rows, log_axis, roomy_charts

NUMBERS = ("printed", "ours", "printed, times", "ours, times", "words")
# of each corpus the tables of accuracy and of time, and its name
TABLES = {"20news": (1, 2, "20 Newsgroups"), "reuters10": (3, 4, "Reuters, ten classes")}
COLOURS = {"class weights": "#d62728", "DC": "#1f77b4", "IG": "#2ca02c"}
WEIGHTS = "class weights"
WHOSE = ("printed", "ours")
HIGH = 340


def jiang_charts(tables: Path) -> dict[str, Any]:
    """The charts that the tables have results for, by name."""
    words = {row["corpus"]: row["words"] for row in chart_rows(tables / "words.csv", NUMBERS)}
    charts = {}
    for corpus, (accuracy, time, title) in TABLES.items():
        found = chart_rows(tables / f"table{accuracy}.csv", NUMBERS)
        charts[f"accuracy-{corpus}"] = method_lines(
            with_all_words(found, words[corpus]), "", f"accuracy, %: {title}", "linear"
        )
        lasted = [row for row in chart_rows(tables / f"table{time}.csv", NUMBERS) if row["features"] != "any"]
        charts[f"time-{corpus}"] = method_lines(lasted, ", times", f"time, class weights = 1: {title}", "log")
    return roomy_charts(charts)


def with_all_words(found: ChartRows, words: float) -> ChartRows:
    """The rows of a table of accuracy; all words are the last point of both lines."""
    every = [row for row in found if row["method"] == "all words"]
    ends = [row | {"method": method, "features": words} for row in every for method in ("DC", "IG")]
    return [row for row in found if row["method"] != "all words"] + ends


def method_lines(found: ChartRows, column: str, title: str, scale: str) -> Any:
    """A line a method, the printed figures dashed; class weights are a point, with a level line."""
    points = points_of(found, column)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(type=scale, zero=scale == "linear"))
    color = coloured({point["method"] for point in points})
    dash = alt.StrokeDash("whose:N", title=None, scale=alt.Scale(domain=list(WHOSE), range=[[5, 4], [1, 0]]))
    lines = canvas(points, height=HIGH).encode(x=along(points), y=y, color=color)
    levels = canvas([point for point in points if point["method"] == WEIGHTS], height=HIGH)
    rule = levels.mark_rule(opacity=0.6).encode(y=y, color=color, strokeDash=dash)
    return lines.mark_line().encode(strokeDash=dash) + lines.mark_circle(size=40, opacity=1) + rule


def points_of(found: ChartRows, column: str) -> ChartRows:
    """The printed figure and ours of each row, apart."""
    return [
        {"method": row["method"], "features": float(row["features"]), "whose": whose}
        | {"value": row[f"{whose}{column}"]}
        for row in found
        for whose in WHOSE
    ]


def along(points: ChartRows) -> Any:
    """The axis of the number of features."""
    features = sorted({point["features"] for point in points})
    return log_axis("features", "number of features", features, [features[0], features[-1]], padding=8)


def coloured(methods: set[str]) -> Any:
    """A colour a method."""
    present = [method for method in COLOURS if method in methods]
    colours = alt.Scale(domain=present, range=[COLOURS[method] for method in present])
    return alt.Color("method:N", scale=colours, legend=alt.Legend(symbolType="stroke", symbolStrokeWidth=3))
