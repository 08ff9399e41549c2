"""Counts of what is in memory: texts, or a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from termsift.counts import Counts
from termsift.engines.memory.matrix import count_matrix, is_matrix
from termsift.engines.memory.texts import count_texts


def count_memory(
    data: Any,
    labels: Any,
    *,
    terms: Iterable[str] | None = None,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Counts:
    """Counts of texts, or of a matrix of documents x terms, with their labels."""
    if is_matrix(data):
        return count_matrix(data, labels, terms=terms, sample_weight=sample_weight)
    return count_texts(data, labels, analyzer=analyzer, sample_weight=sample_weight, n_jobs=n_jobs)
