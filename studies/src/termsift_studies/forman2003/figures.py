"""Figures 4 to 12 and 14 to 22 of Forman (2003), and its appendix C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from termsift.evaluation import pairs, residual_wins
from termsift_studies.charts import (
    HEIGHT,
    WIDTH,
    ChartRows,
    canvas,
    line_styles,
    load_chart_rows,
    log_axis,
    pad_charts,
    place_labels,
    style_scale,
)
from termsift_studies.forman2003.section5 import appendix_c, figure1, figure12, section5_charts
from termsift_studies.forman2003.statements import NAMES
from termsift_studies.forman2003.tables import maxima_runs
from termsift_studies.forman2003.trials import HIGH_SKEW

NUMBERS = ("value", "tolerance", "share", "skew", "positive", "negative", "f1")
GOALS = {"f1": "F-measure", "recall": "recall", "precision": "precision", "accuracy": "accuracy"}
# the paper's bold line is BNS, its dashed one IG
COLOURS = {
    "Acc": "#8c564b", "Acc2": "#ff7f0e", "BNS": "#000000", "Chi": "#1f77b4", "DFreq": "#17becf",
    "F1": "#2ca02c", "IG": "#d62728", "Odds": "#9467bd", "OddN": "#e377c2", "Pow": "#bcbd22",
    "PR": "#24408e", "Rand": "#a0a0a0",
}  # fmt: skip
ALL = "all terms"
DASHES = {"IG": [6, 3], "BNS+Odds": [8, 3, 2, 3], ALL: [2, 2]}
WIDTHS = {"BNS": 3.5, ALL: 1}
WORST = ("rand", "df", "pr")


def forman_charts(tables: Path) -> dict[str, Any]:
    """Return the charts that the tables have results for, by name."""
    averages, chances, problems, maxima = (
        load_chart_rows(tables / f"{name}.csv", NUMBERS)
        for name in ("averages", "chances", "problems", "maxima")
    )
    every = [row for row in averages if row["problems"] == "all"]
    charts = {"figure1": figure1(), "figure4": goal_by_size(every, "f1"), "figure5": figure5(every)}
    charts |= {"figure6": figure6(problems), "figure12": figure12(problems)}
    charts["appendix-c"] = appendix_c()
    if {"low skew", "high skew"} <= {row["problems"] for row in averages}:
        charts |= {"figure7": by_skew(averages, "f1"), "figure8": by_skew(averages, "precision")}
    charts |= {
        "figure9a": by_tolerance(chances, "f1"),
        "figure9b": figure9b(chances),
        "figure10a": by_tolerance(chances, "precision"),
        "figure10b": figure10b(chances, maxima),
    }
    for n, goal in enumerate(GOALS):
        goal_values = [row["value"] for row in every if row["goal"] == goal and row["metric"] not in WORST]
        charts[f"figure{14 + n}"] = goal_by_size(every, goal, within=axis_ends(goal_values))
        charts[f"figure{18 + n}"] = by_tolerance(chances, goal)
    return pad_charts(charts | section5_charts(tables.parent / "forman2003-section5"))


def goal_by_size(averages: ChartRows, goal: str, within: Any = alt.Undefined, width: int = WIDTH) -> Any:
    """Draw the average of a goal by number of terms, a line per metric, with the level of all terms."""
    goal_rows = [row for row in averages if row["goal"] == goal]
    points = [
        {"metric": NAMES[row["metric"]], "size": int(row["size"]), "value": row["value"]}
        for row in goal_rows
        if row["metric"] != "all"
    ]
    sizes = sorted({row["size"] for row in points})
    ends = sizes[0], sizes[-1]
    points += [
        {"metric": ALL, "size": size, "value": row["value"]}
        for row in goal_rows
        if row["metric"] == "all"
        for size in ends
    ]
    x = log_axis("size", "number of terms", sizes, ends, padding=6)
    y = alt.Y("value:Q", title=f"{GOALS[goal]}, averaged over problems", scale=axis_scale(within))
    return draw_metrics(points, x, y, width)


def draw_metrics(points: ChartRows, x: Any, y: Any, width: int = WIDTH, title: str = "metric") -> Any:
    """Draw a line for each metric."""
    names = sorted({row["metric"] for row in points}, key=lambda name: (name == ALL, name.lower()))
    colours = COLOURS | {f"IG+{name}": colour for name, colour in COLOURS.items()}
    styles = line_styles(names, colours, DASHES, WIDTHS, title)
    marks = alt.OverlayMarkDef(size=18, clip=True)
    return canvas(points, width).mark_line(point=marks, clip=True).encode(x=x, y=y, **styles)


def axis_scale(within: Any) -> Any:
    """Return a scale with the given ends, or with those of the values."""
    return alt.Scale(domain=within, nice=within is alt.Undefined, zero=False, padding=4)


def axis_ends(values: list[float], step: float = 0.01) -> list[float]:
    """Return the ends of an axis that includes all values, in multiples of the step."""
    low, high = min(values) // step * step, -(-max(values) // step) * step
    return [low, max(high, low + step)]


def figure5(averages: ChartRows) -> Any:
    """Draw precision against recall with 1000 terms, a point per metric."""
    selected = [row for row in averages if row["size"] == "1000" and row["goal"] in ("precision", "recall")]
    points: dict[str, dict[str, Any]] = {}
    for row in selected:
        points.setdefault(row["metric"], {"metric": NAMES[row["metric"]]})[row["goal"]] = row["value"]
    width, height = 560, 380
    (lowest, right), (low, high) = (
        axis_ends([point[goal] for point in points.values()], 0.05) for goal in ("recall", "precision")
    )
    offsets = place_labels({
        str(point["metric"]): (
            (point["recall"] - lowest) / (right - lowest) * width,
            (high - point["precision"]) / (high - low) * height,
        )
        for point in points.values()
    })  # fmt: skip

    def one(values: ChartRows) -> Any:
        return canvas(values, width, height).encode(
            x=alt.X("recall:Q", title="recall, 1000 terms", scale=axis_scale([lowest, right])),
            y=alt.Y("precision:Q", title="precision, 1000 terms", scale=axis_scale([low, high])),
            color=alt.Color("metric:N", legend=None, scale=style_scale(list(COLOURS), COLOURS)),
        )  # fmt: skip

    names = [
        one([point]).mark_text(align="left", fontWeight="bold", dx=dx, dy=dy).encode(text="metric:N")
        for point, (dx, dy) in zip(points.values(), offsets.values(), strict=True)
    ]
    return alt.layer(one(list(points.values())).mark_circle(size=50, opacity=1), *names)


def figure6(problems: ChartRows) -> Any:
    """Draw F against the skew of a problem with 1000 terms by BNS."""
    x = alt.X(
        "skew:Q",
        title="skew: documents outside the class for each one in it",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=[m * 10**n for n in range(-1, 4) for m in (1, 2, 5)], format="~g"),
    )
    y = alt.Y("f1:Q", title="F-measure, 1000 terms by BNS", scale=alt.Scale(domain=[0, 1]))
    points = canvas(problems, height=340).mark_point(size=24).encode(x=x, y=y)
    return points + canvas([{"skew": HIGH_SKEW}], height=340).mark_rule(strokeDash=[2, 3]).encode(x=x)


def by_skew(averages: ChartRows, goal: str) -> Any:
    """Draw the average of a goal by number of terms, for problems of low and of high skew."""
    goal_rows = [row for row in averages if row["goal"] == goal and row["metric"] not in WORST]
    within = axis_ends([row["value"] for row in goal_rows if row["problems"] != "all"])
    panels = [
        goal_by_size([row for row in goal_rows if row["problems"] == subset], goal, within, 330).properties(
            title=title
        )
        for subset, title in (("low skew", f"skew up to {HIGH_SKEW}"), ("high skew", f"above {HIGH_SKEW}"))
    ]
    return alt.hconcat(*panels)


def by_tolerance(chances: ChartRows, goal: str) -> Any:
    """Draw the share of problems that each metric wins within a tolerance."""
    goal_rows = [row | {"metric": NAMES[row["method"]]} for row in chances if row["goal"] == goal]
    return draw_tolerances(goal_rows, goal, share_axis_ends(chances, goal))


def draw_tolerances(rows: ChartRows, goal: str, within: list[float], title: str = "metric") -> Any:
    """Draw shares against tolerances, both in per cent."""
    values = [
        {"metric": row["metric"], "tolerance": round(100 * row["tolerance"], 6), "share": 100 * row["share"]}
        for row in rows
    ]
    x = alt.X(
        "tolerance:Q",
        title=f"tolerance: percentage points of {GOALS[goal]} below the best metric",
        scale=alt.Scale(zero=False, nice=False, padding=6),
        axis=alt.Axis(values=sorted({row["tolerance"] for row in values})),
    )
    y = alt.Y("share:Q", title="problems within the tolerance, %", scale=axis_scale(within))
    return draw_metrics(values, x, y, title=title)


def share_axis_ends(chances: ChartRows, goal: str) -> list[float]:
    """Return the ends of the axis of shares, ignoring Rand, which is far below."""
    low = min(row["share"] for row in chances if row["goal"] == goal and row["method"] != "rand")
    return [100 * low // 10 * 10, 100]


def figure9b(chances: ChartRows) -> Any:
    """Draw the share of problems within the smallest tolerance (1 %, 0.1 % for accuracy), best F first."""
    smallest = {goal: min(row["tolerance"] for row in chances if row["goal"] == goal) for goal in GOALS}
    label = {goal: f"{name}, {100 * smallest[goal]:g} %" for goal, name in GOALS.items()}
    points = [
        {"metric": NAMES[row["method"]], "goal": label[row["goal"]], "share": 100 * row["share"]}
        for row in chances
        if row["tolerance"] == smallest[row["goal"]]
    ]
    in_order = sorted((-p["share"], p["metric"]) for p in points if p["goal"] == label["f1"])
    goals = list(label.values())
    return canvas(points, height=2 * HEIGHT).mark_bar().encode(
        x=alt.X("share:Q", title="problems within the tolerance, %"),
        y=alt.Y("metric:N", title=None, sort=[name for _, name in in_order]),
        yOffset=alt.YOffset("goal:N", sort=goals),
        color=alt.Color("goal:N", title="goal, tolerance", sort=goals),
    )  # fmt: skip


def figure10b(chances: ChartRows, maxima: ChartRows) -> Any:
    """Draw the share of problems that IG or another metric wins in precision, and that BNS or Odds wins."""
    goal_rows = [row for row in maxima if row["goal"] == "precision"]
    runs = maxima_runs(goal_rows)
    points: ChartRows = []
    for tolerance in sorted({row["tolerance"] for row in chances if row["goal"] == "precision"}):
        for row in residual_wins(runs, "ig", tolerance):
            name = f"IG+{NAMES[row['method']]}"
            points.append({"metric": name, "tolerance": tolerance, "share": row["together"]})
        for row in pairs(runs, tolerance):
            if {row["method"], row["other"]} == {"bns", "odds"}:
                points.append({"metric": "BNS+Odds", "tolerance": tolerance, "share": row["share"]})
    return draw_tolerances(points, "precision", share_axis_ends(chances, "precision"), "one of two")
