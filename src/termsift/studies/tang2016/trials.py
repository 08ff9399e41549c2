"""One part of one set: the paper's six methods, some in several readings, and the greedy ranking itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.discrimination import divergences, greedy_ranking
from termsift.experiment.decisions import decisions
from termsift.experiment.folds import Fold
from termsift.methods import method_from
from termsift.ranking import Ranking
from termsift.studies.study import Row
from termsift.studies.tang2016.classifiers import MARGINS, OF_EACH
from termsift.studies.tang2016.problems import SETS, matrix_corpus, set_fold

# by their names in results; the paper does not say how the scores of the classes become one
METHODS = {
    name: method_from(name.replace(" ", ":"))
    for name in (
        "df", "cet max", "cet weighted", "cet sum", "chi2 max", "chi2 weighted", "chi2 sum",
        "chi2_joint max", "chi2_joint weighted", "chi2_joint sum", "gss max", "gss weighted", "md", "md_chi2",
    )
}  # fmt: skip
GREEDY, ALL = "greedy", "all"
PROPOSED = ("md", "md_chi2")
# the four methods that MD is compared with, first as the main line reads them;
# GSS of one label per document sums to 0 over the classes
READINGS = {
    "weighted, chi2 as printed": ("df", "cet weighted", "chi2_joint weighted", "gss weighted"),
    "max": ("df", "cet max", "chi2 max", "gss max"),
    "weighted": ("df", "cet weighted", "chi2 weighted", "gss weighted"),
    "sum": ("df", "cet sum", "chi2 sum", "gss max"),
}
MAIN = next(iter(READINGS))
NAMES = {"df": "DF", "cet": "CET", "chi2": "chi2", "gss": "GSS", "md": "MD", "md_chi2": "MD-chi2"}
COLUMNS = (
    "set", "fold", "classifier", "method", "size", "accuracy", "f1", "divergence", "shared",
    "documents", "terms", "classes",
)  # fmt: skip
MOST = 2000
SIZES = {
    "NB": np.array([*range(10, 200, 10), *range(200, MOST + 1, 50)]),
    "SVM": np.array([10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, MOST]),
}


def method_name(method: str) -> str:
    """A method as the paper names it, with its reading where it has several.

    >>> method_name("cet max"), method_name("md_chi2"), method_name("greedy")
    ('CET max', 'MD-chi2', 'greedy')
    """
    metric, *reading = method.split()
    return " ".join([NAMES.get(metric, metric), *reading])


def method_rankings(counts: Counts, k: int) -> dict[str, Ranking]:
    """The k best terms by each method."""
    found = {name: method.ranking(counts, k) for name, method in METHODS.items()}
    return found | {GREEDY: Ranking((greedy_ranking(counts, k),))}


def part_rows(name: str, data_dir: Path | None, part: int) -> list[Row]:
    """The rows of a part: each method, classifier and size, and all terms."""
    fold = set_fold(name, data_dir, part)
    rankings = method_rankings(fold.counts, MOST)
    rows = [row | part_facts(fold) for row in with_all_terms(fold, SIZES)]
    for method, ranking in rankings.items():
        alike = likeness(fold.counts, ranking, rankings["md"])
        found = [row for own, sizes in SIZES.items() for row in measure_rows(own, fold, ranking, sizes)]
        rows += [{"method": method} | row | alike[row["size"]] for row in found]
    return [{"set": name, "fold": part} | row for row in rows]


def part_facts(fold: Fold) -> Row:
    """How large a part is."""
    documents, terms = len(fold.train) + len(fold.truth), len(fold.counts.terms)
    return {"documents": documents, "terms": terms, "classes": fold.n_classes}


def with_all_terms(fold: Fold, classifiers: Iterable[str]) -> Iterator[Row]:
    """What no selection gives, a row for each classifier."""
    n = len(fold.counts.terms)
    for classifier in classifiers:
        (row,) = measure_rows(classifier, fold, Ranking((np.arange(n),)), np.array([n]))
        yield row | {"method": ALL, "size": ALL}


def measure_rows(classifier: str, fold: Fold, ranking: Ranking, sizes: Array) -> list[Row]:
    """Accuracy, and F1 averaged over the classes by their shares of the documents judged; a row per size."""
    margins, classes = MARGINS[classifier](fold, ranking, sizes), fold.train.labels.classes
    found = decisions(margins, fold.truth, fold.train.is_single, classes)
    of_each = decisions(margins, fold.truth, False, classes) if classifier in OF_EACH else found
    measured = zip(sizes.tolist(), found.share_right.tolist(), of_each.weighted.f1.tolist(), strict=True)
    return [
        {"classifier": classifier, "size": size, "accuracy": round(accuracy, 6), "f1": round(f1, 6)}
        for size, accuracy, f1 in measured
    ]


def likeness(counts: Counts, ranking: Ranking, other: Ranking) -> dict[int, Row]:
    """By size the divergence of the selection, and how many terms it shares with that of another ranking."""
    reached = divergences(counts, ranking.orders[0])
    sizes = sorted({size for own in SIZES.values() for size in own.tolist()})
    return {
        size: {
            "divergence": round(float(reached[size - 1]), 6),
            "shared": len(np.intersect1d(ranking.chosen(size), other.chosen(size))),
        }
        for size in sizes
    }


def rows_of_corpora(data_dir: Path | None) -> list[Row]:
    """How large each corpus is before any set is taken from it."""
    names = dict.fromkeys(chosen.corpus for chosen in SETS.values())
    found = [matrix_corpus(name, data_dir) for name in names]
    return [
        {"set": name, "documents": len(one), "terms": one.matrix.shape[1], "classes": len(one.classes)}
        for name, one in zip(names, found, strict=True)
    ]
