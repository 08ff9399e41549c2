"""SavedModel: what a model says of documents, why, and how well."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from termsift._typing import Array, as_terms
from termsift.border.class_names import class_place
from termsift.errors import InvalidInput
from termsift.models.calibration import Calibration
from termsift.models.contributions import Contributions, contributions
from termsift.models.margins import class_margins
from termsift.tables import Table

if TYPE_CHECKING:
    from termsift.models.evaluation import Evaluation
    from termsift.models.explanation import Explanation

COUNT = "count"  # the step of a pipeline that counts the terms of texts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SavedModel:
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
            raise InvalidInput(
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
        from termsift.models.predicting import predicted_tables

        if isinstance(keep, str) or not isinstance(keep, Sequence):
            raise InvalidInput(f"keep must be a list of columns, got {keep!r}")
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
        from termsift.models.evaluating import evaluation_of

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
                raise InvalidInput(
                    f"this model is of counts, not of texts; give a matrix of its {len(self.terms):,} terms"
                )
            return data
        return self.pipeline.steps[0][1].transform(texts_of(data))

    def __repr__(self) -> str:
        how = f"{len(self.terms):,} terms by {self.selection.get('method')}"
        return f"SavedModel({how}, {self.selection.get('classifier')}, {len(self.classes)} classes)"


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
        raise InvalidInput(f"give a list of texts, not {what}; `predictions` and `evaluate` read files")
    texts = list(data)
    strange = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
    if strange is not None:
        raise InvalidInput(f"document {strange} is no text but {type(texts[strange]).__name__}")
    return texts
