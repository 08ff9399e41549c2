"""Words that mislead a model: those that pushed its wrong decisions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from termsift._typing import Array, as_terms
from termsift.errors import InvalidInput
from termsift.models.contributions import contributions
from termsift.tables import Table

if TYPE_CHECKING:
    from termsift.models.saved_model import SavedModel

MOST_DOCUMENTS = 2000  # wrong decisions that are looked into
MOST_WORDS = 200


class MisleadingWords:
    """What each word gave to wrong decisions: to the class that was decided, less what to the right one.

    Of documents that may have several labels, to a class that was decided wrongly, or against one that was
    missed.
    """

    def __init__(self, model: SavedModel) -> None:
        self.model = model
        self.push: dict[tuple[int, int, int], float] = defaultdict(float)
        self.times: dict[tuple[int, int, int], int] = defaultdict(int)
        self.wrong = self.seen = 0
        self.is_linear = True

    def add(self, texts: list[str], truths: list[tuple[int, ...]], decided: list[tuple[int, ...]]) -> None:
        """Look into the wrong decisions about some documents."""
        for text, truth, given in zip(texts, truths, decided, strict=True):
            if truth == given:
                continue
            self.wrong += 1
            if self.is_linear and self.seen < MOST_DOCUMENTS:
                self.look(text, truth, given)

    def look(self, text: str, truth: tuple[int, ...], given: tuple[int, ...]) -> None:
        """Add what the words of a document gave to what is wrong about it."""
        try:
            rows = self.model.pipeline.steps[0][1].transform([text])
            found = contributions(self.model.classifier, rows, {*truth, *given})
        except InvalidInput:
            self.is_linear = False
            return
        self.seen += 1
        if not self.model.several_labels:
            self.note_push(
                found.columns, found.given[:, given[0]] - found.given[:, truth[0]], truth[0], given[0]
            )
            return
        for c in set(given) - set(truth):
            self.note_push(found.columns, found.given[:, c], -1, c)
        for c in set(truth) - set(given):
            self.note_push(found.columns, -found.given[:, c], c, -1)

    def note_push(self, columns: Array, push: Array, truth: int, decided: int) -> None:
        """Add what words gave to a wrong decision, where they gave something."""
        for i in np.flatnonzero(push > 0):
            key = int(columns[i]), truth, decided
            self.push[key] += float(push[i])
            self.times[key] += 1

    @property
    def table(self) -> Table:
        """The words that gave most: term, truth, decided, documents, push; an empty name is no class."""
        order = sorted(self.push, key=lambda key: (-self.push[key], key))[:MOST_WORDS]
        terms = self.model.terms
        names = [*map(str, self.model.classes), ""]  # the last is that of -1
        return Table(
            {
                "term": as_terms(terms[term] for term, _, _ in order),
                "truth": as_terms(names[truth] for _, truth, _ in order),
                "decided": as_terms(names[decided] for _, _, decided in order),
                "documents": np.array([self.times[key] for key in order], dtype=np.int64),
                "push": np.array([self.push[key] for key in order], dtype=float),
            }
        )

    @property
    def note(self) -> str:
        """What was not looked at, in a sentence, or nothing."""
        if not self.is_linear:
            return "Its margins are no sums over words, so no word can be blamed."
        if self.seen < self.wrong:
            return f"Misleading words are those of the first {self.seen:,} of {self.wrong:,} wrong decisions."
        return ""
