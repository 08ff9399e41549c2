"""The words of each class, best first, and how many of them are more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.tables import Table, text_table
from termsift._internal.typing import Array, as_terms
from termsift.metrics import Scores

# the metric whose words are best to read: docs/words.md has the evidence
FOR_READING = "ig"
RARE = 10  # a class of fewer documents is rare: hardly a word of it can be more than chance
BAR = "|"


@dataclass(frozen=True, slots=True, eq=False)
class ClassWords:
    """The best words of a class.

    scores : of all classes, or of all documents where the metric knows no classes
    name : of the class
    rows : where the words stand in the scores, best first
    above : how many of them are more than chance; None where that is not known
    """

    scores: Scores
    name: Any
    rows: Array
    above: int | None = None

    @property
    def documents(self) -> float:
        """How many documents are in the class."""
        size: float = self.scores.counts.class_sizes[self.scores.counts.class_index(self.name)]
        return size

    @property
    def terms(self) -> list[str]:
        """The words."""
        return list(self.scores.terms[self.rows])

    @property
    def table(self) -> Table:
        """All that is known of the words, as `Scores.top` has it."""
        return self.scores.table_of(self.rows, None if self.scores.values.ndim == 1 else self.name)

    @property
    def marked(self) -> list[str]:
        """The words, those that speak against the class with a mark."""
        if self.scores.values.ndim == 1:
            return self.terms
        against = self.scores.of_class(self.name).signs[self.rows, 0] < 0
        return [
            f"{term} (-)" if is_against else term
            for term, is_against in zip(self.terms, against, strict=True)
        ]

    @property
    def line(self) -> str:
        """The words in a line, a bar where chance begins."""
        marks = self.marked
        parting = ", " if any(" " in term for term in self.terms) else " "
        if self.above is None or self.above == len(marks):
            return parting.join(marks)
        parts = parting.join(marks[: self.above]), BAR, parting.join(marks[self.above :])
        return " ".join(part for part in parts if part)


def class_words(
    scores: Scores,
    classes: Sequence[Any],
    n: int = 10,
    *,
    side: str = "for",
    expected: float = 1,
    keep_parts: bool = False,
) -> list[ClassWords]:
    """The `n` best words of each class, and where chance begins in each list.

    >>> from termsift import count

    >>> from termsift import score
    >>> texts = ["win a prize", "a prize now"] * 4 + ["see you at lunch", "lunch at six now"] * 4
    >>> counts = count(texts, ["spam"] * 8 + ["ham"] * 8)
    >>> [words.line for words in class_words(score(counts, "ig"), counts.classes, 3)]
    ['at lunch see', 'prize win']
    """
    return [one_class(scores, name, n, side, expected, keep_parts) for name in classes]


def one_class(scores: Scores, name: Any, n: int, side: str, expected: float, keep_parts: bool) -> ClassWords:
    """The words of a class."""
    rows, floor = scores.best_rows(name, n, side, keep_parts), scores.floor(expected, name, side=side)
    if floor is None:
        return ClassWords(scores, name, rows)
    values, lowest = scores.column(name)[rows], side == "against" and scores.sided == 1
    return ClassWords(
        scores, name, rows, int(np.count_nonzero(values <= floor if lowest else values >= floor))
    )


def words_table(found: Sequence[ClassWords]) -> Table:
    """A row per class: its documents and its words in a line."""
    return Table(
        {
            "class": as_terms([one.name for one in found]),
            "documents": np.array([one.documents for one in found]),
            "words": as_terms([one.line for one in found]),
        }
    )


def told_words(found: Sequence[ClassWords], metric: str, expected: float = 1) -> str:
    """The words of all classes, as people read them: a row per class, what the bar means, what is rare."""
    return "\n".join([text_table(words_table(found), most=10**6), *notes(found, metric, expected)])


def notes(found: Sequence[ClassWords], metric: str, expected: float) -> list[str]:
    """What to know of the words: where chance begins, and which classes are too small to tell."""
    if any(one.above is None for one in found):
        return [f"By {metric}; {no_floor_words(found[0].scores)}."]
    all_above = all(one.above == len(one.rows) for one in found)
    where = "All of them are" if all_above else f"Before the bar {BAR}:"
    told = [f"By {metric}. {where} more than chance (expected false in each list: {expected:g})."]
    rare = [f"{one.name} ({one.documents:g})" for one in found if one.documents < RARE]
    if rare:
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        told.append(f"Rare, so that few words can be told from chance: {', '.join(rare[:5])}{more}.")
    return told


def no_floor_words(scores: Scores) -> str:
    """What is said of a list without a floor."""
    how = "of it from counts alone" if scores.within is None else "within groups"
    return f"where chance begins is not known {how}"


def ruled(table: Table, above: int | None, expected: float) -> str:
    """The table of one class as people read it, with a line where chance begins."""
    lines = text_table(table, most=10**6).splitlines()
    if above is not None:
        rule = f"--- above this line: more than chance (expected false: {expected:g}) ---"
        lines.insert(1 + above, rule)
    return "\n".join(lines)
