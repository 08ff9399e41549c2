"""Commands on documents: compare and report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table, format_table
from termsift.cli.console import (
    check_output_format,
    percent_progress,
    print_message,
    print_table,
    print_text,
    spinner,
    write_output,
)
from termsift.cli.data import (
    apply_df_limits,
    apply_reference,
    check_outputs,
    count_documents,
    default_title,
    load_counts,
    read_documents,
    write_text,
)
from termsift.cli.options import (
    INPUT_DEFAULTS,
    OUTPUT,
    AsCsv,
    AsJson,
    Data,
    Input,
    InputOptions,
    KeepNested,
    NoTexts,
    Reference,
    Report,
    Seed,
    Strings,
    Title,
    parse_megabytes,
)
from termsift.counts import Counts, is_counts_file
from termsift.engines import LabelledInput
from termsift.metrics import parse_metric
from termsift.report import DEFAULT_METRIC, class_keywords, format_keywords

MAX_CLASS_ROWS = 25


@dataclass(frozen=True)
class CandidateOptions:
    """Candidates of a comparison."""

    metric: Annotated[
        Strings,
        Parameter(
            help="How to select terms: a metric such as bns, bns:round_robin, cc:combined, ig:cmim; "
            "greedy_discrimination, l1, all; class_weights or divisive(200) for extracted features; "
            "bns@1-2 or all@chars3-5 for n-grams (default: a set of good ones)."
        ),
    ] = field(default_factory=list)
    k: Annotated[
        list[int],
        Parameter(
            name=["-k", "--k"],
            consume_multiple=False,
            negative=(),
            show_default=False,
            help="Number of terms to try; may be repeated.",
        ),
    ] = field(default_factory=list)
    classifier: Annotated[
        Strings,
        Parameter(
            help="multinomial_nb, complement_nb, svm or logistic; :binary for 0/1 features, svm:bns for "
            "terms weighted by a metric, svm_tuned for thresholds tuned to an F measure (default: a set of "
            "good ones)."
        ),
    ] = field(default_factory=list)
    racing: Annotated[
        bool, Parameter(negative="--no-racing", help="Drop losing candidates early (early stopping).")
    ] = True

    @property
    def as_keywords(self) -> dict[str, Any]:
        """Options that are given, as keyword arguments of `ts.compare`."""
        lists = {"metrics": self.metric, "k": self.k, "classifiers": self.classifier}
        return {name: values for name, values in lists.items() if values} | {"racing": self.racing}


@dataclass(frozen=True)
class EvaluationOptions:
    """Evaluation of candidates and choice of the recommendation."""

    goal: Annotated[
        Strings,
        Parameter(
            help="f1_macro, f1_micro, f2_macro and the like, accuracy, balanced_accuracy, precision_macro, "
            "recall_macro, mcc, average_precision, 'precision_at_recall(0.9)' or break_even; the first one "
            "decides (default: f1_macro)."
        ),
    ] = field(default_factory=list)
    folds: Annotated[int, Parameter(help="Number of cross-validation folds, or of time windows.")] = 5
    repeats: Annotated[
        int | None, Parameter(help="Repetitions of the cross-validation (default: more for small corpora).")
    ] = None
    group: Annotated[
        str | None, Parameter(help="Group column, e.g. author. No group is in both training and test set.")
    ] = None
    time: Annotated[
        str | None, Parameter(help="Column of dates or numbers: train on the past, test on what follows.")
    ] = None
    split: Annotated[str | None, Parameter(help="Column with the values train and test.")] = None
    test: Annotated[str | None, Parameter(help="File with the test set; DATA is the training set.")] = None
    weight: Annotated[str | None, Parameter(help="Column of sample weights.")] = None
    tolerance: Annotated[
        float | None, Parameter(help="Recommend the fewest terms within this much of the best, e.g. 0.01.")
    ] = None
    max_terms: Annotated[
        int | None, Parameter(help="Recommend the best candidate with at most this many terms.")
    ] = None
    drop_duplicates: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            help="Remove duplicate and near-duplicate documents, keeping the first.",
        ),
    ] = False
    seed: Seed = 0

    @property
    def as_keywords(self) -> dict[str, Any]:
        """Options as keyword arguments of `ts.compare`."""
        names = ("folds", "repeats", "drop_duplicates", "tolerance", "max_terms")
        keywords = {name: getattr(self, name) for name in names} | {"random_state": self.seed}
        return keywords | ({"goal": self.goal} if self.goal else {})

    @property
    def columns(self) -> dict[str, str | None]:
        """Columns to read besides texts and labels, by option."""
        return {name: getattr(self, name) for name in ("group", "time", "split", "weight")}

    def check(self) -> None:
        """Check that at most one option defines the split."""
        splits = [f"--{name}" for name in ("test", "split", "time") if getattr(self, name) is not None]
        if len(splits) > 1:
            raise InvalidInputError(f"give only one of {' and '.join(splits)}: each defines the test set")


@dataclass(frozen=True)
class ResultOptions:
    """Files that a comparison writes."""

    save: Annotated[
        Path | None, Parameter(group=OUTPUT, help="Save the recommended model to this folder.")
    ] = None
    overwrite: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, group=OUTPUT, help="Let --save replace a model in the folder."
        ),
    ] = False
    calibrate: Annotated[
        bool,
        Parameter(
            negative=(),
            show_default=False,
            group=OUTPUT,
            help="Also save a probability calibration, fitted on out-of-fold decision values.",
        ),
    ] = False
    report: Report = None
    title: Title = None
    no_texts: NoTexts = False


CANDIDATE_DEFAULTS, EVALUATION_DEFAULTS, RESULT_DEFAULTS = (
    CandidateOptions(),
    EvaluationOptions(),
    ResultOptions(),
)


def compare(
    data: Data,
    *,
    candidates: Annotated[CandidateOptions, Parameter(name="*")] = CANDIDATE_DEFAULTS,
    evaluation: Annotated[EvaluationOptions, Parameter(name="*")] = EVALUATION_DEFAULTS,
    budget: Annotated[
        float | None, Parameter(help="Stop after this many seconds and use the results so far.")
    ] = None,
    results: Annotated[ResultOptions, Parameter(name="*")] = RESULT_DEFAULTS,
    details: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, group=OUTPUT, help="Print all results: every sentence and table."
        ),
    ] = False,
    options: Input = INPUT_DEFAULTS,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find out which metric, number of terms and classifier suit your data; save the best model.

    Candidates are evaluated by cross-validation, with terms selected inside each fold, and compared with
    the usual choices: all terms, document frequency, scikit-learn's chi2, L1 regression. --json prints all
    results, --csv every candidate. To compare two corpora, use `termsift diff`.

    Example: `termsift compare mail.csv --text body --label folder --save model`
    """
    from termsift.engines import choose_sample_limit

    start = time.monotonic()
    check_output_format(as_json, as_csv)
    check_outputs(data, options.data_dir, results.report, *model_files(results))
    evaluation.check()
    if results.calibrate and results.save is None:
        raise InvalidInputError("--calibrate needs --save")
    memory = None if options.memory is None else parse_megabytes(options.memory)
    sample_limit = choose_sample_limit(memory, budget, evaluation.seed, start)
    documents = read_documents(data, options, evaluation.columns, sample_limit)
    test = (
        None
        if evaluation.test is None
        else read_documents([evaluation.test], options, evaluation.columns, sample_limit)
    )
    for_programs = as_json or as_csv
    is_default = candidates == CANDIDATE_DEFAULTS and evaluation == EVALUATION_DEFAULTS
    has_printed_keywords = is_default and not for_programs and print_keywords_first(documents, options)
    seconds = time.monotonic() - start
    if budget is not None and 0 < budget <= seconds:
        raise InvalidInputError(f"a budget of {budget:g} s is too small: reading alone took {seconds:.1f} s")
    keywords = {**candidates.as_keywords, **evaluation.as_keywords, **options.tokens.as_keywords}
    if not for_programs and not has_printed_keywords:
        keywords["on_counts"] = print_keywords
    with percent_progress("comparing") as progress:
        comparison = ts.compare(
            documents,
            test=test,
            calibrate=results.calibrate,
            n_jobs=options.jobs,
            budget=None if budget is None else budget - seconds,
            progress=progress,
            **keywords,
        )
    print_comparison(comparison, as_json, as_csv, details)
    if results.report is not None:
        with spinner("drawing"):
            title = results.title or default_title(data)
            page = comparison.to_html(title=title, with_texts=not results.no_texts)
        write_text(results.report, page)
        print_message(f"report written to {results.report}")
    if results.save is not None:
        save_model(comparison, results.save, results.overwrite, for_programs)


def print_keywords(counts: Counts) -> None:
    """Print the keywords of each class, which are known long before the recommendation."""
    keywords = class_keywords(ts.score(counts, DEFAULT_METRIC), counts.classes)
    print_text(format_keywords(keywords, DEFAULT_METRIC) + "\n")


def print_keywords_first(documents: LabelledInput, options: InputOptions) -> bool:
    """Print the keywords of texts before the packages of compare are loaded; return whether that was done."""
    from termsift.engines import check_labels

    if documents.texts is None:
        return False
    check_labels(documents.labels)
    labels = documents.labels.labels_per_document
    counts = ts.count(documents.texts, labels, n_jobs=options.jobs, **options.tokens.as_keywords)
    if len(counts.terms):
        print_keywords(counts)
    return len(counts.terms) > 0


def print_comparison(comparison: Any, as_json: bool, as_csv: bool, details: bool) -> None:
    """Print the recommendation: for people, all results as JSON, or all candidates as CSV."""
    if as_json:
        write_output(comparison.to_json() + "\n")
        return
    if as_csv:
        print_table(comparison.table, as_json, as_csv)
        for sentence in (*comparison.answer, *comparison.dropped_candidates, *comparison.warnings):
            print_message(sentence)
        return
    blocks = ["\n".join([*comparison.answer, *comparison.dropped_candidates])]
    blocks += [f"Warning: {sentence}" for sentence in comparison.warnings]
    if details:
        blocks += [
            "\n".join(comparison.details),
            "Best candidate of each method:\n" + format_table(round_columns(comparison.methods)),
            "Best candidate at each number of terms:\n" + format_table(round_columns(comparison.by_size)),
            format_classes(comparison.classes),
        ]
    else:
        blocks.append("Tables and further results: --details.")
    print_text("\n\n".join(blocks))


def model_files(results: ResultOptions) -> list[Path]:
    """Return the files that --save would write; it is an error if the folder cannot be written."""
    if results.save is None:
        return []
    from termsift.compare import check_folder
    from termsift.models import MODEL_FILES

    check_folder(results.save, results.overwrite)
    return [results.save / name for name in MODEL_FILES if results.save.exists()]


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


def save_model(comparison: Any, folder: Path, overwrite: bool, for_programs: bool) -> None:
    """Save the model and print how to use it, on stderr if stdout is for programs."""
    from termsift.compare import write_usage

    files = comparison.save(folder, overwrite=overwrite)
    print_message(f"saved {', '.join(file.name for file in files)} to {folder}; to use it:")
    usage = write_usage(folder, comparison.models[0].documents)
    if not for_programs:
        print_text("\n" + usage)
        return
    for row in usage.splitlines():
        print_message(row)


def report(
    data: Data,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], group=OUTPUT, help="HTML file to write.")],
    metric: Annotated[
        str, Parameter(help="Metric the page opens with, e.g. bns or \"ig(smoothing='ele')\".")
    ] = DEFAULT_METRIC,
    k: Annotated[
        int | None,
        Parameter(name=["-k", "--k"], help="Number of terms per class the page opens with, at most 300."),
    ] = None,
    class_: Annotated[
        Strings, Parameter(name="--class", help="Class to show first (default: the largest).")
    ] = [],  # noqa: B006
    reference: Reference = [],  # noqa: B006
    keep_nested: KeepNested = False,
    title: Title = None,
    no_texts: NoTexts = False,
    options: Input = INPUT_DEFAULTS,
) -> None:
    """Write an HTML page: the words of each class, a map of terms, words in context, metrics, corpus.

    The page is one file that opens in any browser without a network.

    Example: `termsift report mail.csv -o mail.html`
    """
    from termsift.report import MAX_K, report_html

    check_outputs(data, options.data_dir, output)
    parse_metric(metric)
    if k is not None and k > MAX_K:
        raise InvalidInputError(
            f"k must be at most {MAX_K}, the number of terms of a class on a page, got {k}"
        )
    counts, texts = load_counts_and_texts(data, options, no_texts)
    classes: Sequence[Any] = class_
    if reference:
        counts, texts, classes = restrict_to_contrast(counts, texts, class_, reference)
    with spinner("drawing"):
        page = report_html(
            apply_df_limits(counts, options.tokens),
            title=title or default_title(data),
            metric=metric,
            k=k,
            classes=classes,
            keep_nested=keep_nested,
            **texts,
        )
    write_text(output, page)
    print_message(f"{counts}: report written to {output} ({len(page.encode()) / 1e6:.1f} MB)")


def restrict_to_contrast(
    counts: Counts, texts: dict[str, Any], classes: list[str], reference: list[str]
) -> tuple[Counts, dict[str, Any], list[Any]]:
    """Restrict counts and texts to target and reference; return them with the two names."""
    contrast, (target,) = apply_reference(counts, classes, reference)
    (other,) = (name for name in contrast.classes if name != target)
    if not texts:
        return contrast, {}, [target, other]
    names = dict.fromkeys(map(counts.class_index, classes), target)
    names |= dict.fromkeys(map(counts.class_index, reference), other)
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
    data: Sequence[str], options: InputOptions, no_texts: bool
) -> tuple[Counts, dict[str, Any]]:
    """Load counts, and texts with labels if there are any and they are wanted."""
    if no_texts or any(map(is_counts_file, data)):
        return load_counts(data, options), {}
    documents = read_documents(data, options)
    counts = count_documents(documents, options)
    return counts, {} if documents.texts is None else {"texts": documents.texts, "labels": documents.labels}
