"""Helpers for the figures of studies: rows of result tables, canvas, axes, styles and label placement."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import altair as alt

from termsift.report import add_padding
from termsift_studies.running import load_csv

ChartRows: TypeAlias = list[dict[str, Any]]
WIDTH, HEIGHT = 560, 280
Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
LETTER, LINE, DOT = 7.0, 11.0, 4.0


def load_chart_rows(path: Path, numbers: Container[str]) -> ChartRows:
    """Load the rows of a table with some columns as numbers; return no rows if the table is missing."""
    return [
        {name: float(value) if name in numbers else value for name, value in row.items()}
        for row in (load_csv(path) if path.exists() else [])
    ]


def canvas(values: ChartRows, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """Return a chart of the given rows."""
    return alt.Chart(alt.Data(values=values), width=width, height=height)


def pad_charts(charts: Mapping[str, Any]) -> dict[str, Any]:
    """Add padding for fonts that are wider in the reader's browser."""
    return {name: add_padding(chart) for name, chart in charts.items()}


def log_axis(field: str, title: str, marks: Sequence[float], ends: Sequence[float], **scale: Any) -> Any:
    """Return a logarithmic x axis with the given tick marks."""
    within = alt.Scale(type="log", domain=ends, nice=False, **scale)
    return alt.X(f"{field}:Q", title=title, scale=within, axis=alt.Axis(values=marks, format="d"))


def style_scale(names: Sequence[str], special: Mapping[str, Any], otherwise: Any = None) -> Any:
    """Return a scale that assigns special styles to some names."""
    # Vega-Lite would place the names evenly between two widths
    return alt.Scale(type="ordinal", domain=names, range=[special.get(name, otherwise) for name in names])


def line_styles(
    names: Sequence[str],
    colours: Mapping[str, str],
    dashes: Mapping[str, list[int]],
    widths: Mapping[str, float],
    title: str = "metric",
) -> dict[str, Any]:
    """Return the styles of lines by metric. All scales share a title, so Vega-Lite merges their legends."""
    common = {"title": title, "legend": stroke_legend()}
    return {
        "color": alt.Color("metric:N", scale=style_scale(names, colours, "#555555"), **common),
        "strokeDash": alt.StrokeDash("metric:N", scale=style_scale(names, dashes, [1, 0]), **common),
        "strokeWidth": alt.StrokeWidth("metric:N", scale=style_scale(names, widths, 1.5), **common),
    }


def stroke_legend() -> Any:
    """Return a legend that shows a segment of each line."""
    return alt.Legend(symbolType="stroke", symbolSize=400)


def place_labels(points: dict[str, Point]) -> dict[str, Point]:
    """Return the offset in pixels from each point to its label: the nearest free position, else the right.

    >>> place_labels({"bns": (0, 0), "ig": (12, 0)})
    {'bns': (-28.0, 0.0), 'ig': (7.0, 0.0)}
    """
    # the points themselves must stay visible too
    occupied: list[Box] = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points.values()]
    offsets: dict[str, Point] = {}
    for name, (x, y) in points.items():
        candidates = list(label_positions(LETTER * len(name)))
        boxes = [label_box(x + dx, y + dy, name) for dx, dy in candidates]
        free = (i for i, box in enumerate(boxes) if not any(is_overlapping(box, used) for used in occupied))
        i = next(free, 0)
        occupied.append(boxes[i])
        offsets[name] = candidates[i]
    return offsets


def label_positions(width: float) -> Iterator[Point]:
    """Yield positions for a label of this width, nearest first: right, left, above and below."""
    # three rings of eight positions around the point
    for far in (1.0, 1.6, 2.4):
        right_shift, left_shift, high = 7 * far, -7 * far - width, LINE * far
        yield from ((right_shift, 0.0), (left_shift, 0.0), (-width / 2, -high), (-width / 2, high))
        yield from ((right_shift, -high), (right_shift, high), (left_shift, -high), (left_shift, high))


def label_box(x: float, y: float, name: str) -> Box:
    """Return the box covered by a name written to the right of this position."""
    return x, y - LINE / 2, x + LETTER * len(name), y + LINE / 2


def is_overlapping(a: Box, b: Box) -> bool:
    """Check if two boxes share more than an edge."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
