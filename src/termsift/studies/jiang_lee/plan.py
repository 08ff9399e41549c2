"""The plans: the paper's study, and other ways to read the paper where it is silent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from termsift._typing import Array
from termsift.corpora import newsgroups as newsgroups_corpus
from termsift.corpora import reuters21578
from termsift.corpora.entry import DataDir
from termsift.corpora.files import checksum
from termsift.experiment.documents import Documents
from termsift.studies.jiang_lee.problems import (
    SPLITS,
    JiangReading,
    newsgroups,
    printed_words,
    random_third,
    reading_fold,
    reuters,
)
from termsift.studies.jiang_lee.statements import jiang_outcomes
from termsift.studies.jiang_lee.tables import accuracy_lines, jiang_tables
from termsift.studies.jiang_lee.trials import ALL, COLUMNS, SIZES, WEIGHTS, split_rows
from termsift.studies.study import Line, Row, StudyPlan, line_tables, mean_differences
from termsift.tables import Table

QUICK = (2, 10, 50, 200)
EVERY = 10
READINGS_SIZES = (10, 50, 200, 1000)
WORDS = {
    "plain": JiangReading(),
    "without stop words": JiangReading(stop_words=True),
    "stems": JiangReading(stems=True),
    "words in three documents": JiangReading(numbered=False),
}
READINGS = {
    "20news": WORDS | {"without headers": JiangReading(headers=False)},
    "reuters10": WORDS
    | {
        "right with any class": JiangReading(several="any"),
        "stories of one class": JiangReading(several="none"),
    },
}
QUICK_READINGS = {"reuters10": ("plain", "right with any class")}
READERS = {"20news": newsgroups, "reuters10": reuters}


def jiang_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Five splits of 20 Newsgroups and the ten classes of Reuters; quick, one of every tenth post."""
    sizes, splits, every = (QUICK, 1, EVERY) if quick else (SIZES, SPLITS, 1)
    posts, _ = newsgroups(data_dir, JiangReading(), every)
    units = {
        f"20news-{split}": partial(plain_rows, "20news", posts, random_third(len(posts), split), split, sizes)
        for split in range(splits)
    }
    units["reuters10"] = partial(plain_rows, "reuters10", *reuters(data_dir, JiangReading()), 0, sizes)
    settings = checksums("the number of the split", data_dir)
    return StudyPlan(settings, COLUMNS, units, jiang_tables)


def jiang_readings_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """One split by each reading; quick, two of Reuters alone."""
    readings: Mapping[str, Iterable[str]] = QUICK_READINGS if quick else READINGS
    units = {
        f"{corpus}-{name.replace(' ', '-')}": partial(reading_rows, corpus, name, data_dir)
        for corpus, names in readings.items()
        for name in names
    }
    return StudyPlan(checksums("0", data_dir), ("reading", *COLUMNS), units, reading_tables)


def checksums(seed: str, data_dir: DataDir) -> dict[str, str]:
    """What the results depend on."""
    entries = {"20news": newsgroups_corpus.ENTRY, "reuters21578": reuters21578.ENTRY}
    files = {name: entry.path(data_dir) for name, entry in entries.items()}
    return {"seed": seed} | {f"checksum of {name}": checksum(path) for name, path in files.items()}


def plain_rows(
    corpus: str, documents: Documents, is_test: Array, split: int, sizes: Sequence[int]
) -> list[Row]:
    """The rows of a split."""
    fold = reading_fold(documents, is_test, printed_words(corpus), JiangReading())
    return split_rows(corpus, split, fold, sizes)


def reading_rows(corpus: str, name: str, data_dir: DataDir) -> list[Row]:
    """The rows of a reading."""
    reading = READINGS[corpus][name]
    fold = reading_fold(*READERS[corpus](data_dir, reading), printed_words(corpus), reading)
    return [{"reading": name} | row for row in split_rows(corpus, 0, fold, READINGS_SIZES)]


def reading_tables(rows: list[Row]) -> dict[str, Table]:
    """How near each reading comes."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["corpus"], row["reading"]), []).append(row)
    return line_tables({"summary": [reading_line(*names, own) for names, own in groups.items()]})


def reading_line(corpus: str, reading: str, rows: list[Row]) -> Line:
    """The words of a reading, its accuracies, and how far they are from those of tables 1 and 3."""
    cells = accuracy_lines(jiang_outcomes(rows), corpus)
    own = {cell["method"]: cell["ours"] for cell in cells}
    off = [cell["difference"] for cell in cells]
    named = {"corpus": corpus, "reading": reading, "words": rows[0]["words"], "judged": rows[0]["judged"]}
    shown = {method: own[method] for method in (WEIGHTS, ALL)}
    return named | shown | mean_differences(off, 2)
