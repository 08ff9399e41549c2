"""Scores of a metric, with their significance, tables and best terms; `score` computes them from counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from termsift._internal.errors import (
    InvalidInputError,
    UnknownNameError,
    check_name,
    quote_names,
    unknown_name_error,
)
from termsift._internal.expressions import parse_call
from termsift._internal.ranking import has_char_ngrams, rank_terms, top_without_nested
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, to_exact_dtype
from termsift.counts import (
    Block,
    Cells,
    Counts,
    GroupedCounts,
    check_group_number,
    compute_totals,
    contrast_classes,
    document_cells,
    iter_blocks,
    token_cells,
)
from termsift.metrics.association import StratifiedMetric
from termsift.metrics.catalogue import AnyMetric, Metric, as_metric
from termsift.metrics.effect_sizes import Effect
from termsift.metrics.reductions import REDUCTIONS, check_reduction
from termsift.metrics.significance import (
    CellFunction,
    Marginals,
    PermutationScores,
    ThresholdSearch,
    check_expected,
    expected_false_positives,
    has_integer_counts,
    p_values,
    q_values,
    significance_thresholds,
)

DIRECTIONS = {"both": 0, "positive": 1, "negative": -1}


def direction_sign(direction: str) -> int:
    """Return 1 for positive terms, -1 for negative terms, 0 for both."""
    check_name("direction", direction, DIRECTIONS)
    return DIRECTIONS[direction]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """Scores of a metric, with the counts they were computed from.

    Parameters
    ----------
    values : (terms, classes), or (terms,) for a metric or a reduction over all classes
    counts : the counts that were scored
    metric : name of the metric, with its options
    sided : 1 if the sign of a score shows the direction of association, 2 if it does not, 0 if there is none
    function : the metric as a function of cells, from which significance is computed; None if scores depend
        on more than a term's cells. With one score per term it is the largest over the classes
    permutations : the best scores under permuted labels, if documents were scored
    of : "df" if the metric counts documents, "tf" if it counts occurrences
    strata : the stratified metric, if scores were computed within groups

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
    function: CellFunction | None = None
    permutations: PermutationScores | None = None
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
        if not self._has_exact_significance or self.values.ndim != 2:
            return None
        p_from_cells = partial(p_values, function=self.function, sided=self.sided)  # type: ignore[arg-type]
        return np.concatenate([block.map_cells(p_from_cells) for block in iter_blocks(self.counts)])

    def threshold(
        self, expected: float = 1, for_class: object = None, *, direction: str = "both"
    ) -> float | None:
        """Return the smallest score that at most `expected` terms reach by chance.

        Parameters
        ----------
        expected : number of false positives to expect among the terms that reach the threshold
        for_class : the class; by default the threshold is over all classes together
        direction : "positive", "negative" or "both". For negative terms of a one-sided metric the threshold
            is the largest score that is significant

        Returns
        -------
        The threshold; infinite if no score is significant. None if significance is unknown: for weighted
        counts, and for scores that are not functions of the cells, unless documents were scored.

        Examples
        --------
        >>> from termsift import count, score
        >>> counts = count(["a b", "a c", "a", "b", "c", "b c"], [1, 1, 1, 0, 0, 0], analyzer=str.split)
        >>> round(score(counts, "chi2").threshold(0.5, for_class=1), 9)
        6.0

        """
        check_expected(expected)
        sign, c = direction_sign(direction), None if for_class is None else self._class_column(for_class)
        if self.permutations is not None:
            return self.permutations.threshold(expected, c, negative=sign < 0)
        if self.function is None or not self._has_exact_significance:
            return None
        search = ThresholdSearch(self.function, float(expected), sign, self.sided)
        return significance_thresholds(self._marginals(c), [search])[0]

    def expected_false_positives(
        self, value: float, for_class: object = None, *, direction: str = "both"
    ) -> float | None:
        """Return the number of terms expected to reach a score by chance; None as for `threshold`."""
        sign, c = direction_sign(direction), None if for_class is None else self._class_column(for_class)
        if self.permutations is not None:
            return self.permutations.expected_false_positives(value, c, negative=sign < 0)
        if self.function is None or not self._has_exact_significance:
            return None
        return expected_false_positives(self._marginals(c), self.function, value, sign, self.sided)

    @property
    def signs(self) -> Array:
        """(terms, classes) +1 for positive terms of a class, -1 for negative ones, else 0: sign(AD - BC).

        A, B, C, D count documents, or occurrences if the metric does.
        """
        if self.strata is not None:
            return np.sign(self.values)
        cells = token_cells if self.of == "tf" else document_cells
        rows, columns = np.arange(len(self.terms)), np.arange(len(self.counts.classes))
        return np.sign(cells(self.counts, rows, columns).association)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: object) -> Array:
        """Return the scores for one class; all scores if there is one per term."""
        return self.values if self.values.ndim == 1 else self.values[:, self.counts.class_index(name)]

    def of_class(self, name: object) -> Scores:
        """Return the scores of a single class, with shape (terms, 1)."""
        c = self._class_column(name)
        permutations = None if self.permutations is None else self.permutations.of_class(c)
        return replace(
            self, values=self.values[:, [c]], counts=self.counts.of_class(name), permutations=permutations
        )

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
        name : the class
        n : number of terms
        direction : "positive", "negative" or "both". For a one-sided metric the best negative terms are those
            with the lowest scores
        effect, level, adjust, of : effect size and its interval, as in `table`
        keep_nested : False to drop n-grams within longer ones that occur in nearly the same documents

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
            raise InvalidInputError(
                f"name the class: {self.metric} scores each of {len(self.classes)} classes"
            )
        return self.table_rows(self.top_rows(name, n, direction, keep_nested), name, shown_effect)

    def table_rows(self, rows: Array, name: object = None, effect: Effect | None = None) -> Table:
        """Return the table of some terms for a class, or without classes if there is one score per term."""
        if self.values.ndim == 1:
            df = self.counts.term_df[rows]
            return Table({"term": self.terms[rows], "df": df, "score": self.values[rows]})
        return self._full_table(rows, [self.counts.class_index(name)], effect or self.default_effect)

    def top_rows(self, name: object, n: int, direction: str = "both", keep_nested: bool = True) -> Array:
        """Return the row indices of the `n` best terms of a class, as in `top`."""
        column = self.column(name)
        rows = np.arange(len(column))
        if direction != "both":
            rows = np.flatnonzero(self.of_class(name).signs[:, 0] == direction_sign(direction))
            column = -column if direction == "negative" and self.sided == 1 else column
        df, terms = self.counts.term_df, self.terms

        def rank_rows(k: int) -> Array:
            ranked: Array = rows[rank_terms(column[rows], df[rows], terms[rows], k)]
            return ranked

        if keep_nested:
            return rank_rows(n)
        return top_without_nested(rank_rows, n, terms, df, characters=has_char_ngrams(self.counts.analyzer))

    def table(
        self,
        *,
        effect: str | None = None,
        level: float = 0.95,
        adjust: str = "none",
        of: str | None = None,
    ) -> Table:
        """Return a row for each term and class: term, class, sign, cells, score, p and q if known, effect.

        q is the false discovery rate among terms of the class with a p-value no larger: Benjamini and
        Hochberg (1995), over all terms of the class.

        Parameters
        ----------
        effect : "odds_ratio" (its logarithm), "log_ratio", "lrc" or "rate_difference", with its interval in
            the columns low and high. The default is log_ratio for metrics of occurrences, else odds_ratio
        level : confidence level of the interval
        adjust : "bonferroni" for intervals that hold for all terms at once, or "none"
        of : "df" or "tf": effect of documents or of occurrences

        """
        shown_effect = Effect(self.default_effect.name if effect is None else effect, level, adjust, of)
        rows = np.arange(len(self.terms))
        if self.values.ndim == 1:
            return self.table_rows(rows)
        return self._full_table(rows, range(len(self.classes)), shown_effect)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow.Table."""
        return self.table().to_arrow()

    def to_pandas(self) -> Any:
        """Return the table as a pandas.DataFrame."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a polars.DataFrame."""
        return self.table().to_polars()

    @property
    def default_effect(self) -> Effect:
        """Effect size that tables show by default."""
        return Effect("log_ratio" if self.of == "tf" else "odds_ratio")

    def _full_table(self, rows: Array, columns: Any, effect: Effect) -> Table:
        table = self.score_columns(rows, columns)
        if self._has_exact_significance or (self.strata is not None and self.strata.p is not None):
            # q-values are over all terms of a class, so p-values are computed before rows are selected
            ps = [self.of_class(self.classes[c]).p[:, 0] for c in columns]  # type: ignore[index]
            table["p"] = np.stack([p[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
            table["q"] = np.stack([q_values(p)[rows] for p in ps], axis=1).ravel() if ps else np.zeros(0)
        return Table(table | effect.columns(self.counts, rows, columns))

    def cells(self, rows: Array, columns: Any) -> Cells:
        """Return the cells of some terms and classes."""
        return document_cells(self.counts, rows, columns)

    def score_columns(self, rows: Array, columns: Any) -> dict[str, Array]:
        """Return the table columns that need no other terms: all except p, q and the effect."""
        cells = self.cells(rows, columns)
        counted_cells = token_cells(self.counts, rows, columns) if self.of == "tf" else cells
        names = as_term_array([self.classes[c] for c in columns])
        values = self.values[np.ix_(rows, columns)]
        signs = np.sign(counted_cells.association if self.strata is None else values)
        counted = {name: to_exact_dtype(getattr(cells, name).ravel()) for name in ("tp", "fp", "fn", "tn")}
        return {
            "term": np.repeat(self.terms[rows], len(names)),
            "class": np.tile(names, len(rows)),
            "sign": signs.ravel().astype(np.int64),
            **counted,
            "score": values.ravel(),
        }

    @property
    def _has_exact_significance(self) -> bool:
        return self.function is not None and has_integer_counts(self.counts)

    def _class_column(self, name: object) -> int:
        if self.values.ndim != 2:
            raise InvalidInputError(f"{self.metric} has one score per term, none for class {name!r}")
        return self.counts.class_index(name)

    def _marginals(self, c: int | None) -> Marginals:
        marginals = Marginals.from_counts(self.counts)
        return marginals if c is None else marginals.for_class_size(self.counts.class_sizes[c])

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
    if scores.function is None:
        return (
            f"{scores.metric} has no significance threshold: its null distribution cannot be computed from "
            f"counts; {remedy}"
        )
    return f"{scores.metric} of weighted counts has no exact significance; {remedy}, with sample_weight"


def score(
    counts: Counts | GroupedCounts,
    metric: AnyMetric,
    *,
    reduce: str | None = None,
    for_class: Any = None,
    reference: Any = None,
    **options: Any,
) -> Scores:
    """Score each term by a metric.

    Parameters
    ----------
    counts : Counts or GroupedCounts
        With GroupedCounts, cmh and mh_odds are stratified by group; other metrics use all documents.
    metric : str, Metric or function of Cells
        A name or alias in `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or your own.
    reduce : {"max", "mean", "weighted", "sum"}, optional
        One score per term instead of one for each class. The full table is then never in memory.
    for_class : optional
        Score only this class, or this list of classes taken as one.
    reference : optional
        The class, or classes, to compare `for_class` with; by default all other classes.
    **options
        Options of the metric, such as smoothing=0.5; and per_class=True for metrics summed over the classes.

    Returns
    -------
    Scores, (terms, classes), or (terms,) if reduced or if the metric has one score per term.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> np.asarray(score(counts, "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])

    """
    if reduce is not None:
        check_reduction(reduce)
    has_contrast = for_class is not None or reference is not None
    if isinstance(counts, GroupedCounts):
        if has_contrast:
            raise InvalidInputError("for_class and reference need counts without groups; use grouped.counts")
        return _score_groups(counts, metric, reduce, options)
    if not isinstance(counts, Counts):
        raise InvalidInputError(
            f"score takes Counts, got {type(counts).__name__}; count first: ts.count(texts, labels)"
        )
    if has_contrast:
        contrast, name = contrast_classes(counts, for_class, reference)
        scores = score(contrast, metric, reduce=reduce, **options)
        return scores if scores.values.ndim == 1 and reference is not None else scores.of_class(name)
    entry, written_options = parse_metric(metric)
    options = written_options | options
    check_scorable(counts, entry, options)
    values = score_blocks(counts, entry, options, reduce, iter_blocks(counts))
    if bool(np.isnan(values).any()):
        raise InvalidInputError(
            f"{entry.name} returned NaN; a metric must return a number for all cells, such as 0 if empty"
        )
    scores = build_scores(values, counts, entry, options)
    # only the maximum over the classes has a null distribution that is computed from cells
    return scores if reduce in (None, "max") else replace(scores, function=None)


def _score_groups(
    grouped: GroupedCounts, metric: AnyMetric, reduce: str | None, options: dict[str, Any]
) -> Scores:
    """Score within groups by a stratified metric; by any other metric over all documents."""
    entry, written_options = parse_metric(metric)
    counts = grouped.counts
    if entry.strata is None:
        return score(counts, metric, reduce=reduce, **options)
    check_scorable(counts, entry, written_options | options)
    check_group_number(grouped, 2, f"to stratify {entry.name}")
    values = entry.strata(grouped)
    if reduce is None:
        return Scores(values, counts, entry.name, entry.sided, strata=entry.strata)
    values = REDUCTIONS[reduce](values, counts.class_sizes / counts.documents)
    return Scores(values, counts, entry.name, entry.sided)


def term_weights(counts: Counts, metric: AnyMetric, *, reduce: str = "max", **options: Any) -> Array:
    """Return (terms,) weights that replace idf: the scores, or the weight that the metric's paper defines.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> term_weights(counts, "acc2")
    array([0.5, 1. , 1. , 0.5])
    """
    entry, _ = parse_metric(metric)
    values = np.asarray(score(counts, metric, reduce=reduce, **options))
    return values if entry.weight is None else entry.weight(values)


def build_scores(values: Array, counts: Counts, metric: Metric, options: dict[str, Any]) -> Scores:
    """Wrap the values of a metric, or their maximum over the classes, as Scores."""
    sided = 1 if options.get("signed") else metric.sided
    function, unit = metric.document_function(options), metric.count_type(options)
    return Scores(values, counts, format_metric(metric, options), sided, function, None, unit)


def parse_metric(value: AnyMetric) -> tuple[Metric, dict[str, Any]]:
    """Return a metric and the options written with its name.

    >>> metric, options = parse_metric("gu(printed=True)")
    >>> metric.name, options
    ('gu', {'printed': True})
    """
    if not isinstance(value, str):
        return as_metric(value), {}
    try:
        name, arguments, options = parse_call(value)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(
            f"{value!r} is not a metric; write it as 'bns' or 'gu(printed=True)'"
        ) from error
    if arguments:
        raise InvalidInputError(f"options of a metric need names, as in 'gu(printed=True)', got {value!r}")
    metric = as_metric(name)
    check_metric_options(metric, options)
    return metric, options


def format_metric(metric: Metric, options: Mapping[str, Any]) -> str:
    """Return the metric's name with its options, as `parse_metric` reads it."""
    written_options = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return f"{metric.name}({written_options})" if written_options else metric.name


def score_blocks(
    counts: Counts, metric: Metric, options: dict[str, Any], reduce: str | None, blocks: Iterable[Block]
) -> Array:
    """Score blocks of terms, and reduce each block before the next is scored."""
    is_summed = metric.summed and not options.get("per_class", False)
    priors = counts.class_sizes / max(counts.documents, 1e-300)
    block_values = []
    for block in blocks:
        values = score_block(block, metric, options)
        if values.ndim == 2 and is_summed:
            values = values.sum(axis=1)
        elif values.ndim == 2 and reduce is not None:
            values = REDUCTIONS[reduce](values, priors)
        block_values.append(values)
    return block_values[0] if len(block_values) == 1 else np.concatenate(block_values)


def score_block(block: Block, metric: Metric, options: dict[str, Any]) -> Array:
    """Apply a metric to the block's cells of documents or of occurrences, or to the block itself."""
    function_options = metric.function_options(options)
    if not metric.of_cells:
        return metric.function(block, **function_options)
    if metric.count_type(options) == "tf":
        return block.map_token_cells(metric.function, **function_options)
    return block.map_cells(metric.function, **function_options)


def check_scorable(counts: Counts, metric: Metric, options: dict[str, Any]) -> None:
    """Check that the metric takes these options and can score these counts."""
    check_metric_options(metric, options)
    if not counts.documents:
        raise InvalidInputError("there are no documents to score")
    is_constant = (counts.class_sizes == 0) | (counts.class_sizes == counts.documents)
    if not metric.classless and bool(is_constant.all()):
        filled = [name for name, size in zip(counts.classes, counts.class_sizes, strict=True) if size]
        if len(filled) == 1:
            raise InvalidInputError(
                f"only 1 class: all documents are in {filled[0]!r}; scoring needs at least 2 classes"
            )
        raise InvalidInputError(
            f"no class has documents both inside and outside: {quote_names(counts.classes)}"
        )
    check_single_label(metric, compute_totals(counts).single_label if metric.single_label else True)


def check_single_label(metric: Metric, has_single_labels: bool) -> None:
    """Check that documents have one label each if the metric is defined only then."""
    if metric.single_label and not has_single_labels:
        raise InvalidInputError(
            f"{metric.name} needs exactly one label per document; these counts have several, or none"
        )


def check_metric_options(metric: Metric, options: dict[str, Any]) -> None:
    """Check that the metric takes these options."""
    unknown = next((name for name in options if name not in metric.options), None)
    if unknown is not None and not metric.options:
        raise UnknownNameError(f"{metric.name} takes no options, got {unknown!r}")
    if unknown is not None:
        raise unknown_name_error(f"option of {metric.name}", unknown, metric.options)
    if metric.of and "of" in options:
        check_name(f"table of {metric.name}", options["of"], ("df", "tf"))
