"""What scikit-learn sees."""

from termsift.estimators.score_function import ScoreFunction
from termsift.estimators.selector import TermSelector
from termsift.estimators.vectorizer import TermVectorizer
from termsift.estimators.weighter import TermWeighter

__all__ = ["ScoreFunction", "TermSelector", "TermVectorizer", "TermWeighter"]
