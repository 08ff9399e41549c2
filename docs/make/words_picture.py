"""Draw docs/img/words.svg: the words of the four classes of docs/data/tickets.csv."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import termsift as ts

DOCS = Path(__file__).parent.parent
COLOURS = {"billing": "#1b6ca8", "delivery": "#b5541c", "login": "#2a7d4f", "returns": "#7a3f98"}
WORDS, COLUMN, LINE = 6, 155, 44


def picture() -> str:
    """Return an SVG: a column per class with its words by information gain, a bar for the effect of each."""
    scores = ts.score(
        ts.count(DOCS / "data" / "tickets.csv", analyzer=ts.Analyzer(stop_words="english")), "ig"
    )
    parts = [column(scores, name, 16 + i * COLUMN) for i, name in enumerate(COLOURS)]
    width, height = 16 + len(COLOURS) * COLUMN, 54 + WORDS * LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif">\n'
        f"<title>The words of four classes of tickets</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>\n' + "".join(parts) + "</svg>\n"
    )


def column(scores: ts.Scores, name: str, x: int) -> str:
    """Draw the words of a class below its name."""
    rows = list(scores.top(name, WORDS, direction="positive"))
    colour = COLOURS[name]
    lines = [f'<text x="{x}" y="34" font-size="19" font-weight="600" fill="{colour}">{escape(name)}</text>\n']
    for i, row in enumerate(rows):
        y = 74 + i * LINE
        size = 17 + 9 * (row["score"] / rows[0]["score"]) ** 0.5
        long = 125 * min(row["effect"] / 8, 1)
        lines.append(
            f'<text x="{x}" y="{y}" font-size="{size:.1f}" fill="#22272e">{escape(row["term"])}</text>\n'
        )
        lines.append(f'<rect x="{x}" y="{y + 6}" width="{long:.0f}" height="4" rx="1.5" fill="{colour}"/>\n')
    return "".join(lines)


if __name__ == "__main__":
    (DOCS / "img" / "words.svg").write_text(picture(), encoding="utf-8")
