"""Charts: those of a page, terms in ROC space, and how a chart becomes a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from termsift.errors import EngineFailure, InvalidInput
from termsift.output import replacing

if sys.flags.optimize > 1:
    raise EngineFailure("charts are drawn by Altair, which reads its own docstrings; run Python without -OO")


class InPages(json.JSONEncoder):
    """JSON that stays inside its script, whatever the words are: none of them can close it."""

    def encode(self, o: Any) -> str:
        """Text, in which < is written as its number."""
        return super().encode(o).replace("<", "\\u003c")


# Altair warns of options that have no meaning for a format
FORMATS: dict[str, dict[str, Any]] = {
    ".html": {"format": "html", "inline": True, "json_kwds": {"cls": InPages}},
    ".png": {"format": "png"},
    ".svg": {"format": "svg"},
}


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart as a page with all its scripts included, or as an image: .html, .png or .svg.

    chart : an Altair chart
    path : the file to write; its extension sets the format

    >>> import tempfile
    >>> from termsift.report import landscape
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_chart(landscape("acc2", levels=[0.5]), Path(folder) / "acc2.svg")
    ...     (Path(folder) / "acc2.svg").read_text(encoding="utf-8")[:4]
    '<svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInput(f"a chart is saved as .html, .png or .svg, got {os.fspath(path)!r}")
    with replacing(path) as temporary:
        chart.save(str(temporary), **FORMATS[suffix])


def roomy(drawing: Any) -> Any:
    """A chart with room for letters that are wider where it is looked at than where it was made."""
    room = {"left": 5, "top": 5, "right": 40, "bottom": 5}
    return drawing.properties(padding=room).configure_axis(titlePadding=10)
