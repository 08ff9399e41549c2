"""Explanations of predictions: the contribution of each term to the decision value of each class.

The contributions and the intercept add up to the decision value.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.models import decision_values

if TYPE_CHECKING:
    from termsift.models.model import Model

TOLERANCE = 1e-6  # of sums that are equal up to rounding
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


def contributions(model: Any, row: csr_array[Any], only: Collection[int] | None = None) -> Contributions:
    """Split the decision values of a document into contributions of its terms.

    Parameters
    ----------
    model : fitted pipeline or classifier of term counts
    row : term counts of the document, shape (1, terms)
    only : classes to compute; the columns of other classes may be 0

    Raises
    ------
    InvalidInputError : the decision values are not sums over words

    """
    row = csr_array(row)
    columns = np.flatnonzero(row.toarray()[0])
    times = np.asarray(row[:, columns].toarray()[0])
    shape = len(columns), row.shape[1]
    term_rows = csr_array((times, (np.arange(len(columns)), columns)), shape=shape)
    result = Contributions(columns, times, *split_decision_values(model, term_rows, row, only))
    expected = decision_values.class_decision_values(model, row, only)[0]
    if not np.allclose(result.decision_values, expected, rtol=TOLERANCE, atol=TOLERANCE):
        raise InvalidInputError("this model cannot be explained: its decision values are not sums over words")
    return result


def split_decision_values(
    model: Any, term_rows: Any, row: Any, only: Collection[int] | None = None
) -> tuple[Array, Array]:
    """Return contributions (terms, classes) and intercepts (classes,) of a pipeline or classifier.

    `term_rows` (terms, features) splits each feature of `row` among the terms.
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            term_rows, row = transform_term_rows(step, term_rows, row)
        return split_decision_values(model.steps[-1][1], term_rows, row, only)
    if isinstance(model, OneVsRestClassifier):
        size = len(model.estimators_)
        values, intercepts = np.zeros((term_rows.shape[0], size)), np.zeros(size)
        for c in decision_values.select_estimators(model, only):
            class_values, class_intercepts = split_decision_values(model.estimators_[c], term_rows, row)
            values[:, c], intercepts[c] = class_values[:, -1], class_intercepts[-1]
        if decision_values.is_binary_one_vs_rest(model):
            return np.hstack([-values, values]), np.array([-intercepts[0], intercepts[0]])
        return values, intercepts
    weights, intercepts = decision_values.linear_coefficients(model)
    return np.asarray(term_rows @ weights), intercepts


def transform_term_rows(step: Any, term_rows: Any, row: Any) -> tuple[Any, Any]:
    """Return the term rows and the row after a transformer."""
    new_row = csr_array(step.transform(row))
    # an additive step, such as a sum over word clusters, can transform each term alone
    new_terms = csr_array((0, new_row.shape[1]))
    if term_rows.shape[0]:
        new_terms = csr_array(step.transform(term_rows))
    after = new_row.toarray()[0]
    if np.allclose(np.asarray(new_terms.sum(axis=0)), after, rtol=TOLERANCE, atol=TOLERANCE):
        return new_terms, new_row
    if new_row.shape != row.shape:
        raise InvalidInputError(
            f"this model cannot be explained: the features of {type(step).__name__} are not sums over words"
        )
    # a step that maps each feature to one feature, such as tf-idf with a norm, scales it for this document
    before = csr_array(row).toarray()[0]
    scale = np.divide(after, before, out=np.zeros(len(after)), where=before != 0)
    return csr_array(csr_array(term_rows) @ diags_array(scale)), new_row


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
    def subject(self) -> str:
        """Explained class, with its reference if there is one."""
        return str(self.name) if self.reference is None else f"{self.name} rather than {self.reference}"

    def to_text(self, max_words: int = 15) -> str:
        """Format the explanation for a terminal."""
        values = self.words["contribution"]
        labels = ", ".join(map(str, self.labels)) or "none"
        return "\n".join(
            [
                format_one_line(self.text[: 4 * MAX_EXCERPT], MAX_EXCERPT),
                f"label: {labels}; decision value for {self.subject}: {self.decision_value:+.4g} = "
                f"positive words {values[values > 0].sum():+.4g}, "
                f"negative words {values[values < 0].sum():+.4g}, intercept {self.intercept:+.4g}",
                format_table(self.words, max_words),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all values except the text and its marks, ready for JSON."""
        names = ("labels", "name", "reference", "decision_value", "intercept")
        return {name: getattr(self, name) for name in names} | {"words": list(self.words)}

    def __repr__(self) -> str:
        return self.to_text()


def explain_text(model: Model, text: str, name: Any = None, reference: Any = None) -> Explanation:
    """Explain the prediction for a text; see `Model.explain`."""
    if not model._takes_texts:
        raise InvalidInputError("this model takes term counts, not texts, so it cannot explain words")
    result = model.contributions(text)
    c = int(result.decision_values.argmax()) if name is None else model.class_index(name)
    values, intercept = result.values[:, c], float(result.intercepts[c])
    if reference is not None:
        other_class = model.class_index(reference)
        if other_class == c:
            raise InvalidInputError(
                f"class and reference are both {model.classes[c]!r}; they must be different"
            )
        values = values - result.values[:, other_class]
        intercept -= float(result.intercepts[other_class])
        reference = model.classes[other_class]
    order = np.lexsort((np.arange(len(values)), -np.abs(values)))
    terms = model.terms[result.columns[order]]
    (labels,) = model.predict([text])
    return Explanation(
        text=text,
        labels=tuple(labels) if model.is_multilabel else (labels,),
        name=model.classes[c],
        reference=reference,
        words=Table({"term": terms, "times": result.times[order], "contribution": values[order]}),
        intercept=intercept,
        decision_value=float(values.sum() + intercept),
        marks=tuple(find_marks(text, terms.tolist(), model)),
    )


def find_marks(text: str, terms: list[str], model: Model) -> list[tuple[int, int, int]]:
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
        analyze = model.pipeline.steps[0][1].build_analyzer()
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
        (row, explanation.subject, word["term"], word["times"], word["contribution"])
        for row, explanation in zip(rows, explanations, strict=True)
        for word in [*explanation.words, {"term": "", "times": 0, "contribution": explanation.intercept}]
    ]
    names = ("row", "class", "term", "times", "contribution")
    columns = dict(zip(names, zip(*records, strict=True) if records else [()] * len(names), strict=True))
    texts = {name: as_term_array(columns[name]) for name in ("class", "term")}
    return Table({name: np.array(column) for name, column in columns.items()} | texts)
