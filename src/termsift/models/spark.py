"""Predictions on Spark: the model is sent to the workers, which label Arrow batches of documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termsift._internal.errors import InvalidInputError
from termsift.engines.spark import map_texts

if TYPE_CHECKING:
    from termsift.models.model import Model

LABEL = "label"


@dataclass(frozen=True, slots=True)
class Labeller:
    """Function from texts to their labels as strings; it is sent to the workers with the model."""

    model: Model

    def __call__(self, texts: list[str]) -> list[Any]:
        """Return the label, or the labels, of each text."""
        labels = self.model.predict(texts, n_jobs=1)
        if self.model.is_multilabel:
            return [list(map(str, names)) for names in labels]
        return list(map(str, labels))


def predict_frame(model: Model, frame: Any, text: Any, keep: Iterable[str]) -> Any:
    """Return the labels of the documents of a Spark DataFrame; see `Model.predict_spark`."""
    model.require_analyzer()
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise InvalidInputError(f"keep must be a list of columns, got {keep!r}")
    return map_texts(frame, text, list(keep), Labeller(model), LABEL, has_lists=model.is_multilabel)
