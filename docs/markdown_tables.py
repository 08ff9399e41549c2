"""What the pages of studies share: results as rows, rows as Markdown."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from importlib.resources import files

RESULTS = files("termsift.studies").joinpath("results")


def rows(study: str, name: str) -> list[dict[str, str]]:
    text = RESULTS.joinpath(study, f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    bar = "|" + "---|" * len(head)
    cells = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return "\n".join(["| " + " | ".join(head) + " |", bar, *cells]) + "\n"


def short(value: str) -> str:
    return f"{float(value):.3f}".removeprefix("0")


def pictures(study: str, captions: dict[str, str]) -> str:
    lines = [f"\n### {caption}\n\n![{caption}]({study}/{name}.svg)\n" for name, caption in captions.items()]
    return "\n## Figures\n" + "".join(lines)
