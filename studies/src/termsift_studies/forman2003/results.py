"""Tables of averages, maxima, win rates and pairs; filters for page.md; figures 4 to 10 and 14 to 21."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from termsift._internal.tables import Table
from termsift.compare import Benchmark, benchmark
from termsift.evaluation import pair_wins, residual_wins
from termsift_studies import plotting
from termsift_studies.forman2003.extended import tabulate_averages
from termsift_studies.forman2003.section5 import appendix_c, figure1, figure12, section5_charts
from termsift_studies.forman2003.statements import NAMES, forman_statements
from termsift_studies.forman2003.trials import (
    AVERAGED,
    GOALS,
    HIGH_SKEW,
    METRICS,
    SIZES,
    TOLERANCE,
    FormanOutcomes,
    forman_outcomes,
)
from termsift_studies.publishing import Rows, pivot_rows, thousandths
from termsift_studies.study import Line, Lines, Row, build_tables, count_verdicts


def forman_tables(rows: list[Row]) -> dict[str, Table]:
    """Build all tables from the rows of all units."""
    outcomes, by_folds = (
        forman_outcomes([row for row in rows if row["averaged"] == averaged]) for averaged in AVERAGED
    )
    best = {goal: tabulate_maxima(outcomes, goal) for goal in GOALS}
    # termsift's benchmark, as for any user's results
    wins = {goal: benchmark(results=maxima_runs(best[goal]), tolerance=TOLERANCE[goal]) for goal in GOALS}
    return build_tables({
        "averages": tabulate_averages(outcomes),
        "maxima": [row for goal in GOALS for row in best[goal]],
        "chances": [row for goal in GOALS for row in tabulate_chances(wins[goal])],
        "residual": [round_row(row) for goal in GOALS for row in wins[goal].residual_wins],
        "pairs": [row for goal in GOALS for row in tabulate_pairs(wins[goal])],
        "problems": tabulate_problems(outcomes),
        "statements": forman_statements(outcomes),
        "averaged": [summarize_averaging("pooled", outcomes), summarize_averaging("folds", by_folds)],
        "by_folds": forman_statements(by_folds),
        "summary": tabulate_best_first(outcomes),
    })  # fmt: skip


def f1_figures(outcomes: FormanOutcomes) -> Line:
    """Return F1 of two metrics with 100 and 1000 terms."""
    cases = product(("bns", "ig"), (100, 1000))
    return {f"{metric} {size}": round(outcomes.of(metric, "f1", size), 4) for metric, size in cases}


def summarize_averaging(name: str, outcomes: FormanOutcomes) -> Line:
    """Return some figures and the numbers of verdicts of all trials for a method of averaging."""
    return {"averaged": name} | f1_figures(outcomes) | count_verdicts(forman_statements(outcomes))


def tabulate_maxima(outcomes: FormanOutcomes, goal: str) -> Lines:
    """Tabulate the average maximum of each problem and metric."""
    return [
        {"goal": goal, "set": name, "class": category, "metric": metric, "value": round(value, 5)}
        for (name, category), values in zip(outcomes.problems, outcomes.maxima(goal).tolist(), strict=True)
        for metric, value in zip(METRICS, values, strict=True)
    ]


def maxima_runs(maxima: Sequence[Line]) -> dict[str, list[Any]]:
    """Return average maxima in the form that the win analysis takes."""
    return {
        "goal": [row["goal"] for row in maxima],
        "problem": [f"{row['set']} {row['class']}" for row in maxima],
        "method": [row["metric"] for row in maxima],
        "value": [row["value"] for row in maxima],
    }


def tabulate_chances(wins: Benchmark) -> Lines:
    """Tabulate the share of problems within each tolerance of the best: figures 9, 10a and 18 to 21."""
    # ten tolerances: those of accuracy are a tenth of the others'
    return [round_row(row) for row in wins.win_shares if row["tolerance"] <= 10 * TOLERANCE[row["goal"]]]


def tabulate_pairs(wins: Benchmark) -> Lines:
    """Tabulate the pair of metrics that wins most problems."""
    return [
        {"goal": row["goal"], "tolerance": TOLERANCE[row["goal"]]} | round_row(row) for row in wins.best_pairs
    ]


def tabulate_problems(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Tabulate the size and skew of each problem and its goals with 1000 terms by BNS: figures 6 and 12."""
    m, s = METRICS.index("bns"), SIZES.tolist().index(1000)
    for p, (name, category) in enumerate(outcomes.problems):
        values = {goal: round(float(outcomes.values[goal][p, :, m, s].mean()), 5) for goal in GOALS}
        sizes = dict(zip(("positive", "negative"), outcomes.sizes[p].tolist(), strict=True))
        yield {"set": name, "class": category, "skew": round(float(outcomes.skew[p]), 3)} | sizes | values


def tabulate_best_first(outcomes: FormanOutcomes) -> Lines:
    """Tabulate macro-averaged F1 by metric and size, best metric first."""
    macro = outcomes.macro("f1")
    # metrics are ordered by their best size
    order = np.argsort(-macro.max(axis=1), kind="stable")
    metric_rows = [
        {"metric": METRICS[m]}
        | {str(size): round(value, 4) for size, value in zip(SIZES.tolist(), macro[m].tolist(), strict=True)}
        for m in order.tolist()
    ]
    # all terms have no size; their value stands in the last column
    every = {"metric": "all terms"} | dict.fromkeys(map(str, SIZES.tolist()), None)
    return [*metric_rows, every | {"2000": round(outcomes.macro_of_all_terms("f1"), 4)}]


def round_row(row: Line) -> Line:
    """Round the shares of a row to five digits."""
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()}


def f1_by_size(averages: Rows) -> Rows:
    """Return macro-averages of F by metric and size."""
    values = {(row["metric"], row["size"]): row["value"] for row in averages if row["goal"] == "f1"}
    sizes = list(map(str, SIZES.tolist()))
    order = sorted(NAMES, key=lambda metric: -max(float(values[metric, size]) for size in sizes))
    return [{"metric": NAMES[m]} | {s: thousandths(values[m, s]) for s in sizes} for m in order]


def shares_by_goal(chances: Rows) -> Rows:
    """Return the share of problems that each metric wins within the smallest tolerance."""
    shares = {
        (row["method"], row["goal"]): float(row["share"])
        for row in chances
        if float(row["tolerance"]) == TOLERANCE[row["goal"]]
    }
    order = sorted(NAMES, key=lambda metric: -shares[metric, "f1"])
    return [{"metric": NAMES[m]} | {goal: f"{shares[m, goal]:.0%}" for goal in GOALS} for m in order]


def name_pairs(pairs: Rows) -> Rows:
    """Add the names and the share of problems of the best pair for each goal."""
    labelled = [(row, NAMES[row["method"]], NAMES[row["other"]]) for row in pairs]
    return [row | {"pair": f"{a} and {b}", "won": f"{float(row['share']):.0%}"} for row, a, b in labelled]


def pivot_by_alpha(values: Rows) -> Rows:
    """Return the scores of each weight of positive terms by goal and size."""
    return pivot_rows(values, "alpha", "{goal}, {size} terms", lambda row: thousandths(row["value"]))


def verdicts_by_interpretation(statements: Rows) -> Rows:
    """Return the verdict on each statement, a column for each interpretation."""
    return pivot_rows(statements, "statement", "{interpretation}", lambda row: row["verdict"])


def count_same_first(rows: Rows, other_rows: Rows) -> tuple[int, int]:
    """Return the number of rows in which two tables have the same best method, and the number of rows."""
    pairs = [
        (first["first"].rsplit(" ", 1)[0], second["first"].rsplit(" ", 1)[0])
        for first, second in zip(rows, other_rows, strict=True)
    ]
    return sum(first == second for first, second in pairs), len(pairs)


FORMAN_FILTERS = (
    f1_by_size, shares_by_goal, name_pairs, pivot_by_alpha, verdicts_by_interpretation, count_same_first,
)  # fmt: skip


NUMBERS = ("value", "tolerance", "share", "skew", "positive", "negative", "f1")
GOAL_TITLES = {"f1": "F-measure", "recall": "recall", "precision": "precision", "accuracy": "accuracy"}
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
        plotting.load_chart_rows(tables / f"{name}.csv", NUMBERS)
        for name in ("averages", "chances", "problems", "maxima")
    )
    every = [row for row in averages if row["problems"] == "all"]
    charts = {"figure1": figure1(), "figure4": goal_by_size(every, "f1"), "figure5": figure5(every)}
    charts |= {"figure6": figure6(problems), "figure12": figure12(problems)}
    charts["appendix-c"] = appendix_c()
    # a quick run may have no problem of high skew
    if {"low skew", "high skew"} <= {row["problems"] for row in averages}:
        charts |= {"figure7": by_skew(averages, "f1"), "figure8": by_skew(averages, "precision")}
    charts |= {
        "figure9a": by_tolerance(chances, "f1"),
        "figure9b": figure9b(chances),
        "figure10a": by_tolerance(chances, "precision"),
        "figure10b": figure10b(chances, maxima),
    }
    for n, goal in enumerate(GOAL_TITLES):
        goal_values = [row["value"] for row in every if row["goal"] == goal and row["metric"] not in WORST]
        charts[f"figure{14 + n}"] = goal_by_size(every, goal, within=axis_ends(goal_values))
        charts[f"figure{18 + n}"] = by_tolerance(chances, goal)
    return plotting.pad_charts(charts | section5_charts(tables.parent / "forman2003-section5"))


def goal_by_size(
    averages: plotting.ChartRows, goal: str, within: Any = alt.Undefined, width: int = plotting.WIDTH
) -> Any:
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
    x = plotting.log_axis("size", "number of terms", sizes, ends, padding=6)
    y = alt.Y("value:Q", title=f"{GOAL_TITLES[goal]}, averaged over problems", scale=axis_scale(within))
    return draw_metrics(points, x, y, width)


def draw_metrics(
    points: plotting.ChartRows, x: Any, y: Any, width: int = plotting.WIDTH, title: str = "metric"
) -> Any:
    """Draw a line for each metric."""
    names = sorted({row["metric"] for row in points}, key=lambda name: (name == ALL, name.lower()))
    colours = COLOURS | {f"IG+{name}": colour for name, colour in COLOURS.items()}
    styles = plotting.line_styles(names, colours, DASHES, WIDTHS, title)
    marks = alt.OverlayMarkDef(size=18, clip=True)
    return plotting.canvas(points, width).mark_line(point=marks, clip=True).encode(x=x, y=y, **styles)


def axis_scale(within: Any) -> Any:
    """Return a scale with the given ends, or with those of the values."""
    return alt.Scale(domain=within, nice=within is alt.Undefined, zero=False, padding=4)


def axis_ends(values: list[float], step: float = 0.01) -> list[float]:
    """Return the ends of an axis that includes all values, in multiples of the step."""
    low, high = min(values) // step * step, -(-max(values) // step) * step
    return [low, max(high, low + step)]


def figure5(averages: plotting.ChartRows) -> Any:
    """Draw precision against recall with 1000 terms, a point per metric."""
    selected = [row for row in averages if row["size"] == "1000" and row["goal"] in ("precision", "recall")]
    points: dict[str, dict[str, Any]] = {}
    for row in selected:
        points.setdefault(row["metric"], {"metric": NAMES[row["metric"]]})[row["goal"]] = row["value"]
    width, height = 560, 380
    (lowest, right), (low, high) = (
        axis_ends([point[goal] for point in points.values()], 0.05) for goal in ("recall", "precision")
    )
    # labels are placed in pixels, so the data are converted first
    offsets = plotting.place_labels({
        str(point["metric"]): (
            (point["recall"] - lowest) / (right - lowest) * width,
            (high - point["precision"]) / (high - low) * height,
        )
        for point in points.values()
    })  # fmt: skip

    def one(values: plotting.ChartRows) -> Any:
        return plotting.canvas(values, width, height).encode(
            x=alt.X("recall:Q", title="recall, 1000 terms", scale=axis_scale([lowest, right])),
            y=alt.Y("precision:Q", title="precision, 1000 terms", scale=axis_scale([low, high])),
            color=alt.Color("metric:N", legend=None, scale=plotting.style_scale(list(COLOURS), COLOURS)),
        )  # fmt: skip

    names = [
        one([point]).mark_text(align="left", fontWeight="bold", dx=dx, dy=dy).encode(text="metric:N")
        for point, (dx, dy) in zip(points.values(), offsets.values(), strict=True)
    ]
    return alt.layer(one(list(points.values())).mark_circle(size=50, opacity=1), *names)


def figure6(problems: plotting.ChartRows) -> Any:
    """Draw F against the skew of a problem with 1000 terms by BNS."""
    x = alt.X(
        "skew:Q",
        title="skew: documents outside the class for each one in it",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=[m * 10**n for n in range(-1, 4) for m in (1, 2, 5)], format="~g"),
    )
    y = alt.Y("f1:Q", title="F-measure, 1000 terms by BNS", scale=alt.Scale(domain=[0, 1]))
    points = plotting.canvas(problems, height=340).mark_point(size=24).encode(x=x, y=y)
    rule = plotting.canvas([{"skew": HIGH_SKEW}], height=340).mark_rule(strokeDash=[2, 3])
    return points + rule.encode(x=x)


def by_skew(averages: plotting.ChartRows, goal: str) -> Any:
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


def by_tolerance(chances: plotting.ChartRows, goal: str) -> Any:
    """Draw the share of problems that each metric wins within a tolerance."""
    goal_rows = [row | {"metric": NAMES[row["method"]]} for row in chances if row["goal"] == goal]
    return draw_tolerances(goal_rows, goal, share_axis_ends(chances, goal))


def draw_tolerances(rows: plotting.ChartRows, goal: str, within: list[float], title: str = "metric") -> Any:
    """Draw shares against tolerances, both in per cent."""
    values = [
        {"metric": row["metric"], "tolerance": round(100 * row["tolerance"], 6), "share": 100 * row["share"]}
        for row in rows
    ]
    x = alt.X(
        "tolerance:Q",
        title=f"tolerance: percentage points of {GOAL_TITLES[goal]} below the best metric",
        scale=alt.Scale(zero=False, nice=False, padding=6),
        axis=alt.Axis(values=sorted({row["tolerance"] for row in values})),
    )
    y = alt.Y("share:Q", title="problems within the tolerance, %", scale=axis_scale(within))
    return draw_metrics(values, x, y, title=title)


def share_axis_ends(chances: plotting.ChartRows, goal: str) -> list[float]:
    """Return the ends of the axis of shares, ignoring Rand, which is far below."""
    low = min(row["share"] for row in chances if row["goal"] == goal and row["method"] != "rand")
    return [100 * low // 10 * 10, 100]


def figure9b(chances: plotting.ChartRows) -> Any:
    """Draw the share of problems within the smallest tolerance (1 %, 0.1 % for accuracy), best F first."""
    smallest = {goal: min(row["tolerance"] for row in chances if row["goal"] == goal) for goal in GOAL_TITLES}
    label = {goal: f"{name}, {100 * smallest[goal]:g} %" for goal, name in GOAL_TITLES.items()}
    points = [
        {"metric": NAMES[row["method"]], "goal": label[row["goal"]], "share": 100 * row["share"]}
        for row in chances
        if row["tolerance"] == smallest[row["goal"]]
    ]
    in_order = sorted((-p["share"], p["metric"]) for p in points if p["goal"] == label["f1"])
    goals = list(label.values())
    return plotting.canvas(points, height=2 * plotting.HEIGHT).mark_bar().encode(
        x=alt.X("share:Q", title="problems within the tolerance, %"),
        y=alt.Y("metric:N", title=None, sort=[name for _, name in in_order]),
        yOffset=alt.YOffset("goal:N", sort=goals),
        color=alt.Color("goal:N", title="goal, tolerance", sort=goals),
    )  # fmt: skip


def figure10b(chances: plotting.ChartRows, maxima: plotting.ChartRows) -> Any:
    """Draw the share of problems that IG or another metric wins in precision, and that BNS or Odds wins."""
    goal_rows = [row for row in maxima if row["goal"] == "precision"]
    runs = maxima_runs(goal_rows)
    points: plotting.ChartRows = []
    for tolerance in sorted({row["tolerance"] for row in chances if row["goal"] == "precision"}):
        for row in residual_wins(runs, "ig", tolerance):
            name = f"IG+{NAMES[row['method']]}"
            points.append({"metric": name, "tolerance": tolerance, "share": row["together"]})
        for row in pair_wins(runs, tolerance):
            if {row["method"], row["other"]} == {"bns", "odds"}:
                points.append({"metric": "BNS+Odds", "tolerance": tolerance, "share": row["share"]})
    return draw_tolerances(points, "precision", share_axis_ends(chances, "precision"), "one of two")
