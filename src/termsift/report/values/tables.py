"""Tables as a page shows them: columns, rows of plain cells, a caption. Here those of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from termsift.metrics import Metric
from termsift.report.values.facts import Bar, ClassFacts, CorpusFacts
from termsift.report.values.written import amount_text, clipped, plain_number, share_text

# rows of a table that has one for each class
MOST_ROWS = 300


@dataclass(frozen=True, slots=True)
class Shaded:
    """A text with a share of 100 per cent, which is drawn as a bar or as a shade."""

    text: str
    share: float


# a cell of the kind "names" holds several
Cell: TypeAlias = str | Shaded | Sequence[str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; each kind is drawn in a way of its own (templates/table.html).

    kind : "text", "name", "names", "number", "bar", "heat", "code", "before" or "hit"
    note : what its title means
    """

    title: str
    kind: str = "text"
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of the page.

    caption : what it says of itself, the names of fields in braces
    fields : the values of those names; None where the table stays as it is, whatever is chosen
    tall : whether it scrolls in a box of its own
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    fields: Mapping[str, str] | None = None
    tall: bool = False

    @property
    def said(self) -> str:
        """The caption with its values."""
        return self.caption if self.fields is None else self.caption.format(**self.fields)

    @property
    def blank_row(self) -> list[Cell]:
        """A row to be filled."""
        blanks: dict[str, Cell] = {"bar": Shaded("", 0), "heat": Shaded("", 0), "names": [""]}
        return [blanks.get(column.kind, "") for column in self.columns]


def shaded(share: float, text: str) -> Shaded:
    """A cell with a share, 0 to 1, that is drawn."""
    return Shaded(text, round(100 * min(max(share, 0.0), 1.0), 1))


CLASSES = (
    Column("class", "name"),
    Column("documents", "bar"),
    Column("share", "number"),
    Column("skew", "number", "documents outside the class for each one in it"),
    Column("length", "number", "occurrences of terms in a document, on average"),
    Column("vocabulary", "number", "different terms in its documents"),
)
MEDIAN = Column("words", "number", "words of its median document")


def class_table(corpus: CorpusFacts) -> ReportTable:
    """Classes, sizes, skew, lengths, vocabulary."""
    known = corpus.words is not None
    shown = corpus.classes[:MOST_ROWS]
    most = max((one.documents for one in shown), default=0) or 1
    caption = "Classes, the largest first"
    if len(shown) < len(corpus.classes):
        caption += f": the first {len(shown):,} of {len(corpus.classes):,}"
    rows = [[*class_cells(one, most), *([median_cell(one)] if known else [])] for one in shown]
    return ReportTable("classes", caption, (*CLASSES, MEDIAN) if known else CLASSES, rows, tall=True)


def class_cells(one: ClassFacts, most: float) -> list[Cell]:
    """A class."""
    return [
        clipped(one.name),
        shaded(one.documents / most, amount_text(one.documents)),
        share_text(one.share),
        plain_number(one.skew, 3),
        plain_number(one.length, 3),
        f"{one.vocabulary:,}",
    ]


def median_cell(one: ClassFacts) -> str:
    """The words of the median document, where there is one."""
    return "" if one.words is None else plain_number(one.words, 4)


def band_tables(corpus: CorpusFacts) -> list[ReportTable]:
    """Terms by document frequency, and documents by length where known."""
    terms = "Terms by the number of documents that hold them"
    tables = [band_table("bands", terms, "documents", "terms", corpus.bands)]
    if corpus.lengths:
        caption = "Documents by their number of words"
        tables.append(band_table("lengths", caption, "words", "documents", corpus.lengths))
    return tables


def band_table(name: str, caption: str, what: str, number: str, bars: Sequence[Bar]) -> ReportTable:
    """Bands with bars."""
    most = max(one.number for one in bars)
    rows: list[list[Cell]] = [[one.label, shaded(one.number / most, f"{one.number:,}")] for one in bars]
    return ReportTable(name, caption, (Column(what), Column(number, "bar")), rows)


def metric_table(metrics: Sequence[Metric]) -> ReportTable:
    """What the metrics are."""
    columns = (Column("metric"), Column("sides"), Column("formula", "code"), Column("source"))
    sides = {0: "none", 1: "one", 2: "two"}
    rows = [[m.name, sides[m.sided], m.formula, m.source] for m in metrics]
    return ReportTable("metrics", "Metrics of this page", columns, rows)
