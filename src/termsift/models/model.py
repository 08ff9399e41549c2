"""Saved models: load, predict, explain and evaluate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.counts import find_class_index
from termsift.estimators import TermVectorizer
from termsift.models.decision_values import Calibration, class_decision_values
from termsift.models.explanation import Contributions, contributions
from termsift.models.storage import SELECTION_FILE, load_model_files

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation
    from termsift.models.explanation import Explanation

COUNT_STEP = "count"  # pipeline step that counts the terms of texts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """Model saved by `compare`, as returned by `load_model`.

    Attributes
    ----------
    selection : dict
        Contents of `selection.json`: method, scores, classes, terms.
    pipeline : sklearn.pipeline.Pipeline
        Pipeline from texts (or rows of term counts) to labels.
    classes : tuple
        Classes, in the order of the columns of decision values and probabilities.
    calibration : Calibration or None
        Calibration from decision values to probabilities, if one was saved.

    Examples
    --------
    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = comparison.save(folder)
    ...     model = ts.load_model(folder)
    >>> model.classes, model.is_multilabel
    (('ham', 'spam'), False)

    """

    selection: dict[str, Any]
    pipeline: Pipeline
    classes: tuple[Any, ...]
    calibration: Calibration | None = None

    @property
    def is_multilabel(self) -> bool:
        """True if a document may have several labels, or none."""
        return bool(self.selection["several_labels"])

    @property
    def terms(self) -> Array:
        """Terms, in the order of the columns."""
        if self._takes_texts:
            return as_term_array(self.pipeline.steps[0][1].get_feature_names_out().tolist())
        return as_term_array(row["term"] for row in self.selection["terms"])

    @property
    def classifier(self) -> Pipeline:
        """Pipeline from rows of term counts to labels."""
        return Pipeline(self.pipeline.steps[1:]) if self._takes_texts else self.pipeline

    def predict(self, data: Any) -> list[Any]:
        """Predict the label of each document, or a list of labels if the model is multi-label.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.

        Returns
        -------
        list
            Label or list of labels of each document.

        Raises
        ------
        InvalidInputError
            If the data are not documents as the model takes them.

        """
        rows = self._term_counts(data)
        if not rows.shape[0]:
            return []
        predictions = np.asarray(self.classifier.predict(rows))
        if not self.is_multilabel:
            return list(predictions.tolist())
        return [[self.classes[c] for c in np.flatnonzero(row)] for row in predictions]

    def decision_function(self, data: Any) -> Array:
        """Return the decision values of each document.

        The label is the class with the largest value; a multi-label document has all classes with a value
        above 0.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Decision values.

        Raises
        ------
        InvalidInputError
            If the data are not documents as the model takes them.

        """
        rows = self._term_counts(data)
        if not rows.shape[0]:
            return np.zeros((0, len(self.classes)))
        return class_decision_values(self.classifier, rows)

    def predict_proba(self, data: Any) -> Array:
        """Return the probabilities of each document, calibrated if a calibration was saved.

        Parameters
        ----------
        data : iterable of str, or matrix of shape (n_documents, n_terms)
            Texts; or counts of the model's terms, if the model was trained on counts.

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
        if self.calibration is not None:
            return self.calibration.probabilities(self.decision_function(data))
        rows, classifier = self._term_counts(data), self.classifier
        if not rows.shape[0]:
            return np.zeros((0, len(self.classes)))
        if not hasattr(classifier, "predict_proba"):
            raise InvalidInputError(
                f"{self.selection.get('classifier')} does not provide probabilities; run compare with "
                "calibrate=True and save again"
            )
        return np.asarray(classifier.predict_proba(rows))

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
            If the decision values are not sums over words, or `name` and `reference` are the same class.
        UnknownNameError
            If a class is unknown.

        """
        from termsift.models.explanation import explain_text

        texts = [data] if isinstance(data, str) else as_texts(data)
        return [explain_text(self, text, name, reference) for text in texts]

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
            If the decision values are not sums over words.

        """
        return contributions(self.classifier, self._term_counts([text]))

    def class_index(self, name: Any) -> int:
        """Return the column of a class.

        Parameters
        ----------
        name : object
            The class, or its name as text.

        Returns
        -------
        int
            Index of the class in `classes`.

        Raises
        ------
        UnknownNameError
            If the model does not have the class.

        """
        return find_class_index(self.classes, name)

    @property
    def _takes_texts(self) -> bool:
        return bool(self.pipeline.steps[0][0] == COUNT_STEP)

    def _term_counts(self, data: Any) -> Any:
        """Return the rows of term counts of texts or of a matrix."""
        if self._takes_texts:
            return self.pipeline.steps[0][1].transform(as_texts(data))
        if len(getattr(data, "shape", ())) != 2 or data.shape[1] != len(self.terms):
            raise InvalidInputError(
                "this model takes term counts, not texts; pass a matrix with one column for each of its "
                f"{len(self.terms):,} terms"
            )
        return data

    def _predict_tables(self, data: Any, **options: Any) -> Iterator[Table]:
        """Predict the documents in files; see `predict_tables`."""
        from termsift.models.prediction import predict_tables

        return predict_tables(self, data, **options)

    def __repr__(self) -> str:
        terms = f"{len(self.terms):,} terms by {self.selection.get('method')}"
        return f"Model({terms}, {self.selection.get('classifier')}, {len(self.classes)} classes)"


def as_texts(data: Any) -> list[str]:
    """Convert data to a list of texts, or raise an error."""
    is_scalar = not isinstance(data, Iterable) or getattr(data, "shape", (0,)) == ()
    if is_scalar or isinstance(data, str | bytes | os.PathLike | dict | set):
        kind = "a single text" if isinstance(data, str) else type(data).__name__
        raise InvalidInputError(f"expected a list of texts, got {kind}; for files use `termsift predict`")
    texts = list(data)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InvalidInputError(f"document {i} must be a string, got {type(text).__name__}")
    return texts


def load_model(folder: str | os.PathLike[str]) -> Model:
    """Load a model that `compare` saved to a folder.

    skops loads the pipeline and accepts only trusted types, so no code from the folder is executed.

    Parameters
    ----------
    folder : str or path
        Folder written by `compare(...).save(folder)` or `termsift compare --save`.

    Returns
    -------
    Model
        The saved model.

    Raises
    ------
    InvalidInputError
        If `folder` is not a path.
    UnreadableFileError
        If files are missing, changed, of different models, or of a newer termsift.

    Examples
    --------
    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = comparison.save(folder)
    ...     model = ts.load_model(folder)
    >>> list(model.predict(["a free prize", "lunch at noon"]))
    ['spam', 'ham']

    """
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise InvalidInputError(f"folder must be the path of a saved model, got {folder!r}")
    selection, pipeline = load_model_files(Path(folder))
    name, first = pipeline.steps[0]
    if type(first) is CountVectorizer:
        # TermVectorizer returns the same rows, but counts with compiled kernels
        vectorizer = TermVectorizer(**first.get_params(deep=False))
        vectorizer.fit([])
        pipeline = Pipeline([(name, vectorizer), *pipeline.steps[1:]])
    try:
        return build_model(selection, pipeline)
    except InvalidInputError as error:
        raise UnreadableFileError(f"{Path(folder) / SELECTION_FILE} is not a valid model: {error}") from error


def build_model(selection: dict[str, Any], pipeline: Pipeline) -> Model:
    """Check that selection and pipeline have the same classes and terms, and build the model."""
    is_multilabel, classes, terms = (selection.get(key) for key in ("several_labels", "classes", "terms"))
    if not isinstance(is_multilabel, bool) or not isinstance(classes, list) or not isinstance(terms, list):
        raise InvalidInputError("classes or terms are missing")
    last = pipeline.steps[-1][1]
    if is_multilabel:
        n_estimators = len(last.estimators_) if isinstance(last, OneVsRestClassifier) else 0
        names, agree = classes, n_estimators == len(classes)
    else:
        # scikit-learn sorts the classes: columns follow the pipeline, not the selection
        names = np.asarray(getattr(last, "classes_", [])).tolist()
        agree = sorted(map(str, names)) == sorted(map(str, classes))
    if not agree:
        raise InvalidInputError(f"its {len(classes)} classes do not match the classes of the pipeline")
    step, vectorizer = pipeline.steps[0]
    if step == COUNT_STEP and len(vectorizer.vocabulary_) != len(terms):
        raise InvalidInputError(
            f"it has {len(terms)} terms, but its pipeline has {len(vectorizer.vocabulary_)}"
        )
    stored = selection.get("calibration")
    calibration = None if stored is None else Calibration.from_json(stored, len(names), not is_multilabel)
    return Model(selection, pipeline, tuple(names), calibration)
