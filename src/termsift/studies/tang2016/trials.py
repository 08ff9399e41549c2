"""One part of one set: every method, classifier and number of terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.corpora.entry import DataDir
from termsift.counting import count
from termsift.counts import Counts
from termsift.discrimination import divergences
from termsift.evaluation import f1
from termsift.studies.tang2016.classifiers import bayes_decisions, svm_decisions
from termsift.studies.tang2016.methods import ALL, orders
from termsift.studies.tang2016.problems import SETS, matrix_corpus, problem

Row: TypeAlias = dict[str, Any]
COLUMNS = (
    "set", "fold", "classifier", "method", "size", "accuracy", "f1", "divergence", "shared",
    "documents", "terms", "classes",
)  # fmt: skip
MOST = 2000
SIZES = {
    "NB": np.array([*range(10, 200, 10), *range(200, MOST + 1, 50)]),
    "SVM": np.array([10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, MOST]),
}


@dataclass(frozen=True, slots=True, eq=False)
class SetPart:
    """Documents learned, by column and counted, and documents judged. Labels are numbers from 0."""

    counts: Counts
    columns: csc_array[Any]
    labels: Array
    others: csc_array[Any]
    truth: Array

    @classmethod
    def of(cls, name: str, data_dir: DataDir, fold: int) -> SetPart:
        """A part of a set."""
        found = problem(name, data_dir)
        learned, judged = found.parts[fold]
        here, labels = found.rows[learned], found.labels[learned]
        # terms that tie are taken in the order of columns
        counts = count(here, labels, terms=[f"{i:06}" for i in range(here.shape[1])])
        return cls(counts, csc_array(here), labels, csc_array(found.rows[judged]), found.labels[judged])

    def measures(self, classifier: str, order: Array, sizes: Array) -> list[Row]:
        """Accuracy and F1 of a classifier with the first terms of an order, a row a size."""
        if classifier == "NB":
            decided = bayes_decisions(order, self.counts, self.others, sizes)
        else:
            decided = svm_decisions(order, self.columns, self.labels, self.others, sizes)
        return [
            {"classifier": classifier, "size": size} | weighted_measures(own, self.truth)
            for size, own in zip(sizes.tolist(), decided, strict=True)
        ]


def part_rows(name: str, data_dir: DataDir, fold: int) -> list[Row]:
    """The rows of a part: each method, classifier and size, and all terms."""
    part = SetPart.of(name, data_dir, fold)
    chosen = orders(part.counts, MOST)
    rows = list(with_all_terms(part))
    for method, order in chosen.items():
        alike = likeness(part.counts, order, chosen["md"])
        found = [
            row for classifier, sizes in SIZES.items() for row in part.measures(classifier, order, sizes)
        ]
        rows += [{"method": method} | row | alike[row["size"]] for row in found]
    return [{"set": name, "fold": fold} | row for row in rows]


def with_all_terms(part: SetPart) -> Iterator[Row]:
    """What no selection gives, and how large the part is."""
    n = len(part.counts.terms)
    facts = {"documents": len(part.labels) + len(part.truth), "terms": n, "classes": len(part.counts.classes)}
    for classifier in SIZES:
        (row,) = part.measures(classifier, np.arange(n), np.array([n]))
        yield row | {"method": ALL, "size": ALL} | facts


def likeness(counts: Counts, order: Array, other: Array) -> dict[int, Row]:
    """By size the divergence of the selection, and how many terms it shares with that of another order."""
    reached = divergences(counts, order)
    sizes = sorted({size for own in SIZES.values() for size in own.tolist()})
    return {
        size: {
            "divergence": round(float(reached[size - 1]), 6),
            "shared": len(np.intersect1d(order[:size], other[:size])),
        }
        for size in sizes
    }


def weighted_measures(decided: Array, truth: Array) -> Row:
    """Accuracy, and F1 averaged over the classes by their shares of the documents judged."""
    n = int(max(decided.max(), truth.max())) + 1
    sizes, accepted = np.bincount(truth, minlength=n), np.bincount(decided, minlength=n)
    tp = np.bincount(truth[decided == truth], minlength=n)
    weighted = ratio(sizes, sizes.sum()) @ f1(tp, accepted - tp, sizes - tp)
    return {"accuracy": round(float(tp.sum() / len(truth)), 6), "f1": round(float(weighted), 6)}


def rows_of_corpora(data_dir: DataDir) -> list[Row]:
    """How large each corpus is before any set is taken from it."""
    names = dict.fromkeys(chosen.corpus for chosen in SETS.values())
    found = [matrix_corpus(name, data_dir) for name in names]
    return [
        {"set": name, "documents": len(one), "terms": one.matrix.shape[1], "classes": len(one.classes)}
        for name, one in zip(names, found, strict=True)
    ]
