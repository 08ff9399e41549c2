"""Jackknife intervals of scores over groups of documents, and the spread of terms over groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln, stdtr, stdtrit

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Counts, GroupedCounts, check_group_number, iter_blocks, ratio
from termsift.metrics.catalogue import AnyMetric, parse_metric
from termsift.metrics.effect_sizes import validate_level
from termsift.metrics.scores import Scores
from termsift.metrics.scoring import score, score_blocks

MIN_GROUPS = 10  # with fewer groups the standard error is too uncertain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Jackknife:
    """Scores with jackknife intervals: the range of scores to expect in other groups.

    Parameters
    ----------
    scores : Scores
        Scores over all documents.
    signed : ndarray
        Same scores, below 0 for negative terms of a class.
    error : ndarray
        Standard error of the signed scores, or of their roots if the metric is a square.
    low, high : ndarray
        Limits of the intervals of the signed scores.
    spread : dict of str to ndarray
        range : number of groups that contain each term.
        expected : number of groups expected to contain each term if documents were assigned to groups at
            random; missing for weighted counts.
        dp, juilland_d : dispersion over all groups, as in `termsift.dispersion`.

    Examples
    --------
    >>> from termsift import count, jackknife
    >>> texts = ["free prize", "lunch today"] * 10
    >>> grouped = count(texts, ["spam", "ham"] * 10, groups=[i // 2 for i in range(20)])
    >>> top = jackknife(grouped, "acc2").top("spam", 1)
    >>> top["score"], top["low"], top["high"], top["range"], top["expected"].round(3)
    (array([1.]), array([1.]), array([1.]), array([10]), array([7.632]))

    """

    scores: Scores
    signed: Array
    error: Array
    low: Array
    high: Array
    spread: dict[str, Array]

    @property
    def values(self) -> Array:
        """Signed scores."""
        return self.signed

    def top(
        self, name: object = None, n: int = 10, *, direction: str = "both", expected: float | None = None
    ) -> Table:
        """Return the table of `Scores.top` with signed scores, low, high, range, expected, dp and juilland_d.

        Parameters
        ----------
        name : object, optional
            Class name; needed if there are several classes.
        n : int, default 10
            Number of terms.
        direction : {"both", "positive", "negative"}, default "both"
            Terms to rank.
        expected : float, optional
            List only significant terms, with this expected number of false positives; by default all terms.

        Returns
        -------
        Table
            Row for each term.

        Raises
        ------
        InvalidInputError
            If the class is missing, or named although there is one score per term.
        UnknownNameError
            If there is no such class or direction.

        """
        return self._add_intervals(self.scores.top(name, n, direction=direction, expected=expected))

    def table(self) -> Table:
        """Return the table of `Scores.table` with signed scores, intervals, range, expected and dispersion.

        Returns
        -------
        Table
            Row for each term and class.

        """
        return self._add_intervals(self.scores.table())

    def _add_intervals(self, table: Table) -> Table:
        row_index = {term: i for i, term in enumerate(self.scores.terms)}
        rows = np.array([row_index[term] for term in table["term"]], dtype=np.intp)
        entries: Any = rows
        if self.signed.ndim == 2:
            column_index = {name: c for c, name in enumerate(self.scores.classes)}
            entries = rows, np.array([column_index[name] for name in table["class"]], dtype=np.intp)
        # the interval of the score replaces that of the effect size
        columns = {name: x for name, x in table.columns.items() if name not in ("effect", "low", "high")}
        columns |= {"score": self.signed[entries], "low": self.low[entries], "high": self.high[entries]}
        return Table(columns | {name: x[rows] for name, x in self.spread.items()})

    def __repr__(self) -> str:
        return f"Jackknife({self.scores!r})"


def jackknife(grouped: GroupedCounts, metric: AnyMetric, *, level: float = 0.95, **options: Any) -> Jackknife:
    """Compute intervals of any metric by the delete-a-group jackknife.

    se^2 = (G - 1)/G sum (s_(-g) - mean)^2 over the G groups, where s_(-g) is the signed score without group
    g. The intervals use Student's t with G - 1 degrees of freedom. At least 10 groups are needed.
    A metric that grows as the square of a difference, such as ig or chi2, is flat near independence, so its
    spread underestimates the error there. Then s is the signed root, and the limits are squared.

    Parameters
    ----------
    grouped : GroupedCounts
        Counts by class and group, as returned by `ts.count` with groups.
    metric : str, Metric or callable
        Metric, as for `ts.score`.
    level : float, default 0.95
        Probability that an interval contains the score over all possible groups.
    **options : object
        Options of the metric.

    Returns
    -------
    Jackknife
        Scores over all documents, with their intervals.

    Raises
    ------
    InvalidInputError
        If counts have no groups or fewer than 10, or `level` is not between 0 and 1.
    UnknownNameError
        If there is no such metric or option.

    Examples
    --------
    >>> from termsift import count
    >>> texts = ["free prize", "lunch today"] * 10
    >>> grouped = count(texts, ["spam", "ham"] * 10, groups=[i // 2 for i in range(20)])
    >>> list(jackknife(grouped, "bns").top("spam", 1, direction="positive")["term"])
    ['free']

    """
    if not isinstance(grouped, GroupedCounts):
        raise InvalidInputError(
            f"jackknife needs GroupedCounts, got {type(grouped).__name__}; pass groups= to ts.count"
        )
    validate_level(level)
    check_group_number(grouped, MIN_GROUPS, "for an interval")
    scores = score(grouped, metric, **options)
    signed = sign_scores(scores)
    is_square = parse_metric(metric)[0].squared
    center, n_groups = _signed_root(signed) if is_square else signed, len(grouped.groups)
    replicates = iter_jackknife_scores(grouped, metric, options)
    error = jackknife_error(center, map(_signed_root, replicates) if is_square else replicates, n_groups)
    half_width = stdtrit(n_groups - 1, (1 + level) / 2) * error
    low, high = center - half_width, center + half_width
    if is_square:
        low, high = low * np.abs(low), high * np.abs(high)
    if scores.values.ndim == 2 and scores.test is None:
        scores = replace(scores, test=JackknifeTest(grouped))
    return Jackknife(scores, signed, error, low, high, dispersion_columns(grouped))


def jackknife_error(center: Array, replicates: Iterable[Array], n_groups: int) -> Array:
    """Return the standard error of scores from those without each group in turn."""
    # differences from the score over all documents are small, so their squares lose no digits
    total, squares = np.zeros(center.shape), np.zeros(center.shape)
    for values in replicates:
        total += values - center
        squares += (values - center) ** 2
    return np.sqrt((n_groups - 1) / n_groups * np.maximum(squares - total**2 / n_groups, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class JackknifeTest:
    """Test that tpr - fpr is 0, by its delete-a-group jackknife error and Student's t with G - 1 degrees.

    Documents of a group may depend on each other. The log odds ratio does not suit: its half counts keep it
    away from 0 when a term of a single group vanishes, so the term seems certain.
    """

    grouped: GroupedCounts
    _memo: dict[str, Array] = field(default_factory=dict)

    def p(self, name: Any) -> Array:
        """Return the (terms,) two-sided p-values of a class."""
        if "p" not in self._memo:
            self._memo["p"] = self._all_p()
        p: Array = self._memo["p"][:, self.grouped.counts.class_index(name)]
        return p

    def alpha(self, name: Any, expected: float) -> float:
        """Return the p-value up to which terms are significant, by Bonferroni's inequality."""
        return expected / max(len(self.grouped.terms), 1)

    def _all_p(self) -> Array:
        counts, n_groups = self.grouped.counts, len(self.grouped.groups)
        center = np.asarray(score(counts, "acc2", signed=True))
        replicates = iter_jackknife_scores(self.grouped, "acc2", {"signed": True})
        error = jackknife_error(center, replicates, n_groups)
        t = np.divide(center, error, out=np.zeros(center.shape), where=error > 0)
        p = 2 * stdtr(n_groups - 1, -np.abs(t))
        # the same difference without any group: a term of all documents of a class
        exact = score(counts, "acc2").p_values()
        is_constant = (error <= ROUNDING) & (np.abs(center) > ROUNDING)
        return np.where(is_constant, 1.0 if exact is None else exact, p)


def sign_scores(scores: Scores) -> Array:
    """Return the scores; for a two-sided metric those of negative terms below 0."""
    if scores.values.ndim == 1 or scores.sided != 2:
        return scores.values
    return scores.signs * np.abs(scores.values)


def _signed_root(values: Array) -> Array:
    return np.sign(values) * np.sqrt(np.abs(values))


def iter_jackknife_scores(
    grouped: GroupedCounts, metric: AnyMetric, options: dict[str, Any]
) -> Iterator[Array]:
    """Yield the signed scores without each group in turn."""
    entry, written_options = parse_metric(metric)
    options = written_options | options
    if entry.strata is not None:
        for g in range(len(grouped.groups)):
            yield entry.strata(_drop_group(grouped, g))
        return
    sided = 1 if options.get("signed") else entry.sided
    for counts in _iter_counts_without_group(grouped):
        values = score_blocks(counts, entry, options, None, iter_blocks(counts))
        yield sign_scores(Scores(values, counts, entry.name, sided, of=entry.count_type(options)))


def _drop_group(grouped: GroupedCounts, g: int) -> GroupedCounts:
    """Return the counts without the documents of a group; classes, terms and groups stay."""
    pairs, is_dropped = grouped.pairs, grouped.group_of_pair == g
    changes: dict[str, Any] = {}
    for name in ("df", "tf", "tf2"):
        table = getattr(pairs, name).copy()
        table.data = np.where(is_dropped[table.indices], 0, table.data)
        changes |= {name: table, f"term_{name}": table.sum(axis=1)}
    sizes = np.where(is_dropped, 0, pairs.class_sizes)
    return GroupedCounts(replace(pairs, documents=sizes.sum().item(), class_sizes=sizes, **changes))


def _iter_counts_without_group(grouped: GroupedCounts) -> Iterator[Counts]:
    """Yield the counts by class without each group in turn, by subtraction from the counts of all groups."""
    counts, pairs = grouped.counts, grouped.pairs
    columns = {name: getattr(pairs, name).tocsc() for name in ("df", "tf", "tf2")}
    rows = np.repeat(np.arange(counts.df.shape[0]), np.diff(counts.df.indptr))
    # entries of the sparse tables are found by (row, column) as one ascending number
    keys = rows * len(counts.classes) + counts.df.indices
    for g in range(len(grouped.groups)):
        group_pairs = np.flatnonzero(grouped.group_of_pair == g)
        membership = grouped.membership[group_pairs]
        changes: dict[str, Any] = {}
        for name, table in columns.items():
            group_table = table[:, group_pairs].tocsr()
            by_class = (group_table @ membership).tocoo()
            entries = by_class.row.astype(np.int64) * len(counts.classes) + by_class.col
            full = getattr(counts, name)
            data = full.data.copy()
            data[np.searchsorted(keys, entries)] -= by_class.data
            changes[name] = csr_array((data, full.indices, full.indptr), shape=full.shape)
            changes[f"term_{name}"] = getattr(counts, f"term_{name}") - group_table.sum(axis=1)
        sizes = pairs.class_sizes[group_pairs]
        changes["documents"] = counts.documents - sizes.sum().item()
        yield replace(counts, class_sizes=counts.class_sizes - sizes @ membership, **changes)


def expected_group_range(grouped: GroupedCounts) -> Array | None:
    """Return (terms,) the expected number of groups with each term if documents were grouped at random.

    A group of n of N documents lacks a term of document frequency df with probability
    C(N - n, df) / C(N, df). None for weighted counts.
    """
    df, sizes, n = grouped.pairs.term_df, grouped.group_sizes, grouped.pairs.documents
    if df.dtype.kind == "f" or sizes.dtype.kind == "f":
        return None
    distinct_df, df_index = np.unique(df, return_inverse=True)
    distinct_sizes, n_groups = np.unique(sizes, return_counts=True)
    free = n - distinct_df[:, None] - distinct_sizes
    logs = gammaln(n - distinct_sizes + 1) - gammaln(np.maximum(free, 0) + 1)
    logs = logs - (gammaln(n + 1) - gammaln(n - distinct_df + 1))[:, None]
    missing = np.where(free >= 0, np.exp(np.minimum(logs, 0.0)), 0.0)
    return np.asarray(((1 - missing) * n_groups).sum(axis=1)[df_index])


def explain_missing_significance(scores: Scores) -> str:
    """Return why scores have no p-values, and the remedy."""
    return (
        f"weighted documents have no exact test, so {scores.metric} has no significance; use counts without "
        "weights, or the permutation test of ts.score with documents"
    )


def dispersion_columns(grouped: GroupedCounts) -> dict[str, Array]:
    """Return the columns range, expected (not for weighted counts), dp and juilland_d of the terms."""
    measures, expected = dispersion(grouped.group_tf.T), expected_group_range(grouped)
    columns = {"range": grouped.range} | ({} if expected is None else {"expected": expected})
    return columns | {name: measures[name] for name in ("dp", "juilland_d")}


def dispersion(parts: Any) -> dict[str, Array]:
    """Return measures of dispersion of each term.

    Parameters
    ----------
    parts : matrix
        Occurrences (parts, terms). Parts without occurrences are left out.

    Returns
    -------
    dict of str to array
        range : number of parts that contain the term.
        dp : Gries' deviation of proportions, half the sum of abs(share of the term's occurrences - share of
            all occurrences) over the parts: 0 for a term spread like the corpus, near 1 for a term of one
            small part.
        dp_norm : dp divided by its maximum, 1 - the smallest share.
        juilland_d : 1 - V / sqrt(parts - 1), V the coefficient of variation of the relative frequencies: 1
            for an even term, 0 for a term of a single part.

        The last three are NaN for a term that does not occur, and juilland_d if there is a single part.

    Notes
    -----
    Gries (2008); Lijffijt and Gries (2012) for dp_norm; Juilland and Chang-Rodriguez (1964), with relative
    frequencies because parts differ in length.

    Examples
    --------
    >>> dispersion(np.array([[2, 4, 14], [2, 0, 18]]))["dp"].round(4)
    array([0.    , 0.5   , 0.0625])

    """
    rows = csr_array(parts).astype(np.float64)
    lengths = np.asarray(rows.sum(axis=1)).ravel()
    rows, lengths = rows[lengths > 0], lengths[lengths > 0]
    n_parts, shares = len(lengths), ratio(lengths, lengths.sum())
    totals = np.asarray(rows.sum(axis=0)).ravel()
    entry_rows = np.repeat(np.arange(n_parts), np.diff(rows.indptr))
    occurs = rows.data > 0
    terms, entry_rows, values = rows.indices[occurs], entry_rows[occurs], rows.data[occurs]

    def sum_by_term(entries: Array) -> Array:
        return np.bincount(terms, weights=entries, minlength=rows.shape[1])

    # a part without the term contributes its share of the corpus, and all shares add up to 1
    expected = shares[entry_rows]
    deviations = 1 + sum_by_term(np.abs(values / totals[terms] - expected) - expected)
    rates = values / lengths[entry_rows]
    means = sum_by_term(rates) / max(n_parts, 1)
    variances = np.maximum(sum_by_term(rates**2) / max(n_parts, 1) - means**2, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(variances) / means
        juilland = 1 - variation / np.sqrt(n_parts - 1) if n_parts > 1 else np.full(len(totals), np.nan)
    dp = np.where(totals > 0, np.maximum(deviations / 2, 0), np.nan)
    largest = 1 - shares.min(initial=1)
    return {
        "range": np.bincount(terms, minlength=rows.shape[1]),
        "dp": dp,
        "dp_norm": dp / largest if largest > 0 else dp,
        "juilland_d": np.where(totals > 0, np.clip(np.round(juilland, 15) + 0.0, 0, 1), np.nan),
    }
