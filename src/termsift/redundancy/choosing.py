"""The choice: one term after the other, each the best beside those taken, by one of three criteria.

mrmr   what a term says of the class, less what it says of the terms taken: Peng, Long and Ding (2005),
       the difference of mutual informations
jmi    what it and a term taken say of the class together: Yang and Moody (1999)
cmim   what it adds to the term taken that leaves it least to add: Fleuret (2004)

Brown, Pocock, Zhao and Lujan (2012) derive all three from one likelihood.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.machine.capacity import check_capacity
from termsift.methods import Method
from termsift.policies import RedundancyAware, within
from termsift.ranking import best
from termsift.redundancy.pairs import Candidates
from termsift.selection import Selection

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


def redundancy_choice(
    documents: Documents, method: Method, for_class: object = None
) -> tuple[Selection, Array]:
    """The terms that a method of the policy RedundancyAware chooses, and what each was worth when taken.

    Candidates are the best terms by the metric. Where more are asked for, the others follow in its order,
    without a value.
    """
    policy = method.policy
    if not isinstance(policy, RedundancyAware):
        raise InvalidInput(f"{policy!r} needs no documents; choose by counts")
    method.check(single=documents.is_single or for_class is not None)
    scores = method.scores(documents.counts, for_class)
    k = within(policy.k, len(scores))
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
