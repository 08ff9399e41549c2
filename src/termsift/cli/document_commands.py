"""The command that writes a report of documents: one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from termsift.cli.commands import Against, Data, KeepParts, Many
from termsift.cli.comparing.options import Title
from termsift.cli.data import (
    DEFAULT,
    Reading,
    counts_of,
    document_counts,
    documents_of,
    page_title,
    set_against,
    within_limits,
)
from termsift.cli.ending import say
from termsift.cli.outputs import check_outputs, write_text
from termsift.cli.talk import working
from termsift.contingency.contrasts import class_columns
from termsift.counts import Counts, is_counts_file
from termsift.errors import InvalidInput
from termsift.scores.words import FOR_READING
from termsift.scoring import metric_with_options


def report(
    data: Data,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The HTML file to write.")],
    title: Title = None,
    metric: Annotated[
        str, Parameter(help="The metric that the page opens with, as bns or \"ig(smoothing='ele')\".")
    ] = FOR_READING,
    k: Annotated[
        int | None,
        Parameter(name=["-k", "--k"], help="How many terms of a class it opens with, at most 300."),
    ] = None,
    class_: Annotated[
        Many,
        Parameter(name="--class", help="A class to show, the first first; the largest if none is given."),
    ] = [],  # noqa: B006
    against: Against = [],  # noqa: B006
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out: terms and counts alone, no words in context.")
    ] = False,
    keep_parts: KeepParts = False,
    reading: Reading = DEFAULT,
) -> None:
    """Write a page to look at: the words of each class, a map of terms, words in context, metrics, corpus.

    It is one file that opens in any browser without a network.
    """
    from termsift.report import report_html
    from termsift.report.values.summary import MOST_K

    check_outputs(data, reading, output)
    metric_with_options(metric)
    if k is not None and k > MOST_K:
        raise InvalidInput(f"k must be at most {MOST_K} on a page, got {k}: it is the terms of one class")
    counts, documents = corpus_of(data, reading, no_texts)
    if against:
        counts, documents, class_ = two_sides(counts, documents, class_, against)
    with working("drawing"):
        page = report_html(
            within_limits(counts, reading.terms),
            title=title or page_title(data),
            metric=metric,
            k=k,
            classes=class_,
            keep_parts=keep_parts,
            **documents,
        )
    write_text(output, page)
    say(f"{counts}: the report is {output} ({len(page.encode()) / 1e6:.1f} MB)")


def two_sides(
    counts: Counts, documents: dict[str, Any], class_: list[str], against: list[str]
) -> tuple[Counts, dict[str, Any], list[Any]]:
    """The counts of two sides, their texts with the side of each, and the names of the sides."""
    sides, (ours,) = set_against(counts, class_, against)
    (theirs,) = (name for name in sides.classes if name != ours)
    if not documents:
        return sides, {}, [ours, theirs]
    named = dict.fromkeys(class_columns(counts, class_), ours) | dict.fromkeys(
        class_columns(counts, against), theirs
    )
    side_of = {i: name for c, name in named.items() for i in documents["labels"].of(c).tolist()}
    own = sorted(side_of)
    texts = [documents["texts"][i] for i in own]
    return sides, {"texts": texts, "labels": [side_of[i] for i in own]}, [ours, theirs]


def corpus_of(data: Sequence[str], reading: Reading, no_texts: bool) -> tuple[Counts, dict[str, Any]]:
    """The counts, and the texts with their labels where there are any and they are wanted."""
    if no_texts or any(map(is_counts_file, data)):
        return counts_of(data, reading), {}
    given = documents_of(data, reading)
    counts = document_counts(given, reading)
    return counts, {} if given.texts is None else {"texts": given.texts, "labels": given.labels}
