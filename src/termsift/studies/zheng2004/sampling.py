"""Fewer documents outside the category to learn from: what section 3 of the paper would compare itself with.

Documents outside are drawn by lot (undersampling), or those most like the category are taken: the query zone
of Singhal, Mitra and Buckley (1997).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from termsift._typing import Array
from termsift.experiment.folds import Fold
from termsift.nested.paths import SelectionPath
from termsift.ranking import best
from termsift.studies.study import Row
from termsift.studies.zheng2004.trials import (
    FEWEST,
    SEED,
    Scope,
    break_even_decisions,
    category_problem,
    counted_row,
)

TIMES = (1, 5)  # documents outside the category for each one inside
SIZES = (50, 200, 1000)


def sample_rows(apte: Fold, number: int, scope: Scope) -> list[Row]:
    """The rows of CHI on samples of the training part, of a category large enough to be studied."""
    fold, named = category_problem(apte, number)
    if not scope.deep or fold.counts.class_sizes[1] < FEWEST:
        return []
    return [named | row for row in rows_by_sample(fold, scope)]


def rows_by_sample(fold: Fold, scope: Scope) -> Iterator[Row]:
    """By sample, classifier and size."""
    inside = np.flatnonzero(fold.train.truth[:, 1])
    orders = {"lot": drawn_by_lot(fold), "zone": nearest_outside(fold)}
    for times in TIMES:
        for name, outside in orders.items():
            learned = np.sort(np.concatenate([inside, outside[: times * len(inside)]]))
            part = replace(fold, train=fold.train.take(learned))
            for row in chi_rows(part, scope):
                yield row | {"scenario": f"{name} {times}"}


def chi_rows(fold: Fold, scope: Scope) -> Iterator[Row]:
    """The rows of CHI: CC with its sign ignored."""
    values = scope.values(fold, "cc")
    strongest = best(np.abs(values), fold.counts.term_df, np.arange(len(values)), max(SIZES))
    path = SelectionPath.along(strongest, np.array(SIZES))
    for classifier in scope.classifiers:
        found = break_even_decisions(scope.margins(classifier, fold, path), fold.truth, "shared")
        named: Row = {"classifier": classifier, "metric": "cc", "ties": "shared"}
        for step, size in enumerate(SIZES):
            yield counted_row(found, step, named | {"size": size})


def drawn_by_lot(fold: Fold) -> Array:
    """The documents outside the category, in an order by lot."""
    return np.random.default_rng(SEED).permutation(np.flatnonzero(~fold.train.truth[:, 1]))


def nearest_outside(fold: Fold) -> Array:
    """The documents outside the category, those first that are most like the mean of the ones inside.

    Likeness is the product of tf-idf rows of unit length.
    """
    rows = csr_array(normalize(fold.weighted[0].tocsr()))
    inside = fold.train.truth[:, 1]
    likeness = rows @ np.asarray(rows[inside].mean(axis=0)).ravel()
    outside = np.flatnonzero(~inside)
    order: Array = outside[np.argsort(-likeness[outside], kind="stable")]
    return order
