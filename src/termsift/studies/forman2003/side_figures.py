"""Figures 1, 11, 12 and 22 and appendix C of Forman (2003): metrics, problems, and the side studies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import altair as alt

from termsift.report.charts.landscape import landscape_map
from termsift.studies.charts import ChartRows, canvas, chart_rows, log_axis
from termsift.studies.forman2003.statements import NAMES

# the problem of section 2.2, and how many contours each metric has
POSITIVES, NEGATIVES, LEVELS = 50, 1750, 9
NUMBERS = ("value", "f1", "precision", "recall", "cutoff", "size", "alpha")


def side_charts(tables: Path) -> dict[str, Any]:
    """The charts of the side studies, where their results are beside the others."""
    weights, cutoffs = (chart_rows(tables / f"{name}.csv", NUMBERS) for name in ("alpha", "cutoffs"))
    charts = {"figure11": figure11(cutoffs)} if cutoffs else {}
    return charts | ({"figure22": figure22(weights)} if weights else {})


def figure1() -> Any:
    """Two views of Bi-Normal Separation, for a term in 40 % of the class and 5 % of the rest."""
    rates = {"tpr": 0.40, "fpr": 0.05}
    cuts = {name: NormalDist().inv_cdf(1 - rate) for name, rate in rates.items()}
    apart = cuts["fpr"] - cuts["tpr"]
    grid = [round(-4 + i / 25, 2) for i in range(201)]
    one = [{"curve": "documents", "x": x, "y": NormalDist().pdf(x)} for x in grid]
    two = [
        {"curve": name, "x": x, "y": NormalDist(shift).pdf(x)}
        for name, shift in (("outside the class", -apart / 2), ("in the class", apart / 2))
        for x in grid
    ]
    thresholds = [{"x": cut, "rate": f"{name} {rates[name]:.0%}"} for name, cut in cuts.items()]
    # one threshold cuts a tail of each curve: fpr of the one, tpr of the other
    middle = [{"x": cuts["fpr"] - apart / 2, "rate": "threshold"}]
    titles = "two thresholds, one curve", "one threshold, two curves"
    panels = [
        normal_panel(curves, rules, f"{title}: {apart:.2f} apart")
        for curves, rules, title in zip((one, two), (thresholds, middle), titles, strict=True)
    ]
    return alt.hconcat(*panels)


def normal_panel(curves: ChartRows, rules: ChartRows, title: str) -> Any:
    """Normal curves with thresholds."""
    x = alt.X("x:Q", title=None, axis=alt.Axis(grid=False))
    # the names of thresholds stand above the curves
    y = alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 0.48]))
    colour = alt.Color("curve:N", title=None, legend=alt.Legend(orient="bottom"))
    lines = canvas(curves, 270, 200).mark_line().encode(x=x, y=y, color=colour)
    cuts = canvas(rules, 270, 200).mark_rule(strokeDash=[4, 3]).encode(x=x)
    names = canvas(rules, 270, 200).mark_text(align="left", dx=4, dy=8, baseline="top").encode(
        x=x, y=alt.value(0), text="rate:N"
    )  # fmt: skip
    return (lines + cuts + names).properties(title=title)


@cache
def appendix_c() -> Any:
    """The landscape of each metric but Rand, which has none, in a class of 50 among 1800 documents."""
    panels = [landscape_panel(metric) for metric in NAMES if metric != "rand"]
    return alt.concat(*panels, columns=3, spacing=24).resolve_scale(color="independent")


def landscape_panel(metric: str) -> Any:
    """The contours of a metric, dark where it is low; the values of each differ, so they are not told."""
    panel = landscape_map(metric, POSITIVES, NEGATIVES, LEVELS)
    panel.encoding.color.legend = None
    for axis, name in ((panel.encoding.x, "fpr"), (panel.encoding.y, "tpr")):
        axis.title = name
    return panel.properties(width=200, height=200, title=NAMES[metric])


def figure11(cutoffs: ChartRows) -> Any:
    """F, precision and recall of 1000 terms by BNS, as rarer words are left out."""
    lines = [
        {"goal": name, "cutoff": row["cutoff"], "value": row[goal]}
        for row in cutoffs
        for goal, name in (("f1", "F-measure"), ("precision", "precision"), ("recall", "recall"))
    ]
    x = alt.X("cutoff:Q", title="words of fewer documents are left out")
    y = alt.Y("value:Q", title="averaged over problems", scale=alt.Scale(zero=False))
    return canvas(lines).mark_line(point=True).encode(x=x, y=y, color=alt.Color("goal:N", title="goal"))


def figure12(problems: ChartRows) -> Any:
    """The documents inside and outside the class of each problem."""
    marks = [m * 10**n for n in range(5) for m in (1, 2, 5)]
    x, y = (
        channel(
            f"{name}:Q",
            title=f"documents {where} the class",
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=alt.Axis(values=marks, format="~s"),
        )
        for channel, name, where in ((alt.X, "positive", "inside"), (alt.Y, "negative", "outside"))
    )
    return canvas(problems, height=340).mark_point(size=24).encode(x=x, y=y)


def figure22(weights: ChartRows) -> Any:
    """Precision and recall by number of terms, a line for each weight of positive terms."""
    panels = []
    for goal in ("precision", "recall"):
        own = [row | {"size": int(row["size"])} for row in weights if row["goal"] == goal]
        sizes = sorted({row["size"] for row in own})
        x = log_axis("size", "number of terms", sizes, (sizes[0], sizes[-1]), padding=6)
        y = alt.Y("value:Q", title=f"{goal}, averaged over problems", scale=alt.Scale(zero=False))
        colour = alt.Color("alpha:O", title="alpha", scale=alt.Scale(scheme="viridis"))
        points = alt.OverlayMarkDef(size=18)
        panels.append(canvas(own, 330).mark_line(point=points).encode(x=x, y=y, color=colour))
    return alt.hconcat(*panels)
