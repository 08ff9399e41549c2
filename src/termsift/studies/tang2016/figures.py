"""Figures 1 to 6 of Tang, Kay and He (2016), with two readings of four methods and the greedy ranking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.studies.charts import (
    ChartRows,
    canvas,
    chart_rows,
    log_axis,
    roomy_charts,
    stroke_legend,
    style_scale,
)

# as the paper names them
METHODS = {
    "df": "DF", "cet": "CET", "chi2": "χ²", "chi2_joint": "χ² of eq. 9", "gss": "GSS", "md": "MD",
    "md_chi2": "MD-χ²", "greedy": "greedy",
}  # fmt: skip
COLOURS = {
    "DF": "#17becf", "CET": "#2ca02c", "χ²": "#1f77b4", "χ² of eq. 9": "#8c564b", "GSS": "#9467bd",
    "MD": "#d62728", "MD-χ²": "#ff7f0e", "greedy": "#b0b0b0",
}  # fmt: skip
WIDTHS = dict.fromkeys(COLOURS, 1.6) | {"greedy": 3.2}
WHOLE = "one score"
DASHES = {WHOLE: [1, 0], "max": [6, 3], "weighted": [2, 2]}
MEASURES = {"accuracy": "accuracy, %", "f1": "F1 weighted by class, %", "divergence": "JMH divergence"}
ALT_COMP = {"alt-comp": "alt.* against comp.*", "alt-comp-6": "ALT-COMP, six classes"}
REUTERS = {f"reuters-{n}": f"REUTERS-{n}" for n in (10, 20, 30)}
PANEL_WIDTH, PANEL_HEIGHT = 360, 240
ZOOM = 500
MARKS = (10, 20, 50, 100, 200, 500, 1000, 2000)


def tang_charts(tables: Path) -> dict[str, Any]:
    """The charts that the tables have results for, by name."""
    lines = [drawn for row in chart_rows(tables / "curves.csv", ()) if (drawn := drawn_row(row))]
    # what is drawn first is covered: MD shows where the greedy ranking is the same
    lines.sort(key=lambda row: row["method"] != METHODS["greedy"])
    found = {row["set"] for row in lines}
    charts = {}
    if "20-newsgroups" in found:
        charts["figure1"] = newsgroups_chart(lines)
    for name, titles, classifier in (
        ("figure2", ALT_COMP, "NB"),
        ("figure3", REUTERS, "NB"),
        ("figure4", {"tdt2-10": "TDT2-10"}, "NB"),
        ("figure5", REUTERS, "SVM"),
    ):
        own = {one: title for one, title in titles.items() if one in found}
        if own:
            charts[name] = both_measures(lines, own, classifier)
    if "reuters-20" in found:
        charts["figure6"] = measure_panel(lines, "reuters-20", "NB", "divergence", "REUTERS-20", width=560)
    return roomy_charts(charts)


def drawn_row(row: dict[str, str]) -> dict[str, Any]:
    """A row as it is drawn: measures in per cent; nothing for all terms, and for readings not shown."""
    metric, *reading = row["method"].split()
    way = reading[0] if reading else WHOLE
    if metric not in METHODS or way not in DASHES:
        return {}
    measured = {"accuracy": 100 * float(row["accuracy"]), "f1": 100 * float(row["f1"])}
    place = {"set": row["set"], "classifier": row["classifier"], "size": int(row["size"])}
    named = {"method": METHODS[metric], "reading": way, "divergence": float(row["divergence"])}
    return place | named | measured


def newsgroups_chart(lines: ChartRows) -> Any:
    """Accuracy on 20-NEWSGROUPS, and the better methods at many terms from near."""
    near = [row for row in lines if row["size"] >= ZOOM and row["method"] not in ("DF", "χ² of eq. 9")]
    near = [row for row in near if (row["method"], row["reading"]) != ("GSS", "weighted")]
    whole = measure_panel(lines, "20-newsgroups", "NB", "accuracy", "20-NEWSGROUPS, NB")
    return alt.hconcat(whole, measure_panel(near, "20-newsgroups", "NB", "accuracy", f"from {ZOOM} terms on"))


def both_measures(lines: ChartRows, titles: dict[str, str], classifier: str) -> Any:
    """A row of two panels for each set: accuracy and F1."""

    def one(name: str, measure: str) -> Any:
        return measure_panel(lines, name, classifier, measure, f"{titles[name]}, {classifier}")

    return alt.vconcat(*[alt.hconcat(one(name, "accuracy"), one(name, "f1")) for name in titles])


def measure_panel(
    lines: ChartRows, name: str, classifier: str, measure: str, title: str, width: int = PANEL_WIDTH
) -> Any:
    """A measure against the number of terms: colours for methods, dashes for readings of them."""
    kept = ("method", "reading", "size", measure)
    own = [
        {what: row[what] for what in kept}
        for row in lines
        if row["set"] == name and row["classifier"] == classifier
    ]
    sizes = [row["size"] for row in own]
    marks = [k for k in MARKS if min(sizes) <= k <= max(sizes)]
    x = log_axis("size", "number of terms", marks, [min(sizes), max(sizes)])
    legend, dashes = stroke_legend(), style_scale(list(DASHES), DASHES)
    return canvas(own, width, PANEL_HEIGHT).mark_line().encode(
        x=x,
        y=alt.Y(f"{measure}:Q", title=MEASURES[measure], scale=alt.Scale(zero=False)),
        color=alt.Color("method:N", scale=style_scale(list(COLOURS), COLOURS), legend=legend),
        strokeDash=alt.StrokeDash("reading:N", title="over classes", scale=dashes, legend=legend),
        strokeWidth=alt.StrokeWidth("method:N", scale=style_scale(list(WIDTHS), WIDTHS), legend=legend),
    ).properties(title=title)  # fmt: skip
