"""The 90 problems of ApteMod (a category against the rest, largest first) and their trials."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array
from sklearn.model_selection import StratifiedKFold

from termsift._internal.errors import UnreadableFileError
from termsift._internal.ranking import rank_terms
from termsift._internal.typing import Array
from termsift.corpora import Corpus, DataDir, reuters_stop_words
from termsift.counts import Labels, as_labels
from termsift.engines import Documents
from termsift.estimators import TermVectorizer
from termsift.evaluation import Confusion, Fold
from termsift.evaluation.classifiers import BinaryLogistic, Classifier, MultinomialNaiveBayes, SelectionPath
from termsift.metrics import score
from termsift.text import Analyzer
from termsift_studies import corpora
from termsift_studies.study import Row

PARTS = ("train", "test")
# what ApteMod has of a story that Reuters-21578 calls unprocessed: its date, twice
DATES = re.compile(r"(\s*\d{1,2}-[A-Z]{3}-1987[\s\d:.]*)+")
# the one story of the 90 categories that ApteMod lacks: no. 1199, in trade
LACKING = "ROSTENKOWSKI SAYS HE WILL OPPOSE PROTECTIONIST TRADE BILL IN U.S. HOUSE"
END = re.compile(r"\s+Reuter\s*$", re.IGNORECASE)  # of a story, not of its text


@dataclass(frozen=True, slots=True)
class QuotientNaiveBayes(MultinomialNaiveBayes):
    """Multinomial naive Bayes of a class against the rest, with the decision rule of the paper.

    quotient : compare a class with the rest by the quotient of the two log posteriors, not their difference
    """

    quotient: bool = False

    def posterior_decision_values(self, posteriors: Array) -> Array:
        """Return the decision values of a class against the rest."""
        for_class, for_rest = posteriors[:, :, 0], posteriors[:, :, 1]
        # both logarithms are negative, so a small quotient is evidence for the class
        return -for_class / for_rest if self.quotient else for_class - for_rest


@dataclass(frozen=True, slots=True)
class ZhengInterpretation:
    """Interpretation of open questions in the paper. The default comes closest to its tables.

    text : ApteMod's with the unprocessed stories completed, ApteMod's alone, or the distribution's
    stems : words are reduced to their stems, by Porter's algorithm
    stop_stems : what has the stem of a stop word is one
    references : the names in character references (&lt;) are words
    min_frequency : how often a term occurs in the training part at least, or, "whole", in both parts
    quotient : naive Bayes ranks by the quotient of the log posteriors, as printed, else by their difference
    smoothing : of SIG
    bias : the bias of logistic regression is one of the weights, free of the penalty, or there is none
    one_term : a ratio of 0 takes one positive term, for none would be no natural number
    rounding : shares of terms are rounded down, or a half up
    equal : which of several ratios that are best is taken; of an even number the smaller middle one
    tied_terms : which of terms of equal score comes first: of most or of fewest documents, then by the
        alphabet; by the alphabet alone, or from its end; in the order in which documents bring them
    file_order : documents of equal score stand in the order of the corpus, else they share the cut
    """

    text: Literal["completed", "apte", "distribution"] = "completed"
    stems: bool = True
    stop_stems: bool = True
    references: bool = False
    min_frequency: Literal["2 documents", "3 documents", "3 occurrences", "3 occurrences, whole"] = (
        "2 documents"
    )
    quotient: bool = True
    smoothing: float | str = "ele"
    bias: Literal["weight", "free", "none"] = "weight"
    one_term: bool = True
    rounding: Literal["down", "half up"] = "down"
    equal: Literal["smallest", "middle", "largest"] = "smallest"
    tied_terms: Literal["frequent", "rare", "alphabet", "alphabet's end", "corpus"] = "frequent"
    file_order: bool = False

    @property
    def term_interpretation(self) -> ZhengInterpretation:
        """Interpretation with only the fields on texts and terms, all others as by default."""
        names = ("text", "stems", "stop_stems", "references", "min_frequency")
        return ZhengInterpretation(**{name: getattr(self, name) for name in names})

    def bias_penalty(self, penalty: float) -> float:
        """Return the penalty of the bias for the penalty of the weights."""
        return {"weight": penalty, "free": 0.0, "none": inf}[self.bias]

    def positive_terms(self, size: int, steps: int = 20) -> Array:
        """Return the numbers of positive terms at the ratios 0, 1 / steps, ..., 1.

        >>> ZhengInterpretation().positive_terms(50)[:4]
        array([1, 2, 5, 7])
        """
        numbers = np.arange(steps + 1) * size
        shares = numbers // steps if self.rounding == "down" else (2 * numbers + steps) // (2 * steps)
        return np.maximum(shares, int(self.one_term))


NEAREST = ZhengInterpretation()


def load_corpora(data_dir: DataDir = None) -> tuple[Corpus, Corpus]:
    """Load ApteMod, and the stories of its 90 categories from Reuters-21578."""
    distribution = corpora.load("reuters21578", data_dir=data_dir, categories="both")
    return corpora.load("reuters_apte", data_dir=data_dir), distribution


def apte_fold(
    pair: tuple[Corpus, Corpus], data_dir: DataDir = None, case: ZhengInterpretation = NEAREST
) -> Fold:
    """Return ApteMod in all its categories under an interpretation.

    Terms are sequences of letters, excluding the stop words of the corpus and rare terms.
    """
    stop_words = reuters_stop_words(data_dir)
    stemmer = "porter" if case.stems else None
    analyzer = Analyzer(token_pattern=r"[a-z]+", stop_words=stop_words, stemmer=stemmer)
    vectorizer = TermVectorizer(analyzer=analyzer)
    texts, corpus = collect_texts_by_part(*pair, case), pair[0]
    rows = csr_array(vectorizer.fit_transform(texts["train"]))
    test_rows = csr_array(vectorizer.transform(texts["test"]))
    terms = vectorizer.get_feature_names_out()
    stops = Analyzer(token_pattern=r"\S+", stemmer=stemmer)(" ".join(stop_words)) if case.stop_stems else []
    is_stop = np.isin(terms.astype(str), stops)
    chosen = np.flatnonzero(frequent(rows, test_rows, case.min_frequency) & ~is_stop)
    rows, test_rows = rows[:, chosen], test_rows[:, chosen]
    # the terms of a document stand in one order, so that equal terms give equal sums to the last bit
    rows.sort_indices()
    test_rows.sort_indices()
    train = Documents(rows, as_labels(corpus.part("train").labels), terms[chosen])
    classes = train.labels.classes
    truth = np.array([[name in labels for name in classes] for labels in corpus.part("test").labels])
    return Fold(train, test_rows, truth)


def frequent(rows: csr_array, test_rows: csr_array, minimum: str) -> Array:
    """Return a mask of the terms that are frequent enough."""
    number, of, *_ = minimum.replace(",", "").split()
    occurrences = rows > 0 if of == "documents" else rows
    totals = np.asarray(occurrences.sum(axis=0)) + (test_rows.sum(axis=0) if minimum.endswith("whole") else 0)
    return np.asarray(totals >= int(number))


def collect_texts_by_part(
    apte: Corpus, distribution: Corpus, case: ZhengInterpretation
) -> dict[str, list[str]]:
    """Return the texts of training and test set.

    ApteMod lacks the text of the stories that Reuters-21578 calls unprocessed, and repeats the title of a
    brief story in place of its body.
    """
    prepared = str if case.references else html.unescape
    ours = {subset: [prepared(text) for text in apte.part(subset).texts or []] for subset in PARTS}
    if case.text == "apte":
        return ours
    theirs = collect_distributed_texts(distribution)
    # stories are matched by position, so both sources must have the same number
    if [len(theirs[subset]) for subset in PARTS] != [len(ours[subset]) for subset in PARTS]:
        raise UnreadableFileError("ApteMod and Reuters-21578 have not the same stories")
    if case.text == "distribution":
        return theirs
    return {
        subset: [
            full if DATES.fullmatch(apte_text) else apte_text
            for apte_text, full in zip(ours[subset], theirs[subset], strict=True)
        ]
        for subset in PARTS
    }


def collect_distributed_texts(distribution: Corpus) -> dict[str, list[str]]:
    """Return the texts of ApteMod's stories from Reuters-21578, without their end marks."""
    return {
        subset: [
            END.sub("", text)
            for text in distribution.part(subset).texts or []
            if not text.startswith(LACKING)
        ]
        for subset in PARTS
    }


def largest_first(labels: Labels) -> Array:
    """Return the indices of the classes by size, largest first, ties by name.

    >>> largest_first(as_labels([["acq"], ["earn"], ["acq", "dlr"], ["acq"], ["earn"]]))
    array([0, 2, 1])
    """
    return np.asarray(np.argsort(-np.diff(labels.starts), kind="stable"))


def tie_order(fold: Fold, tied: str) -> tuple[Array, Array]:
    """Return two sort keys for tied terms: descending by the first, then ascending by the second.

    Terms are in alphabetical order.

    Terms stand in the order of the alphabet.
    """
    df, positions = fold.train.counts.term_df, np.arange(len(fold.train.terms))
    if tied == "corpus":
        return -first_documents(fold), positions
    orders = {
        "frequent": (df, positions),
        "rare": (-df, positions),
        "alphabet": (np.zeros_like(df), positions),
        "alphabet's end": (np.zeros_like(df), -positions),
    }
    return orders[tied]


def first_documents(fold: Fold) -> Array:
    """Return the first training document with each term, or the number of documents if there is none."""
    columns = csc_array(fold.train.rows > 0)
    columns.sort_indices()
    first = np.full(columns.shape[1], columns.shape[0])
    is_used = np.diff(columns.indptr) > 0
    first[is_used] = columns.indices[columns.indptr[:-1][is_used]]
    return first


def rank_by_file_order(margins: Array) -> Array:
    """Replace decision values by ranks, in which the first of tied documents is higher.

    >>> rank_by_file_order(np.array([[0.5], [0.7], [0.5]])).ravel()
    array([-1.,  0., -2.])
    """
    ranks = np.empty_like(margins)
    # a stable sort keeps tied documents in file order
    order = np.argsort(-margins, axis=0, kind="stable")
    np.put_along_axis(ranks, order, np.arange(0.0, -len(margins), -1)[:, None], axis=0)
    return ranks


# (documents, steps) what a classifier says of documents, and (documents, 2) which are in the category
Evaluated: TypeAlias = tuple[Array, Array]
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
    """Extent of a run; deep: with cross-validation and one-sided metrics beyond the paper."""

    categories: Sequence[int]
    sizes: Sequence[int]
    classifiers: Sequence[str]
    deep: bool
    interpretation: ZhengInterpretation = NEAREST

    def metrics(self) -> list[str]:
        """Return the metrics."""
        return [*PAPER, *(OTHERS if self.deep else ())]

    def metric_sizes(self, metric: str, classifier: str) -> Sequence[int]:
        """Return the sizes at which a metric is measured."""
        return self.sizes if metric in PAPER or classifier == "NB" else LR_SIZES

    def folds(self, metric: str, classifier: str) -> bool:
        """Check if the ratio is also chosen by cross-validation."""
        return self.deep and (classifier == "NB" or metric == "cc")

    def margins(self, classifier: str, fold: Fold, path: SelectionPath) -> Array:
        """Return the decision values of a classifier, (test documents, steps)."""
        decision_values = self.classifier(classifier, len(fold.train)).fit_path(fold, path)(1)
        return rank_by_file_order(decision_values) if self.interpretation.file_order else decision_values

    def classifier(self, name: str, learned: int) -> Classifier:
        """Return a classifier by name for a number of training documents."""
        if name == "NB":
            return QuotientNaiveBayes(quotient=self.interpretation.quotient)
        # the paper averages the losses and penalizes lambda w'w; here losses are summed, with w'w / 2
        penalty = 2 * LAMBDA * learned
        return BinaryLogistic(penalty, TOLERANCE, self.interpretation.bias_penalty(penalty))

    def values(self, fold: Fold, metric: str) -> Array:
        """Return the scores of a one-sided metric for the category, (terms,)."""
        options: dict[str, Any] = {"smoothing": self.interpretation.smoothing} if metric == "sig" else {}
        return np.asarray(score(fold.train.counts, metric, **options).values[:, 1])

    def ratio_path(self, path: SelectionPath, size: int) -> SelectionPath:
        """Return the path of 21 ratios for a number of terms, from lists that were ranked once."""
        # one ranking of both lists serves all ratios: a ratio is a prefix of each
        sizes = self.interpretation.positive_terms(size, len(RATIOS) - 1)
        return SelectionPath(size, path.first[:size], path.last[:size], sizes)

    def best_step(self, f1: Array) -> int:
        """Return the index of the best ratio, with ties by the interpretation."""
        best_steps = np.flatnonzero(f1 == f1.max())
        choices = {"smallest": 0, "middle": (len(best_steps) - 1) // 2, "largest": -1}
        return int(best_steps[choices[self.interpretation.equal]])

    def strongest(self, fold: Fold, values: Array, k: int) -> Array:
        """Return the k terms with the largest values, with ties by the interpretation."""
        return rank_terms(values, *tie_order(fold, self.interpretation.tied_terms), k)

    def both_sides(self, fold: Fold, metric: str, k: int) -> SelectionPath:
        """Return the k most positive and the k most negative terms by a one-sided metric."""
        order = tie_order(fold, self.interpretation.tied_terms)
        return SelectionPath.from_scores(self.values(fold, metric), *order, k, RATIOS)


def category_rows(apte: Fold, number: int, scope: Scope) -> list[Row]:
    """Return all rows of a category, given by its number from 1."""
    problem, labels = category_problem(apte, number)
    # training documents are tested too: the practical ratio is chosen on them
    fold = problem.test_on_all()
    # the paper leaves out categories of fewer than ten documents; they count for figures 6 and 7 alone
    if fold.train.counts.class_sizes[1] < FEWEST:
        scope = replace(scope, deep=False)
    folds = training_folds(fold.train) if scope.deep else []
    return [labels | row for row in (*maxima(fold, scope), *classifier_rows(fold, folds, scope))]


def category_problem(apte: Fold, number: int) -> tuple[Fold, Row]:
    """Return a category against the rest, and the labels of its rows."""
    index = largest_first(apte.train.labels)[number - 1]
    return apte.binary_problem(index), {"category": number, "name": apte.train.labels.classes[index]}


def training_folds(train: Documents) -> list[Fold]:
    """Return the cross-validation folds of the training set."""
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(train.target, train.target)
    return [Fold.from_indices(train, training, test) for training, test in splits]


def maxima(fold: Fold, scope: Scope) -> Iterator[Row]:
    """Yield the largest values of positive and of negative terms of IG, CHI and ORS: table 7."""
    # CHI and ORS are squares of the one-sided CC and OR
    for metric, power in (("sig", 1), ("cc", 2), ("or", 2)):
        values = scope.values(fold, metric)
        for scenario, sign in (("max+", 1), ("max-", -1)):
            largest = np.max(values * sign, initial=0.0) ** power
            yield {"metric": metric, "scenario": scenario, "value": f"{largest:.6g}"}
    share = 100 * fold.train.truth[:, 1].mean()
    yield {"scenario": "percent", "value": f"{share:.6g}"}


def classifier_rows(fold: Fold, folds: list[Fold], scope: Scope) -> Iterator[Row]:
    """Yield the rows of every classifier, metric and size, and those without selection."""
    terms = np.arange(len(fold.train.terms))
    all_terms = SelectionPath.from_ranking(terms, np.array([len(terms)]))
    for classifier in scope.classifiers:
        labels: Row = {"classifier": classifier, "scenario": "none", "size": "all"}
        yield from single_step_rows(fold, scope.margins(classifier, fold, all_terms), labels)
        for metric in scope.metrics():
            metric_folds = folds if scope.folds(metric, classifier) else []
            yield from metric_rows(fold, metric_folds, metric, classifier, scope)


def metric_rows(fold: Fold, folds: list[Fold], metric: str, classifier: str, scope: Scope) -> Iterator[Row]:
    """Yield the rows of a one-sided metric: plain, with its sign ignored, and with the ratio chosen."""
    sizes, values = scope.metric_sizes(metric, classifier), scope.values(fold, metric)
    strongest = scope.strongest(fold, np.abs(values), max(sizes))
    paths = [(subfold, scope.both_sides(subfold, metric, max(sizes))) for subfold in (fold, *folds)]
    for size in sizes:
        labels: Row = {"classifier": classifier, "metric": metric, "size": size}
        ignored = SelectionPath.from_ranking(strongest, np.array([size]))
        share = {"scenario": "two-sided", "ratio": f"{np.mean(values[ignored.first] > 0):.6g}"}
        yield from single_step_rows(fold, scope.margins(classifier, fold, ignored), labels | share)
        full, *held_out = (
            (scope.margins(classifier, subfold, scope.ratio_path(path, size)), subfold.truth)
            for subfold, path in paths
        )
        yield from ratio_rows(ratio_criteria(full, held_out, len(fold.train)), labels, scope)


def single_step_rows(fold: Fold, margins: Array, labels: Row) -> Iterator[Row]:
    """Yield the rows of a path with a single step."""
    learned = len(fold.train)
    for ties in TIES:
        confusion = break_even_decisions(margins[learned:], fold.truth[learned:], ties)
        yield count_row(confusion, 0, labels | {"ties": ties})


def ratio_criteria(full: Evaluated, held_out: list[Evaluated], learned: int) -> dict[str, list[Evaluated]]:
    """Return the documents that each scenario chooses the ratio by: test set, training set or folds."""
    margins, truth = full
    judges = {
        "ideal": [(margins[learned:], truth[learned:])],
        "practical": [(margins[:learned], truth[:learned])],
    }
    return judges | ({"cv": held_out} if held_out else {})


def ratio_rows(judges: dict[str, list[Evaluated]], labels: Row, scope: Scope) -> Iterator[Row]:
    """Yield the rows of 21 ratios: all positive, the chosen ratio of each scenario, and for CC all."""
    for ties in TIES:
        confusions = {
            name: sum((break_even_decisions(*pair, ties) for pair in evaluated), start=Confusion.empty())
            for name, evaluated in judges.items()
        }
        chosen = {name: scope.best_step(evaluated.f1.ravel()) for name, evaluated in confusions.items()}
        steps = {"one-sided": len(RATIOS) - 1} | chosen
        common, tests = labels | {"ties": ties}, confusions["ideal"]
        for scenario, step in steps.items():
            yield count_row(tests, step, common | {"scenario": scenario, "ratio": RATIOS[step]})
        if labels["metric"] == "cc" and ties == "shared":
            for step, ratio in enumerate(RATIOS):
                yield count_row(tests, step, common | {"scenario": "curve", "ratio": ratio})


def break_even_decisions(margins: Array, truth: Array, ties: Literal["shared", "together"]) -> Confusion:
    """Return the decisions about the category at the break-even point of each step, (steps, 1)."""
    return Confusion.at_break_even(margins.T[:, :, None], truth[:, 1:], ("category",), ties=ties)


def count_row(confusion: Confusion, step: int, row: Row) -> Row:
    """Add true positives, false positives and false negatives to a row."""
    tp, fp, fn = (f"{float(counts[step, 0]):.6g}" for counts in (confusion.tp, confusion.fp, confusion.fn))
    return row | {"tp": tp, "fp": fp, "fn": fn}
