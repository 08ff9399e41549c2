"""Scores: what a metric says of each term and class, with the names and the cells it says it of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from termsift._typing import Array, as_terms, exact
from termsift.contingency import Cells, blocks, cells_of
from termsift.counts import Counts
from termsift.errors import InvalidInput, check_name
from termsift.ranking import best
from termsift.tables import Table

SIDES = {"both": 0, "for": 1, "against": -1}


class Within(Protocol):
    """What scores within strata come from: sign and p-value follow from a score, not from all cells."""

    @property
    def p(self) -> Callable[[Array], Array] | None:
        """The p-values of scores, where they are known."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """The values of a metric, (terms, classes) or (terms,), with the counts they come from.

    >>> from termsift import count, score
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> scores = score(counts, "chi2")
    >>> np.asarray(scores).shape
    (4, 2)
    >>> scores.top("spam", 2)
    term   class  sign  tp  fp  fn  tn  score        p
    lunch  spam     -1   0   2   1   0      3  0.08326
    prize  spam      1   1   0   0   2      3  0.08326
    """

    values: Array
    counts: Counts
    metric: str
    sided: int
    p_of_cells: Callable[[Cells], Array] | None = None
    within: Within | None = None

    @property
    def terms(self) -> Array:
        """The terms, in the order of the rows."""
        return self.counts.terms

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the columns; none where there is one score a term."""
        return self.counts.classes if self.values.ndim == 2 else ()

    @property
    def p(self) -> Array | None:
        """p-values of the shape of the values, where the metric has a null distribution, else None."""
        if self.within is not None:
            return None if self.within.p is None else self.within.p(self.values)
        if self.p_of_cells is None or self.values.ndim != 2:
            return None
        return np.concatenate([block.of_cells(self.p_of_cells) for block in blocks(self.counts)])

    @property
    def signs(self) -> Array:
        """+1 where a term speaks for a class, -1 against, 0 neither: sign(AD - BC), (terms, classes)."""
        if self.within is not None:
            return np.sign(self.values)
        c = self.counts
        return np.sign(cells_of(c.df.toarray(), c.term_df[:, None], c.class_sizes, c.documents).lean)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: object) -> Array:
        """The scores for one class, or the only scores there are."""
        return self.values if self.values.ndim == 1 else self.values[:, self.counts.class_index(name)]

    def of_class(self, name: object) -> Scores:
        """The scores of one class alone, still (terms, 1)."""
        if self.values.ndim != 2:
            raise InvalidInput(f"{self.metric} gives one score a term, none for class {name!r}")
        c = self.counts.class_index(name)
        one = self.counts.of_class(name)
        return Scores(self.values[:, [c]], one, self.metric, self.sided, self.p_of_cells, self.within)

    def top(self, name: object = None, n: int = 10, *, side: str = "both") -> Table:
        """The table of the `n` best terms for a class, or of all where there is one score a term.

        side="for" leaves out the terms that speak against the class, side="against" those that speak for it;
        of a one-sided metric the best against are those of lowest score.
        """
        check_name("side", side, SIDES)
        if self.values.ndim == 1:
            if name is not None:
                raise InvalidInput(f"{self.metric} gives one score a term, none for class {name!r}")
            return self._table_without_classes(best(self.values, self.counts.term_df, self.terms, n))
        if name is None:
            raise InvalidInput(f"name the class: {self.metric} scores each of {len(self.classes)} classes")
        column = self.column(name)
        rows = np.arange(len(column))
        if side != "both":
            rows = np.flatnonzero(self.of_class(name).signs[:, 0] == SIDES[side])
            column = -column if side == "against" and self.sided == 1 else column
        order = rows[best(column[rows], self.counts.term_df[rows], self.terms[rows], n)]
        return self._table_of(order, [self.counts.class_index(name)])

    def table(self) -> Table:
        """A row for each term and class: term, class, sign, tp, fp, fn, tn, score, and p where known."""
        rows = np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self._table_without_classes(rows)
        return self._table_of(rows, range(len(self.classes)))

    def to_arrow(self) -> Any:
        """The table as a pyarrow.Table."""
        return self.table().to_arrow()

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """The table as a polars.DataFrame."""
        return self.table().to_polars()

    def _table_without_classes(self, rows: Array) -> Table:
        return Table({"term": self.terms[rows], "df": self.counts.term_df[rows], "score": self.values[rows]})

    def _table_of(self, rows: Array, columns: Any) -> Table:
        counts = self.counts
        tp = counts.df[rows][:, columns].toarray().astype(np.float64)
        cells = cells_of(tp, counts.term_df[rows, None], counts.class_sizes[columns], counts.documents)
        names = as_terms([self.classes[c] for c in columns])
        values = self.values[np.ix_(rows, columns)]
        signs = np.sign(cells.lean if self.within is None else values)
        table = {
            "term": np.repeat(self.terms[rows], len(names)),
            "class": np.tile(names, len(rows)),
            "sign": signs.ravel().astype(np.int64),
            "tp": exact(cells.tp.ravel()),
            "fp": exact(cells.fp.ravel()),
            "fn": exact(cells.fn.ravel()),
            "tn": exact(cells.tn.ravel()),
            "score": values.ravel(),
        }
        if self.within is not None and self.within.p is not None:
            table["p"] = self.within.p(values).ravel()
        elif self.p_of_cells is not None:
            table["p"] = self.p_of_cells(cells).ravel()
        return Table(table)

    def __repr__(self) -> str:
        shape = " x ".join(f"{n:,}" for n in self.values.shape)
        return f"Scores({self.metric}, {shape} {'terms x classes' if self.values.ndim == 2 else 'terms'})"

    def _repr_html_(self) -> str:
        if self.values.ndim == 1:
            return self.top(n=10)._repr_html_()
        order = [best(column, self.counts.term_df, self.terms, 10) for column in self.values.T[:12]]
        names = [str(name) for name in self.classes[:12]]
        shown = {name: self.terms[rows] for name, rows in zip(names, order, strict=True)}
        return Table(shown)._repr_html_()
