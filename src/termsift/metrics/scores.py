"""Scores of a metric, with their significance, tables and best terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.ranking import has_char_ngrams, rank_terms, top_without_nested
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, to_exact_dtype
from termsift.counts import (
    Cells,
    Counts,
    iter_blocks,
    select_cells,
)
from termsift.metrics import significance
from termsift.metrics.association import StratifiedMetric
from termsift.metrics.effect_sizes import Effect

DIRECTIONS = {"both": 0, "positive": 1, "negative": -1}


def direction_sign(direction: str) -> int:
    """Return 1 for positive terms, -1 for negative terms, 0 for both."""
    check_name("direction", direction, DIRECTIONS)
    return DIRECTIONS[direction]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """Scores of a metric, with the counts they were computed from.

    `ts.score` returns them.

    Parameters
    ----------
    values : ndarray, shape (n_terms, n_classes) or (n_terms,)
        Scores; (n_terms,) for a metric or a reduction over all classes.
    counts : Counts
        Counts that were scored.
    metric : str
        Name of the metric, with its options.
    sided : {0, 1, 2}
        1 if the sign of a score shows the direction of association, 2 if it does not, 0 if there is none.
    function : callable, optional
        Metric as a function of cells, from which significance is computed; None if scores depend on more than
        a term's cells. With one score per term it is the largest over the classes.
    permutations : PermutationScores, optional
        Best scores under permuted labels, if documents were scored.
    of : {"df", "tf"}, default "df"
        "df" if the metric counts documents, "tf" if it counts occurrences.
    strata : StratifiedMetric, optional
        Stratified metric, if scores were computed within groups.

    Examples
    --------
    >>> from termsift import count, score
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> scores = score(counts, "chi2")
    >>> np.asarray(scores).shape
    (4, 2)
    >>> scores.top("spam", 2)
    term   class  sign  tp  fp  fn  tn  score       p       q  effect     low   high
    lunch  spam     -1   0   2   1   0      3  0.3333  0.6667  -2.708   -7.12  1.704
    prize  spam      1   1   0   0   2      3  0.3333  0.6667   2.708  -1.704   7.12

    """

    values: Array
    counts: Counts
    metric: str
    sided: int
    function: significance.CellFunction | None = None
    permutations: significance.PermutationScores | None = None
    of: str = "df"
    strata: StratifiedMetric | None = None

    @property
    def terms(self) -> Array:
        """Terms, in the order of the rows."""
        return self.counts.terms

    @property
    def classes(self) -> tuple[Any, ...]:
        """Classes, in the order of the columns; empty if there is one score per term."""
        return self.counts.classes if self.values.ndim == 2 else ()

    @property
    def p(self) -> Array | None:
        """(terms, classes) exact p-values: P(score at least as large) under random labels.

        For a negative term of a one-sided metric, P(score at most as large). None if the score is not a
        function of a term's cells, if there is one score per term, or for weighted counts. Stratified scores
        have p-values of the normal approximation.
        """
        if self.strata is not None:
            return None if self.strata.p is None else self.strata.p(self.values)
        if (function := self._exact_function) is None or self.values.ndim != 2:
            return None
        p_from_cells = partial(significance.p_values, function=function, sided=self.sided)
        return np.concatenate([block.map_cells(p_from_cells) for block in iter_blocks(self.counts)])

    def threshold(
        self, expected: float = 1, for_class: object = None, *, direction: str = "both"
    ) -> float | None:
        """Return the smallest score that at most `expected` terms reach by chance.

        Parameters
        ----------
        expected : float, default 1
            Number of false positives to expect among the terms that reach the threshold.
        for_class : object, optional
            Class; by default the threshold is over all classes together.
        direction : {"both", "positive", "negative"}, default "both"
            Terms to count. For negative terms of a one-sided metric the threshold is the largest score that
            is significant.

        Returns
        -------
        float or None
            Threshold; infinite if no score is significant. None if significance is unknown: for weighted
            counts, and for scores that are not functions of the cells, unless documents were scored.

        Raises
        ------
        InvalidInputError
            If `expected` is not above 0, or a class is named and there is one score per term.
        UnknownNameError
            If there is no such class or direction.

        Examples
        --------
        >>> from termsift import count, score
        >>> counts = count(["a b", "a c", "a", "b", "c", "b c"], [1, 1, 1, 0, 0, 0], analyzer=str.split)
        >>> round(score(counts, "chi2").threshold(0.5, for_class=1), 9)
        6.0

        """
        significance.check_expected(expected)
        sign, c = direction_sign(direction), None if for_class is None else self._class_column(for_class)
        if self.permutations is not None:
            return self.permutations.threshold(expected, c, negative=sign < 0)
        if (function := self._exact_function) is None:
            return None
        search = significance.ThresholdSearch(function, float(expected), sign, self.sided)
        marginals = significance.Marginals.from_counts(self.counts, c)
        return significance.significance_thresholds(marginals, [search])[0]

    def expected_false_positives(
        self, value: float, for_class: object = None, *, direction: str = "both"
    ) -> float | None:
        """Return the number of terms expected to reach a score by chance.

        Parameters
        ----------
        value : float
            Score.
        for_class : object, optional
            Class; by default terms are counted over all classes together.
        direction : {"both", "positive", "negative"}, default "both"
            Terms to count. For negative terms of a one-sided metric those with at most this score.

        Returns
        -------
        float or None
            Expected number of false positives; None if significance is unknown, as in `threshold`.

        Raises
        ------
        InvalidInputError
            If a class is named and there is one score per term.
        UnknownNameError
            If there is no such class or direction.

        """
        sign, c = direction_sign(direction), None if for_class is None else self._class_column(for_class)
        if self.permutations is not None:
            return self.permutations.expected_false_positives(value, c, negative=sign < 0)
        if (function := self._exact_function) is None:
            return None
        marginals = significance.Marginals.from_counts(self.counts, c)
        return significance.expected_false_positives(marginals, function, value, sign, self.sided)

    @property
    def signs(self) -> Array:
        """(terms, classes) +1 for positive terms of a class, -1 for negative ones, else 0: sign(AD - BC).

        A, B, C, D count documents, or occurrences if the metric does.
        """
        if self.strata is not None:
            return np.sign(self.values)
        rows, columns = np.arange(len(self.terms)), np.arange(len(self.counts.classes))
        return np.sign(select_cells(self.counts, rows, columns, self.of).association)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: object) -> Array:
        """Return the scores for one class; all scores if there is one per term.

        Parameters
        ----------
        name : object
            Class name; ignored if there is one score per term.

        Returns
        -------
        ndarray, shape (n_terms,)
            Scores.

        Raises
        ------
        UnknownNameError
            If there is no such class.

        """
        return self.values if self.values.ndim == 1 else self.values[:, self.counts.class_index(name)]

    def of_class(self, name: object) -> Scores:
        """Return the scores of a single class.

        Parameters
        ----------
        name : object
            Class name.

        Returns
        -------
        Scores
            Scores of shape (n_terms, 1).

        Raises
        ------
        InvalidInputError
            If there is one score per term.
        UnknownNameError
            If there is no such class.

        """
        c, counts = self._class_column(name), self.counts.of_class(name)
        permutations = None if self.permutations is None else self.permutations.of_class(c)
        return replace(self, values=self.values[:, [c]], counts=counts, permutations=permutations)

    def top(
        self,
        name: object = None,
        n: int = 10,
        *,
        direction: str = "both",
        effect: str | None = None,
        level: float = 0.95,
        adjust: str = "none",
        of: str | None = None,
        keep_nested: bool = True,
    ) -> Table:
        """Return the table of the `n` best terms of a class, or overall if there is one score per term.

        Parameters
        ----------
        name : object, optional
            Class name; needed if there are several classes.
        n : int, default 10
            Number of terms.
        direction : {"both", "positive", "negative"}, default "both"
            Terms to rank. For a one-sided metric the best negative terms are those with the lowest scores.
        effect : {"odds_ratio", "log_ratio", "lrc", "rate_difference"}, optional
            Effect size, as in `table`.
        level : float, default 0.95
            Confidence level of the effect's interval.
        adjust : {"none", "bonferroni"}, default "none"
            "bonferroni" for intervals that hold for all terms at once.
        of : {"df", "tf"}, optional
            Effect of documents or of occurrences.
        keep_nested : bool, default True
            False to drop n-grams within longer ones that occur in nearly the same documents.

        Returns
        -------
        Table
            Row for each term, as in `table`; term, df and score if there is one score per term.

        Raises
        ------
        InvalidInputError
            If the class is missing, or named although there is one score per term.
        UnknownNameError
            If there is no such class, direction, effect or adjustment.

        """
        direction_sign(direction)
        shown_effect = Effect(self.default_effect.name if effect is None else effect, level, adjust, of)
        if name is None and len(self.classes) == 1:
            name = self.classes[0]
        if self.values.ndim == 1:
            if name is not None:
                self._class_column(name)
            return self.table_rows(self.top_rows(None, n))
        if name is None:
            n_classes = len(self.classes)
            raise InvalidInputError(f"name a class: {self.metric} has scores for each of {n_classes} classes")
        return self.table_rows(self.top_rows(name, n, direction, keep_nested), name, shown_effect)

    def table_rows(self, rows: Array, name: object = None, effect: Effect | None = None) -> Table:
        """Return the table of some terms for a class, or without classes if there is one score per term.

        Parameters
        ----------
        rows : ndarray of int
            Indices of the terms.
        name : object, optional
            Class name; ignored if there is one score per term.
        effect : Effect, optional
            Effect size; by default `default_effect`.

        Returns
        -------
        Table
            Row for each term, as in `top`.

        """
        if self.values.ndim == 1:
            df = self.counts.term_df[rows]
            return Table({"term": self.terms[rows], "df": df, "score": self.values[rows]})
        return self._full_table(rows, [self.counts.class_index(name)], effect or self.default_effect)

    def top_rows(self, name: object, n: int, direction: str = "both", keep_nested: bool = True) -> Array:
        """Return the row indices of the `n` best terms of a class, as in `top`.

        Parameters
        ----------
        name : object
            Class name; ignored if there is one score per term.
        n : int
            Number of terms.
        direction : {"both", "positive", "negative"}, default "both"
            Terms to rank.
        keep_nested : bool, default True
            False to drop n-grams within longer ones that occur in nearly the same documents.

        Returns
        -------
        ndarray of int
            Indices of the terms, best first.

        """
        column, rows = self.column(name), np.arange(len(self.terms))
        if direction != "both":
            rows = np.flatnonzero(self.of_class(name).signs[:, 0] == direction_sign(direction))
            column = -column if direction == "negative" and self.sided == 1 else column
        # ranks are positions within `rows`, which maps them back to terms
        df, terms = self.counts.term_df[rows], self.terms[rows]
        rank = partial(rank_terms, column[rows], df, terms)
        if keep_nested:
            return rows[rank(n)]
        is_char = has_char_ngrams(self.counts.analyzer)
        return rows[top_without_nested(rank, n, terms, df, characters=is_char)]

    def table(
        self, *, effect: str | None = None, level: float = 0.95, adjust: str = "none", of: str | None = None
    ) -> Table:
        """Return a row for each term and class: term, class, sign, cells, score, p and q if known, effect.

        q is the false discovery rate among terms of the class with a p-value no larger: Benjamini and
        Hochberg (1995), over all terms of the class.

        Parameters
        ----------
        effect : {"odds_ratio", "log_ratio", "lrc", "rate_difference"}, optional
            Effect size, with its interval in the columns low and high; "odds_ratio" is its logarithm. The
            default is "log_ratio" for metrics of occurrences, else "odds_ratio".
        level : float, default 0.95
            Confidence level of the interval.
        adjust : {"none", "bonferroni"}, default "none"
            "bonferroni" for intervals that hold for all terms at once.
        of : {"df", "tf"}, optional
            Effect of documents or of occurrences; by default as the effect is defined.

        Returns
        -------
        Table
            Row for each term and class; for each term if there is one score per term.

        Raises
        ------
        InvalidInputError
            If `level` is not between 0 and 1, or `of` is neither "df" nor "tf".
        UnknownNameError
            If there is no such effect or adjustment.

        """
        shown_effect = Effect(self.default_effect.name if effect is None else effect, level, adjust, of)
        rows = np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self.table_rows(rows)
        return self._full_table(rows, range(len(self.classes)), shown_effect)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow.Table.

        Returns
        -------
        pyarrow.Table
            Table of all terms and classes, as in `table`.

        """
        return self.table().to_arrow()

    def to_pandas(self) -> Any:
        """Return the table as a pandas.DataFrame.

        Returns
        -------
        pandas.DataFrame
            Table of all terms and classes, as in `table`.

        """
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a polars.DataFrame.

        Returns
        -------
        polars.DataFrame
            Table of all terms and classes, as in `table`.

        """
        return self.table().to_polars()

    @property
    def default_effect(self) -> Effect:
        """Effect size that tables show by default."""
        return Effect("log_ratio" if self.of == "tf" else "odds_ratio")

    def _full_table(self, rows: Array, columns: Any, effect: Effect) -> Table:
        table = self.score_columns(rows, columns)
        if self._exact_function is not None or (self.strata is not None and self.strata.p is not None):
            # q-values are over all terms of a class, so p-values are computed before rows are selected
            ps = [self.of_class(self.classes[c]).p[:, 0] for c in columns]  # type: ignore[index]
            table["p"] = np.stack([p[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
            table["q"] = (
                np.stack([significance.q_values(p)[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
            )
        return Table(table | effect.columns(self.counts, rows, columns))

    def cells(self, rows: Array, columns: Any) -> Cells:
        """Return the cells of some terms and classes.

        Parameters
        ----------
        rows : ndarray of int
            Indices of the terms.
        columns : sequence of int
            Indices of the classes.

        Returns
        -------
        Cells
            Cells of documents, of shape (len(rows), len(columns)).

        """
        return select_cells(self.counts, rows, columns)

    def score_columns(self, rows: Array, columns: Any) -> dict[str, Array]:
        """Return the table columns that need no other terms: all except p, q and the effect.

        Parameters
        ----------
        rows : ndarray of int
            Indices of the terms.
        columns : sequence of int
            Indices of the classes.

        Returns
        -------
        dict of str to ndarray
            Columns term, class, sign, tp, fp, fn, tn and score.

        """
        cells = self.cells(rows, columns)
        counted_cells = cells if self.of == "df" else select_cells(self.counts, rows, columns, self.of)
        names = as_term_array([self.classes[c] for c in columns])
        values = self.values[np.ix_(rows, columns)]
        signs = np.sign(counted_cells.association if self.strata is None else values)
        table = {"term": np.repeat(self.terms[rows], len(names)), "class": np.tile(names, len(rows))}
        table["sign"] = signs.ravel().astype(np.int64)
        table |= {name: to_exact_dtype(getattr(cells, name).ravel()) for name in ("tp", "fp", "fn", "tn")}
        return table | {"score": values.ravel()}

    @property
    def _exact_function(self) -> significance.CellFunction | None:
        """Metric as a function of cells; None if weights make its null distribution unknown."""
        return self.function if significance.has_integer_counts(self.counts) else None

    def _class_column(self, name: object) -> int:
        if self.values.ndim != 2:
            raise InvalidInputError(
                f"{self.metric} has one score per term and none per class, got class {name!r}"
            )
        return self.counts.class_index(name)

    def __repr__(self) -> str:
        shape = " x ".join(f"{n:,}" for n in self.values.shape)
        return f"Scores({self.metric}, {shape} {'terms x classes' if self.values.ndim == 2 else 'terms'})"

    def _repr_html_(self) -> str:
        if self.values.ndim == 1:
            return self.top(n=10)._repr_html_()
        lists = {str(name): self.terms[self.top_rows(name, 10, "positive")] for name in self.classes[:12]}
        length = max(map(len, lists.values()))
        columns = {name: np.append(terms, [""] * (length - len(terms))) for name, terms in lists.items()}
        return Table(columns)._repr_html_()


def explain_missing_significance(scores: Scores) -> str:
    """Return why scores have no p-values, and the remedy."""
    remedy = "with documents, use a permutation test: ts.score(texts, labels, metric)"
    if scores.function is not None:
        return f"{scores.metric} of weighted counts has no exact significance; {remedy}, with sample_weight"
    reason = "its null distribution cannot be computed from counts"
    return f"{scores.metric} has no significance threshold: {reason}; {remedy}"
