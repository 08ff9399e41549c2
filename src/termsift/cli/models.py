"""Commands on saved models: predict, explain, evaluate, export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import termsift as ts
from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.files import atomic_write
from termsift.cli import console, inputs, parameters

if TYPE_CHECKING:
    from termsift._internal.tables import Table
    from termsift.models import Model

ModelFile = Annotated[Path, Parameter(help="File that `termsift compare --save` wrote.")]
TrustPattern = Annotated[
    bool,
    Parameter(
        group=parameters.READING,
        help="Accept any regular expression in the model as its token pattern; it can take forever.",
    ),
]


@dataclass(frozen=True)
class TextOptions:
    """How files of texts are read."""

    files: parameters.FileOptions = parameters.FILE_DEFAULTS
    on_missing: parameters.OnMissingText = "error"
    data_dir: parameters.DataDir = None

    @property
    def as_kwargs(self) -> dict[str, Any]:
        """Options as keyword arguments of the methods of a model."""
        keywords = {**self.files.as_kwargs, "on_missing": self.on_missing}
        return {name: value for name, value in keywords.items() if value is not None}


@dataclass(frozen=True)
class LabelledOptions(TextOptions):
    """How files of texts and labels are read."""

    label: parameters.LabelColumn = "label"
    label_separator: parameters.LabelSeparator = None

    @property
    def as_kwargs(self) -> dict[str, Any]:
        """Options as keyword arguments of the methods of a model."""
        label = None if self.files.no_header and self.label == "label" else self.label
        texts = TextOptions(self.files, self.on_missing, self.data_dir).as_kwargs
        return texts | {"label": label, "label_separator": self.label_separator}


TEXT_DEFAULTS, LABELLED_DEFAULTS = TextOptions(), LabelledOptions()


def predict(
    model: ModelFile,
    data: parameters.Data,
    *,
    decision_values: bool = False,
    probabilities: bool = False,
    keep: list[str] = [],  # noqa: B006
    options: Annotated[TextOptions, Parameter(name="*")] = TEXT_DEFAULTS,
    trust_pattern: TrustPattern = False,
    jobs: parameters.Jobs = None,
    engine: Annotated[str, Parameter(group=parameters.EXECUTION)] = "files",
    master: Annotated[str | None, Parameter(group=parameters.EXECUTION)] = None,
    label_separator: Annotated[str, Parameter(group=parameters.OUTPUT)] = "|",
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)] = None,
    as_jsonl: Annotated[bool, Parameter(name="--jsonl", group=parameters.OUTPUT)] = False,
) -> None:
    """Label documents with a saved model: one row per document with its number and label.

    Files are read and written as a stream, so they may be larger than memory.

    Example: `termsift predict model new.csv --text body --keep id -o labels.csv`

    Parameters
    ----------
    decision_values
        Add the decision value of each class.
    probabilities
        Add the probability of each class; an error if the model has none (compare --calibrate adds them).
    keep
        Column to copy to the output, such as an id; 'file' for a folder.
    engine
        Engine that labels: 'files' (local) or 'spark', whose rows have no numbers.
    master
        Spark master: local[*], spark://HOST:PORT, sc://HOST:PORT or yarn.
    label_separator
        Separator that is written between several labels in one field of CSV.
    output
        File to write: .csv, .tsv, .jsonl or .parquet (default: CSV on stdout).
    as_jsonl
        Print JSON lines, one per document.

    """
    from termsift.models import (
        check_extension,
        format_rows,
        predict_tables,
        write_tables,
    )

    inputs.check_outputs([*data, str(model)], options.data_dir, output)
    # standard output gets rows as they come; a file appears when it is complete
    file = None if output is None or inputs.is_stdout(output) else output
    extension = "" if file is None else check_extension(file)
    if file is not None and as_jsonl:
        raise InvalidInputError(
            "give only one of --jsonl and -o; the extension of the file determines its format"
        )
    inputs.check_input_options(parameters.InputOptions(engine=engine, master=master))
    if engine == "spark" and (decision_values or probabilities):
        raise InvalidInputError(
            "--engine spark writes labels only; remove --decision-values, --probabilities"
        )
    loaded = ts.load_model(model, trust_pattern=trust_pattern)
    with ExitStack() as stack:
        if engine == "spark":
            tables = iter([predict_on_spark(loaded, data, options, keep, master or "local[*]")])
        else:
            documents, keywords = stack.enter_context(open_model_input(data, options))
            tables = predict_tables(
                loaded,
                documents,
                decision_values=decision_values,
                probabilities=probabilities,
                keep=keep,
                n_jobs=jobs,
                **keywords,
            )
        if file is not None:
            with (
                console.spinner(f"labelling {inputs.display_name(data)}"),
                atomic_write(file) as temporary,
            ):
                rows = write_tables(tables, temporary, extension, label_separator)
            console.print_message(f"labels of {rows:,} documents written to {file}")
            return
        for number, table in enumerate(tables):
            text = format_rows(
                table, ".jsonl" if as_jsonl else ".csv", label_separator, has_header=not number
            )
            console.write_output(text)


def predict_on_spark(
    model: Model, data: Sequence[str], options: TextOptions, keep: list[str], master: str
) -> Table:
    """Return the kept columns and the labels of files, or of tables with --format table, read by Spark."""
    from termsift._internal.tables import Table
    from termsift._internal.typing import as_term_array

    keywords = options.as_kwargs
    keywords.pop("on_missing")
    text = keywords.get("text", "text")
    columns = {f"column {number}": name for number, name in enumerate(keep)}
    with (
        console.spinner(f"labelling on {master}"),
        ts.spark.read(list(data), master, label="", metadata=columns, **keywords) as frame,
    ):
        rows = ts.spark.to_arrow(model.predict_spark(frame, text=text, keep=keep))
        return Table({name: as_term_array(rows[name].to_pylist()) for name in rows.column_names})


def explain(
    model: ModelFile,
    data: parameters.Data,
    *,
    row: list[int] = [],  # noqa: B006
    class_: Annotated[str | None, Parameter(name="--class")] = None,
    reference: str | None = None,
    top: int = 15,
    options: Annotated[TextOptions, Parameter(name="*")] = TEXT_DEFAULTS,
    trust_pattern: TrustPattern = False,
    report: parameters.Report = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Show each word's contribution to the decision value of a prediction.

    The contributions and the intercept add up to the decision value. The page shows the text of each
    document with highlighted words.

    Example: `termsift explain model new.csv --row 3 --class spam`

    Parameters
    ----------
    row
        Row to explain, from 1 (default: the first).
    class_
        Class to explain (default: the predicted label).
    reference
        Explain the difference from this class.
    top
        Number of words per document.

    """
    from termsift.models import explanation_table, render_explanation_page

    _ = output.format
    invalid = next((number for number in row if number < 1), None)
    if invalid is not None:
        raise InvalidInputError(f"rows are numbered from 1, got --row {invalid}")
    if top < 1:
        raise InvalidInputError(f"top must be at least 1, got {top}")
    rows = sorted(set(row)) or [1]
    inputs.check_outputs([*data, str(model)], options.data_dir, report, output.output)
    loaded = ts.load_model(model, trust_pattern=trust_pattern)
    explanations = loaded.explain(read_texts(loaded, data, options, rows), class_, reference=reference)
    numbered = list(zip(rows, explanations, strict=True))
    values = [{"row": number, **explanation.to_dict()} for number, explanation in numbered]
    blocks = [f"row {number}: {explanation.to_text(top)}" for number, explanation in numbered]
    inputs.write_list(
        output,
        lambda: explanation_table(explanations, rows),
        lambda: "\n\n".join(blocks),
        lambda: json.dumps(values, ensure_ascii=False, indent=1, default=str),
    )
    if report is not None:
        title = format_one_line(f"Predictions explained: {inputs.display_name(data)}")
        inputs.write_text_output(report, render_explanation_page(explanations, rows, title))
        console.print_message(f"report written to {report}")


def evaluate(
    model: ModelFile,
    data: parameters.Data,
    *,
    options: Annotated[LabelledOptions, Parameter(name="*")] = LABELLED_DEFAULTS,
    trust_pattern: TrustPattern = False,
    report: parameters.Report = None,
    output: parameters.List = parameters.LIST_DEFAULTS,
) -> None:
    """Evaluate a saved model on labelled documents, and list the words that mislead it.

    Measures have 95 % confidence intervals from a bootstrap of the documents. --json prints all tables, the
    other formats a row per class.

    Example: `termsift evaluate model test.csv --report evaluation.html`
    """
    _ = output.format
    inputs.check_outputs([*data, str(model)], options.data_dir, report, output.output)
    loaded = ts.load_model(model, trust_pattern=trust_pattern)
    with (
        open_model_input(data, options) as (documents, keywords),
        console.spinner(f"evaluating on {inputs.display_name(data)}"),
    ):
        evaluation = loaded.evaluate(documents, **keywords)
    inputs.write_list(output, lambda: evaluation.by_class, evaluation.to_text, evaluation.to_json)
    if report is not None:
        title = format_one_line(f"Evaluation of {model.name or model} on {inputs.display_name(data)}")
        inputs.write_text_output(report, evaluation.to_html(title))
        console.print_message(f"report written to {report}")


def export(
    model: ModelFile,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], group=parameters.OUTPUT)],
    trust_pattern: TrustPattern = False,
) -> None:
    """Export a saved model as a scikit-learn pipeline, for use without termsift.

    The file is a skops archive; termsift itself never loads one.

    Example: `termsift export model -o pipeline.skops`

    Parameters
    ----------
    output
        File to write, e.g. pipeline.skops.

    """
    try:
        import skops.io
    except ImportError as error:
        raise InvalidInputError("export needs the package skops; pip install 'termsift[export]'") from error
    inputs.check_outputs([str(model)], None, output)
    loaded = ts.load_model(model, trust_pattern=trust_pattern)
    pipeline = loaded.to_sklearn()
    with atomic_write(output) as temporary:
        temporary.write_bytes(skops.io.dumps(pipeline))
    console.print_message(f"pipeline written to {output}; to use it:")
    analyzer = loaded.analyzer
    if analyzer is not None and analyzer.analyzer == "word" and analyzer.words != "sklearn":
        if loaded.plain_words:
            note = "CountVectorizer's own pattern finds the words of the model in its training texts"
        else:
            length = len(pipeline.steps[0][1].token_pattern)
            note = (
                f"words are found by a pattern of {length:,} characters, because the training texts have "
                "characters that CountVectorizer's pattern treats differently"
            )
        console.print_message(note)
    argument = "rows" if analyzer is None else '["a text to label"]'
    code = f"import skops.io\nmodel = skops.io.load({str(output)!r})\nprint(model.predict({argument}))"
    if loaded.is_multilabel:
        code += "  # columns: model.classes_"
    console.print_text(code)


@contextmanager
def open_model_input(data: Sequence[str], options: TextOptions) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the documents for a model, and the keyword arguments for reading them."""
    corpus = inputs.find_corpus_name(data)
    if corpus is not None:
        yield ts.corpora.load(corpus, data_dir=options.data_dir), {}
        return
    with inputs.copy_streams(data, options.files.format) as paths:
        yield inputs.as_paths(paths), options.as_kwargs


def read_texts(model: Model, data: Sequence[str], options: TextOptions, row_numbers: list[int]) -> list[str]:
    """Read the texts of some rows; it is an error if there are fewer."""
    from termsift.models import iter_texts

    texts: dict[int, str] = {}
    last_row = 0
    with open_model_input(data, options) as (documents, keywords):
        for numbers, batch, _ in iter_texts(documents, (), keywords):
            numbers = numbers.tolist()
            texts |= {
                number: text for number, text in zip(numbers, batch, strict=True) if number in row_numbers
            }
            last_row = numbers[-1] if numbers else last_row
            # later rows of a large file are not read
            if len(texts) == len(row_numbers):
                break
    missing = next((row for row in row_numbers if row not in texts), None)
    if missing is not None:
        raise InvalidInputError(
            f"row {missing} of {inputs.display_name(data)} does not exist or has no text; "
            f"the last row is {last_row}"
        )
    return [texts[row] for row in row_numbers]
