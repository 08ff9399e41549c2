"""The tables: curves by method and size, their levels, statements, verdicts; the filter of page.md."""

from __future__ import annotations

from collections.abc import Iterator

from termsift.studies.pages import Rows, thousandths
from termsift.studies.study import Line, Lines, Row, line_tables
from termsift.studies.uchyigit_clark.outcomes import GOALS, UchyigitOutcomes, uchyigit_outcomes
from termsift.studies.uchyigit_clark.statements import uchyigit_statements
from termsift.studies.uchyigit_clark.trials import SIZES
from termsift.tables import Table

GU = ("GU proportions", "GU counts")
SHOWN = ("10", "50", "100", "200", "500", "1000")


def uchyigit_tables(rows: list[Row]) -> dict[str, Table]:
    """All tables of the study, from the rows of all units."""
    found = uchyigit_outcomes(rows)
    statements = [
        {"vocabulary": reading, "gu": gu} | line
        for reading, own in found.items()
        for gu in GU
        for line in uchyigit_statements(own, {"GU": gu})
    ]
    return line_tables({
        "averages": [line for reading in found for line in curve_lines(reading, found[reading])],
        "summary": [line for reading in found for line in level_lines(reading, found[reading])],
        "statements": statements,
        "verdicts": verdicts_by_reading(statements),
    })  # fmt: skip


def curve_lines(reading: str, found: UchyigitOutcomes) -> Iterator[Line]:
    """What each method reaches at each size: figures 1 to 4."""
    for m, method in enumerate(found.methods):
        for s, size in enumerate(SIZES.tolist()):
            values = {goal: round(float(found.averages[goal][m, s]), 5) for goal in GOALS}
            yield {"vocabulary": reading, "metric": method, "size": size} | values


def level_lines(reading: str, found: UchyigitOutcomes) -> Iterator[Line]:
    """The means over sizes, the best in F1 first; how much F1 varies over splits, and where it is best."""
    for method in sorted(found.methods, key=lambda method: -found.level("f1", method)):
        values = {goal: round(found.level(goal, method), 5) for goal in GOALS}
        curve = found.curve("f1", method)
        best = {"best f1": round(float(curve.max()), 5), "at size": int(SIZES[curve.argmax()])}
        deviation = {"deviation of f1": round(found.deviation("f1", method), 5)}
        yield {"vocabulary": reading, "metric": method} | values | deviation | best


def verdicts_by_reading(statements: Lines) -> Lines:
    """A line a statement, a column a reading."""
    found: dict[str, Line] = {}
    for line in statements:
        own = found.setdefault(line["statement"], {"where": line["where"], "statement": line["statement"]})
        own[f"{line['vocabulary']}, {line['gu']}"] = line["verdict"]
    return list(found.values())


def measures_by_metric(summary: Rows, averages: Rows) -> Rows:
    """Means over sizes, the best in F1 first, and F1 at some sizes."""
    f1 = {(row["metric"], row["size"]): row["f1"] for row in averages}
    return [
        {"metric": row["metric"]}
        | {name: thousandths(row[name]) for name in (*GOALS, "deviation of f1")}
        | {f"f1, {size} words": thousandths(f1[row["metric"], size]) for size in SHOWN}
        for row in summary
    ]


UCHYIGIT_FILTERS = (measures_by_metric,)
