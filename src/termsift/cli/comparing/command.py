"""The command that compares: which metric to trust, and how many terms to keep."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift.cli.commands import AsCsv, AsJson, Data
from termsift.cli.comparing.options import (
    CANDIDATES,
    JUDGING,
    NOWHERE,
    CandidateOptions,
    JudgingOptions,
    ResultFiles,
)
from termsift.cli.data import DEFAULT, Reading, documents_of, page_title
from termsift.cli.ending import say
from termsift.cli.options.files import memory_bytes
from termsift.cli.outputs import check_outputs, write_text
from termsift.cli.talk import check_form, put, put_for_people, share_progress, show, working
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.inputs import LabelledInput
from termsift.scores.words import FOR_READING, class_words, told_words
from termsift.scoring import score
from termsift.tables import Table, text_table

MOST_CLASSES = 25


def compare(
    data: Data,
    *,
    tried: CandidateOptions = CANDIDATES,
    judging: JudgingOptions = JUDGING,
    budget: Annotated[float | None, Parameter(help="Seconds to stop after, with what is known then.")] = None,
    files: ResultFiles = NOWHERE,
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
    from termsift.engines.sampling import sample_bound

    start = time.monotonic()
    check_form(as_json, as_csv)
    check_outputs(data, reading, files.report, *model_files(files))
    check_ways(judging)
    if files.calibrate and files.save is None:
        raise InvalidInput("--calibrate is for a model that is saved; give --save too")
    room = None if reading.memory is None else memory_bytes(reading.memory)
    bound = sample_bound(room, budget, judging.seed, start)
    given = documents_of(data, reading, judging.marks, bound)
    held = None if judging.test is None else documents_of([judging.test], reading, judging.marks, bound)
    are_told = tried == CANDIDATES and judging == JUDGING and not (as_json or as_csv)
    are_told = are_told and words_told_first(given, reading)
    left = budget_left(budget, time.monotonic() - start)
    with share_progress("comparing") as advance:
        options = {**tried.given, **judging.given, **reading.terms.analysis}
        options |= {"calibrate": files.calibrate, "n_jobs": reading.jobs, "budget": left, "progress": advance}
        options |= {} if as_json or as_csv or are_told else {"counted": put_words}
        found = ts.compare(given, test=held, **options)
    tell(found, as_json, as_csv, details)
    if files.report is not None:
        write_page(found, data, files, files.report)
    if files.save is not None:
        told_of_saving(found, files.save, files.overwrite)


def check_ways(judging: JudgingOptions) -> None:
    """An error where documents are to be split in two ways."""
    ways = [f"--{name}" for name in ("test", "split", "time") if getattr(judging, name) is not None]
    if len(ways) > 1:
        raise InvalidInput(f"give one of {' and '.join(ways)}: each says how documents are split")


def budget_left(budget: float | None, read: float) -> float | None:
    """What reading leaves of a budget of seconds."""
    if budget is not None and 0 < budget <= read:
        raise InvalidInput(f"a budget of {budget:g} s is too small: reading alone took {read:.1f} s")
    return None if budget is None else budget - read


def write_page(found: Any, data: list[str], files: ResultFiles, path: Path) -> None:
    """Write the page with all of it."""
    with working("drawing"):
        page = found.to_html(title=files.title or page_title(data), with_texts=not files.no_texts)
    write_text(path, page)
    say(f"the report is {path}")


def put_words(counts: Counts) -> None:
    """The words of each class, which are known long before the answer."""
    words = class_words(score(counts, FOR_READING), counts.classes)
    put_for_people(told_words(words, FOR_READING) + "\n")


def words_told_first(given: LabelledInput, reading: Reading) -> bool:
    """Tell the words of all texts before what compares them is loaded, which takes longer than to count."""
    from termsift.experiment.documents import check_labels

    if given.texts is None:
        return False
    check_labels(given.labels)
    counts = ts.count(given.texts, given.labels.names, n_jobs=reading.jobs, **reading.terms.analysis)
    if len(counts.terms):
        put_words(counts)
    return len(counts.terms) > 0


def tell(found: Any, as_json: bool, as_csv: bool, details: bool) -> None:
    """The advice and the tables; for programs all of it as JSON, or all candidates as CSV."""
    if as_json:
        put(found.to_json() + "\n")
        return
    if as_csv:
        show(found.table, as_json, as_csv)
        for sentence in (*found.answer, *found.left_out, *found.warnings):
            say(sentence)
        return
    parts = [
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


def model_files(files: ResultFiles) -> list[Path]:
    """The files that a model will be, if it is to be saved; an error where its folder cannot be written."""
    if files.save is None:
        return []
    from termsift.compare.saving import check_folder
    from termsift.models.folder import FILES

    check_folder(files.save, files.overwrite)
    return [files.save / name for name in FILES if files.save.exists()]


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
    put_for_people("\n" + how_to_use(folder, found.models[0].documents))
