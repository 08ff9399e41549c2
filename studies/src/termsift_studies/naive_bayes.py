"""Naive Bayes with the vocabularies and the decision rules of the papers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from termsift._internal.typing import Array
from termsift.evaluation import Fold
from termsift.evaluation.classifiers import MultinomialNaiveBayes, NaiveBayesPath, SelectionPath


class RoomyNaiveBayesPath(NaiveBayesPath):
    """Naive Bayes of the chosen terms whose smoothing leaves room for all terms."""

    __slots__ = ()

    @property
    def vocabulary_size(self) -> int:
        """Number of all terms."""
        return len(self.counts)


class AllTermsNaiveBayesPath(NaiveBayesPath):
    """Naive Bayes whose probabilities are those of all terms, chosen or not."""

    __slots__ = ()

    def log_odds(self, rows: Any) -> Array:
        """Return the log odds of the first of two classes, (documents, steps).

        The share of a term in the text of a class is the same at every step.
        """
        step, positive = self.path.borders(len(self.counts))
        # with a fixed vocabulary the log odds of a term are constants, and one prefix sum suffices
        odds = np.subtract(*self.log_shares().T)
        sums, _ = self.sums(rows, odds[:, None], step, positive)
        log_odds: Array = np.log(self.priors[0] / self.priors[1]) + sums[:, :, 0]
        return log_odds

    def log_shares(self) -> Array:
        """Return the logarithm of each term's share of the text of each class, (terms, classes)."""
        by_class = [
            np.log(counts + self.smoothing) - np.log(counts.sum() + self.smoothing * len(counts))
            for counts in self.counts.T
        ]
        return np.stack(by_class, axis=1)


@dataclass(frozen=True, slots=True)
class PaperNaiveBayes(MultinomialNaiveBayes):
    """Multinomial naive Bayes of a class against the rest, as a paper defines it.

    vocabulary : text in which the share of a term is computed: that of the "chosen" terms, of "all" terms, or
        of the chosen terms with "room" for all, so that smoothing is added for each term
    quotient : compare a class with the rest by the quotient of the two log posteriors, not their difference
    """

    vocabulary: Literal["chosen", "all", "room"] = "chosen"
    quotient: bool = False

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """Return a function from a class index to its decision values along the path, against the rest."""

        def class_decision_values(c: int) -> Array:
            inside = fold.train.tf[:, [c]].toarray().ravel()
            # the rest is counted as all occurrences minus those of the class
            counts = np.stack([inside, fold.counts.term_tf - inside], axis=1)
            share = fold.counts.class_sizes[c] / fold.counts.documents
            priors = np.array([share, 1 - share])
            if self.vocabulary == "all":
                return AllTermsNaiveBayesPath(path, counts, priors, self.smoothing).log_odds(fold.test)
            kind = RoomyNaiveBayesPath if self.vocabulary == "room" else NaiveBayesPath
            posteriors = kind(path, counts, priors, self.smoothing).log_posteriors(fold.test)
            for_class, for_rest = np.moveaxis(posteriors, 2, 0)
            # both logarithms are negative, so a small quotient is evidence for the class
            decision_values: Array = -for_class / for_rest if self.quotient else for_class - for_rest
            return decision_values

        return class_decision_values
