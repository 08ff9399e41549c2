"""The plans: the paper's study, and under which reading of the paper most of its statements hold."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

from termsift_studies.study import Row, StudyPlan
from termsift_studies.uchyigit_clark.interpretations import MAIN, MAIN_LINE, RUNS, verdict_tables
from termsift_studies.uchyigit_clark.results import uchyigit_tables
from termsift_studies.uchyigit_clark.trials import COLUMNS, METHODS, OTHERS, loaded_posts, rows_of_split

SPLITS, READINGS_SPLITS = 5, 2
# the paper prints one formula, one letter and one sentence for the vocabulary of naive Bayes
VOCABULARIES = {
    "room for all words": MAIN,
    "selected words": RUNS["selected words"],
    "all words": RUNS["all words"],
}
QUICK = ("alt.atheism", "comp.graphics", "sci.space")
FIRST = (MAIN_LINE, "rarest first")


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
    names, groups, splits = (FIRST, QUICK, 1) if quick else (tuple(RUNS), None, READINGS_SPLITS)
    units = {name: partial(rows_of_run, name, range(splits), data_dir, groups) for name in names}
    return StudyPlan(corpus_settings(data_dir), COLUMNS, units, verdict_tables)


def corpus_settings(data_dir: Path | None) -> dict[str, str]:
    """What the results depend on."""
    checksum = loaded_posts(MAIN.words, data_dir)[1]
    return {"corpus": "20news", "checksum of the corpus": checksum, "seed": "the number of the split"}


def rows_of_run(name: str, splits: range, data_dir: Path | None, groups: Collection[str] | None) -> list[Row]:
    """The rows of what readings are made of, by all scores."""
    methods = METHODS | OTHERS
    return [row for n in splits for row in rows_of_split(name, RUNS[name], n, data_dir, groups, methods)]
