"""Redundancy-aware selection by the mutual information of term presence and class: mrmr, jmi and cmim.

Information is exact, in nats, over all classes jointly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import rank_terms
from termsift._internal.resources import check_memory
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.selection.methods import Method
from termsift.selection.policies import RedundancyAware
from termsift.selection.policy_base import limit_k
from termsift.selection.selection import Selection


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate terms and the documents that contain them.

    rows : (documents, candidates) sparse; every stored entry counts as present
    target : (documents,) class index of each document
    weights : (documents,) sample weights, or empty if all are 1

    The table of all pairs, candidates x candidates x classes, is never stored: a selection computes one row
    of it per chosen term.
    """

    rows: csr_array[Any]
    target: Array
    weights: Array

    @cached_property
    def columns(self) -> csc_array[Any]:
        """Rows in column order: the documents that contain a term."""
        return csc_array(self.rows)

    @cached_property
    def sizes(self) -> Array:
        """Number of documents of each class."""
        return np.bincount(self.target, self.weights if self.weights.size else None)

    @cached_property
    def class_df(self) -> Array:
        """Document frequencies, (classes, candidates)."""
        documents = np.arange(self.rows.shape[0])
        return self._sum_by_class(np.repeat(documents, np.diff(self.rows.indptr)), self.rows.indices)

    @cached_property
    def relevance(self) -> Array:
        """Information of each candidate about the class: I(X; C)."""
        return self._information((self.class_df, self.sizes[:, None] - self.class_df), self.sizes)

    def joint_information(self, j: int) -> Array:
        """Return I(X, Xj; C) of each candidate X: information of X and Xj together about the class."""
        # the four cells of presence and absence of X and Xj
        pair_df, df_j = self.pair_counts(j), self.class_df[:, [j]]
        neither = self.sizes[:, None] - self.class_df - df_j + pair_df
        return self._information((pair_df, self.class_df - pair_df, df_j - pair_df, neither), self.sizes)

    def pair_information(self, j: int) -> Array:
        """Return I(X; Xj) of each candidate X: the information that X and Xj share."""
        pair_df, df = self.pair_counts(j).sum(axis=0), self.class_df.sum(axis=0)
        sizes = np.array([df[j], self.sizes.sum() - df[j]])
        df_by_presence = np.stack([pair_df, df - pair_df])
        return self._information((df_by_presence, sizes[:, None] - df_by_presence), sizes)

    def pair_counts(self, j: int) -> Array:
        """Return the number of documents of each class with both X and Xj, (classes, candidates)."""
        containing = self.columns.indices[self.columns.indptr[j] : self.columns.indptr[j + 1]]
        rows = self.rows[containing]
        return self._sum_by_class(np.repeat(containing, np.diff(rows.indptr)), rows.indices)

    def _sum_by_class(self, documents: Array, terms: Array) -> Array:
        """Sum the weights of entries, given as documents and terms, by class: (classes, candidates)."""
        shape = len(self.sizes), self.rows.shape[1]
        weights = self.weights[documents] if self.weights.size else None
        cell = self.target[documents] * shape[1] + terms
        return np.bincount(cell, weights, minlength=shape[0] * shape[1]).reshape(shape)

    def _information(self, cells: Sequence[Array], sizes: Array) -> Array:
        """Return I(cell; class) of each candidate; cells (classes, candidates) partition the documents."""
        f, total = self._x_log_x, sizes.sum()
        entropies = np.sum([f(cell).sum(axis=0) - f(cell.sum(axis=0)) for cell in cells], axis=0)
        return np.asarray(np.maximum(entropies - f(sizes).sum() + f(total), 0) / total)

    @cached_property
    def _x_log_x(self) -> Callable[[Array], Array]:
        """Function n log n; for integer counts a table, which is faster than a logarithm."""
        if self.weights.size:
            # rounding may make differences of sums of weights negative
            return lambda n: xlogy(np.maximum(n, 0), np.maximum(n, 1e-300))
        integers = np.arange(self.rows.shape[0] + 1, dtype=np.float64)
        return xlogy(integers, integers).take


TIE = 1e-12  # nats; larger than the accumulated rounding errors
# measured memory per candidate and class, and per entry of the candidates' rows
BYTES_PER_CELL, BYTES_PER_ENTRY = 70, 40


def mrmr(terms: Candidates, chosen: int, values: Array, step: int) -> Array:
    """Return I(X; C) minus the mean of I(X; Xj) over the chosen terms."""
    return values + (terms.relevance - terms.pair_information(chosen) - values) / step


def jmi(terms: Candidates, chosen: int, values: Array, step: int) -> Array:
    """Return the mean of I(X, Xj; C) over the chosen terms; it ranks like their sum."""
    return values + (terms.joint_information(chosen) - values) / step


def cmim(terms: Candidates, chosen: int, values: Array, step: int) -> Array:
    """Return the smallest I(X; C | Xj) over the chosen terms."""
    added: Array = terms.joint_information(chosen) - terms.relevance[chosen]
    return added if step == 1 else np.minimum(values, added)


# (candidates, last chosen term, values given the terms before it, number of chosen terms) -> new values
CRITERIA: dict[str, Callable[[Candidates, int, Array, int], Array]] = {"mrmr": mrmr, "jmi": jmi, "cmim": cmim}


def select_non_redundant(
    documents: Documents, method: Method, for_class: object = None
) -> tuple[Selection, Array]:
    """Select terms by a method with the policy RedundancyAware; return the value of each when it was chosen.

    Candidates are the best terms by the metric. If k is larger than the pool, the other terms follow in the
    metric's order, without a value.
    """
    policy = method.policy
    if not isinstance(policy, RedundancyAware):
        raise InvalidInputError(f"{policy!r} does not need documents; select from counts")
    method.check(single_label=documents.labels.is_single_label or for_class is not None)
    scores = method.scores(documents.counts, for_class)
    k = limit_k(policy.k, len(scores))
    order = rank_terms(scores.values, scores.counts.term_df, scores.terms, max(k, policy.pool))
    target = documents.target
    if for_class is not None:
        target = documents.truth[:, documents.counts.class_index(for_class)].astype(np.intp)
    pool = order[: policy.pool]
    # a stored zero would count as present
    rows = documents.rows[:, pool]
    rows.eliminate_zeros()
    n_classes = int(target.max(initial=0)) + 1
    n_bytes = BYTES_PER_CELL * n_classes * len(pool) + BYTES_PER_ENTRY * rows.nnz
    purpose = f"to choose among {len(pool):,} terms of {n_classes:,} classes"
    check_memory(n_bytes, purpose, "Use a smaller pool")
    candidates = Candidates(rows, target, documents.weights)
    ranked, values = rank_candidates(candidates, policy.criterion, min(k, len(pool)))
    chosen = np.concatenate([pool[ranked], order[policy.pool : k]])
    return Selection.from_indices(chosen, scores, policy), values


def rank_candidates(candidates: Candidates, criterion: str, k: int) -> tuple[Array, Array]:
    """Return the first k candidates in greedy order, and the value of each when it was chosen.

    The first is the most informative about the class. Ties go to the first in order.
    """
    values, is_available = candidates.relevance, np.ones(candidates.rows.shape[1], dtype=bool)
    order, chosen_values = np.zeros(k, dtype=np.intp), np.zeros(k)
    for step in range(k):
        if step:
            values = CRITERIA[criterion](candidates, int(order[step - 1]), values, step)
        # values within TIE of the largest are equal; argmax returns the first of them
        available_values = np.where(is_available, values, -np.inf)
        chosen = int(np.argmax(available_values >= available_values.max() - TIE))
        order[step], chosen_values[step], is_available[chosen] = chosen, values[chosen], False
    return order, chosen_values
