"""Corpora as Hypothesis makes them: empty, of one class, with ties, non-ASCII terms, several labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import termsift as ts

# a test that every metric passes draws a third of the examples for each: there are dozens
PER_METRIC = settings(max_examples=settings.default.max_examples // 3)
WORDS = ("a", "b", "ß", "\u00e9", "e\u0301", "中文", "🙂", "\x00", "a b", "Ω")


@dataclass(frozen=True)
class Sample:
    """Documents as lists of tokens, their label lists, and their weights if any."""

    documents: list[list[str]]
    labels: list[list[Any]]
    weights: list[float] | None

    @property
    def bags(self) -> list[dict[str, int]]:
        return [Counter(document) for document in self.documents]

    def counts(self, part: slice = slice(None)) -> ts.Counts:
        """Counts by the engine of texts; tokens are joined by a tab, which no word holds."""
        texts = ["\t".join(document) for document in self.documents[part]]
        weights = None if self.weights is None else np.array(self.weights[part])
        return ts.count(texts, self.labels[part], analyzer=tokens, sample_weight=weights)


def tokens(text: str) -> list[str]:
    """What was joined by tabs."""
    return [token for token in text.split("\t") if token]


@st.composite
def samples(draw: st.DrawFn, *, several_labels: bool = True, weighted: bool = True, least: int = 0) -> Sample:
    """Up to 9 documents over few words and classes, so that ties and empty cells are common."""
    names = draw(st.sampled_from([("x", "y", "z"), (1, 2, 3), (True, False), (0.5, 2.0), ("ä",)]))
    documents = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=least, max_size=9))
    most = 2 if several_labels else 1
    one = st.lists(st.sampled_from(names), min_size=0 if several_labels else 1, max_size=most)
    labels = [draw(one) for _ in documents]
    # dyadic weights add without rounding, so that sums in any order are equal
    heavy = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0])
    weights = draw(st.none() | st.just([draw(heavy) for _ in documents])) if weighted else None
    return Sample(documents, labels, weights)
