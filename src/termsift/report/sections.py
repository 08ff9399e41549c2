"""The sections of a page that speak of terms: the map, the best terms, words in context, agreement."""

from __future__ import annotations

from html import escape

from termsift.report.markup import Column, bar, name_of, table, tag
from termsift.report.sentences import classes_sentence, correlation_sentence, drawn_sentence
from termsift.report.snippets import Snippet
from termsift.report.summary import Summary
from termsift.report.term_maps import TermMap
from termsift.report.written import amount, clipped, score, share

CHOSEN = (
    Column("rank", "number"),
    Column("term"),
    Column("speaks"),
    Column("in class", "number", "documents of the class that hold the term"),
    Column("outside", "number", "documents outside the class that hold the term"),
    Column("of class", "number", "the share of the class's documents that holds it"),
    Column("of others", "number", "the share of the other documents that holds it"),
    Column("score", "number"),
)
SIDES = (
    Column("term"),
    Column("score", "bar"),
    Column("in class", "number", "documents of the class that hold the term"),
    Column("outside", "number", "documents outside the class that hold the term"),
)
CONTEXT = (Column("before", "before"), Column("term", "hit"), Column("after"), Column("class"))


def controls(summary: Summary) -> str:
    """What chooses the class, the metric, the number of terms, and a term."""
    names = [clipped(summary.counts.classes[one.column]) for one in summary.shown]
    classes = "".join(
        tag("option", escape(name), value=i, selected=i == summary.first) for i, name in enumerate(names)
    )
    metrics = "".join(tag("option", escape(m.name), value=i) for i, m in enumerate(summary.metrics))
    at, last = summary.ks.index(summary.opening), len(summary.ks) - 1
    fields = (
        tag("label", "Class ", tag("select", classes, id="class", autocomplete="off")),
        tag("label", "Metric ", tag("select", metrics, id="metric", autocomplete="off")),
        tag(
            "label",
            tag("span", "Best ", tag("output", f"{summary.opening:,}", id="k-said", for_="k"), " terms "),
            f'<input type="range" id="k" min="0" max="{last}" value="{at}" autocomplete="off">',
        ),
        tag(
            "label",
            "Find a term ",
            '<input type="search" id="search" list="known" autocomplete="off" spellcheck="false">',
            tag("datalist", "", id="known"),
        ),
    )
    return tag("form", *fields, class_="controls", id="controls", aria_label="What to show", data_script=True)


def term_section(summary: Summary) -> str:
    """The map of terms."""
    one = summary.open_map
    name = clipped(summary.counts.classes[one.column])
    legend = tag(
        "ul",
        *(
            tag("li", tag("span", "", class_=f"dot {colour}"), escape(text))
            for colour, text in (
                ("for", "speaks for the class, chosen"),
                ("against", "speaks against it, chosen"),
                ("pale", "not chosen"),
                ("line", "where the metric cuts"),
            )
        ),
        class_="legend",
    )
    caption = f"The {summary.opening:,} best terms of {name} by {summary.metrics[0].name}"
    chart = tag("div", "", class_="chart", id="map", data_script=True)
    left = tag("figure", legend, chart, tag("figcaption", "", id="map-said", aria_live="polite"))
    card = tag("div", "", id="card", class_="card", aria_live="polite", data_script=True)
    right = tag("div", card, table("chosen", caption, CHOSEN, chosen_rows(summary, one), tall=True))
    notes = [drawn_sentence(summary), classes_sentence(summary)]
    return tag(
        "section",
        tag("h2", "The map of terms"),
        tag(
            "p",
            "Each point is a term, or several with the same counts. High up are terms of many documents of "
            "the class, to the right those of many others. On the diagonal a term tells nothing; the farther "
            "from it, the more.",
        ),
        tag("div", left, right, class_="beside"),
        *(tag("p", escape(note), class_="note") for note in notes if note),
        id="terms",
    )


def chosen_rows(summary: Summary, one: TermMap) -> list[list[str]]:
    """The rows of the terms that the opening metric chooses."""
    rows = []
    for rank, i in enumerate(one.rankings[0].best[: summary.opening].tolist(), start=1):
        if i >= 0:
            rows.append([f"{rank}", *term_cells(summary, one, i)])
    return rows


def term_cells(summary: Summary, one: TermMap, i: int) -> list[str]:
    """A drawn term: its name, its side, counts, rates and score."""
    tp, fp = float(one.tp[i]), float(one.fp[i])
    tpr, fpr = tp / one.pos if one.pos else 0.0, fp / one.neg if one.neg else 0.0
    side = "for" if tpr > fpr else "against" if tpr < fpr else "neither"
    name = name_of(clipped(summary.counts.terms[one.rows[i]]))
    value = score(float(f"{one.scores[0][i]:.4g}"))
    return [name, side, amount(tp), amount(fp), share(tpr), share(fpr), value]


def best_section(summary: Summary) -> str:
    """The best terms of a class on both sides, with words in context, and those of every class."""
    one = summary.open_map
    ranking, name = one.rankings[0], clipped(summary.counts.classes[one.column])
    sides = [
        table(f"{key}-terms", f"Terms that speak {word} {name}", SIDES, side_rows(summary, one, places, key))
        for key, word, places in (
            ("for", "for", ranking.speaking.tolist()),
            ("against", "against", ranking.against.tolist()),
        )
    ]
    every = table(
        "every",
        f"The best terms of every class by {summary.metrics[0].name}",
        EVERY,
        every_rows(summary),
        tall=True,
    )
    return tag(
        "section",
        tag("h2", "The best terms"),
        tag("p", "The clearest signs of the class, and the clearest signs that a document is not in it."),
        tag("div", *(tag("div", side) for side in sides), class_="beside even"),
        context(summary, one),
        tag("details", tag("summary", "Every class"), every, open=True),
        id="best",
    )


EVERY = (Column("class"), Column("speak for it"), Column("speak against it"))


def side_rows(summary: Summary, one: TermMap, places: list[int], colour: str) -> list[list[str]]:
    """The bars of one side, on the scale of both."""
    values = [float(f"{one.scores[0][i]:.4g}") for i in places]
    both = [*one.rankings[0].speaking.tolist(), *one.rankings[0].against.tolist()]
    longest = max((abs(float(f"{one.scores[0][i]:.4g}")) for i in both), default=0.0) or 1.0
    return [
        [
            name_of(clipped(summary.counts.terms[one.rows[i]])),
            bar(abs(value) / longest, score(value), colour),
            amount(one.tp[i]),
            amount(one.fp[i]),
        ]
        for i, value in zip(places, values, strict=True)
    ]


def every_rows(summary: Summary) -> list[list[str]]:
    """A row a class: its best terms on both sides."""

    def line(one: TermMap, places: list[int]) -> str:
        return " ".join(name_of(clipped(summary.counts.terms[one.rows[i]])) for i in places)

    return [
        [
            name_of(clipped(summary.counts.classes[one.column])),
            line(one, one.rankings[0].speaking.tolist()),
            line(one, one.rankings[0].against.tolist()),
        ]
        for one in summary.shown
    ]


def context(summary: Summary, one: TermMap) -> str:
    """Words in context, for all terms of the opening class; the script shows one term at a time."""
    if not summary.uses:
        note = "The texts were left out of this report, so there are no words in context."
        return tag("p", note, class_="note")
    ranking = one.rankings[0]
    wanted = [
        (i, inside) for places, inside in ((ranking.speaking, True), (ranking.against, False)) for i in places
    ]
    rows = [
        context_row(snippet)
        for i, inside in wanted
        for snippet in summary.uses.get((summary.counts.terms[one.rows[i]], one.column, inside), ())
    ]
    return tag("div", table("context", "Words in context", CONTEXT, rows, tall=True), class_="context")


def context_row(snippet: Snippet) -> list[str]:
    """A use of a term."""
    parts = [tag("bdi", escape(part)) for part in (snippet.before, snippet.term, snippet.after)]
    return [parts[0], tag("strong", parts[1]), parts[2], name_of(clipped(snippet.label))]


def agreement_section(summary: Summary) -> str:
    """How far the metrics agree, as two tables whose cells are shaded."""
    at = summary.ks.index(summary.opening)
    names = [metric.name for metric in summary.metrics]
    columns = [Column("metric"), *(Column(name, "heat") for name in names)]
    overlap = [
        [escape(name), *(heat(float(value), share(float(value))) for value in row)]
        for name, row in zip(names, summary.agreement[at].round(3), strict=True)
    ]
    ranks = [
        [escape(name), *(heat(float(value), f"{value:.2f}") for value in row)]
        for name, row in zip(names, summary.rankings.correlation.round(3), strict=True)
    ]
    said = f"Overlap of the {summary.opening:,} best terms of a class"
    return tag(
        "section",
        tag("h2", "Where metrics agree"),
        tag("p", "Two metrics that choose the same terms need not both be tried."),
        table("overlap", said, columns, overlap),
        table("correlation", "Rank correlation", columns, ranks),
        tag("p", escape(correlation_sentence(summary)), class_="note"),
        id="agreement",
    )


def heat(value: float, text: str) -> str:
    """A shaded cell."""
    return f'<span class="heat" style="--v:{100 * max(value, 0.0):.0f}%">{escape(text)}</span>'
