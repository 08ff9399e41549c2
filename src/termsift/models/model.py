"""Models of text classes: a fixed sequence of steps, as data; load, predict, explain, evaluate, save."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.resources import batch_edges, map_in_order, resolve_n_jobs
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_list
from termsift.engines import TermCounter, validate_texts
from termsift.models import calibration as links
from termsift.models import storage
from termsift.models.calibration import Calibration
from termsift.models.steps import Steps
from termsift.text import Analyzer

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation
    from termsift.models.explanation import Contributions, Explanation

BATCH_CHARACTERS = 1 << 19  # of texts that a thread labels at once


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Model of text classes, as `compare` fits it: an analyzer, terms, and a linear classifier.

    Attributes
    ----------
    terms : ndarray of str, shape (n_terms,)
        Terms, in the order of the columns.
    classes : tuple
        Classes, in the order of the columns of decision values and probabilities.
    coefficients : ndarray of shape (n_features, n_classes)
        Coefficients of the terms, or of the features that replace them.
    intercepts : ndarray of shape (n_classes,)
        Decision values of an empty document. A class that all or none of the training documents have is
        constant: 1 or -1, with coefficients of 0.
    analyzer : Analyzer or None
        How a text becomes terms; None if the model takes term counts.
    steps : Steps
        Steps from counts to features: transform, weights, norm.
    is_multilabel : bool
        True if a document may have several labels, or none.
    link : str
        How decision values become probabilities: "none", "softmax", "sigmoid" or "platt".
    calibration : Calibration or None
        Calibration from decision values to probabilities, if there is one.
    plain_words : bool
        Whether the token pattern of CountVectorizer finds the same words in the training texts.
    provenance : dict
        Where the model is from: version, data, method, classifier, estimate.

    Examples
    --------
    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = comparison.save(folder)
    ...     model = ts.load_model(path)
    >>> model.classes, model.is_multilabel
    (('ham', 'spam'), False)

    """

    terms: Array
    classes: tuple[Any, ...]
    coefficients: Array
    intercepts: Array
    analyzer: Analyzer | None = None
    steps: Steps = field(default_factory=Steps)
    is_multilabel: bool = False
    link: str = links.NO_LINK
    calibration: Calibration | None = None
    plain_words: bool = False
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, data: Any, *, n_jobs: int | None = None) -> list[Any]:
        """Predict the label of each document, or a list of labels if the model is multi-label.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.
        n_jobs : int, optional
            Number of threads (default: all cores). The result does not depend on it.

        Returns
        -------
        list
            Label or list of labels of each document.

        Raises
        ------
        InvalidInputError
            If the data are not documents as the model takes them.

        """
        batches = self._map_decision_values(data, self.choose_labels, n_jobs)
        return list(chain.from_iterable(batches))

    def decision_function(self, data: Any, *, n_jobs: int | None = None) -> Array:
        """Return the decision values of each document.

        The label is the class with the largest value, the first if several are equal; a multi-label document
        has all classes with a value above 0.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.
        n_jobs : int, optional
            Number of threads (default: all cores). The result does not depend on it.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Decision values.

        Raises
        ------
        InvalidInputError
            If the data are not documents as the model takes them.

        """
        return self._stack_batches(data, np.asarray, n_jobs)

    def predict_proba(self, data: Any, *, n_jobs: int | None = None) -> Array:
        """Return the probabilities of each document, calibrated if the model has a calibration.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.
        n_jobs : int, optional
            Number of threads (default: all cores). The result does not depend on it.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Probabilities.

        Raises
        ------
        InvalidInputError
            If the data are not documents as the model takes them,
            or the model has no calibration and its classifier has no probabilities.

        """
        self.check_probabilities()
        return self._stack_batches(data, self.probabilities, n_jobs)

    def explain(self, data: Any, name: Any = None, *, reference: Any = None) -> list[Explanation]:
        """Return the contribution of each word to the decision value, for each document.

        Parameters
        ----------
        data : str or iterable of str
            A text, or several texts.
        name : object, optional
            Class to explain (default: the class with the largest decision value).
        reference : object, optional
            Another class, to explain why `name` is preferred to it.

        Returns
        -------
        list of Explanation
            One explanation per text.

        Raises
        ------
        InvalidInputError
            If the model takes term counts, or `name` and `reference` are the same class.
        UnknownNameError
            If a class is unknown.

        """
        from termsift.models.explanation import explain_text

        analyzer = self.require_analyzer()
        texts = [data] if isinstance(data, str) else as_texts(data)
        explanations = []
        for text in texts:
            result = self.contributions(text)
            (chosen,) = self.choose_labels(result.decision_values[None])
            labels = tuple(chosen) if self.is_multilabel else (chosen,)
            explanations.append(
                explain_text(text, result, self.terms, self.classes, labels, analyzer, name, reference)
            )
        return explanations

    def evaluate(self, data: Any, labels: Any = None, **file_options: Any) -> Evaluation:
        """Evaluate on labelled documents that were not used for training.

        Parameters
        ----------
        data : iterable of str, data frame, Corpus, path or list of paths
            Texts, or files.
        labels : sequence, optional
            One label or list of labels per text; not needed for files.
        **file_options
            Options of files, as for `termsift.count`: text, label, label_separator, header, ...

        Returns
        -------
        Evaluation
            Scores with intervals, confusions and the words behind the errors.

        Raises
        ------
        InvalidInputError
            If the model takes term counts, or does not have a class of the documents.
        UnreadableFileError
            If a file cannot be read.

        """
        from termsift.models.evaluate import evaluate_model

        return evaluate_model(self, data, labels, file_options)

    def contributions(self, text: str) -> Contributions:
        """Return the contribution of each term of a text to the decision value of each class.

        Parameters
        ----------
        text : str
            A document.

        Returns
        -------
        Contributions
            Contributions of the terms, and the intercepts.

        Raises
        ------
        InvalidInputError
            If the model takes term counts.

        """
        from termsift.models.explanation import Contributions

        row = self.count_terms([text])
        row.sort_indices()
        values = self.steps.contributions(row, self.coefficients)
        return Contributions(row.indices, row.data, values, self.intercepts)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Save the model to a file of JSON and arrays.

        Parameters
        ----------
        path : str or path
            File to write, or a folder, which gets the file `model.termsift`.
        overwrite : bool, default False
            Replace an existing file; otherwise it is an error.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UnreadableFileError
            If the file exists, or cannot be written.
        InvalidInputError
            If the analyzer is a function, which cannot be saved.

        """
        file = storage.check_model_path(path, overwrite)
        file.parent.mkdir(parents=True, exist_ok=True)
        storage.save_fields(file, {item.name: getattr(self, item.name) for item in fields(self)})
        return file

    def to_sklearn(self) -> Any:
        """Return the model as a fitted scikit-learn pipeline, which does not need termsift.

        Labels and decision values are those of the model; probabilities of a calibration are not exported.
        If the training texts have no character where they differ, the plain token pattern of CountVectorizer
        replaces that of words in every script.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Pipeline from texts, or rows of term counts, to labels; with several labels per document, to an
            indicator matrix.

        Raises
        ------
        InvalidInputError
            If CountVectorizer cannot express an option of the analyzer, such as a stemmer.

        """
        from termsift.models.sklearn_models import build_pipeline

        return build_pipeline(self)

    def predict_spark(self, frame: Any, *, text: Any = "text", keep: Iterable[str] = ()) -> Any:
        """Label the documents of a Spark DataFrame; the model is sent to the workers.

        Parameters
        ----------
        frame : pyspark.sql.DataFrame
            Documents, classic or Connect; a stream gives a stream of labels.
        text : str or list of str, default "text"
            Column of texts, or several that are joined.
        keep : iterable of str, optional
            Columns to copy to the result.

        Returns
        -------
        pyspark.sql.DataFrame
            The kept columns, and `label`: a string, or an array of strings if the model is multi-label.

        Raises
        ------
        InvalidInputError
            If the model takes term counts, or the options are invalid.
        UnknownNameError
            If a column does not exist.

        """
        from termsift.engines.spark import map_texts

        self.require_analyzer()
        return map_texts(frame, text, keep, self._predict_strings, "label", has_lists=self.is_multilabel)

    def _predict_strings(self, texts: list[str]) -> list[Any]:
        """Return the label, or the labels, of each text as strings; on a worker of Spark."""
        labels = self.predict(texts, n_jobs=1)
        return [list(map(str, names)) if self.is_multilabel else str(names) for names in labels]

    def choose_labels(self, decision_values: Array) -> list[Any]:
        """Return the label, or the list of labels, of each row of decision values.

        Parameters
        ----------
        decision_values : ndarray of shape (n_documents, n_classes)
            Decision values.

        Returns
        -------
        list
            Labels of the documents.

        """
        if not self.is_multilabel:
            return list(as_term_array(self.classes)[decision_values.argmax(axis=1)])
        return [[self.classes[c] for c in np.flatnonzero(row).tolist()] for row in decision_values > 0]

    def probabilities(self, decision_values: Array) -> Array:
        """Return the probabilities that belong to decision values.

        Parameters
        ----------
        decision_values : ndarray of shape (n_documents, n_classes)
            Decision values.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Probabilities.

        Raises
        ------
        InvalidInputError
            If the model has no probabilities.

        """
        self.check_probabilities()
        if self.calibration is not None:
            return self.calibration.probabilities(decision_values)
        if self.link == links.SOFTMAX:
            return links.posterior_probabilities(decision_values)
        probabilities = links.sigmoid(decision_values)
        return probabilities if self.is_multilabel else links.normalize_classes(probabilities)

    def check_probabilities(self) -> None:
        """Check that the model has probabilities.

        Raises
        ------
        InvalidInputError
            If the classifier has no probabilities and was not calibrated.

        """
        if self.link == links.NO_LINK:
            raise InvalidInputError(
                f"{self.provenance.get('classifier')} does not provide probabilities; run compare with "
                "calibrate=True and save again"
            )

    def require_analyzer(self) -> Analyzer:
        """Return the analyzer.

        Returns
        -------
        Analyzer
            How a text becomes terms.

        Raises
        ------
        InvalidInputError
            If the model takes term counts.

        """
        if self.analyzer is None:
            raise InvalidInputError(
                "this model takes term counts, not texts; pass a matrix with one column for each of its "
                f"{len(self.terms):,} terms"
            )
        return self.analyzer

    def count_terms(self, texts: list[str]) -> csr_array[Any]:
        """Return the counts of the model's terms.

        Parameters
        ----------
        texts : list of str
            Documents.

        Returns
        -------
        sparse array of shape (n_documents, n_terms)
            Counts.

        Raises
        ------
        InvalidInputError
            If the model takes term counts.

        """
        return self._counter.count(texts)

    @cached_property
    def _counter(self) -> TermCounter:
        return TermCounter(self.require_analyzer(), self.terms.tolist())

    def __getstate__(self) -> dict[str, Any]:
        # the counter is rebuilt when it is needed
        return {name: value for name, value in vars(self).items() if name != "_counter"}

    def _stack_batches(self, data: Any, function: Callable[[Array], Array], n_jobs: int | None) -> Array:
        """Return the results (documents, classes) of a function of the decision values."""
        empty = np.zeros((0, len(self.classes)))
        return np.concatenate([empty, *self._map_decision_values(data, function, n_jobs)])

    def _map_decision_values(
        self, data: Any, function: Callable[[Array], Any], n_jobs: int | None
    ) -> Iterator[Any]:
        """Yield the results of a function of the decision values of each batch."""
        if self.analyzer is None:
            yield function(self.decision_values(self._check_rows(data)))
            return
        texts = as_texts(data)
        batches = list(pairwise(batch_edges(list(map(len, texts)), BATCH_CHARACTERS)))
        n_threads = min(resolve_n_jobs(n_jobs), max(len(batches), 1))
        counter = self._counter

        def map_batch(batch: tuple[int, int]) -> Any:
            return function(self.decision_values(counter.count(texts[slice(*batch)])))

        yield from map_in_order(map_batch, batches, n_threads)

    def decision_values(self, counts: Any) -> Array:
        """Return the decision values of rows of term counts.

        Parameters
        ----------
        counts : sparse array of shape (n_documents, n_terms)
            Counts of the model's terms.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Decision values.

        """
        return self.steps.decision_values(counts, self.coefficients, self.intercepts)

    def _check_rows(self, data: Any) -> csr_array[Any]:
        """Return counts as rows; an error if they are not numbers, one for each term."""
        if len(getattr(data, "shape", ())) != 2 or data.shape[1] != len(self.terms):
            self.require_analyzer()
        try:
            rows = csr_array(data, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInputError("the matrix must contain counts: non-negative numbers") from error
        if not (rows.data >= 0).all() or not np.isfinite(rows.data).all():
            raise InvalidInputError("the matrix must contain counts: finite, non-negative numbers")
        rows.eliminate_zeros()
        return rows

    def __repr__(self) -> str:
        terms = f"{len(self.terms):,} terms by {self.provenance.get('method')}"
        return f"Model({terms}, {self.provenance.get('classifier')}, {len(self.classes)} classes)"


def as_texts(data: Any) -> list[str]:
    """Convert data to a list of texts, or raise an error."""
    if isinstance(data, str | os.PathLike | set):
        kind = "a single text" if isinstance(data, str) else type(data).__name__
        raise InvalidInputError(f"expected a list of texts, got {kind}; for files use `termsift predict`")
    return validate_texts(as_list(data))


def load_model(path: str | os.PathLike[str], *, trust_pattern: bool = False) -> Model:
    """Load a model that `compare` saved.

    The file is data: nothing in it is imported or executed, and all of it is validated.

    Parameters
    ----------
    path : str or path
        File written by `compare(...).save(path)` or `termsift compare --save`, or the folder that contains
        `model.termsift`.
    trust_pattern : bool, default False
        Accept any regular expression as the token pattern. A pattern from an untrusted file can take forever.

    Returns
    -------
    Model
        The saved model.

    Raises
    ------
    InvalidInputError
        If `path` is not a path.
    UnreadableFileError
        If the file is missing, damaged, or of a newer termsift; or its token pattern is not trusted.

    Examples
    --------
    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = ts.load_model(comparison.save(folder))
    >>> model.predict(["a free prize", "lunch at noon"])
    ['spam', 'ham']

    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InvalidInputError(f"path must be that of a saved model, got {path!r}")
    if not isinstance(trust_pattern, bool):
        raise InvalidInputError(f"trust_pattern must be True or False, got {trust_pattern!r}")
    folder = Path(path)
    file = storage.resolve_model_path(folder)
    if file != folder and not file.is_file():
        raise UnreadableFileError(f"{folder} contains no model: {file.name} is missing")
    return Model(**storage.load_fields(file, trust_pattern))
