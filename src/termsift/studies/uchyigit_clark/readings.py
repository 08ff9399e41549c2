"""Under which reading of the paper most of its statements hold: two splits, by reading."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

from termsift.corpora.entry import DataDir
from termsift.studies.lines import table_of
from termsift.studies.plan import Study
from termsift.studies.uchyigit_clark import QUICK, settings
from termsift.studies.uchyigit_clark.outcomes import outcomes
from termsift.studies.uchyigit_clark.posts import Reading, Words
from termsift.studies.uchyigit_clark.tables import verdicts_of
from termsift.studies.uchyigit_clark.trials import COLUMNS, results_of
from termsift.tables import Table

PLAIN = Reading()
READINGS = {
    "as in the study": PLAIN,
    "vocabulary of all words": replace(PLAIN, all_words=True),
    "ties by the alphabet": replace(PLAIN, by_frequency=False),
    "words in three posts": replace(PLAIN, fewest=3),
    "without stop words": replace(PLAIN, words=Words(stop_words=False)),
    "stems, without stop words": replace(PLAIN, words=Words(stop_words=False, stems=True)),
    "without headers": replace(PLAIN, words=Words(without=("headers",))),
    "without headers, all words": Reading(words=Words(without=("headers",)), all_words=True),
}
SPLITS = 2
FIRST = ("as in the study", "ties by the alphabet")
POOLED = "groups pooled"


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of the readings; quick, of two in three groups and one split."""
    names, groups, splits = (FIRST, QUICK, 1) if quick else (tuple(READINGS), None, SPLITS)
    units = {name: partial(measured, name, range(splits), data_dir, groups) for name in names}
    title = "uchyigit-clark readings"
    return Study(f"{title} quick" if quick else title, settings(data_dir), COLUMNS, units, tabled)


def measured(
    name: str, splits: range, data_dir: DataDir, groups: Collection[str] | None
) -> list[dict[str, Any]]:
    """The rows of a reading."""
    return [row for n in splits for row in results_of(name, READINGS[name], n, data_dir, groups)]


def tabled(rows: list[dict[str, Any]]) -> dict[str, Table]:
    """The verdicts of each reading, and those of the first with the decisions of all groups pooled."""
    found = outcomes(rows)
    return {"summary": table_of(verdicts_of(found | {POOLED: found[FIRST[0]].pooled}))}
