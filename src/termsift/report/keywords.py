"""Keywords of each class, best first; terms that are not significant are left out and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from termsift._internal.errors import escape_invisible
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.counts import ratio
from termsift.metrics import EXPECTED, Scores, explain_missing_significance

DEFAULT_METRIC = "ig"  # its keywords are the easiest to interpret: docs/words.md has the evidence
SMALL_CLASS = 10  # in a class with fewer documents hardly any word can be significant
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
    significant : whether each of them is significant; None if that is unknown
    n_omitted : number of terms with higher scores that are left out because they are not significant
    n_significant : number of significant terms of the class in the direction of the list
    detached : table and marked terms, if the scores are only those of the rows

    """

    scores: Scores
    name: Any
    rows: Array
    significant: Array | None = None
    n_omitted: int = 0
    n_significant: int = 0
    detached: tuple[Table, list[str]] | None = None

    def detach(self) -> ClassKeywords:
        """Return the keywords without the scores of other terms, which can then be freed."""
        kept = replace(
            self.scores, values=self.scores.values[self.rows], counts=self.scores.counts.keep(self.rows)
        )
        rows = np.arange(len(self.rows))
        return replace(self, scores=kept, rows=rows, detached=(self.table, self.terms_with_marks))

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
        if self.detached is not None:
            return self.detached[0]
        return self.scores.table_rows(self.rows, None if self.scores.values.ndim == 1 else self.name)

    @property
    def terms_with_marks(self) -> list[str]:
        """Terms, negative ones followed by (-), in brackets if they are not significant."""
        if self.detached is not None:
            return self.detached[1]
        if self.scores.values.ndim == 1:
            return self.terms
        is_negative = self.scores.of_class(self.name).signs[self.rows, 0] < 0
        marked = [f"{term} (-)" if sign else term for term, sign in zip(self.terms, is_negative, strict=True)]
        if self.significant is None:
            return marked
        return [term if ok else f"[{term}]" for term, ok in zip(marked, self.significant, strict=True)]

    @property
    def terms_with_both_shares(self) -> list[str]:
        """Marked terms with the shares of the documents inside and outside the class that contain them."""
        table = self.table
        inside = ratio(table["tp"], table["tp"] + table["fn"])
        outside = ratio(table["fp"], table["fp"] + table["tn"])
        return [
            f"{term} {format_rounded_share(a)} / {format_rounded_share(b)}"
            for term, a, b in zip(self.terms_with_marks, inside.tolist(), outside.tolist(), strict=True)
        ]


def class_keywords(
    scores: Scores,
    classes: Sequence[Any],
    n: int = 10,
    *,
    direction: str = "positive",
    expected: float = EXPECTED,
    keep_nested: bool = False,
    keep_insignificant: bool = False,
) -> list[ClassKeywords]:
    """Return the `n` best significant terms of each class.

    If significance is unknown, as for weighted documents, the best terms are listed.

    Parameters
    ----------
    scores : as returned by `termsift.score`
    classes : names of classes
    n : number of terms per class
    direction : "positive", "negative" or "both"
    expected : expected number of false positives per class
    keep_nested : whether to keep n-grams nested in longer ones with nearly the same documents
    keep_insignificant : whether to list terms that are not significant too

    Examples
    --------
    >>> from termsift import count, score
    >>> texts = ["win a prize", "a prize now"] * 4 + ["see you at lunch", "lunch at six now"] * 4
    >>> counts = count(texts, ["spam"] * 8 + ["ham"] * 8)
    >>> [words.terms for words in class_keywords(score(counts, "ig"), counts.classes, 3)]
    [['at', 'lunch'], ['prize']]

    """
    keywords = []
    for name in classes:
        significant = scores.significant(expected, name)
        is_listed = None if keep_insignificant else significant
        rows = scores.top_rows(name, n, direction, keep_nested, is_listed)
        n_omitted = n_significant = 0
        if is_listed is not None:
            values, is_omitted = scores.column(name), ~is_listed
            if direction == "negative" and scores.sided == 1:
                values = -values
            if direction != "both":
                signs = scores.of_class(name).signs[:, 0]
                is_omitted &= signs == (1 if direction == "positive" else -1)
            # none without rows
            n_omitted = int(np.count_nonzero(is_omitted & (values > values[rows].min(initial=np.inf))))
            n_significant = len(scores.top_rows(name, len(scores.terms), direction, True, is_listed))
        shown = None if significant is None else significant[rows]
        keywords.append(ClassKeywords(scores, name, rows, shown, n_omitted, n_significant))
    return keywords


def format_rounded_share(share: float) -> str:
    """Return a share as a percentage for running text: no digit that a reader would skip.

    >>> [format_rounded_share(share) for share in (0.294, 0.046, 0.0004, 0)]
    ['29 %', '4.6 %', '<0.1 %', '0 %']
    """
    percent = 100 * share
    if 0 < percent < 0.05:
        return "<0.1 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f}".removesuffix(".0") + " %"


def wrap_items(items: Sequence[str], separator: str, width: int | None) -> list[str]:
    """Join items into rows of at most this width; one row if it is None.

    >>> wrap_items(["free 9 %", "win 3 %"], ", ", 12)
    ['free 9 %,', 'win 3 %']
    """
    rows = [""]
    for i, item in enumerate(items):
        text = item + (separator if i < len(items) - 1 else "")
        if width is not None and rows[-1] and len(rows[-1]) + len(text.rstrip()) > width:
            rows.append("")
        rows[-1] += text
    return [row.rstrip() for row in rows]


def describe_omitted(n_omitted: int, remedy: str) -> str:
    """Return a sentence with the number of terms that are left out; empty without any.

    >>> describe_omitted(12, "--all shows them")
    '12 terms with higher scores are not significant; --all shows them.'
    """
    if not n_omitted:
        return ""
    terms = (
        "1 term with a higher score is" if n_omitted == 1 else f"{n_omitted:,} terms with higher scores are"
    )
    return f"{terms} not significant; {remedy}."


def format_keywords(
    keywords: Sequence[ClassKeywords],
    metric: str,
    expected: float = EXPECTED,
    remedy: str = "termsift score --all lists them",
    *,
    shares: bool = False,
    width: int | None = None,
) -> str:
    """Format the keywords of all classes: one row per class, then notes on significance.

    Parameters
    ----------
    keywords : keywords of each class
    metric : name of the metric
    expected : expected number of false positives per class
    remedy : how to list terms that are not significant
    shares : whether each word is followed by its shares of the documents inside and outside the class
    width : number of characters after which rows continue on the next line; None for one line per class

    """
    if not any(len(words.rows) for words in keywords):
        return f"No significant terms; {remedy}."
    columns = {
        "class": as_term_array(words.name for words in keywords),
        "documents": np.array([words.documents for words in keywords]),
    }
    if shares:
        cells = [words.terms_with_both_shares for words in keywords]
        title, separator = "words: share of documents in the class / in the others", ", "
    else:
        cells = [words.terms_with_marks for words in keywords]
        title, separator = "words", ", " if any(" " in term for terms in cells for term in terms) else " "
    # the rows of a terminal continue below the first word
    prefixes = format_table(Table(columns), ALL_ROWS).split("\n")
    indent = max(map(len, prefixes)) + 2
    lines = [f"{prefixes[0]:<{indent}}{title}"]
    for prefix, terms in zip(prefixes[1:], cells, strict=True):
        rows = wrap_items([escape_invisible(term) for term in terms], separator, width and width - indent)
        lines += [
            f"{start:<{indent}}{row}".rstrip() for start, row in zip_longest([prefix], rows, fillvalue="")
        ]
    if any(words.significant is None for words in keywords):
        return "\n".join([*lines, f"Ranked by {metric}; {explain_missing_significance(keywords[0].scores)}."])
    has_others = any(not words.significant.all() for words in keywords if words.significant is not None)
    subject = "Words in brackets are not significant" if has_others else "All words shown are significant"
    lines.append(
        f"Ranked by {metric}. {subject} (exact test; expected false positives per class: {expected:g})."
    )
    lines += filter(None, [describe_omitted(sum(words.n_omitted for words in keywords), remedy)])
    small = [f"{words.name} ({words.documents:g})" for words in keywords if words.documents < SMALL_CLASS]
    if small:
        n_more = len(small) - MAX_SMALL_CLASSES
        names = ", ".join(small[:MAX_SMALL_CLASSES]) + (f" and {n_more} more" if n_more > 0 else "")
        lines.append(f"Small classes, in which few words can be significant: {names}.")
    return "\n".join(lines)
