"""Labels of the documents of files, as a stream of tables in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._typing import Array, as_terms
from termsift.engines.files.readers.columns import KEPT
from termsift.engines.files.sources import source_of
from termsift.engines.memory.texts import checked_texts
from termsift.errors import InvalidInput, UnknownName, unknown
from termsift.inputs import is_corpus, names_files
from termsift.labels import as_list
from termsift.models.reading import text_stream
from termsift.tables import Table

if TYPE_CHECKING:
    from termsift.models.saved_model import SavedModel

ROW, LABEL = "row", "label"
READ = ("text", "header", "delimiter", "encoding", "encoding_errors", "format", "on_missing")


def predicted_tables(
    model: SavedModel,
    data: Any,
    margins: bool,
    probabilities: bool,
    keep: tuple[Any, ...],
    reading: Mapping[str, Any],
) -> Iterator[Table]:
    """What a model says of documents, some thousands at a time."""
    names = kept_names(keep)
    check_model(model, margins, probabilities)
    for rows, texts, kept in unlabelled_texts(data, keep, reading):
        held = {name: as_terms(values) for name, values in zip(names, kept, strict=True)}
        columns = {ROW: rows, **held, LABEL: as_terms(model.predict(texts))}
        if margins:
            columns |= columns_per_class("margin", model, model.margins(texts))
        if probabilities:
            columns |= columns_per_class("probability", model, model.probabilities(texts))
        yield Table(columns)


def kept_names(keep: tuple[Any, ...]) -> list[str]:
    """The names of kept columns in the result; an error where two would have one."""
    names = [str(name) for name in keep]
    taken = next((name for name in names if name in (ROW, LABEL) or names.count(name) > 1), None)
    if taken is None:
        return names
    raise InvalidInput(
        f"the result would have two columns named {taken!r}; leave it out of keep, or rename it"
    )


def check_model(model: SavedModel, margins: bool, probabilities: bool) -> None:
    """An error before anything is read for a model that says nothing of texts, or not what is asked for."""
    if not model.of_texts:
        raise InvalidInput("this model is of counts, not of texts; use its pipeline in Python")
    if margins:
        model.margins([""])
    if probabilities:
        model.probabilities([""])


def columns_per_class(what: str, model: SavedModel, values: Array) -> dict[str, Array]:
    """A column for each class."""
    return {f"{what} {name}": values[:, c] for c, name in enumerate(model.classes)}


def unlabelled_texts(
    data: Any, keep: tuple[Any, ...], reading: Mapping[str, Any]
) -> Iterator[tuple[Array, list[str], list[list[Any]]]]:
    """The numbers of documents from 1, their texts and what is kept of them, some at a time."""
    for name in reading:
        if name not in READ:
            raise unknown("option", name, (*READ, "margins", "probabilities", "keep"))
    if names_files(data, None, "text" in reading):
        own = {name: value for name, value in reading.items() if name not in ("on_missing",)}
        source = source_of(
            data, label="", marks={f"{KEPT} {i}": name for i, name in enumerate(keep, 1)}, **own
        )
        yield from text_stream(source, reading.get("on_missing", "error"))
        return
    texts = data.texts if is_corpus(data) else data
    if texts is None or keep:
        what = "columns are kept of files" if keep else "this corpus has no texts, but counts"
        raise UnknownName(what) if keep else InvalidInput(what)
    held = checked_texts(as_list(texts))
    yield np.arange(1, len(held) + 1), held, []
