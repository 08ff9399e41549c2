"""What charts of studies share: rows of a table of results, and a canvas for them."""

from __future__ import annotations

import csv
from collections.abc import Container
from pathlib import Path
from typing import Any, TypeAlias

import altair as alt

Rows: TypeAlias = list[dict[str, Any]]
WIDTH, HEIGHT = 560, 280


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


def roomy(drawing: Any) -> Any:
    """A chart with room for letters that are wider where it is looked at than where it was made."""
    room = {"left": 5, "top": 5, "right": 40, "bottom": 5}
    return drawing.properties(padding=room).configure_axis(titlePadding=10)
