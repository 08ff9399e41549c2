"""Other ways to read the paper where it is silent, each judged by the statements that it lets hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from termsift.experiment.folds import Fold
from termsift.ranking import Ranking
from termsift.studies.study import Line, Lines, Row, line_tables, verdict_counts
from termsift.studies.tang2016.classifiers import MARGINS
from termsift.studies.tang2016.forms import OF_FORMS, form_lines, read_method
from termsift.studies.tang2016.outcomes import TangOutcomes, tang_outcomes
from termsift.studies.tang2016.problems import set_fold
from termsift.studies.tang2016.statements import REUTERS, comparisons, of_both
from termsift.studies.tang2016.trials import MAIN, MOST, PROPOSED, READINGS, SIZES, likeness, measure_rows
from termsift.tables import Table

SOURCES = ("df", "cet sum", "chi2_joint weighted", "gss max")
COLUMNS = ("set", "fold", "classifier", "method", "size", "accuracy", "f1", "divergence", "shared")
SETS = ("20-newsgroups", *reversed(REUTERS), "tdt2-10", "alt-comp")


@dataclass(frozen=True, slots=True)
class TangReading:
    """A way to read the paper.

    support : where in the paper it stands; nothing where the paper is silent
    others : the four other methods; proposed : what stands for MD and MD-chi2
    bayes, svm : the classifiers
    """

    support: str = ""
    others: tuple[str, ...] = READINGS[MAIN]
    proposed: tuple[str, str] = PROPOSED
    bayes: str = "NB"
    svm: str = "SVM"

    @property
    def methods(self) -> tuple[str, ...]:
        """All six."""
        return *self.others, *self.proposed


TRIED = {
    "main line": TangReading("equation 9; class priors: section 5.2"),
    "textbook chi2, weighted": TangReading("reference 17", READINGS["weighted"]),
    "textbook chi2, largest": TangReading("reference 17", READINGS["max"]),
    "largest": TangReading("equation 9", ("df", "cet max", "chi2_joint max", "gss max")),
    "sum": TangReading("equation 9", ("df", "cet sum", "chi2_joint sum", "gss max")),
    "as their sources": TangReading("equation 9; references 17, 27 and 29", SOURCES),
    "classes take turns": TangReading(
        "equations 7, 9 and 10 score a term for a class",
        ("df", "cet turns", "chi2_joint turns", "gss turns"),
    ),
    "NB of all terms": TangReading("equation 3 with M terms", bayes="NB of all terms"),
    "NB with a pool": TangReading("equations 24 and 26", bayes="NB with a pool"),
    "each class apart": TangReading("section 5.2", bayes="NB of each class"),
    "SVM of counts": TangReading("section 2.1: term frequency", svm="SVM of counts"),
    "SVM of tf-idf": TangReading("section 2.1: tf-idf", svm="SVM of tf-idf"),
    "MD both ways": TangReading("section 3.2: a sum of J-divergences", proposed=("md_both_ways", "md_chi2")),
    "MD, classes grouped": TangReading("algorithm 3, step 2", proposed=("md_grouped", "md_chi2_grouped")),
    "NB of all terms, SVM of tf-idf": TangReading(
        "equation 3; section 2.1", bayes="NB of all terms", svm="SVM of tf-idf"
    ),
    "NB of all terms, SVM of tf-idf, as their sources": TangReading(
        "equation 3; section 2.1; references 17, 27 and 29",
        SOURCES,
        bayes="NB of all terms",
        svm="SVM of tf-idf",
    ),
}


def wanted(name: str) -> dict[str, list[str]]:
    """The methods that readings need on a set, each with its classifiers; the machine on Reuters alone."""
    pairs = [
        (method, classifier)
        for reading in TRIED.values()
        for method in reading.methods
        for classifier in ((reading.bayes, reading.svm) if name in REUTERS else (reading.bayes,))
    ]
    methods = dict.fromkeys(method for method, _ in pairs)
    return {method: list(dict.fromkeys(c for m, c in pairs if m == method)) for method in methods}


def reading_rows(name: str, data_dir: Path | None, part: int) -> list[Row]:
    """The rows of a part: what the readings need of it."""
    fold = set_fold(name, data_dir, part)
    common = {"set": name, "fold": part}
    md = read_method("md").ranking(fold.counts, MOST)
    return [
        common | {"method": method} | row
        for method, classifiers in wanted(name).items()
        for row in method_rows(fold, read_method(method).ranking(fold.counts, MOST), md, classifiers)
    ]


def method_rows(fold: Fold, ranking: Ranking, md: Ranking, classifiers: list[str]) -> Iterator[Row]:
    """A ranking by some classifiers, with the divergence that it reaches."""
    alike = likeness(fold.counts, ranking, md)
    for classifier in classifiers:
        for row in measure_rows(classifier, fold, ranking, SIZES[classifier.split()[0]]):
            yield row | alike[row["size"]]


def reading_tables(rows: list[Row]) -> dict[str, Table]:
    """What holds in each reading."""
    found = tang_outcomes([row for row in rows if row["set"] != OF_FORMS])
    forms = tang_outcomes([row for row in rows if row["set"] == OF_FORMS])
    said = [{"reading": name} | line for name, reading in TRIED.items() for line in said_in(found, reading)]
    return line_tables({
        "summary": summary_lines(said),
        "statements": said,
        "failing": failing_lines(said),
        "f1": f1_lines(found),
        "forms": form_lines(found, forms),
        "combinations": combination_lines(found),
    })  # fmt: skip


def said_in(found: TangOutcomes, reading: TangReading) -> Lines:
    """The statements as a reading has them."""
    names = dict.fromkeys(reading.methods)
    renamed = {method: method for method in names} | dict(zip(reading.proposed, PROPOSED, strict=True))
    own = found.read_as({reading.bayes: "NB", reading.svm: "SVM"}, renamed)
    return [*comparisons(own, reading.others), *of_both(own)]


def summary_lines(said: Lines) -> Iterator[Line]:
    """How many statements hold in each reading, and where in the paper it stands."""
    for name, reading in TRIED.items():
        own = [line for line in said if line["reading"] == name]
        counted = {"statements": len(own)} | verdict_counts(own)
        yield {"reading": name, "stands in": reading.support} | counted


def failing_lines(said: Lines) -> Iterator[Line]:
    """The statements that do not hold in the main line, and the readings in which they do."""
    main = next(iter(TRIED))
    for line in said:
        if line["reading"] != main or line["verdict"] == "holds":
            continue
        others = [one for one in said if one["statement"] == line["statement"] and one["reading"] != main]
        holds = [one["reading"] for one in others if one["verdict"] == "holds"]
        named = {what: line[what] for what in ("where", "statement", "verdict")}
        yield named | {"readings tried": len(others), "holds in": "; ".join(holds) or "none"}


def f1_lines(found: TangOutcomes) -> Iterator[Line]:
    """F1 by decisions between the classes, and by the yes or no of each class's own classifier."""
    for name in (one for one in SETS if one in found.sets):
        for method in TRIED["each class apart"].methods:
            yield {"set": name, "method": method} | {
                f"{classifier}, {size} terms": round(100 * found.at(size, name, method, classifier, "f1"), 2)
                for size in (100, 1000)
                for classifier in ("NB", "NB of each class")
            }


def combination_lines(found: TangOutcomes) -> Iterator[Line]:
    """Every combination of readings that there are results for, and how many statements hold in it."""
    for reading in filter(partial(is_known, found), combined_readings()):
        cet, chi2, gss = reading.others[1:]
        named = {"naive Bayes": reading.bayes, "machine": reading.svm, "MD": reading.proposed[0]}
        named |= {"CET": cet, "chi2": chi2, "GSS": gss}
        yield named | verdict_counts(said_in(found, reading))


def combined_readings() -> Iterator[TangReading]:
    """What the readings tried are made of, in every combination."""
    methods = dict.fromkeys(method for reading in TRIED.values() for method in reading.others)
    kinds = [[method for method in methods if method.startswith(kind)] for kind in ("cet", "chi2", "gss")]
    proposed = dict.fromkeys(reading.proposed for reading in TRIED.values())
    for bayes in (name for name in MARGINS if name.startswith("NB")):
        for svm in (name for name in MARGINS if name.startswith("SVM")):
            for others in product(*kinds):
                yield from (TangReading("", ("df", *others), both, bayes, svm) for both in proposed)


def is_known(found: TangOutcomes, reading: TangReading) -> bool:
    """Whether there are results of all six methods, by both classifiers, on the sets that need them."""
    pairs = [(name, reading.bayes) for name in SETS] + [(name, reading.svm) for name in REUTERS]
    return all((*pair, method) in found.parts for pair in pairs for method in reading.methods)
