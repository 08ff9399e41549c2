"""Inputs and outputs of commands: counts and documents of files, stdin, saved counts and corpora by name."""

from __future__ import annotations

import glob
import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from scipy.sparse import csr_array

import termsift as ts
from termsift._internal.errors import (
    InvalidInputError,
    UnreadableFileError,
    closest_name,
    escape_invisible,
    format_one_line,
    unknown_name_error,
)
from termsift._internal.files import atomic_write, scratch_folder, translate_disk_errors, validate_output_path
from termsift._internal.tables import TABLE_EXTENSIONS, Table, render_table
from termsift._internal.typing import Array
from termsift.cli import console, parameters
from termsift.counts import (
    Counts,
    GroupedCounts,
    contrast_classes,
    explain_empty_vocabulary,
    is_counts_file,
    is_grouped_file,
    parse_pair_name,
    sum_columns,
)
from termsift.engines import LabelledInput, load_documents
from termsift.text import build_full_forms

if TYPE_CHECKING:
    from termsift.engines import SampleLimit

ENGINES = ("files", "spark")
MAX_CHECKED_BYTES = 20_000_000  # duplicates are not looked for in larger inputs unless they are dropped
AnyCounts = TypeVar("AnyCounts", Counts, GroupedCounts)


def load_counts(data: Sequence[str], options: parameters.InputOptions) -> Counts:
    """Count the documents that the data names, or load saved counts.

    Counts of Spark come without terms in fewer than --min-df documents; the others may have them.
    """
    counts = load_any_counts(data, options)
    return counts.counts if isinstance(counts, GroupedCounts) else counts


def load_grouped_counts(data: Sequence[str], options: parameters.InputOptions, group: str) -> GroupedCounts:
    """Count documents by class and group; saved counts must be grouped by the same column."""
    counts = load_any_counts(data, replace(options, group=group))
    if not isinstance(counts, GroupedCounts):
        raise InvalidInputError(f"{data[0]} has no groups; count the documents again with --group {group}")
    if counts.by not in (None, group):
        raise InvalidInputError(f"{data[0]} is grouped by {counts.by!r}, not by {group!r}")
    return counts


def load_any_counts(data: Sequence[str], options: parameters.InputOptions) -> Counts | GroupedCounts:
    """Count by class, or by class and group if the options have a group."""
    check_input_options(options)
    if options.drop_duplicates:
        return count_distinct_documents(data, options)
    if options.engine == "spark":
        return count_on_spark(data, options)
    corpus = find_corpus_name(data)
    if corpus is not None:
        if options.group is not None:
            raise InvalidInputError(f"the corpus {corpus} has no columns to group by; give a file")
        return count_documents(load_corpus(corpus, options.data_dir), options)
    with copy_streams(data, options.files.format) as paths:
        if any(map(is_counts_file, paths)):
            options.tokens.check_no_token_options(next(filter(is_counts_file, paths)))
            return load_saved_counts(paths)
        settings: dict[str, Any] = {"analyzer": options.tokens.analyzer, "n_jobs": options.jobs}
        settings |= {"memory": options.memory_limit, **options.as_kwargs}
        with console.file_progress(paths, options.files.format) as progress:
            counts: Counts | GroupedCounts = ts.count(as_paths(paths), progress=progress, **settings)
        return counts


def replace_stemmer(data: Sequence[str], options: parameters.InputOptions) -> parameters.InputOptions:
    """Replace the stemmer by the most frequent word of each stem, for lists; not for streams and Spark."""
    if options.engine == "spark" or any(is_input_stream(name) or is_counts_file(name) for name in data):
        return options
    limits = parameters.TokenOptions(min_df=options.tokens.min_df, max_df=options.tokens.max_df)

    def with_analyzer(analyzer: Any) -> parameters.InputOptions:
        return replace(options, tokens=replace(limits, default_analyzer=analyzer))

    def count_words(analyzer: Any) -> Iterator[tuple[Array, Array]]:
        for name in data:
            counts = load_counts([name], replace(with_analyzer(analyzer), drop_duplicates=False))
            yield counts.terms, counts.term_tf

    analyzer = options.tokens.analyzer
    full_forms = build_full_forms(analyzer, count_words)
    if analyzer is None or full_forms is None:
        return options
    return with_analyzer(replace(analyzer, stemmer=full_forms))


def count_distinct_documents(data: Sequence[str], options: parameters.InputOptions) -> Counts | GroupedCounts:
    """Count the documents that duplicate no earlier one, which must fit into memory."""
    documents = read_documents(data, replace(options, group=None), {"group": options.group})
    if options.group is None:
        return count_documents(documents, options)
    settings = {"analyzer": options.tokens.analyzer, "n_jobs": options.jobs}
    return ts.count(documents.data, documents.labels, groups=documents.metadata["group"], **settings)


def warn_of_duplicates(data: Sequence[str], options: parameters.InputOptions, terms: Sequence[str]) -> None:
    """Print which listed terms are mostly in duplicates, unless the documents are too many to compare."""
    from termsift.engines import find_terms_in_duplicates

    is_readable = options.engine == "files" and not any(is_input_stream(x) or is_counts_file(x) for x in data)
    if options.drop_duplicates or not is_readable:
        return
    if find_corpus_name(data) is None:
        size = console.total_bytes(data, options.files.format)
        if size is None or size > MAX_CHECKED_BYTES:
            return
    with warnings.catch_warnings(action="ignore"):
        documents = read_documents(data, options)
    found = find_terms_in_duplicates(documents, terms, options.tokens.analyzer, options.jobs)
    if found:
        shown = ", ".join(f"{term!r} ({n_duplicates} of {n})" for term, n, n_duplicates in found[:3])
        shown += f" and {len(found) - 3} more terms" if len(found) > 3 else ""
        verb = "is" if len(found) == 1 else "are"
        console.print_message(
            f"termsift: {shown} {verb} mostly in duplicate documents; --drop-duplicates leaves them out"
        )


def print_score_next_steps(data: Sequence[str], options: parameters.InputOptions, class_name: object) -> None:
    """Print the commands that follow the overview of all classes; data that cannot be read again has none."""
    if options.engine != "files" or any(map(is_input_stream, data)):
        return
    rest = " ".join([*map(shlex.quote, data), options.format_arguments()]).strip()
    console.print_message(
        f"Next: termsift score {rest} --class {shlex.quote(str(class_name))}  # counts, effects, p"
    )
    console.print_message(f"Next: termsift report {rest} -o report.html  # charts, words in context")


def load_saved_counts(paths: Sequence[str]) -> Counts | GroupedCounts:
    """Load saved counts and add those of several files."""
    other = next((path for path in paths if not is_counts_file(path)), None)
    if other is not None:
        message = f"{other} contains no saved counts, but other files do; count it first, or omit it"
        raise InvalidInputError(message)
    if all(map(is_grouped_file, paths)):
        return sum((GroupedCounts.load(path) for path in paths), GroupedCounts.empty())
    return sum((Counts.load(path) for path in paths), Counts.empty())


def count_on_spark(data: Sequence[str], options: parameters.InputOptions) -> Counts | GroupedCounts:
    """Count files, or tables with --format table, on a Spark cluster."""
    master = options.master or "local[*]"
    keywords = options.as_kwargs
    row_options = {name: keywords.pop(name) for name in ("label_separator", "on_missing")}
    columns = {name: keywords[name] for name in ("text", "label", "group") if name in keywords}
    settings = {"analyzer": options.tokens.analyzer, "min_df": options.tokens.absolute_min_df} | row_options
    with console.spinner(f"counting on {master}"), ts.spark.read(list(data), master, **keywords) as frame:
        counts: Counts | GroupedCounts = ts.count(frame, **columns, **settings)
    return counts


def count_documents(documents: LabelledInput, options: parameters.InputOptions) -> Counts:
    """Count documents in memory."""
    settings: dict[str, Any] = {"terms": documents.terms, "analyzer": options.tokens.analyzer}
    # a matrix is counted without threads
    settings |= {} if documents.texts is None else {"n_jobs": options.jobs}
    with console.spinner(f"counting {len(documents.labels):,} documents"):
        counts = ts.count(documents.data, documents.labels, **settings)
    return cast(Counts, counts)


def read_documents(
    data: Sequence[str],
    options: parameters.InputOptions,
    metadata_columns: Mapping[str, str | None] | None = None,
    sample_limit: SampleLimit | None = None,
) -> LabelledInput:
    """Read the documents of files or of a corpus into memory.

    columns : further columns to read, by the option that names them
    """
    check_input_options(options)
    if options.engine == "spark":
        message = "this command reads documents into memory and cannot use Spark; omit --engine spark"
        raise InvalidInputError(message)
    corpus = find_corpus_name(data)
    if corpus is not None:
        option = next((name for name, column in (metadata_columns or {}).items() if column is not None), None)
        if option is not None:
            raise InvalidInputError(f"the corpus {corpus} has no columns for --{option}; give a file")
        documents = load_corpus(corpus, options.data_dir)
    else:
        format = options.files.format
        with console.spinner(f"reading {display_name(data)}"), copy_streams(data, format) as paths:
            documents = load_documents(
                as_paths(paths), None, metadata_columns, sample_limit, **options.as_kwargs
            )
        # a stream is gone after the sample was drawn, so the final model cannot be fitted to all of it
        if documents.sample is not None and any(map(is_input_stream, data)):
            documents = replace(documents, sample=replace(documents.sample, again=None))
    if not options.drop_duplicates:
        return documents
    from termsift.engines import drop_duplicate_documents

    n_read = len(documents.labels)
    with console.spinner(f"comparing {n_read:,} documents"):
        documents = drop_duplicate_documents(documents, options.tokens.analyzer, options.jobs)
    n_dropped = n_read - len(documents.labels)
    console.print_message(f"termsift: left out {n_dropped:,} of {n_read:,} documents as duplicates")
    return documents


def load_corpus(name: str, data_dir: Path | None) -> LabelledInput:
    """Load a corpus by name."""
    with console.spinner(f"reading {name}"):
        return load_documents(ts.corpora.load(name, data_dir=data_dir))


def find_corpus_name(data: Sequence[str]) -> str | None:
    """Return the corpus that the data names, None for files; anything else is an error with the near miss."""
    for name in data:
        # names like paths, patterns and URLs are files, even if these do not exist
        if os.path.exists(name) or any(mark in name for mark in "*?[./\\"):
            continue
        corpora = ts.corpora.names()
        if name not in corpora:
            near = closest_name(name, corpora)
            hint = f"did you mean {near!r}?" if near else "`termsift corpora` lists the corpora"
            raise UnreadableFileError(f"no file or corpus named {name}; {hint}")
        if len(data) > 1:
            raise InvalidInputError(f"{name} is a corpus, which cannot be combined with other inputs")
        return name
    return None


def check_input_options(options: parameters.InputOptions) -> None:
    """Check the engine, the Spark master and the tokenization options before anything is read."""
    # building the analyzer raises an error if the options contradict each other
    _ = options.tokens.analyzer
    if options.engine not in ENGINES:
        raise unknown_name_error("engine", options.engine, ENGINES)
    if options.master is not None and options.engine != "spark":
        raise InvalidInputError("--master needs --engine spark")


def as_paths(names: Sequence[str]) -> str | list[str | Path]:
    """Convert names to paths, because the library takes several strings for texts."""
    from termsift.engines.files import is_url

    if len(names) == 1:
        return names[0]
    return [name if is_url(name) else Path(name) for name in names]


def display_name(data: Sequence[str]) -> str:
    """Format the name of the data for messages: the first without its folder, and how many more."""
    first = Path(data[0])
    # the name of the folder "." is that of its absolute path
    name = "standard input" if data[0] == console.STDIN else first.name or first.resolve().name or data[0]
    return name if len(data) == 1 else f"{name} and {len(data) - 1} more"


def default_title(data: Sequence[str]) -> str:
    """Return the heading of a page about the data."""
    return format_one_line(f"Terms of {display_name(data)}")


def is_input_stream(name: str) -> bool:
    """Return whether a name is standard input or a pipe, which can be read only once."""
    from termsift.engines.files import is_pipe

    return name == console.STDIN or is_pipe(name)


@contextmanager
def copy_streams(data: Sequence[str], format: str | None) -> Iterator[list[str]]:
    """Yield the paths, with temporary files in place of streams."""
    if data.count(console.STDIN) > 1:
        raise InvalidInputError("standard input can be read only once; give - only once")
    with ExitStack() as copies:
        yield [
            copies.enter_context(copy_stream(name, format)) if is_input_stream(name) else name
            for name in data
        ]


@contextmanager
def copy_stream(name: str, format: str | None) -> Iterator[str]:
    """Copy standard input or a pipe to a temporary file; its format is CSV by default."""
    from termsift.engines.files import FORMAT_BY_EXTENSION, ZIP, check_format, copy_pipe, format_extension

    check_format(format)
    # a named pipe such as mail.jsonl has a format; standard input has none
    has_extension = format_extension(name) in (*FORMAT_BY_EXTENSION, ZIP)
    default_name = f"{console.STDIN_COPY}.{format or 'csv'}"
    file_name = Path(name).name if has_extension and format is None else default_name
    with scratch_folder() as folder:
        path = folder / file_name
        if name == console.STDIN:
            if sys.stdin is None:
                raise UnreadableFileError("standard input is closed; give a file instead")
            with translate_disk_errors(path), path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            copy_pipe(name, path)
        yield str(path)


def apply_reference(counts: Counts, classes: list[str], reference: list[str]) -> tuple[Counts, list[Any]]:
    """Restrict counts to the classes of --class and --reference; return them and the target class."""
    if not reference:
        return counts, classes
    if not classes:
        raise InvalidInputError("--reference needs --class, e.g. --class A --reference B")
    contrast, target = contrast_classes(counts, classes, reference)
    return contrast, [target]


def apply_df_limits(counts: AnyCounts, options: parameters.TokenOptions) -> AnyCounts:
    """Drop terms outside the limits of document frequency; it is an error if none is left."""
    if options.min_df == 0:
        raise InvalidInputError("min_df must be at least 1, or a share of the documents above 0, got 0")
    limited = counts.with_df(options.min_df, options.max_df)
    if len(counts.terms) and not len(limited.terms):
        by_class = counts if isinstance(counts, Counts) else counts.counts
        raise InvalidInputError(
            explain_empty_vocabulary(by_class.term_df, by_class.documents, options.min_df, options.max_df)
        )
    return limited


def check_outputs(data: Sequence[str], data_dir: Path | None, *paths: Path | None) -> None:
    """Check, before long work, that outputs can be written and do not replace an input."""
    if sys.stdout is None and any(map(is_stdout, paths)):
        raise UnreadableFileError("standard output is closed; write to a file")
    targets = {path: validate_output_path(path) for path in paths if path is not None}
    # compared by identity, because links give a file several names
    outputs = {file_identity(target): path for path, target in targets.items() if target.is_file()}
    if not outputs:
        return
    for file in (file for name in data for file in iter_input_files(name, data_dir)):
        path = outputs.get(file_identity(file))
        if path is not None:
            raise InvalidInputError(f"output {path} is also an input; choose another file")


def iter_input_files(name: str, data_dir: Path | None) -> Iterator[str | int | Path]:
    """Yield every file that a name stands for: a path, pattern, folder, corpus or standard input."""
    if name == console.STDIN:
        yield 0
    elif os.path.isdir(name):
        yield from Path(name).rglob("*")
    elif os.path.exists(name):
        yield name
    elif name in ts.corpora.names():
        from termsift.corpora import data_folder, find_entry

        folder, entry = data_folder(data_dir), find_entry(name)
        if folder is not None and entry.file:
            yield folder / entry.file
    else:
        yield from glob.iglob(name, recursive=True)


def file_identity(file: str | int | Path) -> tuple[int, int] | None:
    """Return device and inode of a file, which are the same for all its names; None if it does not exist."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def is_stdout(path: Path | None) -> bool:
    """Return whether a path is standard output, such as /dev/stdout."""
    return path is not None and file_identity(path) == file_identity(1) is not None


def write_text_output(path: Path, text: str) -> None:
    """Write text to a file, or to standard output if the path is that."""
    if is_stdout(path):
        console.write_output(text)
        return
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_list(
    options: parameters.ListOutput,
    build_table: Callable[[], Table],
    format_text: Callable[[], str],
    format_json: Callable[[], str] | None = None,
    description: str = "list",
    escape: bool = True,
) -> None:
    """Print a list, or write it to the file of --output, in the format of the options.

    table, text : functions that return the list for programs and for people
    json : function that returns it as JSON, if that is more than the table
    escape : whether invisible characters of the text are escaped, in a file as on a terminal
    """
    if options.format is None:
        content = format_text()
        content += "\n" if content else ""
        if escape:
            content = "\n".join(map(escape_invisible, content.split("\n")))
    else:
        is_json = options.format == "json" and format_json is not None
        content = (
            format_json() + "\n" if is_json and format_json else render_table(build_table(), options.format)
        )
    if options.output is None:
        console.write_output(content)
        return
    write_text_output(options.output, content)
    console.print_message(f"{description} written to {options.output}")


def write_counts(counts: Counts | GroupedCounts, output: Path) -> None:
    """Write counts: as a table if the extension is that of one, otherwise as saved counts."""
    # standard output may be a link with any extension
    format = TABLE_EXTENSIONS.get(output.suffix.lower())
    if format is not None and not is_stdout(output):
        write_text_output(output, render_table(count_table(counts), format))
    else:
        counts.save("/dev/stdout" if is_stdout(output) else output)


def count_table(counts: Counts | GroupedCounts) -> Table:
    """Return a row for every term and class, and every group of grouped counts, in which the term occurs."""
    if isinstance(counts, Counts):
        classes = {"class": list(counts.classes)}
        return _cell_rows(counts.terms, classes, counts.df, counts.tf, counts.class_sizes)
    pairs = counts.pairs
    # A pair of a group and several labels counts for each of the labels.
    pair_cells = [
        (pair, (group, label))
        for pair, (group, labels) in enumerate(map(parse_pair_name, pairs.classes))
        for label in labels
    ]
    class_order = {name: i for i, name in enumerate(counts.classes)}
    group_order = {name: i for i, name in enumerate(counts.groups)}
    cells = sorted(
        {cell for _, cell in pair_cells}, key=lambda cell: (class_order[cell[1]], group_order[cell[0]])
    )
    column_index = {cell: i for i, cell in enumerate(cells)}
    entries = [(pair, column_index[cell]) for pair, cell in pair_cells]
    rows, columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    membership = csr_array(
        (np.ones(len(entries), dtype=np.int64), (rows, columns)), shape=(len(pairs.classes), len(cells))
    )
    names = {"class": [label for _, label in cells], "group": [group for group, _ in cells]}
    df, tf = sum_columns(pairs.df, membership), sum_columns(pairs.tf, membership)
    return _cell_rows(pairs.terms, names, df, tf, pairs.class_sizes @ membership)


def _cell_rows(terms: Array, names: dict[str, list[Any]], df: Any, tf: Any, sizes: Array) -> Table:
    df, tf = df.tocoo(), tf.tocsr()
    columns: dict[str, Array] = {"term": terms[df.row]}
    columns |= {name: np.array(values, dtype=object)[df.col] for name, values in names.items()}
    columns |= {"documents": df.data, "occurrences": np.asarray(tf[df.row, df.col]).ravel()}
    return Table(columns | {"class_documents": np.asarray(sizes)[df.col]})
