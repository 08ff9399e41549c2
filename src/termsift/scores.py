"""Scores: what a metric says of each term and class, with the names and the cells it says it of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array, as_terms, exact
from termsift.contingency import Cells, blocks, document_cells, token_cells
from termsift.counts import Counts
from termsift.effects import Effect
from termsift.errors import InvalidInput, check_name
from termsift.ranking import best
from termsift.tables import Table

SIDES = {"both": 0, "for": 1, "against": -1}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """The values of a metric, (terms, classes) or (terms,), with the counts they come from.

    of : "df" where the metric counts documents, "tf" where occurrences

    >>> from termsift import count, score
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> scores = score(counts, "chi2")
    >>> np.asarray(scores).shape
    (4, 2)
    >>> scores.top("spam", 2)
    term   class  sign  tp  fp  fn  tn  score        p  effect     low   high
    lunch  spam     -1   0   2   1   0      3  0.08326  -2.708   -7.12  1.704
    prize  spam      1   1   0   0   2      3  0.08326   2.708  -1.704   7.12
    """

    values: Array
    counts: Counts
    metric: str
    sided: int
    p_of_cells: Callable[[Cells], Array] | None = None
    of: str = "df"

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
        if self.p_of_cells is None or self.values.ndim != 2:
            return None
        return np.concatenate([block.of_cells(self.p_of_cells) for block in blocks(self.counts)])

    @property
    def signs(self) -> Array:
        """+1 where a term speaks for a class, -1 against, 0 neither: sign(AD - BC), (terms, classes).

        Of documents; of occurrences where these are what the metric counts.
        """
        cells = token_cells if self.of == "tf" else document_cells
        every = np.arange(len(self.terms)), np.arange(len(self.counts.classes))
        return np.sign(cells(self.counts, *every).lean)

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
        return Scores(self.values[:, [c]], one, self.metric, self.sided, self.p_of_cells, of=self.of)

    def top(
        self,
        name: object = None,
        n: int = 10,
        *,
        side: str = "both",
        effect: str | None = None,
        level: float = 0.95,
        adjust: str = "none",
        of: str | None = None,
    ) -> Table:
        """The table of the `n` best terms for a class, or of all where there is one score a term.

        side="for" leaves out the terms that speak against the class, side="against" those that speak for it;
        of a one-sided metric the best against are those of lowest score. The effect is as in `table`.
        """
        check_name("side", side, SIDES)
        shown = Effect(effect or self._usual_effect, level, adjust, of)
        if name is None and len(self.classes) == 1:
            name = self.classes[0]
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
        return self._table_of(order, [self.counts.class_index(name)], shown)

    def table(
        self,
        *,
        effect: str | None = None,
        level: float = 0.95,
        adjust: str = "none",
        of: str | None = None,
    ) -> Table:
        """A row for each term and class: term, class, sign, tp, fp, fn, tn, score, p where known, effect.

        effect : "odds_ratio" (its logarithm), "log_ratio", "lrc" or "rate_difference", with its interval in
            the columns low and high; of a metric of occurrences log_ratio, of others odds_ratio
        level : of the interval, 0.95
        adjust : "bonferroni" for intervals of all terms that hold at once, or "none"
        of : "df" or "tf", whether the effect is one of documents or of occurrences
        """
        shown = Effect(effect or self._usual_effect, level, adjust, of)
        rows = np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self._table_without_classes(rows)
        return self._table_of(rows, range(len(self.classes)), shown)

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

    @property
    def _usual_effect(self) -> str:
        return "log_ratio" if self.of == "tf" else "odds_ratio"

    def _table_of(self, rows: Array, columns: Any, effect: Effect) -> Table:
        counts = self.counts
        cells = document_cells(counts, rows, columns)
        lean = token_cells(counts, rows, columns).lean if self.of == "tf" else cells.lean
        names = as_terms([self.classes[c] for c in columns])
        table = {
            "term": np.repeat(self.terms[rows], len(names)),
            "class": np.tile(names, len(rows)),
            "sign": np.sign(lean).ravel().astype(np.int64),
            "tp": exact(cells.tp.ravel()),
            "fp": exact(cells.fp.ravel()),
            "fn": exact(cells.fn.ravel()),
            "tn": exact(cells.tn.ravel()),
            "score": self.values[np.ix_(rows, columns)].ravel(),
        }
        if self.p_of_cells is not None:
            table["p"] = self.p_of_cells(cells).ravel()
        return Table(table | effect.columns(counts, rows, columns))

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
