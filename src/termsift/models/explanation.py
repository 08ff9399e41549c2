"""What each term of a document gives to the margin of each class; with what is given before, they add up."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError, one_line
from termsift._internal.tables import Table, text_table
from termsift._internal.typing import Array, as_terms
from termsift.models.decision_values import class_margins, coefficients, is_mirrored, wanted_models

if TYPE_CHECKING:
    from termsift.models.model import Model

CLOSE = 1e-6  # of sums that are the same but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What the terms of a document give.

    columns : (terms,) which terms the document has, by their place in the vocabulary
    times : (terms,) how often
    given : (terms, classes) what each gives to the margin of each class
    start : (classes,) what is given without any term
    """

    columns: Array
    times: Array
    given: Array
    start: Array

    @property
    def margins(self) -> Array:
        """(classes,): the sums."""
        return np.asarray(self.given.sum(axis=0) + self.start)


def contributions(model: Any, row: csr_array[Any], only: Collection[int] | None = None) -> Contributions:
    """What the terms of one document, a row of counts, give; an error where margins are no sums of words.

    only : the classes that are wanted; what is given to others may be 0
    """
    row = csr_array(row)
    columns = np.flatnonzero(row.toarray()[0])
    times = np.asarray(row[:, columns].toarray()[0])
    own = csr_array((times, (np.arange(len(columns)), columns)), shape=(len(columns), row.shape[1]))
    given, start = parts_of(model, own, row, only)
    found = Contributions(columns, times, given, start)
    margins = class_margins(model, row, only)[0]
    if not np.allclose(found.margins, margins, rtol=CLOSE, atol=CLOSE):
        raise InvalidInputError(
            "the margins of this model are no sums over words, so no word can be given its part"
        )
    return found


def parts_of(model: Any, parts: Any, row: Any, only: Collection[int] | None = None) -> tuple[Array, Array]:
    """(terms, classes) and (classes,), of a pipeline, of each class against the rest, or of a classifier.

    parts : (terms, features) what each term gives to each feature of the row
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            parts, row = carried(step, parts, row)
        return parts_of(model.steps[-1][1], parts, row, only)
    if isinstance(model, OneVsRestClassifier):
        size = len(model.estimators_)
        given, start = np.zeros((parts.shape[0], size)), np.zeros(size)
        for c in wanted_models(model, only):
            own, begin = parts_of(model.estimators_[c], parts, row)
            given[:, c], start[c] = own[:, -1], begin[-1]
        if is_mirrored(model):
            return np.hstack([-given, given]), np.array([-start[0], start[0]])
        return given, start
    weights, start = coefficients(model)
    return np.asarray(parts @ weights), start


def carried(step: Any, parts: Any, row: Any) -> tuple[Any, Any]:
    """The parts of the features that a step makes, and the features.

    A step that adds up what terms give is asked for the parts of each term alone. One that makes a feature of
    each feature, as tf-idf does, has each shared out as it was before.
    """
    made = csr_array(step.transform(row))
    alone = csr_array(step.transform(parts)) if parts.shape[0] else csr_array((0, made.shape[1]))
    if np.allclose(np.asarray(alone.sum(axis=0)), made.toarray()[0], rtol=CLOSE, atol=CLOSE):
        return alone, made
    if made.shape != row.shape:
        raise InvalidInputError(f"{type(step).__name__} adds up no words, so no word can be given its part")
    before, after = csr_array(row).toarray()[0], made.toarray()[0]
    share = np.divide(after, before, out=np.zeros(len(after)), where=before != 0)
    return csr_array(csr_array(parts) @ diags_array(share)), made


CHUNK = re.compile(r"\S+")
LONGEST = 100  # characters of a text that are shown in a line


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Why a model says what it says of a document.

    text : the document
    labels : what the model says of it
    name : the class that is explained, and `against`, where it is set against another, that one
    words : a row for each term of the model in the document: term, times, contribution; the weightiest first
    start : what is given without any word
    margin : the sum of all contributions and of the start
    marks : where the words stand in the text: from, to, and the row of `words`
    """

    text: str
    labels: tuple[Any, ...]
    name: Any
    against: Any
    words: Table
    start: float
    margin: float
    marks: tuple[tuple[int, int, int], ...]

    @property
    def what(self) -> str:
        """What is explained, in words."""
        return str(self.name) if self.against is None else f"{self.name} rather than {self.against}"

    def to_text(self, most: int = 15) -> str:
        """As lines for people."""
        given = self.words["contribution"]
        labels = ", ".join(map(str, self.labels)) or "none"
        return "\n".join(
            [
                f"{one_line(self.text[: 4 * LONGEST], LONGEST)}",
                f"label: {labels}; margin of {self.what}: {self.margin:+.4g} = "
                f"{given[given > 0].sum():+.4g} for it {given[given < 0].sum():+.4g} against it "
                f"{self.start:+.4g} without any word",
                text_table(self.words, most),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        own = {name: getattr(self, name) for name in ("labels", "name", "against", "margin", "start")}
        return own | {"words": list(self.words)}

    def __repr__(self) -> str:
        return self.to_text()


def explanation_of(model: Model, text: str, name: Any = None, against: Any = None) -> Explanation:
    """Why a model says what it says of a text."""
    if not model.of_texts:
        raise InvalidInputError("this model is of counts, not of texts; there are no words to show")
    found = model.contributions(text)
    c = int(found.margins.argmax()) if name is None else model.class_index(name)
    given, start = found.given[:, c], float(found.start[c])
    if against is not None:
        other = model.class_index(against)
        if other == c:
            raise InvalidInputError(
                f"{model.classes[c]!r} is both the class and what it is set against; name two"
            )
        given, start = given - found.given[:, other], start - float(found.start[other])
        against = model.classes[other]
    order = np.lexsort((np.arange(len(given)), -np.abs(given)))
    terms = model.terms[found.columns[order]]
    words = Table({"term": terms, "times": found.times[order], "contribution": given[order]})
    (labels,) = model.predict([text])
    return Explanation(
        text=text,
        labels=tuple(labels) if model.several_labels else (labels,),
        name=model.classes[c],
        against=against,
        words=words,
        start=start,
        margin=float(given.sum() + start),
        marks=tuple(text_marks(text, terms.tolist(), model)),
    )


def text_marks(text: str, terms: list[str], model: Model) -> list[tuple[int, int, int]]:
    """Where terms stand in a text, none over another: the longer first, then the weightier.

    A term that the text writes otherwise, as a stem, is looked for in what stands between blanks.
    """
    from termsift.report import pattern_of

    spans = [
        (at.start(), at.end(), row)
        for row, term in enumerate(terms)
        for at in pattern_of(term).finditer(text)
    ]
    unseen = {term: row for row, term in enumerate(terms)}
    for _, _, row in spans:
        unseen.pop(terms[row], None)
    if unseen:
        analyze = model.pipeline.steps[0][1].build_analyzer()
        for chunk in CHUNK.finditer(text):
            found = next((unseen[term] for term in analyze(chunk.group()) if term in unseen), None)
            spans += [] if found is None else [(chunk.start(), chunk.end(), found)]
    taken: list[tuple[int, int, int]] = []
    covered = np.zeros(len(text) + 1, dtype=bool)
    for start, end, row in sorted(spans, key=lambda span: (span[0] - span[1], span[2], span[0])):
        if end > start and not covered[start:end].any():
            covered[start:end] = True
            taken.append((start, end, row))
    return sorted(taken)


def explanation_table(found: list[Explanation], rows: list[int]) -> Table:
    """The words of several documents; the start is a term of no name."""
    lines = [
        (row, one.what, line["term"], line["times"], line["contribution"])
        for row, one in zip(rows, found, strict=True)
        for line in [*one.words, {"term": "", "times": 0, "contribution": one.start}]
    ]
    names = ("row", "class", "term", "times", "contribution")
    columns = list(zip(*lines, strict=True)) if lines else [()] * len(names)
    held = [
        as_terms(own) if name in ("class", "term") else np.array(own)
        for name, own in zip(names, columns, strict=True)
    ]
    return Table(dict(zip(names, held, strict=True)))
