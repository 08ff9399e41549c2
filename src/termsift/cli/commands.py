"""Commands on counts: metrics, landscape, corpora, count, merge, score, select, warm."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from scipy.sparse import csr_array

import termsift as ts
from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import validate_output_path
from termsift._internal.resources import COMPILE_FROM_VARIABLE, release_memory
from termsift._internal.tables import Table, format_table
from termsift.cli import console, inputs, parameters
from termsift.cli.score_tables import (
    ListOptions,
    combine_group_lists,
    combine_lists,
    drop_unused_counts,
    format_group_lists,
    format_lists,
    list_terms,
    score_and_list_terms,
    score_classes,
    score_over_groups,
)
from termsift.counts import Counts, GroupedCounts
from termsift.engines import warn_numeric_labels
from termsift.metrics import EXPECTED, bibtex, format_metric, parse_metric
from termsift.report import DEFAULT_METRIC
from termsift.selection import build_method, list_methods, needs_documents, parse_method, parse_policy

LIST_TERMS, LINE_TERMS = 20, 8  # default number of terms in a list, and on the line of a class
Group = Annotated[str | None, Parameter(name="--group", help="Column of groups, such as author or source.")]


def metrics(
    *,
    cite: list[str] | None = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """List the metrics: name, direction, required counts, options, formula, source.

    Example: `termsift metrics --cite bns`

    Parameters
    ----------
    cite
        Print the source of a metric as BibTeX; may be repeated.

    """
    if cite:
        # several metrics may come from one paper
        console.write_output("\n\n".join(dict.fromkeys(bibtex(name) for name in cite)) + "\n")
        return
    inputs.check_outputs((), None, output.output)
    rows = [metric.as_row() for metric in ts.metrics()]
    table, methods = ts.metrics().table(), list_methods()
    inputs.write_list(
        output,
        lambda: table,
        lambda: (
            f"{format_table(table, max_rows=len(table))}\n\n"
            "Methods, for --metric of select, compare and benchmark:\n"
            f"{format_table(methods, max_rows=len(methods))}"
        ),
        lambda: json.dumps(rows, indent=1, default=str),
    )


def landscape(
    metric: str,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)],
    positives: int = 50,
    negatives: int = 1750,
    levels: int = 12,
) -> None:
    """Draw the isoclines of a metric in ROC space.

    Example: `termsift landscape bns -o bns.svg`

    Parameters
    ----------
    metric
        Metric with options, e.g. bns or "bns(zero='replace')".
    output
        File to write: .svg, .png or .html.
    positives
        Number of documents in the class.
    negatives
        Number of documents outside the class.
    levels
        Number of contour lines.

    """
    from termsift.report import landscape as draw_landscape
    from termsift.report import save_chart

    validate_output_path(output)
    save_chart(draw_landscape(metric, positives=positives, negatives=negatives, levels=levels), output)
    console.print_message(f"landscape of {metric} written to {output}")


def corpora(
    *,
    data_dir: parameters.DataDir = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """List the corpora that can be named instead of a file, and where to get them.

    Example: `termsift corpora --data-dir ~/corpora`
    """
    from termsift.corpora import data_folder, format_listing, table

    folder = data_folder(data_dir)
    if folder is not None and not folder.is_dir():
        console.print_message(f"termsift: there is no folder {folder}")
    inputs.check_outputs((), None, output.output)
    inputs.write_list(output, lambda: table(data_dir), lambda: format_listing(data_dir))


def count(
    data: parameters.Data,
    *,
    group: Group = None,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)] = None,
    table: parameters.Table = parameters.TABLE_DEFAULTS,
) -> None:
    """Count the terms of each class and save the counts for other commands.

    With --group, counts are saved by class and group, for `termsift score` with --group or --control.

    Example: `termsift count mail.csv --text body --label folder -o mail.counts`

    Parameters
    ----------
    output
        Save the counts here; a table if it ends in .csv, .json, .md or .tex.

    """
    table_format = table.format
    inputs.check_outputs(data, options.data_dir, output)
    to_stdout = inputs.is_stdout(output)
    if to_stdout and sys.stdout.isatty():
        raise InvalidInputError("refusing to write binary counts to a terminal; use -o FILE or a pipe")
    counts: Counts | GroupedCounts
    if group is None:
        counts = inputs.apply_df_limits(inputs.load_counts(data, options), options.tokens)
    else:
        counts = inputs.apply_df_limits(inputs.load_grouped_counts(data, options, group), options.tokens)
    if output is not None:
        inputs.write_counts(counts, output)
        console.print_message(f"{counts} saved to {output}")
    # a table would be mixed with the binary counts
    if to_stdout:
        return
    by_class = counts if isinstance(counts, Counts) else counts.counts
    columns = {
        "class": np.array(by_class.classes, dtype=object),
        "documents": by_class.class_sizes,
        "terms": np.bincount(by_class.df.indices, minlength=len(by_class.classes)),
        "occurrences": by_class.tf.sum(axis=0),
    }
    console.print_table(Table(columns), table_format)


def merge(
    *data: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)],
) -> None:
    """Add saved counts, e.g. of days or machines; the result equals counting everything at once.

    Example: `termsift merge monday.counts tuesday.counts -o week.counts`

    Parameters
    ----------
    output
        Save the sum here.
    data
        Files of saved counts.

    """
    if len(data) < 2:
        raise InvalidInputError(f"give at least two files of saved counts, got {len(data)}")
    inputs.check_outputs(data, None, output)
    total = Counts.empty()
    for name in data:
        if not os.path.exists(name):
            raise UnreadableFileError(f"there is no file {name}")
        counts = Counts.load(name)
        # the error of incompatible counts lacks the name of the file
        try:
            total += counts
        except InvalidInputError as error:
            raise InvalidInputError(f"{name} cannot be added to the other counts: {error}") from error
    total.save(output)
    console.print_message(f"{total} saved to {output}")


def score(
    data: parameters.Data,
    *,
    metric: list[str] = [],  # noqa: B006
    class_: Annotated[list[str], Parameter(name="--class")] = [],  # noqa: B006
    reference: parameters.Reference = [],  # noqa: B006
    direction: str = "positive",
    top: int | None = None,
    expected: float = EXPECTED,
    all_: Annotated[bool, Parameter(name="--all", negative=())] = False,
    keep_nested: parameters.KeepNested = False,
    group: Group = None,
    control: str | None = None,
    drop_duplicates: parameters.DropDuplicates = False,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    plot: Annotated[Path | None, Parameter(group=parameters.OUTPUT)] = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """List the terms that distinguish each class, best first, with significance.

    Terms that are not significant are left out and counted. Negative terms have the sign -1 and are marked
    (-). With --group, scores and p have errors over the groups, and the table shows how many groups contain
    a term. With --control, differences between the groups of the column do not count.

    Example: `termsift score mail.csv --class spam --metric bns --top 50`

    Parameters
    ----------
    metric
        Metric, e.g. bns or "ig(smoothing='ele')"; several have a list each, in columns (default: ig).
    class_
        Class to list (default: all).
    direction
        Terms to list: 'positive', 'negative' or 'both'.
    top
        Number of terms per class (default: 20; 8 if each class is one line of text).
    expected
        Expected number of false positives among the significant terms of a class.
    all_
        List terms that are not significant too.
    control
        Stratify by this column (Cochran-Mantel-Haenszel; default metric: cmh).
    plot
        Also draw the terms as a bar chart of effects (.svg, .png, .pdf or .html).

    """
    inputs.check_outputs(data, options.data_dir, output.output, plot)
    _ = output.format
    if plot is not None and (group is not None or len(metric) > 1):
        raise InvalidInputError("--plot draws one metric and no groups; omit --group and further --metric")
    if top is not None and top < 1:
        raise InvalidInputError(f"top must be at least 1, got {top}")
    if group is not None and control is not None:
        raise InvalidInputError("give only one of --group (intervals over groups) and --control (strata)")
    options = inputs.replace_stemmer(data, replace(options, drop_duplicates=drop_duplicates))
    default = DEFAULT_METRIC if control is None else "cmh"
    names = [format_metric(*parse_metric(name)) for name in metric or [default]]
    column = control if group is None else group
    if column is None:
        counts, class_ = inputs.apply_reference(inputs.load_counts(data, options), class_, reference)
        counts = inputs.apply_df_limits(counts, options.tokens)
        warn_numeric_labels(counts.classes, counts.documents)
    else:
        if reference:
            raise InvalidInputError("--reference cannot be combined with --group or --control")
        grouped = inputs.apply_df_limits(inputs.load_grouped_counts(data, options, column), options.tokens)
        counts = grouped.counts
        scores = {name: score_over_groups(grouped, name, control is not None) for name in names}
    classes = [counts.classes[counts.class_index(name)] for name in class_] or list(counts.classes)
    is_overview = group is None and len(names) == 1 < len(classes) and output.format is None
    top = top or (LINE_TERMS if is_overview else LIST_TERMS)
    list_options = ListOptions(top, direction, expected, keep_nested, all_)
    if group is not None:
        inputs.write_list(
            output,
            lambda: combine_group_lists(scores, classes, list_options),
            lambda: format_group_lists(scores, classes, list_options),
        )
        return
    if column is None:
        counts = drop_unused_counts(counts, classes, names)
        release_memory()
        lists = {name: score_and_list_terms(counts, name, classes, list_options) for name in names}
    else:
        lists = {name: list_terms(values, classes, list_options) for name, values in scores.items()}
    if plot is not None:
        from termsift.report import plot_effects, save_chart

        charted = score_classes(counts, names[0]) if control is None else scores[names[0]]
        chart = plot_effects(charted, classes, top, direction=direction, expected=None if all_ else expected)
        save_chart(chart, plot)
        console.print_message(f"chart written to {plot}")
    inputs.write_list(output, lambda: combine_lists(lists), lambda: format_lists(lists, list_options))
    listed = [term for by_class in lists.values() for words in by_class.values() for term in words.terms]
    inputs.warn_of_duplicates(data, options, listed)
    if is_overview and output.output is None:
        inputs.print_score_next_steps(data, options, classes[0])


def select(
    data: parameters.Data,
    *,
    metric: str = "bns",
    k: Annotated[int, Parameter(name=["-k", "--k"])] = 1000,
    policy: str | None = None,
    reduce: str = "max",
    classifier: str = "multinomial_nb",
    goal: str = "break_even",
    class_: Annotated[list[str], Parameter(name="--class")] = [],  # noqa: B006
    reference: parameters.Reference = [],  # noqa: B006
    drop_duplicates: parameters.DropDuplicates = False,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Select terms and print them one per line, best first: a vocabulary for CountVectorizer.

    --csv adds the class of each term for separate terms per class, and the weights of features.

    Example: `termsift select mail.csv --metric bns:round_robin -k 500 -o terms.txt`

    Parameters
    ----------
    metric
        Metric or method, e.g. bns, bns:round_robin, bns:per_class, cc:combined, ig:cmim, greedy,
        class_weights, divisive(100); `termsift metrics` lists them.
    k
        Number of terms; of each class for terms per class.
    classifier
        Classifier that the ratio of cc:combined and the like is searched for.
    goal
        Goal that the ratio is searched for.
    policy
        Policy instead of -k, e.g. 'RoundRobin(500)' or 'FalseDiscovery(0.01)'.
    reduce
        How the scores of a term for all classes become one: max, mean, weighted (by class size) or sum.
    class_
        Select for this class only.

    """
    inputs.check_outputs(data, options.data_dir, output.output)
    _ = output.format
    options = replace(options, drop_duplicates=drop_duplicates)
    explicit_policy = None if policy is None else parse_policy(policy)
    if len(class_) > 1 and not reference:
        raise InvalidInputError(f"give only one --class, or --reference too, got {len(class_)} classes")
    if needs_documents(metric, explicit_policy):
        # joint occurrences are not in counts, and ratios are searched by classifying documents
        if reference:
            raise InvalidInputError(f"{metric} always compares a class with all others; omit --reference")
        chosen = _select_from_documents(
            data, metric, explicit_policy, k, reduce, next(iter(class_), None), classifier, goal, options
        )
        terms, n_terms, table = chosen.terms, chosen.n_terms, chosen.table
        if chosen.ratios is not None:
            distinct = set(chosen.ratios.values())
            shares = f"{distinct.pop():g}" if len(distinct) == 1 else "one for each class; see --csv"
            console.print_message(f"share of positive terms: {shares}")
    else:
        method = parse_method(metric)
        method = build_method(
            method.limit_k(k) if explicit_policy is None else method, explicit_policy, reduce, {}
        )
        counts, targets = inputs.apply_reference(inputs.load_counts(data, options), class_, reference)
        counts = inputs.apply_df_limits(counts, options.tokens)
        selection = method.selection(counts, for_class=targets[0] if targets else None)
        terms, n_terms = selection.terms, len(selection.scores or selection)
        class_terms = None if targets else method.class_terms(counts)
        table = class_terms or Table({"term": np.array(terms, dtype=object)})
    inputs.write_list(
        output,
        lambda: table,
        lambda: "\n".join(terms),
        lambda: json.dumps(terms, ensure_ascii=False),
        description=f"{len(terms):,} of {n_terms:,} terms",
        escape=False,
    )


def _select_from_documents(
    data: parameters.Data,
    metric: str,
    policy: Any,
    k: int,
    reduce: str,
    for_class: str | None,
    classifier: str,
    goal: str,
    options: parameters.InputOptions,
) -> Any:
    """Read the documents and select terms by a method that needs them."""
    from termsift.compare import prepare_documents, select_from_documents

    method: Any = metric
    if policy is not None or reduce != "max":
        method = build_method(metric, policy, reduce, {})
        k = getattr(method.policy, "k", None) or k
    documents = prepare_documents(
        inputs.read_documents(data, options), **options.tokens.as_kwargs, n_jobs=options.jobs
    )
    return select_from_documents(documents, method, k, for_class=for_class, classifier=classifier, goal=goal)


def warm() -> None:
    """Precompile all kernels, for container images and shared machines.

    Compiled kernels are stored next to the package if it is writable, otherwise in the user's cache; the
    variable NUMBA_CACHE_DIR names another folder. Kernels that root compiled serve all users.

    Example: `termsift warm`
    """
    # otherwise small inputs, such as those below, run without compilation
    os.environ[COMPILE_FROM_VARIABLE] = "0"
    start = time.monotonic()
    with console.spinner("compiling"):
        compile_all_kernels()
    console.print_message(f"kernels compiled in {time.monotonic() - start:.0f} s")


TEXTS, LABELS = ["free prize", "lunch now", "free lunch"], ["spam", "ham", "ham"]


def compile_text_kernels() -> Counts:
    """Compile the tokenization kernels by counting a few texts in every way that has its own kernel."""
    for kind in ("char", "char_wb"):
        ts.TermVectorizer(analyzer=kind, ngram_range=(2, 3)).fit(TEXTS).transform(TEXTS)
    for words in ("auto", "unicode"):
        ts.TermVectorizer(analyzer=ts.Analyzer(words=words)).fit(["अच्छी किताब"])
    for ngram_range in ((1, 1), (1, 2)):
        for weights in (None, [1, 0.5, 2]):
            analyzer = ts.Analyzer(ngram_range=ngram_range)
            counts = ts.count(TEXTS, LABELS, analyzer=analyzer, sample_weight=weights)
        ts.TermVectorizer(ngram_range=ngram_range).fit(TEXTS).transform(TEXTS)
        # files are scanned as Arrow arrays, for which the kernels have other argument types
        with TemporaryDirectory() as folder:
            file = Path(folder) / "texts.csv"
            file.write_text("text,label\n" + "".join(map("{},{}\n".format, TEXTS, LABELS)))
            ts.count(str(file), analyzer=analyzer)
    return counts


def compile_all_kernels() -> None:
    """Compile all kernels by using each of them on a few texts."""
    counts, matrix = compile_text_kernels(), np.eye(3, 4, dtype=int)
    for weights in (None, [1, 0.5, 2]):
        ts.count(matrix * 0.5, LABELS, sample_weight=weights)
        ts.count(csr_array(matrix), LABELS, sample_weight=weights)
    for metric in ts.metrics():
        ts.score(counts, metric.name).significant()
    for labels in (LABELS, TEXTS):
        for estimator in (ts.WordClusterExtractor(n_clusters=2), ts.GreedyDiscriminationSelector(k=2)):
            estimator.fit(matrix, labels).transform(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for metrics in (None, ["bns", "ig:round_robin"]):
            ts.compare(TEXTS * 20, LABELS * 20, metrics=metrics)
        ts.compare(TEXTS * 20, LABELS * 20, metrics="cc:combined", classifiers=["nbsvm", "logistic"])
