"""Scores of a metric, with their significance, tables and best terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.ranking import has_char_ngrams, rank_terms, top_without_nested
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, parse_call, to_exact_dtype
from termsift.counts import Cells, Counts, iter_blocks, select_cells
from termsift.metrics.effect_sizes import Effect
from termsift.metrics.significance import ALTERNATIVES, EXPECTED, ExactTest, Test, check_expected, q_values
from termsift.metrics.strata import StratifiedTest

# signs of the terms to list
DIRECTIONS = {"both": 0, "positive": 1, "negative": -1}
# columns of metrics that count occurrences
OCCURRENCES = ("tf", "tf_outside", "per_million", "per_million_outside")


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
    of : {"df", "tf"}, default "df"
        "df" if the metric counts documents, "tf" if it counts occurrences.
    test : Test, optional
        Test of the terms, if groups were analysed; by default the exact test of each 2x2 table of documents.
    permutation_p : ndarray, optional
        p-values of the metric itself, by permutation of the labels, in the shape of `values`.

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
    of: str = "df"
    test: Test | None = None
    permutation_p: Array | None = None

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
        """(terms, classes) two-sided p-values; None for weighted documents.

        They are those of the exact test, which does not depend on the metric; over groups of the jackknife;
        within strata of the stratified test; with permutations of the metric itself, in the shape of
        `values`.
        """
        return self.p_values() if self.permutation_p is None else self.permutation_p

    @property
    def q(self) -> Array | None:
        """q-values, in the shape of `p`: false discovery rate among terms with a p-value at most as large.

        Benjamini and Hochberg (1995), over all terms of a class.
        """
        if (p := self.p) is None:
            return None
        if p.ndim == 1:
            return q_values(p)
        columns = [q_values(column) for column in p.T]
        return np.array(columns).T if columns else p

    def p_values(self, alternative: str = "two-sided") -> Array | None:
        """Return the p-values of the test that determines which terms are significant.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            "greater" for the probability of at least as many documents of the class with the term, "less"
            for at most as many; only for the exact test of 2x2 tables.

        Returns
        -------
        ndarray, shape (n_terms, n_classes), or None
            p-values; None for weighted documents.

        Raises
        ------
        UnknownNameError
            If there is no such alternative.
        InvalidInputError
            If a test of groups has no such alternative.

        Examples
        --------
        >>> from termsift import count, score
        >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
        >>> score(counts, "chi2").p_values("greater")[:, 1].round(3)
        array([0.667, 1.   , 0.333, 1.   ])
        """
        check_name("alternative", alternative, ALTERNATIVES)
        test = self._test
        if isinstance(test, ExactTest):
            return test.all_p(alternative)
        if alternative != "two-sided":
            raise InvalidInputError(f"a test over groups is two-sided, got the alternative {alternative!r}")
        columns = [test.p(name) for name in self.counts.classes]
        known = [p for p in columns if p is not None]
        return np.stack(known, axis=1) if known else None

    def alpha(self, expected: float = EXPECTED, for_class: object = None) -> float | None:
        """Return the significance threshold of a class: terms with p <= alpha are significant.

        Parameters
        ----------
        expected : float, default 0.05
            Expected number of false positives among the significant terms of the class. It bounds the
            probability of any false positive.
        for_class : object, optional
            Class; needed if there are several.

        Returns
        -------
        float or None
            Largest attained p-value at which the exact expected number of false positives is at most
            `expected`; 0 if there is none; None for weighted documents.

        Raises
        ------
        InvalidInputError
            If `expected` is not above 0, or the class is missing.
        UnknownNameError
            If there is no such class.

        Examples
        --------
        >>> from termsift import count, score
        >>> counts = count(["a b", "a c", "a", "b", "c", "b c"], [1, 1, 1, 0, 0, 0], analyzer=str.split)
        >>> round(score(counts, "chi2").alpha(0.5, for_class=1), 9)
        0.1
        """
        check_expected(expected)
        if for_class is None and len(self.counts.classes) != 1:
            raise InvalidInputError(f"name a class: there are {len(self.counts.classes)}")
        return self._test.alpha(self.counts.classes[0] if for_class is None else for_class, float(expected))

    def significant(self, expected: float = EXPECTED, for_class: object = None) -> Array | None:
        """Return which terms are significant.

        Parameters
        ----------
        expected : float, default 0.05
            Expected number of false positives in each class.
        for_class : object, optional
            Class; by default all classes.

        Returns
        -------
        ndarray of bool or None
            (n_terms,) for a class, otherwise (n_terms, n_classes); None for weighted documents.

        Raises
        ------
        InvalidInputError
            If `expected` is not above 0.
        UnknownNameError
            If there is no such class.

        Examples
        --------
        >>> from termsift import count, score
        >>> counts = count(["a b", "a c", "a", "b", "c", "b c"], [1, 1, 1, 0, 0, 0], analyzer=str.split)
        >>> score(counts, "chi2").significant(0.5, for_class=1)
        array([ True, False, False])
        """
        check_expected(expected)
        names = self.counts.classes if for_class is None else [for_class]
        masks = []
        for name in names:
            p, alpha = self._test.p(name), self._test.alpha(name, float(expected))
            if p is None or alpha is None:
                return None
            masks.append(p <= alpha)
        if for_class is not None:
            return masks[0]
        return np.stack(masks, axis=1) if masks else np.zeros((len(self.terms), 0), dtype=bool)

    @property
    def _test(self) -> Test:
        return ExactTest(self.counts) if self.test is None else self.test

    @property
    def signs(self) -> Array:
        """(terms, classes) +1 for positive terms of a class, -1 for negative ones, else 0: sign(AD - BC).

        A, B, C, D count documents, or occurrences if the metric does.
        """
        if isinstance(self.test, StratifiedTest):
            return np.sign(self.values)
        blocks = iter_blocks(self.counts)
        return np.concatenate(
            [block.map_cells(lambda cells: np.sign(cells.association), self.of) for block in blocks]
        )

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
        p = None if self.permutation_p is None else self.permutation_p[:, [c]]
        return replace(self, values=self.values[:, [c]], counts=counts, permutation_p=p)

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
        expected: float | None = None,
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
        expected : float, optional
            List only significant terms, with this expected number of false positives; by default all terms.

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
        check_name("direction", direction, DIRECTIONS)
        shown_effect = self.choose_effect(effect, level, adjust, of)
        if name is None and len(self.classes) == 1:
            name = self.classes[0]
        if self.values.ndim == 1:
            if name is not None:
                self._class_column(name)
            return self.table_rows(self.top_rows(None, n))
        if name is None:
            n_classes = len(self.classes)
            raise InvalidInputError(f"name a class: {self.metric} has scores for each of {n_classes} classes")
        is_listed = None if expected is None else self.significant(expected, name)
        return self.table_rows(self.top_rows(name, n, direction, keep_nested, is_listed), name, shown_effect)

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

    def top_rows(
        self,
        name: object,
        n: int,
        direction: str = "both",
        keep_nested: bool = True,
        is_listed: Array | None = None,
    ) -> Array:
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
        is_listed : ndarray of bool, optional
            Mask of the terms to rank; by default all terms.

        Returns
        -------
        ndarray of int
            Indices of the terms, best first.
        """
        column, rows = self.column(name), np.arange(len(self.terms))
        check_name("direction", direction, DIRECTIONS)
        if direction != "both":
            rows = np.flatnonzero(self.of_class(name).signs[:, 0] == DIRECTIONS[direction])
            column = -column if direction == "negative" and self.sided == 1 else column
        if is_listed is not None:
            rows = rows[is_listed[rows]]
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

        For a metric of occurrences, the columns tf and tf_outside are the occurrences inside and outside the
        class, per_million and per_million_outside their rates. p and q are as in the attributes.

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
        shown_effect = self.choose_effect(effect, level, adjust, of)
        rows = np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self.table_rows(rows)
        return self._full_table(rows, range(len(self.classes)), shown_effect)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow.Table.

        Returns
        -------
        pyarrow.Table
            As in `table`.
        """
        return self.table().to_arrow()

    def to_pandas(self) -> Any:
        """Return the table as a pandas.DataFrame.

        Returns
        -------
        pandas.DataFrame
            As in `table`.
        """
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a polars.DataFrame.

        Returns
        -------
        polars.DataFrame
            As in `table`.
        """
        return self.table().to_polars()

    @property
    def default_effect(self) -> Effect:
        """Effect size that tables show by default; for lrc the log ratio with the interval that it ends."""
        if self.metric.partition("(")[0] == "lrc":
            return Effect("log_ratio", **{"adjust": "bonferroni"} | parse_call(self.metric)[2])
        return Effect("log_ratio" if self.of == "tf" else "odds_ratio")

    def choose_effect(
        self, name: str | None = None, level: float = 0.95, adjust: str = "none", of: str | None = None
    ) -> Effect:
        """Return an effect size with its interval, by default `default_effect`; arguments as in `table`."""
        default = self.default_effect
        effect = Effect(default.name if name is None else name, level, adjust, of)
        return default if name is None and effect == Effect(default.name) else effect

    def _full_table(self, rows: Array, columns: Any, effect: Effect) -> Table:
        table = self.descriptive_columns(rows, columns)
        # q-values are over all terms of a class, so p-values are computed before rows are selected
        by_class = [
            self._test.p(self.classes[c]) if self.permutation_p is None else self.permutation_p[:, c]
            for c in columns
        ]
        ps = [p for p in by_class if p is not None]
        if ps or not by_class:
            for key, values in (("p", ps), ("q", [q_values(p) for p in ps])):
                table[key] = np.stack([x[rows] for x in values], axis=1).ravel() if values else np.zeros(0)
        if isinstance(self.test, StratifiedTest):
            return Table(table | self.test.effect_columns(rows, [self.classes[c] for c in columns]))
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

    def descriptive_columns(self, rows: Array, columns: Any) -> dict[str, Array]:
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
            Columns term, class, sign, tp, fp, fn, tn and score; occurrences if the metric counts those.
        """
        cells = self.cells(rows, columns)
        counted_cells = cells if self.of == "df" else select_cells(self.counts, rows, columns, self.of)
        names = as_term_array([self.classes[c] for c in columns])
        values = self.values[np.ix_(rows, columns)]
        signs = np.sign(values if isinstance(self.test, StratifiedTest) else counted_cells.association)
        table = {"term": np.repeat(self.terms[rows], len(names)), "class": np.tile(names, len(rows))}
        table["sign"] = signs.ravel().astype(np.int64)
        table |= {name: to_exact_dtype(getattr(cells, name).ravel()) for name in ("tp", "fp", "fn", "tn")}
        if self.of == "tf":
            tf, tf_outside = (to_exact_dtype(x.ravel()) for x in (counted_cells.tp, counted_cells.fp))
            rates = (1e6 * x.ravel() for x in (counted_cells.tpr, counted_cells.fpr))
            names_and_values = zip(OCCURRENCES, (tf, tf_outside, *rates), strict=True)
            table |= dict(names_and_values)
        return table | {"score": values.ravel()}

    def _class_column(self, name: object) -> int:
        if self.values.ndim != 2:
            raise InvalidInputError(
                f"{self.metric} has one score per term and none per class, got class {name!r}"
            )
        return self.counts.class_index(name)

    def __repr__(self) -> str:
        shape = " x ".join(f"{n:,}" for n in self.values.shape)
        return f"Scores({self.metric}, {shape} {'terms x classes' if self.values.ndim == 2 else 'terms'})"

    def plot(self, name: object = None, n: int = 10, **options: Any) -> Any:
        """Draw the best terms of a class, or of all, as bars of their effects with intervals.

        Arguments are those of `termsift.report.plot_effects`; `termsift.report.save_chart` writes the chart.
        """
        from termsift.report import plot_effects

        return plot_effects(self, self.classes if name is None else [name], n, **options)

    def plot_roc(self, name: object, **options: Any) -> Any:
        """Draw the terms of a class in ROC space with labels; see `termsift.report.plot_terms`."""
        from termsift.report import plot_terms

        return plot_terms(self, name, **options)

    def _repr_html_(self) -> str:
        if self.values.ndim == 1:
            return self.top(n=10)._repr_html_()
        names = self.classes[:12]
        lists = [self.terms[self.top_rows(name, 10, "positive")] for name in names]
        sizes = self.counts.class_sizes[: len(names)]
        columns = {"class": names, "documents": sizes, "best terms": [", ".join(terms) for terms in lists]}
        table = Table({title: as_term_array(values) for title, values in columns.items()})
        return f"<p>{escape(repr(self))}</p>{table._repr_html_()}"
