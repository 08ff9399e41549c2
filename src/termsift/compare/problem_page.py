"""HTML page of a benchmark: figures as inline SVG, and all tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.tables import Table, format_cell
from termsift.report import load_asset, template_environment

if TYPE_CHECKING:
    from termsift.compare.problem_tables import Benchmark

MAX_LINES = 12  # in a figure: the methods with the highest lines
MAX_ROWS = 300  # of a table
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 58, 130, 12, 46
MIN_LABEL_GAP = 13
DASHES = ("", "6 3", "2 3", "8 3 2 3")
CAPTIONS = {
    "chances": "Share of problems on which a method is within the tolerance of the best",
    "residual": "Wins of other methods on the problems that the first does not win",
    "pairs": "Pair of methods that wins most problems",
    "differences": "Mean differences over the problems, Wilcoxon's test, p adjusted by Holm's method",
    "by_skew": "By skew: documents outside the class for each one in it",
    "by_positives": "By number of documents in the class",
    "by_size": "Mean over the problems by number of terms",
}


def render_benchmark_page(benchmark: Benchmark, title: str) -> str:
    """Render the sentences, figures and tables of a benchmark."""
    figures = []
    # a method looks the same in every figure
    methods = sorted(set(benchmark.best_over_sizes["method"].tolist()))
    for goal in benchmark.goals:
        by_size = collect_points_by_method(benchmark.by_size, goal, "terms", "mean")
        if any(len(points) > 1 for points in by_size.values()):
            figures.append(line_chart_values(by_size, methods, f"{goal} by number of terms", is_log=True))
        widest = 10.001 * benchmark.goal_tolerance(goal)
        chances = {
            method: [point for point in points if point[0] <= widest]
            for method, points in collect_points_by_method(
                benchmark.win_shares, goal, "tolerance", "share"
            ).items()
        }
        figures.append(
            line_chart_values(chances, methods, f"share of problems within a tolerance of the best {goal}")
        )
    # the figures show the other tolerances
    shown = benchmark.tables | {"chances": benchmark.wins}
    tables = [
        (name.replace("_", "-"), caption, *table_cells(shown[name]))
        for name, caption in CAPTIONS.items()
        if name in shown
    ]
    return (
        template_environment()
        .get_template("benchmark.html")
        .render(
            version=version("termsift"),
            style=load_asset("report.css"),
            title=title,
            answer=benchmark.answer,
            figures=figures,
            tables=tables,
        )
    )


def collect_points_by_method(table: Table, goal: str, x: str, y: str) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each method for a goal, ascending; sizes that are not numbers are left out."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in table:
        if row["goal"] == goal and isinstance(row[x], int | float | np.number):
            lines.setdefault(str(row["method"]), []).append((float(row[x]), float(row[y])))
    return {name: sorted(points) for name, points in lines.items()}


def line_chart_values(
    points_by_method: Mapping[str, Sequence[tuple[float, float]]],
    colored_methods: Sequence[str],
    title: str,
    *,
    is_log: bool = False,
) -> dict[str, Any]:
    """Return a figure with a line for each method: positions in a drawing of WIDTH x HEIGHT.

    methods : methods of all figures, which determine the colors
    """
    names = sorted(points_by_method, key=lambda name: -max(y for _, y in points_by_method[name]))[:MAX_LINES]
    xs = sorted({x for name in names for x, _ in points_by_method[name]})
    y_ticks = find_ticks([y for name in names for _, y in points_by_method[name]])
    low, high = y_ticks[0], y_ticks[-1]

    def scale(value: float) -> float:
        return log10(value) if is_log else value

    def x_position(value: float) -> float:
        span = max(scale(xs[-1]) - scale(xs[0]), 1e-9)
        return round(LEFT + (scale(value) - scale(xs[0])) / span * (WIDTH - LEFT - RIGHT), 1)

    def y_position(value: float) -> float:
        return round(TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    drawn, label_y = [], -MIN_LABEL_GAP * 1.0
    # labels stand beside the ends of the lines, without overlap
    for name in sorted(names, key=lambda name: -points_by_method[name][-1][1]):
        label_y = max(label_y + MIN_LABEL_GAP, y_position(points_by_method[name][-1][1]))
        rank = colored_methods.index(name)
        points = " ".join(f"{x_position(x)},{y_position(y)}" for x, y in points_by_method[name])
        style = {"dash": DASHES[rank % len(DASHES)], "hue": round(360 * rank / len(colored_methods))}
        drawn.append({"name": name, "points": points, "label_y": round(label_y + 4, 1)} | style)
    step = max(-(-len(xs) // 8), 1)
    return {
        "title": title,
        "lines": drawn,
        "x_ticks": [(x_position(x), f"{x:g}") for x in xs[::step]],
        "y_ticks": [(y_position(y), f"{y:g}") for y in y_ticks],
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "bottom": HEIGHT - BOTTOM,
    }


def find_ticks(values: Sequence[float]) -> list[float]:
    """Return at most six round numbers from below the smallest value to above the largest.

    >>> find_ticks([0.164, 0.713])
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    low, high = min(values), max(max(values), min(values) + 0.005)
    first = floor(log10(high - low)) - 1
    for step in (digit * 10.0**power for power in range(first, first + 3) for digit in (1, 2, 5)):
        ends = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        if ends[1] - ends[0] <= 5:
            break
    return [round(step * number, 12) for number in range(ends[0], ends[1] + 1)]


def table_cells(table: Table) -> tuple[list[tuple[str, str]], list[list[str]], int]:
    """Return the columns (name, kind), the formatted rows, and the number of rows that are not shown."""
    kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in table.columns.values()]
    rows = [[format_cell(value) for value in row.values()] for row in table.head(MAX_ROWS)]
    return list(zip(table.columns, kinds, strict=True)), rows, max(len(table) - MAX_ROWS, 0)
