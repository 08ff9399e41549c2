"""Commands that analyse corpora: diff and audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import check_positive_integer
from termsift.cli import console, inputs, parameters
from termsift.counts import Counts, is_counts_file
from termsift.metrics import EXPECTED, parse_metric
from termsift.report import describe_omitted
from termsift.text import parse_analyzer

if TYPE_CHECKING:
    from termsift.analysis import Difference

CHECK_FAILED = 3  # exit code if a check of --fail-on found something


@dataclass(frozen=True)
class TextOptions:
    """How texts without labels are read and tokenized."""

    files: parameters.FileOptions = parameters.FILE_DEFAULTS
    on_missing: parameters.OnMissingText = "error"
    data_dir: parameters.DataDir = None
    tokens: parameters.TokenOptions = parameters.TOKEN_DEFAULTS
    memory: parameters.Memory = None
    jobs: parameters.Jobs = None

    @property
    def as_input(self) -> parameters.InputOptions:
        """The same as options of labelled documents, without a column of labels."""
        return parameters.InputOptions(
            **{name: getattr(self, name) for name in self.__dataclass_fields__}, label=""
        )


TEXT_DEFAULTS = TextOptions()
Corpus = Annotated[
    str,
    Parameter(
        help="A file, folder, pattern or URL of texts, saved counts, a corpus name, or a word list: "
        "a CSV or TSV file with the columns term and count."
    ),
]


@dataclass(frozen=True)
class CorpusData:
    """Counts of a corpus or the path of a word list, and the texts if they are needed."""

    data: Any
    texts: list[str] | None = None


def diff(
    target: Corpus,
    reference: Corpus,
    *,
    metric: str | None = None,
    top: int = 20,
    effect: str | None = None,
    level: float = 0.95,
    adjust: str = "none",
    expected: float = EXPECTED,
    all_: Annotated[bool, Parameter(name="--all", negative=())] = False,
    keep_nested: parameters.KeepNested = False,
    drop_duplicates: parameters.DropDuplicates = False,
    options: Annotated[TextOptions, Parameter(name="*")] = TEXT_DEFAULTS,
    report: parameters.Report = None,
    no_texts: parameters.NoTexts = False,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """List the terms that are over- and under-represented in one corpus against another (keyness).

    Use it for two versions of a model or prompt, this month against the last, production against training
    data, a corpus against a word list. The files need no labels. Terms that are not significant are left out
    and counted. To compare methods for classifying documents, use `termsift compare`.

    Example: `termsift diff october.csv september.csv --ngrams 1-2`

    Parameters
    ----------
    metric
        Metric that ranks the terms (default: g2, of occurrences for a word list).
    top
        Number of terms in each direction.
    effect
        Effect size: odds_ratio, log_ratio, lrc or rate_difference.
    level
        Confidence level of the interval.
    adjust
        'bonferroni' for intervals that hold for all terms at once.
    expected
        Expected number of false positives among the significant terms.
    all_
        List terms that are not significant too.

    """
    _ = output.format
    check_positive_integer(top, "top")
    if metric is not None:
        parse_metric(metric)
    tokens = prepare_token_options(target, reference, options, output.output, report)
    with_texts = report is not None and not no_texts
    input_options = replace(options.as_input, tokens=tokens, drop_duplicates=drop_duplicates)
    if tokens.stem is not None and not any(
        is_word_list_argument(name, input_options) for name in (target, reference)
    ):
        input_options = inputs.replace_stemmer([target, reference], input_options)
    corpora = [load_corpus_data(name, input_options, with_texts) for name in (target, reference)]
    difference = ts.diff(
        corpora[0].data,
        corpora[1].data,
        names=display_names(target, reference),
        metric=metric,
        expected=expected,
        min_df=tokens.min_df,
        max_df=tokens.max_df,
        **options.files.as_kwargs,
    )
    columns: dict[str, Any] = {"effect": effect, "level": level, "adjust": adjust, "keep_nested": keep_nested}
    columns["keep_insignificant"] = all_
    inputs.write_list(
        output,
        lambda: difference.table(top, **columns),
        lambda: format_difference(difference, top, columns),
    )
    rows = list(difference.table(top))
    for path, corpus, name in zip((target, reference), corpora, difference.names, strict=True):
        listed = [row["term"] for row in rows if row["more_in"] == name and row["significant"] is not False]
        if not isinstance(corpus.data, str):
            inputs.warn_of_duplicates([path], input_options, listed)
    if report is not None:
        write_report(difference, corpora, report)


def prepare_token_options(
    target: str, reference: str, options: TextOptions, *output_paths: Path | None
) -> parameters.TokenOptions:
    """Check the paths of corpora and outputs; return the options of tokens, like those of saved counts."""
    if target == reference == console.STDIN:
        raise InvalidInputError("standard input can be read only once; give a file for one of the corpora")
    corpora = target, reference
    inputs.check_outputs(corpora, options.data_dir, *output_paths)
    saved = [parse_analyzer(Counts.load(name).analyzer) for name in corpora if is_counts_file(name)]
    return replace(options.tokens, default_analyzer=next(filter(callable, saved), None))


def is_word_list_argument(name: str, input_options: parameters.InputOptions) -> bool:
    """Return whether a file is a list of words with their frequencies."""
    from termsift.analysis import is_word_list_file

    return is_word_list_file(name, input_options.files.as_kwargs["text"], input_options.files.encoding)


def load_corpus_data(name: str, options: parameters.InputOptions, with_texts: bool) -> CorpusData:
    """Load the counts of a corpus, and its texts if a page needs them."""
    if is_word_list_argument(name, options):
        return CorpusData(name)
    if not with_texts or is_counts_file(name):
        return CorpusData(inputs.load_counts([name], options))
    documents = inputs.read_documents([name], options)
    return CorpusData(inputs.count_documents(documents, options), documents.texts)


def display_names(target: str, reference: str) -> tuple[str, str]:
    """Return the file names without folders, or in full if they are equal."""
    # january/mail.csv and february/mail.csv have the same file name
    for names in ((inputs.display_name([target]), inputs.display_name([reference])), (target, reference)):
        if names[0] != names[1]:
            return names
    return "target", "reference"


def format_difference(difference: Difference, top: int, effect_options: dict[str, Any]) -> str:
    """Format the over- and under-represented terms with a heading that explains the columns."""
    from termsift.analysis import format_significant_terms

    heading, *sentences = difference.sentences
    tables = difference.more(top, **effect_options), difference.less(top, **effect_options)
    blocks = []
    for name, sentence, table in zip(difference.names, sentences, tables, strict=True):
        omitted = describe_omitted(difference.count_omitted_insignificant(name, table), "--all shows them")
        n_left = (difference.count_significant(name) or 0) - sum(map(bool, table["significant"]))
        left = f"{n_left:,} more not shown" if n_left > 0 else ""
        lines = [format_significant_terms(sentence, table), left, omitted]
        blocks.append("\n".join(filter(None, lines)))
    effect = difference.scores.choose_effect(
        effect_options["effect"], effect_options["level"], effect_options["adjust"]
    )
    corpora = " and ".join(difference.names)
    unit = (
        f"occurrences in {corpora}"
        if difference.scores.of == "tf"
        else f"documents of {corpora} that contain the term"
    )
    legend = f"target, reference: {unit}; {effect.description}."
    return "\n\n".join([f"{heading}\n{legend}", *blocks])


def write_report(difference: Difference, corpora: list[CorpusData], report: Path) -> None:
    """Write the page of both corpora, with texts if both have them."""
    with console.spinner("drawing"):
        texts: list[str] | None = None
        labels: list[Any] | None = None
        if all(corpus.texts is not None for corpus in corpora):
            texts = [text for corpus in corpora for text in corpus.texts or []]
            labels = [
                name
                for name, corpus in zip(difference.names, corpora, strict=True)
                for _ in corpus.texts or []
            ]
        page = difference.to_html(texts=texts, labels=labels)
    inputs.write_text_output(report, page)
    console.print_message(f"report written to {report} ({len(page.encode()) / 1e6:.1f} MB)")


def keyness(
    target: Corpus,
    reference: Corpus,
    *,
    sort: str = "ll",
    direction: str = "both",
    min_frequency: int = 1,
    cells: int = 4,
    top: int = 20,
    group: Annotated[str | None, Parameter(group=parameters.READING)] = None,
    no_dispersion: bool = False,
    drop_duplicates: parameters.DropDuplicates = False,
    options: Annotated[TextOptions, Parameter(name="*")] = TEXT_DEFAULTS,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """List words more frequent in one corpus than another, with log-likelihood, effect sizes, dispersion.

    Frequencies count every occurrence, as AntConc and quanteda do; `termsift diff` counts documents and tests
    significance, because occurrences of a word cluster in few documents. The files need no labels. Dispersion
    is that of the corpus in which the word is more frequent.

    Example: `termsift keyness fiction.csv news.csv --min-frequency 5 --direction positive -o keyness.csv`

    Parameters
    ----------
    sort
        Order: 'll', 'log_ratio', 'percent_diff', 'frequency' or 'term'.
    direction
        Words to list: 'positive' (more frequent in the target), 'negative' or 'both'.
    min_frequency
        Leave out words with fewer occurrences in both corpora together.
    cells
        Cells of the log-likelihood: 4 (AntConc, quanteda) or 2 (Wmatrix).
    top
        Number of words in each direction to print; tables for programs and files contain all.
    group
        Column of parts for dispersion, such as author (default: every document is a part).
    no_dispersion
        Leave out dispersion; the corpora may then exceed memory.

    """
    check_positive_integer(top, "top")
    is_table = output.format is not None or output.output is not None
    tokens = prepare_token_options(target, reference, options, output.output)
    if (tokens.min_df, tokens.max_df) != (1, 1.0):
        raise InvalidInputError("--min-df and --max-df count documents; use --min-frequency")
    reading = replace(options.as_input, tokens=tokens, drop_duplicates=drop_duplicates)
    corpora = [load_keyness_corpus(name, reading, group, not no_dispersion) for name in (target, reference)]
    names = display_names(target, reference)
    table = ts.keyness(
        *corpora, n=None if is_table else top, sort=sort, direction=direction, min_frequency=min_frequency,
        cells=cells, dispersed=not no_dispersion, group=group, names=names, analyzer=tokens.analyzer,
    )  # fmt: skip
    inputs.write_list(output, lambda: table, lambda: format_keyness(table, names))


def load_keyness_corpus(
    name: str, options: parameters.InputOptions, group: str | None, needs_documents: bool
) -> Any:
    """Load the documents of a corpus, or its counts if these suffice; word lists are left to keyness."""
    if is_word_list_argument(name, options):
        return name
    if not needs_documents or is_counts_file(name):
        return inputs.load_counts([name], options)
    return inputs.read_documents([name], options, {"group": group})


def format_keyness(table: Table, names: tuple[str, str]) -> str:
    """Format a keyness list: a block for each corpus, with short column titles."""
    titles = {
        "target_per_million": "target/M", "reference_per_million": "reference/M", "ll": "LL",
        "log_ratio": "log ratio", "percent_diff": "%DIFF", "welch_t": "t", "dp": "DP", "dp_norm": "DPnorm",
        "juilland_d": "D",
    }  # fmt: skip
    blocks = []
    for name in dict.fromkeys(table["more_in"].tolist()):
        rows = table[table["more_in"] == name]
        columns = {titles.get(key, key): values for key, values in rows.columns.items() if key != "more_in"}
        columns |= {key: np.round(values, 2) for key, values in columns.items() if values.dtype.kind == "f"}
        # without an exponent, which large floats would have
        columns |= {
            key: np.rint(columns[key]).astype(np.int64) for key in ("target/M", "reference/M", "%DIFF")
        }
        blocks.append(f"More frequent in {name}:\n{format_table(Table(columns), max_rows=len(rows))}")
    legend = (
        f"target: {names[0]}, reference: {names[1]}; /M: per million words; log ratio 1: twice as frequent."
    )
    if "dp" in table.columns:
        legend += "\nt: Welch's t per document; range: parts with the word; DP: 0 is even; D: 1 is even."
    legend += "\nLL above 3.84: p < 0.05, 6.63: p < 0.01, 15.13: p < 0.0001, if occurrences were independent."
    return "\n\n".join([*blocks, legend])


def concordance(
    data: Annotated[str, Parameter(help="A file, folder, pattern, URL or corpus name; - is standard input.")],
    term: Annotated[str, Parameter(help="Word or phrase; * stands for any characters of a word.")],
    *,
    sort: str = "text",
    top: int = 50,
    width: int = 40,
    label: Annotated[
        str | None, Parameter(group=parameters.READING, help="Column of labels to show.")
    ] = None,
    class_: Annotated[str | None, Parameter(name="--class")] = None,
    options: Annotated[TextOptions, Parameter(name="*")] = TEXT_DEFAULTS,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Show every occurrence of a term in its context (keyword in context).

    Labels are not needed; --label shows them, and --class keeps the documents of one class.

    Example: `termsift concordance mail.csv "free prize" --sort right`

    Parameters
    ----------
    sort
        Order of the rows: 'text', 'left' (words before the term, nearest first) or 'right'.
    top
        Number of occurrences to print; tables for programs and files contain all.
    width
        Characters of context on either side.
    class_
        Only documents of this class; needs --label.

    """
    from termsift.analysis import format_concordance

    is_table = output.format is not None or output.output is not None
    check_positive_integer(top, "top")
    inputs.check_outputs([data], options.data_dir, output.output)
    corpus = inputs.find_corpus_name([data])
    # labels of a corpus are known; those of files are read only if their column is named
    reading = replace(options.as_input, label="" if label is None and corpus is None else label or "label")
    documents = inputs.read_documents([data], reading)
    labels = None if label is None and corpus is None else documents.labels
    table = ts.concordance(documents.data, term, labels, sort=sort, width=width, for_class=class_)

    def text() -> str:
        shown = table if is_table else table.head(top)
        n_left = len(table) - len(shown)
        note = f"\n{n_left:,} more occurrences; --top {len(table)} shows all" if n_left else ""
        return format_concordance(shown) + note

    inputs.write_list(output, lambda: table, text, description=f"{len(table):,} occurrences")


def audit(
    data: parameters.Data,
    *,
    test: str | None = None,
    fail_on: str = "",
    top: int = 5,
    seed: parameters.Seed = 0,
    drop_duplicates: parameters.DropDuplicates = False,
    source: Annotated[str | None, Parameter(group=parameters.READING)] = None,
    label2: Annotated[str | None, Parameter(name="--label2", group=parameters.READING)] = None,
    options: parameters.Input = parameters.INPUT_DEFAULTS,
    report: parameters.Report = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Check labelled data for duplicates, leakage, label errors and other problems.

    Checks: missing (rows without text or label), label_variants (labels that differ in case or whitespace),
    small_classes, empty_documents (no terms), encoding (texts decoded with the wrong encoding), leakage (test
    documents in the training set), label_conflicts (duplicates with different labels), duplicates,
    leaking_tokens (tokens and fixed phrases that reveal the label), shortcuts (length, digits, language or
    --source predict a class), label_errors (labels that the words contradict), label_disagreement and
    disagreement_words (of --label2).

    Example: `termsift audit mail.csv --test new.csv --fail-on leakage,label_conflicts`

    Parameters
    ----------
    test
        Test set, to check for documents that are also in DATA.
    fail_on
        Comma-separated checks, or 'any': exit with code 3 if one of them finds something.
    top
        Number of cases to print for each check.
    source
        Column of the source of each document, to check whether it predicts the label.
    label2
        Column of a second label, such as that of a language model or of another annotator.

    """
    from termsift.analysis import audit_inputs, parse_checks

    _ = output.format
    if top < 0:
        raise InvalidInputError(f"top must be at least 0, got {top}")
    checks = [name.strip() for name in fail_on.split(",") if name.strip()]
    if checks:
        parse_checks(checks)
    inputs.check_outputs([*data, *([] if test is None else [test])], options.data_dir, report, output.output)
    # incomplete rows are a finding of the audit, not an error
    options = replace(options, on_missing="skip")
    columns = {"source": source, "label2": label2}
    train = inputs.read_documents(data, replace(options, drop_duplicates=drop_duplicates), columns)
    test_documents = None if test is None else inputs.read_documents([test], options)
    with console.spinner(f"checking {len(train.labels):,} documents"):
        result = audit_inputs(
            train, test_documents, random_state=seed, n_jobs=options.jobs, **options.tokens.as_kwargs
        )
    inputs.write_list(
        output, lambda: result.summary, lambda: result.to_text(top), result.to_json, description="audit"
    )
    if report is not None:
        inputs.write_text_output(
            report, result.to_html(f"Audit of {format_one_line(inputs.display_name(data))}")
        )
        console.print_message(f"report written to {report}")
    failed = result.failed_checks(checks) if checks else []
    if failed:
        console.print_message(f"termsift: failed checks of --fail-on: {', '.join(failed)}")
        # only now, so that the findings are printed and written in any case
        raise SystemExit(CHECK_FAILED)
