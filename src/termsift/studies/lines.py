"""Lines of a study's tables: printed figures, statements with their verdicts, and lines as tables."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from termsift.studies.study import ROOM
from termsift.tables import Table

Line: TypeAlias = dict[str, Any]
Lines: TypeAlias = list[Line]
VERDICTS = ("holds", "holds in part", "does not hold")


def line_tables(lines: Mapping[str, Iterable[Line]]) -> dict[str, Table]:
    """Lines as tables, by name, without those that have none."""
    made = {name: list(own) for name, own in lines.items()}
    return {
        name: Table({column: np.array([line[column] for line in own], dtype=object) for column in own[0]})
        for name, own in made.items()
        if own
    }


def stated(where: str, statement: str, figure: str, parts: Sequence[bool]) -> Line:
    """A statement of a paper beside our figure: it holds if all its parts do."""
    holds = VERDICTS[0] if all(parts) else VERDICTS[1] if any(parts) else VERDICTS[2]
    return {"where": where, "statement": statement, "ours": figure, "verdict": holds}


def verdict_counts(statements: Iterable[Line]) -> dict[str, int]:
    """How many statements hold, hold in part and do not."""
    counts = Counter(line["verdict"] for line in statements)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def printed_rows(paper: str, table: str) -> list[dict[str, str]]:
    """The rows of a table as the paper prints it: facts, with where in the paper they stand.

    >>> printed_rows("zheng2004", "table1")[0]["value"]
    '0.67'
    """
    folder = files(f"{ROOM}.{paper.replace('-', '_')}").joinpath("published")
    return list(csv.DictReader(folder.joinpath(f"{table}.csv").read_text(encoding="utf-8").splitlines()))
