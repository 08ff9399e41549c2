"""Pages of a model: why it decided, and how well; by the templates of the report."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from termsift._internal.tables import Table, cell
from termsift.models.evaluate import Evaluation
from termsift.models.explanation import Explanation
from termsift.report import asset, templates, three_digits

MOST_CLASSES = 40  # of the picture of a confusion: those with most wrong decisions
MOST_WORDS = 100
LONGEST_TEXT = 20_000  # characters of a text on a page


def explanation_page(found: Sequence[Explanation], rows: Sequence[int], title: str) -> str:
    """The page of explanations: the text of each with its words marked, and what each word gives."""
    parts = [(row, one, marked_pieces(one), word_rows(one)) for row, one in zip(rows, found, strict=True)]
    return templates().get_template("explanation.html").render(title=title, parts=parts, **shared())


def evaluation_page(found: Evaluation, title: str) -> str:
    """The page of an evaluation: figures, the confusion as a picture, words that mislead."""
    shown = shown_classes(found)
    return (
        templates()
        .get_template("evaluation.html")
        .render(
            title=title,
            found=found,
            tables=[
                (
                    "figures",
                    "Each measure, and where it lies at 95% (a bootstrap of the documents)",
                    found.figures,
                ),
                (
                    "classes",
                    "Each class, the worst first; low and high are of F1, at 95%",
                    worst_first(found.by_class),
                ),
            ],
            names=[str(found.classes[c]) for c in shown],
            cells=picture_cells(found.confusion, shown),
            hidden=len(found.classes) - len(shown),
            misleading=found.misleading.head(MOST_WORDS),
            rows=table_rows,
            **shared(),
        )
    )


def shared() -> dict[str, Any]:
    """What every page needs."""
    return {"version": version("termsift"), "style": asset("report.css")}


def marked_pieces(one: Explanation) -> list[tuple[str, float, int]]:
    """The text in pieces: each with what its word gives, 0 for none, and how strong that is, of 100."""
    text, given = one.text[:LONGEST_TEXT], one.words["contribution"]
    most = float(np.abs(given).max(initial=0)) or 1.0
    pieces, done = [], 0
    for start, end, row in one.marks:
        if end > len(text):
            break
        value = float(given[row])
        pieces += [(text[done:start], 0.0, 0), (text[start:end], value, round(100 * abs(value) / most))]
        done = end
    rest = text[done:] + ("…" if len(one.text) > LONGEST_TEXT else "")
    return [piece for piece in [*pieces, (rest, 0.0, 0)] if piece[0]]


def word_rows(one: Explanation) -> list[list[Any]]:
    """The words of an explanation as cells, then what is given without any, and the sum."""
    most = float(np.abs(one.words["contribution"]).max(initial=0)) or 1.0
    rows = [
        [
            line["term"],
            line["times"],
            (f"{line['contribution']:+.4f}", round(100 * abs(line["contribution"]) / most)),
        ]
        for line in one.words.head(MOST_WORDS)
    ]
    more = one.words["contribution"][MOST_WORDS:]
    if len(more):
        rows.append([f"{len(more):,} more words", "", (f"{more.sum():+.4f}", 0)])
    return [*rows, ["without any word", "", (f"{one.start:+.4f}", 0)], ["sum", "", (f"{one.margin:+.4f}", 0)]]


def worst_first(by_class: Table) -> Table:
    """The classes, those of the lowest F1 first."""
    order = np.argsort(by_class["f1"], kind="stable")
    return Table({name: column[order] for name, column in by_class.columns.items()})


def table_rows(table: Table) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The columns and the cells of a table of the page."""
    kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in table.columns.values()]
    return list(zip(table.columns, kinds, strict=True)), [
        [cell(value) for value in row.values()] for row in three_digits(table)
    ]


def shown_classes(found: Evaluation) -> list[int]:
    """The classes of the picture: all, or those with most wrong decisions, in their order."""
    decisions = found.decisions
    wrong = np.asarray(decisions.fp + decisions.fn)
    order = np.argsort(-wrong, kind="stable")[:MOST_CLASSES]
    return sorted(int(c) for c in order)


def picture_cells(confusion: Any, shown: list[int]) -> list[list[tuple[int, int]]]:
    """The documents of each pair of shown classes, and their share of the row's, of 100."""
    table = np.asarray(confusion)
    totals = np.maximum(table.sum(axis=1), 1)
    return [
        [(int(table[r, c]), round(100 * int(table[r, c]) / int(totals[r]))) for c in shown] for r in shown
    ]
