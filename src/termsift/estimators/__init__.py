"""What scikit-learn sees."""

from termsift.estimators.agglomerative import Agglomerative
from termsift.estimators.class_weights import ClassWeightExtractor
from termsift.estimators.cluster_extractor import WordClusterExtractor
from termsift.estimators.discrimination import GreedyDiscriminationSelector
from termsift.estimators.positive_negative import PositiveNegativeSelector
from termsift.estimators.score_function import ScoreFunction
from termsift.estimators.selector import TermSelector
from termsift.estimators.vectorizer import TermVectorizer
from termsift.estimators.weighter import TermWeighter
from termsift.estimators.word_clusters import Divisive

__all__ = [
    "Agglomerative",
    "ClassWeightExtractor",
    "Divisive",
    "GreedyDiscriminationSelector",
    "PositiveNegativeSelector",
    "ScoreFunction",
    "TermSelector",
    "TermVectorizer",
    "TermWeighter",
    "WordClusterExtractor",
]
