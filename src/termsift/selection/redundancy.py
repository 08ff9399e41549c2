"""What terms say of the class, alone and two together: mutual informations of presence, exact, in nats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import best
from termsift._internal.resources import check_capacity
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.selection.methods import Method
from termsift.selection.policies import RedundancyAware, limit_k
from termsift.selection.selection import Selection


@dataclass(frozen=True, eq=False)
class Candidates:
    """Terms of which some are to be chosen, by the documents that hold them.

    rows : (documents, candidates) which document holds which term; all that is stored counts
    target : (documents,) the place of each document's class
    weights : (documents,) what each counts for, or empty where all count alike

    The table of all pairs, candidates x candidates x classes, is never held: a choice reads the line of each
    term it takes.
    """

    rows: csr_array[Any]
    target: Array
    weights: Array

    @cached_property
    def columns(self) -> csc_array[Any]:
        """The rows by column: which documents hold a term."""
        return csc_array(self.rows)

    @cached_property
    def sizes(self) -> Array:
        """(classes,) the documents of each class."""
        return np.bincount(self.target, self.weights if self.weights.size else None)

    @cached_property
    def df(self) -> Array:
        """(classes, candidates) the documents of each class that hold a term."""
        every = np.arange(self.rows.shape[0])
        return self._by_class(np.repeat(every, np.diff(self.rows.indptr)), self.rows.indices)

    @cached_property
    def relevance(self) -> Array:
        """(candidates,) what a term says of the class: I(X; C)."""
        return self._information((self.df, self.sizes[:, None] - self.df), self.sizes)

    def joint(self, j: int) -> Array:
        """(candidates,) what a term and the j-th say of the class together: I(X, Xj; C)."""
        both, other = self.together(j), self.df[:, [j]]
        neither = self.sizes[:, None] - self.df - other + both
        return self._information((both, self.df - both, other - both, neither), self.sizes)

    def shared(self, j: int) -> Array:
        """(candidates,) what a term says of the j-th: I(X; Xj)."""
        both, df = self.together(j).sum(axis=0), self.df.sum(axis=0)
        sizes = np.array([df[j], self.sizes.sum() - df[j]])
        held = np.stack([both, df - both])
        return self._information((held, sizes[:, None] - held), sizes)

    def together(self, j: int) -> Array:
        """(classes, candidates) the documents that hold a term and the j-th: a line of a sparse product."""
        holding = self.columns.indices[self.columns.indptr[j] : self.columns.indptr[j + 1]]
        rows = self.rows[holding]
        return self._by_class(np.repeat(holding, np.diff(rows.indptr)), rows.indices)

    def _by_class(self, documents: Array, terms: Array) -> Array:
        """(classes, candidates) the sums of documents that hold terms."""
        shape = len(self.sizes), self.rows.shape[1]
        weights = self.weights[documents] if self.weights.size else None
        place = self.target[documents] * shape[1] + terms
        return np.bincount(place, weights, minlength=shape[0] * shape[1]).reshape(shape)

    def _information(self, cells: Sequence[Array], sizes: Array) -> Array:
        """(candidates,) I(cell; class), of cells (classes, candidates) that part the documents."""
        f, whole = self._x_log_x, sizes.sum()
        parts = np.sum([f(cell).sum(axis=0) - f(cell.sum(axis=0)) for cell in cells], axis=0)
        return np.asarray(np.maximum(parts - f(sizes).sum() + f(whole), 0) / whole)

    @cached_property
    def _x_log_x(self) -> Callable[[Array], Array]:
        """Of counts n the n log n: looked up where they are whole, which is faster than a logarithm."""
        if self.weights.size:
            # differences of sums of weights may lie below 0 by rounding
            return lambda n: xlogy(np.maximum(n, 0), np.maximum(n, 1e-300))
        whole = np.arange(self.rows.shape[0] + 1, dtype=np.float64)
        return xlogy(whole, whole).take


TIE = 1e-12  # nats: what rounding adds up to stays below it
# bytes of memory per candidate and class, and per entry of the candidates' rows, as measured
CELL, ENTRY = 70, 40


def mrmr(terms: Candidates, taken: int, before: Array, step: int) -> Array:
    """I(X; C) less the mean of I(X; Xj) over the terms taken."""
    return before + (terms.relevance - terms.shared(taken) - before) / step


def jmi(terms: Candidates, taken: int, before: Array, step: int) -> Array:
    """The mean of I(X, Xj; C) over the terms taken; it ranks as their sum does."""
    return before + (terms.joint(taken) - before) / step


def cmim(terms: Candidates, taken: int, before: Array, step: int) -> Array:
    """The least I(X; C | Xj) of the terms taken."""
    added: Array = terms.joint(taken) - terms.relevance[taken]
    return added if step == 1 else np.minimum(before, added)


# from the values beside step - 1 terms, and the one taken last, to the values beside all of them
CRITERIA: dict[str, Callable[[Candidates, int, Array, int], Array]] = {"mrmr": mrmr, "jmi": jmi, "cmim": cmim}


def select_non_redundant(
    documents: Documents, method: Method, for_class: object = None
) -> tuple[Selection, Array]:
    """The terms that a method of the policy RedundancyAware chooses, and what each was worth when taken.

    Candidates are the best terms by the metric. Where more are asked for, the others follow in its order,
    without a value.
    """
    policy = method.policy
    if not isinstance(policy, RedundancyAware):
        raise InvalidInputError(f"{policy!r} needs no documents; choose by counts")
    method.check(single=documents.is_single or for_class is not None)
    scores = method.scores(documents.counts, for_class)
    k = limit_k(policy.k, len(scores))
    order = best(scores.values, scores.counts.term_df, scores.terms, max(k, policy.pool))
    target = documents.target
    if for_class is not None:
        target = documents.truth[:, documents.counts.class_index(for_class)].astype(np.intp)
    pool = order[: policy.pool]
    found, values = greedy_choice(candidates_of(documents, pool, target), policy.criterion, min(k, len(pool)))
    chosen = np.concatenate([pool[found], order[policy.pool : k]])
    return Selection.of(chosen, scores, policy), values


def candidates_of(documents: Documents, pool: Array, target: Array) -> Candidates:
    """The terms of a pool as the documents hold them; an error where there is no memory for their pairs."""
    rows = documents.rows[:, pool]
    rows.eliminate_zeros()
    classes = int(target.max(initial=0)) + 1
    check_capacity(
        CELL * classes * len(pool) + ENTRY * rows.nnz,
        f"to choose among {len(pool):,} terms of {classes:,} classes",
        "Take a smaller pool",
    )
    return Candidates(rows, target, documents.weights)


def greedy_choice(terms: Candidates, criterion: str, k: int) -> tuple[Array, Array]:
    """The first k candidates, each of the largest value beside those taken before it, and these values.

    The first is the one that says most of the class. Of those that tie, the first in order is taken.
    """
    beside = CRITERIA[criterion]
    values, left = terms.relevance, np.ones(terms.rows.shape[1], dtype=bool)
    order, reached = np.zeros(k, dtype=np.intp), np.zeros(k)
    for step in range(k):
        if step:
            values = beside(terms, int(order[step - 1]), values, step)
        standing = np.where(left, values, -np.inf)
        taken = int(np.argmax(standing >= standing.max() - TIE))
        order[step], reached[step], left[taken] = taken, values[taken], False
    return order, reached
