"""Draw docs/img/effects.svg: the words of docs/data/tickets.csv, by the command that README shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from termsift.cli import main

DOCS = Path(__file__).parent.parent
PICTURE = DOCS / "img" / "effects.svg"
COMMAND = ("score", str(DOCS / "data" / "tickets.csv"), "--stop-words", "english", "--top", "6", "--plot")


def draw(path: Path) -> None:
    """Write the picture."""
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
        main([*COMMAND, str(path)])


def shown_texts(path: Path) -> list[str]:
    """Return the texts of a picture: titles, words, shares and axes."""
    return re.findall(r"<text[^>]*>([^<]+)</text>", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    draw(PICTURE)
