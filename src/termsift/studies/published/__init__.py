"""Figures as papers print them: facts, a file a table, with where in the paper they stand."""

from __future__ import annotations

import csv
from importlib.resources import files


def printed(study: str, name: str) -> list[dict[str, str]]:
    """The rows of a printed table.

    >>> printed("zheng2004", "table1")[0]["value"]
    '0.67'
    """
    text = files(__package__).joinpath(study, f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
