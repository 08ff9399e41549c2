"""The commands. Each is thin: read, call the library, show. Tables go to stdout, talk to stderr."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import cyclopts
import numpy as np
from cyclopts import Parameter

import termsift as ts
from termsift.counts import Counts, is_counts_file
from termsift.errors import InvalidInput, TermsiftError, TermsiftWarning, UnreadableFile, near_miss, unknown
from termsift.output import replacing, writable
from termsift.scores import Scores
from termsift.tables import Table, text_table

app = cyclopts.App(
    name="termsift",
    help="Find the terms that tell classes of text apart.",
    version=ts.__version__,
    help_format="markdown",
    result_action="return_value",
)

Data = Annotated[
    str, Parameter(help="A CSV, TSV, JSONL or Parquet file, a pattern, saved counts, or a corpus name.")
]
DataDir = Annotated[
    Path | None, Parameter(name="--data-dir", help="The folder of corpora; else that of TERMSIFT_DATA.")
]
MinDf = Annotated[int, Parameter(name="--min-df", help="Leave out terms in fewer documents.")]
AsJson = Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")]
AsCsv = Annotated[bool, Parameter(name="--csv", negative=(), help="Print CSV.")]
Many = Annotated[list[str], Parameter(consume_multiple=False, negative=())]


@Parameter(name="*")
@dataclass(frozen=True)
class Reading:
    """How the files are read."""

    text: Annotated[str, Parameter(help="The column that holds the texts.")] = "text"
    label: Annotated[str, Parameter(help="The column that holds the labels.")] = "label"
    separator: Annotated[str | None, Parameter(help="What parts several labels in one field.")] = None
    on_missing: Annotated[str, Parameter(help="Rows without text or label: 'error' or 'skip'.")] = "error"
    encoding: Annotated[str, Parameter(help="Of text files.")] = "utf-8"
    format: Annotated[str, Parameter(help="Of standard input: csv, tsv, jsonl or parquet.")] = "csv"
    memory: Annotated[int, Parameter(help="Megabytes that sums may take before they go to disk.")] = 1024
    jobs: Annotated[int | None, Parameter(help="Threads; all cores where not given.")] = None
    data_dir: DataDir = None


DEFAULT = Reading()
STDIN = "/dev/stdin"


@app.command
def metrics(*, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the metrics: name, sides, what they need, options, formula, source."""
    if as_json:
        rows = [metric.as_row() for metric in ts.metrics()]
        print(json.dumps(rows, indent=1, default=str))
    else:
        show(ts.metrics().table(), False, as_csv)


@app.command
def corpora(*, data_dir: DataDir = None, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the corpora that can be named in place of a file: which are there, and where to get the rest."""
    from termsift.corpora.entry import data_folder
    from termsift.corpora.listing import listing, listing_text

    folder = data_folder(data_dir)
    if folder is not None and not folder.is_dir():
        say(f"termsift: there is no folder {folder}")
    if as_json or as_csv:
        show(listing(data_dir), as_json, as_csv)
    else:
        print(listing_text(data_dir))


@app.command
def count(
    data: Data,
    *,
    reading: Reading = DEFAULT,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="Save the counts here.")] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Count the terms of each class, once; every metric can then be tried on the saved counts."""
    check_output(output)
    counts = counts_of(data, reading)
    if output is not None:
        counts.save(output)
        say(f"{counts} saved to {output}")
    by_class = {
        "class": np.array(counts.classes, dtype=object),
        "documents": counts.class_sizes,
        "terms": np.bincount(counts.df.indices, minlength=len(counts.classes)),
        "occurrences": counts.tf.sum(axis=0),
    }
    show(Table(by_class), as_json, as_csv)


@app.command
def score(
    data: Data,
    *,
    metric: Annotated[Many, Parameter(help="A metric; give several to see them side by side.")] = ["bns"],  # noqa: B006
    class_: Annotated[Many, Parameter(name="--class", help="A class; all where none is given.")] = [],  # noqa: B006
    side: Annotated[
        str, Parameter(help="Terms that speak 'for' the class, 'against' it, or 'both'.")
    ] = "both",
    top: Annotated[int, Parameter(help="How many terms of each class.")] = 20,
    reading: Reading = DEFAULT,
    min_df: MinDf = 1,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the terms that tell a class from the rest, best first.

    A two-sided metric finds terms that speak against the class too: their sign is -1, and side by side
    they are marked (-).
    """
    if top < 1:
        raise InvalidInput(f"top must be at least 1, got {top}")
    names = [ts.metrics()[name].name for name in metric]
    counts = at_least(counts_of(data, reading), min_df)
    classes = [counts.classes[counts.class_index(name)] for name in class_] or list(counts.classes)
    tables = {name: top_terms(by_class(counts, name), classes, top, side) for name in names}
    if as_json or as_csv or (len(names) == 1 and len(class_) == 1):
        show(stacked(tables), as_json, as_csv)
    elif len(names) == 1 and not class_:
        show(a_line_each(tables[names[0]]), False, False)
    else:
        side_by_side(tables, classes)


@app.command
def select(
    data: Data,
    *,
    metric: Annotated[str, Parameter(help="The metric to choose by.")] = "bns",
    k: Annotated[int, Parameter(name=["-k", "--k"], help="How many terms.")] = 1000,
    policy: Annotated[
        str | None, Parameter(help="In place of -k: 'RoundRobin(500)', 'FalseDiscovery(0.01)'.")
    ] = None,
    reduce: Annotated[str, Parameter(help="max, mean, weighted, sum or round_robin.")] = "max",
    class_: Annotated[str | None, Parameter(name="--class", help="Choose for this class alone.")] = None,
    reading: Reading = DEFAULT,
    min_df: MinDf = 1,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="Write the terms here.")] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Choose terms, best first, one a line: a vocabulary for scikit-learn's CountVectorizer."""
    from termsift.policies import policy_from

    check_output(output)
    chooser = ts.TopK(k) if policy is None else policy_from(policy)
    ts.metrics()[metric]
    counts = at_least(counts_of(data, reading), min_df)
    chosen = ts.select(counts, metric, chooser, reduce=reduce, for_class=class_)
    lines = "".join(term + "\n" for term in chosen)
    if as_json:
        lines = json.dumps(chosen, ensure_ascii=False) + "\n"
    elif as_csv:
        lines = Table({"term": np.array(chosen, dtype=object)}).to_csv()
    if output is None:
        sys.stdout.write(lines)
        return
    with replacing(output) as temporary:
        temporary.write_text(lines, encoding="utf-8")
    say(f"{len(chosen):,} of {len(counts.terms):,} terms written to {output}")


def check_output(path: Path | None) -> None:
    """An error before the work, not after it, where the result could not be written."""
    if path is not None:
        writable(path)


def counts_of(data: str, reading: Reading) -> Counts:
    """The counts of a file, of standard input, of saved counts, or of a corpus by name."""
    if data == STDIN:
        with standard_input(reading.format) as path:
            return counts_of(path, reading)
    if not os.path.exists(data) and data in ts.corpora.names():
        return corpus_counts(data, reading)
    if is_counts_file(data):
        return Counts.load(data)
    if not os.path.exists(data) and not any(mark in data for mark in "*?[./\\"):
        near = near_miss(data, ts.corpora.names())
        hint = f"did you mean {near!r}?" if near else "`termsift corpora` lists them"
        raise UnreadableFile(f"there is no file {data}, nor a corpus of that name; {hint}")
    with progress_bar(data) as advance:
        return ts.count(
            data,
            text=reading.text,
            label=reading.label,
            encoding=reading.encoding,
            separator=reading.separator,
            on_missing=reading.on_missing,
            memory=reading.memory << 20,
            n_jobs=reading.jobs,
            progress=advance,
        )


def corpus_counts(name: str, reading: Reading) -> Counts:
    """The counts of a corpus by name, of its texts or of its matrix."""
    with working(f"reading {name}"):
        corpus = ts.corpora.load(name, data_dir=reading.data_dir)
    with working(f"counting {len(corpus):,} documents"):
        if corpus.matrix is not None:
            return ts.count(corpus.matrix, corpus.labels, terms=corpus.terms)
        return ts.count(corpus.texts, corpus.labels, n_jobs=reading.jobs)


@contextmanager
def standard_input(format: str) -> Iterator[str]:
    """Standard input as a file for as long as it is read."""
    if format not in ("csv", "tsv", "jsonl", "parquet"):
        raise unknown("format", format, ("csv", "tsv", "jsonl", "parquet"))
    with tempfile.TemporaryDirectory(prefix="termsift-") as folder:
        path = Path(folder) / f"stdin.{format}"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


@contextmanager
def progress_bar(data: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr with the share done, the speed and the time left; nothing where nobody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from termsift.engines.files import Source

    # of compressed files the share done is not known
    total = None if data.endswith((".gz", ".zst", ".parquet")) else Source(data).size
    columns = (TextColumn("counting {task.fields[documents]:,} documents"), BarColumn())
    with Progress(
        *columns, TransferSpeedColumn(), TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=total, documents=0)
        yield lambda documents, size: bar.update(task, completed=size, documents=documents)


def at_least(counts: Counts, min_df: int) -> Counts:
    """The counts of terms in at least so many documents."""
    if min_df < 1:
        raise InvalidInput(f"min-df must be at least 1, got {min_df}")
    return counts if min_df == 1 else counts.keep(np.flatnonzero(counts.term_df >= min_df))


def by_class(counts: Counts, name: str) -> Scores:
    """The metric's scores, of each class where it can tell them apart."""
    options: dict[str, Any] = {"per_class": True} if "per_class" in ts.metrics()[name].options else {}
    return ts.score(counts, name, **options)


def top_terms(scores: Scores, classes: Sequence[Any], n: int, side: str) -> dict[Any, Table]:
    """For each class the table of its best terms; one table where the metric knows no classes."""
    if scores.values.ndim == 1:
        return {"": scores.top(n=n)}
    return {name: scores.top(name, n, side=side) for name in classes}


def stacked(tables: dict[str, dict[Any, Table]]) -> Table:
    """All rows under each other; with several metrics a column says which."""
    parts = [(metric, table) for metric, by_name in tables.items() for table in by_name.values()]
    keys = max((list(table.columns) for _, table in parts), key=len)
    keys += [key for _, table in parts for key in table.columns if key not in keys]
    columns = {key: np.concatenate([filled(table, key) for _, table in parts]) for key in dict.fromkeys(keys)}
    if len(tables) == 1:
        return Table(columns)
    metric = np.concatenate([np.full(len(table), name, dtype=object) for name, table in parts])
    return Table({"metric": metric} | columns)


def filled(table: Table, key: str) -> np.ndarray[Any, Any]:
    """A column of a table, empty where the table has none."""
    return table[key] if key in table.columns else np.full(len(table), None, dtype=object)


def a_line_each(by_name: dict[Any, Table]) -> Table:
    """A row a class: its best terms in a line."""
    if list(by_name) == [""]:
        return by_name[""]
    terms = [" ".join(marked(table)) for table in by_name.values()]
    return Table({"class": np.array(list(by_name), dtype=object), "terms": np.array(terms, dtype=object)})


def side_by_side(tables: dict[str, dict[Any, Table]], classes: Sequence[Any]) -> None:
    """For each class a block, a column a metric."""
    for i, name in enumerate(classes):
        columns = {metric: marked(by_name.get(name, by_name.get(""))) for metric, by_name in tables.items()}
        longest = max(map(len, columns.values()))
        padded = {m: np.array(c + [""] * (longest - len(c)), dtype=object) for m, c in columns.items()}
        print(("\n" if i else "") + f"[{name}]\n" + text_table(Table(padded)))


def marked(table: Table | None) -> list[str]:
    """The terms, those that speak against the class with a mark."""
    if table is None:
        raise AssertionError("every metric has a table for every class")
    if "sign" not in table.columns:
        return list(table["term"])
    return [
        term if sign >= 0 else f"{term} (-)" for term, sign in zip(table["term"], table["sign"], strict=True)
    ]


def show(table: Table, as_json: bool, as_csv: bool) -> None:
    """A table on stdout in the form that was asked for."""
    if as_json and as_csv:
        raise InvalidInput("give one of --json and --csv")
    if as_json:
        print(table.to_json())
    elif as_csv:
        sys.stdout.write(table.to_csv())
    else:
        print(text_table(table, most=10**6))


def say(line: str) -> None:
    """A line of talk, on stderr."""
    print(line, file=sys.stderr)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing where nobody watches."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else console.status("", refresh_per_second=0.01):
        yield


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """Our warnings as lines of talk; those of other libraries are for developers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TermsiftWarning)
        warnings.showwarning = lambda message, *rest, **more: say(f"termsift: {message}")
        yield


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command: exit 0, or 1 with one clear line for a mistake of the user's."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack the letters of a term
    # the parser takes a lone dash for an option
    given = [STDIN if argument == "-" else argument for argument in arguments or sys.argv[1:]]
    try:
        with spoken_warnings():
            app(given, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (TermsiftError, cyclopts.CycloptsError) as error:
        say(f"termsift: {' '.join(str(error).split())}")
        sys.exit(1)
    except OSError as error:
        say(f"termsift: {error}")
        sys.exit(1)
    sys.exit(0)
