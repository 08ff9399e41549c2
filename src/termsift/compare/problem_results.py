"""Results of methods on problems: the resumable CSV file of a benchmark, and results of other programs."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_name, quote_names
from termsift._internal.files import atomic_write, require_file
from termsift.compare.problem_tables import Row
from termsift.evaluation import read_columns

GOALS = ("f1", "precision", "recall", "accuracy")
# columns of saved results, with the types of their values
KEY_COLUMNS = {
    "corpus": str, "class": str, "documents": int, "positives": int, "folds": int, "seed": int,
    "repeat": int, "classifier": str, "method": str, "size": str,
}  # fmt: skip
# sizes of methods that use all terms, or determine their number
UNSIZED = frozenset({"all", "own"})
ROLES = ("corpus", "problem", "method", "size", "repeat", "goal", "value", "documents", "positives")


class SavedResults:
    """Rows of results, in a CSV file if there is a path."""

    def __init__(self, path: Path | None, rows: list[Row]) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.settings: dict[tuple[str, str], tuple[int, ...]] = {}
        self.sizes: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        self._append_rows(rows)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None) -> SavedResults:
        """Load the file if it exists."""
        if path is None or not Path(path).exists():
            return cls(None if path is None else Path(path), [])
        table = read_csv(path)
        wanted = [*KEY_COLUMNS, *GOALS]
        if list(table) != wanted:
            raise InvalidInputError(f"{path} has other columns than saved results: {quote_names(table)}")
        types = KEY_COLUMNS | dict.fromkeys(GOALS, float)
        try:
            rows = [
                {name: types[name](value) for name, value in zip(wanted, values, strict=True)}
                for values in zip(*table.values(), strict=True)
            ]
        except ValueError as error:
            raise InvalidInputError(f"{path} is damaged: {error}; delete it to start again") from error
        return cls(Path(path), rows)

    def has(self, key: Row, sizes: Iterable[int]) -> bool:
        """Return whether all sizes of a problem, repeat, classifier and method are saved."""
        described = self.settings.get((key["corpus"], key["class"]))
        if described is not None and described != problem_settings(key):
            raise InvalidInputError(
                f"{self.path} has results of class {key['class']} of {key['corpus']} with other documents, "
                "folds or seed; save to another file"
            )
        saved = self.sizes[run_key(key)]
        return set(map(str, sizes)) <= saved or bool(saved & UNSIZED)

    def add(self, rows: list[Row]) -> None:
        """Add rows and write the file."""
        if not rows:
            return
        added = {(*run_key(row), row["size"]) for row in rows}
        self.rows = [row for row in self.rows if (*run_key(row), row["size"]) not in added]
        self._append_rows(rows)
        if self.path is not None:
            with (
                atomic_write(self.path) as temporary,
                temporary.open("w", newline="", encoding="utf-8") as file,
            ):
                writer = csv.DictWriter(file, [*KEY_COLUMNS, *GOALS], lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows)

    def select(
        self,
        corpora: Collection[str],
        repeats: int,
        methods: Collection[str],
        classifiers: Collection[str],
        sizes: Iterable[int],
    ) -> list[Row]:
        """Return the rows of a benchmark; the file may have others."""
        allowed: dict[str, Any] = {"corpus": corpora, "method": methods, "classifier": classifiers}
        allowed |= {"size": {*map(str, sizes), *UNSIZED}, "repeat": range(repeats)}
        return [row for row in self.rows if all(row[name] in values for name, values in allowed.items())]

    def _append_rows(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.rows.append(row)
            self.settings[row["corpus"], row["class"]] = problem_settings(row)
            self.sizes[run_key(row)].add(row["size"])


def problem_settings(row: Row) -> tuple[int, ...]:
    """Return what must be equal for results of a problem to be comparable."""
    return row["documents"], row["positives"], row["folds"], row["seed"]


def run_key(row: Row) -> tuple[Any, ...]:
    """Return the problem, repeat, classifier and method of a row."""
    return tuple(row[name] for name in ("corpus", "class", "repeat", "classifier", "method"))


def expand_goals(rows: Sequence[Row], goals: Sequence[str]) -> list[Row]:
    """Return a row for each goal; classifiers are part of the method if there are several."""
    has_several = len({row["classifier"] for row in rows}) > 1
    return [
        {
            "problem": f"{row['corpus']}: {row['class']}",
            "corpus": row["corpus"],
            "method": f"{row['method']} {row['classifier']}" if has_several else row["method"],
            "size": int(row["size"]) if row["size"].isdigit() else row["size"],
            "repeat": row["repeat"],
            "documents": row["documents"],
            "positives": row["positives"],
            "goal": goal,
            "value": row[goal],
        }
        for goal in goals
        for row in rows
    ]


def read_results(results: Any, goals: Sequence[str], column_by_role: Mapping[str, str]) -> list[Row]:
    """Return results of other programs as rows; a CSV file, a data frame or a mapping of columns."""
    for role in column_by_role:
        check_name("role of a column", role, (*ROLES, "class"))
    is_path = isinstance(results, str | os.PathLike)
    table = read_csv(results) if is_path else read_columns(results)
    column = {role: column_by_role.get(role, role) for role in (*ROLES, "class")}
    for role, name in column_by_role.items():
        if name not in table:
            raise InvalidInputError(
                f"column {name!r} ({role}) is not in the results; available columns: {quote_names(table)}"
            )
    if column["method"] not in table:
        message = f"the results have no column 'method'; available columns: {quote_names(table)}"
        raise InvalidInputError(message)
    parts = [column[role] for role in ("corpus", "problem", "class") if column[role] in table]
    if not parts:
        message = f"the results have no column 'problem' or 'class'; available columns: {quote_names(table)}"
        raise InvalidInputError(message)
    is_long = column["value"] in table
    value_columns = [column["value"]] if is_long else [goal for goal in goals if goal in table]
    if not value_columns:
        raise InvalidInputError(
            f"the results have no column 'value' nor one of {', '.join(goals)}; "
            f"available columns: {quote_names(table)}"
        )
    n_rows = len(next(iter(table.values())))
    rows: list[Row] = []
    for i in range(n_rows):
        cells = {role: table[name][i] if name in table else None for role, name in column.items()}
        common = {
            "problem": ": ".join(str(table[name][i]) for name in parts),
            "corpus": None if cells["corpus"] is None else str(cells["corpus"]),
            "method": str(cells["method"]),
            "size": parse_if_integer(cells["size"]),
            "repeat": cells["repeat"],
            "documents": to_finite_float(cells["documents"], "documents", i) if cells["documents"] else None,
            "positives": to_finite_float(cells["positives"], "positives", i) if cells["positives"] else None,
        }
        if common["documents"] is None:
            common["positives"] = None
        for name in value_columns:
            goal = str(cells["goal"] if is_long and cells["goal"] is not None else name)
            rows.append(common | {"goal": goal, "value": to_finite_float(table[name][i], name, i)})
    if not rows:
        raise InvalidInputError("the results are empty; at least one row is needed")
    # a column of goals may name any; it is restricted only to goals that differ from the default
    available = sorted({str(row["goal"]) for row in rows})
    if tuple(goals) != GOALS:
        rows = [row for row in rows if row["goal"] in goals or row["goal"] == column["value"]]
    if not rows:
        message = f"the results have no goal {', '.join(goals)}; they have {', '.join(available)}"
        raise InvalidInputError(message)
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        key = tuple(row[name] for name in ("goal", "problem", "method", "size", "repeat"))
        if key in seen:
            raise InvalidInputError(
                f"two values of method {row['method']} on problem {row['problem']} for {row['goal']}; "
                "name the columns that distinguish them as size or repeat"
            )
        seen.add(key)
    return rows


def read_csv(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Read a CSV file with a header as columns of text."""
    file = require_file(path)
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            header, *records = list(csv.reader(stream)) or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInputError(f"{path} is not a CSV file in UTF-8: {error}") from error
    for number, record in enumerate(records, start=2):
        if len(record) != len(header):
            message = f"line {number} of {path} has {len(record)} values, its header {len(header)}"
            raise InvalidInputError(message)
    return {name: [record[i] for record in records] for i, name in enumerate(header)}


def parse_if_integer(value: Any) -> Any:
    """Return a whole number if a text is one, otherwise the value."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def to_finite_float(value: Any, column: str, row: int) -> float:
    """Return a finite number of a row."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise InvalidInputError(f"column {column!r} must have finite numbers, got {value!r} in row {row}")
    return number
