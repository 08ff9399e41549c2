"""The commands, each a function whose docstring is its help."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError
from termsift._internal.files import writable
from termsift._internal.resources import SETTING
from termsift._internal.tables import Table
from termsift.cli.console import check_form, put, put_for_people, say, show, working
from termsift.cli.data import (
    DEFAULT,
    DataDir,
    Reading,
    check_engine,
    check_outputs,
    counts_of,
    documents_of,
    grouped_counts_of,
    is_stdout,
    set_against,
    within_limits,
    write_counts,
    write_text,
)
from termsift.cli.options import chosen_analyzer
from termsift.cli.score_tables import (
    Asked,
    by_class,
    grouped_rows,
    grouped_scores,
    metrics_without,
    one_of,
    rows_for_programs,
    told_groups,
    told_lists,
    top_words,
)
from termsift.counts import Counts, GroupedCounts
from termsift.metrics import bibtex, metric_with_options, written_metric
from termsift.selection import Method, RedundancyAware, Selection

Data = Annotated[
    list[str],
    Parameter(
        negative=(),
        help="Files (CSV, TSV, JSON, Parquet, Arrow, XLSX, zip), patterns, folders, addresses, saved counts, "
        "or a corpus name.",
    ),
]
Group = Annotated[str | None, Parameter(name="--group", help="A column of groups, such as author or source.")]
AsJson = Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")]
AsCsv = Annotated[bool, Parameter(name="--csv", negative=(), help="Print CSV.")]
Many = Annotated[list[str], Parameter(consume_multiple=False, negative=())]
Against = Annotated[
    Many, Parameter(help="Tell --class from this class, not from all others; several are taken as one.")
]
KeepParts = Annotated[
    bool,
    Parameter(negative=(), help="Keep n-grams within longer ones that are in nearly the same documents."),
]


def metrics(
    *,
    cite: Annotated[
        list[str] | None,
        Parameter(help="Print the source of a metric as BibTeX; may be given again.", negative=()),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List the metrics: name, sides, what they need, options, formula, source."""
    if cite:
        put("\n\n".join(dict.fromkeys(bibtex(name) for name in cite)) + "\n")
    elif as_json:
        rows = [metric.as_row() for metric in ts.metrics()]
        put(json.dumps(rows, indent=1, default=str) + "\n")
    else:
        show(ts.metrics().table(), False, as_csv)


def landscape(
    metric: Annotated[str, Parameter(help="A metric, with its options: bns, \"bns(zero='replace')\".")],
    *,
    output: Annotated[
        Path, Parameter(name=["--output", "-o"], help="The picture to write: .svg, .png or .html.")
    ],
    positives: Annotated[int, Parameter(help="Documents inside the class.")] = 50,
    negatives: Annotated[int, Parameter(help="Documents outside it.")] = 1750,
    levels: Annotated[int, Parameter(help="How many lines.")] = 12,
) -> None:
    """Draw the contours of a metric over the rates of a term inside and outside a class."""
    from termsift.report import landscape as drawn
    from termsift.report import save_chart

    writable(output)
    save_chart(drawn(metric, positives=positives, negatives=negatives, levels=levels), output)
    say(f"the landscape of {metric} is {output}")


def corpora(*, data_dir: DataDir = None, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the corpora that can be named in place of a file: which are there, and where to get the rest."""
    from termsift.corpora import data_folder, table, listing_text

    folder = data_folder(data_dir)
    if folder is not None and not folder.is_dir():
        say(f"termsift: there is no folder {folder}")
    if as_json or as_csv:
        show(table(data_dir), as_json, as_csv)
    else:
        put_for_people(listing_text(data_dir))


def count(
    data: Data,
    *,
    group: Group = None,
    reading: Reading = DEFAULT,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"], help="Save the counts here; a table, if it ends in .csv or .json."
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Count the terms of each class, once; every metric can then be tried on the saved counts.

    With --group the counts are saved by class and group, for `termsift score` with --group or --control.

    Where the counts go to stdout, as by -o /dev/stdout, they go alone.
    """
    check_form(as_json, as_csv)
    check_outputs(data, reading, output)
    to_stdout = is_stdout(output)
    if to_stdout and sys.stdout.isatty():
        raise InvalidInputError("counts are no text for a terminal; write them to a file or a pipe")
    found: Counts | GroupedCounts
    if group is None:
        found = within_limits(counts_of(data, reading), reading.terms)
    else:
        found = within_limits(grouped_counts_of(data, reading, group), reading.terms)
    if output is not None:
        write_counts(found, output)
        say(f"{found} saved to {output}")
    if to_stdout:
        return
    counts = found if isinstance(found, Counts) else found.counts
    columns = {
        "class": np.array(counts.classes, dtype=object),
        "documents": counts.class_sizes,
        "terms": np.bincount(counts.df.indices, minlength=len(counts.classes)),
        "occurrences": counts.tf.sum(axis=0),
    }
    show(Table(columns), as_json, as_csv)


def score(
    data: Data,
    *,
    metric: Annotated[
        Many,
        Parameter(
            help="A metric, as bns or \"ig(smoothing='ele')\"; several are shown side by side. ig if none."
        ),
    ] = [],  # noqa: B006
    class_: Annotated[Many, Parameter(name="--class", help="A class; all where none is given.")] = [],  # noqa: B006
    against: Against = [],  # noqa: B006
    side: Annotated[
        str, Parameter(help="Terms that speak 'for' the class, 'against' it, or 'both'.")
    ] = "for",
    top: Annotated[int, Parameter(help="How many terms of each class.")] = 20,
    expected: Annotated[float, Parameter(help="How many terms above chance may be there by chance.")] = 1,
    keep_parts: KeepParts = False,
    group: Group = None,
    control: Annotated[
        str | None,
        Parameter(help="A column to hold fixed: words that differ within its groups. cmh if no metric."),
    ] = None,
    reading: Reading = DEFAULT,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the terms that tell a class from the rest, best first, and where chance begins.

    With --side both a two-sided metric shows terms that speak against the class too: their sign is -1, and
    they are marked (-).

    With --group each score comes with an interval over the groups, and with the number of groups that hold
    the term. With --control what the groups of the column explain is left out.
    """
    check_form(as_json, as_csv)
    if top < 1:
        raise InvalidInputError(f"top must be at least 1, got {top}")
    names = [written_metric(*metric_with_options(name)) for name in metric or metrics_without(control)]
    if group is None and control is None:
        counts, class_ = set_against(counts_of(data, reading), class_, against)
        counts = within_limits(counts, reading.terms)
        scored = {name: by_class(counts, name) for name in names}
    else:
        if against:
            raise InvalidInputError("give one of --against and --group or --control")
        grouped = grouped_counts_of(data, reading, one_of(group, control))
        grouped = within_limits(grouped, reading.terms)
        counts = grouped.counts
        scored = {name: grouped_scores(grouped, name, control is not None) for name in names}
    classes = [counts.classes[counts.class_index(name)] for name in class_] or list(counts.classes)
    asked = Asked(top, side, expected, keep_parts)
    if group is not None:
        if as_json or as_csv:
            show(grouped_rows(scored, classes, top, side), as_json, as_csv)
        else:
            put_for_people(told_groups(scored, classes, asked))
        return
    found = {name: top_words(scores, classes, asked) for name, scores in scored.items()}
    if as_json or as_csv:
        show(rows_for_programs(found), as_json, as_csv)
    else:
        put_for_people(told_lists(found, asked))


def select(
    data: Data,
    *,
    metric: Annotated[str, Parameter(help="The metric, or a method: bns, bns:round_robin, ig:cmim.")] = "bns",
    k: Annotated[int, Parameter(name=["-k", "--k"], help="How many terms.")] = 1000,
    policy: Annotated[
        str | None, Parameter(help="In place of -k: 'RoundRobin(500)', 'FalseDiscovery(0.01)'.")
    ] = None,
    reduce: Annotated[str, Parameter(help="max, mean, weighted, sum or round_robin.")] = "max",
    class_: Annotated[Many, Parameter(name="--class", help="Choose for this class alone.")] = [],  # noqa: B006
    against: Against = [],  # noqa: B006
    reading: Reading = DEFAULT,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="Write the terms here.")] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Choose terms, best first, one a line: a vocabulary for scikit-learn's CountVectorizer."""
    from termsift.selection import parse_method, build_method, parse_policy

    check_form(as_json, as_csv)
    check_outputs(data, reading, output)
    method, chooser = parse_method(metric), None if policy is None else parse_policy(policy)
    method = build_method(method.of_at_most(k) if chooser is None else method, chooser, reduce, {})
    chosen = chosen_terms(data, reading, method, class_, against)
    lines = "".join(term + "\n" for term in chosen)
    if as_json:
        lines = json.dumps(chosen.terms, ensure_ascii=False) + "\n"
    elif as_csv:
        lines = Table({"term": np.array(chosen.terms, dtype=object)}).to_csv()
    if output is None:
        put(lines)
        return
    write_text(output, lines)
    say(f"{len(chosen):,} of {len(chosen.scores or chosen):,} terms written to {output}")


TEXTS, LABELS = ["free prize", "lunch now", "free lunch"], ["spam", "ham", "ham"]


def warm() -> None:
    """Compile all loops now, so that nobody waits for it: for images, and machines of many users.

    They are kept beside the package, where that may be written, else in the user's cache; NUMBA_CACHE_DIR
    names another folder.
    """
    os.environ[SETTING] = "0"
    start = time.monotonic()
    with working("compiling"):
        compile_loops()
    say(f"the loops are compiled, in {time.monotonic() - start:.0f} s")


def compile_text_loops() -> ts.Counts:
    """Count a few texts in every way that has a loop of its own."""
    for kind in ("char", "char_wb"):
        ts.TermVectorizer(analyzer=kind, ngram_range=(2, 3)).fit(TEXTS).transform(TEXTS)
    for words in ("auto", "unicode"):
        ts.TermVectorizer(analyzer=ts.Analyzer(words=words)).fit(["अच्छी किताब"])
    for grams in ((1, 1), (1, 2)):
        for weights in (None, [1, 0.5, 2]):
            counts = ts.count(TEXTS, LABELS, analyzer=ts.Analyzer(ngram_range=grams), sample_weight=weights)
        ts.TermVectorizer(ngram_range=grams).fit(TEXTS).transform(TEXTS)
    return counts


def compile_loops() -> None:
    """The same, and score, select and compare them."""
    counts, X = compile_text_loops(), np.eye(3, 4, dtype=int)
    for weights in (None, [1, 0.5, 2]):
        ts.count(X * 0.5, LABELS, sample_weight=weights)
    for metric in ts.metrics():
        ts.score(counts, metric.name)
    for kind in (ts.WordClusterExtractor(n_clusters=2), ts.GreedyDiscriminationSelector(k=2)):
        kind.fit(X, LABELS).transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ts.compare(TEXTS * 20, LABELS * 20, metrics=["bns", "ig:round_robin"])


def chosen_terms(
    data: Sequence[str], reading: Reading, method: Method, class_: list[str], against: list[str]
) -> Selection:
    """The terms that a method chooses of a file, of saved counts, or of a corpus by name."""
    if len(class_) > 1 and not against:
        raise InvalidInputError(
            f"terms are chosen for one class, got {len(class_)}; set them --against others"
        )
    if isinstance(method.policy, RedundancyAware):
        if against:
            raise InvalidInputError(
                f"{method} reads documents, and tells a class from all others; no --against"
            )
        return documents_selection(data, reading, method, class_[0] if class_ else None)
    counts, names = set_against(counts_of(data, reading), class_, against)
    return method.selection(within_limits(counts, reading.terms), for_class=names[0] if names else None)


def documents_selection(
    data: Sequence[str], reading: Reading, method: Method, for_class: str | None
) -> Selection:
    """The terms that a method chooses which asks what terms occur together; the documents are held."""
    from termsift.compare import compared_documents
    from termsift.selection import select_non_redundant

    check_engine(reading)
    if reading.engine == "spark":
        raise InvalidInputError(f"{method} reads documents on this machine; leave out --engine spark")
    given = documents_of(data, reading)
    options = reading.terms
    analyzer = chosen_analyzer(options, lambda own: ts.count(given.data, given.labels, analyzer=own))
    limits = {"min_df": options.min_df, "max_df": options.max_df}
    documents = compared_documents(given, analyzer=analyzer, **limits, n_jobs=reading.jobs)
    return select_non_redundant(documents, method, for_class)[0]
