"""What scikit-learn sees."""

from termsift.estimators.class_weights import ClassWeightExtractor
from termsift.estimators.cluster_extractor import WordClusterExtractor
from termsift.estimators.greedy_selector import GreedyDiscriminationSelector
from termsift.estimators.positive_negative import PositiveNegativeSelector
from termsift.estimators.redundancy_selector import RedundancyAwareSelector
from termsift.estimators.selector import ScoreFunction, TermSelector
from termsift.estimators.vectorizer import TermVectorizer
from termsift.estimators.weighter import TermWeighter

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
]
