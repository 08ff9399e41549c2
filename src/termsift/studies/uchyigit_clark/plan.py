"""The plans: the paper's study, and under which reading of the paper most of its statements hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from termsift.studies.study import Row, StudyPlan, line_tables
from termsift.studies.uchyigit_clark.outcomes import uchyigit_outcomes
from termsift.studies.uchyigit_clark.problems import UchyigitReading, Words, loaded_posts
from termsift.studies.uchyigit_clark.tables import uchyigit_tables, verdict_lines
from termsift.studies.uchyigit_clark.trials import COLUMNS, rows_of_split
from termsift.tables import Table

SPLITS, READINGS_SPLITS = 5, 2
PLAIN = UchyigitReading()
# the paper prints one formula and two words for its vocabulary
VOCABULARIES = {"selected words": PLAIN, "all words": replace(PLAIN, all_words=True)}
QUICK = ("alt.atheism", "comp.graphics", "sci.space")
READINGS = {
    "as in the study": PLAIN,
    "vocabulary of all words": replace(PLAIN, all_words=True),
    "ties by the alphabet": replace(PLAIN, by_frequency=False),
    "words in three posts": replace(PLAIN, fewest=3),
    "without stop words": replace(PLAIN, words=Words(stop_words=False)),
    "stems, without stop words": replace(PLAIN, words=Words(stop_words=False, stems=True)),
    "without headers": replace(PLAIN, words=Words(without=("headers",))),
    "without headers, all words": UchyigitReading(words=Words(without=("headers",)), all_words=True),
}
FIRST = ("as in the study", "ties by the alphabet")
POOLED = "groups pooled"


def uchyigit_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """20 groups in five splits; quick, three groups in one."""
    groups, splits = (QUICK, 1) if quick else (None, SPLITS)
    units = {
        f"{name.split()[0]}-{number}": partial(rows_of_split, name, reading, number, data_dir, groups)
        for number in range(splits)
        for name, reading in VOCABULARIES.items()
    }
    return StudyPlan(corpus_settings(data_dir), COLUMNS, units, uchyigit_tables)


def uchyigit_readings_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Two splits by each reading; quick, two readings in three groups and one split."""
    names, groups, splits = (FIRST, QUICK, 1) if quick else (tuple(READINGS), None, READINGS_SPLITS)
    units = {name: partial(rows_of_reading, name, range(splits), data_dir, groups) for name in names}
    return StudyPlan(corpus_settings(data_dir), COLUMNS, units, tables_of_readings)


def corpus_settings(data_dir: Path | None) -> dict[str, str]:
    """What the results depend on."""
    checksum = loaded_posts(PLAIN.words, data_dir)[1]
    return {"corpus": "20news", "checksum of the corpus": checksum, "seed": "the number of the split"}


def rows_of_reading(
    name: str, splits: range, data_dir: Path | None, groups: Collection[str] | None
) -> list[Row]:
    """The rows of a reading."""
    return [row for n in splits for row in rows_of_split(name, READINGS[name], n, data_dir, groups)]


def tables_of_readings(rows: list[Row]) -> dict[str, Table]:
    """The verdicts of each reading, and those of the first with the decisions of all groups pooled."""
    found = uchyigit_outcomes(rows)
    return line_tables({"summary": verdict_lines(found | {POOLED: found[FIRST[0]].pooled})})
