"""What scikit-learn sees."""

from __future__ import annotations

from termsift.estimators.documents import (
    count_rows,
    joined_inputs,
    limited_terms,
    narrow,
    text_rows,
    with_test,
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
    "count_rows",
    "joined_inputs",
    "limited_terms",
    "narrow",
    "text_rows",
    "with_test",
]
