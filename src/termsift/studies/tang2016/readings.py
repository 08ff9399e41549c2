"""Other ways to read the paper where it is silent, each judged by the statements that it lets hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from termsift.experiment.folds import Fold
from termsift.ranking import Ranking
from termsift.studies.study import Line, Lines, Row, failing_lines, line_tables, verdict_counts
from termsift.studies.tang2016.classifiers import MARGINS
from termsift.studies.tang2016.forms import OF_FORMS, form_lines, read_method
from termsift.studies.tang2016.outcomes import TangOutcomes, tang_outcomes
from termsift.studies.tang2016.problems import set_fold
from termsift.studies.tang2016.statements import REUTERS, comparisons, few_terms_suffice, of_both
from termsift.studies.tang2016.trials import (
    MAIN,
    MOST,
    PROPOSED,
    READINGS,
    SIZES,
    likeness,
    measure_rows,
    with_all_terms,
)
from termsift.tables import Table

MAIN_LINE = "main line"
SOURCES = ("df", "cet sum", "chi2_joint weighted", "gss max")
COLUMNS = ("set", "fold", "classifier", "method", "size", "accuracy", "f1", "divergence", "shared")
SETS = ("20-newsgroups", *reversed(REUTERS), "tdt2-10", "alt-comp")


@dataclass(frozen=True, slots=True)
class TangReading:
    """A way to read the paper.

    support : the words of the paper for it, with where they stand
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


PRIORS = '5.2: "weighted by the class prior"'
PRINTED_CHI2 = "equation 9 as it is printed"
TEXTBOOK = '2.3: "Chi-square statistic is proposed in [17]"'
SOURCED = f'{PRINTED_CHI2}; 2.3: "in [17]", "In [27]", "in [29]"'
ALL_TERMS = '2.2: "and have β1 = 1 and β2 = M"'
TF_IDF = '2.1: "inverse document frequency (tf-idf)"'
TRIED = {
    MAIN_LINE: TangReading(f"{PRINTED_CHI2}; {PRIORS}"),
    "textbook chi2, weighted": TangReading(f"{TEXTBOOK}; {PRIORS}", READINGS["weighted"]),
    "textbook chi2, largest": TangReading(f"{TEXTBOOK}; silent of the maximum", READINGS["max"]),
    "largest": TangReading(
        f"{PRINTED_CHI2}; silent of the maximum", ("df", "cet max", "chi2_joint max", "gss max")
    ),
    "sum": TangReading(f"{PRINTED_CHI2}; silent of the sum", ("df", "cet sum", "chi2_joint sum", "gss max")),
    "as their sources": TangReading(SOURCED, SOURCES),
    "classes take turns": TangReading(
        '2.3: "between the term t_k and the category c_i"',
        ("df", "cet turns", "chi2_joint turns", "gss turns"),
    ),
    "NB of all terms": TangReading(ALL_TERMS, bayes="NB of all terms"),
    "NB with a pool": TangReading(
        '4.1: "the pool of all the remaining M - 1 features"', bayes="NB with a pool"
    ),
    "each class apart": TangReading(
        '5.2: "binary classifiers are built for each individual class"', bayes="NB of each class"
    ),
    "SVM of counts": TangReading(
        '2.1: "the number of occurrences of a particular term"', svm="SVM of counts"
    ),
    "SVM of tf-idf": TangReading(TF_IDF, svm="SVM of tf-idf"),
    "MD both ways": TangReading(
        '3.2: "the JMH divergence is the sum of multiple J-divergences"', proposed=("md_both_ways", "md_chi2")
    ),
    "MD, classes grouped": TangReading(
        'algorithm 3: "the one grouping all remaining N - 1 classes"',
        proposed=("md_grouped", "md_chi2_grouped"),
    ),
    "NB of all terms, SVM of tf-idf": TangReading(
        f"{ALL_TERMS}; {TF_IDF}", bayes="NB of all terms", svm="SVM of tf-idf"
    ),
    "NB of all terms, SVM of tf-idf, as their sources": TangReading(
        f"{ALL_TERMS}; {TF_IDF}; {SOURCED}", SOURCES, bayes="NB of all terms", svm="SVM of tf-idf"
    ),
}
BAYES = tuple(dict.fromkeys(reading.bayes for reading in TRIED.values()))


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
    chosen = [
        {"method": method} | row
        for method, classifiers in wanted(name).items()
        for row in method_rows(fold, read_method(method).ranking(fold.counts, MOST), md, classifiers)
    ]
    return [common | row for row in (*with_all_terms(fold, BAYES), *chosen)]


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
        "failing": failing_lines(said, MAIN_LINE),
        "f1": f1_lines(found),
        "forms": form_lines(found, forms),
        "combinations": combination_lines(found),
    })  # fmt: skip


def said_in(found: TangOutcomes, reading: TangReading) -> Lines:
    """The statements as a reading has them."""
    names = dict.fromkeys(reading.methods)
    renamed = {method: method for method in names} | dict(zip(reading.proposed, PROPOSED, strict=True))
    own = found.read_as({reading.bayes: "NB", reading.svm: "SVM"}, renamed)
    return [*comparisons(own, reading.others), *of_both(own), *few_terms_suffice(own)]


def summary_lines(said: Lines) -> Iterator[Line]:
    """How many statements hold in each reading, and where in the paper it stands."""
    for name, reading in TRIED.items():
        own = [line for line in said if line["reading"] == name]
        counted = {"statements": len(own)} | verdict_counts(own)
        yield {"reading": name, "stands in": reading.support} | counted


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
