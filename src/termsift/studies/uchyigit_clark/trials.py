"""One split of the posts: a naive Bayes classifier for each group, method and number of words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from termsift._typing import Array
from termsift.contingency import Cells
from termsift.evaluation import Confusion
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.decisions import decisions
from termsift.experiment.folds import Fold
from termsift.methods import Method, method_from
from termsift.metrics import Metric, association, information
from termsift.policies import PerClass
from termsift.ranking import Ranking, best_by_column
from termsift.studies.study import Row
from termsift.studies.uchyigit_clark.problems import UchyigitReading, loaded_posts, reading_folds

COLUMNS = ("reading", "split", "group", "metric", "size", "tp", "fp", "fn")
SIZES = np.arange(10, 1001, 10)
# the paper's ten, and its own in two readings: z of proportions, as its text says, and of counts, as printed;
# NGL without its sign is the root of CHI
METHODS = {
    name: method_from(f"{metric}:local")
    for name, metric in {
        "CHI": "chi2", "NGL": "chi2", "GSS": "gss", "MI": "mi", "IG": "ig", "OR": "or", "WF": "tf",
        "Fisher": "fisher", "BSS/WSS": "bss_wss", "GU proportions": "gu", "GU counts": "gu(printed=True)",
    }.items()
}  # fmt: skip


def gss_without_sign(cells: Cells) -> Array:
    """GSS by its absolute value."""
    return np.abs(association.gss(cells))


def mi_without_sign(cells: Cells) -> Array:
    """The logarithm of MI by its absolute value."""
    return np.abs(information.mi(cells))


# other readings of three of the ten, and of NGL
OTHERS = {
    "NGL with its sign": method_from("cc:local"),
    "GSS without its sign": Method(Metric("gss_without_sign", gss_without_sign), PerClass()),
    "MI without its sign": Method(Metric("mi_without_sign", mi_without_sign), PerClass()),
    "OR without its sign": method_from("ors:local"),
}


def rows_of_split(
    name: str,
    reading: UchyigitReading,
    number: int,
    data_dir: Path | None,
    groups: Collection[str] | None = None,
    methods: Mapping[str, Method] = METHODS,
) -> list[Row]:
    """The rows of a split: decisions for each group, method and size."""
    posts = loaded_posts(reading.words, data_dir)[0]
    common = {"reading": name, "split": number}
    return [
        common | row
        for fold in reading_folds(posts, number, reading, groups)
        for row in rows_of_fold(fold, reading, methods)
    ]


def rows_of_fold(fold: Fold, reading: UchyigitReading, methods: Mapping[str, Method]) -> Iterator[Row]:
    """The rows of the groups of a fold."""
    found = {name: fold_decisions(fold, method, reading) for name, method in methods.items()}
    for c, group in enumerate(fold.counts.classes):
        for name, own in found.items():
            counted = (values.tolist() for values in (SIZES, own.tp[:, c], own.fp[:, c], own.fn[:, c]))
            for size, tp, fp, fn in zip(*counted, strict=True):
                yield {"group": group, "metric": name, "size": size, "tp": tp, "fp": fp, "fn": fn}


def fold_decisions(fold: Fold, method: Method, reading: UchyigitReading) -> Confusion:
    """(sizes, groups) what naive Bayes decides about each group by its own words."""
    ranking = group_ranking(fold, method, reading.ties)
    margins = Bayes(vocabulary=reading.vocabulary).margins(fold, ranking, SIZES)
    return decisions(margins, fold.truth, single=False, classes=fold.counts.classes)


def group_ranking(fold: Fold, method: Method, ties: str) -> Ranking:
    """The best words for each group: as many as the largest size."""
    counts = fold.counts
    first = {"frequent": 1, "rare": -1, "alphabet": 0}[ties]
    values = method.scores(counts).values
    order = best_by_column(values, first * counts.term_df, counts.terms, int(SIZES[-1]))
    return Ranking(tuple(order), local=True)
