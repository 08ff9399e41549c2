"""Spill: sums that outgrow their memory go to disk as Parquet, and DuckDB adds them up."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from termsift._internal.errors import EngineError, InvalidInputError
from termsift._internal.files import scratch_folder, told_disk_faults
from termsift._internal.resources import check_capacity, is_short, told
from termsift._internal.threads import in_order, threads
from termsift._internal.typing import Array, as_terms
from termsift.counts import Counts, Labels, sorted_classes
from termsift.engines.accumulator import Accumulator, Adder, BatchSums, LevelSums, Sums, summed_counts
from termsift.engines.arrow import (
    LabelColumn,
    absent_values,
    arrow_bags,
    arrow_bytes,
    arrow_numbers,
    gathered,
    label_column,
    numbers_of,
    shortest_term,
)
from termsift.engines.files.columnar import database, database_faults
from termsift.engines.files.encodings import warn_of_guesses
from termsift.engines.files.opening import is_pipe
from termsift.engines.files.sources import Found, Source, file_batches, found_files, source_of
from termsift.engines.inputs import check_reading, warn_of_missing
from termsift.engines.matrices import as_weights
from termsift.engines.sampling import HashedSample, SampleBound, SampleFacts
from termsift.engines.texts import analyzer_of, by_python, name_of, summed_levels

EVERY = -1  # the class of the sums over all documents


class Spills:
    """A folder with a folder for each level of the weights."""

    def __init__(self, folder: str, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.by_level: dict[int, Spill] = {}

    def of(self, level: int) -> Spill:
        """What was spilled of a level."""
        return self.by_level.setdefault(level, Spill(f"{self.folder}/{level}", self.memory))

    def take(self, sums: LevelSums) -> None:
        """Write what was accumulated to disk, and let it go."""
        for level, accumulator in sums.by_level.items():
            self.of(level).take(accumulator)
        sums.clear()


class Spill:
    """A folder of partial sums. Classes are numbered as the accumulator met them."""

    def __init__(self, folder: str, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.files: list[str] = []

    def take(self, accumulator: Accumulator) -> None:
        """Write what was accumulated to disk, and let it go."""
        import pyarrow.parquet as pq

        ranked = accumulator.lexicon.ranked(accumulator.low)
        adder = Adder(len(ranked.names), accumulator.whole)
        terms = pa.array(ranked.names, pa.string())
        kind = pa.int64() if accumulator.whole else pa.float64()
        schema = pa.schema({"term": pa.string(), "class": pa.int32(), "df": kind, "tf": kind, "tf2": kind})
        numbers = {name: c for c, name in enumerate(accumulator.sizes)}
        parts = [(numbers[name], own) for name, own in accumulator.by_class.items()]
        path = f"{self.folder}/{len(self.files)}.parquet"
        Path(self.folder).mkdir(exist_ok=True)
        with told_disk_faults(path), pq.ParquetWriter(path, schema) as writer:
            for c, own in (*parts, (EVERY, accumulator.every)):
                rows, *values = adder.of(own, ranked)
                classes = np.full(len(rows), c, dtype=np.int32)
                writer.write_table(pa.table([terms.take(pa.array(rows)), classes, *values], schema=schema))
        self.files.append(path)
        accumulator.clear()

    def counts(self, accumulator: Accumulator, analyzer: str | None) -> Counts:
        """The counts of all that was spilled, and of what was not."""
        if not self.files:
            return accumulator.counts(analyzer)
        self.take(accumulator)
        sizes, documents = accumulator.sizes, accumulator.documents
        terms, (*by_class, every) = self.added_up(len(sizes), accumulator.whole)
        own = dict(zip(sizes, by_class, strict=True))
        classes = sorted_classes(sizes)
        of_classes = [sizes[name] for name in classes], [own[name] for name in classes]
        return summed_counts(as_terms(terms), classes, documents, *of_classes, every, analyzer)

    def added_up(self, n_classes: int, whole: bool) -> tuple[list[str], list[Sums]]:
        """The terms in order, and the sums of each class and of all, by DuckDB in its share of the memory."""
        kind = "BIGINT" if whole else "DOUBLE"
        sums = ", ".join(f"CAST(sum({column}) AS {kind}) AS {column}" for column in ("df", "tf", "tf2"))
        rows = "read_parquet($files, hive_partitioning=false, union_by_name=true)"
        query = f"SELECT term, class, {sums} FROM {rows} GROUP BY ALL ORDER BY term, class"
        limit = f"{max(self.memory, 1 << 27)}B"
        terms: list[str] = []
        # EVERY is the last
        parts: list[list[list[Array]]] = [[] for _ in range(n_classes + 1)]
        room = {"memory_limit": limit, "temp_directory": f"{self.folder}/duckdb"}
        with self.told_faults(), database(self.files, **room) as connection:
            for records in connection.sql(query, params={"files": self.files}).to_arrow_reader(1 << 16):
                collect(records, terms, parts)
        return terms, [joined_sums(pieces, whole) for pieces in parts]

    @contextmanager
    def told_faults(self) -> Iterator[None]:
        """What DuckDB raises, most often that the disk is full, as one line that says where."""
        try:
            yield
        except database_faults() as error:
            raise EngineError(
                f"the sums that went to disk in {self.folder} cannot be added up: {str(error)[:300]}; "
                "give more memory, or set TMPDIR to a folder with more room"
            ) from error


def collect(records: Any, terms: list[str], parts: list[list[list[Array]]]) -> None:
    """Add some rows, which come term by term, to the terms and to their classes."""
    classes, *values = (records.column(name).to_numpy() for name in ("class", "df", "tf", "tf2"))
    # every term has a row for all documents, which is its first
    new = classes == EVERY
    number = len(terms) - 1 + np.cumsum(new)
    terms += records.column("term").filter(pa.array(new)).to_pylist()
    for c in np.unique(classes).tolist():
        rows = classes == c
        parts[c].append([number[rows], *(value[rows] for value in values)])


def joined_sums(pieces: list[list[Array]], whole: bool) -> Sums:
    """Pieces of sums one after the other."""
    kind = np.int64 if whole else np.float64
    none = [np.zeros(0, dtype=k) for k in (np.int64, kind, kind, kind)]
    terms, df, tf, tf2 = map(np.concatenate, zip(none, *pieces, strict=True))
    return terms, df, tf, tf2


MEMORY = 1 << 30
HELD = 13  # bytes of memory that a byte of text takes where documents are held and counted, as measured
SAMPLED = (
    "Take a sample of the documents, or count them, which needs none in memory: ts.count, termsift count"
)
Progress: TypeAlias = Callable[[int, int], None]
# documents of a stream: their texts as an Arrow array, their labels, and what they count for
Batch: TypeAlias = tuple[Any, Labels, Array]


def count_files(
    data: Any,
    *,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Counts:
    """Counts of the documents of files, larger than memory if need be; the options are those of `ts.count`.

    The counts that result must fit into memory by themselves. With groups they are those of pairs.
    reading : the columns, and how files are read, as `source_of` takes them
    """
    check_reading(memory, on_missing, separator)
    if not (progress is None or callable(progress)):
        raise InvalidInputError(f"progress must be a function of documents and bytes, got {progress!r}")
    analyzer = analyzer_of(analyzer)
    source = source_of(data, **reading)
    with scratch_folder() as folder, found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, sample_weight)
        spills, n_threads = Spills(str(folder), memory), threads(n_jobs)
        told_done = progress or (lambda documents, size: None)
        with closing(rows.batches()) as batches:
            head = list(islice(batches, 2))
            if len(head) == 1 and is_short(arrow_bytes(head[0][0])[0].size):
                counts = small_counts(head[0], analyzer, told_done)
            else:
                sums = stream_sums(chain(head, batches), analyzer, n_threads, spills, told_done)
                counts = sums.counts(lambda level, own: spills.of(level).counts(own, name_of(analyzer)))
        warn_of_missing(rows.missing, rows.seen)
        warn_of_guesses(rows.guessed)
        return counts


def small_counts(batch: Batch, analyzer: Any, progress: Progress) -> Counts:
    """The counts of a batch that is all there is, without compiled loops."""
    texts, labels, weights = batch
    counts = by_python(texts.to_pylist(), labels, analyzer, weights)
    progress(0 if weights.size else len(texts), arrow_bytes(texts)[0].size)
    return counts


def stream_sums(
    batches: Iterator[Batch], analyzer: Any, n_threads: int, spills: Spills, progress: Progress
) -> LevelSums:
    """The sums of a stream: threads count batches, which are added in their order, and go to disk."""
    sums, memory = LevelSums(shortest_term(analyzer)), spills.memory
    done = [0, 0]
    for parts, size, documents in in_order(lambda batch: batch_sums(batch, analyzer), batches, n_threads):
        sums.add(parts)
        done = [done[0] + documents, done[1] + size]
        progress(*done)
        if sums.nbytes > memory:
            sums.compact()
        if 2 * sums.nbytes > memory:
            spills.take(sums)
    return sums


def file_documents(
    source: Source, *, on_missing: str = "error", separator: str | None = None
) -> tuple[list[str], list[list[Any]], int, dict[str, list[Any]]]:
    """The texts of a source, the list of labels of each, and how many rows lacked one and were left out.

    Last the values of other columns that are wanted, by what they are for.
    """
    check_reading(MEMORY, on_missing, separator)
    texts: list[str] = []
    names: list[list[Any]] = []
    held = 0
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, None)
        with closing(rows.batches()) as batches:
            for own_texts, labels, _ in batches:
                held += own_texts.nbytes
                what = f"{told(held)} of texts of {source.name}, and perhaps more,"
                check_capacity(held * HELD, what, SAMPLED)
                texts += own_texts.to_pylist()
                names += labels.names
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)
    return texts, names, rows.missing, rows.marks


def sampled_documents(
    source: Source, bound: SampleBound, *, on_missing: str = "error", separator: str | None = None
) -> tuple[HashedSample, SampleFacts | None, int]:
    """A sample of the documents of a source that fits a bound, what it was drawn from, and rows left out."""
    check_reading(MEMORY, on_missing, separator)
    sample, is_cut = HashedSample(bound, [role for role, _ in source.wanted.marks]), False
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, None)
        with closing(rows.batches()) as batches:
            for texts, labels, _ in batches:
                sample.add(texts, labels.names, {role: list(own) for role, own in rows.marks.items()})
                for own in rows.marks.values():
                    own.clear()
                if bound.is_over:
                    is_cut = next(batches, None) is not None
                    break
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)
    # a pipe is gone when it was read, and what other columns say was not kept of all
    once = any(map(is_pipe, source.paths)) or is_cut or source.wanted.marks
    again = None if once else partial(document_stream, source, on_missing, separator)
    return sample, sample.facts(is_cut, again), rows.missing


def document_stream(
    source: Source, on_missing: str, separator: str | None
) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """The texts of a source and the list of labels of each, some at a time."""
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, None)
        with closing(rows.batches()) as batches:
            for texts, labels, _ in batches:
                yield texts.to_pylist(), labels.names


def batch_sums(batch: Batch, analyzer: Any) -> tuple[dict[int, BatchSums], int, int]:
    """A batch's sums at each level of weights; the bytes and, without weights, the number of its texts."""
    texts, labels, weights = batch
    sums = summed_levels(*arrow_bags(texts, analyzer), labels, weights)
    return sums, arrow_bytes(texts)[0].size, 0 if weights.size else len(texts)


class SourceRows:
    """The rows of a source in batches of about as many bytes; what is missing is counted.

    files, starts : the files so far, and for each the number of its first row among those of all
    guessed : the files so far whose encoding had to be guessed
    marks : the values so far of columns that are wanted beside texts, labels and groups
    """

    def __init__(
        self, source: Source, found: Found, on_missing: str, separator: str | None, sample_weight: Any
    ) -> None:
        self.source, self.found, self.on_missing, self.separator = source, found, on_missing, separator
        self.format = found.format
        self.guessed: dict[str, str] = {}
        self.sample_weight = None if sample_weight is None else given_weights(sample_weight)
        self.files: list[str] = []
        self.starts: list[int] = []
        self.seen = self.missing = 0
        self.marks: dict[str, list[Any]] = {role: [] for role, _ in source.wanted.marks}

    def batches(self) -> Generator[Batch, None, None]:
        """The batches."""
        for table in gathered(self.numbered()):
            yield self.batch(table.combine_chunks())
        if not self.seen:
            raise InvalidInputError(f"{self.source.name} has no rows, so there are no documents")
        if self.sample_weight is not None and self.sample_weight.shape not in ((), (self.seen,)):
            raise InvalidInputError(
                f"{self.seen} documents but sample_weight has shape {self.sample_weight.shape}"
            )

    def numbered(self) -> Generator[Any, None, None]:
        """The records of all files with the numbers of their rows."""
        wanted = self.source.wanted
        for file in self.found.files:
            self.files.append(file.told)
            self.starts.append(self.seen)
            for table in file_batches(file, self.format, wanted, self.guessed):
                rows = np.arange(self.seen, self.seen + len(table))
                self.seen += len(table)
                if wanted.label == "":
                    table = table.append_column("label", pa.repeat(0, len(table)))
                yield table.append_column("row", arrow_numbers(rows))

    def batch(self, table: Any) -> Batch:
        """A table as a batch, without the rows that miss something."""
        texts, column = (table.column(name).combine_chunks() for name in ("text", "label"))
        rows = numbers_of(table.column("row").combine_chunks())
        grouped = self.source.wanted.group is not None
        groups = table.column("group").combine_chunks() if grouped else None
        try:
            labels = label_column(column, self.format.meaning, self.separator, groups)
            marks = {role: self.mark_column(table.column(role).combine_chunks()) for role in self.marks}
            whole = self.whole_rows(texts, labels, marks)
            if len(whole) < len(rows):
                texts, labels, rows = texts.take(pa.array(whole)), labels.keep(whole), rows[whole]
            known = labels.labels
            for role, own in marks.items():
                self.marks[role] += own.keep(whole).values
        except InvalidInputError as error:
            raise InvalidInputError(self.located(str(error), rows)) from error
        return texts, known, self.weights(rows)

    def mark_column(self, column: Any) -> LabelColumn:
        """The values of a column beside texts, labels and groups; a blank text is none."""
        found = label_column(column, self.format.meaning, None)
        names = [None if isinstance(name, str) and not name.strip() else name for name in found.names]
        return replace(found, names=names)

    def whole_rows(self, texts: Any, labels: LabelColumn, marks: Mapping[str, LabelColumn]) -> Array:
        """The rows of a batch that miss nothing; an error for the others, unless they are to be skipped."""
        parts = {"text": absent_values(texts), **labels.absent}
        parts |= {role: own.absent["label"] for role, own in marks.items()}
        absent = np.any(list(parts.values()), axis=0)
        first = int(np.argmax(absent)) if absent.any() else None
        if first is not None and self.on_missing == "error":
            what = next(name for name, rows in parts.items() if rows[first])
            raise InvalidInputError(
                f"document {first} has no {what}; mend it, or leave such rows out: on_missing='skip'"
            )
        self.missing += int(absent.sum())
        return np.flatnonzero(~absent)

    def located(self, message: str, rows: Array) -> str:
        """What is said of a document of a batch, as said of a row of its file."""

        def row_of_file(found: re.Match[str]) -> str:
            row = int(rows[int(found[1])])
            file = bisect_right(self.starts, row) - 1
            return f"row {row - self.starts[file] + 1} of {self.files[file]} "

        return re.sub(r"^document (\d+) ", row_of_file, message)

    def weights(self, rows: Array) -> Array:
        """The weights of some rows, none where none are given."""
        if self.sample_weight is None:
            return np.zeros(0)
        if self.sample_weight.ndim and self.seen > len(self.sample_weight):
            raise InvalidInputError(
                f"sample_weight has {len(self.sample_weight)} values; there are more rows"
            )
        return as_weights(
            self.sample_weight[rows] if self.sample_weight.ndim else self.sample_weight, len(rows)
        )


def given_weights(sample_weight: Any) -> Array:
    """The weights of all rows, or one for each of them."""
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError("sample_weight must be numbers, one per row") from error
