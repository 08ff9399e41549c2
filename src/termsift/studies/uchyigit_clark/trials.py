"""One split of the posts: a naive Bayes classifier for each group, method and number of words."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from termsift.evaluation import Confusion
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.decisions import decisions
from termsift.experiment.folds import Fold
from termsift.methods import Method, method_from
from termsift.ranking import Ranking, best_by_column
from termsift.studies.study import Row
from termsift.studies.uchyigit_clark.problems import UchyigitReading, loaded_posts, split_fold

COLUMNS = ("reading", "split", "group", "metric", "size", "tp", "fp", "fn")
SIZES = np.arange(10, 1001, 10)
# the paper's ten, and its own in two readings: z of proportions, as its text says, and of counts, as printed
METHODS = {
    name: method_from(f"{metric}:local")
    for name, metric in {
        "CHI": "chi2", "NGL": "cc", "GSS": "gss", "MI": "mi", "IG": "ig", "OR": "or", "WF": "tf",
        "Fisher": "fisher", "BSS/WSS": "bss_wss", "GU proportions": "gu", "GU counts": "gu(printed=True)",
    }.items()
}  # fmt: skip


def rows_of_split(
    name: str,
    reading: UchyigitReading,
    number: int,
    data_dir: Path | None,
    groups: Collection[str] | None = None,
) -> list[Row]:
    """The rows of a split: decisions for each group, method and size."""
    fold = split_fold(loaded_posts(reading.words, data_dir)[0], number, reading.fewest, groups)
    found = {method: split_decisions(fold, one, reading) for method, one in METHODS.items()}
    common = {"reading": name, "split": number}
    return [
        common | {"group": group, "metric": method, "size": size, "tp": tp, "fp": fp, "fn": fn}
        for c, group in enumerate(fold.counts.classes)
        for method, own in found.items()
        for size, tp, fp, fn in zip(
            *(values.tolist() for values in (SIZES, own.tp[:, c], own.fp[:, c], own.fn[:, c])), strict=True
        )
    ]


def split_decisions(fold: Fold, method: Method, reading: UchyigitReading) -> Confusion:
    """(sizes, groups) what naive Bayes decides about each group by its own words."""
    ranking = group_ranking(fold, method, reading.by_frequency)
    margins = Bayes(among_all=reading.all_words).margins(fold, ranking, SIZES)
    return decisions(margins, fold.truth, single=False, classes=fold.counts.classes)


def group_ranking(fold: Fold, method: Method, by_frequency: bool) -> Ranking:
    """The best words for each group: as many as the largest size."""
    counts = fold.counts
    df = counts.term_df if by_frequency else np.zeros_like(counts.term_df)
    values = method.scores(counts).values
    return Ranking(tuple(best_by_column(values, df, counts.terms, int(SIZES[-1]))), local=True)
