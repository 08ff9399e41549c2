"""One plain-loop oracle for all engines: what Counts must hold, by dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import termsift as ts


def sums(
    bags: Sequence[dict[str, float]], labels: Sequence[Iterable[Any]], weights: Sequence[float] | None = None
):
    """(documents, class sizes, {(term, class): (df, tf, tf2)}, {term: (df, tf, tf2)})."""
    weights = weights if weights is not None else [1] * len(bags)
    sizes: Counter[Any] = Counter()
    cells: dict[Any, list[float]] = defaultdict(lambda: [0, 0, 0])
    totals: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0])
    for bag, names, weight in zip(bags, labels, weights, strict=True):
        for name in set(names):
            sizes[name] += weight
        for term, value in bag.items():
            if not value or not weight:
                continue
            targets = [totals[term], *(cells[term, name] for name in set(names))]
            for target in targets:
                target[0] += weight
                target[1] += weight * value
                target[2] += weight * value * value
    return sum(weights), dict(sizes), dict(cells), dict(totals)


def as_sums(counts: ts.Counts):
    """The same, read out of Counts, zeros left out."""
    cells = {}
    for i, term in enumerate(counts.terms):
        for c, name in enumerate(counts.classes):
            values = [counts.df[i, c], counts.tf[i, c], counts.tf2[i, c]]
            if any(values):
                cells[term, name] = values
    totals = zip(counts.terms, counts.term_df, counts.term_tf, counts.term_tf2, strict=True)
    sizes = dict(zip(counts.classes, counts.class_sizes.tolist(), strict=True))
    return counts.documents, sizes, cells, {term: list(rest) for term, *rest in totals if any(rest)}


def within(found, min_df, max_df):
    """Of what `sums` gives, the terms in enough documents and not in too many, as scikit-learn says it."""
    documents, sizes, cells, totals = found
    low = min_df * documents if isinstance(min_df, float) and min_df <= 1 else min_df
    high = max_df * documents if isinstance(max_df, float) and max_df <= 1 else max_df
    # weights make terms of less than one document: one is no limit
    low = 0 if min_df == 1 and isinstance(min_df, int) else low
    kept = {term: values for term, values in totals.items() if low <= values[0] <= high}
    return documents, sizes, {key: values for key, values in cells.items() if key[0] in kept}, kept
