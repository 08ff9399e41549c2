"""Figures 1 to 4 of Uchyigit and Clark (2007)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.studies.charts import ChartRows, canvas, chart_rows, line_styles, roomy_charts

GOALS = {"precision": "precision", "recall": "recall", "f1": "F1", "f2": "F2"}
NUMBERS = ("size", *GOALS)
COLOURS = {
    "GU proportions": "#000000", "GU counts": "#000000", "CHI": "#1f77b4", "NGL": "#17becf", "GSS": "#2ca02c",
    "IG": "#d62728", "MI": "#a0a0a0", "OR": "#9467bd", "WF": "#bcbd22", "Fisher": "#8c564b",
    "BSS/WSS": "#ff7f0e",
}  # fmt: skip
DASHES = {"GU counts": [6, 3], "NGL": [3, 2]}
WIDTHS = {"GU proportions": 3, "GU counts": 2}
TITLES = {
    "room for all words": "selected words, room for all",
    "selected words": "selected words",
    "all words": "all words",
}


def uchyigit_charts(tables: Path) -> dict[str, Any]:
    """A chart a goal, by name: a panel for each vocabulary of naive Bayes."""
    averages = chart_rows(tables / "averages.csv", NUMBERS)
    return roomy_charts({f"figure{n}": vocabulary_panels(averages, goal) for n, goal in enumerate(GOALS, 1)})


def vocabulary_panels(averages: ChartRows, goal: str) -> Any:
    """What the methods reach against the number of words."""
    panels = []
    for vocabulary, title in TITLES.items():
        own = [row for row in averages if row["vocabulary"] == vocabulary]
        points = [{"metric": row["metric"], "size": row["size"], "value": row[goal]} for row in own]
        panels.append(curves_panel(points, goal).properties(title=f"vocabulary: {title}"))
    return alt.hconcat(*panels)


def curves_panel(points: ChartRows, goal: str) -> Any:
    """A line a method."""
    return canvas(points, 280, 320).mark_line().encode(
        x=alt.X(
            "size:Q",
            title="number of words",
            scale=alt.Scale(domain=[0, 1000]),
            axis=alt.Axis(values=list(range(0, 1001, 200)), format="d"),
        ),
        y=alt.Y("value:Q", title=f"{GOALS[goal]}, mean of groups", scale=alt.Scale(domain=[0, 1])),
        **line_styles(list(COLOURS), COLOURS, DASHES, WIDTHS),
    )  # fmt: skip
