"""Write docs/promises.md: its words, and the figures of the last attack, docs/attack.csv."""

from __future__ import annotations

import csv
from pathlib import Path

from termsift.studies.pages import markdown_table

DOCS = Path(__file__).parent.parent
PAGE, TABLE = DOCS / "promises.md", DOCS / "attack.csv"
WORDS = Path(__file__).with_name("promises.md.in")


def page() -> str:
    """The whole page."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tries, failures = (sum(int(row[name]) for row in rows) for name in ("tries", "failures"))
    shown = [{**row, "tries": f"{int(row['tries']):,}"} for row in rows]
    words = WORDS.read_text(encoding="utf-8")
    return words.format(
        areas=len(rows), tries=f"{tries:,}", failures=failures or "none", table=markdown_table(shown)
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
