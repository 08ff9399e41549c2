"""The six sets of the paper, from three count matrices, with their training and test documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array, as_term_array
from termsift.corpora import Corpus
from termsift.counts import Counts, as_labels
from termsift.engines import Documents
from termsift.evaluation import Confusion, Fold
from termsift.evaluation.classifiers import (
    SVM,
    MultinomialNaiveBayes,
    NaiveBayesPath,
    RankedRows,
    SelectionPath,
    linear_decision_values,
    one_vs_rest_decision_values,
)
from termsift.selection import divergences, greedy_ranking, parse_method
from termsift_studies import corpora
from termsift_studies.study import Row
from termsift_studies.svm import BINARY_SVM
from termsift_studies.svm import TOLERANCE as HINGE_TOLERANCE

FOLDS, SEED = 10, 0
LEAST_DF = 2


@dataclass(frozen=True, slots=True)
class ChosenClasses:
    """First classes of a corpus; those from number `last` on are merged."""

    corpus: str
    classes: int
    last: int


# the longest first, so that the last units are short ones; ALT-COMP in two interpretations
SETS = {
    "20-newsgroups": ChosenClasses("cdcai/20newsgroups", 20, 20),
    "reuters-30": ChosenClasses("cdcai/reuters21578", 30, 30),
    "reuters-20": ChosenClasses("cdcai/reuters21578", 20, 20),
    "tdt2-10": ChosenClasses("cdcai/tdt2", 10, 10),
    "reuters-10": ChosenClasses("cdcai/reuters21578", 10, 10),
    "alt-comp-6": ChosenClasses("cdcai/20newsgroups", 6, 6),
    "alt-comp": ChosenClasses("cdcai/20newsgroups", 6, 2),
}


def folds(name: str) -> int:
    """Return the number of test folds: ten for TDT2, which has no published split, else one."""
    return FOLDS if name == "tdt2-10" else 1


@lru_cache(maxsize=3)
def matrix_corpus(name: str, data_dir: Path | None) -> Corpus:
    """Load a corpus by name; cached."""
    return corpora.load(name, data_dir=data_dir)


@lru_cache(maxsize=len(SETS))
def set_documents(name: str, data_dir: Path | None) -> tuple[Documents, list[tuple[Array, Array]]]:
    """Load the documents of a set with the words that two of them have, and its splits."""
    chosen = SETS[name]
    corpus = matrix_corpus(chosen.corpus, data_dir)
    numbers = np.array(corpus.labels)
    chosen_documents = np.flatnonzero(numbers <= chosen.classes)
    rows = corpus.matrix[chosen_documents]
    rows = rows[:, np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= LEAST_DF)]
    # classes from number `last` on are merged by the minimum
    labels = np.minimum(numbers[chosen_documents], chosen.last) - 1
    split = None if corpus.split is None else np.array(corpus.split)[chosen_documents]
    # terms that tie are taken in the order of columns
    terms = as_term_array(f"{i:06}" for i in range(rows.shape[1]))
    return Documents(rows, as_labels(labels), terms), set_parts(labels, split)


def set_fold(name: str, data_dir: Path | None, number: int) -> Fold:
    """Return a fold of a set."""
    documents, splits = set_documents(name, data_dir)
    return Fold.from_indices(documents, *splits[number])


def set_parts(labels: Array, split: Array | None) -> list[tuple[Array, Array]]:
    """Return training and test indices: the published split, or ten stratified folds."""
    if split is not None:
        return [(np.flatnonzero(split == "train"), np.flatnonzero(split == "test"))]
    folded = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return list(folded.split(np.zeros(len(labels)), labels))


Margins = Callable[[Fold, Ranking, Array], Array]


def svm_decision_values(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Return decision values of the SVM of 0/1 features; two classes are one problem."""
    margins = one_vs_rest_decision_values(BINARY_SVM, fold, ranking, sizes, mirrored=True)
    return break_ties_by_class_size(margins, fold, HINGE_TOLERANCE)


def tfidf_svm_decision_values(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Return decision values of the SVM of tf-idf rows of unit length."""
    margins = one_vs_rest_decision_values(SVM, fold, ranking, sizes, mirrored=True)
    return break_ties_by_class_size(margins, fold, SVM.loss.tolerance)


def count_svm_decision_values(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Return decision values of the SVM of count rows of unit length."""
    matrices = (fold.train.columns, fold.test_columns)
    order = ranking.orders[0]
    train, test = (RankedRows.from_columns(order, counts.astype(np.float64)) for counts in matrices)
    fitted = [linear_decision_values(SVM.loss, train, inside, test, sizes) for inside in fold.train.truth.T]
    return break_ties_by_class_size(np.stack(fitted, axis=2), fold, SVM.loss.tolerance)


def break_ties_by_class_size(margins: Array, fold: Fold, exact: float) -> Array:
    """Replace tied largest decision values by class sizes, so that the largest class wins.

    Decision values that differ by less than the tolerance of the fit are tied. With ten terms that can be
    every second document: it has none of the terms, and all its decision values are -1.
    """
    if fold.is_mirrored:
        return margins
    # all classes within the tolerance of the best count as tied
    tied = margins >= margins.max(axis=-1, keepdims=True) - exact
    return np.where(tied, fold.train.counts.class_sizes, 0)


def all_terms_decision_values(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Return naive Bayes whose probabilities are those of all terms, chosen or not: eq. 3 with its M."""
    sums, _, _ = chosen_term_sums(fold, ranking, sizes)
    return sums


def pooled_decision_values(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Return the same with all other terms as one more variable: eq. 24 and 26."""
    sums, remaining, shares = chosen_term_sums(fold, ranking, sizes)
    # the pool has the probability that the chosen terms leave
    chosen = np.exp(shares[ranking.orders[0]]).cumsum(axis=0)[sizes - 1]
    # of all terms nothing is left, and no document has any of it: its share must be finite alone
    pool: Array = np.log1p(-np.minimum(chosen, np.nextafter(1.0, 0.0)))
    return np.asarray(sums + remaining[:, :, None] * pool[:, None, :])


def chosen_term_sums(fold: Fold, ranking: Ranking, sizes: Array) -> tuple[Array, Array, Array]:
    """Return log prior times likelihood of the chosen terms, occurrences of other terms, and log shares.

    Shapes: (sizes, test, classes), (sizes, test), (terms, classes)

    (sizes, judged, classes), (sizes, judged), (terms, classes)
    """
    counts = fold.train.counts
    path = SelectionPath.from_ranking(ranking.orders[0], sizes)
    model = NaiveBayesPath(path, counts.tf.toarray(), counts.class_sizes / counts.documents)
    smoothed = model.counts + model.smoothing
    shares = np.log(smoothed) - np.log(smoothed.sum(axis=0))
    sums, lengths = model.sum_selected_terms(fold.test, shares, *path.term_steps(len(shares)))
    lengths_of_all = np.asarray(fold.test.sum(axis=1)).ravel()
    return np.moveaxis(sums, 1, 0) + np.log(model.priors), lengths_of_all - lengths.T, shares


DECISION_VALUES: dict[str, Margins] = {
    "NB": MultinomialNaiveBayes().decision_values,
    "NB of all terms": all_terms_decision_values,
    "NB with a pool": pooled_decision_values,
    "NB of each class": partial(one_vs_rest_decision_values, MultinomialNaiveBayes()),
    "SVM": svm_decision_values,
    "SVM of counts": count_svm_decision_values,
    "SVM of tf-idf": tfidf_svm_decision_values,
}
# F1 is that of each class's own yes or no, not of decisions between the classes
OF_EACH = ("NB of each class",)

# by their names in results; the paper does not say how the scores of the classes become one
METHODS = {
    name: parse_method(name.replace(" ", ":"))
    for name in (
        "df", "cet max", "cet weighted", "cet sum", "chi2 max", "chi2 weighted", "chi2 sum",
        "chi2_joint max", "chi2_joint weighted", "chi2_joint sum", "gss max", "gss weighted", "md", "md_chi2",
    )
}  # fmt: skip
GREEDY, ALL = "greedy", "all"
PROPOSED = ("md", "md_chi2")
# the four methods that MD is compared with, first as the main interpretation reads them;
# GSS of one label per document sums to 0 over the classes
INTERPRETATIONS = {
    "weighted, chi2 as printed": ("df", "cet weighted", "chi2_joint weighted", "gss weighted"),
    "max": ("df", "cet max", "chi2 max", "gss max"),
    "weighted": ("df", "cet weighted", "chi2 weighted", "gss weighted"),
    "sum": ("df", "cet sum", "chi2 sum", "gss max"),
}
MAIN = next(iter(INTERPRETATIONS))
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
    """Return the paper's name of a method, with its interpretation if there are several.

    >>> method_name("cet max"), method_name("md_chi2"), method_name("greedy")
    ('CET max', 'MD-chi2', 'greedy')
    """
    metric, *interpretation = method.split()
    return " ".join([NAMES.get(metric, metric), *interpretation])


def method_rankings(counts: Counts, k: int) -> dict[str, Ranking]:
    """Return the k best terms by each method."""
    rankings = {name: method.ranking(counts, k) for name, method in METHODS.items()}
    return rankings | {GREEDY: Ranking((greedy_ranking(counts, k),))}


def fold_rows(name: str, data_dir: Path | None, number: int) -> list[Row]:
    """Return the rows of a fold: each method, classifier and size, and all terms."""
    fold = set_fold(name, data_dir, number)
    rankings = method_rankings(fold.train.counts, MOST)
    rows = [row | fold_sizes(fold) for row in all_terms_rows(fold, SIZES)]
    for method, ranking in rankings.items():
        similarities = likeness(fold.train.counts, ranking, rankings["md"])
        scored = [
            row
            for classifier, sizes in SIZES.items()
            for row in measure_rows(classifier, fold, ranking, sizes)
        ]
        rows += [{"method": method} | row | similarities[row["size"]] for row in scored]
    return [{"set": name, "fold": number} | row for row in rows]


def fold_sizes(fold: Fold) -> Row:
    """Return the size of a fold."""
    documents, terms = len(fold.train) + len(fold.truth), len(fold.train.counts.terms)
    return {"documents": documents, "terms": terms, "classes": fold.n_classes}


def all_terms_rows(fold: Fold, classifiers: Iterable[str]) -> Iterator[Row]:
    """Yield a row without selection for each classifier."""
    n = len(fold.train.counts.terms)
    for classifier in classifiers:
        (row,) = measure_rows(classifier, fold, Ranking((np.arange(n),)), np.array([n]))
        yield row | {"method": ALL, "size": ALL}


def measure_rows(classifier: str, fold: Fold, ranking: Ranking, sizes: Array) -> list[Row]:
    """Return accuracy and F1 averaged over classes by their share of the test documents, a row per size."""
    margins, classes = DECISION_VALUES[classifier](fold, ranking, sizes), fold.train.labels.classes
    confusion = Confusion.from_decision_values(
        margins, fold.truth, fold.train.labels.is_single_label, classes
    )
    of_each = confusion
    if classifier in OF_EACH:
        # F1 of separate binary classifiers uses their yes or no, not the best class
        of_each = Confusion.from_decision_values(margins, fold.truth, False, classes)
    measured = zip(
        sizes.tolist(), confusion.exact_match_ratio.tolist(), of_each.weighted.f1.tolist(), strict=True
    )
    return [
        {"classifier": classifier, "size": size, "accuracy": round(accuracy, 6), "f1": round(f1, 6)}
        for size, accuracy, f1 in measured
    ]


def likeness(counts: Counts, ranking: Ranking, baseline: Ranking) -> dict[int, Row]:
    """Return by size the divergence of a selection and the number of terms it shares with a baseline."""
    # divergences along the ranking: entry k - 1 is that of the first k terms
    divergence = divergences(counts, ranking.orders[0])
    sizes = sorted({size for classifier_sizes in SIZES.values() for size in classifier_sizes.tolist()})
    return {
        size: {
            "divergence": round(float(divergence[size - 1]), 6),
            "shared": len(np.intersect1d(ranking.terms_at_size(size), baseline.terms_at_size(size))),
        }
        for size in sizes
    }


def corpus_rows(data_dir: Path | None) -> list[Row]:
    """Return the size of each corpus."""
    names = dict.fromkeys(chosen.corpus for chosen in SETS.values())
    loaded = [matrix_corpus(name, data_dir) for name in names]
    return [
        {
            "set": name,
            "documents": len(corpus),
            "terms": corpus.matrix.shape[1],
            "classes": len(corpus.classes),
        }
        for name, corpus in zip(names, loaded, strict=True)
    ]
