"""Intervals of scores by leaving out one group after the other, and how terms are spread over the groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln, stdtrit

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import Counts, GroupedCounts, blocks, check_groups
from termsift.metrics.catalogue import AnyMetric
from termsift.metrics.scores import Scores, metric_with_options, score, table

FEWEST = 10  # groups, below which their spread says too little


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Jackknife:
    """Scores with intervals: the range of scores to expect in other groups.

    scores : scores over all documents
    signed : the same scores, negative for terms that speak against a class
    error : standard error of the signed scores, or of their roots if the metric is a square
    low, high : ends of the intervals of the signed scores
    range, expected : number of groups that contain each term, and the number expected if documents were
        assigned to groups at random

    >>> from termsift import count

    >>> from termsift import jackknife
    >>> texts = ["free prize", "lunch today"] * 10
    >>> grouped = count(texts, ["spam", "ham"] * 10, groups=[i // 2 for i in range(20)])
    >>> found = jackknife(grouped, "acc2").top("spam", 1)
    >>> found["score"], found["low"], found["high"], found["range"], found["expected"].round(3)
    (array([1.]), array([1.]), array([1.]), array([10]), array([7.632]))
    """

    scores: Scores
    signed: Array
    error: Array
    low: Array
    high: Array
    range: Array
    expected: Array | None

    @property
    def values(self) -> Array:
        """The signed scores."""
        return self.signed

    def top(self, name: object = None, n: int = 10, *, side: str = "both") -> Table:
        """The table of `Scores.top` with signed scores, low, high, range and expected."""
        return self._with_intervals(self.scores.top(name, n, side=side))

    def table(self) -> Table:
        """A row for each term and class, as in `Scores.table`, with low, high, range and expected."""
        return self._with_intervals(self.scores.table())

    def _with_intervals(self, table: Table) -> Table:
        place = {term: i for i, term in enumerate(self.scores.terms)}
        rows = np.array([place[term] for term in table["term"]], dtype=np.intp)
        at: Any = rows
        if self.signed.ndim == 2:
            column = {name: c for c, name in enumerate(self.scores.classes)}
            at = rows, np.array([column[name] for name in table["class"]], dtype=np.intp)
        more = {"score": self.signed[at], "low": self.low[at], "high": self.high[at]}
        more["range"] = self.range[rows]
        more |= {} if self.expected is None else {"expected": self.expected[rows]}
        # the interval is that of the score, not that of an effect
        own = {
            name: column for name, column in table.columns.items() if name not in ("effect", "low", "high")
        }
        return Table(own | more)

    def __repr__(self) -> str:
        return f"Jackknife({self.scores!r})"


def jackknife(grouped: GroupedCounts, metric: AnyMetric, *, level: float = 0.95, **options: Any) -> Jackknife:
    """Intervals for any metric by the delete-a-group jackknife.

    se^2 = (G - 1)/G sum (s_(-g) - mean)^2 over the G groups, where s_(-g) is the signed score without group
    g. The intervals use Student's t with G - 1 degrees of freedom. At least 10 groups are needed.
    A metric that grows as the square of a difference, such as ig or chi2, is flat for terms that say little
    about the class, so its spread is no guide there. Then s is the signed root, and the ends are squared.

    Parameters
    ----------
    grouped : GroupedCounts, as returned by `ts.count` with groups
    metric : as for `ts.score`
    level : the probability that an interval contains the score over all possible groups
    options : options of the metric

    >>> from termsift import count
    >>> texts = ["free prize", "lunch today"] * 10
    >>> grouped = count(texts, ["spam", "ham"] * 10, groups=[i // 2 for i in range(20)])
    >>> list(jackknife(grouped, "bns").top("spam", 1, side="for")["term"])
    ['free']

    """
    check_jackknife(grouped, level)
    scores = score(grouped, metric, **options)
    signed = signed_values(scores)
    is_square = metric_with_options(metric)[0].squared
    whole, n = signed_root(signed) if is_square else signed, len(grouped.groups)
    # sums of differences from the whole, which are small
    total, squares = np.zeros(whole.shape), np.zeros(whole.shape)
    for part in deleted_scores(grouped, metric, options):
        difference = (signed_root(part) if is_square else part) - whole
        total += difference
        squares += difference**2
    error = np.sqrt((n - 1) / n * np.maximum(squares - total**2 / n, 0.0))
    reach = stdtrit(n - 1, (1 + level) / 2) * error
    low, high = (signed_square(end) if is_square else end for end in (whole - reach, whole + reach))
    return Jackknife(scores, signed, error, low, high, grouped.range, expected_range(grouped))


def check_jackknife(grouped: object, level: object) -> None:
    """An error for what is not grouped counts, for too few groups, and for a level that is no share."""
    if not isinstance(grouped, GroupedCounts):
        kind = type(grouped).__name__
        raise InvalidInputError(f"an interval needs GroupedCounts, got {kind}; count with groups=")
    if isinstance(level, bool) or not isinstance(level, float | np.floating) or not 0 < level < 1:
        raise InvalidInputError(f"level must be a share between 0 and 1, such as 0.95, got {level!r}")
    check_groups(grouped, FEWEST, "for an interval")


def signed_root(values: Array) -> Array:
    """The root of each size, with its sign."""
    return np.sign(values) * np.sqrt(np.abs(values))


def signed_square(values: Array) -> Array:
    """The square of each size, with its sign."""
    return values * np.abs(values)


def signed_values(scores: Scores) -> Array:
    """The scores; of two sides those of terms that speak against a class below 0."""
    if scores.values.ndim == 1 or scores.sided != 2:
        return scores.values
    return scores.signs * np.abs(scores.values)


def deleted_scores(grouped: GroupedCounts, metric: AnyMetric, options: dict[str, Any]) -> Iterator[Array]:
    """The signed scores without each group in turn."""
    line, written = metric_with_options(metric)
    options = written | options
    if line.strata is not None:
        for g in range(len(grouped.groups)):
            yield line.strata(without_group(grouped, g))
        return
    sided = 1 if options.get("signed") else line.sided
    for counts in deleted_counts(grouped):
        values = table(counts, line, options, None, blocks(counts))
        yield signed_values(Scores(values, counts, line.name, sided, of=line.counted(options)))


def without_group(grouped: GroupedCounts, g: int) -> GroupedCounts:
    """The counts by class and group of documents outside one group; classes, terms and groups stay."""
    pairs, own = grouped.pairs, grouped.group_of_pair == g
    tables = {}
    for name in ("df", "tf", "tf2"):
        kept = getattr(pairs, name).copy()
        kept.data = np.where(own[kept.indices], 0, kept.data)
        tables[name] = kept
        tables[f"term_{name}"] = kept.sum(axis=1)
    sizes = np.where(own, 0, pairs.class_sizes)
    return GroupedCounts(replace(pairs, documents=sizes.sum().item(), class_sizes=sizes, **tables))


def deleted_counts(grouped: GroupedCounts) -> Iterator[Counts]:
    """The counts without each group in turn: those of all, less the group's own."""
    whole, pairs = grouped.counts, grouped.pairs
    by_group = [np.flatnonzero(grouped.group_of_pair == g) for g in range(len(grouped.groups))]
    columns = {name: getattr(pairs, name).tocsc() for name in ("df", "tf", "tf2")}
    rows = np.repeat(np.arange(whole.df.shape[0]), np.diff(whole.df.indptr))
    keys = rows * len(whole.classes) + whole.df.indices
    for own in by_group:
        membership, parts = grouped.membership[own], {}
        for name, table_of_pairs in columns.items():
            part = table_of_pairs[:, own].tocsr()
            by_class = (part @ membership).tocoo()
            data = getattr(whole, name).data.copy()
            at = np.searchsorted(keys, by_class.row.astype(np.int64) * len(whole.classes) + by_class.col)
            data[at] -= by_class.data
            parts[name] = replace_data(getattr(whole, name), data)
            parts[f"term_{name}"] = getattr(whole, f"term_{name}") - part.sum(axis=1)
        sizes = pairs.class_sizes[own]
        rest = {"documents": whole.documents - sizes.sum().item()}
        yield replace(whole, class_sizes=whole.class_sizes - sizes @ membership, **rest, **parts)


def replace_data(like: Any, data: Array) -> Any:
    """A sparse table of the same places."""
    copy = like.copy()
    copy.data = data
    return copy


def expected_range(grouped: GroupedCounts) -> Array | None:
    """(terms,) the groups that would hold each term if its documents fell into groups by chance.

    A group of n of N documents holds none of df with the chance C(N - n, df) / C(N, df). None of weights.
    """
    df, sizes, n = grouped.pairs.term_df, grouped.group_sizes, grouped.pairs.documents
    if df.dtype.kind == "f" or sizes.dtype.kind == "f":
        return None
    held, place = np.unique(df, return_inverse=True)
    different, times = np.unique(sizes, return_counts=True)
    free = n - held[:, None] - different
    logs = gammaln(n - different + 1) - gammaln(np.maximum(free, 0) + 1)
    logs = logs - (gammaln(n + 1) - gammaln(n - held + 1))[:, None]
    missing = np.where(free >= 0, np.exp(np.minimum(logs, 0.0)), 0.0)
    expected: Array = ((1 - missing) * times).sum(axis=1)[place]
    return expected
