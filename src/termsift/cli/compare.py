"""The options of a comparison: what is tried, how it is judged, where results go."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table, text_table
from termsift.cli.commands import Against, AsCsv, AsJson, Data, KeepParts, Many
from termsift.cli.console import check_form, put, put_for_people, say, share_progress, show, working
from termsift.cli.data import (
    DEFAULT,
    Reading,
    check_outputs,
    counts_of,
    document_counts,
    documents_of,
    page_title,
    set_against,
    within_limits,
    write_text,
)
from termsift.cli.options import memory_bytes
from termsift.counts import Counts, class_columns, is_counts_file
from termsift.engines import LabelledInput
from termsift.metrics import metric_with_options, score
from termsift.report import FOR_READING, class_words, told_words

Title = Annotated[str | None, Parameter(help="The heading of the page; the name of what is read, if none.")]


@Parameter(name="*")
@dataclass(frozen=True)
class CandidateOptions:
    """What is tried."""

    metric: Annotated[
        Many,
        Parameter(
            help="What to choose terms by: a metric such as bns, bns:round_robin, cc:combined, ig:cmim; greedy, l1, "
            "all; class_weights, divisive(200) for features made of terms; bns@1-2, all@chars3-5 for runs of "
            "words or characters as terms. A good set if none."
        ),
    ] = field(default_factory=list)
    k: Annotated[
        list[int],
        Parameter(name=["-k", "--k"], consume_multiple=False, negative=(), help="A number of terms to try."),
    ] = field(default_factory=list)
    classifier: Annotated[
        Many,
        Parameter(
            help="multinomial_nb, complement_nb, svm or logistic; with :binary on 0/1 features; svm:bns or svm:igm on "
            "terms weighted by a metric; svm_tuned with thresholds tuned for a goal of F. A good set if none."
        ),
    ] = field(default_factory=list)
    thorough: Annotated[
        bool, Parameter(negative=(), help="Try all to the end, also what cannot win any more.")
    ] = False

    @property
    def given(self) -> dict[str, Any]:
        """What was given, as `ts.compare` takes it."""
        known: dict[str, Any] = {"metrics": self.metric, "k": self.k, "classifiers": self.classifier}
        known["thorough"] = self.thorough
        return {name: value for name, value in known.items() if value}


@Parameter(name="*")
@dataclass(frozen=True)
class JudgingOptions:
    """How it is judged."""

    goal: Annotated[
        Many,
        Parameter(
            help="f1_macro, f1_micro, f2_macro and the like, accuracy, balanced_accuracy, precision, recall, "
            "mcc, average_precision, 'precision_at_recall(0.9)', break_even; of several the first decides. "
            "f1_macro if none."
        ),
    ] = field(default_factory=list)
    folds: Annotated[int, Parameter(help="Folds of the cross-validation, or windows of time.")] = 5
    repeats: Annotated[
        int | None, Parameter(help="How often it is repeated; more for smaller corpora where not given.")
    ] = None
    seed: Annotated[int, Parameter(help="What the folds are drawn by.")] = 0
    group: Annotated[
        str | None, Parameter(help="A column, such as the author: none of its values is on both sides.")
    ] = None
    time: Annotated[
        str | None, Parameter(help="A column of dates or numbers: learn from the past, judge what came next.")
    ] = None
    split: Annotated[str | None, Parameter(help="A column that says train or test.")] = None
    test: Annotated[
        str | None, Parameter(help="Documents to judge by, with the same columns; DATA is learned from.")
    ] = None
    weight: Annotated[
        str | None, Parameter(help="A column of numbers: what a document counts for in all that is done.")
    ] = None
    within: Annotated[
        float | None, Parameter(help="Recommend the fewest terms that give up at most this, such as 0.01.")
    ] = None
    terms: Annotated[int | None, Parameter(help="Recommend the best of at most so many terms.")] = None
    latency: Annotated[
        float | None, Parameter(help="Recommend the best that labels a document in so many milliseconds.")
    ] = None
    drop_copies: Annotated[
        bool, Parameter(negative=(), help="Of documents that are copies, or nearly, keep the first.")
    ] = False

    @property
    def given(self) -> dict[str, Any]:
        """The options, as `ts.compare` takes them."""
        names = ("folds", "repeats", "drop_copies", "within", "latency")
        goal = {"goal": self.goal} if self.goal else {}
        return (
            goal
            | {name: getattr(self, name) for name in names}
            | {
                "random_state": self.seed,
                "at_most": self.terms,
            }
        )

    @property
    def marks(self) -> dict[str, str | None]:
        """The columns beside texts and labels, by their use."""
        return {name: getattr(self, name) for name in ("group", "time", "split", "weight")}


@Parameter(name="*")
@dataclass(frozen=True)
class ResultFiles:
    """Where results go."""

    save: Annotated[
        Path | None, Parameter(help="Write vocabulary, selection and a scikit-learn pipeline to this folder.")
    ] = None
    overwrite: Annotated[
        bool, Parameter(negative=(), help="Let --save write over the model that the folder holds.")
    ] = False
    calibrate: Annotated[
        bool, Parameter(negative=(), help="Save what turns margins into probabilities, found out of fold.")
    ] = False
    report: Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")] = None
    title: Title = None
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out of the page: no words in context.")
    ] = False


CANDIDATES, JUDGING, NOWHERE = CandidateOptions(), JudgingOptions(), ResultFiles()

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
    from termsift.engines import sample_bound

    start = time.monotonic()
    check_form(as_json, as_csv)
    check_outputs(data, reading, files.report, *model_files(files))
    check_ways(judging)
    if files.calibrate and files.save is None:
        raise InvalidInputError("--calibrate is for a model that is saved; give --save too")
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
        told_of_saving(found, files.save, files.overwrite, for_programs=as_json or as_csv)


def check_ways(judging: JudgingOptions) -> None:
    """An error where documents are to be split in two ways."""
    ways = [f"--{name}" for name in ("test", "split", "time") if getattr(judging, name) is not None]
    if len(ways) > 1:
        raise InvalidInputError(f"give one of {' and '.join(ways)}: each says how documents are split")


def budget_left(budget: float | None, read: float) -> float | None:
    """What reading leaves of a budget of seconds."""
    if budget is not None and 0 < budget <= read:
        raise InvalidInputError(f"a budget of {budget:g} s is too small: reading alone took {read:.1f} s")
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
    from termsift.engines import check_labels

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
    from termsift.compare import check_folder
    from termsift.models import FILES

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


def told_of_saving(found: Any, folder: Path, overwrite: bool, for_programs: bool) -> None:
    """Save the model, and say how it is used; where stdout is for programs, on stderr."""
    from termsift.compare import how_to_use

    files = found.save(folder, overwrite=overwrite)
    say(f"saved {', '.join(file.name for file in files)} to {folder}; to use it:")
    lines = how_to_use(folder, found.models[0].documents)
    if not for_programs:
        put_for_people("\n" + lines)
        return
    for line in lines.splitlines():
        say(line)


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
    from termsift.report import MOST_K, report_html

    check_outputs(data, reading, output)
    metric_with_options(metric)
    if k is not None and k > MOST_K:
        raise InvalidInputError(
            f"k must be at most {MOST_K} on a page, got {k}: it is the terms of one class"
        )
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
