"""Labels of the documents of files, as a stream of tables in bounded memory."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from termsift._internal.errors import (
    InvalidInputError,
    UnknownNameError,
    UnreadableFileError,
    check_flags,
    unknown,
)
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_terms
from termsift.counts import as_list
from termsift.engines import check_reading, checked_texts, is_corpus, names_files, warn_of_missing
from termsift.engines.files import (
    KEPT,
    MEMORY,
    Format,
    Source,
    SourceRows,
    found_files,
    gathered,
    source_of,
    warn_of_guesses,
)

if TYPE_CHECKING:
    from termsift.models.model import Model

ROW, LABEL = "row", "label"
READ = ("text", "header", "delimiter", "encoding", "encoding_errors", "format", "on_missing")


def predicted_tables(
    model: Model,
    data: Any,
    margins: bool,
    probabilities: bool,
    keep: tuple[Any, ...],
    reading: Mapping[str, Any],
) -> Iterator[Table]:
    """What a model says of documents, some thousands at a time."""
    names = kept_names(keep)
    check_model(model, margins, probabilities)
    for rows, texts, kept in unlabelled_texts(data, keep, reading):
        held = {name: as_terms(values) for name, values in zip(names, kept, strict=True)}
        columns = {ROW: rows, **held, LABEL: as_terms(model.predict(texts))}
        if margins:
            columns |= columns_per_class("margin", model, model.margins(texts))
        if probabilities:
            columns |= columns_per_class("probability", model, model.probabilities(texts))
        yield Table(columns)


def kept_names(keep: tuple[Any, ...]) -> list[str]:
    """The names of kept columns in the result; an error where two would have one."""
    names = [str(name) for name in keep]
    taken = next((name for name in names if name in (ROW, LABEL) or names.count(name) > 1), None)
    if taken is None:
        return names
    raise InvalidInputError(
        f"the result would have two columns named {taken!r}; leave it out of keep, or rename it"
    )


def check_model(model: Model, margins: bool, probabilities: bool) -> None:
    """An error before anything is read for a model that says nothing of texts, or not what is asked for."""
    check_flags(margins=margins, probabilities=probabilities)
    if not model.of_texts:
        raise InvalidInputError("this model is of counts, not of texts; use its pipeline in Python")
    if margins:
        model.margins([""])
    if probabilities:
        model.probabilities([""])


def columns_per_class(what: str, model: Model, values: Array) -> dict[str, Array]:
    """A column for each class."""
    return {f"{what} {name}": values[:, c] for c, name in enumerate(model.classes)}


def unlabelled_texts(
    data: Any, keep: tuple[Any, ...], reading: Mapping[str, Any]
) -> Iterator[tuple[Array, list[str], list[list[Any]]]]:
    """The numbers of documents from 1, their texts and what is kept of them, some at a time."""
    for name in reading:
        if name not in READ:
            raise unknown("option", name, (*READ, "margins", "probabilities", "keep"))
    if names_files(data, None, "text" in reading):
        own = {name: value for name, value in reading.items() if name not in ("on_missing",)}
        source = source_of(
            data, label="", marks={f"{KEPT} {i}": name for i, name in enumerate(keep, 1)}, **own
        )
        yield from text_stream(source, reading.get("on_missing", "error"))
        return
    texts = data.texts if is_corpus(data) else data
    if texts is None or keep:
        what = "columns are kept of files" if keep else "this corpus has no texts, but counts"
        raise UnknownNameError(what) if keep else InvalidInputError(what)
    held = checked_texts(as_list(texts))
    yield np.arange(1, len(held) + 1), held, []


def text_stream(
    source: Source, on_missing: str = "error"
) -> Iterator[tuple[Array, list[str], list[list[Any]]]]:
    """The numbers of rows from 1, over all files, their texts, and what is kept of them, some at a time."""
    check_reading(MEMORY, on_missing, None)
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, None, None)
        with closing(rows.numbered()) as tables:
            for table in gathered(tables):
                yield stream_batch(table.combine_chunks(), rows)
        if not rows.seen:
            raise InvalidInputError(f"{source.name} has no rows, so there are no documents")
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)


def stream_batch(table: Any, rows: SourceRows) -> tuple[Array, list[str], list[list[Any]]]:
    """Some rows with a text; without one they are an error, or skipped."""
    numbers = table.column("row").to_numpy()
    absent = table.column("text").combine_chunks().is_null().to_numpy(zero_copy_only=False)
    if absent.any():
        if rows.on_missing == "error":
            first = int(np.argmax(absent))
            what = f"document {first} has no text; mend it, or leave such rows out: on_missing='skip'"
            raise InvalidInputError(rows.located(what, numbers))
        rows.missing += int(absent.sum())
        table, numbers = table.take(pa.array(np.flatnonzero(~absent))), numbers[~absent]
    kept = [
        kept_values(table.column(name), rows.format) for name in table.schema.names if name.startswith(KEPT)
    ]
    return numbers + 1, table.column("text").to_pylist(), kept


def kept_values(column: Any, format: Format) -> list[Any]:
    """The values of a column that comes along; those of JSON are what they mean."""
    values = column.to_pylist()
    is_json = format.name.startswith("JSON")
    return [format.meaning(value) if is_json and isinstance(value, str) else value for value in values]


# what takes one table after the other
TableWriter: TypeAlias = Callable[[Table], None]
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
BETWEEN = "|"  # several labels in a field of CSV


def check_ending(path: Path) -> str:
    """The ending of a name that says how tables are written; an error for others."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnreadableFileError(
            f"cannot tell how to write {path}; its name must end in {', '.join(ENDINGS)}"
        )
    return ending


@contextmanager
def table_writer(path: Path, ending: str, between: str = BETWEEN) -> Iterator[TableWriter]:
    """What writes tables to a file; between : what parts several labels in a field."""
    if ending == ".parquet":
        with parquet_writer(path) as put:
            yield put
        return
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        if ending in (".jsonl", ".ndjson"):
            yield json_writer(file)
        else:
            yield csv_writer(file, "\t" if ending == ".tsv" else ",", between)


def csv_writer(file: IO[str], delimiter: str = ",", between: str = BETWEEN) -> TableWriter:
    """What writes tables as rows of fields, the header once."""
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    seen: list[bool] = []

    def put(table: Table) -> None:
        if not seen:
            writer.writerow(list(table.columns))
        seen.append(True)
        lists = [column.tolist() for column in table.columns.values()]
        writer.writerows([field(value, between) for value in row] for row in zip(*lists, strict=True))

    return put


def field(value: Any, between: str) -> Any:
    """A value as a field: several labels are joined."""
    return between.join(map(str, value)) if isinstance(value, list) else value


def json_writer(file: IO[str]) -> TableWriter:
    """What writes tables as JSON, a line per row."""

    def put(table: Table) -> None:
        for row in table:
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    return put


@contextmanager
def parquet_writer(path: Path) -> Iterator[TableWriter]:
    """What writes tables to a Parquet file, of columns as the first has them."""
    writers: list[Any] = []

    def put(table: Table) -> None:
        rows = arrow_table(table, writers[0].schema if writers else None)
        if not writers:
            writers.append(pq.ParquetWriter(path, rows.schema))
        writers[0].write_table(rows)

    try:
        yield put
    finally:
        for writer in writers:
            writer.close()


def arrow_table(table: Table, schema: Any) -> Any:
    """A table as Arrow has it; of kept values that are of several types their texts."""
    columns = {}
    for name, column in table.columns.items():
        values = column.tolist()
        kind = None if schema is None else schema.field(name).type
        try:
            held = pa.array(values, kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            held = pa.array([None if value is None else str(value) for value in values], kind or pa.string())
        # a column of nothing would take nothing later
        columns[name] = held.cast(pa.string()) if pa.types.is_null(held.type) else held
    return pa.table(columns)
