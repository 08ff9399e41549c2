"""What is measured for a category: nine methods and more, by size, classifier and scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold

from termsift import metrics
from termsift._typing import Array
from termsift.counting import count
from termsift.counts import Counts
from termsift.evaluation import break_even_counts, f1, shared_break_even_counts
from termsift.nested.bayes import BayesPath
from termsift.nested.logistic import logistic_margins
from termsift.nested.paths import Path
from termsift.ranking import best
from termsift.scoring import score
from termsift.studies.zheng2004.problems import Problems, SortedDocuments

Row: TypeAlias = dict[str, object]
COLUMNS = (
    "category", "name", "classifier", "metric", "scenario", "size", "ratio",
    "ties", "tp", "fp", "fn", "value",
)  # fmt: skip
STUDIED = range(3, 61)  # the categories of tables 1 to 5, by number
SIZES = (10, 20, 30, 40, 50, 100, 200, 500, 1000, 2000, 3000)
RATIOS = np.arange(21) / 20
LAMBDA = 0.0001
TOLERANCE = 0.1  # of the summed loss's derivatives; scikit-learn's own, 1e-4 of the mean, would be 0.8
SEED, FOLDS, FEWEST = 0, 5, 10
# those of the paper; each two-sided metric of it ranks as one of these with the sign ignored
PAPER = ("sig", "cc", "or")
# logistic regression takes longer: other metrics at these sizes alone, and cross-validation with cc alone
LR_SIZES = (50, 200)
TIES: dict[str, Callable[[Array, Array], tuple[Array, Array, Array]]] = {
    "shared": shared_break_even_counts,
    "together": break_even_counts,
}


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured; deep: cross-validation, and the one-sided metrics that are not the paper's."""

    categories: Sequence[int]
    sizes: Sequence[int]
    classifiers: Sequence[str]
    deep: bool

    def metrics(self) -> list[str]:
        """The metrics."""
        others = [metric.name for metric in metrics() if metric.sided == 1 and metric.name not in PAPER]
        return [*PAPER, *(others if self.deep else [])]

    def sizes_of(self, metric: str, classifier: str) -> Sequence[int]:
        """The sizes at which a metric is measured."""
        return self.sizes if metric in PAPER or classifier == "NB" else LR_SIZES

    def folds(self, metric: str, classifier: str) -> bool:
        """Whether the ratio is also chosen by cross-validation."""
        return self.deep and (classifier == "NB" or metric == "cc")


@dataclass(frozen=True, eq=False)
class Case:
    """Documents to learn from and documents to judge, with the truth about both."""

    terms: Array
    train: SortedDocuments
    truth: Array
    test: SortedDocuments
    test_truth: Array
    quotient: bool

    @cached_property
    def counts(self) -> Counts:
        """The counts of the documents to learn from, the class meant last."""
        return count(self.train.rows, self.truth, terms=self.terms)

    def values(self, metric: str) -> Array:
        """What a one-sided metric says of each term."""
        values: Array = np.asarray(score(self.counts, metric))[:, -1]
        return values

    def judged(self, path: Path, classifier: str) -> tuple[Array, Array]:
        """(documents, steps): the scores of both parts by a classifier; larger speaks for the class."""
        if classifier == "LR":
            settings = {"penalty": 2 * LAMBDA * len(self.truth), "tolerance": TOLERANCE}
            return logistic_margins(path, self.train.columns, self.truth, self.test.columns, **settings)
        inside = self.counts.tf[:, [1]].toarray().ravel()
        bayes = BayesPath(path, inside, self.counts.term_tf - inside, float(self.truth.mean()))
        # section 5.2 prints the quotient of the two; both are negative, so a small one speaks for the class
        here, there = bayes.log_posteriors(self.train.rows), bayes.log_posteriors(self.test.rows)
        if self.quotient:
            return -here[0] / here[1], -there[0] / there[1]
        return here[0] - here[1], there[0] - there[1]


def category_rows(problems: Problems, number: int, scope: Scope) -> list[Row]:
    """All rows of a category, given by its number from 1."""
    truth, test_truth = problems.truth[:, number - 1], problems.test_truth[:, number - 1]
    quotient = problems.reading.quotient
    case = Case(problems.terms, problems.train, truth, problems.test, test_truth, quotient)
    named = {"category": number, "name": problems.names[number - 1]}
    # the paper leaves out categories of fewer than ten documents; they count for figures 6 and 7 alone
    if truth.sum() < FEWEST:
        scope = replace(scope, deep=False)
    folds = training_folds(case) if scope.deep else []
    return [named | row for row in (*maxima(case), *classifier_rows(case, folds, scope))]


def training_folds(case: Case) -> list[Case]:
    """The training part as cases of its own, each fold judged by the others."""
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(case.truth, case.truth)
    return [
        replace(
            case,
            train=case.train.take(learned),
            truth=case.truth[learned],
            test=case.train.take(judged),
            test_truth=case.truth[judged],
        )
        for learned, judged in splits
    ]


def maxima(case: Case) -> Iterator[Row]:
    """The largest values of positive and of negative terms of IG, CHI and ORS: table 7."""
    for metric, power in (("sig", 1), ("cc", 2), ("or", 2)):
        values = case.values(metric)
        for scenario, sign in (("max+", 1), ("max-", -1)):
            largest = np.max(values * sign, initial=0.0) ** power
            yield {"metric": metric, "scenario": scenario, "value": f"{largest:.6g}"}
    share = 100 * case.truth.mean()
    yield {"scenario": "percent", "value": f"{share:.6g}"}


def classifier_rows(case: Case, folds: list[Case], scope: Scope) -> Iterator[Row]:
    """The rows of every classifier, metric and size, and those without selection."""
    terms = np.arange(len(case.terms))
    for classifier in scope.classifiers:
        whole = Path(len(terms), terms, terms[:0], np.array([len(terms)]))
        yield from one_step_rows(case, whole, classifier, {"scenario": "none", "size": "all"})
        for metric in scope.metrics():
            cases = folds if scope.folds(metric, classifier) else []
            yield from metric_rows(case, cases, metric, classifier, scope.sizes_of(metric, classifier))


def metric_rows(
    case: Case, folds: list[Case], metric: str, classifier: str, sizes: Sequence[int]
) -> Iterator[Row]:
    """The rows of a one-sided metric: as it is, with its sign ignored, and with the ratio chosen."""
    values, df = case.values(metric), case.counts.term_df
    rank = np.arange(len(values))
    whole = Path.of(values, df, rank, max(sizes), RATIOS)
    strongest = best(np.abs(values), df, rank, max(sizes))
    fold_paths = [
        Path.of(fold.values(metric), fold.counts.term_df, rank, max(sizes), RATIOS) for fold in folds
    ]
    for size in sizes:
        named = {"metric": metric, "size": size}
        chosen = strongest[:size]
        ignored = Path(size, chosen, chosen[:0], np.array([size]))
        share = f"{np.mean(values[chosen] > 0):.6g}"
        yield from one_step_rows(case, ignored, classifier, named | {"scenario": "two-sided", "ratio": share})
        yield from ratio_rows(
            case, folds, cut(whole, size), [cut(p, size) for p in fold_paths], classifier, named
        )


def cut(path: Path, size: int) -> Path:
    """The path of a smaller size, from the lists that were ranked once."""
    return Path(size, path.first[:size], path.last[:size], np.floor(RATIOS * size + 0.5).astype(np.int64))


def one_step_rows(case: Case, path: Path, classifier: str, named: Row) -> Iterator[Row]:
    """The rows of a path of one step."""
    _, there = case.judged(path, classifier)
    for ties, counted in TIES.items():
        yield counted_row(
            counted(there, case.test_truth), 0, named | {"classifier": classifier, "ties": ties}
        )


def ratio_rows(
    case: Case, folds: list[Case], path: Path, fold_paths: list[Path], classifier: str, named: Row
) -> Iterator[Row]:
    """The rows of a path of 21 ratios: all positive, and the ratio chosen in each scenario.

    Of equal ratios the one of fewest positive terms is taken.
    """
    here, there = case.judged(path, classifier)
    by_fold = [
        (fold.judged(own, classifier)[1], fold.test_truth)
        for fold, own in zip(folds, fold_paths, strict=True)
    ]
    for ties, counted in TIES.items():
        tests = counted(there, case.test_truth)
        judges = {"ideal": tests, "practical": counted(here, case.truth)}
        if by_fold:
            judges["cv"] = tuple(np.sum([counted(*fold) for fold in by_fold], axis=0))
        steps = {"one-sided": len(RATIOS) - 1} | {name: int(np.argmax(f1(*j))) for name, j in judges.items()}
        common = named | {"classifier": classifier, "ties": ties}
        for scenario, step in steps.items():
            yield counted_row(tests, step, common | {"scenario": scenario, "ratio": RATIOS[step]})
        if named["metric"] == "cc" and named["size"] == 50 and ties == "shared":
            for step, ratio in enumerate(RATIOS):
                yield counted_row(tests, step, common | {"scenario": "curve", "ratio": ratio})


def counted_row(counts: tuple[Array, Array, Array], step: int, row: Row) -> Row:
    """A row with its true positives, false positives and false negatives."""
    tp, fp, fn = (f"{float(values[step]):.6g}" for values in counts)
    return row | {"tp": tp, "fp": fp, "fn": fn}
