"""The side studies of section 5: more weight on positive or negative terms, and rare words left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from termsift import corpora
from termsift._typing import Array
from termsift.experiment.documents import Documents
from termsift.methods import Method, method_from
from termsift.studies.forman2003.outcomes import FormanOutcomes, forman_outcomes
from termsift.studies.forman2003.problems import loaded_set, rows_of_words
from termsift.studies.forman2003.side_statements import CUTOFFS, TERMS, side_statements, weighted_name
from termsift.studies.forman2003.trials import GOALS, SIZES
from termsift.studies.forman2003.wider import WIDER_COLUMNS, wider_rows
from termsift.studies.study import Line, Row, line_tables
from termsift.tables import Table

SIDE_COLUMNS = (*WIDER_COLUMNS, "counted")
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class SideReading:
    """A way to read section 5.

    why : the words of the paper that support it
    counted : of what a rare word has few: "documents" or "occurrences"
    reduced : whether la1 and la2 have the reduced vocabulary
    """

    name: str
    why: str
    counted: str = "documents"
    reduced: bool = False


MAIN_READING = SideReading("documents", '3: "the Boolean occurrence of a forced-lowercase word"')
READINGS = (
    MAIN_READING,
    SideReading("occurrences", '5: "up to 25 occurrences"', counted="occurrences"),
    SideReading("reduced words", "against appendix A: la1 and la2 have 31472 words", reduced=True),
)


def weighted_methods() -> dict[str, Method]:
    """BNS with more or less weight on positive terms: figure 22."""
    return {weighted_name(alpha): method_from(f"bns:SignWeighted({alpha=})") for alpha in ALPHAS}


def rows_of_sides(data_dir: Path | None, name: str) -> list[Row]:
    """The rows of a set: weights of positive terms, and BNS without rare words."""
    documents = loaded_set(name, data_dir)[0]
    rows = [row | {"cutoff": "", "counted": ""} for row in wider_rows(documents, weighted_methods(), "SVM")]
    known: dict[bytes, list[Row]] = {}
    for counted, numbers in word_numbers(name, data_dir).items():
        for cutoff in CUTOFFS:
            kept = np.flatnonzero(numbers >= cutoff)
            # most sets have no rarer words than three documents'
            if kept.tobytes() not in known:
                known[kept.tobytes()] = rows_of_kept(documents.keep(kept))
            rows += [row | {"cutoff": cutoff, "counted": counted} for row in known[kept.tobytes()]]
    return [row | {"set": name} for row in rows]


def rows_of_kept(documents: Documents) -> list[Row]:
    """The rows of 1000 terms by BNS; all terms where there are no more."""
    few = len(documents.terms) <= TERMS
    rows = wider_rows(documents, {"bns": method_from("bns")}, "SVM", every=few)
    return [row for row in rows if row["size"] == TERMS]


def word_numbers(name: str, data_dir: Path | None) -> dict[str, Array]:
    """In how many documents each word of a set is, and how often it occurs."""
    matrix = corpora.load(name, data_dir=data_dir).matrix
    return {"documents": (matrix > 0).sum(axis=0), "occurrences": matrix.sum(axis=0)}


def side_tables(rows: list[Row]) -> dict[str, Table]:
    """Averages by weight and by cutoff, and the statements by each reading."""
    weights, cutoffs = side_outcomes(rows, MAIN_READING)
    readings = [
        {"reading": reading.name, "supported by": reading.why} | line
        for reading in READINGS
        for line in side_statements(*side_outcomes(rows, reading))
    ]
    return line_tables({
        "alpha": weight_lines(weights),
        "cutoffs": [cutoff_line(cutoff, own) for cutoff, own in cutoffs.items()],
        "readings": readings,
        "summary": side_statements(weights, cutoffs),
    })  # fmt: skip


def side_outcomes(rows: list[Row], reading: SideReading) -> tuple[FormanOutcomes, dict[int, FormanOutcomes]]:
    """What each weight of positive terms gives, and BNS for each cutoff of rare words."""
    own = rows_of_words(rows, reduced=reading.reduced)
    weights = [row for row in own if row["cutoff"] == ""]
    cutoffs = {
        cutoff: [row for row in own if row["counted"] == reading.counted and int(row["cutoff"]) == cutoff]
        for cutoff in CUTOFFS
    }
    found = {cutoff: forman_outcomes(kept, ["bns"]) for cutoff, kept in cutoffs.items()}
    return forman_outcomes(weights, [weighted_name(alpha) for alpha in ALPHAS]), found


def weight_lines(found: FormanOutcomes) -> Iterator[Line]:
    """Macro-averages by weight, goal and size."""
    for goal in GOALS:
        for alpha, values in zip(ALPHAS, found.macro(goal).tolist(), strict=True):
            for size, value in zip(SIZES.tolist(), values, strict=True):
                yield {"alpha": alpha, "goal": goal, "size": size, "value": round(value, 5)}


def cutoff_line(cutoff: int, found: FormanOutcomes) -> Line:
    """Macro-averages of 1000 terms by BNS where rarer words are left out."""
    values = {goal: round(found.of("bns", goal, TERMS), 5) for goal in GOALS}
    return {"cutoff": cutoff, "size": TERMS} | values
