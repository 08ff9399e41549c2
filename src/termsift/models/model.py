"""Model: what a model says of documents, why, and how well."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError, UnreadableFileError, one_line
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_terms
from termsift.counts import class_place
from termsift.estimators import TermVectorizer
from termsift.models.decision_values import Calibration, class_margins
from termsift.models.explanation import Contributions, contributions
from termsift.models.storage import PIPELINE, SELECTION, pipeline_of, read_folder, untrusted_types

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation
    from termsift.models.explanation import Explanation

COUNT = "count"  # the step of a pipeline that counts the terms of texts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """A model saved by `compare`, as returned by `load_model`.

    selection : the contents of `selection.json`: how terms were chosen, figures, classes, terms
    pipeline : the pipeline from texts to labels, or from rows of counts if the documents were counts
    classes : the classes, in the order of the columns of margins and probabilities
    calibration : turns margins into probabilities, if it was saved

    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> found = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = found.save(folder)
    ...     model = ts.load_model(folder)
    >>> model.classes, model.of_texts
    (('ham', 'spam'), True)
    """

    selection: dict[str, Any]
    pipeline: Pipeline
    classes: tuple[Any, ...]
    calibration: Calibration | None = None

    @property
    def several_labels(self) -> bool:
        """Whether a document may have several labels, or none."""
        return bool(self.selection["several_labels"])

    @property
    def of_texts(self) -> bool:
        """Whether the model takes texts; otherwise it takes rows of counts of its terms."""
        return bool(self.pipeline.steps[0][0] == COUNT)

    @property
    def terms(self) -> Array:
        """(terms,) the terms, in the order of the columns."""
        if self.of_texts:
            return as_terms(self.pipeline.steps[0][1].get_feature_names_out().tolist())
        return as_terms(one["term"] for one in self.selection["terms"])

    def predict(self, data: Any) -> list[Any]:
        """The label of each document, or a list of labels per document if there may be several.

        data : a sequence of texts, or a matrix of counts of the model's terms
        """
        found = self.classifier.predict(self._rows(data)) if self._size(data) else np.zeros(0)
        if not self.several_labels:
            return list(np.asarray(found).tolist())
        return [[self.classes[c] for c in np.flatnonzero(row)] for row in np.asarray(found)]

    def margins(self, data: Any) -> Array:
        """(documents, classes): the margin of each class; the class with the largest one is the label.

        If documents may have several labels, the labels are the classes with a margin above 0.
        """
        if not self._size(data):
            return np.zeros((0, len(self.classes)))
        return class_margins(self.classifier, self._rows(data))

    def probabilities(self, data: Any) -> Array:
        """(documents, classes): calibrated if a calibration was saved, otherwise those of the classifier."""
        if not self._size(data):
            return np.zeros((0, len(self.classes)))
        if self.calibration is not None:
            return self.calibration.probabilities(self.margins(data))
        if not hasattr(self.classifier, "predict_proba"):
            raise InvalidInputError(
                f"{self.selection.get('classifier')} says no probabilities; compare and save again with "
                "calibrate=True"
            )
        return np.asarray(self.classifier.predict_proba(self._rows(data)))

    def predictions(
        self,
        data: Any,
        *,
        margins: bool = False,
        probabilities: bool = False,
        keep: Sequence[Any] = (),
        **reading: Any,
    ) -> Iterator[Table]:
        """Label the documents in files, some thousands at a time: row, kept columns, label, figures.

        data : a path, a glob pattern, a folder, or a list of these; or texts
        margins, probabilities : whether to add a column per class, such as "margin spam"
        keep : the columns of the files to keep
        reading : as for `termsift.count`: text, header, delimiter, encoding, encoding_errors, format,
            on_missing
        """
        from termsift.models.prediction import predicted_tables

        if isinstance(keep, str) or not isinstance(keep, Sequence):
            raise InvalidInputError(f"keep must be a list of columns, got {keep!r}")
        return predicted_tables(self, data, margins, probabilities, tuple(keep), reading)

    def explain(self, data: Any, name: Any = None, *, against: Any = None) -> list[Explanation]:
        """The words that decided each document, and by how much. They add up to the margin.

        data : texts, or one text
        name : the class to explain; by default the label, or the likeliest one if there may be several
        against : another class, to explain why the first was preferred to it
        """
        from termsift.models.explanation import explanation_of

        texts = [data] if isinstance(data, str) else texts_of(data)
        return [explanation_of(self, text, name, against) for text in texts]

    def evaluate(self, data: Any, labels: Any = None, **reading: Any) -> Evaluation:
        """Evaluate on labelled documents outside the training data: figures with intervals, what misled it.

        data : texts with their labels, or files
        reading : as for `termsift.count`: text, label, separator, header, ...
        """
        from termsift.models.evaluate import evaluation_of

        return evaluation_of(self, data, labels, reading)

    def contributions(self, text: str) -> Contributions:
        """The contribution of each term of a text to the margin of each class."""
        return contributions(self.classifier, self._rows([text]))

    def class_index(self, name: Any) -> int:
        """The column of a class, by its name or by its name as text; an error suggests the closest one."""
        return class_place(self.classes, name)

    @property
    def classifier(self) -> Pipeline:
        """The pipeline from rows of term counts to labels."""
        return Pipeline(self.pipeline.steps[1:]) if self.of_texts else self.pipeline

    def _size(self, data: Any) -> int:
        return int(data.shape[0]) if is_matrix_like(data) else len(texts_of(data))

    def _rows(self, data: Any) -> Any:
        if not self.of_texts:
            if not is_matrix_like(data) or data.shape[1] != len(self.terms):
                raise InvalidInputError(
                    f"this model is of counts, not of texts; give a matrix of its {len(self.terms):,} terms"
                )
            return data
        return self.pipeline.steps[0][1].transform(texts_of(data))

    def __repr__(self) -> str:
        how = f"{len(self.terms):,} terms by {self.selection.get('method')}"
        return f"Model({how}, {self.selection.get('classifier')}, {len(self.classes)} classes)"


def is_matrix_like(data: Any) -> bool:
    """Whether data has rows and columns."""
    return len(getattr(data, "shape", ())) == 2


def has_items(data: Any) -> bool:
    """Whether data can be gone through; an array of no dimension cannot."""
    return isinstance(data, Iterable) and getattr(data, "shape", (0,)) != ()


def texts_of(data: Any) -> list[str]:
    """A list of texts; an error for what is none."""
    if isinstance(data, str | bytes | os.PathLike | dict | set) or not has_items(data):
        what = "one text" if isinstance(data, str) else type(data).__name__
        raise InvalidInputError(f"give a list of texts, not {what}; `predictions` and `evaluate` read files")
    texts = list(data)
    strange = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
    if strange is not None:
        raise InvalidInputError(f"document {strange} is no text but {type(texts[strange]).__name__}")
    return texts


# what skops raises for an archive that is none, is of a newer skops, or holds what is not there
FAULTS = (
    *(
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ),
    *(ImportError, EOFError, RecursionError),
)


def load_model(folder: str | os.PathLike[str]) -> Model:
    """Load a model that `compare` saved to a folder.

    The pipeline is loaded by skops, which accepts only known types, so no code from the folder is run. It is
    an error if files do not belong together, if one is missing, or if a newer termsift saved the folder.

    folder : a folder written by `compare(...).save(folder)` or `termsift compare --save`

    >>> import tempfile
    >>> import termsift as ts
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> found = ts.compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = found.save(folder)
    ...     model = ts.load_model(folder)
    >>> list(model.predict(["a free prize", "lunch at noon"]))
    ['spam', 'ham']
    """
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise InvalidInputError(f"a model is loaded from a folder, got {folder!r}")
    place = Path(folder)
    selection, content = read_folder(place)
    pipeline = loaded_pipeline(place, content)
    try:
        return model_from(selection, with_quick_counts(pipeline))
    except InvalidInputError as error:
        raise UnreadableFileError(f"{place / SELECTION} is not what was saved: {error}") from error


def loaded_pipeline(folder: Path, content: bytes) -> Pipeline:
    """The pipeline of a folder, if it holds known types alone."""
    path = folder / PIPELINE
    try:
        strange = untrusted_types(content)
        pipeline = None if strange else pipeline_of(content)
    except FAULTS as error:
        raise UnreadableFileError(f"{path} cannot be loaded: {one_line(str(error), 200)}") from error
    if strange:
        raise UnreadableFileError(
            f"{path} holds {strange[0]}, which no model of compare does; it is not loaded"
        )
    if not isinstance(pipeline, Pipeline):
        raise UnreadableFileError(f"{path} holds no pipeline, but {type(pipeline).__name__}")
    return pipeline


def with_quick_counts(pipeline: Pipeline) -> Pipeline:
    """The pipeline with the compiled scan in place of CountVectorizer's loop: the same rows, sooner."""
    name, first = pipeline.steps[0]
    if type(first) is not CountVectorizer:
        return pipeline
    quick = TermVectorizer(**first.get_params(deep=False))
    quick.fit([])
    return Pipeline([(name, quick), *pipeline.steps[1:]])


def model_from(selection: dict[str, Any], pipeline: Pipeline) -> Model:
    """The model, if what the selection says of classes and terms is so in the pipeline."""
    several, classes = selection.get("several_labels"), selection.get("classes")
    terms = selection.get("terms")
    if not isinstance(several, bool) or not isinstance(classes, list) or not isinstance(terms, list):
        raise InvalidInputError("it says no classes or terms")
    last = pipeline.steps[-1][1]
    if several:
        known = list(range(len(last.estimators_))) if isinstance(last, OneVsRestClassifier) else []
        agree = len(known) == len(classes)
    else:
        known = list(getattr(last, "classes_", []))
        agree = sorted(map(str, known)) == sorted(map(str, classes))
    if not agree:
        raise InvalidInputError(f"it has {len(classes)} classes, and its pipeline {len(known)} or others")
    names = (
        tuple(classes) if several else tuple(name.item() if hasattr(name, "item") else name for name in known)
    )
    first = pipeline.steps[0]
    if first[0] == COUNT and len(first[1].vocabulary_) != len(terms):
        raise InvalidInputError(f"it has {len(terms)} terms, and its pipeline {len(first[1].vocabulary_)}")
    held = selection.get("calibration")
    calibration = None if held is None else Calibration.of_json(held, len(names), not several)
    return Model(selection, pipeline, names, calibration)
