"""Keywords of each class, best first, and how many of them are significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.metrics import Scores

DEFAULT_METRIC = "ig"  # its keywords are the easiest to interpret: docs/words.md has the evidence
SMALL_CLASS = 10  # in a class with fewer documents hardly any word can be significant
THRESHOLD_MARK = "|"
NO_TERMS = "No terms to list."
ALL_ROWS = 10**6
MAX_SMALL_CLASSES = 5


@dataclass(frozen=True, slots=True, eq=False)
class ClassKeywords:
    """Best terms of a class.

    Parameters
    ----------
    scores : scores of all classes, or one score per term if the metric ignores classes
    name : name of the class
    rows : rows of the terms in the scores, best first
    n_significant : number of terms that reach the significance threshold; None if there is no threshold

    """

    scores: Scores
    name: Any
    rows: Array
    n_significant: int | None = None

    @property
    def documents(self) -> float:
        """Number of documents in the class."""
        size: float = self.scores.counts.class_sizes[self.scores.counts.class_index(self.name)]
        return size

    @property
    def terms(self) -> list[str]:
        """Terms, best first."""
        return list(self.scores.terms[self.rows])

    @property
    def table(self) -> Table:
        """Terms with scores and counts, with the columns of `Scores.top`."""
        return self.scores.table_rows(self.rows, None if self.scores.values.ndim == 1 else self.name)

    @property
    def marked_terms(self) -> list[str]:
        """Terms, negative ones followed by (-)."""
        if self.scores.values.ndim == 1:
            return self.terms
        is_negative = self.scores.of_class(self.name).signs[self.rows, 0] < 0
        return [f"{term} (-)" if sign else term for term, sign in zip(self.terms, is_negative, strict=True)]


def class_keywords(
    scores: Scores,
    classes: Sequence[Any],
    n: int = 10,
    *,
    direction: str = "positive",
    expected: float = 1,
    keep_nested: bool = False,
) -> list[ClassKeywords]:
    """Return the `n` best terms of each class with the number of significant ones.

    Parameters
    ----------
    scores : as returned by `termsift.score`
    classes : names of classes
    n : number of terms per class
    direction : "positive", "negative" or "both"
    expected : expected number of false positives per class at the significance threshold
    keep_nested : whether to keep n-grams nested in longer ones with nearly the same documents

    Examples
    --------
    >>> from termsift import count, score
    >>> texts = ["win a prize", "a prize now"] * 4 + ["see you at lunch", "lunch at six now"] * 4
    >>> counts = count(texts, ["spam"] * 8 + ["ham"] * 8)
    >>> [words.terms for words in class_keywords(score(counts, "ig"), counts.classes, 3)]
    [['at', 'lunch', 'see'], ['prize', 'win']]

    """
    keywords = []
    for name in classes:
        rows = scores.top_rows(name, n, direction, keep_nested)
        threshold = scores.threshold(expected, name, direction=direction)
        n_significant = None
        if threshold is not None:
            values = scores.column(name)[rows]
            # one-sided metrics give negative terms negative scores
            is_lower_tail = direction == "negative" and scores.sided == 1
            is_significant = values <= threshold if is_lower_tail else values >= threshold
            n_significant = int(np.count_nonzero(is_significant))
        keywords.append(ClassKeywords(scores, name, rows, n_significant))
    return keywords


def format_keywords(keywords: Sequence[ClassKeywords], metric: str, expected: float = 1) -> str:
    """Format the keywords of all classes: one row per class, then notes on significance."""
    if not any(len(words.rows) for words in keywords):
        return NO_TERMS
    rows = []
    for words in keywords:
        terms = words.marked_terms
        separator = ", " if any(" " in term for term in words.terms) else " "
        n = len(terms) if words.n_significant is None else words.n_significant
        significant, others = separator.join(terms[:n]), separator.join(terms[n:])
        # a bar separates the significant terms from the others
        rows.append(f"{significant} {THRESHOLD_MARK} {others}".strip() if n < len(terms) else significant)
    columns = {
        "class": as_term_array(words.name for words in keywords),
        "documents": np.array([words.documents for words in keywords]),
        "words": as_term_array(rows),
    }
    text = format_table(Table(columns), ALL_ROWS)
    if any(words.n_significant is None for words in keywords):
        return f"{text}\nRanked by {metric}; {explain_missing_threshold(keywords[0].scores)}."
    all_significant = all(words.n_significant == len(words.rows) for words in keywords)
    subject = "All words shown" if all_significant else f"Words before the bar {THRESHOLD_MARK}"
    text += (
        f"\nRanked by {metric}. {subject} pass the significance threshold "
        f"(expected false positives per class: {expected:g})."
    )
    small = [f"{words.name} ({words.documents:g})" for words in keywords if words.documents < SMALL_CLASS]
    if small:
        n_more = len(small) - MAX_SMALL_CLASSES
        names = ", ".join(small[:MAX_SMALL_CLASSES]) + (f" and {n_more} more" if n_more > 0 else "")
        text += f"\nSmall classes, in which few words can be significant: {names}."
    return text


def explain_missing_threshold(scores: Scores) -> str:
    """Return the reason why there is no significance threshold."""
    if scores.strata is not None:
        return "no significance threshold is computed for stratified scores"
    return "no significance threshold: the null distribution of this metric cannot be computed from counts"


def format_class_table(table: Table, n_significant: int | None, expected: float) -> str:
    """Format the terms of one class, with a line below the significant ones."""
    if not len(table):
        return NO_TERMS
    rows = format_table(table, ALL_ROWS).splitlines()
    limit = f"(expected false positives: {expected:g})"
    if n_significant == len(table):
        rows.append(f"All rows are above the significance threshold {limit}.")
    elif n_significant is not None:
        rows.insert(1 + n_significant, f"--- significance threshold {limit} ---")
    return "\n".join(rows)
