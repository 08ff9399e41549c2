"""What scikit-learn sees."""

from __future__ import annotations

from termsift.estimators.documents import (
    validate_count_rows,
    concatenate_inputs,
    filter_by_df,
    with_int32_indices,
    vectorize_texts,
    concatenate_train_test,
)
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
from termsift.estimators.vectorizer import TermVectorizer

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
    "validate_count_rows",
    "concatenate_inputs",
    "filter_by_df",
    "with_int32_indices",
    "vectorize_texts",
    "concatenate_train_test",
]
