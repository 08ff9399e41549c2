"""Naive Bayes with the decision rule of Zheng, Wu and Srihari (2004)."""

from __future__ import annotations

from dataclasses import dataclass

from termsift._internal.typing import Array
from termsift.evaluation.classifiers import MultinomialNaiveBayes


@dataclass(frozen=True, slots=True)
class QuotientNaiveBayes(MultinomialNaiveBayes):
    """Multinomial naive Bayes of a class against the rest.

    quotient : compare a class with the rest by the quotient of the two log posteriors, not their difference
    """

    quotient: bool = False

    def compare_posteriors(self, posteriors: Array) -> Array:
        """Return the decision values of a class against the rest."""
        for_class, for_rest = posteriors[:, :, 0], posteriors[:, :, 1]
        # both logarithms are negative, so a small quotient is evidence for the class
        return -for_class / for_rest if self.quotient else for_class - for_rest
