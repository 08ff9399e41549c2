"""Commands on documents: compare, benchmark and report."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift.cli import console, inputs, parameters
from termsift.counts import Counts, is_counts_file
from termsift.engines import LabelledInput, check_class_sizes, choose_sample_limit, count, warn_numeric_labels
from termsift.metrics import parse_metric, score
from termsift.report import DEFAULT_METRIC, class_keywords, format_keywords

MAX_CLASS_ROWS = 25
MIN_BUDGET = 1e-9  # seconds


@dataclass(frozen=True)
class CandidateOptions:
    """Candidates of a comparison.

    Parameters
    ----------
    metric
        How to select terms: a metric such as bns, bns:round_robin, cc:combined, ig:cmim;
        greedy, l1, all; class_weights or divisive(200) for extracted features; bns@1-2 or
        all@chars3-5 for n-grams (default: a set of good ones).
    k
        Number of terms to try; may be repeated.
    classifier
        multinomial_nb, complement_nb, svm, nbsvm or logistic; :binary for 0/1 features,
        multinomial_nb:smooth_all, :all_terms or :length for other probabilities, svm:bns for terms
        weighted by a metric, svm(C=3) for another strength, svm_tuned for thresholds tuned to an F
        measure (default: a set of good ones).
    racing
        Drop losing candidates early (early stopping).

    """

    metric: list[str] = field(default_factory=list)
    k: Annotated[list[int], Parameter(name=["-k", "--k"])] = field(default_factory=list)
    classifier: list[str] = field(default_factory=list)
    racing: Annotated[bool, Parameter(negative="--no-racing")] = True


@dataclass(frozen=True)
class EvaluationOptions:
    """Evaluation of candidates and choice of the recommendation.

    Parameters
    ----------
    goal
        f1_macro, f1_micro, f2_macro and the like, accuracy, balanced_accuracy, precision_macro,
        recall_macro, mcc, average_precision, 'precision_at_recall(0.9)' or break_even; the first one
        decides (default: f1_macro).
    folds
        Number of cross-validation folds, or of time windows.
    repeats
        Repetitions of the cross-validation (default: more for small corpora).
    group
        Group column, e.g. author. No group is in both training and test set.
    time
        Column of dates or numbers: train on the past, test on what follows.
    split
        Column with the values train and test.
    test
        File with the test set; DATA is the training set.
    weight
        Column of sample weights.
    tolerance
        Recommend the fewest terms within this much of the best, e.g. 0.01.
    max_terms
        Recommend the best candidate with at most this many terms.
    drop_duplicates
        Remove duplicate and near-duplicate documents, keeping the first.

    """

    goal: list[str] = field(default_factory=list)
    folds: int = 5
    repeats: int | None = None
    group: str | None = None
    time: str | None = None
    split: str | None = None
    test: str | None = None
    weight: str | None = None
    tolerance: float | None = None
    max_terms: int | None = None
    drop_duplicates: bool = False
    seed: parameters.Seed = 0


@dataclass(frozen=True)
class ResultOptions:
    """Files that a comparison writes.

    Parameters
    ----------
    save
        Save the recommended model to this file.
    overwrite
        Let --save replace a file.
    calibrate
        Also save a probability calibration, fitted on out-of-fold decision values.

    """

    save: Annotated[Path | None, Parameter(group=parameters.OUTPUT)] = None
    overwrite: Annotated[bool, Parameter(group=parameters.OUTPUT)] = False
    calibrate: Annotated[bool, Parameter(group=parameters.OUTPUT)] = False
    report: parameters.Report = None
    title: parameters.Title = None
    no_texts: parameters.NoTexts = False


CANDIDATE_DEFAULTS, EVALUATION_DEFAULTS, RESULT_DEFAULTS = (
    CandidateOptions(),
    EvaluationOptions(),
    ResultOptions(),
)


def compare(
    data: parameters.Data,
    *,
    candidates: Annotated[CandidateOptions, Parameter(name="*")] = CANDIDATE_DEFAULTS,
    evaluation: Annotated[EvaluationOptions, Parameter(name="*")] = EVALUATION_DEFAULTS,
    budget: float | None = None,
    progress: Annotated[Literal["auto", "json"], Parameter(group=parameters.OUTPUT)] = "auto",
    results: Annotated[ResultOptions, Parameter(name="*")] = RESULT_DEFAULTS,
    details: Annotated[bool, Parameter(group=parameters.OUTPUT)] = False,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    table: parameters.Table = parameters.TABLE_DEFAULTS,
) -> None:
    """Find out which metric, number of terms and classifier suit your data; save the best model.

    Candidates are evaluated by cross-validation, with terms selected inside each fold, and compared with
    the usual choices: all terms, document frequency, scikit-learn's chi2, L1 regression. --json prints all
    results, the other tables every candidate. To compare two corpora, use `termsift diff`.

    Example: `termsift compare mail.csv --text body --label folder --save model`

    Parameters
    ----------
    budget
        Stop after this many seconds and use the results so far; all terms with a linear SVM come first.
    progress
        Progress on stderr: a bar or lines (auto), or JSON lines with done, total, seconds, remaining.
    details
        Print all results: every sentence and table.

    """
    start = time.monotonic()
    table_format = table.format
    outputs = [results.report]
    if results.save is not None:
        from termsift.models import check_model_path

        outputs.append(check_model_path(results.save, results.overwrite))
    inputs.check_outputs(data, options.data_dir, *outputs)
    splits = [f"--{name}" for name in ("test", "split", "time") if getattr(evaluation, name) is not None]
    if len(splits) > 1:
        raise InvalidInputError(f"give only one of {' and '.join(splits)}: each defines the test set")
    # a calibration is only part of a saved model
    if results.calibrate and results.save is None:
        raise InvalidInputError("--calibrate needs --save")
    memory = None if options.memory is None else parameters.parse_memory_option(options.memory)
    sample_limit = choose_sample_limit(memory, budget, evaluation.seed, start)
    columns = {name: getattr(evaluation, name) for name in ("group", "time", "split", "weight")}
    documents, test = inputs.read_documents(data, options, columns, sample_limit), None
    if evaluation.test is not None:
        test = inputs.read_documents([evaluation.test], options, columns, sample_limit)
    for_programs = table_format is not None
    # other options may be invalid, which must be reported first, or change the training documents
    is_default = candidates == CANDIDATE_DEFAULTS and evaluation == EVALUATION_DEFAULTS
    has_printed_keywords = is_default and not for_programs and print_keywords_first(documents, options)
    # the time for reading is part of the budget; one fit is made in any case
    seconds = time.monotonic() - start
    keywords = compare_kwargs(candidates, evaluation) | options.tokens.as_kwargs
    if not for_programs and not has_printed_keywords:
        keywords["on_counts"] = print_keywords
    from termsift.compare import compare as compare_candidates

    with console.task_progress("comparing", as_json=progress == "json") as update:
        comparison = compare_candidates(
            documents,
            test=test,
            calibrate=results.calibrate,
            n_jobs=options.jobs,
            budget=budget if budget is None or budget <= 0 else max(budget - seconds, MIN_BUDGET),
            progress=update,
            **keywords,
        )
    # the documents were read before, so the comparison does not know the name of the data
    comparison = replace(comparison, source=inputs.display_name(data))
    print_comparison(comparison, table_format, details, results.save is not None)
    if results.report is not None:
        with console.spinner("drawing"):
            title = results.title or inputs.default_title(data)
            page = comparison.to_html(title=title, with_texts=not results.no_texts)
        inputs.write_text_output(results.report, page)
        console.print_message(f"report written to {results.report}")
    if not for_programs:
        print_compare_next_steps(data, results, details, comparison.results.beats_guessing)
    if results.save is not None:
        if not comparison.results.beats_guessing:
            raise InvalidInputError("no model saved: no candidate is better than guessing")
        save_model(comparison, results, options.files.text, stdout_is_data=for_programs)


def compare_kwargs(candidates: CandidateOptions, evaluation: EvaluationOptions) -> dict[str, Any]:
    """Return the options as keyword arguments of `ts.compare`, without empty lists."""
    names = ("folds", "repeats", "drop_duplicates", "tolerance", "max_terms")
    keywords = {name: getattr(evaluation, name) for name in names}
    keywords |= {"random_state": evaluation.seed, "racing": candidates.racing}
    lists = {"metrics": candidates.metric, "k": candidates.k, "classifiers": candidates.classifier}
    lists["goal"] = evaluation.goal
    return keywords | {name: values for name, values in lists.items() if values}


def print_keywords(counts: Counts) -> None:
    """Print the keywords of each class, which are known long before the recommendation."""
    keywords = class_keywords(score(counts, DEFAULT_METRIC), counts.classes)
    console.print_text(format_keywords(keywords, DEFAULT_METRIC) + "\n")


def print_keywords_first(documents: LabelledInput, options: parameters.InputOptions) -> bool:
    """Print the keywords of texts before the packages of compare are loaded; return whether that was done."""
    # counts the texts once more, but shows the first words seconds earlier
    if documents.texts is None:
        return False
    check_class_sizes(documents.labels)
    labels = documents.labels.labels_per_document
    counts = count(documents.texts, labels, n_jobs=options.jobs, **options.tokens.as_kwargs)
    if len(counts.terms):
        print_keywords(counts)
    return len(counts.terms) > 0


def print_comparison(comparison: Any, table_format: str | None, details: bool, is_saved: bool) -> None:
    """Print the recommendation: for people, all results as JSON, or all candidates as a table."""
    from termsift.compare import format_summary

    if table_format == "json":
        console.write_output(comparison.to_json() + "\n")
        return
    if table_format is not None:
        console.print_table(comparison.table, table_format)
        # on stderr, because stdout is for programs
        for sentence in (*comparison.answer, *comparison.dropped_candidates, *comparison.warnings):
            console.print_message(sentence)
        return
    blocks = [format_summary(comparison, is_saved=is_saved)]
    notes = [*comparison.dropped_candidates, *(f"Warning: {sentence}" for sentence in comparison.warnings)]
    blocks += ["\n".join(notes)] if notes else []
    if details:
        blocks += ["\n".join(comparison.details)] if comparison.details else []
        tables = {
            "Best candidate of each method:": comparison.methods,
            "More terms against a better score, and what each rule recommends:": comparison.trade_off,
            "Share of classes in which a method is within 0.01 of the best:": comparison.win_shares,
        }
        blocks += [f"{title}\n{format_table(round_columns(table))}" for title, table in tables.items()]
        blocks.append(format_classes(comparison.class_summary))
        # times differ between runs and are only in --json
        costs = [row for row in comparison.costs if row["features"] != row["terms"]]
        if costs:
            names = ("method", "classifier", "terms", "features")
            table = Table({name: np.array([row[name] for row in costs], dtype=object) for name in names})
            blocks.append("Features made from terms:\n" + format_table(table))
    console.print_text("\n\n".join(blocks))


def print_compare_next_steps(
    data: Sequence[str], results: ResultOptions, details: bool, has_advice: bool
) -> None:
    """Print the options that show or write more."""
    steps = []
    if has_advice and results.save is None:
        steps.append("--save FILE to save the recommended model")
    if not details:
        steps.append("--details for methods, sizes and classes")
    if results.report is None:
        steps.append("--report FILE.html for the words in context")
    if not has_advice:
        steps.insert(0, f"termsift audit {shlex.join(data)} to check the labels")
    if steps:
        console.print_text(f"\nNext: {'; '.join(steps)}.")


def format_classes(classes: Table) -> str:
    """Format the results by class, those with the lowest scores first."""
    order = classes["chosen"].argsort(kind="stable")[:MAX_CLASS_ROWS]
    rows = Table({name: column[order] for name, column in round_columns(classes).columns.items()})
    title = "Each class"
    if len(rows) < len(classes):
        title = f"The {MAX_CLASS_ROWS} classes of {len(classes)} with the lowest scores"
    return f"{title}: the recommended candidate, and the best method:\n{format_table(rows)}"


def round_columns(table: Table) -> Table:
    """Round numbers to three decimals."""
    return Table(
        {
            name: column.round(3) if column.dtype.kind == "f" else column
            for name, column in table.columns.items()
        }
    )


def save_model(
    comparison: Any, results: ResultOptions, text_columns: list[str], *, stdout_is_data: bool
) -> None:
    """Save the model and print how to use it, on stderr if stdout has data for programs."""
    from termsift.compare import format_usage

    file = comparison.save(results.save, overwrite=results.overwrite)
    console.print_message(f"saved the model to {file}; to use it:")
    takes_texts = comparison.models[0].documents.texts is not None
    usage = format_usage(file, takes_texts=takes_texts, text_columns=text_columns)
    if not stdout_is_data:
        console.print_text("\n" + usage)
        return
    for row in usage.splitlines():
        console.print_message(row)


@dataclass(frozen=True)
class ProblemOptions:
    """Methods of a benchmark, and their evaluation.

    Parameters
    ----------
    metric
        Metric or method, as for compare; may be repeated (default: those of Forman's study).
    k
        Number of terms; may be repeated. A method counts with its best.
    classifier
        Classifier, as for compare; may be repeated.
    goal
        f1, precision, recall or accuracy; may be repeated (default: all).
    folds
        Number of cross-validation folds.
    repeats
        Repetitions of the cross-validation.
    min_positives
        Omit classes with fewer documents (default: the number of folds).
    tolerance
        Largest gap to the best value of a problem with which a method still wins (default: 0.01, for accuracy
        0.001).
    relative
        Tolerance as a share of the best value.

    """

    metric: list[str] = field(default_factory=list)
    k: Annotated[list[int], Parameter(name=["-k", "--k"])] = field(default_factory=list)
    classifier: list[str] = field(default_factory=list)
    goal: list[str] = field(default_factory=list)
    folds: int = 4
    repeats: int = 5
    min_positives: int | None = None
    tolerance: float | None = None
    relative: bool = False
    seed: parameters.Seed = 0


PROBLEM_DEFAULTS = ProblemOptions()


def benchmark(
    *data: str,
    results: Path | None = None,
    column: list[str] = [],  # noqa: B006
    problems: Annotated[ProblemOptions, Parameter(name="*")] = PROBLEM_DEFAULTS,
    save: Annotated[Path | None, Parameter(group=parameters.OUTPUT)] = None,
    report: parameters.Report = None,
    title: parameters.Title = None,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Compare methods on every class of several corpora, each against the rest.

    Forman's procedure: best chances, residual wins, best pairs, results by skew and class size, and
    significance over the problems. With --save, an interrupted benchmark continues. --json prints all
    tables, the other formats the value of each method on each problem.

    Example: `termsift benchmark mail.csv news.csv --metric bns --metric ig --save runs.csv`

    Parameters
    ----------
    data
        Corpora: files, folders or names of corpora.
    results
        CSV of results to analyse instead of corpora: columns problem, method, and goal and value or a column
        for each goal; size, repeat, documents and positives if known.
    column
        Name of a column of --results, e.g. method=metric; may be repeated.
    save
        CSV of all results, written after every repeat; existing results are not computed again.

    """
    _ = output.format
    inputs.check_outputs(
        [*data, *([str(results)] if results else [])], options.data_dir, report, output.output
    )
    names = dict(item.partition("=")[::2] for item in column)
    keywords: dict[str, Any] = {
        name: getattr(problems, name)
        for name in ("folds", "repeats", "min_positives", "tolerance", "relative")
    }
    lists = {"methods": problems.metric, "k": problems.k, "classifiers": problems.classifier}
    lists["goals"] = problems.goal
    keywords |= {name: values for name, values in lists.items() if values}
    named = {Path(name).name.split(".")[0] or name: name for name in data}
    if len(named) < len(data):
        raise InvalidInputError("several corpora have the same file name; rename one of them")
    corpora = {name: inputs.read_documents([path], options) for name, path in named.items()}
    with console.task_progress("benchmark", in_units=True) as progress:
        found = ts.benchmark(
            corpora,
            results=results,
            columns=names,
            save=save,
            random_state=problems.seed,
            n_jobs=options.jobs,
            progress=progress,
            **keywords,
            **options.tokens.as_kwargs,
        )
    inputs.write_list(output, lambda: found.best_over_sizes, lambda: repr(found), found.to_json)
    if report is not None:
        heading = title or f"Benchmark of {inputs.display_name(data) if data else results}"
        inputs.write_text_output(report, found.to_html(heading))
        console.print_message(f"report written to {report}")


def report(
    data: parameters.Data,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)],
    metric: str = DEFAULT_METRIC,
    k: Annotated[int | None, Parameter(name=["-k", "--k"])] = None,
    class_: Annotated[list[str], Parameter(name="--class")] = [],  # noqa: B006
    reference: parameters.Reference = [],  # noqa: B006
    keep_nested: parameters.KeepNested = False,
    title: parameters.Title = None,
    no_texts: parameters.NoTexts = False,
    drop_duplicates: parameters.DropDuplicates = False,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    export: Annotated[Path | None, Parameter(group=parameters.OUTPUT)] = None,
) -> None:
    """Write an HTML page: the words of each class, a map of terms, words in context, metrics, corpus.

    The page is one file that opens in any browser without a network.

    Example: `termsift report mail.csv -o mail.html`

    Parameters
    ----------
    output
        HTML file to write.
    metric
        Metric the page opens with, e.g. bns or "ig(smoothing='ele')".
    k
        Number of terms per class the page opens with, at most 300.
    class_
        Class to show first (default: the largest); may be repeated.
    export
        Folder for the figures of each class: effects and map of terms, as SVG and PNG.

    """
    from termsift.report import MAX_K, export_charts, report_html

    inputs.check_outputs(data, options.data_dir, output)
    if output.suffix.lower() in (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".gif"):
        raise InvalidInputError(
            f"a report is an HTML page, got {output}; use -o {output.with_suffix('.html')}, or for a chart "
            f"termsift score DATA --class NAME --plot {output}"
        )
    parse_metric(metric)
    if k is not None and k > MAX_K:
        raise InvalidInputError(
            f"k must be at most {MAX_K}, the maximum number of terms per class on a page, got {k}"
        )
    options = inputs.replace_stemmer(data, replace(options, drop_duplicates=drop_duplicates))
    if export is not None and export.exists() and not export.is_dir():
        raise InvalidInputError(f"--export needs a folder, but {export} is a file")
    counts, texts = load_counts_and_texts(data, options, no_texts)
    classes: Sequence[Any] = class_
    default_title = inputs.default_title(data)
    if reference:
        counts, texts, classes = restrict_to_contrast(counts, texts, class_, reference)
        default_title = format_one_line(f"{default_title}: {classes[0]} against {classes[1]}")
    counts = inputs.apply_df_limits(counts, options.tokens)
    warn_numeric_labels(counts.classes, counts.documents)
    with console.spinner("drawing"):
        page = report_html(
            counts,
            title=title or default_title,
            metric=metric,
            k=k,
            classes=classes,
            keep_nested=keep_nested,
            **texts,
        )
    inputs.write_text_output(output, page)
    console.print_message(f"{counts}: report written to {output} ({len(page.encode()) / 1e6:.1f} MB)")
    if export is not None:
        export.mkdir(parents=True, exist_ok=True)
        with console.spinner("drawing figures"):
            paths = export_charts(ts.score(counts, metric), classes, export)
        console.print_message(f"{len(paths)} figures written to {export}")


def restrict_to_contrast(
    counts: Counts, texts: dict[str, Any], classes: list[str], reference: list[str]
) -> tuple[Counts, dict[str, Any], list[Any]]:
    """Restrict counts and texts to target and reference; return them with the two names."""
    contrast, (target,) = inputs.apply_reference(counts, classes, reference)
    (other,) = (name for name in contrast.classes if name != target)
    if not texts:
        return contrast, {}, [target, other]
    names = dict.fromkeys(map(counts.class_index, classes), target)
    names |= dict.fromkeys(map(counts.class_index, reference), other)
    # several classes may be pooled, so each text gets the name of the target or of the reference
    name_by_document = {
        i: name for c, name in names.items() for i in texts["labels"].class_documents(c).tolist()
    }
    rows = sorted(name_by_document)
    restricted = {
        "texts": [texts["texts"][i] for i in rows],
        "labels": [name_by_document[i] for i in rows],
    }
    return contrast, restricted, [target, other]


def load_counts_and_texts(
    data: Sequence[str], options: parameters.InputOptions, no_texts: bool
) -> tuple[Counts, dict[str, Any]]:
    """Load counts, and texts with labels if there are any and they are wanted."""
    if no_texts or any(map(is_counts_file, data)):
        return inputs.load_counts(data, options), {}
    documents = inputs.read_documents(data, options)
    counts = inputs.count_documents(documents, options)
    return counts, {} if documents.texts is None else {"texts": documents.texts, "labels": documents.labels}
