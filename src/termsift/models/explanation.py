"""Explanations of predictions: the contribution of each term to the decision value of each class.

The contributions and the intercept add up to the decision value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.counts import find_class_index

NON_SPACE = re.compile(r"\S+")
MAX_EXCERPT = 100  # characters of a text shown in one line


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Contributions of the terms of a document.

    Parameters
    ----------
    columns : (terms,), columns of the document's terms in the vocabulary
    times : (terms,), occurrences in the document
    values : (terms, classes), contribution of each term to each decision value
    intercepts : (classes,), decision values of an empty document

    """

    columns: Array
    times: Array
    values: Array
    intercepts: Array

    @property
    def decision_values(self) -> Array:
        """Sums of contributions and intercepts, shape (classes,)."""
        return np.asarray(self.values.sum(axis=0) + self.intercepts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Explanation of a prediction.

    Parameters
    ----------
    text : the document
    labels : predicted labels
    name : explained class
    reference : class it is compared with, or None
    words : term, times, contribution; one row per term of the model in the document, largest effect first
    intercept : decision value of an empty document
    decision_value : sum of the contributions and the intercept
    marks : (start, end, row of `words`) of the terms in the text

    """

    text: str
    labels: tuple[Any, ...]
    name: Any
    reference: Any
    words: Table
    intercept: float
    decision_value: float
    marks: tuple[tuple[int, int, int], ...]

    @property
    def explained_class(self) -> str:
        """Explained class, with its reference if there is one."""
        return str(self.name) if self.reference is None else f"{self.name} rather than {self.reference}"

    def to_text(self, max_words: int = 15) -> str:
        """Format the explanation for a terminal."""
        values = self.words["contribution"]
        labels = ", ".join(map(str, self.labels)) or "none"
        return "\n".join(
            [
                format_one_line(self.text[: 4 * MAX_EXCERPT], MAX_EXCERPT),
                f"label: {labels}; decision value for {self.explained_class}: {self.decision_value:+.4g} = "
                f"positive words {values[values > 0].sum():+.4g}, "
                f"negative words {values[values < 0].sum():+.4g}, intercept {self.intercept:+.4g}",
                format_table(self.words, max_words),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all values except the text and its marks, ready for JSON."""
        names = ("labels", "name", "reference", "decision_value", "intercept")
        return {name: getattr(self, name) for name in names} | {"words": list(self.words)}

    def to_html(self, title: str = "Prediction explained") -> str:
        """Render the explanation as a self-contained HTML page."""
        from termsift.models.pages import render_explanation_page

        return render_explanation_page([self], [1], title)

    def __repr__(self) -> str:
        return self.to_text()


def explain_text(
    text: str,
    result: Contributions,
    terms: Array,
    classes: tuple[Any, ...],
    labels: tuple[Any, ...],
    analyze: Callable[[str], Iterable[str]],
    name: Any = None,
    reference: Any = None,
) -> Explanation:
    """Explain the prediction for a text.

    Parameters
    ----------
    text : the document
    result : contributions of its terms
    terms, classes : of the model
    labels : predicted labels
    analyze : function from a text to its terms
    name, reference : class to explain (default: the best), and the class it is compared with

    """
    c = int(result.decision_values.argmax()) if name is None else find_class_index(classes, name)
    values, intercept = result.values[:, c], float(result.intercepts[c])
    if reference is not None:
        other_class = find_class_index(classes, reference)
        if other_class == c:
            raise InvalidInputError(f"class and reference are both {classes[c]!r}; they must be different")
        values = values - result.values[:, other_class]
        intercept -= float(result.intercepts[other_class])
        reference = classes[other_class]
    order = np.lexsort((np.arange(len(values)), -np.abs(values)))
    names = terms[result.columns[order]]
    return Explanation(
        text=text,
        labels=labels,
        name=classes[c],
        reference=reference,
        words=Table({"term": names, "times": result.times[order], "contribution": values[order]}),
        intercept=intercept,
        decision_value=float(values.sum() + intercept),
        marks=tuple(find_marks(text, names.tolist(), analyze)),
    )


def find_marks(
    text: str, terms: list[str], analyze: Callable[[str], Iterable[str]]
) -> list[tuple[int, int, int]]:
    """Find the terms in a text without overlaps, longer terms first: (start, end, index of the term)."""
    from termsift.report import term_pattern

    spans = [
        (match.start(), match.end(), row)
        for row, term in enumerate(terms)
        for match in term_pattern(term).finditer(text)
    ]
    unmatched = {term: row for row, term in enumerate(terms)}
    for _, _, row in spans:
        unmatched.pop(terms[row], None)
    if unmatched:
        # terms such as stems differ from the text: analyze each chunk between whitespace
        for chunk in NON_SPACE.finditer(text):
            rows = [unmatched[term] for term in analyze(chunk.group()) if term in unmatched]
            spans += [(chunk.start(), chunk.end(), row) for row in rows[:1]]
    marks: list[tuple[int, int, int]] = []
    covered = np.zeros(len(text) + 1, dtype=bool)
    for start, end, row in sorted(spans, key=lambda span: (span[0] - span[1], span[2], span[0])):
        if end > start and not covered[start:end].any():
            covered[start:end] = True
            marks.append((start, end, row))
    return sorted(marks)


def explanation_table(explanations: list[Explanation], rows: list[int]) -> Table:
    """Return the words of several explanations; a row with an empty term is the intercept.

    Parameters
    ----------
    explanations : one per document
    rows : number of each document

    """
    records = [
        (row, explanation.explained_class, word["term"], word["times"], word["contribution"])
        for row, explanation in zip(rows, explanations, strict=True)
        for word in [*explanation.words, {"term": "", "times": 0, "contribution": explanation.intercept}]
    ]
    names = ("row", "class", "term", "times", "contribution")
    columns = dict(zip(names, zip(*records, strict=True) if records else [()] * len(names), strict=True))
    texts = {name: as_term_array(columns[name]) for name in ("class", "term")}
    return Table({name: np.array(column) for name, column in columns.items()} | texts)
