"""The commands of whole corpora: what one says more than another, and the sum of their counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError, UnreadableFileError, one_line
from termsift.cli.commands import AsCsv, AsJson, Data, KeepParts
from termsift.cli.console import STDIN, check_form, printable_lines, put, put_for_people, say, working
from termsift.cli.data import (
    DEFAULT,
    DataDir,
    Reading,
    check_outputs,
    counts_of,
    data_name,
    document_counts,
    documents_of,
    write_text,
)
from termsift.cli.options import FILES, PLAIN, FileOptions, Memory, TextOptions
from termsift.counts import Counts, is_counts_file
from termsift.metrics import metric_with_options
from termsift.text import analyzer_from

if TYPE_CHECKING:
    from termsift.analysis import Difference


@Parameter(name="*")
@dataclass(frozen=True)
class Texts:
    """How the files of texts are read; no labels are."""

    files: FileOptions = FILES
    on_missing: Annotated[str, Parameter(help="Rows without text: 'error' or 'skip'.")] = "error"
    memory: Memory = None
    jobs: Annotated[int | None, Parameter(help="Threads; all cores where not given.")] = None
    data_dir: DataDir = None
    terms: TextOptions = PLAIN

    @property
    def reading(self) -> Reading:
        """The same as the other commands have it, without labels."""
        return Reading(**{name: getattr(self, name) for name in self.__dataclass_fields__}, label="")


ALL = Texts()
Corpus = Annotated[
    str,
    Parameter(
        help="A file or folder of texts, a pattern, an address, saved counts, a corpus name, or a list "
        "of words: a CSV or TSV file of the columns term and count."
    ),
]


def diff(
    new: Corpus,
    old: Corpus,
    *,
    metric: Annotated[
        str | None,
        Parameter(help="What ranks the terms; g2 of documents, of occurrences with a list of words."),
    ] = None,
    top: Annotated[int, Parameter(help="How many terms of each direction.")] = 20,
    effect: Annotated[
        str | None, Parameter(help="odds_ratio, log_ratio, lrc or rate_difference, with its interval.")
    ] = None,
    level: Annotated[float, Parameter(help="Of the interval.")] = 0.95,
    adjust: Annotated[str, Parameter(help="'bonferroni': the intervals of all terms hold at once.")] = "none",
    expected: Annotated[float, Parameter(help="How many terms above chance may be there by chance.")] = 1,
    keep_parts: KeepParts = False,
    texts: Texts = ALL,
    report: Annotated[Path | None, Parameter(help="Write a page of both to this HTML file.")] = None,
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out of the page: no words in context.")
    ] = False,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Write the terms here, not to the terminal.")
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show what a corpus says more than another, and what it says less.

    For two versions of a model or a prompt, this month against the last, what comes in against what was
    trained on, a corpus against a list of words. The files need no labels. Shown are the terms that are more
    than chance; --json and --csv print the best, and say of each whether it is.
    """
    check_form(as_json, as_csv)
    check_question(new, old, metric, top)
    check_outputs((new, old), texts.reading, output, report)
    with_texts = report is not None and not no_texts
    reading = replace(texts.reading, terms=terms_like((new, old), texts.terms))
    sides = [corpus_side(data, reading, with_texts) for data in (new, old)]
    how: dict[str, Any] = {"metric": metric, "expected": expected}
    how |= {"min_df": texts.terms.min_df, "max_df": texts.terms.max_df}
    read: dict[str, Any] = {"text": texts.files.columns, **texts.files.reading}
    found = ts.diff(sides[0].data, sides[1].data, names=short_names(new, old), **how, **read)
    shown = {"effect": effect, "level": level, "adjust": adjust, "keep_parts": keep_parts}
    put_terms(told_difference(found, top, shown, as_json, as_csv), output, as_json or as_csv)
    if report is not None:
        write_report(found, sides, report)


def check_question(new: str, old: str, metric: str | None, top: int) -> None:
    """An error for what cannot be asked, before anything is read."""
    if top < 1:
        raise InvalidInputError(f"top must be at least 1, got {top}")
    if new == old == STDIN:
        raise InvalidInputError(
            "both are standard input, which can be read once; give a file for one of them"
        )
    if metric is not None:
        metric_with_options(metric)


def terms_like(corpora: Sequence[str], options: TextOptions) -> TextOptions:
    """The options, by which texts are counted as one of the corpora was, if it holds counts."""
    _ = options.analyzer  # stop words that are chosen by labels are an error
    known = [analyzer_from(Counts.load(name).analyzer) for name in corpora if is_counts_file(name)]
    return replace(options, like=next(filter(callable, known), None))


def put_terms(told: str, output: Path | None, for_programs: bool) -> None:
    """The terms where they are wanted: in a file, for programs, for people."""
    if output is not None:
        write_text(output, told)
        say(f"the terms are written to {output}")
    elif for_programs:
        put(told)
    else:
        put_for_people(told.removesuffix("\n"))


@dataclass(frozen=True)
class Side:
    """One of two corpora: its counts, or the name of a list of words; its texts, where they are wanted."""

    data: Any
    texts: list[str] | None = None


def corpus_side(data: str, reading: Reading, with_texts: bool) -> Side:
    """The counts of a corpus, and its texts for a page."""
    from termsift.analysis import is_word_list

    if is_word_list(data, reading.files.columns, reading.files.encoding):
        return Side(data)
    if not with_texts or is_counts_file(data):
        return Side(counts_of([data], reading))
    given = documents_of([data], reading)
    return Side(document_counts(given, reading), given.texts)


def short_names(new: str, old: str) -> tuple[str, str]:
    """The names of two files without their folders; with these where they are alike."""
    for first, second in ((data_name([new]), data_name([old])), (new, old)):
        if first != second:
            return first, second
    return "new", "old"


def told_difference(found: Difference, top: int, shown: dict[str, Any], as_json: bool, as_csv: bool) -> str:
    """The terms of both directions, as programs or people read them."""
    if as_json or as_csv:
        table = found.table(top, **shown)
        return table.to_json() + "\n" if as_json else table.to_csv()
    from termsift.analysis import format_significant_terms

    head, *sides = found.sentences
    tables = found.more(top, **shown), found.less(top, **shown)
    parts = [format_significant_terms(side, table) for side, table in zip(sides, tables, strict=True)]
    return printable_lines("\n\n".join([f"{head}\n{told_columns(found, shown)}", *parts])) + "\n"


def told_columns(found: Difference, shown: dict[str, Any]) -> str:
    """What the columns are."""
    from termsift.metrics import Effect

    effect = Effect(shown["effect"] or found.scores.usual_effect.name, shown["level"], shown["adjust"])
    what = "occurrences of the term" if found.scores.of == "tf" else "documents that hold the term"
    return f"new, old: {what}; {effect.words}."


def write_report(found: Difference, sides: list[Side], report: Path) -> None:
    """The page of both corpora, with their texts where both have them."""
    with working("drawing"):
        texts: list[str] = []
        labels: list[Any] = []
        for name, side in zip(found.names, sides, strict=True):
            texts += side.texts or []
            labels += [name] * len(side.texts or [])
        whole = all(side.texts is not None for side in sides)
        page = found.to_html(texts=texts if whole else None, labels=labels if whole else None)
    write_text(report, page)
    say(f"the report is {report} ({len(page.encode()) / 1e6:.1f} MB)")


def merge(
    *data: Annotated[str, Parameter(help="Files of saved counts.")],
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="Save their sum here.")],
) -> None:
    """Add saved counts: of parts of a corpus, of days, of machines; the same as counting all at once."""
    if len(data) < 2:
        raise InvalidInputError(f"give at least two files of saved counts, got {len(data)}")
    check_outputs(data, Reading(), output)
    total = Counts.empty()
    for name in data:
        if not os.path.exists(name):
            raise UnreadableFileError(f"there is no file {name}")
        total = added(total, Counts.load(name), name)
    total.save(output)
    say(f"{total} saved to {output}")


def added(total: Counts, part: Counts, name: str) -> Counts:
    """The sum of counts; what does not add is told with its file."""
    try:
        return total + part
    except InvalidInputError as error:
        raise InvalidInputError(f"{name} does not add to the others: {error}") from error


FOUND = 3  # the exit code where something was found that --fail-on asks for


def audit(
    data: Data,
    *,
    test: Annotated[str | None, Parameter(help="Documents to test with: are any of them in DATA?")] = None,
    fail_on: Annotated[
        str,
        Parameter(help="Checks, such as copies,labels, or any: exit with code 3 where one found something."),
    ] = "",
    report: Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")] = None,
    top: Annotated[int, Parameter(help="How many cases of each check are shown.")] = 5,
    seed: Annotated[int, Parameter(help="What folds are drawn by, to doubt labels.")] = 0,
    reading: Reading = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with labelled data before anybody trains on it.

    Looked for are rows without text or label (missing), labels that differ by case or blanks (labels), small
    classes (small), documents without terms (empty), damage of encoding (encoding), test documents that are
    copies of training documents (leakage), copies with different labels (conflicts) and with the same
    (copies), tokens that give a label away (giveaways), and labels that the words speak against (suspects).
    """
    from termsift.analysis import audit_inputs, parse_checks

    if top < 0:
        raise InvalidInputError(f"top must be at least 0, got {top}")
    wanted = [name.strip() for name in fail_on.split(",") if name.strip()]
    if wanted:
        parse_checks(wanted)
    check_outputs([*data, *([] if test is None else [test])], reading, report)
    reading = replace(reading, on_missing="skip")
    analysis = reading.terms.analysis
    train = documents_of(data, reading)
    held = None if test is None else documents_of([test], reading)
    with working(f"looking at {len(train.labels):,} documents"):
        found = audit_inputs(train, held, random_state=seed, n_jobs=reading.jobs, **analysis)
    if as_json:
        put(found.to_json() + "\n")
    else:
        put_for_people(found.text(top))
    if report is not None:
        write_text(report, found.to_html(f"Audit of {one_line(data_name(data))}"))
        say(f"the report is {report}")
    failed = found.found(wanted) if wanted else []
    if failed:
        say(f"termsift: found what --fail-on asks for: {', '.join(failed)}")
        raise SystemExit(FOUND)
