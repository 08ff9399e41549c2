"""Lines of a study's tables: rows as a table, and statements with their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from termsift.tables import Table

Line: TypeAlias = dict[str, Any]


def table_of(lines: list[Line]) -> Table:
    """Lines as a table."""
    return Table({name: np.array([line[name] for line in lines], dtype=object) for name in lines[0]})


def stated(where: str, statement: str, figure: str, parts: Sequence[bool]) -> Line:
    """A statement of a paper beside our figure: it holds if all its parts do."""
    holds = "holds" if all(parts) else "holds in part" if any(parts) else "does not hold"
    return {"where": where, "statement": statement, "ours": figure, "verdict": holds}
