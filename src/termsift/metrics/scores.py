"""The sides of a list: terms that speak for a class, against it, or both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, UnknownNameError, check_name, listed, unknown
from termsift._internal.expressions import call_parts
from termsift._internal.ranking import best, first_lines, of_characters
from termsift._internal.tables import Table
from termsift._internal.typing import Array, Within, as_terms, exact
from termsift.counts import (
    Block,
    Cells,
    Counts,
    GroupedCounts,
    blocks,
    check_groups,
    contrast,
    document_cells,
    token_cells,
    totals_of,
)
from termsift.metrics.catalogue import AnyMetric, Metric, metric_from
from termsift.metrics.effect_sizes import Effect
from termsift.metrics.reductions import REDUCTIONS, reduction_name, round_robin
from termsift.metrics.significance import (
    Margins,
    Null,
    Shuffled,
    adjusted,
    chance_floor,
    chance_number,
    check_expected,
    has_whole_documents,
    p_values,
)

SIDES = {"both": 0, "for": 1, "against": -1}


def side_sign(side: str) -> int:
    """0 for both sides, 1 for the terms that speak for a class, -1 for those against it."""
    check_name("side", side, SIDES)
    return SIDES[side]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """The scores of a metric, (terms, classes) or (terms,), with the counts they come from.

    function : the metric as a function of the cells, used to compute chance; None if scores depend on more
        than a term's own cells. With one score per term, the score is the largest over the classes
    shuffled : the best scores under shuffled labels, if documents were given
    of : "df" if the metric counts documents, "tf" if it counts occurrences
    within : the source of scores computed within strata
    values : (terms, classes), or (terms,) if a metric or a reduction takes all classes at once
    counts : the counts that were scored
    metric : the name of the metric
    sided : 1 if the sign of a score shows membership, 2 if it does not, 0 if there is no side

    >>> from termsift import count

    >>> from termsift import score
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
    function: Null | None = None
    shuffled: Shuffled | None = None
    of: str = "df"
    within: Within | None = None

    @property
    def terms(self) -> Array:
        """The terms, in the order of the rows."""
        return self.counts.terms

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the columns; empty if there is one score per term."""
        return self.counts.classes if self.values.ndim == 2 else ()

    @property
    def p(self) -> Array | None:
        """(terms, classes) exact p-values: the chance of a score at least as large under random labels.

        For a one-sided metric and a term that speaks against a class, a score at least as low. None if the
        score is not a function of a term's own cells, if there is one score per term, or for weights. Scores
        within strata have p-values of the normal distribution, which are not exact.
        """
        if self.within is not None:
            return None if self.within.p is None else self.within.p(self.values)
        if not self._exact or self.values.ndim != 2:
            return None
        p_of_cells = partial(p_values, function=self.function, sided=self.sided)  # type: ignore[arg-type]
        return np.concatenate([block.of_cells(p_of_cells) for block in blocks(self.counts)])

    def floor(self, expected: float = 1, for_class: object = None, *, side: str = "both") -> float | None:
        """The smallest score that chance alone gives to at most `expected` terms; infinite if there is none.

        for_class : the floor for one class; by default for all classes together
        side : "for" for terms that speak for a class, "against" for those against it; with a one-sided metric
            the floor of "against" is the highest score to trust

        Of the terms that reach the floor, `expected` are expected to do so by chance. None if chance is
        unknown: for counts alone if scores are not functions of the cells, or if the counts are weighted.

        >>> from termsift import count

        >>> from termsift import score
        >>> counts = count(["a b", "a c", "a", "b", "c", "b c"], [1, 1, 1, 0, 0, 0], analyzer=str.split)
        >>> round(score(counts, "chi2").floor(0.5, for_class=1), 9)
        6.0
        """
        check_expected(expected)
        sign, c = side_sign(side), None if for_class is None else self._class_column(for_class)
        if self.shuffled is not None:
            return self.shuffled.floor(expected, c, against=sign < 0)
        if self.function is None or not self._exact:
            return None
        return chance_floor(self._margins(c), self.function, float(expected), sign, self.sided)

    def expected_by_chance(
        self, value: float, for_class: object = None, *, side: str = "both"
    ) -> float | None:
        """Number of terms that reach a score by chance, for one class or all; None as for `floor`."""
        sign, c = side_sign(side), None if for_class is None else self._class_column(for_class)
        if self.shuffled is not None:
            return self.shuffled.number(value, c, against=sign < 0)
        if self.function is None or not self._exact:
            return None
        return chance_number(self._margins(c), self.function, value, sign, self.sided)

    @property
    def why_no_chance(self) -> str:
        """Why chance is unknown for these scores, in the words of the error."""
        how = "with documents at hand shuffled labels say it: ts.score(texts, labels, metric)"
        if self.function is None:
            return (
                f"counts do not say what chance makes of {self.metric}, no function of a term's cells; {how}"
            )
        return f"{self.metric} of sums of weights has no exact chance; {how}, with sample_weight"

    @property
    def signs(self) -> Array:
        """+1 if a term speaks for a class, -1 if against, 0 if neither: sign(AD - BC), (terms, classes).

        Of documents, or of occurrences if the metric counts those.
        """
        if self.within is not None:
            return np.sign(self.values)
        cells = token_cells if self.of == "tf" else document_cells
        every = np.arange(len(self.terms)), np.arange(len(self.counts.classes))
        return np.sign(cells(self.counts, *every).lean)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: object) -> Array:
        """The scores for one class; all scores if there is one per term."""
        return self.values if self.values.ndim == 1 else self.values[:, self.counts.class_index(name)]

    def of_class(self, name: object) -> Scores:
        """The scores of a single class, with shape (terms, 1)."""
        c, one = self._class_column(name), self.counts.of_class(name)
        shuffled = None if self.shuffled is None else self.shuffled.of_class(c)
        return replace(self, values=self.values[:, [c]], counts=one, shuffled=shuffled)

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
        keep_parts: bool = True,
    ) -> Table:
        """The table of the `n` best terms for a class, or overall if there is one score per term.

        side="for" leaves out the terms that speak against the class, side="against" those that speak for it.
        With a one-sided metric, the best terms against are those with the lowest scores. See `table` for the
        effect. Without `keep_parts`, only the longest of n-grams in nearly the same documents is shown.
        """
        side_sign(side)
        shown = Effect(self.usual_effect.name if effect is None else effect, level, adjust, of)
        if name is None and len(self.classes) == 1:
            name = self.classes[0]
        if self.values.ndim == 1:
            if name is not None:
                raise InvalidInputError(f"{self.metric} gives one score a term, none for class {name!r}")
            return self.table_of(self.best_rows(None, n))
        if name is None:
            raise InvalidInputError(
                f"name the class: {self.metric} scores each of {len(self.classes)} classes"
            )
        return self.table_of(self.best_rows(name, n, side, keep_parts), name, shown)

    def table_of(self, rows: Array, name: object = None, effect: Effect | None = None) -> Table:
        """The table of some terms for a class, or without classes if there is one score per term."""
        if self.values.ndim == 1:
            df = self.counts.term_df[rows]
            return Table({"term": self.terms[rows], "df": df, "score": self.values[rows]})
        return self._table_of(rows, [self.counts.class_index(name)], effect or self.usual_effect)

    def best_rows(self, name: object, n: int, side: str = "both", keep_parts: bool = True) -> Array:
        """The row indices of the `n` best terms of a class, as in `top`."""
        column = self.column(name)
        rows = np.arange(len(column))
        if side != "both":
            rows = np.flatnonzero(self.of_class(name).signs[:, 0] == side_sign(side))
            column = -column if side == "against" and self.sided == 1 else column
        df, terms = self.counts.term_df, self.terms

        def first(k: int) -> Array:
            order: Array = rows[best(column[rows], df[rows], terms[rows], k)]
            return order

        if keep_parts:
            return first(n)
        return first_lines(first, n, terms, df, characters=of_characters(self.counts.analyzer))

    def table(
        self,
        *,
        effect: str | None = None,
        level: float = 0.95,
        adjust: str = "none",
        of: str | None = None,
    ) -> Table:
        """A row for each term and class: term, class, sign, the cells, score, p and q if known, effect.

        q : the expected share of false discoveries among terms of the class with a p no larger: Benjamini and
            Hochberg (1995), over all terms of the class
        effect : "odds_ratio" (its logarithm), "log_ratio", "lrc" or "rate_difference", with its interval in
            the columns low and high. The default is log_ratio for metrics of occurrences, else odds_ratio
        level : confidence level of the interval, 0.95
        adjust : "bonferroni" for intervals that hold for all terms at once, or "none"
        of : "df" or "tf", whether the effect is of documents or of occurrences
        """
        shown, rows = Effect(effect or self.usual_effect.name, level, adjust, of), np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self.table_of(rows)
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

    @property
    def usual_effect(self) -> Effect:
        """The effect size that tables show by default."""
        return Effect("log_ratio" if self.of == "tf" else "odds_ratio")

    def _table_of(self, rows: Array, columns: Any, effect: Effect) -> Table:
        table = self.rows_without_chance(rows, columns)
        if self._exact or (self.within is not None and self.within.p is not None):
            ps = [self.of_class(self.classes[c]).p[:, 0] for c in columns]  # type: ignore[index]
            table["p"] = np.stack([p[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
            table["q"] = np.stack([adjusted(p)[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
        return Table(table | effect.columns(self.counts, rows, columns))

    def cells(self, rows: Array, columns: Any) -> Cells:
        """The cells of some terms and classes."""
        return document_cells(self.counts, rows, columns)

    def rows_without_chance(self, rows: Array, columns: Any) -> dict[str, Array]:
        """The table columns for some terms and classes that need only their own cells and scores."""
        cells = self.cells(rows, columns)
        lean = token_cells(self.counts, rows, columns).lean if self.of == "tf" else cells.lean
        names = as_terms([self.classes[c] for c in columns])
        values = self.values[np.ix_(rows, columns)]
        signs = np.sign(lean if self.within is None else values)
        return {
            "term": np.repeat(self.terms[rows], len(names)),
            "class": np.tile(names, len(rows)),
            "sign": signs.ravel().astype(np.int64),
            "tp": exact(cells.tp.ravel()),
            "fp": exact(cells.fp.ravel()),
            "fn": exact(cells.fn.ravel()),
            "tn": exact(cells.tn.ravel()),
            "score": values.ravel(),
        }

    @property
    def _exact(self) -> bool:
        return self.function is not None and has_whole_documents(self.counts)

    def _class_column(self, name: object) -> int:
        if self.values.ndim != 2:
            raise InvalidInputError(f"{self.metric} gives one score a term, none for class {name!r}")
        return self.counts.class_index(name)

    def _margins(self, c: int | None) -> Margins:
        whole = Margins.of(self.counts)
        return whole if c is None else whole.of_size(self.counts.class_sizes[c])

    def __repr__(self) -> str:
        shape = " x ".join(f"{n:,}" for n in self.values.shape)
        return f"Scores({self.metric}, {shape} {'terms x classes' if self.values.ndim == 2 else 'terms'})"

    def _repr_html_(self) -> str:
        if self.values.ndim == 1:
            return self.top(n=10)._repr_html_()
        shown = {str(name): self.terms[self.best_rows(name, 10, "for")] for name in self.classes[:12]}
        longest = max(map(len, shown.values()))
        return Table({n: np.append(t, [""] * (longest - len(t))) for n, t in shown.items()})._repr_html_()


def score(
    counts: Counts | GroupedCounts,
    metric: AnyMetric,
    *,
    reduce: str | None = None,
    for_class: Any = None,
    against: Any = None,
    **options: Any,
) -> Scores:
    """What a metric says of each term.

    Parameters
    ----------
    counts : Counts, or GroupedCounts: of metrics that can hold groups fixed (cmh, mh_odds) the scores are
        those within the groups, of others those of all documents
    metric : str, Metric or function of Cells
        A name or alias of `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or one's own.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}, optional
        One score per term instead of one for each class. The full table is then never held.
    for_class : optional
        A class, or a list of classes taken as one, for which alone there are scores.
    against : optional
        The class, or the classes, that it is told from; all other classes where none are named.
    **options
        The metric's own, such as smoothing=0.5; and per_class=True for those summed over the classes.

    Returns
    -------
    Scores, (terms, classes), or (terms,) where reduced or where the metric knows no classes.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> np.asarray(score(counts, "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])

    """
    if isinstance(counts, GroupedCounts):
        if for_class is not None or against is not None:
            raise InvalidInputError("counts with groups have no sides; those without have: grouped.counts")
        return score_with_groups(counts, metric, reduce, options)
    if not isinstance(counts, Counts):
        raise InvalidInputError(
            f"score takes Counts, got {type(counts).__name__}; count first: ts.count(texts, labels)"
        )
    if for_class is not None or against is not None:
        return contrast_scores(counts, metric, for_class, against, {"reduce": reduce, **options})
    line, written = metric_with_options(metric)
    options = written | options
    check(counts, line, options)
    how = None if reduce is None else reduction_name(reduce)
    values = table(counts, line, options, None if how == "round_robin" else how, blocks(counts))
    if how == "round_robin" and values.ndim == 2:
        values = round_robin(values, counts.term_df, counts.terms)
    if bool(np.isnan(values).any()):
        raise InvalidInputError(
            f"{line.name} gives NaN; a metric gives a number for all cells, such as 0 for empty ones"
        )
    scores = scores_of(values, counts, line, options)
    return scores if how in (None, "max") else replace(scores, function=None)


def term_weights(counts: Counts, metric: AnyMetric, *, reduce: str = "max", **options: Any) -> Array:
    """(terms,) what a column is multiplied by, in place of idf: the scores, or a weight that is made of them.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> term_weights(counts, "acc2")
    array([0.5, 1. , 1. , 0.5])
    """
    line, _ = metric_with_options(metric)
    values = np.asarray(score(counts, metric, reduce=reduce, **options))
    return values if line.weight is None else line.weight(values)


def contrast_scores(
    counts: Counts, metric: AnyMetric, for_class: Any, against: Any, options: dict[str, Any]
) -> Scores:
    """The scores of a class against others; of a metric with one score per term, those of the two sides."""
    sides, name = contrast(counts, for_class, against)
    scores = score(sides, metric, **options)
    return scores if scores.values.ndim == 1 and against is not None else scores.of_class(name)


def score_with_groups(
    grouped: GroupedCounts, metric: AnyMetric, reduce: str | None, options: dict[str, Any]
) -> Scores:
    """The scores within the groups, of a metric that can hold them fixed; else those of all documents."""
    line, written = metric_with_options(metric)
    if line.strata is None:
        return score(grouped.counts, metric, reduce=reduce, **options)
    check(grouped.counts, line, written | options)
    check_groups(grouped, 2, f"to hold fixed for {line.name}")
    values = line.strata(grouped)
    how = None if reduce is None else reduction_name(reduce)
    if how is None:
        return Scores(values, grouped.counts, line.name, line.sided, within=line.strata)
    counts = grouped.counts
    if how == "round_robin":
        values = round_robin(values, counts.term_df, counts.terms)
    else:
        values = REDUCTIONS[how](values, counts.class_sizes / counts.documents)
    return Scores(values, counts, line.name, line.sided)


def scores_of(values: Array, counts: Counts, line: Metric, options: dict[str, Any]) -> Scores:
    """The values of a metric, or the largest over the classes, with its name as it was asked for."""
    sided = 1 if options.get("signed") else line.sided
    how = line.of_documents(options), None, line.counted(options)
    return Scores(values, counts, written_metric(line, options), sided, *how)


def metric_with_options(value: AnyMetric) -> tuple[Metric, dict[str, Any]]:
    """A metric and the options that are written with its name; of what is no name there are none.

    >>> line, options = metric_with_options("ngl"), metric_with_options("gu(printed=True)")[1]
    >>> line[0].name, options
    ('cc', {'printed': True})
    """
    if not isinstance(value, str):
        return metric_from(value), {}
    try:
        name, arguments, options = call_parts(value)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(
            f"{value!r} is not a metric; write it as 'bns', 'gu(printed=True)'"
        ) from error
    if arguments:
        raise InvalidInputError(
            f"the options of a metric have names, as in 'gu(printed=True)', got {value!r}"
        )
    line = metric_from(name)
    check_options(line, options)
    return line, options


def written_metric(line: Metric, options: Mapping[str, Any]) -> str:
    """The metric as it is written with its options."""
    own = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return f"{line.name}({own})" if own else line.name


def table(
    counts: Counts, line: Metric, options: dict[str, Any], reduce: str | None, runs: Iterable[Block]
) -> Array:
    """The metric's values over blocks of the counts, reduced as they come."""
    summed = line.summed and not options.get("per_class", False)
    priors = counts.class_sizes / max(counts.documents, 1e-300)
    parts = []
    for block in runs:
        values = of_block(block, line, options)
        if values.ndim == 2 and summed:
            values = values.sum(axis=1)
        elif values.ndim == 2 and reduce is not None:
            values = REDUCTIONS[reduce](values, priors)
        parts.append(values)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def of_block(block: Block, line: Metric, options: dict[str, Any]) -> Array:
    """The metric of a block: of its cells, of documents or of occurrences, or of the block itself."""
    own = line.own_options(options)
    if not line.of_cells:
        return line.function(block, **own)
    if line.counted(options) == "tf":
        return block.of_token_cells(line.function, **own)
    return block.of_cells(line.function, **own)


def check(counts: Counts, line: Metric, options: dict[str, Any]) -> None:
    """One clear line for counts or options the metric cannot work with."""
    check_options(line, options)
    if not counts.documents:
        raise InvalidInputError("there are no documents, so there is nothing to score")
    whole = (counts.class_sizes == 0) | (counts.class_sizes == counts.documents)
    if not line.classless and bool(whole.all()):
        raise InvalidInputError(one_class(counts))
    if line.single_label and not totals_of(counts).single_label:
        raise InvalidInputError(several_labels(line))


def one_class(counts: Counts) -> str:
    """What is wrong with counts in which no class has documents both inside and outside."""
    filled = [name for name, size in zip(counts.classes, counts.class_sizes, strict=True) if size]
    if len(filled) == 1:
        return f"only 1 class: all documents are in {filled[0]!r}, so there is nothing to tell apart"
    return f"no class has documents both inside and outside: {listed(counts.classes)}"


def several_labels(line: Metric) -> str:
    """What is wrong with several labels per document."""
    return f"{line.name} needs exactly one label per document; these counts have several, or none"


def check_options(line: Metric, options: dict[str, Any]) -> None:
    """An error for an option the metric does not take."""
    strange = next((name for name in options if name not in line.options), None)
    if strange is None:
        check_table(line, options)
        return
    if not line.options:
        raise UnknownNameError(f"{line.name} takes no options, got {strange!r}")
    raise unknown(f"option of {line.name}", strange, line.options)


def check_table(line: Metric, options: dict[str, Any]) -> None:
    """An error for a table that is neither of documents nor of occurrences."""
    if line.of and "of" in options:
        check_name(f"table of {line.name}", options["of"], ("df", "tf"))
