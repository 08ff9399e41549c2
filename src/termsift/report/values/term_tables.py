"""The tables of terms: the chosen, the best of both sides, words in context, where metrics agree.

The script fills those with fields anew when something is chosen.
"""

from __future__ import annotations

from termsift._typing import Array
from termsift.report.values.summary import Summary
from termsift.report.values.tables import Cell, Column, ReportTable, shaded
from termsift.report.values.term_maps import TermMap
from termsift.report.values.written import amount_text, clipped, score_text, share_text

INSIDE = Column("in class", "number", "documents of the class that hold the term")
OUTSIDE = Column("outside", "number", "documents outside the class that hold the term")
CHOSEN = (
    Column("rank", "number"),
    Column("term", "name"),
    Column("speaks"),
    INSIDE,
    OUTSIDE,
    Column("of class", "number", "the share of the class's documents that holds it"),
    Column("of others", "number", "the share of the other documents that holds it"),
    Column("score", "number"),
)
SIDES = (Column("term", "name"), Column("score", "bar"), INSIDE, OUTSIDE)
EVERY = (Column("class", "name"), Column("speak for it", "names"), Column("speak against it", "names"))
CONTEXT = (
    Column("before", "before"),
    Column("term", "hit"),
    Column("after", "name"),
    Column("class", "name"),
)


def class_name(summary: Summary, one: TermMap) -> str:
    """The name of the class of a map."""
    return clipped(summary.counts.classes[one.column])


def term_names(summary: Summary, one: TermMap, places: Array) -> list[str]:
    """The names of terms by their places among the drawn."""
    return [clipped(term) for term in summary.counts.terms[one.rows[places]]]


def chosen_table(summary: Summary) -> ReportTable:
    """The terms that the opening metric chooses, those that are drawn."""
    one = summary.open_map
    best = one.rankings[0].best[: summary.opening]
    names = term_names(summary, one, best)
    rows = [
        [f"{place + 1}", names[place], *count_cells(one, i), score_text(one.scores[0][i])]
        for place, i in enumerate(best.tolist())
        if i >= 0
    ]
    fields = {
        "k": f"{summary.opening:,}",
        "name": class_name(summary, one),
        "metric": summary.metrics[0].name,
    }
    return ReportTable("chosen", "The {k} best terms of {name} by {metric}", CHOSEN, rows, fields, tall=True)


def count_cells(one: TermMap, i: int) -> list[str]:
    """The side of a drawn term, its counts and its rates."""
    tp, fp = float(one.tp[i]), float(one.fp[i])
    tpr, fpr = tp / one.pos if one.pos else 0.0, fp / one.neg if one.neg else 0.0
    side = "for" if tpr > fpr else "against" if tpr < fpr else "neither"
    return [side, amount_text(tp), amount_text(fp), share_text(tpr), share_text(fpr)]


def side_tables(summary: Summary) -> list[ReportTable]:
    """The best terms that speak for a class, and those against it."""
    one = summary.open_map
    ranking, fields = one.rankings[0], {"name": class_name(summary, one)}
    return [
        ReportTable(
            f"{side}-terms", f"Terms that speak {side} {{name}}", SIDES, side_rows(summary, places), fields
        )
        for side, places in (("for", ranking.speaking), ("against", ranking.against))
    ]


def side_rows(summary: Summary, places: Array) -> list[list[Cell]]:
    """The terms of one side with their bars, on the scale of both."""
    one = summary.open_map
    scores, ranking = abs(one.scores[0]), one.rankings[0]
    longest = max(float(scores[side].max(initial=0)) for side in (ranking.speaking, ranking.against)) or 1.0
    names = term_names(summary, one, places)
    return [
        [
            name,
            shaded(scores[i] / longest, score_text(one.scores[0][i])),
            amount_text(one.tp[i]),
            amount_text(one.fp[i]),
        ]
        for name, i in zip(names, places.tolist(), strict=True)
    ]


def context_table(summary: Summary) -> ReportTable | None:
    """Words in context, for all terms of the opening class; None where the texts are not known."""
    if not summary.uses:
        return None
    one, ranking = summary.open_map, summary.open_map.rankings[0]
    rows = [
        [snippet.before, snippet.term, snippet.after, clipped(snippet.label)]
        for places, inside in ((ranking.speaking, True), (ranking.against, False))
        for term in summary.counts.terms[one.rows[places]]
        for snippet in summary.uses.get((term, one.column, inside), ())
    ]
    return ReportTable("context", "Words in context{of}", CONTEXT, rows, {"of": ""}, tall=True)


def every_table(summary: Summary) -> ReportTable:
    """A row for each class: its best terms on both sides."""
    rows = [
        [
            class_name(summary, one),
            term_names(summary, one, one.rankings[0].speaking),
            term_names(summary, one, one.rankings[0].against),
        ]
        for one in summary.shown
    ]
    fields = {"metric": summary.metrics[0].name}
    return ReportTable("every", "The best terms of every class by {metric}", EVERY, rows, fields, tall=True)


def agreement_tables(summary: Summary) -> list[ReportTable]:
    """How far the metrics agree: their best terms, and their ranks."""
    names = [metric.name for metric in summary.metrics]
    columns = [Column("metric"), *(Column(name, "heat") for name in names)]
    overlap: list[list[Cell]] = [
        [name, *(shaded(value, share_text(value)) for value in row)]
        for name, row in zip(names, summary.open_agreement.round(3).tolist(), strict=True)
    ]
    ranks: list[list[Cell]] = [
        [name, *(shaded(value, f"{value:.2f}") for value in row)]
        for name, row in zip(names, summary.rankings.correlation.round(3).tolist(), strict=True)
    ]
    caption, fields = "Overlap of the {k} best terms of a class", {"k": f"{summary.opening:,}"}
    return [
        ReportTable("overlap", caption, columns, overlap, fields),
        ReportTable("correlation", "Rank correlation", columns, ranks),
    ]
