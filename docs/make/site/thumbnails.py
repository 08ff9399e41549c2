"""Pictures of what scripts of the gallery print, for the scripts that draw nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from vl_convert import svg_to_png

OUTPUT = re.compile(r"\.\. rst-class:: sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?:    .*\n|\n)+)")
WIDTH, HEIGHT, LINES = 400, 280, 9
# a letter of a monospaced font is 0.6 of its size wide
LETTER, MARGIN = 0.6, 20
LARGEST, SMALLEST = 19.0, 11.0


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
    """An SVG of the first lines of an output; words stay in their columns whatever the font."""
    lines = [line[4:].rstrip() for line in output.rstrip().splitlines()][:LINES]
    columns = max(map(len, lines))
    size = min(LARGEST, max(SMALLEST, (WIDTH - 2 * MARGIN) / (LETTER * columns)))
    step = min((HEIGHT - 2 * MARGIN) / len(lines), 1.7 * size)
    rows = "".join(row(line, MARGIN + (i + 0.75) * step, size) for i, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f6f8fa"/>'
        f'<rect width="6" height="{HEIGHT}" fill="#1b6ca8"/>'
        '<g font-family="DejaVu Sans Mono, Liberation Mono, Menlo, Consolas, monospace" fill="#22272e" '
        f'font-size="{size:.1f}">{rows}</g></svg>'
    )


def row(line: str, y: float, size: float) -> str:
    """A line of an output, each of its words where its column begins."""
    return "".join(
        f'<text x="{MARGIN + LETTER * size * word.start():.1f}" y="{y:.1f}">{escape(word[0])}</text>'
        for word in re.finditer(r"\S+", line)
    )


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx asks an extension for; the pages of the gallery are written before this is called."""
    app.connect("builder-inited", draw_thumbnails, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
