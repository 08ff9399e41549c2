"""An evaluation from labelled documents: texts, or files as a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._typing import Array
from termsift.engines.arrow_texts import check_reading, warn_of_missing
from termsift.engines.files.counting import MEMORY, SourceRows
from termsift.engines.files.encodings import warn_of_guesses
from termsift.engines.files.sources import found_files, source_of
from termsift.errors import InvalidInput, listed, unknown
from termsift.inputs import labelled_documents, names_files
from termsift.models.evaluation import Evaluation
from termsift.models.misleading import MisleadingWords
from termsift.models.predicting import READ

if TYPE_CHECKING:
    from termsift.models.saved_model import SavedModel


def evaluation_of(model: SavedModel, data: Any, labels: Any, reading: Mapping[str, Any]) -> Evaluation:
    """What a model decides about labelled documents."""
    if not model.of_texts:
        raise InvalidInput("this model is of counts, not of texts; use its pipeline in Python")
    patterns: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    words = MisleadingWords(model)
    for texts, truths in labelled_texts(data, labels, dict(reading)):
        own = [class_numbers(model, names) for names in truths]
        decided = [class_numbers(model, names) for names in decided_names(model, texts)]
        patterns.update(zip(own, decided, strict=True))
        words.add(texts, own, decided)
    pairs = sorted(patterns)
    return Evaluation(
        model.classes,
        indicator([truth for truth, _ in pairs], len(model.classes)),
        indicator([given for _, given in pairs], len(model.classes)),
        np.array([patterns[pair] for pair in pairs], dtype=np.int64),
        not model.several_labels,
        words.table,
        {name: model.selection.get(name) for name in ("goal", "mean", "standard_error")},
        words.note,
    )


def decided_names(model: SavedModel, texts: list[str]) -> list[list[Any]]:
    """The labels that a model gives to each text."""
    found = model.predict(texts)
    return found if model.several_labels else [[name] for name in found]


def class_numbers(model: SavedModel, names: list[Any]) -> tuple[int, ...]:
    """The columns of the classes of a document; an error for one that the model does not know."""
    try:
        numbers = tuple(sorted(model.class_index(name) for name in names))
    except LookupError as error:
        strange = next(name for name in names if str(name) not in map(str, model.classes))
        raise InvalidInput(
            f"the model knows no class {strange!r}; it was fitted to: {listed(model.classes)}"
        ) from error
    if not model.several_labels and len(numbers) != 1:
        raise InvalidInput(f"the model gives one label to each document, and one here has {len(numbers)}")
    return numbers


def indicator(rows: list[tuple[int, ...]], classes: int) -> Array:
    """(rows, classes) whether each row has each class."""
    found = np.zeros((len(rows), classes), dtype=bool)
    for i, row in enumerate(rows):
        found[i, list(row)] = True
    return found


def labelled_texts(
    data: Any, labels: Any, reading: dict[str, Any]
) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """Texts and the labels of each, some at a time."""
    for name in reading:
        if name not in (*READ, "label", "separator"):
            raise unknown("option", name, (*READ, "label", "separator"))
    if not names_files(data, labels, "text" in reading or "label" in reading):
        given = labelled_documents(data, labels, **reading)
        if given.texts is None:
            raise InvalidInput("these documents are counts, and the model is of texts")
        yield given.texts, given.labels.names
        return
    separator, on_missing = reading.pop("separator", None), reading.pop("on_missing", "error")
    check_reading(MEMORY, on_missing, separator)
    source = source_of(data, **reading)
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, None)
        with closing(rows.batches()) as batches:
            for texts, known, _ in batches:
                yield texts.to_pylist(), known.names
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)
