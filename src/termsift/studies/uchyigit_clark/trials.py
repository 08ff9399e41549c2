"""One split of the posts: a naive Bayes classifier for each group, method and number of words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.counting import count
from termsift.counts import Counts
from termsift.nested.bayes import BayesPath
from termsift.nested.paths import Path
from termsift.ranking import best
from termsift.scoring import score
from termsift.studies.uchyigit_clark.problems import Posts, UchyigitReading, posts

Row: TypeAlias = dict[str, object]
COLUMNS = ("reading", "split", "group", "metric", "size", "tp", "fp", "fn")
SIZES = np.arange(10, 1001, 10)
# the paper's ten, and its own in two readings: z of proportions, as its text says, and of counts, as printed
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "CHI": ("chi2", {}),
    "NGL": ("cc", {}),
    "GSS": ("gss", {}),
    "MI": ("mi", {}),
    "IG": ("ig", {}),
    "OR": ("or", {}),
    "WF": ("tf", {}),
    "Fisher": ("fisher", {}),
    "BSS/WSS": ("bss_wss", {}),
    "GU proportions": ("gu", {}),
    "GU counts": ("gu", {"printed": True}),
}


def rows_of_split(
    name: str, reading: UchyigitReading, number: int, data_dir: DataDir, groups: Collection[str] | None = None
) -> list[Row]:
    """The rows of a split: decisions for each group, method and size."""
    found = posts(reading.words, data_dir)
    chosen = [i for i, group in enumerate(found.groups) if groups is None or group in groups]
    trial = SplitTrial.of(found, reading, number, chosen)
    common = {"reading": name, "split": number}
    return [
        common | {"group": found.groups[i], "metric": method, "size": size, "tp": tp, "fp": fp, "fn": fn}
        for c, i in enumerate(chosen)
        for method in METHODS
        for size, (tp, fp, fn) in zip(SIZES.tolist(), trial.decisions(c, method).tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SplitTrial:
    """Posts to judge, and the counts of those to learn from: all methods start from them.

    truth : (groups, posts to judge); scores : for each method (words, groups)
    """

    reading: UchyigitReading
    counts: Counts
    scores: dict[str, Array]
    rows: csr_array[Any]
    truth: Array

    @classmethod
    def of(cls, found: Posts, reading: UchyigitReading, number: int, groups: list[int]) -> SplitTrial:
        """A split, of the words that are in enough of the posts to learn from."""
        learned, judged = found.split(number)
        rows = found.rows[learned]
        words = np.flatnonzero((rows > 0).sum(axis=0) >= reading.fewest)
        truth = found.truth[groups]
        counts = count(rows[:, words], truth[:, learned].T)
        scores = {name: np.asarray(score(counts, metric, **o)) for name, (metric, o) in METHODS.items()}
        return cls(reading, counts, scores, found.rows[judged][:, words], truth[:, judged])

    def order(self, group: int, method: str) -> Array:
        """The best words for a group, the best first: as many as the largest size."""
        df = self.counts.term_df if self.reading.by_frequency else np.zeros_like(self.counts.term_df)
        return best(self.scores[method][:, group], df, np.arange(len(df)), int(SIZES[-1]))

    def decisions(self, group: int, method: str) -> Array:
        """(sizes, 3): true positives, false positives and false negatives."""
        accepted, truth = self.margins(group, method) > 0, self.truth[group][:, None]
        parts = (accepted & truth, accepted & ~truth, ~accepted & truth)
        return np.stack([part.sum(axis=0) for part in parts], axis=1)

    def margins(self, group: int, method: str) -> Array:
        """(posts, sizes): above 0 where a post is taken for one of the group."""
        order = self.order(group, method)
        path = Path(len(order), order, order[:0], SIZES)
        inside = self.counts.tf[:, [group]].toarray().ravel()
        prior = float(self.counts.class_sizes[group] / self.counts.documents)
        bayes = BayesPath(path, inside, self.counts.term_tf - inside, prior)
        if self.reading.all_words:
            return bayes.log_odds_among_all(self.rows)
        for_group, for_rest = bayes.log_posteriors(self.rows)
        return for_group - for_rest
