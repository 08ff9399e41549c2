"""The commands of saved models: what they say of documents, why, and how well."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError, one_line
from termsift._internal.files import replacing
from termsift.cli.commands import AsCsv, AsJson, Data, Many
from termsift.cli.console import check_form, put, put_for_people, say, show, working
from termsift.cli.data import (
    DataDir,
    Reading,
    as_paths,
    check_outputs,
    corpus_name,
    data_name,
    is_stdout,
    stream_copies,
    write_text,
)
from termsift.cli.options import FILES, FileOptions

if TYPE_CHECKING:
    from termsift._internal.tables import Table
    from termsift.models import Model

Folder = Annotated[Path, Parameter(help="The folder that `termsift compare --save` wrote.")]
Report = Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Unlabelled:
    """How files are read whose labels are not."""

    files: FileOptions = FILES
    on_missing: Annotated[str, Parameter(help="Rows without text: 'error' or 'skip'.")] = "error"
    data_dir: DataDir = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of files, as a model takes them."""
        held = {"text": self.files.columns, **self.files.reading, "on_missing": self.on_missing}
        return {name: value for name, value in held.items() if value is not None}


UNLABELLED = Unlabelled()


@Parameter(name="*")
@dataclass(frozen=True)
class Labelled:
    """How files are read whose labels are too."""

    texts: Unlabelled = UNLABELLED
    label: Annotated[str, Parameter(help="The column that holds the labels.")] = "label"
    separator: Annotated[str | None, Parameter(help="What parts several labels in one field.")] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of labels, as a model takes them."""
        label = None if self.texts.files.no_header and self.label == "label" else self.label
        return {"label": label, "separator": self.separator}


LABELLED = Labelled()


def predict(
    model: Folder,
    data: Data,
    *,
    margins: Annotated[bool, Parameter(negative=(), help="Add the margin of each class.")] = False,
    probabilities: Annotated[
        bool, Parameter(negative=(), help="Add the probability of each class, calibrated if saved so.")
    ] = False,
    keep: Annotated[Many, Parameter(help="A column to keep, such as an id; of a folder 'file'.")] = [],  # noqa: B006
    separator: Annotated[str, Parameter(help="What parts several labels in a field of CSV.")] = "|",
    reading: Unlabelled = UNLABELLED,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            help="Write to this file: .csv, .tsv, .jsonl or .parquet; else CSV is printed.",
        ),
    ] = None,
    as_lines: Annotated[
        bool, Parameter(name="--jsonl", negative=(), help="Print JSON lines, one per document.")
    ] = False,
) -> None:
    """Label documents by a saved model: a row for each, with its number, what is kept of it, and its label.

    Files are read and written as a stream, so they may be larger than memory.
    """
    from termsift.models import check_ending, csv_writer, json_writer, table_writer

    check_outputs([*data, str(model)], reading_of(reading), output)
    to_file = output is not None and not is_stdout(output)
    ending = check_ending(output) if output is not None and to_file else ""
    if to_file and as_lines:
        raise InvalidInputError("give one of --jsonl and -o; the name of a file says how it is written")
    loaded = ts.load_model(model)
    with model_data(data, reading) as (given, options):
        tables = loaded.predictions(given, margins=margins, probabilities=probabilities, keep=keep, **options)
        if output is not None and to_file:
            with (
                working(f"labelling {data_name(data)}"),
                replacing(output) as temporary,
                table_writer(temporary, ending, separator) as write,
            ):
                size = written_rows(tables, write)
            say(f"{size:,} documents labelled in {output}")
            return
        held = io.StringIO()
        write = json_writer(held) if as_lines else csv_writer(held, between=separator)
        for table in tables:
            write(table)
            put(held.getvalue())
            held.seek(0)
            held.truncate()


def explain(
    model: Folder,
    data: Data,
    *,
    row: Annotated[
        list[int],
        Parameter(consume_multiple=False, negative=(), help="A row to explain, from 1; the first if none."),
    ] = [],  # noqa: B006
    class_: Annotated[
        str | None, Parameter(name="--class", help="The class to explain; the label where not given.")
    ] = None,
    against: Annotated[str | None, Parameter(help="Why this class, rather than that one.")] = None,
    top: Annotated[int, Parameter(help="How many words of each document are shown.")] = 15,
    reading: Unlabelled = UNLABELLED,
    report: Report = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Say which words decided, for a class and against it, and by how much: they add up to the margin.

    The page shows the text of each document with its words marked.
    """
    from termsift.models import explanation_page, explanation_table

    check_form(as_json, as_csv)
    wanted = wanted_rows(row, top)
    check_outputs([*data, str(model)], reading_of(reading), report)
    loaded = ts.load_model(model)
    texts = texts_at(loaded, data, reading, wanted)
    found = loaded.explain(texts, class_, against=against)
    if as_json:
        lines = [{"row": i, **one.to_dict()} for i, one in zip(wanted, found, strict=True)]
        put(json.dumps(lines, ensure_ascii=False, indent=1, default=str) + "\n")
    elif as_csv:
        show(explanation_table(found, wanted), as_json, as_csv)
    else:
        put_for_people(
            "\n\n".join(f"row {i}: {one.to_text(top)}" for i, one in zip(wanted, found, strict=True))
        )
    if report is not None:
        write_text(report, explanation_page(found, wanted, one_line(f"Why, in {data_name(data)}")))
        say(f"the report is {report}")


def evaluate(
    model: Folder,
    data: Data,
    *,
    reading: Labelled = LABELLED,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Say how well a saved model does on labelled documents it was not fitted to, and which words mislead it.

    Figures come with intervals at 95%, by a bootstrap of the documents.
    """
    check_outputs([*data, str(model)], reading_of(reading.texts), report)
    loaded = ts.load_model(model)
    with (
        model_data(data, reading.texts, reading.options) as (given, options),
        working(f"judging {data_name(data)}"),
    ):
        found = loaded.evaluate(given, **options)
    if as_json:
        put(found.to_json() + "\n")
    else:
        put_for_people(found.to_text())
    if report is not None:
        write_text(
            report, found.to_html(one_line(f"How well {model.name or model} does on {data_name(data)}"))
        )
        say(f"the report is {report}")


def reading_of(reading: Unlabelled) -> Reading:
    """The options that other commands have too."""
    return Reading(files=reading.files, data_dir=reading.data_dir)


@contextmanager
def model_data(
    data: Sequence[str], reading: Unlabelled, more: Mapping[str, Any] | None = None
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What a model reads, with the options of files where it is files: standard input as a file."""
    corpus = corpus_name(data)
    if corpus is not None:
        yield ts.corpora.load(corpus, data_dir=reading.data_dir), {}
        return
    with stream_copies(data, reading.files.format) as paths:
        yield as_paths(paths), reading.options | dict(more or {})


def written_rows(tables: Iterator[Table], write: Any) -> int:
    """How many rows were written."""
    size = 0
    for table in tables:
        write(table)
        size += len(table)
    return size


def wanted_rows(rows: list[int], top: int) -> list[int]:
    """The rows to explain, each once, in their order."""
    strange = next((row for row in rows if row < 1), None)
    if strange is not None:
        raise InvalidInputError(f"rows are counted from 1, got --row {strange}")
    if top < 1:
        raise InvalidInputError(f"top must be at least 1, got {top}")
    return sorted(set(rows)) or [1]


def texts_at(model: Model, data: Sequence[str], reading: Unlabelled, wanted: list[int]) -> list[str]:
    """The texts of some rows; an error where there are fewer."""
    from termsift.models import unlabelled_texts

    found: dict[int, str] = {}
    last = 0
    with model_data(data, reading) as (given, options):
        for rows, texts, _ in unlabelled_texts(given, (), options):
            numbers = rows.tolist()
            found |= {i: text for i, text in zip(numbers, texts, strict=True) if i in wanted}
            last = numbers[-1] if numbers else last
            if len(found) == len(wanted):
                break
    missing = next((row for row in wanted if row not in found), None)
    if missing is not None:
        raise InvalidInputError(
            f"there is no row {missing} with a text in {data_name(data)}; the last is row {last}"
        )
    return [found[row] for row in wanted]
