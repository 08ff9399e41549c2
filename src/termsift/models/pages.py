"""HTML pages of a model: explanations and evaluations, rendered with the templates of the report."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.tables import Table, format_cell
from termsift.report import load_asset, round_table, template_environment

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation
    from termsift.models.explanation import Explanation

MAX_CONFUSION_CLASSES = 40
MAX_WORDS = 100
MAX_CHARACTERS = 20_000  # of a text on a page


def render_explanation_page(explanations: Sequence[Explanation], rows: Sequence[int], title: str) -> str:
    """Render explanations: each text with its words marked, and the contribution of each word.

    Parameters
    ----------
    explanations : one per document
    rows : number of each document
    title : heading of the page

    """
    documents = [
        (row, explanation, split_at_marks(explanation), contribution_rows(explanation))
        for row, explanation in zip(rows, explanations, strict=True)
    ]
    return render("explanation.html", title=title, documents=documents)


def render_evaluation_page(evaluation: Evaluation, title: str) -> str:
    """Render an evaluation: scores, confusion matrix, words behind the errors."""
    by_class = evaluation.by_class
    order = np.argsort(by_class["f1"], kind="stable")
    worst_first = Table({name: column[order] for name, column in by_class.columns.items()})
    # the classes with most errors, in their original order
    errors = np.asarray(evaluation.decisions.fp + evaluation.decisions.fn)
    columns = sorted(np.argsort(-errors, kind="stable")[:MAX_CONFUSION_CLASSES].tolist())
    confusion = evaluation.confusion
    totals = np.maximum(confusion.sum(axis=1), 1)
    # documents and their percentage of the row, for each pair of classes
    cells = [
        [(int(confusion[r, c]), round(100 * int(confusion[r, c]) / int(totals[r]))) for c in columns]
        for r in columns
    ]
    return render(
        "evaluation.html",
        title=title,
        evaluation=evaluation,
        tables=[
            ("figures", "Scores with 95% bootstrap confidence intervals", evaluation.measures),
            ("classes", "Scores per class, lowest F1 first (low, high: 95% interval of F1)", worst_first),
        ],
        names=[str(evaluation.classes[c]) for c in columns],
        cells=cells,
        hidden=len(evaluation.classes) - len(columns),
        misleading=evaluation.misleading.head(MAX_WORDS),
        table_cells=table_cells,
    )


def render(template: str, **values: Any) -> str:
    """Render a template with the values that every page needs."""
    page = template_environment().get_template(template)
    return page.render(version=version("termsift"), style=load_asset("report.css"), **values)


def split_at_marks(explanation: Explanation) -> list[tuple[str, float, int]]:
    """Split a text into pieces (text, contribution, percentage of the largest contribution)."""
    text, values = explanation.text[:MAX_CHARACTERS], explanation.words["contribution"]
    largest = float(np.abs(values).max(initial=0)) or 1.0
    pieces, position = [], 0
    for start, end, row in explanation.marks:
        if end > len(text):
            break
        value = float(values[row])
        pieces.append((text[position:start], 0.0, 0))
        # weak words are visible too
        pieces.append((text[start:end], value, round(25 + 75 * abs(value) / largest)))
        position = end
    remainder = text[position:] + ("…" if len(explanation.text) > MAX_CHARACTERS else "")
    return [piece for piece in [*pieces, (remainder, 0.0, 0)] if piece[0]]


def contribution_rows(explanation: Explanation) -> list[list[Any]]:
    """Return the table rows of an explanation: its words, the intercept and the sum."""
    values = explanation.words["contribution"]
    largest = float(np.abs([*values, explanation.intercept]).max()) or 1.0

    def cell(value: float, *, has_bar: bool = True) -> tuple[str, int, str]:
        share = round(100 * abs(value) / largest) if has_bar else 0
        return f"{value:+.4f}", share, "positive" if value > 0 else "negative"

    rows: list[list[Any]] = [
        [term, times, cell(value)]
        for term, times, value in (word.values() for word in explanation.words.head(MAX_WORDS))
    ]
    if len(values) > MAX_WORDS:
        n_more = len(values) - MAX_WORDS
        rows.append([f"{n_more:,} more words", "", cell(float(values[MAX_WORDS:].sum()), has_bar=False)])
    rows.append(["intercept (no word)", "", cell(explanation.intercept)])
    rows.append(["sum: decision value", "", cell(explanation.decision_value, has_bar=False)])
    return rows


def table_cells(table: Table) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Return the columns (name, kind) and the formatted rows of a table."""
    kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in table.columns.values()]
    rows = [[format_cell(value) for value in row.values()] for row in round_table(table)]
    return list(zip(table.columns, kinds, strict=True)), rows
