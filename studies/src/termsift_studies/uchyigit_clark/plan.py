"""Plans of the paper's study and of its interpretations."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

from termsift_studies.study import Row, StudyPlan
from termsift_studies.uchyigit_clark.interpretations import MAIN, MAIN_LABEL, RUNS, tabulate_verdicts
from termsift_studies.uchyigit_clark.results import uchyigit_tables
from termsift_studies.uchyigit_clark.trials import COLUMNS, METHODS, OTHERS, load_posts, split_rows

SPLITS, INTERPRETATIONS_SPLITS = 5, 2
# the paper prints one formula, one letter and one sentence for the vocabulary of naive Bayes
VOCABULARIES = {
    "room for all words": MAIN,
    "selected words": RUNS["selected words"],
    "all words": RUNS["all words"],
}
QUICK = ("alt.atheism", "comp.graphics", "sci.space")
FIRST = (MAIN_LABEL, "rarest first")


def uchyigit_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan 20 groups in five splits; quick: three groups in one."""
    groups, splits = (QUICK, 1) if quick else (None, SPLITS)
    units = {
        f"{name.split()[0]}-{number}": partial(split_rows, name, interpretation, number, data_dir, groups)
        for number in range(splits)
        for name, interpretation in VOCABULARIES.items()
    }
    return StudyPlan(corpus_settings(data_dir), COLUMNS, units, uchyigit_tables)


def uchyigit_interpretations_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan two splits of each interpretation; quick: two interpretations, three groups, one split."""
    names, groups, splits = (FIRST, QUICK, 1) if quick else (tuple(RUNS), None, INTERPRETATIONS_SPLITS)
    units = {name: partial(run_rows, name, range(splits), data_dir, groups) for name in names}
    return StudyPlan(corpus_settings(data_dir), COLUMNS, units, tabulate_verdicts)


def corpus_settings(data_dir: Path | None) -> dict[str, str]:
    """Return the corpus, its checksum and the seed, for the provenance."""
    checksum = load_posts(MAIN.words, data_dir)[1]
    return {"corpus": "20news", "checksum of the corpus": checksum, "seed": "the number of the split"}


def run_rows(name: str, splits: range, data_dir: Path | None, groups: Collection[str] | None) -> list[Row]:
    """Return the rows of a run with all scores."""
    methods = METHODS | OTHERS
    return [row for n in splits for row in split_rows(name, RUNS[name], n, data_dir, groups, methods)]
