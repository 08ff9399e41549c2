"""Pictures of what scripts of the gallery print, for the scripts that draw nothing."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from vl_convert import svg_to_png

OUTPUT = re.compile(r"\.\. rst-class:: sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?:    .*\n|\n)+)")
WIDTH, HEIGHT = 400, 280
# a picture is shown at less than half its size, so few letters go into it
SIZE, STEP, MARGIN = 25, 31, 22
# a letter of a monospaced font is 0.6 of its size wide
LETTER = 0.6 * SIZE
COLUMNS, LINES = int((WIDTH - MARGIN) / LETTER), int((HEIGHT - MARGIN) / STEP)


def draw_thumbnails(app: Any) -> None:
    """Draw a picture of its first output for each script that left none of its own."""
    gallery = Path(app.srcdir) / "gallery"
    for page in sorted(gallery.glob("a*.rst")):
        pictures = list((gallery / "images").glob(f"sphx_glr_{page.stem}_*.png"))
        found = OUTPUT.search(page.read_text(encoding="utf-8"))
        if not pictures and found:
            place = gallery / "images" / "thumb" / f"sphx_glr_{page.stem}_thumb.png"
            place.write_bytes(svg_to_png(output_picture(found[1]), scale=1))


def output_picture(output: str) -> str:
    """Return an SVG of the beginning of an output; words stay in their columns whatever the font."""
    lines = [part for line in output.rstrip().splitlines() for part in fitted(line[4:].rstrip())][:LINES]
    top = (HEIGHT - STEP * len(lines)) / 2
    rows = "".join(row(line, top + (i + 0.75) * STEP) for i, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f6f8fa"/>'
        f'<rect width="8" height="{HEIGHT}" fill="#1b6ca8"/>'
        f'<g font-family="DejaVu Sans Mono, Liberation Mono, Menlo, Consolas, monospace" font-size="{SIZE}">{rows}</g></svg>'
    )


def fitted(line: str) -> list[str]:
    """Cut a row of a table at the edge of the picture; wrap a sentence or a list of words."""
    if len(line) <= COLUMNS or len(re.split(r"\s{2,}", line.strip())) > 2:
        return [re.sub(r"\s+\S*$", "", line[: COLUMNS + 1]) if len(line) > COLUMNS else line]
    return textwrap.wrap(re.sub(r"\s+", " ", line), COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def row(line: str, y: float) -> str:
    """Return a line of an output, each word at the start of its column, the first in another colour."""
    return "".join(
        f'<text x="{MARGIN + LETTER * word.start():.1f}" y="{y:.1f}" '
        f'fill="{"#22272e" if word.start() else "#1b6ca8"}">{escape(word[0])}</text>'
        for word in re.finditer(r"\S+", line)
    )


def setup(app: Any) -> dict[str, bool]:
    """Register the extension in Sphinx; the pages of the gallery are written before this is called."""
    app.connect("builder-inited", draw_thumbnails, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
