"""Selection: the chosen terms, best first, with what they were chosen by; it goes where terms are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from termsift._typing import Array
from termsift.policies import Policy
from termsift.scores import Scores
from termsift.tables import Table

SHOWN = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Sequence[str]):
    """The chosen terms, best first: a sequence of texts, equal to a list of the same.

    rows : a row per chosen term: rank, term, df, score, and the class that values it most where known
    indices : (chosen,) where each stands among the terms that were counted
    metric : the metric's name, with its options
    policy : what chose
    analyzer : what found the terms in texts, where that is known
    scores : what they were chosen by; None for a selection that was read from a file

    >>> from termsift import count, select, TopK
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> chosen = select(counts, "bns", TopK(2))
    >>> chosen
    Selection(['lunch', 'prize'], bns, TopK(k=2))
    >>> chosen == ["lunch", "prize"], chosen[0], len(chosen)
    (True, 'lunch', 2)
    """

    rows: Table
    indices: Array
    metric: str
    policy: Policy
    analyzer: Any = None
    scores: Scores | None = None

    @classmethod
    def of(cls, indices: Array, scores: Scores, policy: Policy) -> Selection:
        """The chosen terms of some scores."""
        return cls(
            chosen_rows(indices, scores), indices, scores.metric, policy, scores.counts.analyzer, scores
        )

    @property
    def terms(self) -> list[str]:
        """The chosen terms, best first."""
        return list(self.rows["term"])

    def table(self) -> Table:
        """A row per term: rank, term, df, score, and the class that values it most where known."""
        return self.rows

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self.terms[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Selection | list | tuple):
            return self.terms == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.terms))

    def __repr__(self) -> str:
        shown = ", ".join(repr(term) for term in self.terms[:SHOWN])
        more = f", ... {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""
        return f"Selection([{shown}{more}], {self.metric}, {self.policy!r})"

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


def chosen_rows(indices: Array, scores: Scores) -> Table:
    """A row per chosen term; where each class has scores, the largest and its class."""
    head = {"rank": np.arange(1, len(indices) + 1), "term": scores.terms[indices]}
    head["df"] = scores.counts.term_df[indices]
    values = scores.values[indices]
    if values.ndim == 1 or not values.shape[1]:
        return Table(head | {"score": values if values.ndim == 1 else np.zeros(len(values))})
    most = values.argmax(axis=1)
    names = np.empty(len(scores.classes), dtype=object)
    names[:] = scores.classes
    return Table(head | {"class": names[most], "score": values.max(axis=1)})
