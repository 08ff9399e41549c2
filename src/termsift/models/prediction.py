"""Predictions for documents in files: a stream of tables in bounded memory, and writers for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from termsift._internal import errors
from termsift._internal.tables import Table, check_kept_columns, format_csv
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_list
from termsift.engines import check_count_options, files, is_corpus, is_path_input, validate_texts

if TYPE_CHECKING:
    from termsift.models.model import Model

ROW, LABEL = "row", "label"
READING_OPTIONS = ("text", "header", "delimiter", "encoding", "encoding_errors", "format", "on_missing")
# numbers of the documents, counted from 1; their texts; the values of each column to keep
TextBatch: TypeAlias = tuple[Array, list[str], list[list[Any]]]
JSON_LINES = (".jsonl", ".ndjson")
EXTENSIONS = (".csv", ".tsv", *JSON_LINES, ".parquet")
LABEL_SEPARATOR = "|"


def predict_tables(
    model: Model,
    data: Any,
    *,
    decision_values: bool = False,
    probabilities: bool = False,
    keep: Sequence[Any] = (),
    n_jobs: int | None = None,
    **file_options: Any,
) -> Iterator[Table]:
    """Predict the documents in files and yield tables: row, columns to keep, label, class columns.

    Decision values and probabilities have six significant digits.

    Parameters
    ----------
    model : saved model
    data : path, glob pattern, folder or a list of these; or texts
    decision_values, probabilities : whether to add a column per class, such as "probability spam"
    keep : columns of the files to keep
    n_jobs : number of threads
    file_options : options of files, as for `termsift.count`: text, header, delimiter, ...

    """
    names = check_kept_columns(keep, (ROW, LABEL))
    errors.check_flags(decision_values=decision_values, probabilities=probabilities)
    model.require_analyzer()
    functions: dict[str, Callable[[Array], Array]] = {"decision_value": np.asarray} if decision_values else {}
    if probabilities:
        model.check_probabilities()
        functions["probability"] = model.probabilities
    for rows, texts, values in iter_texts(data, tuple(keep), file_options):
        columns = {ROW: rows}
        columns |= {name: as_term_array(column) for name, column in zip(names, values, strict=True)}
        class_values = model.decision_function(texts, n_jobs=n_jobs)
        columns[LABEL] = as_term_array(model.choose_labels(class_values))
        for prefix, function in functions.items():
            by_class = zip(model.classes, function(class_values).T, strict=True)
            columns |= {f"{prefix} {name}": round_significant(column) for name, column in by_class}
        yield Table(columns)


def round_significant(values: Array, digits: int = 6) -> Array:
    """Round to significant digits; more digits of a prediction depend on the machine and mean nothing.

    >>> print(round_significant(np.array([0.0, 1234567.8, 8.320295418834954e-05])))
    [0.00000e+00 1.23457e+06 8.32030e-05]
    """
    is_scalable = np.isfinite(values) & (values != 0)
    exponents = np.floor(np.log10(np.abs(np.where(is_scalable, values, 1.0))))
    scale = 10.0 ** (digits - 1 - exponents)
    return np.where(is_scalable, np.rint(values * scale) / scale, values)


def check_options(names: Iterable[str], options: Sequence[str]) -> None:
    """Raise an error if a name is not among the options."""
    for name in names:
        if name not in options:
            raise errors.unknown_name_error("option", name, options)


def iter_texts(data: Any, keep: tuple[Any, ...], file_options: Mapping[str, Any]) -> Iterator[TextBatch]:
    """Yield batches of texts with their row numbers and the columns to keep.

    Parameters
    ----------
    data : path, glob pattern, folder or a list of these; texts; or a Corpus
    keep : columns of the files to keep
    file_options : options of files, as for `termsift.count`

    """
    check_options(file_options, (*READING_OPTIONS, "decision_values", "probabilities", "keep"))
    if not is_path_input(data, None, "text" in file_options):
        texts = data.texts if is_corpus(data) else data
        if keep:
            raise errors.UnknownNameError("keep is only for files, which have columns; remove it")
        if texts is None:
            raise errors.InvalidInputError("this corpus has term counts but no texts")
        checked = validate_texts(as_list(texts))
        yield np.arange(1, len(checked) + 1), checked, []
        return
    options = {"on_missing": "error", **file_options}
    on_missing = options.pop("on_missing")
    marks = {f"{files.KEEP_PREFIX} {i}": name for i, name in enumerate(keep, 1)}
    source = files.parse_source(data, label="", metadata=marks, **options)
    check_count_options(files.DEFAULT_MEMORY, on_missing, None)
    with files.open_source(source) as opened:
        # row numbers continue over all files
        rows = files.SourceRows(source, opened, on_missing, None, None)
        with closing(rows.iter_tables()) as tables:
            for table in files.coalesce_tables(tables):
                yield convert_batch(table.combine_chunks(), rows)
        if not rows.n_rows:
            raise errors.InvalidInputError(f"{source.name} has no rows, so there are no documents")
    rows.warn()


def convert_batch(table: Any, rows: files.SourceRows) -> TextBatch:
    """Convert an Arrow table; rows without a text are an error or are skipped."""
    # to_numpy would import pandas
    numbers = np.array(table.column("row").to_pylist(), dtype=np.int64)
    if table.column("text").null_count:
        is_missing = np.array(table.column("text").is_null().to_pylist())
        if rows.on_missing == "error":
            message = f"document {int(np.argmax(is_missing))} has no text; add it, or use on_missing='skip'"
            raise errors.InvalidInputError(rows.locate_error(message, numbers))
        rows.n_missing += int(is_missing.sum())
        table, numbers = table.take(pa.array(np.flatnonzero(~is_missing))), numbers[~is_missing]
    columns = [
        table.column(name).to_pylist() for name in table.schema.names if name.startswith(files.KEEP_PREFIX)
    ]
    if rows.format.name.startswith("JSON"):
        # JSON values arrive as their source text
        columns = [
            [rows.format.parse_label(value) if isinstance(value, str) else value for value in column]
            for column in columns
        ]
    return numbers + 1, table.column("text").to_pylist(), columns


def check_extension(path: Path) -> str:
    """Return the lowercase extension of an output file; an error if its format is not supported."""
    extension = path.suffix.lower()
    if extension not in EXTENSIONS:
        raise errors.UnreadableFileError(f"cannot write {path}: use one of {', '.join(EXTENSIONS)}")
    return extension


def write_tables(tables: Iterable[Table], path: Path, extension: str, label_separator: str) -> int:
    """Write tables to a file as they come, and return the number of rows.

    Parameters
    ----------
    tables : tables with the same columns
    path : file to write
    extension : format, as returned by `check_extension`
    label_separator : separator between multiple labels in a CSV field

    """
    n_rows = 0
    with ExitStack() as stack:
        writer: Any = None
        for number, table in enumerate(tables):
            n_rows += len(table)
            if extension != ".parquet":
                # opened for the first table
                writer = writer or stack.enter_context(
                    path.open("w", encoding="utf-8", errors="replace", newline="")
                )
                writer.write(format_rows(table, extension, label_separator, has_header=not number))
                continue
            import pyarrow.parquet as pq  # other formats do not need it

            rows = to_arrow_table(table, writer and writer.schema)
            # the first table determines the schema
            writer = writer or stack.enter_context(pq.ParquetWriter(path, rows.schema))
            writer.write_table(rows)
    return n_rows


def format_rows(
    table: Table, extension: str, label_separator: str = LABEL_SEPARATOR, *, has_header: bool = False
) -> str:
    """Format a table as JSON lines, CSV or TSV."""
    if extension in JSON_LINES:
        return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in table)
    rows = (
        [
            label_separator.join(map(str, value)) if isinstance(value, list) else value
            for value in row.values()
        ]
        for row in table
    )
    return format_csv(chain([table.columns] * has_header, rows), "\t" if extension == ".tsv" else ",")


def to_arrow_table(table: Table, schema: Any) -> Any:
    """Convert a table to Arrow; values of mixed types become text."""
    columns = {}
    for name, column in table.columns.items():
        values = column.tolist()
        kind = None if schema is None else schema.field(name).type
        try:
            array = pa.array(values, kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            array = pa.array([None if value is None else str(value) for value in values], kind or pa.string())
        # a column of null type would accept no values later
        columns[name] = array.cast(pa.string()) if pa.types.is_null(array.type) else array
    return pa.table(columns)
