"""The commands that read the documents themselves: the comparison, and the report in one HTML file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift.cli.commands import Against, AsCsv, AsJson, Data, KeepParts, Many, app
from termsift.cli.data import (
    DEFAULT,
    Reading,
    counts_of,
    data_name,
    document_counts,
    documents_of,
    set_against,
    within_limits,
)
from termsift.cli.ending import say
from termsift.cli.outputs import check_outputs, write_text
from termsift.cli.talk import check_form, put, put_for_people, share_progress, show, working
from termsift.contingency.contrasts import class_columns
from termsift.counts import Counts, is_counts_file
from termsift.errors import InvalidInput, one_line
from termsift.scores.words import FOR_READING, told_words
from termsift.scoring import metric_with_options
from termsift.tables import Table, text_table

MOST_CLASSES = 25
Title = Annotated[str | None, Parameter(help="The heading of the page; the name of what is read, if none.")]


@app.command
def compare(
    data: Data,
    *,
    metric: Annotated[
        Many,
        Parameter(help="A metric to try, such as bns, bns:turns, cc:sides, ig:cmim; a good set if none."),
    ] = [],  # noqa: B006
    k: Annotated[
        list[int],
        Parameter(name=["-k", "--k"], consume_multiple=False, negative=(), help="A number of terms to try."),
    ] = [],  # noqa: B006
    classifier: Annotated[Many, Parameter(help="bayes, svm or logistic; all three if none is given.")] = [],  # noqa: B006
    goal: Annotated[
        str, Parameter(help="f1_macro, f1_micro, accuracy, precision, recall or break_even.")
    ] = "f1_macro",
    folds: Annotated[int, Parameter(help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[
        int | None, Parameter(help="How often it is repeated; more for smaller corpora where not given.")
    ] = None,
    seed: Annotated[int, Parameter(help="What the folds are drawn by.")] = 0,
    budget: Annotated[float | None, Parameter(help="Seconds to stop after, with what is known then.")] = None,
    save: Annotated[
        Path | None, Parameter(help="Write vocabulary, selection and a scikit-learn pipeline to this folder.")
    ] = None,
    overwrite: Annotated[
        bool, Parameter(negative=(), help="Let --save write over the model that the folder holds.")
    ] = False,
    report: Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")] = None,
    title: Title = None,
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out of the page: no words in context.")
    ] = False,
    drop_copies: Annotated[
        bool, Parameter(negative=(), help="Of documents that are copies, or nearly, keep the first.")
    ] = False,
    details: Annotated[
        bool, Parameter(negative=(), help="Print all that was found: every sentence and table.")
    ] = False,
    reading: Reading = DEFAULT,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the words of each class; say which metric to trust, and how many terms to keep.

    Metrics, numbers of terms and classifiers are tried by cross-validation, terms chosen inside each fold,
    beside what one would do otherwise: all terms, document frequency, scikit-learn's chi2, L1 regression.
    --json prints all that was found, --csv every candidate; --details the best of each method, size and
    class, and more.
    """
    start = time.monotonic()
    check_form(as_json, as_csv)
    check_outputs(data, reading, report, *model_files(save, overwrite))
    options: dict[str, Any] = {"goal": goal, "folds": folds, "repeats": repeats, "random_state": seed}
    options |= {"drop_copies": drop_copies, **reading.terms.analysis}
    given = documents_of(data, reading)
    options |= {"metrics": metric} if metric else {}
    options |= {"k": k} if k else {}
    options |= {"classifiers": classifier} if classifier else {}
    read = time.monotonic() - start
    if budget is not None and 0 < budget <= read:
        raise InvalidInput(f"a budget of {budget:g} s is too small: reading alone took {read:.1f} s")
    left = None if budget is None else budget - read
    with share_progress("comparing") as advance:
        options |= {"n_jobs": reading.jobs, "budget": left, "progress": advance}
        found = ts.compare(given.data, given.labels, terms=given.terms, **options)
    tell(found, as_json, as_csv, details)
    if report is not None:
        with working("drawing"):
            page = found.to_html(title=title or page_title(data), with_texts=not no_texts)
        write_text(report, page)
        say(f"the report is {report}")
    if save is not None:
        told_of_saving(found, save, overwrite)


def tell(found: Any, as_json: bool, as_csv: bool, details: bool) -> None:
    """The words, the advice and the tables; for programs all of it as JSON, or all candidates as CSV."""
    if as_json:
        put(found.to_json() + "\n")
        return
    if as_csv:
        show(found.table, as_json, as_csv)
        for sentence in (*found.answer, *found.left_out, *found.warnings):
            say(sentence)
        return
    parts = [
        told_words(found.words, FOR_READING),
        "\n".join([*found.answer, *found.left_out]),
        *(f"Warning: {sentence}" for sentence in found.warnings),
    ]
    parts += details_of(found) if details else ["The tables, and what else was found, come with --details."]
    put_for_people("\n\n".join(parts))


def details_of(found: Any) -> list[str]:
    """All that was found beside the words and the answer."""
    return [
        "\n".join(found.details),
        "The best of each method:\n" + text_table(rounded(found.methods)),
        "The best at each number of terms:\n" + text_table(rounded(found.by_size)),
        by_class_text(found.classes),
    ]


def model_files(folder: Path | None, overwrite: bool) -> list[Path]:
    """The files that a model will be, if it is to be saved; an error where its folder cannot be written."""
    if folder is None:
        return []
    from termsift.compare.saving import check_folder
    from termsift.models.folder import FILES

    check_folder(folder, overwrite)
    return [folder / name for name in FILES if folder.exists()]


def by_class_text(classes: Table) -> str:
    """The classes in which the recommended choice does worst, first."""
    order = classes["chosen"].argsort(kind="stable")
    shown = Table({name: column[order[:MOST_CLASSES]] for name, column in rounded(classes).columns.items()})
    more = len(classes) - len(shown)
    title = "Each class" if not more else f"The {MOST_CLASSES} hardest of {len(classes)} classes"
    return f"{title}: the recommended choice, and the method that does best there:\n{text_table(shown)}"


def rounded(table: Table) -> Table:
    """Figures to three digits after the point."""
    columns = {
        name: column.round(3) if column.dtype.kind == "f" else column
        for name, column in table.columns.items()
    }
    return Table(columns)


def told_of_saving(found: Any, folder: Path, overwrite: bool) -> None:
    """Save the model, and say how it is used."""
    from termsift.compare.saving import how_to_use

    files = found.save(folder, overwrite=overwrite)
    say(f"saved {', '.join(file.name for file in files)} to {folder}; to use it:")
    put_for_people("\n" + how_to_use(folder, found.documents))


@app.command
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


def page_title(data: Sequence[str]) -> str:
    """The heading of the page of what is read."""
    return one_line(f"Terms of {data_name(data)}")


def corpus_of(data: Sequence[str], reading: Reading, no_texts: bool) -> tuple[Counts, dict[str, Any]]:
    """The counts, and the texts with their labels where there are any and they are wanted."""
    if no_texts or any(map(is_counts_file, data)):
        return counts_of(data, reading), {}
    given = documents_of(data, reading)
    counts = document_counts(given, reading)
    return counts, {} if given.texts is None else {"texts": given.texts, "labels": given.labels}
