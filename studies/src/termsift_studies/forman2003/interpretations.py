"""Interpretations of open questions in the paper, compared on one trial of each set."""

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
    class_order,
    forman_outcomes,
    load_set,
    metric_rankings,
    rows_by_averaging,
    select_vocabulary,
)
from termsift_studies.study import Line, Row, build_tables, count_verdicts

INTERPRETATION_COLUMNS = ("set", "class", "documents", "positive", "averaged", "metric", "size", *GOALS)
REPLACED = "bns of zeros replaced"
PER_CENT = '4.2: "attained within 1% of best performance"'


@dataclass(frozen=True, slots=True)
class FormanInterpretation:
    """Interpretation of the paper.

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


INTERPRETATIONS = (
    FormanInterpretation("pooled", 'appendix B: "record the 4-fold cross-validation scores"'),
    FormanInterpretation("zeros replaced", '2.1: "zero is substituted by 0.0005"', bns=REPLACED),
    FormanInterpretation(
        "folds", 'appendix B: "measure performance on the testing set split"', averaged="folds"
    ),
    FormanInterpretation("folds, relative", f"appendix B; {PER_CENT}", averaged="folds", relative=True),
    FormanInterpretation("relative", PER_CENT, relative=True),
    FormanInterpretation("reduced words", "against appendix A: la1 and la2 have 31472 words", reduced=True),
)


def interpretation_rows(data_dir: Path | None, name: str) -> list[Row]:
    """Return the goals of every class, method and size of a set, from pooled decisions and by folds."""
    rows = rows_by_averaging(load_set(name, data_dir)[0], 0, interpretation_rankings)
    return [row | {"set": name} for row in rows]


def interpretation_rankings(fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """Yield the rankings of the paper's metrics and of BNS with only zero rates replaced."""
    yield from metric_rankings(fold)
    scores = score(fold.counts, "bns", zero="replace")
    yield (
        REPLACED,
        Ranking(tuple(class_order(scores, category) for category in fold.counts.classes), local=True),
    )


def interpretation_outcomes(rows: list[Row], interpretation: FormanInterpretation) -> FormanOutcomes:
    """Return the outcomes of all sets under an interpretation."""
    left_out = {REPLACED, "bns"} - {interpretation.bns}
    selected = [
        row | ({"metric": "bns"} if row["metric"] == interpretation.bns else {})
        for row in select_vocabulary(rows, reduced=interpretation.reduced)
        if row["averaged"] == interpretation.averaged and row["metric"] not in left_out
    ]
    return replace(forman_outcomes(selected), relative=interpretation.relative)


def interpretation_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of the statements under each interpretation and the number that hold."""
    statements: list[Line] = []
    summary: list[Line] = []
    for interpretation in INTERPRETATIONS:
        outcomes = interpretation_outcomes(rows, interpretation)
        checked = forman_statements(outcomes)
        statements += [{"interpretation": interpretation.name} | row for row in checked]
        figures = {
            f"{metric} {size}": round(outcomes.of(metric, "f1", size), 4)
            for metric in ("bns", "ig")
            for size in (100, 1000)
        }
        shares = outcomes.share("f1")
        wins = {f"{metric} within 1 %": round(shares[metric], 4) for metric in ("bns", "ig")}
        rand = {"rand within 10 % in precision": round(outcomes.share("precision", 0.1)["rand"], 4)}
        summary.append(
            {"interpretation": interpretation.name, "supported by": interpretation.why}
            | figures
            | wins
            | rand
            | count_verdicts(checked)
        )
    return build_tables({"statements": statements, "summary": summary})
