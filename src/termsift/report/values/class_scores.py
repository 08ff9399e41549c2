"""The scores of some classes by a metric, a block of terms at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.contingency import blocks
from termsift.counts import Counts
from termsift.metrics import metrics
from termsift.scoring import check, of_block

# with scores of each class, of every family, and known from the literature
OFFERED = (
    "bns", "ig", "chi2", "cc", "or", "odds", "acc2", "f1", "pow", "mi", "hypergeometric", "log_odds_prior",
    "md", "c_tf_idf",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A metric as the page offers it; `drawn`: whether it has an isocline."""

    name: str
    formula: str
    source: str
    sided: int
    drawn: bool


def metric_facts(name: str) -> MetricFacts:
    """The facts of a metric of the catalogue."""
    line = metrics().named(name)
    return MetricFacts(line.name, line.formula, line.source, line.sided, line.follows_from_cells)


def class_scores(counts: Counts, columns: list[int], name: str) -> Array:
    """(terms, columns): the metric's scores of some classes; one score a term stands for each of them."""
    line = metrics().named(name)
    check(counts, line, {})
    # cells of a class do not depend on the others, so the others need not be laid out
    seen, kept = (narrowed(counts, columns), slice(None)) if line.of_cells else (counts, columns)
    parts = []
    for block in blocks(seen):
        values = of_block(block, line, {})
        wide = np.broadcast_to(values[:, None], (len(values), len(columns))) if values.ndim == 1 else values
        parts.append(wide[:, kept] if values.ndim == 2 else wide)
    return np.concatenate(parts) if parts else np.zeros((0, len(columns)))


def narrowed(counts: Counts, columns: list[int]) -> Counts:
    """The counts of some of the classes against all documents."""
    parts = (counts.df[:, columns], counts.tf[:, columns], counts.tf2[:, columns])
    totals = (counts.term_df, counts.term_tf, counts.term_tf2)
    classes = tuple(counts.classes[c] for c in columns)
    sizes = counts.class_sizes[columns]
    return Counts(counts.terms, classes, counts.documents, sizes, *parts, *totals, counts.analyzer)
