"""The command that writes a report: one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift.cli.commands import Data, Many, MinDf, app
from termsift.cli.data import DEFAULT, STDIN, Reading, at_least, counts_of, documents_of
from termsift.cli.talk import check_output, say, working
from termsift.counts import Counts, is_counts_file
from termsift.errors import InvalidInput
from termsift.output import replacing


@app.command
def report(
    data: Data,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The HTML file to write.")],
    title: Annotated[str | None, Parameter(help="The heading of the page.")] = None,
    metric: Annotated[str, Parameter(help="The metric that the page opens with.")] = "bns",
    k: Annotated[
        int | None,
        Parameter(name=["-k", "--k"], help="How many terms of a class it opens with, at most 300."),
    ] = None,
    class_: Annotated[
        Many,
        Parameter(name="--class", help="A class to show, the first first; the largest if none is given."),
    ] = [],  # noqa: B006
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out: terms and counts alone, no words in context.")
    ] = False,
    reading: Reading = DEFAULT,
    min_df: MinDf = 1,
) -> None:
    """Write a page to look at: the corpus, a map of its terms, the best in context, which metrics agree.

    It is one file that opens in any browser without a network.
    """
    from termsift.report import report_html
    from termsift.report.values.summary import MOST_K

    check_output(output)
    ts.metrics()[metric]
    if k is not None and k > MOST_K:
        raise InvalidInput(f"k must be at most {MOST_K} on a page, got {k}: it is the terms of one class")
    counts, documents = corpus_of(data, reading, no_texts)
    with working("drawing"):
        page = report_html(
            at_least(counts, min_df),
            title=f"Terms of {'standard input' if data == STDIN else data}" if title is None else title,
            metric=metric,
            k=k,
            classes=class_,
            **documents,
        )
    with replacing(output) as temporary:
        temporary.write_text(page, encoding="utf-8")
    say(f"{counts}: the report is {output} ({len(page.encode()) / 1e6:.1f} MB)")


def corpus_of(data: str, reading: Reading, no_texts: bool) -> tuple[Counts, dict[str, Any]]:
    """The counts, and the texts with their labels where there are any and they are wanted."""
    if no_texts or is_counts_file(data):
        return counts_of(data, reading), {}
    given = documents_of(data, reading)
    with working(f"counting {len(given['labels']):,} documents"):
        counts = ts.count(
            given["data"],
            given["labels"],
            terms=given["terms"],
            n_jobs=reading.jobs if given["terms"] is None else None,
        )
    if given["terms"] is not None:
        return counts, {}
    return counts, {"texts": given["data"], "labels": given["labels"]}
