"""Difference: what two corpora say more than each other, as tables, sentences and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.report import report_html
from termsift.scores import Scores
from termsift.tables import Table, text_table

COLUMNS = ("effect", "low", "high", "score", "p", "q")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference:
    """Terms used more in one corpus than in the other: scores with each corpus as a class.

    scores : (terms, 2) the scores of the metric for each corpus
    names : names of the new corpus and the old one
    of_words : whether one of them is a word list, for which only occurrences are known
    expected : number of terms expected above the floor by chance

    >>> from termsift import diff
    >>> new, old = ["win a prize now", "win now"], ["see you at lunch", "lunch now"]
    >>> diff(new, old).more().head(1)["term"]
    array(['win'], dtype=object)
    """

    scores: Scores
    names: tuple[Any, Any]
    of_words: bool = False
    expected: float = 1

    @property
    def counts(self) -> Counts:
        """The counts of both corpora, each a class."""
        return self.scores.counts

    def floor(self, name: Any) -> float | None:
        """The score from which terms of a corpus count as above chance; None if unknown."""
        if self.of_words:
            return None
        return self.scores.floor(self.expected, for_class=name, side="for")

    def more(self, n: int | None = 20, **effect: Any) -> Table:
        """The `n` best terms used more in the new corpus than in the old one; all if n is None.

        new, old : documents that contain the term, or its occurrences if the metric counts those
        effect, low, high : as in `Scores.table`; above 0 for terms used more
        keep_parts : False to show only the longest of n-grams that occur in nearly the same documents
        above_chance : whether the score reaches the floor; None if there is no floor
        """
        return self.table_of(self.names[0], n, effect)

    def less(self, n: int | None = 20, **effect: Any) -> Table:
        """The `n` best terms used more in the old corpus than in the new one."""
        return self.table_of(self.names[1], n, effect)

    def table(self, n: int | None = None, **effect: Any) -> Table:
        """Both tables, one below the other, with a column for the corpus that uses the term more."""
        parts = [(name, self.table_of(name, n, effect)) for name in self.names]
        sides = np.concatenate([np.full(len(part), name, dtype=object) for name, part in parts])
        columns = {key: np.concatenate([part[key] for _, part in parts]) for key in parts[0][1].columns}
        return Table({"more_in": sides} | columns)

    def table_of(self, name: Any, n: int | None, effect: Mapping[str, Any]) -> Table:
        """The terms used more in one corpus than in the other, best first."""
        size = len(self.counts.terms) if n is None else n
        found = self.scores.top(name, size, side="for", **effect)
        rest = {key: found[key] for key in COLUMNS if key in found.columns}
        new, old = self.seen(found["term"])
        floor = self.floor(name)
        above = np.full(len(found), None) if floor is None else (found["score"] >= floor).astype(object)
        return Table({"term": found["term"], "new": new, "old": old, **rest, "above_chance": above})

    def seen(self, terms: Array) -> tuple[Array, Array]:
        """The number of documents in each corpus that contain the terms, or the number of occurrences."""
        place = {term: row for row, term in enumerate(self.counts.terms)}
        sums = self.counts.tf if self.scores.of == "tf" else self.counts.df
        rows = sums[[place[term] for term in terms]].toarray()
        new, old = (rows[:, self.counts.class_index(name)] for name in self.names)
        return new, old

    @property
    def sentences(self) -> list[str]:
        """What was compared, and how many terms are above chance."""
        new, old = map(self.size_of, self.names)
        head = f"{new} against {old}, by {self.scores.metric}."
        return [head, *(self.sentence_of(name) for name in self.names)]

    def size_of(self, name: Any) -> str:
        """A corpus with its size."""
        c = self.counts.class_index(name)
        if self.scores.of == "tf":
            return f"{name} ({self.counts.tf[:, [c]].sum():,} occurrences)"
        return f"{name} ({self.counts.class_sizes[c]:,} documents)"

    def sentence_of(self, name: Any) -> str:
        """How many terms of a corpus are above chance."""
        floor = self.floor(name)
        if floor is None:
            return f"More in {name}; where chance begins is not known of {self.scores.metric}:"
        signs = self.scores.of_class(name).signs[:, 0]
        above = int(np.count_nonzero((signs > 0) & (self.scores.column(name) >= floor)))
        if not above:
            return f"More in {name}: nothing that is more than chance."
        terms = "1 term" if above == 1 else f"{above:,} terms"
        return f"More in {name}: {terms} above chance (score {floor:.4g}, expected false: {self.expected:g}):"

    def to_html(
        self, title: str | None = None, *, texts: Sequence[str] | None = None, labels: Any = None
    ) -> str:
        """An HTML page about the two corpora, like `ts.report`; given texts, it shows words in context."""
        if self.of_words:
            raise InvalidInput("a page shows documents, and a list of words has none; compare with texts")
        heading = f"{self.names[0]} against {self.names[1]}" if title is None else title
        options = {"texts": texts, "labels": labels, "metric": self.scores.metric, "classes": self.names}
        return report_html(self.counts, title=heading, **options)

    def __repr__(self) -> str:
        head, *sides = self.sentences
        tables = (self.more(10), self.less(10))
        return "\n\n".join([head, *(under(side, table) for side, table in zip(sides, tables, strict=True))])


def under(sentence: str, table: Table) -> str:
    """A sentence with the terms that are more than chance, or of which that is not known, under it."""
    rows = np.array([above is None or above for above in table["above_chance"]], dtype=bool)
    if not rows.any():
        return sentence
    columns = {name: column[rows] for name, column in table.columns.items() if name != "above_chance"}
    return f"{sentence}\n{text_table(Table(columns))}"
