"""Evaluation of a model on labelled documents: scores with intervals, confusions, words behind the errors."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.counts import find_class_index
from termsift.engines import check_count_options, is_path_input, load_documents
from termsift.engines.files import DEFAULT_MEMORY, SourceRows, open_source, parse_source
from termsift.models.prediction import READING_OPTIONS, check_options
from termsift.report import round_table

if TYPE_CHECKING:
    from termsift.evaluation import Confusion
    from termsift.models.model import Model

# class indices of the true and of the predicted labels of a document
Pattern: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
# each measure takes (resampled, observed) decisions: see `mean_over_classes`
MEASURES: dict[str, Callable[[Confusion, Confusion], Any]] = {
    "accuracy": lambda resampled, _: resampled.exact_match_ratio,
    "macro F1": lambda resampled, observed: mean_over_classes("f1", resampled, observed),
    "micro F1": lambda resampled, _: resampled.micro.f1,
    "macro precision": lambda resampled, observed: mean_over_classes("precision", resampled, observed),
    "macro recall": lambda resampled, observed: mean_over_classes("recall", resampled, observed),
}
EXPECTED = ("goal", "mean", "standard_error")
N_RESAMPLES = 1000
CONFIDENCE = 0.95
MAX_CONFUSED_PAIRS = 30  # in text output
MAX_EXPLAINED_ERRORS = 2000
MAX_MISLEADING_WORDS = 200


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """Predictions of a model compared with the true labels.

    Parameters
    ----------
    classes : classes of the model
    truths, predictions : (patterns, classes), distinct pairs of true and predicted label sets
    sizes : (patterns,), number of documents of each pair
    single : whether each document has exactly one label
    misleading : words behind the errors: term, truth, predicted, documents, weight; largest weight first
    expected : goal, mean and standard_error of the comparison that chose the model
    note : limitation of `misleading`, or an empty string

    """

    classes: tuple[Any, ...]
    truths: Array
    predictions: Array
    sizes: Array
    single: bool
    misleading: Table
    expected: dict[str, Any]
    note: str = ""

    @property
    def documents(self) -> int:
        """Number of evaluated documents."""
        return int(self.sizes.sum())

    @property
    def decisions(self) -> Confusion:
        """True and false positives and negatives of each class."""
        return self._sum_patterns(self.sizes)

    @property
    def measures(self) -> Table:
        """Measures with 95% bootstrap confidence intervals: measure, value, low, high."""
        observed, resampled, measures = self.decisions, self._resampled, MEASURES.values()
        values = np.array([float(measure(observed, observed)) for measure in measures])
        low, high = confidence_limits([measure(resampled, observed) for measure in measures])
        return Table({"measure": as_term_array(MEASURES), "value": values, "low": low, "high": high})

    @property
    def by_class(self) -> Table:
        """Documents, precision, recall and F1 of each class; low and high are the 95% interval of F1."""
        observed, resampled = self.decisions, self._resampled
        low, high = confidence_limits(np.where(is_present(resampled), resampled.f1, observed.f1).T)
        columns = {"class": as_term_array(self.classes), "documents": observed.sizes}
        columns |= {name: getattr(observed, name) for name in ("precision", "recall", "f1")}
        return Table({**columns, "low": low, "high": high})

    @property
    def confusion(self) -> Array:
        """Confusion matrix: true classes in rows, predicted classes in columns.

        For multi-label documents an off-diagonal cell counts documents in which the row's class was missed
        and the column's class was predicted wrongly.
        """
        weighted_truths = self.truths * self.sizes[:, None]
        if self.single:
            return np.asarray(weighted_truths.T @ self.predictions).astype(np.int64)
        missed = (weighted_truths * ~self.predictions).astype(np.int64)
        extra = (self.predictions & ~self.truths).astype(np.int64)
        hits = (weighted_truths * self.predictions).sum(axis=0)
        return np.asarray(missed.T @ extra + np.diag(hits)).astype(np.int64)

    @property
    def error_pairs(self) -> Table:
        """Pairs of true and wrongly predicted class: truth, predicted, documents; most frequent first."""
        errors = self.confusion - np.diag(np.diag(self.confusion))
        rows, columns = np.nonzero(errors)
        order = np.lexsort((columns, rows, -errors[rows, columns]))
        rows, columns = rows[order], columns[order]
        names = as_term_array(self.classes)
        return Table({"truth": names[rows], "predicted": names[columns], "documents": errors[rows, columns]})

    @property
    def answer(self) -> list[str]:
        """Result in sentences."""
        figures = {row["measure"]: row for row in self.measures}
        f1, accuracy = figures["macro F1"], figures["accuracy"]
        label = "accuracy" if self.single else "exact-match accuracy"
        sentences = [
            f"{self.documents:,} documents: macro-averaged F1 {f1['value']:.3f} "
            f"(95% interval {f1['low']:.3f} to {f1['high']:.3f}), {label} {accuracy['value']:.1%} "
            f"({accuracy['low']:.1%} to {accuracy['high']:.1%})."
        ]
        goal, mean, error = (self.expected.get(name) for name in EXPECTED)
        if isinstance(mean, float) and isinstance(error, float):
            estimate = f"{goal} at {mean:.3f} ± {error:.3f}"
            sentences.append(f"The comparison that chose this model estimated {estimate}.")
        sentences += [
            f"Most common error: {row['truth']} predicted as {row['predicted']} ({row['documents']:,})."
            for row in self.error_pairs.head(1)
        ]
        return [*sentences, self.note] if self.note else sentences

    def to_text(self) -> str:
        """Format the evaluation for a terminal."""
        blocks = ["\n".join(self.answer)]
        blocks += [format_table(round_table(table)) for table in (self.measures, self.by_class)]
        if len(self.error_pairs):
            blocks.append("Confused classes:\n" + format_table(self.error_pairs.head(MAX_CONFUSED_PAIRS)))
        if len(self.misleading):
            blocks.append("Words behind the errors:\n" + format_table(round_table(self.misleading.head(20))))
        return "\n\n".join(blocks)

    def to_json(self) -> str:
        """Format the evaluation as JSON."""
        values: dict[str, Any] = {"documents": self.documents, "answer": self.answer}
        values["figures"] = list(self.measures)
        for name in ("by_class", "error_pairs", "misleading"):
            values[name] = list(getattr(self, name))
        values |= {"classes": list(self.classes), "confusion": self.confusion.tolist()}
        return json.dumps(values, ensure_ascii=False, indent=1, default=str)

    def to_html(self, title: str = "Evaluation") -> str:
        """Render the evaluation as a self-contained HTML page."""
        from termsift.models.pages import render_evaluation_page

        return render_evaluation_page(self, title)

    def __repr__(self) -> str:
        return self.to_text()

    def _sum_patterns(self, sizes: Array) -> Confusion:
        """Count the decisions for pattern sizes of shape (..., patterns)."""
        from termsift.evaluation import Confusion  # takes long to import

        return Confusion.from_decisions(self.predictions, self.truths, self.classes, sizes)

    @property
    def _resampled(self) -> Confusion:
        """Decisions about bootstrap samples of the documents."""
        # resampling documents with replacement is a multinomial draw over their patterns
        shares = self.sizes / max(self.documents, 1)
        return self._sum_patterns(np.random.default_rng(0).multinomial(self.documents, shares, N_RESAMPLES))


def confidence_limits(values: Any) -> tuple[Array, Array]:
    """Return the percentile interval of each row of resampled values."""
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=-1)
    return low, high


def is_present(confusion: Confusion) -> Array:
    """Check which classes occur in the documents or the predictions."""
    return np.asarray(confusion.tp + confusion.fp + confusion.fn > 0)


def mean_over_classes(measure: str, resampled: Confusion, observed: Confusion) -> Any:
    """Return the mean of a measure over the observed classes, as scikit-learn defines it.

    A class without documents in a resample keeps its observed value.
    """
    values = np.where(is_present(resampled), getattr(resampled, measure), getattr(observed, measure))
    counted = is_present(observed)
    return (values * counted).sum(axis=-1) / max(int(counted.sum()), 1)


def evaluate_model(model: Model, data: Any, labels: Any, file_options: Mapping[str, Any]) -> Evaluation:
    """Evaluate a model on labelled documents; see `Model.evaluate`."""
    model.require_analyzer()
    patterns: Counter[Pattern] = Counter()
    errors: list[tuple[str, Pattern]] = []
    for texts, document_labels in iter_labelled_texts(data, labels, dict(file_options)):
        for text, names, predicted in zip(texts, document_labels, model.predict(texts), strict=True):
            predicted_names = predicted if model.is_multilabel else [predicted]
            pattern = class_indices(model, names), class_indices(model, predicted_names)
            patterns[pattern] += 1
            # only the first errors are explained, so the other texts need not stay in memory
            if pattern[0] != pattern[1] and len(errors) < MAX_EXPLAINED_ERRORS:
                errors.append((text, pattern))
    pairs = sorted(patterns)
    truths, predictions = np.zeros((2, len(pairs), len(model.classes)), dtype=bool)
    for i, (truth, predicted) in enumerate(pairs):
        truths[i, list(truth)] = True
        predictions[i, list(predicted)] = True
    n_errors = sum(n for (truth, predicted), n in patterns.items() if truth != predicted)
    misleading, note = sum_misleading_words(model, errors, n_errors)
    sizes = np.array([patterns[pair] for pair in pairs], dtype=np.int64)
    expected = {name: model.provenance.get(name) for name in EXPECTED}
    single = not model.is_multilabel
    return Evaluation(model.classes, truths, predictions, sizes, single, misleading, expected, note)


def sum_misleading_words(model: Model, errors: list[tuple[str, Pattern]], n_errors: int) -> tuple[Table, str]:
    """Return the words with the largest total contribution to errors, and a note on limitations.

    Single-label: contribution to the predicted class minus contribution to the true class.
    Multi-label: contribution to a wrongly predicted class, or against a missed class. An empty class name
    stands for no class.
    """
    note = ""
    if len(errors) < n_errors:
        note = f"Words behind the errors: first {len(errors):,} of {n_errors:,} errors only."
    # keys: column of the term, true class, predicted class (-1: no class)
    weights: dict[tuple[int, int, int], float] = defaultdict(float)
    documents: Counter[tuple[int, int, int]] = Counter()
    for text, (truth, predicted) in errors:
        result = model.contributions(text)
        values = result.values
        if model.is_multilabel:
            effects = [(values[:, c], -1, c) for c in set(predicted) - set(truth)]
            effects += [(-values[:, c], c, -1) for c in set(truth) - set(predicted)]
        else:
            (true_class,), (predicted_class,) = truth, predicted
            difference = values[:, predicted_class] - values[:, true_class]
            effects = [(difference, true_class, predicted_class)]
        for effect, true_class, predicted_class in effects:
            for i in np.flatnonzero(effect > 0):
                key = int(result.columns[i]), true_class, predicted_class
                weights[key] += float(effect[i])
                documents[key] += 1
    keys = sorted(weights, key=lambda key: (-weights[key], key))[:MAX_MISLEADING_WORDS]
    names = [*map(str, model.classes), ""]  # index -1 is the empty name
    columns = {
        "term": model.terms[[term for term, _, _ in keys]],
        "truth": as_term_array(names[truth] for _, truth, _ in keys),
        "predicted": as_term_array(names[predicted] for _, _, predicted in keys),
        "documents": np.array([documents[key] for key in keys], dtype=np.int64),
        "weight": np.array([weights[key] for key in keys], dtype=float),
    }
    return Table(columns), note


def class_indices(model: Model, names: list[Any]) -> tuple[int, ...]:
    """Return the sorted class indices of a document's labels."""
    try:
        indices = tuple(sorted(find_class_index(model.classes, name) for name in names))
    except LookupError as error:
        unknown = next(name for name in names if str(name) not in map(str, model.classes))
        message = f"the model has no class {unknown!r}; its classes are: {quote_names(model.classes)}"
        raise InvalidInputError(message) from error
    if not model.is_multilabel and len(indices) != 1:
        message = f"the model is single-label, but a document has {len(indices)} labels; give one label each"
        raise InvalidInputError(message)
    return indices


def iter_labelled_texts(
    data: Any, labels: Any, file_options: dict[str, Any]
) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """Yield batches of texts and their labels."""
    check_options(file_options, (*READING_OPTIONS, "label", "label_separator"))
    if not is_path_input(data, labels, "text" in file_options or "label" in file_options):
        documents = load_documents(data, labels, **file_options)
        if documents.texts is None:
            raise InvalidInputError("the model takes texts, but these documents are term counts")
        yield documents.texts, documents.labels.labels_per_document
        return
    label_separator = file_options.pop("label_separator", None)
    on_missing = file_options.pop("on_missing", "error")
    check_count_options(DEFAULT_MEMORY, on_missing, label_separator)
    source = parse_source(data, **file_options)
    with open_source(source) as files:
        rows = SourceRows(source, files, on_missing, label_separator, None)
        with closing(rows.iter_batches()) as batches:
            for texts, batch_labels, _ in batches:
                yield texts.to_pylist(), batch_labels.labels_per_document
    rows.warn()
