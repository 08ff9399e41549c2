"""The counts that a command asks for: of files, of standard input, of saved counts, of a corpus by name."""

from __future__ import annotations

import glob
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import numpy as np
from cyclopts import Parameter
from scipy.sparse import csr_array

import termsift as ts
from termsift._internal.errors import InvalidInputError, UnreadableFileError, near_miss, one_line, unknown
from termsift._internal.files import replacing, scratch_folder, told_disk_faults, writable
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.cli.console import STDIN, STREAM, file_progress, put, working
from termsift.cli.options import FILES, PLAIN, FileOptions, Memory, TextOptions, counted_with, memory_bytes
from termsift.counts import (
    Counts,
    GroupedCounts,
    contrast,
    is_counts_file,
    is_grouped_file,
    pair_of,
    summed_columns,
    why_no_term,
)
from termsift.engines import LabelledInput, labelled_documents

if TYPE_CHECKING:
    from termsift.engines import SampleBound

DataDir = Annotated[
    Path | None, Parameter(name="--data-dir", help="The folder of corpora; else that of TERMSIFT_DATA.")
]


@Parameter(name="*")
@dataclass(frozen=True)
class Reading:
    """How the files are read; commands that take groups set `group`."""

    files: FileOptions = FILES
    label: Annotated[str, Parameter(help="The column that holds the labels.")] = "label"
    separator: Annotated[str | None, Parameter(help="What parts several labels in one field.")] = None
    on_missing: Annotated[str, Parameter(help="Rows without text or label: 'error' or 'skip'.")] = "error"
    memory: Memory = None
    jobs: Annotated[int | None, Parameter(help="Threads; all cores where not given.")] = None
    data_dir: DataDir = None
    group: Annotated[str | None, Parameter(parse=False)] = None
    engine: Annotated[str, Parameter(help="Who counts files: 'files', on this machine, or 'spark'.")] = (
        "files"
    )
    master: Annotated[
        str | None, Parameter(help="Spark's master: local[*], spark://host:port, sc://host:port, yarn.")
    ] = None

    terms: TextOptions = PLAIN

    @property
    def most_memory(self) -> int:
        """The bytes that sums may take."""
        return 1 << 30 if self.memory is None else memory_bytes(self.memory)

    @property
    def rows(self) -> dict[str, Any]:
        """What a row means, to every engine."""
        names = ("separator", "on_missing", *(["group"] if self.group is not None else []))
        # without a header there is no column of the usual name
        label = None if self.files.no_header and self.label == "label" else self.label
        columns = {"text": self.files.columns, "label": label}
        return columns | {name: getattr(self, name) for name in names}


DEFAULT = Reading()
ENGINES = ("files", "spark")


def counts_of(data: Sequence[str], reading: Reading) -> Counts:
    """The counts of files, of standard input, of saved counts, or of a corpus by name.

    Counts of a cluster come without terms in fewer than --min-df documents; the others may have them.
    """
    found = any_counts(data, reading)
    return found.counts if isinstance(found, GroupedCounts) else found


def grouped_counts_of(data: Sequence[str], reading: Reading, group: str) -> GroupedCounts:
    """The same by class and group; of saved counts the groups must be from that column."""
    found = any_counts(data, replace(reading, group=group))
    if not isinstance(found, GroupedCounts):
        raise InvalidInputError(f"{data[0]} has no groups; count the documents again with --group {group}")
    if found.by not in (None, group):
        raise InvalidInputError(f"{data[0]} is grouped by {found.by!r}, not by {group!r}")
    return found


def any_counts(data: Sequence[str], reading: Reading) -> Counts | GroupedCounts:
    """The counts of whatever the data is; with a group in `reading`, by class and group."""
    check_engine(reading)
    if reading.engine == "spark":
        return cluster_counts(data, reading)
    corpus = corpus_name(data)
    if corpus is not None:
        return corpus_counts(corpus, reading)
    with stream_copies(data, reading.files.format) as paths:
        if any(map(is_counts_file, paths)):
            reading.terms.check_counted(next(filter(is_counts_file, paths)))
            return saved_counts(paths)
        return counted_with(reading.terms, lambda analyzer: file_counts(paths, reading, analyzer))


def file_counts(paths: Sequence[str], reading: Reading, analyzer: Any) -> Counts | GroupedCounts:
    """The counts of files, with a bar that shows how far they are."""
    with file_progress(paths, reading.files.format) as advance:
        more: dict[str, Any] = {"memory": reading.most_memory, "n_jobs": reading.jobs}
        how = {"progress": advance, "analyzer": analyzer, **more, **reading.files.reading}
        counts: Counts | GroupedCounts = ts.count(as_paths(paths), **how, **reading.rows)
        return counts


def saved_counts(paths: Sequence[str]) -> Counts | GroupedCounts:
    """The counts of a file that holds them, or the sum of several."""
    strange = next((path for path in paths if not is_counts_file(path)), None)
    if strange is not None:
        raise InvalidInputError(f"{strange} holds no counts, and others do; count it first, or leave it out")
    if all(map(is_grouped_file, paths)):
        return sum((GroupedCounts.load(path) for path in paths), GroupedCounts.empty())
    return sum((Counts.load(path) for path in paths), Counts.empty())


def corpus_name(data: Sequence[str]) -> str | None:
    """The corpus that the data names; an error for what is neither a file nor a pattern nor a corpus."""
    for name in data:
        if not os.path.exists(name) and name in ts.corpora.names():
            if len(data) > 1:
                raise InvalidInputError(
                    f"{name} is a corpus by name, which is read alone; leave out the others"
                )
            return name
        check_there(name)
    return None


def check_engine(reading: Reading) -> None:
    """An error for an engine that is not there, a master of another than Spark, or wrong text options."""
    reading.terms.check()
    if reading.engine not in ENGINES:
        raise unknown("engine", reading.engine, ENGINES)
    if reading.master is not None and reading.engine != "spark":
        raise InvalidInputError("--master is Spark's; give --engine spark too")


def cluster_counts(data: Sequence[str], reading: Reading) -> Counts | GroupedCounts:
    """The counts of files, or with --format table of tables, by a Spark cluster."""
    master, least = reading.master or "local[*]", reading.terms.least_documents
    columns = {name: value for name, value in reading.rows.items() if name in ("text", "label", "group")}
    with (
        working(f"counting on {master}"),
        ts.spark.reading(list(data), master, **columns, **reading.files.reading) as frame,
    ):

        def count(analyzer: Any) -> Counts | GroupedCounts:
            counts: Counts | GroupedCounts = ts.count(frame, min_df=least, analyzer=analyzer, **reading.rows)
            return counts

        return counted_with(reading.terms, count)


def corpus_counts(name: str, reading: Reading) -> Counts:
    """The counts of a corpus by name, of its texts or of its matrix."""
    if reading.group is not None:
        raise InvalidInputError(f"the corpus {name} has no columns to group by; give a file")
    with working(f"reading {name}"):
        corpus = ts.corpora.load(name, data_dir=reading.data_dir)
    return document_counts(labelled_documents(corpus), reading)


def document_counts(given: LabelledInput, reading: Reading) -> Counts:
    """The counts of documents in memory."""
    more: dict[str, Any] = {} if given.texts is None else {"n_jobs": reading.jobs}
    with working(f"counting {len(given.labels):,} documents"):

        def count(analyzer: Any) -> Counts:
            return cast(
                Counts, ts.count(given.data, given.labels, terms=given.terms, analyzer=analyzer, **more)
            )

        return counted_with(reading.terms, count)


def documents_of(
    data: Sequence[str],
    reading: Reading,
    marks: Mapping[str, str | None] | None = None,
    bound: SampleBound | None = None,
) -> LabelledInput:
    """The documents themselves, of files or a corpus by name; of files other columns too, by their use."""
    check_engine(reading)
    if reading.engine == "spark":
        raise InvalidInputError("this reads the documents on this machine; leave out --engine spark")
    corpus = corpus_name(data)
    with working(f"reading {data_name(data)}"):
        if corpus is not None:
            named = next((name for name, column in (marks or {}).items() if column is not None), None)
            if named is not None:
                raise InvalidInputError(f"the corpus {corpus} has no columns for --{named}; give a file")
            return labelled_documents(ts.corpora.load(corpus, data_dir=reading.data_dir))
        with stream_copies(data, reading.files.format) as paths:
            how = {**reading.files.reading, **reading.rows}
            found = labelled_documents(as_paths(paths), None, marks, bound, **how)
            if found.sample is None or not any(map(is_stream, data)):
                return found
            return replace(found, sample=replace(found.sample, again=None))


def as_paths(names: Sequence[str]) -> str | list[str | Path]:
    """The names as what a library takes for files: several strings might be texts."""
    from termsift.engines.files import is_address

    if len(names) == 1:
        return names[0]
    return [name if is_address(name) else Path(name) for name in names]


def data_name(data: Sequence[str]) -> str:
    """Files, a pattern, a folder or a corpus by the name of the first, without the way to it."""
    first = data[0]
    name = "standard input" if first == STDIN else Path(first).name or Path(first).resolve().name or first
    return name if len(data) == 1 else f"{name} and {len(data) - 1} more"


def page_title(data: Sequence[str]) -> str:
    """The heading of the page of what is read."""
    return one_line(f"Terms of {data_name(data)}")


def check_there(data: str) -> None:
    """An error with the near miss for what is neither a file nor a pattern nor a corpus."""
    if os.path.exists(data) or any(mark in data for mark in "*?[./\\"):
        return
    near = near_miss(data, ts.corpora.names())
    hint = f"did you mean {near!r}?" if near else "`termsift corpora` lists them"
    raise UnreadableFileError(f"there is no file {data}, nor a corpus of that name; {hint}")


def is_stream(data: str) -> bool:
    """Whether the data is standard input or a pipe, such as the shell's `<(...)`: it can be read once."""
    from termsift.engines.files import is_pipe

    return data == STDIN or is_pipe(data)


@contextmanager
def stream_copies(data: Sequence[str], format: str | None) -> Iterator[list[str]]:
    """The paths, with files in place of streams for as long as they are read."""
    if data.count(STDIN) > 1:
        raise InvalidInputError("standard input can be read once; name it once")
    with ExitStack() as copies:
        yield [copies.enter_context(stream_copy(name, format)) if is_stream(name) else name for name in data]


@contextmanager
def stream_copy(data: str, format: str | None) -> Iterator[str]:
    """Standard input or a pipe as a file for as long as it is read; CSV if nothing says otherwise."""
    from termsift.engines.files import ZIP, check_format, copy_pipe, ending, known_endings

    check_format(format)
    known = ending(data) in (*known_endings(), ZIP)
    named = Path(data).name if known and format is None else f"{STREAM}.{format or 'csv'}"
    with scratch_folder() as folder:
        path = folder / named
        if data == STDIN:
            if sys.stdin is None:
                raise UnreadableFileError("standard input is closed")
            with told_disk_faults(path), path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            copy_pipe(data, path)
        yield str(path)


def set_against(counts: Counts, class_: list[str], against: list[str]) -> tuple[Counts, list[Any]]:
    """The counts of what --class names set against what --against names, and the class they make."""
    if not against:
        return counts, class_
    if not class_:
        raise InvalidInputError("--against names what a class is told from; name the class too, by --class")
    sides, name = contrast(counts, class_, against)
    return sides, [name]


AnyCounts = TypeVar("AnyCounts", Counts, GroupedCounts)


def within_limits(counts: AnyCounts, options: TextOptions) -> AnyCounts:
    """The counts of terms in enough documents and not in too many; an error where none is left."""
    if options.min_df == 0:
        raise InvalidInputError("min_df must be at least 1, or a share of the documents, got 0")
    kept = counts.with_df(options.min_df, options.max_df)
    if len(counts.terms) and not len(kept.terms):
        own = counts if isinstance(counts, Counts) else counts.counts
        raise InvalidInputError(why_no_term(own.term_df, own.documents, options.min_df, options.max_df))
    return kept


def check_outputs(data: Sequence[str], reading: Reading, *paths: Path | None) -> None:
    """An error before the work where a result could not be written, or would replace what is read."""
    if sys.stdout is None and any(map(is_stdout, paths)):
        raise UnreadableFileError("standard output is closed; write to a file")
    targets = {path: writable(path) for path in paths if path is not None}
    written = {file_number(target): path for path, target in targets.items() if target.is_file()}
    if not written:
        return
    for name in (file for one in data for file in input_files(one, reading)):
        path = written.get(file_number(name))
        if path is not None:
            raise InvalidInputError(f"{path} is what is read, and would be replaced; write to another file")


def input_files(data: str, reading: Reading) -> Iterator[str | int | Path]:
    """Every file that the data names: itself, those of a pattern or a folder, of a corpus, standard input."""
    if data == STDIN:
        yield 0
    elif os.path.isdir(data):
        yield from Path(data).rglob("*")
    elif os.path.exists(data):
        yield data
    elif data in ts.corpora.names():
        yield from corpus_files(data, reading)
    else:
        yield from glob.iglob(data, recursive=True)


def corpus_files(name: str, reading: Reading) -> Iterator[Path]:
    """The file of a corpus, if it needs one and it is there."""
    from termsift.corpora import ENTRIES, data_folder

    folder = data_folder(reading.data_dir)
    for entry in ENTRIES:
        if entry.name == name and entry.file and folder is not None:
            yield folder / entry.file


def file_number(file: str | int | Path) -> tuple[int, int] | None:
    """What a file is, by whatever name or link; None for one that is not there."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def is_stdout(path: Path | None) -> bool:
    """Whether the path is standard output by another name."""
    return path is not None and file_number(path) == file_number(1) is not None


def write_text(path: Path, text: str) -> None:
    """Write text where it was asked for; to standard output as if nothing was."""
    if is_stdout(path):
        put(text)
        return
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


TABLES: dict[str, Callable[[Table], str]] = {
    ".csv": Table.to_csv,
    ".json": lambda table: table.to_json() + "\n",
}


def write_counts(found: Counts | GroupedCounts, output: Path) -> None:
    """Write counts where they were asked for: as CSV or JSON by the ending of the name, else saved."""
    written = TABLES.get(output.suffix.lower())
    if written is not None and not is_stdout(output):
        write_text(output, written(count_table(found)))
    else:
        found.save("/dev/stdout" if is_stdout(output) else output)


def count_table(found: Counts | GroupedCounts) -> Table:
    """A row for every term in every class, and of grouped counts in every group, that holds it."""
    if isinstance(found, Counts):
        return cell_rows(found.terms, {"class": list(found.classes)}, found.df, found.tf, found.class_sizes)
    pairs = found.pairs
    cells = sorted_cells(found)
    places = {cell: i for i, cell in enumerate(cells)}
    own = [(p, places[group, label]) for p, (group, label) in pair_cells(found)]
    ones = np.ones(len(own), dtype=np.int64)
    rows, columns = np.array(own, dtype=np.int64).reshape(-1, 2).T
    joined = csr_array((ones, (rows, columns)), shape=(len(pairs.classes), len(cells)))
    names = {"class": [label for _, label in cells], "group": [group for group, _ in cells]}
    df, tf = summed_columns(pairs.df, joined), summed_columns(pairs.tf, joined)
    return cell_rows(pairs.terms, names, df, tf, pairs.class_sizes @ joined)


def pair_cells(found: GroupedCounts) -> list[tuple[int, tuple[Any, Any]]]:
    """The group and each of the labels of every pair, with its place."""
    pairs = [pair_of(name) for name in found.pairs.classes]
    return [(p, (group, label)) for p, (group, labels) in enumerate(pairs) for label in labels]


def sorted_cells(found: GroupedCounts) -> list[tuple[Any, Any]]:
    """Every group with a class that is in it, by class and group in their order."""
    classes, groups = ({name: i for i, name in enumerate(names)} for names in (found.classes, found.groups))
    cells = {cell for _, cell in pair_cells(found)}
    return sorted(cells, key=lambda cell: (classes[cell[1]], groups[cell[0]]))


def cell_rows(terms: Array, names: dict[str, list[Any]], df: Any, tf: Any, sizes: Array) -> Table:
    """The rows of a table of terms x columns, whose columns have these names and sizes."""
    df, tf = df.tocoo(), tf.tocsr()
    columns: dict[str, Array] = {"term": terms[df.row]}
    columns |= {name: np.array(values, dtype=object)[df.col] for name, values in names.items()}
    columns |= {"documents": df.data, "occurrences": np.asarray(tf[df.row, df.col]).ravel()}
    return Table(columns | {"class_documents": np.asarray(sizes)[df.col]})
