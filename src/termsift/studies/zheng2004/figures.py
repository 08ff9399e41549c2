"""Figures 1 to 7 of Zheng, Wu and Srihari (2004), and one of what the paper expected and did not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.studies.charts import WIDTH, ChartRows, canvas, chart_rows

NUMBERS = ("category", "ratio", "f1", "percent", "micro", "macro")
# the two largest and the two smallest of the 58
FIGURE_3 = ("money-fx", "grain", "dmk", "lumber")


def zheng_charts(tables: Path) -> dict[str, Any]:
    """The charts that the tables have results for, by name."""
    shares, ratios, curves = (
        chart_rows(tables / f"{name}.csv", NUMBERS) for name in ("shares", "ratios", "curves")
    )
    averages = [row for row in chart_rows(tables / "averages.csv", NUMBERS) if row["ties"] == "shared"]
    charts = {
        "figure1": shares_chart([row for row in shares if 3 <= row["category"] <= 60]),
        "figure2": shares_by_category([row for row in ratios if row["method"] in ("IG", "CHI", "ORS")], "NB"),
        "figure3": ratio_chart(
            [row for row in curves if row["name"] in FIGURE_3 and row["classifier"] == "NB"]
        ),
    }
    improved = [row for row in ratios if row["method"] in ("iSIG", "iCC", "iOR")]
    for name, ratio_name, classifier in (("figure6", "figure4", "NB"), ("figure7", "figure5", "LR")):
        if any(row["classifier"] == classifier for row in averages):
            charts[ratio_name] = shares_by_category(improved, classifier)
            charts[name] = averages_by_size(
                averages, classifier, "all", ("CC", "CHI", "iCC'", "iCC"), "micro"
            )
            methods = ("CC", "CHI", "iCC'", "iCC cv", "iCC")
            charts[f"cross-validation-{classifier}"] = averages_by_size(
                averages, classifier, "studied", methods, "micro"
            )
    return charts


def shares_chart(values: ChartRows) -> Any:
    """The percentage of training documents in each category."""
    return canvas(values).mark_bar(size=6).encode(
        x=alt.X("category:Q", title="category", scale=alt.Scale(domain=[2, 61])),
        y=alt.Y("percent:Q", title="training documents in the category, %"),
    )  # fmt: skip


def ratio_chart(values: ChartRows) -> Any:
    """F1 against the share of positive terms."""
    return canvas(values).mark_line(point=True).encode(
        x=alt.X("ratio:Q", title="share of positive terms (CC, 50 terms, NB)"),
        y=alt.Y("f1:Q", title="F1 at the break-even point, test", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("name:N", title="category", sort=list(FIGURE_3)),
        strokeDash=alt.StrokeDash("name:N", legend=None, sort=list(FIGURE_3)),
    )  # fmt: skip


def shares_by_category(values: ChartRows, classifier: str) -> Any:
    """The share of positive terms in each category, a panel a method."""
    own = [row for row in values if row["classifier"] == classifier]
    panel = canvas(own).mark_line(point=True).encode(
        x=alt.X("category:Q", title="category, the largest first", scale=alt.Scale(domain=[2, 61])),
        y=alt.Y("ratio:Q", title="share", scale=alt.Scale(domain=[0, 1])),
    )  # fmt: skip
    panels = alt.Row("method:N", title=f"share of positive terms among 50 ({classifier})")
    return panel.properties(height=110).facet(row=panels)


def averages_by_size(
    values: ChartRows, classifier: str, categories: str, methods: tuple[str, ...], average: str
) -> Any:
    """F1 against the number of terms, a line a method, and a rule at no selection."""
    own = [row for row in values if row["classifier"] == classifier and row["categories"] == categories]
    lines = [row | {"size": int(row["size"])} for row in own if row["method"] in methods]
    none = [row for row in own if row["method"] == "none"]
    of = "all 90 categories" if categories == "all" else "the 58 categories"
    y = alt.Y(
        f"{average}:Q", title=f"{average}-averaged F1, {of} ({classifier})", scale=alt.Scale(zero=False)
    )
    curves = canvas(lines).mark_line(point=True).encode(
        x=alt.X("size:Q", title="terms", scale=alt.Scale(type="log")),
        y=y,
        color=alt.Color("method:N", sort=list(methods)),
        strokeDash=alt.StrokeDash("method:N", legend=None, sort=list(methods)),
    )  # fmt: skip
    rule = canvas([row | {"what": "no selection"} for row in none]).mark_rule(color="gray").encode(y=y)
    label = canvas(none).mark_text(align="right", x=WIDTH - 4, dy=-6, color="gray").encode(
        y=y, text=alt.value("no selection")
    )  # fmt: skip
    return curves + rule + label
