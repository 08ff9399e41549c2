"""What figures of studies share: rows of a table of results, a canvas for them, and room for names."""

from __future__ import annotations

import csv
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import altair as alt

Rows: TypeAlias = list[dict[str, Any]]
WIDTH, HEIGHT = 560, 280
Place: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
LETTER, LINE, DOT = 7.0, 11.0, 4.0


def rows(path: Path, numbers: Container[str]) -> Rows:
    """The rows of a table, with those columns as numbers; none where there is no such table."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [
            {name: float(value) if name in numbers else value for name, value in row.items()}
            for row in csv.DictReader(file)
        ]


def chart(values: Rows, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """A chart of some rows."""
    return alt.Chart(alt.Data(values=values), width=width, height=height)


def styles(names: list[str], special: dict[str, Any], otherwise: Any) -> Any:
    """A scale that gives some names a style of their own."""
    # Vega-Lite would place the names evenly between two widths
    return alt.Scale(type="ordinal", domain=names, range=[special.get(name, otherwise) for name in names])


def label_offsets(points: dict[str, Place]) -> dict[str, Place]:
    """From each point to the left end of its name, in pixels: the nearest place that is free, else the right.

    >>> label_offsets({"bns": (0, 0), "ig": (12, 0)})
    {'bns': (-28.0, 0.0), 'ig': (7.0, 0.0)}
    """
    taken: list[Box] = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points.values()]
    offsets: dict[str, Place] = {}
    for name, (x, y) in points.items():
        places = list(around(LETTER * len(name)))
        boxes = [box(x + dx, y + dy, name) for dx, dy in places]
        free = (i for i, one in enumerate(boxes) if not any(overlap(one, other) for other in taken))
        i = next(free, 0)
        taken.append(boxes[i])
        offsets[name] = places[i]
    return offsets


def around(width: float) -> Iterator[Place]:
    """Places for a name of some width, the nearest first: right, left, above and below."""
    for far in (1.0, 1.6, 2.4):
        right, left, high = 7 * far, -7 * far - width, LINE * far
        yield from ((right, 0.0), (left, 0.0), (-width / 2, -high), (-width / 2, high))
        yield from ((right, -high), (right, high), (left, -high), (left, high))


def box(x: float, y: float, name: str) -> Box:
    """What a name covers that is written from here to the right."""
    return x, y - LINE / 2, x + LETTER * len(name), y + LINE / 2


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
