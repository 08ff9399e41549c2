"""Other ways to read the paper where it is silent, and how near each comes to its tables 1 and 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from statistics import mean
from typing import Any

from termsift.corpora import newsgroups as newsgroups_corpus
from termsift.corpora import reuters21578
from termsift.corpora.entry import DataDir
from termsift.corpora.files import checksum
from termsift.studies.jiang_lee.outcomes import outcomes
from termsift.studies.jiang_lee.problems import Reading, newsgroups, reuters, split_of
from termsift.studies.jiang_lee.tables import accuracies
from termsift.studies.jiang_lee.trials import ALL, COLUMNS, WEIGHTS, Row, results_of
from termsift.studies.lines import table_of
from termsift.studies.plan import Study
from termsift.tables import Table

SIZES = (10, 50, 200, 1000)
WORDS = {
    "plain": Reading(),
    "without stop words": Reading(stop_words=True),
    "stems": Reading(stems=True),
    "words in three documents": Reading(numbered=False),
}
READINGS = {
    "20news": WORDS | {"without headers": Reading(headers=False)},
    "reuters10": WORDS
    | {"right with any class": Reading(several="any"), "stories of one class": Reading(several="none")},
}
QUICK = {"reuters10": ("plain", "right with any class")}
READ = {"20news": newsgroups, "reuters10": reuters}


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """One split by each reading; quick, two of Reuters alone."""
    readings: Mapping[str, Iterable[str]] = QUICK if quick else READINGS
    units = {
        f"{corpus}-{name.replace(' ', '-')}": partial(results, corpus, name, data_dir)
        for corpus, names in readings.items()
        for name in names
    }
    settings = {
        "seed": "0",
        "checksum of 20news": checksum(newsgroups_corpus.ENTRY.path(data_dir)),
        "checksum of reuters21578": checksum(reuters21578.ENTRY.path(data_dir)),
    }
    name = "jiang-lee-readings quick" if quick else "jiang-lee-readings"
    return Study(name, settings, ("reading", *COLUMNS), units, tables)


def results(corpus: str, name: str, data_dir: DataDir) -> list[Row]:
    """The rows of a reading."""
    reading = READINGS[corpus][name]
    problem = split_of(READ[corpus](data_dir, reading), 0, reading)
    return [{"reading": name} | row for row in results_of(corpus, 0, problem, SIZES)]


def tables(rows: list[Row]) -> dict[str, Table]:
    """How near each reading comes."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["corpus"], row["reading"]), []).append(row)
    return {"summary": table_of([line(*names, own) for names, own in groups.items()])}


def line(corpus: str, reading: str, rows: list[Row]) -> dict[str, Any]:
    """The words of a reading, its accuracies, and how far they are from the printed ones."""
    cells = accuracies(outcomes(rows), corpus)
    own = {cell["method"]: cell["ours"] for cell in cells}
    off = [cell["difference"] for cell in cells]
    named = {"corpus": corpus, "reading": reading, "words": rows[0]["words"], "judged": rows[0]["judged"]}
    shown = {method: own[method] for method in (WEIGHTS, ALL)}
    far = {"mean difference": round(mean(off), 2), "mean absolute difference": round(mean(map(abs, off)), 2)}
    return named | shown | far
