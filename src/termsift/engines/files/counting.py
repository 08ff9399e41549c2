"""Counts of files: read as a stream of batches, summed within a memory limit, spilled to disk above it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from termsift._internal.errors import EngineError, InvalidInputError
from termsift._internal.files import scratch_folder, translate_disk_errors
from termsift._internal.resources import (
    RESERVED,
    ROOT,
    check_memory,
    format_bytes,
    free_address_space,
    map_in_order,
    resolve_n_jobs,
    spend_python_budget,
)
from termsift._internal.typing import Array, as_term_array
from termsift.counts import Counts, Labels, as_labels, is_counts_file, sort_classes
from termsift.engines.documents import HashedSample, SampleLimit
from termsift.engines.files import columns
from termsift.engines.files.columnar import database_and_arrow_errors, open_database
from termsift.engines.files.columns import LabelColumn, arrow_bytes
from termsift.engines.files.encodings import warn_guessed_encodings
from termsift.engines.files.opening import is_pipe
from termsift.engines.files.sources import Source, SourceFiles, iter_file_batches, open_source, parse_source
from termsift.engines.inputs import LabelledInput, check_count_options, warn_missing_rows
from termsift.engines.matrices import Accumulator, BatchSums, Sums, SumsAdder, build_counts, weights_or_empty
from termsift.engines.texts import (
    TokenTexts,
    analyzer_identifier,
    count_by_python,
    reject_token_analyzer,
    sum_batches,
    validate_analyzer,
)
from termsift.text import analyzer_for_joined_tokens

DEFAULT_MEMORY = 1 << 30
# measured, for documents that are loaded into memory and counted
MEMORY_PER_TEXT_BYTE = 13
# class number of the sums over all documents
ALL_DOCUMENTS = -1
Progress: TypeAlias = Callable[[int, int], None]
# texts as an Arrow array, labels, and weights or an empty array
Batch: TypeAlias = tuple[Any, Labels, Array]


def count_files(
    data: Any,
    *,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    memory: int = DEFAULT_MEMORY,
    on_missing: str = "error",
    label_separator: str | None = None,
    progress: Progress | None = None,
    **source_options: Any,
) -> Counts:
    """Count the documents of files, which may exceed memory; the parameters are those of `ts.count`.

    The resulting counts must fit into memory. With groups, they are those of pairs of class and group.
    """
    check_count_options(memory, on_missing, label_separator)
    if not (progress is None or callable(progress)):
        raise InvalidInputError(f"progress must be a function(documents, bytes), got {progress!r}")
    analyzer, n_threads = validate_analyzer(analyzer), resolve_n_jobs(n_jobs)
    source = parse_source(data, **source_options)
    if any(True for _ in free_address_space(ROOT)):
        # the default pool reserves a gigabyte of addresses
        pa.set_memory_pool(pa.system_memory_pool())
    report = progress or (lambda documents, size: None)
    with scratch_folder() as folder, open_source(source) as files:
        rows = SourceRows(source, files, on_missing, label_separator, sample_weight)
        with closing(rows.iter_batches()) as batches:
            head = list(islice(batches, 2))
            if rows.has_tokens:
                analyzer = analyzer_for_joined_tokens(analyzer)
            else:
                reject_token_analyzer(analyzer)
            if len(head) == 1 and spend_python_budget(arrow_bytes(head[0][0])[0].size, for_text_kernels=True):
                texts, labels, weights = head[0]
                counts = count_by_python(texts.to_pylist(), labels, analyzer, weights)
                report(len(texts), arrow_bytes(texts)[0].size)
            else:
                spill = Spill(str(folder), memory)
                accumulator = sum_stream(chain(head, batches), analyzer, n_threads, spill, report)
                counts = spill.drain_to_counts(accumulator, analyzer_identifier(analyzer))
        rows.warn()
        return counts


def sum_stream(
    batches: Iterator[Batch], analyzer: Any, n_threads: int, spill: Spill, progress: Progress
) -> Accumulator:
    """Sum a stream of batches: threads count them, and they are added in order and spilled to disk."""
    accumulator = Accumulator(columns.min_term_tokens(analyzer))
    n_documents = n_bytes = 0

    def sum_batch(batch: Batch) -> tuple[BatchSums, int, int]:
        texts, labels, weights = batch
        bags, lexicon = columns.scan_arrow_texts(texts, analyzer)
        return sum_batches([(bags, labels)], lexicon, weights), len(texts), arrow_bytes(texts)[0].size

    for sums, n_texts, size in map_in_order(sum_batch, batches, n_threads):
        accumulator.add(sums)
        n_documents, n_bytes = n_documents + n_texts, n_bytes + size
        progress(n_documents, n_bytes)
        if accumulator.nbytes > spill.memory:
            accumulator.compact()
        if 2 * accumulator.nbytes > spill.memory:
            spill.write(accumulator)
    return accumulator


class Spill:
    """Folder of partial sums on disk, added up by DuckDB; classes are numbered in order of occurrence."""

    def __init__(self, folder: str, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.files: list[str] = []

    def write(self, accumulator: Accumulator) -> None:
        """Write the accumulated sums to disk, and clear them."""
        import pyarrow.parquet as pq

        ranked = accumulator.lexicon.rank_terms(accumulator.min_tokens)
        adder = SumsAdder(len(ranked.names), accumulator.is_integer)
        terms = pa.array(ranked.names, pa.string())
        dtype = pa.int64() if accumulator.is_integer else pa.float64()
        schema = pa.schema({"term": pa.string(), "class": pa.int32(), "df": dtype, "tf": dtype, "tf2": dtype})
        numbers = {name: c for c, name in enumerate(accumulator.class_sizes)}
        batches = [(numbers[name], sums) for name, sums in accumulator.by_class.items()]
        path = f"{self.folder}/{len(self.files)}.parquet"
        with translate_disk_errors(path), pq.ParquetWriter(path, schema) as writer:
            for c, sums in (*batches, (ALL_DOCUMENTS, accumulator.total)):
                rows, *values = adder.add_up(sums, ranked)
                classes = np.full(len(rows), c, dtype=np.int32)
                writer.write_table(pa.table([terms.take(pa.array(rows)), classes, *values], schema=schema))
        self.files.append(path)
        accumulator.clear_terms_and_sums()

    def drain_to_counts(self, accumulator: Accumulator, analyzer: str | None) -> Counts:
        """Return the Counts of everything spilled and of the rest in memory."""
        if not self.files:
            return accumulator.drain_to_counts(analyzer)
        self.write(accumulator)
        sizes = accumulator.class_sizes
        terms, (*class_sums, total) = self.add_up(len(sizes), accumulator.is_integer)
        by_class, classes = dict(zip(sizes, class_sums, strict=True)), sort_classes(sizes)
        class_sums, class_sizes = [by_class[name] for name in classes], [sizes[name] for name in classes]
        term_array, n_documents = as_term_array(terms), accumulator.n_documents
        return build_counts(term_array, classes, n_documents, class_sizes, class_sums, total, analyzer)

    def add_up(self, n_classes: int, is_integer: bool) -> tuple[list[str], list[Sums]]:
        """Return the terms in order, and the sums of each class and, last, of all documents."""
        sql_type = "BIGINT" if is_integer else "DOUBLE"
        sums = ", ".join(f"CAST(sum({column}) AS {sql_type}) AS {column}" for column in ("df", "tf", "tf2"))
        rows = "read_parquet($files, hive_partitioning=false, union_by_name=true)"
        query = f"SELECT term, class, {sums} FROM {rows} GROUP BY ALL ORDER BY term, class"
        terms: list[str] = []
        # index -1, ALL_DOCUMENTS, is the last
        pieces: list[list[list[Array]]] = [[] for _ in range(n_classes + 1)]
        settings = {
            "memory_limit": f"{max(self.memory, 1 << 27)}B",
            "temp_directory": f"{self.folder}/duckdb",
            # memory of one thread, and none for an order that the query sorts anyway
            "threads": "1",
            "preserve_insertion_order": "false",
        }
        try:
            with open_database(self.files, **settings) as connection:
                for records in connection.sql(query, params={"files": self.files}).to_arrow_reader(1 << 16):
                    collect_sums(records, terms, pieces)
        except database_and_arrow_errors() as error:
            # mostly a full disk; DuckDB's own advice is about its settings
            reason = " ".join(str(error).split("Possible solutions")[0].split())
            raise EngineError(
                f"the sums spilled to {self.folder} cannot be added up: {reason[:300]}; set TMPDIR to a "
                f"folder with more space, or the limit of ulimit -v {format_bytes(RESERVED)} above memory"
            ) from error
        dtype = np.int64 if is_integer else np.float64
        empty = [np.zeros(0, dtype=kind) for kind in (np.int64, dtype, dtype, dtype)]
        class_sums: list[Sums] = []
        for class_pieces in pieces:
            index, df, tf, tf2 = map(np.concatenate, zip(empty, *class_pieces, strict=True))
            class_sums.append((index, df, tf, tf2))
        return terms, class_sums


def collect_sums(records: Any, terms: list[str], pieces: list[list[list[Array]]]) -> None:
    """Append rows of sums, sorted by term, to the terms and to the pieces of each class."""
    classes, *values = (records.column(name).to_numpy() for name in ("class", "df", "tf", "tf2"))
    # the first row of every term is that of all documents
    is_first = classes == ALL_DOCUMENTS
    index = len(terms) - 1 + np.cumsum(is_first)
    terms += records.column("term").filter(pa.array(is_first)).to_pylist()
    for c in np.unique(classes).tolist():
        is_class = classes == c
        pieces[c].append([index[is_class], *(column[is_class] for column in values)])


@contextmanager
def open_batches(
    source: Source, on_missing: str, label_separator: str | None
) -> Iterator[tuple[SourceRows, Iterator[Batch]]]:
    """Open a source, and yield its rows and the stream of their batches."""
    with open_source(source) as files:
        rows = SourceRows(source, files, on_missing, label_separator, None)
        with closing(rows.iter_batches()) as batches:
            yield rows, batches


def load_file_documents(
    data: Any,
    limit: SampleLimit | None = None,
    *,
    on_missing: str = "error",
    label_separator: str | None = None,
    **source_options: Any,
) -> LabelledInput:
    """Load the documents of files, or a sample of them within a limit."""
    source = parse_source(data, **source_options)
    for path in source.paths:
        # the bytes read from a pipe would be lost
        if not is_pipe(path) and is_counts_file(path):
            message = f"{path} contains counts; pass the documents from which they were counted"
            raise InvalidInputError(message)
    check_count_options(DEFAULT_MEMORY, on_missing, label_separator)
    if limit is not None:
        return sample_documents(source, limit, on_missing, label_separator)
    texts: list[str] = []
    names: list[list[Any]] = []
    size = 0
    with open_batches(source, on_missing, label_separator) as (rows, batches):
        for batch_texts, labels, _ in batches:
            size += batch_texts.nbytes
            check_memory(
                size * MEMORY_PER_TEXT_BYTE,
                f"loading {source.name} (at least {format_bytes(size)} of text)",
                "Use a sample, or count the documents without loading them: ts.count or termsift count",
            )
            texts += batch_texts.to_pylist()
            names += labels.labels_per_document
    rows.warn()
    texts = TokenTexts(texts) if rows.has_tokens else texts
    return LabelledInput(as_labels(names), texts, missing=rows.n_missing, metadata=rows.metadata)


def sample_documents(
    source: Source, limit: SampleLimit, on_missing: str, label_separator: str | None
) -> LabelledInput:
    """Load a sample of the documents of a source within a limit."""
    sample, is_cut = HashedSample(limit, [role for role, _ in source.spec.metadata]), False
    with open_batches(source, on_missing, label_separator) as (rows, batches):
        for texts, labels, _ in batches:
            sample.add(texts, labels.labels_per_document, rows.metadata)
            # the sample has copied what it needs
            for values in rows.metadata.values():
                values.clear()
            if limit.until is not None and monotonic() > limit.until:
                is_cut = next(batches, None) is not None
                break
    rows.warn()
    # a pipe cannot be read twice, and metadata of documents outside the sample was not stored
    is_single_pass = any(map(is_pipe, source.paths)) or is_cut or source.spec.metadata
    reread = None if is_single_pass else partial(stream_documents, source, on_missing, label_separator)
    labels, facts = as_labels(sample.names), sample.facts(is_cut, reread)
    sampled = TokenTexts(sample.texts) if rows.has_tokens else sample.texts
    return LabelledInput(labels, sampled, None, None, rows.n_missing, sample.metadata, facts)


def stream_documents(
    source: Source, on_missing: str, label_separator: str | None
) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """Yield the texts of a source and the list of labels of each, batch by batch."""
    with open_batches(source, on_missing, label_separator) as (_, batches):
        for texts, labels, _ in batches:
            yield texts.to_pylist(), labels.labels_per_document


class SourceRows:
    """Rows of a source in batches of about equal size, without incomplete rows.

    Attributes
    ----------
    n_rows, n_missing : int
        Rows so far, and incomplete ones.
    has_tokens : bool or None
        Whether documents are lists of tokens, joined to texts; None before the first.
    guessed_encodings : dict
        Files so far whose encoding was guessed.
    metadata : dict
        Values so far of columns other than texts, labels and groups, by role.

    """

    def __init__(
        self, source: Source, files: SourceFiles, on_missing: str, label_separator: str | None, weights: Any
    ) -> None:
        self.source, self.files, self.format = source, files.files, files.format
        self.on_missing, self.label_separator = on_missing, label_separator
        self.guessed_encodings: dict[str, str] = {}
        try:
            # one weight per row of all files, or a scalar
            self.sample_weight = None if weights is None else np.asarray(weights, np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidInputError("sample_weight must be numbers, one per row") from error
        # names of the files so far, and the number of the first row of each
        self.file_names: list[str] = []
        self.first_rows: list[int] = []
        self.n_rows = self.n_missing = 0
        self.has_tokens: bool | None = None
        self.metadata: dict[str, list[Any]] = {role: [] for role, _ in source.spec.metadata}

    def warn(self) -> None:
        """Warn of dropped rows and of guessed encodings."""
        warn_missing_rows(self.n_missing, self.n_rows)
        warn_guessed_encodings(self.guessed_encodings)

    def iter_batches(self) -> Generator[Batch, None, None]:
        """Yield the batches."""
        for table in columns.coalesce_tables(self.iter_tables()):
            yield self.to_batch(table.combine_chunks())
        if not self.n_rows:
            raise InvalidInputError(f"{self.source.name} has no rows, so there are no documents")
        if self.sample_weight is not None and self.sample_weight.shape not in ((), (self.n_rows,)):
            message = f"{self.n_rows} documents but sample_weight has shape {self.sample_weight.shape}"
            raise InvalidInputError(message)

    def iter_tables(self) -> Generator[Any, None, None]:
        """Yield the records of all files with a column of row numbers."""
        spec = self.source.spec
        for file in self.files:
            self.file_names.append(file.display_name)
            self.first_rows.append(self.n_rows)
            for table in iter_file_batches(file, self.format, spec, self.guessed_encodings):
                rows = np.arange(self.n_rows, self.n_rows + len(table))
                self.n_rows += len(table)
                if spec.label == "":
                    table = table.append_column("label", integers_to_arrow(np.zeros_like(rows)))
                yield table.append_column("row", integers_to_arrow(rows))

    def to_batch(self, table: Any) -> Batch:
        """Return a table as a batch without incomplete rows."""
        texts, column = (table.column(name).combine_chunks() for name in ("text", "label"))
        is_tokens = columns.is_list_type(texts.type)
        rows = columns.arrow_to_numpy(table.column("row").combine_chunks())
        groups = table.column("group").combine_chunks() if self.source.spec.group is not None else None
        try:
            # an empty batch has the type that its file happens to have
            if self.has_tokens is None and len(texts):
                self.has_tokens = is_tokens
            if is_tokens:
                texts = columns.join_token_lists(texts)
            parse = self.format.parse_label
            label_column = columns.encode_labels(column, parse, self.label_separator, groups)
            metadata = {}
            for role in self.metadata:
                encoded = columns.encode_labels(table.column(role).combine_chunks(), parse, None)
                # a blank text is missing
                names = [None if str(name).strip() == "" else name for name in encoded.names]
                metadata[role] = replace(encoded, names=names)
            complete = self.find_complete_rows(texts, label_column, metadata)
            if len(complete) < len(rows):
                texts, label_column = texts.take(pa.array(complete)), label_column.keep(complete)
                rows = rows[complete]
            labels = label_column.labels
            for role, encoded in metadata.items():
                self.metadata[role] += encoded.keep(complete).values
        except InvalidInputError as error:
            raise InvalidInputError(self.locate_error(str(error), rows)) from error
        weights = self.sample_weight
        if weights is None:
            return texts, labels, np.zeros(0)
        if weights.ndim and self.n_rows > len(weights):
            raise InvalidInputError(f"sample_weight has {len(weights)} values, but there are more rows")
        return texts, labels, weights_or_empty(weights[rows] if weights.ndim else weights, len(rows))

    def find_complete_rows(
        self, texts: Any, labels: LabelColumn, metadata: Mapping[str, LabelColumn]
    ) -> Array:
        """Return the indices of rows without missing values; others are an error, unless skipped."""
        masks = {"text": np.zeros(len(texts), dtype=bool), **labels.missing_masks}
        if texts.null_count:
            masks["text"] = np.asarray(texts.is_null().to_numpy(zero_copy_only=False))
        masks |= {role: values.missing_masks["label"] for role, values in metadata.items()}
        is_incomplete = np.any(list(masks.values()), axis=0)
        if is_incomplete.any() and self.on_missing == "error":
            first = int(np.argmax(is_incomplete))
            role = next(role for role, mask in masks.items() if mask[first])
            message = f"document {first} has no {role}; fix it, or skip such rows: on_missing='skip'"
            raise InvalidInputError(message)
        self.n_missing += int(is_incomplete.sum())
        return np.flatnonzero(~is_incomplete)

    def locate_error(self, message: str, rows: Array) -> str:
        """Replace the document of a batch in a message by the row of its file."""

        def format_row(match: re.Match[str]) -> str:
            row = int(rows[int(match[1])])
            file = bisect_right(self.first_rows, row) - 1
            return f"row {row - self.first_rows[file] + 1} of {self.file_names[file]} "

        return re.sub(r"^document (\d+) ", format_row, message)


def integers_to_arrow(values: Array) -> Any:
    """Return 64-bit integers as an Arrow array; pyarrow.array and pyarrow.repeat would import pandas."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
