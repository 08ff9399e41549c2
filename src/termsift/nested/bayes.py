"""Multinomial naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.nested.paths import SelectionPath


@dataclass(frozen=True, slots=True, eq=False)
class BayesPath:
    """Classes that compete, fitted for every step of a path; a class against the rest is two of them.

    counts : (terms, classes) occurrences of each term in the documents of each class
    priors : (classes,) the share of documents in each class
    smoothing : what is added to every count: 1 is Laplace's
    room : for how many terms it is added; for the chosen ones where it is None
    """

    path: SelectionPath
    counts: Array
    priors: Array
    smoothing: float = 1.0
    room: int | None = None

    def log_posteriors(self, rows: Any) -> Array:
        """(documents, steps, classes): the logarithms of prior times likelihood; -inf for an empty class.

        The terms of a step are its whole vocabulary, but for the room that is left for others.
        """
        step, positive = self.path.borders(len(self.counts))
        sums, lengths = self.sums(rows, np.log(self.counts + self.smoothing), step, positive)
        room = self.smoothing * (self.path.totals if self.room is None else self.room)
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        for c, counts in enumerate(self.counts.T):
            text = np.log(self.totals(counts, step, positive) + room)
            sums[:, :, c] = log_priors[c] + sums[:, :, c] - lengths * text
        return sums

    def log_odds_among_all(self, rows: Any) -> Array:
        """(documents, steps): the log odds of the first of two classes, the vocabulary being all terms.

        The share of a term in the text of a class is then the same at every step.
        """
        step, positive = self.path.borders(len(self.counts))
        odds = np.subtract(*(self.log_shares(counts) for counts in self.counts.T))
        sums, _ = self.sums(rows, odds[:, None], step, positive)
        margins: Array = np.log(self.priors[0] / self.priors[1]) + sums[:, :, 0]
        return margins

    def sums(self, rows: Any, logs: Array, step: Array, positive: Array) -> tuple[Array, Array]:
        """(documents, steps, classes) sums of counts times logs, and (documents, steps) of counts."""
        from termsift.nested._path_kernel import path_sums

        sums, lengths = path_sums(
            rows.indptr, rows.indices, rows.data, step, positive, logs, len(self.path.sizes)
        )
        return sums, lengths

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
