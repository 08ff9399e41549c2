"""Estimators for scikit-learn: vectorizer, selectors, extractors."""

from __future__ import annotations

from termsift.estimators.extractors import ClassWeightExtractor as ClassWeightExtractor
from termsift.estimators.extractors import TermWeighter as TermWeighter
from termsift.estimators.extractors import WordClusterExtractor as WordClusterExtractor
from termsift.estimators.extractors import class_shares as class_shares
from termsift.estimators.selectors import GreedyDiscriminationSelector as GreedyDiscriminationSelector
from termsift.estimators.selectors import PositiveNegativeSelector as PositiveNegativeSelector
from termsift.estimators.selectors import RedundancyAwareSelector as RedundancyAwareSelector
from termsift.estimators.selectors import ScoreFunction as ScoreFunction
from termsift.estimators.selectors import TermSelector as TermSelector
from termsift.estimators.vectorizer import TermVectorizer as TermVectorizer
from termsift.estimators.vectorizer import clean_count_rows as clean_count_rows
from termsift.estimators.vectorizer import concatenate_inputs as concatenate_inputs
from termsift.estimators.vectorizer import concatenate_train_test as concatenate_train_test
from termsift.estimators.vectorizer import filter_by_df as filter_by_df
from termsift.estimators.vectorizer import narrow_indices as narrow_indices
from termsift.estimators.vectorizer import parse_vectorizer as parse_vectorizer
from termsift.estimators.vectorizer import vectorize_texts as vectorize_texts
