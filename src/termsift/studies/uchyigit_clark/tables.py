"""The tables: curves by method and size, their levels, statements, and verdicts side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from termsift.studies.lines import Line, table_of
from termsift.studies.uchyigit_clark.outcomes import GOALS, NAMES, Outcomes, Row, outcomes
from termsift.studies.uchyigit_clark.statements import GU, statements
from termsift.studies.uchyigit_clark.trials import SIZES
from termsift.tables import Table

VERDICTS = ("holds", "holds in part", "does not hold")


def tables(rows: list[Row]) -> dict[str, Table]:
    """All tables of the study, from the rows of all units."""
    found = outcomes(rows)
    return {
        "averages": table_of([line for reading in found for line in curves(reading, found[reading])]),
        "summary": table_of([line for reading in found for line in levels(reading, found[reading])]),
        "statements": table_of(stated_in(found)),
        "verdicts": table_of(side_by_side(stated_in(found))),
    }


def curves(reading: str, found: Outcomes) -> Iterator[Line]:
    """What each method reaches at each size: figures 1 to 4."""
    for m, method in enumerate(NAMES):
        for s, size in enumerate(SIZES.tolist()):
            values = {goal: round(float(found.averages[goal][m, s]), 5) for goal in GOALS}
            yield {"vocabulary": reading, "metric": method, "size": size} | values


def levels(reading: str, found: Outcomes) -> Iterator[Line]:
    """The means over sizes, the best in F1 first; how much F1 varies over splits, and where it is best."""
    for method in sorted(NAMES, key=lambda method: -found.level("f1", method)):
        values = {goal: round(found.level(goal, method), 4) for goal in GOALS}
        curve = found.curve("f1", method)
        yield (
            {"vocabulary": reading, "metric": method}
            | values
            | {
                "deviation of f1": round(found.deviation("f1", method), 4),
                "best f1": round(float(curve.max()), 4),
                "at size": int(SIZES[curve.argmax()]),
            }
        )


def stated_in(found: Mapping[str, Outcomes]) -> list[Line]:
    """The statements, by reading and by that of GU."""
    return [
        {"vocabulary": reading, "gu": gu} | line
        for reading, own in found.items()
        for gu in GU
        for line in statements(own, gu)
    ]


def side_by_side(lines: list[Line]) -> list[Line]:
    """A line a statement, a column a reading."""
    found: dict[str, Line] = {}
    for line in lines:
        own = found.setdefault(line["statement"], {"where": line["where"], "statement": line["statement"]})
        own[f"{line['vocabulary']}, {line['gu']}"] = line["verdict"]
    return list(found.values())


def verdicts_of(found: Mapping[str, Outcomes]) -> list[Line]:
    """How many statements hold, hold in part and do not, by reading and by that of GU, and the best in F1."""
    lines = []
    for reading, own in found.items():
        for gu in GU:
            verdicts = [line["verdict"] for line in statements(own, gu)]
            others = [name for name in NAMES if name not in GU or name == gu]
            order = sorted(others, key=lambda method: -own.level("f1", method))
            best = ", ".join(f"{name} {own.level('f1', name):.3f}" for name in order[:3])
            counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
            lines.append({"reading": reading, "gu": gu} | counts | {"best in f1": best, "worst": order[-1]})
    return lines
