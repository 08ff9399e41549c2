"""Multinomial naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.nested._kernel import path_sums
from termsift.nested.paths import Path


@dataclass(frozen=True, slots=True, eq=False)
class BayesPath:
    """A class against the rest, fitted for every step of a path.

    inside, outside : (terms,) occurrences of each term in documents of the class, and in the others
    prior : the share of documents in the class
    smoothing : what is added to every count: 1 is Laplace's
    """

    path: Path
    inside: Array
    outside: Array
    prior: float
    smoothing: float = 1.0

    def log_posteriors(self, rows: Any) -> tuple[Array, Array]:
        """(documents, steps): the logarithms of prior times likelihood, for the class and for the rest.

        The terms of a step are its whole vocabulary.
        """
        step, positive = self.path.borders(len(self.inside))
        logs = (np.log(self.inside + self.smoothing), np.log(self.outside + self.smoothing))
        sums = path_sums(rows.indptr, rows.indices, rows.data, step, positive, *logs, len(self.path.sizes))
        room = self.smoothing * self.path.totals
        for_class, for_rest = (
            np.log(share) + sums[:, :, i] - sums[:, :, 2] * np.log(self.totals(counts, step, positive) + room)
            for i, (share, counts) in enumerate([(self.prior, self.inside), (1 - self.prior, self.outside)])
        )
        return for_class, for_rest

    def log_odds_among_all(self, rows: Any) -> Array:
        """(documents, steps): the log odds of the class, where the vocabulary is all terms, chosen or not.

        The share of a term in the text of a class is then the same at every step.
        """
        step, positive = self.path.borders(len(self.inside))
        odds = self.log_shares(self.inside) - self.log_shares(self.outside)
        unused = np.zeros_like(odds)
        sums = path_sums(
            rows.indptr, rows.indices, rows.data, step, positive, odds, unused, len(self.path.sizes)
        )
        margins: Array = np.log(self.prior / (1 - self.prior)) + sums[:, :, 0]
        return margins

    def log_shares(self, counts: Array) -> Array:
        """(terms,): the logarithm of each term's share of a text."""
        shares: Array = np.log(counts + self.smoothing) - np.log(counts.sum() + self.smoothing * len(counts))
        return shares

    def totals(self, counts: Array, step: Array, positive: Array) -> Array:
        """(steps,): the sum of the counts of the chosen terms."""
        n, known = len(self.path.sizes), step >= 0
        up, down = known & positive, known & ~positive
        entered = np.bincount(step[up], counts[up], n).cumsum()
        left = np.bincount(step[down], counts[down], n)[::-1].cumsum()[::-1]
        total: Array = entered + left
        return total
