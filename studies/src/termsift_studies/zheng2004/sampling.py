"""Smaller training sets as an alternative remedy for imbalance, named in section 3 of the paper.

Documents outside the category are drawn at random (undersampling), or the ones most similar to the category
are taken: the query zone of Singhal, Mitra and Buckley (1997).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from termsift._internal.ranking import rank_terms
from termsift._internal.typing import Array
from termsift.evaluation import Confusion, Fold, wilcoxon
from termsift.evaluation.classifiers import SelectionPath
from termsift_studies.study import Line, Row
from termsift_studies.zheng2004 import trials
from termsift_studies.zheng2004.statements import SAMPLES, ZhengOutcomes, category_confusion

TIMES = (1, 5)  # documents outside the category for each one inside
SIZES = (50, 200, 1000)


def sample_rows(apte: Fold, number: int, scope: trials.Scope) -> list[Row]:
    """Return the rows of CHI on samples of the training set, if the category is large enough."""
    fold, labels = trials.category_problem(apte, number)
    if not scope.deep or fold.train.counts.class_sizes[1] < trials.FEWEST:
        return []
    return [labels | row for row in sampled_rows(fold, scope)]


def sampled_rows(fold: Fold, scope: trials.Scope) -> Iterator[Row]:
    """Yield the rows of each sample, classifier and size."""
    inside = np.flatnonzero(fold.train.truth[:, 1])
    # larger samples contain the smaller ones: both take the first documents of one order
    orders = {"lot": draw_outside(fold), "zone": nearest_outside(fold)}
    for times in TIMES:
        for name, outside in orders.items():
            training = np.sort(np.concatenate([inside, outside[: times * len(inside)]]))
            sampled_fold = replace(fold, train=fold.train.take(training))
            for row in chi_rows(sampled_fold, scope):
                yield row | {"scenario": f"{name} {times}"}


def chi_rows(fold: Fold, scope: trials.Scope) -> Iterator[Row]:
    """Yield the rows of CHI, that is CC with its sign ignored."""
    values = scope.values(fold, "cc")
    strongest = rank_terms(np.abs(values), fold.train.counts.term_df, np.arange(len(values)), max(SIZES))
    path = SelectionPath.from_ranking(strongest, np.array(SIZES))
    for classifier in scope.classifiers:
        confusion = trials.break_even_decisions(scope.margins(classifier, fold, path), fold.truth, "shared")
        labels: Row = {"classifier": classifier, "metric": "cc", "ties": "shared"}
        for step, size in enumerate(SIZES):
            yield trials.count_row(confusion, step, labels | {"size": size})


def draw_outside(fold: Fold) -> Array:
    """Return the documents outside the category in random order."""
    return np.random.default_rng(trials.SEED).permutation(np.flatnonzero(~fold.train.truth[:, 1]))


def nearest_outside(fold: Fold) -> Array:
    """Return the documents outside the category by similarity to the mean of the documents inside.

    Similarity is the product of tf-idf rows of unit length.

    Likeness is the product of tf-idf rows of unit length.
    """
    rows = csr_array(normalize(fold.train_and_test_tfidf[0].tocsr()))
    inside = fold.train.truth[:, 1]
    likeness = rows @ np.asarray(rows[inside].mean(axis=0)).ravel()
    outside = np.flatnonzero(~inside)
    return np.asarray(outside[np.argsort(-likeness[outside], kind="stable")])


SEARCHED = "iCC'"
METHODS = ("CHI", "CC", *SAMPLES.values(), SEARCHED, "iCC cv", "iCC")


def tabulate_imbalance(rows: list[Row], outcomes: ZhengOutcomes) -> Iterator[Line]:
    """Tabulate the averages of every remedy for imbalance with CC, a row per classifier, size and method.

    p : of the two-sided test of Wilcoxon over the categories against the ratio searched on the training part
    """
    decided = curve_decisions(rows)
    shares = category_sizes(rows, outcomes.categories)
    for classifier, size in decided:
        searched = outcomes.confusions.get((classifier, SEARCHED, size, "shared"))
        if searched is None:
            continue
        methods = {m: outcomes.confusions.get((classifier, m, size, "shared")) for m in METHODS}
        ratios = outcomes.ratio[classifier, SEARCHED, size, "shared"]
        curves = [decided[classifier, size][c] for c in outcomes.categories]
        methods["ratio by size"] = confusion_at(curves, predict_ratios(shares, ratios), outcomes.categories)
        methods["one ratio"] = confusion_at(curves, mean_ratio_of_others(ratios), outcomes.categories)
        for method, confusion in methods.items():
            if confusion is not None:
                averages = {name: round(float(getattr(confusion, name).f1), 4) for name in ("micro", "macro")}
                p = 1.0 if method == SEARCHED else wilcoxon(confusion.f1, searched.f1).p_value
                labels = {"classifier": classifier, "size": size, "method": method}
                yield labels | averages | {"p": float(f"{p:.2g}")}


def predict_ratios(shares: Array, ratios: Array) -> Array:
    """Predict the ratio of each category by a regression of the other ratios on log size.

    The ratio of the category itself is never used.

    A category's own ratio is never looked at: the others' were searched, its own follows.
    """
    x, predicted = np.log(shares), np.empty(len(ratios))
    for i in range(len(ratios)):
        is_other = np.arange(len(ratios)) != i
        # leave-one-out: the line is fitted without the category it predicts
        slope, level = np.polyfit(x[is_other], ratios[is_other], 1)
        predicted[i] = level + slope * x[i]
    return np.clip(predicted, 0, 1)


def mean_ratio_of_others(ratios: Array) -> Array:
    """Return the mean ratio of all other categories, (categories,)."""
    return np.asarray((ratios.sum() - ratios) / max(len(ratios) - 1, 1))


def confusion_at(curves: list[Array], ratios: Array, categories: list[int]) -> Confusion:
    """Return the decisions at the nearest tried ratio."""
    steps = [round(ratio * (len(curve) - 1)) for ratio, curve in zip(ratios.tolist(), curves, strict=True)]
    return category_confusion([c[s].tolist() for c, s in zip(curves, steps, strict=True)], categories)


def curve_decisions(rows: list[Row]) -> dict[tuple[str, str], dict[int, Array]]:
    """Return tp, fp and fn of CC at every ratio, (ratios, 3), by classifier, size and category."""
    by_key: dict[tuple[str, str], dict[int, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["scenario"] == "curve":
            counts = [float(row[name]) for name in ("tp", "fp", "fn")]
            by_key[row["classifier"], row["size"]][int(row["category"])].append(counts)
    return {key: {c: np.array(curve) for c, curve in curves.items()} for key, curves in by_key.items()}


def category_sizes(rows: list[Row], categories: list[int]) -> Array:
    """Return the percentage of training documents in each category, (categories,)."""
    percent = {int(row["category"]): float(row["value"]) for row in rows if row["scenario"] == "percent"}
    return np.array([percent.get(c, 1.0) for c in categories])
