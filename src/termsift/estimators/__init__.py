"""Estimators for scikit-learn: vectorizer, selectors, extractors."""

from __future__ import annotations

from termsift.estimators.extractors import (
    ClassWeightExtractor,
    TermWeighter,
    WordClusterExtractor,
    class_shares,
)
from termsift.estimators.selectors import (
    GreedyDiscriminationSelector,
    PositiveNegativeSelector,
    RedundancyAwareSelector,
    ScoreFunction,
    TermSelector,
)
from termsift.estimators.vectorizer import (
    TermVectorizer,
    concatenate_inputs,
    concatenate_train_test,
    filter_by_df,
    parse_vectorizer,
    validate_count_rows,
    vectorize_texts,
    with_int32_indices,
)

__all__ = [
    "ClassWeightExtractor",
    "GreedyDiscriminationSelector",
    "PositiveNegativeSelector",
    "RedundancyAwareSelector",
    "ScoreFunction",
    "TermSelector",
    "TermVectorizer",
    "TermWeighter",
    "WordClusterExtractor",
    "class_shares",
    "concatenate_inputs",
    "concatenate_train_test",
    "filter_by_df",
    "parse_vectorizer",
    "validate_count_rows",
    "vectorize_texts",
    "with_int32_indices",
]
