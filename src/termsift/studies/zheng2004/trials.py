"""What is measured for a category: nine methods and more, by size, classifier and scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold

from termsift._typing import Array
from termsift.evaluation import Confusion
from termsift.experiment.classifiers import Classifier
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.classifiers.linear import BinaryLogistic
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.nested.paths import SelectionPath
from termsift.ranking import best
from termsift.scoring import score
from termsift.studies.study import Row
from termsift.studies.zheng2004.problems import NEAREST, ZhengReading, largest_first
from termsift.studies.zheng2004.ties import in_file_order, tie_order

# (documents, steps) what a classifier says of documents, and (documents, 2) which are in the category
Judged: TypeAlias = tuple[Array, Array]
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
# one-sided metrics of later papers; listed, so that what the catalogue gains changes no result
OTHERS = ("gss", "mi", "cet", "cpd", "log_odds_prior")
# logistic regression takes longer: other metrics at these sizes alone, and cross-validation with cc alone
LR_SIZES = (50, 200)
TIES: tuple[Literal["shared", "together"], ...] = ("shared", "together")


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured; deep: cross-validation, and the one-sided metrics that are not the paper's."""

    categories: Sequence[int]
    sizes: Sequence[int]
    classifiers: Sequence[str]
    deep: bool
    reading: ZhengReading = NEAREST

    def metrics(self) -> list[str]:
        """The metrics."""
        return [*PAPER, *(OTHERS if self.deep else ())]

    def sizes_of(self, metric: str, classifier: str) -> Sequence[int]:
        """The sizes at which a metric is measured."""
        return self.sizes if metric in PAPER or classifier == "NB" else LR_SIZES

    def folds(self, metric: str, classifier: str) -> bool:
        """Whether the ratio is also chosen by cross-validation."""
        return self.deep and (classifier == "NB" or metric == "cc")

    def margins(self, classifier: str, fold: Fold, path: SelectionPath) -> Array:
        """(judged, steps) what a classifier says of documents; larger speaks for the category."""
        found = self.classifier(classifier, len(fold.train)).along(fold, path)(1)
        return in_file_order(found) if self.reading.file_order else found

    def classifier(self, name: str, learned: int) -> Classifier:
        """A classifier by its name, for some documents to learn from."""
        if name == "NB":
            return Bayes(quotient=self.reading.quotient)
        penalty = 2 * LAMBDA * learned
        return BinaryLogistic(penalty, TOLERANCE, self.reading.bias_penalty(penalty))

    def values(self, fold: Fold, metric: str) -> Array:
        """(terms,) what a one-sided metric says of each term for the category."""
        options: dict[str, Any] = {"smoothing": self.reading.smoothing} if metric == "sig" else {}
        values: Array = score(fold.counts, metric, **options).values[:, 1]
        return values

    def ratio_path(self, path: SelectionPath, size: int) -> SelectionPath:
        """The path of 21 ratios of so many terms, from lists that were ranked once."""
        sizes = self.reading.positive_terms(size, len(RATIOS) - 1)
        return SelectionPath(size, path.first[:size], path.last[:size], sizes)

    def best_step(self, f1: Array) -> int:
        """Which of the ratios is best, of equal ones as the paper is read."""
        best_steps = np.flatnonzero(f1 == f1.max())
        places = {"smallest": 0, "middle": (len(best_steps) - 1) // 2, "largest": -1}
        return int(best_steps[places[self.reading.equal]])

    def strongest(self, fold: Fold, values: Array, k: int) -> Array:
        """The k terms of largest values, of equal ones as the paper is read."""
        return best(values, *tie_order(fold, self.reading.tied_terms), k)

    def both_sides(self, fold: Fold, metric: str, k: int) -> SelectionPath:
        """The k most positive and the k most negative terms by a one-sided metric."""
        order = tie_order(fold, self.reading.tied_terms)
        return SelectionPath.of(self.values(fold, metric), *order, k, RATIOS)


def category_rows(apte: Fold, number: int, scope: Scope) -> list[Row]:
    """All rows of a category, given by its number from 1."""
    problem, named = category_problem(apte, number)
    fold = problem.judging_both()
    # the paper leaves out categories of fewer than ten documents; they count for figures 6 and 7 alone
    if fold.counts.class_sizes[1] < FEWEST:
        scope = replace(scope, deep=False)
    parts = training_folds(fold.train) if scope.deep else []
    return [named | row for row in (*maxima(fold, scope), *classifier_rows(fold, parts, scope))]


def category_problem(apte: Fold, number: int) -> tuple[Fold, Row]:
    """A category against the rest, and how its rows name it."""
    place = largest_first(apte.train.labels)[number - 1]
    return apte.against_rest(place), {"category": number, "name": apte.train.labels.classes[place]}


def training_folds(train: Documents) -> list[Fold]:
    """The training part alone, each of its parts judged by the others."""
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(train.target, train.target)
    return [Fold.of(train, learned, judged) for learned, judged in splits]


def maxima(fold: Fold, scope: Scope) -> Iterator[Row]:
    """The largest values of positive and of negative terms of IG, CHI and ORS: table 7."""
    for metric, power in (("sig", 1), ("cc", 2), ("or", 2)):
        values = scope.values(fold, metric)
        for scenario, sign in (("max+", 1), ("max-", -1)):
            largest = np.max(values * sign, initial=0.0) ** power
            yield {"metric": metric, "scenario": scenario, "value": f"{largest:.6g}"}
    share = 100 * fold.train.truth[:, 1].mean()
    yield {"scenario": "percent", "value": f"{share:.6g}"}


def classifier_rows(fold: Fold, parts: list[Fold], scope: Scope) -> Iterator[Row]:
    """The rows of every classifier, metric and size, and those without selection."""
    terms = np.arange(len(fold.train.terms))
    whole = SelectionPath.along(terms, np.array([len(terms)]))
    for classifier in scope.classifiers:
        named: Row = {"classifier": classifier, "scenario": "none", "size": "all"}
        yield from one_step_rows(fold, scope.margins(classifier, fold, whole), named)
        for metric in scope.metrics():
            own = parts if scope.folds(metric, classifier) else []
            yield from metric_rows(fold, own, metric, classifier, scope)


def metric_rows(fold: Fold, parts: list[Fold], metric: str, classifier: str, scope: Scope) -> Iterator[Row]:
    """The rows of a one-sided metric: as it is, with its sign ignored, and with the ratio chosen."""
    sizes, values = scope.sizes_of(metric, classifier), scope.values(fold, metric)
    strongest = scope.strongest(fold, np.abs(values), max(sizes))
    paths = [(one, scope.both_sides(one, metric, max(sizes))) for one in (fold, *parts)]
    for size in sizes:
        named: Row = {"classifier": classifier, "metric": metric, "size": size}
        ignored = SelectionPath.along(strongest, np.array([size]))
        share = {"scenario": "two-sided", "ratio": f"{np.mean(values[ignored.first] > 0):.6g}"}
        yield from one_step_rows(fold, scope.margins(classifier, fold, ignored), named | share)
        whole, *held_out = (
            (scope.margins(classifier, one, scope.ratio_path(path, size)), one.truth) for one, path in paths
        )
        yield from ratio_rows(ratio_judges(whole, held_out, len(fold.train)), named, scope)


def one_step_rows(fold: Fold, margins: Array, named: Row) -> Iterator[Row]:
    """The rows of a path of one step."""
    learned = len(fold.train)
    for ties in TIES:
        found = break_even_decisions(margins[learned:], fold.truth[learned:], ties)
        yield counted_row(found, 0, named | {"ties": ties})


def ratio_judges(whole: Judged, held_out: list[Judged], learned: int) -> dict[str, list[Judged]]:
    """What each scenario chooses the ratio by: the test part, the training part, its parts held out."""
    margins, truth = whole
    judges = {
        "ideal": [(margins[learned:], truth[learned:])],
        "practical": [(margins[:learned], truth[:learned])],
    }
    return judges | ({"cv": held_out} if held_out else {})


def ratio_rows(judges: dict[str, list[Judged]], named: Row, scope: Scope) -> Iterator[Row]:
    """The rows of a path of 21 ratios: all positive, and the ratio chosen in each scenario; for CC each."""
    for ties in TIES:
        found = {
            name: sum((break_even_decisions(*one, ties) for one in own), start=Confusion.empty())
            for name, own in judges.items()
        }
        chosen = {name: scope.best_step(own.f1.ravel()) for name, own in found.items()}
        steps = {"one-sided": len(RATIOS) - 1} | chosen
        common, tests = named | {"ties": ties}, found["ideal"]
        for scenario, step in steps.items():
            yield counted_row(tests, step, common | {"scenario": scenario, "ratio": RATIOS[step]})
        if named["metric"] == "cc" and ties == "shared":
            for step, ratio in enumerate(RATIOS):
                yield counted_row(tests, step, common | {"scenario": "curve", "ratio": ratio})


def break_even_decisions(margins: Array, truth: Array, ties: Literal["shared", "together"]) -> Confusion:
    """(steps, 1) decisions about the category at the break-even point of each step."""
    return Confusion.at_break_even(margins.T[:, :, None], truth[:, 1:], ("category",), ties=ties)


def counted_row(found: Confusion, step: int, row: Row) -> Row:
    """A row with its true positives, false positives and false negatives."""
    tp, fp, fn = (f"{float(counts[step, 0]):.6g}" for counts in (found.tp, found.fp, found.fn))
    return row | {"tp": tp, "fp": fp, "fn": fn}
