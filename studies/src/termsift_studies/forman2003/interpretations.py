"""Readings of what the paper leaves open, side by side: one trial of each set, judged in every way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from termsift._internal.ranking import Ranking
from termsift._internal.tables import Table
from termsift.evaluation import Fold
from termsift.metrics import score
from termsift_studies.forman2003.statements import forman_statements
from termsift_studies.forman2003.trials import (
    GOALS,
    FormanOutcomes,
    averaged_rows,
    class_order,
    forman_outcomes,
    loaded_set,
    metric_rankings,
    rows_of_words,
)
from termsift_studies.study import Line, Row, line_tables, verdict_counts

READING_COLUMNS = ("set", "class", "documents", "positive", "averaged", "metric", "size", *GOALS)
REPLACED = "bns of zeros replaced"
PER_CENT = '4.2: "attained within 1% of best performance"'


@dataclass(frozen=True, slots=True)
class FormanReading:
    """A way to read the paper.

    why : the words of the paper that support it
    averaged : "pooled" decisions of the four folds, or the mean of the four "folds", undefined values as 0
    bns : the method that stands for BNS
    reduced : whether la1 and la2 have the reduced vocabulary
    relative : whether a tolerance is a share of the best rather than points of the measure
    """

    name: str
    why: str
    averaged: str = "pooled"
    bns: str = "bns"
    reduced: bool = False
    relative: bool = False


READINGS = (
    FormanReading("pooled", 'appendix B: "record the 4-fold cross-validation scores"'),
    FormanReading("zeros replaced", '2.1: "zero is substituted by 0.0005"', bns=REPLACED),
    FormanReading("folds", 'appendix B: "measure performance on the testing set split"', averaged="folds"),
    FormanReading("folds, relative", f"appendix B; {PER_CENT}", averaged="folds", relative=True),
    FormanReading("relative", PER_CENT, relative=True),
    FormanReading("reduced words", "against appendix A: la1 and la2 have 31472 words", reduced=True),
)


def rows_of_readings(data_dir: Path | None, name: str) -> list[Row]:
    """The rows of a set: the goals of every class, method and size, from pooled decisions and by folds."""
    rows = averaged_rows(loaded_set(name, data_dir)[0], 0, rankings_of_readings)
    return [row | {"set": name} for row in rows]


def rankings_of_readings(fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """The rankings of the paper's metrics, and of BNS in which rates of zero alone are replaced."""
    yield from metric_rankings(fold)
    scores = score(fold.counts, "bns", zero="replace")
    yield REPLACED, Ranking(tuple(class_order(scores, one) for one in fold.counts.classes), local=True)


def reading_outcomes(rows: list[Row], reading: FormanReading) -> FormanOutcomes:
    """What a reading makes of the rows of all sets."""
    left_out = {REPLACED, "bns"} - {reading.bns}
    own = [
        row | ({"metric": "bns"} if row["metric"] == reading.bns else {})
        for row in rows_of_words(rows, reduced=reading.reduced)
        if row["averaged"] == reading.averaged and row["metric"] not in left_out
    ]
    return replace(forman_outcomes(own), relative=reading.relative)


def tables_of_readings(rows: list[Row]) -> dict[str, Table]:
    """The statements under each reading, and how many hold."""
    statements: list[Line] = []
    summary: list[Line] = []
    for reading in READINGS:
        found = reading_outcomes(rows, reading)
        own = forman_statements(found)
        statements += [{"reading": reading.name} | line for line in own]
        figures = {
            f"{metric} {size}": round(found.of(metric, "f1", size), 4)
            for metric in ("bns", "ig")
            for size in (100, 1000)
        }
        shares = found.share("f1")
        wins = {f"{metric} within 1 %": round(shares[metric], 4) for metric in ("bns", "ig")}
        rand = {"rand within 10 % in precision": round(found.share("precision", 0.1)["rand"], 4)}
        summary.append(
            {"reading": reading.name, "supported by": reading.why}
            | figures
            | wins
            | rand
            | verdict_counts(own)
        )
    return line_tables({"statements": statements, "summary": summary})
