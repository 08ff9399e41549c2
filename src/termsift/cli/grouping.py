"""Scores of documents in groups: with intervals over the groups, or within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import termsift as ts
from termsift._typing import Array
from termsift.cli.ending import say
from termsift.errors import InvalidInput
from termsift.groups import GroupedCounts, check_groups
from termsift.scores import Scores
from termsift.scores.words import FOR_READING
from termsift.scoring import metric_with_options
from termsift.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Scores of too few groups for intervals: with the range of each term alone."""

    scores: Scores
    grouped: GroupedCounts

    @property
    def values(self) -> Array:
        """The scores."""
        return self.scores.values

    def top(self, name: object = None, n: int = 10, *, side: str = "both") -> Table:
        """The table of `Scores.top`, with range and expected."""
        from termsift.group_intervals import expected_range

        table = self.scores.top(name, n, side=side)
        place = {term: i for i, term in enumerate(self.scores.terms)}
        rows = np.array([place[term] for term in table["term"]], dtype=np.intp)
        expected = expected_range(self.grouped)
        more = {} if expected is None else {"expected": expected[rows]}
        return Table(dict(table.columns) | {"range": self.grouped.range[rows]} | more)


def grouped_scores(grouped: GroupedCounts, name: str, controlled: bool) -> Any:
    """The scores of a metric within the groups, or with intervals over them, or with ranges where few."""
    from termsift.group_intervals import FEWEST

    line, options = metric_with_options(name)
    options = options | ({"per_class": True} if line.summed else {})
    if controlled:
        if line.strata is None:
            raise InvalidInput(f"{name} holds no column fixed; with --control a metric is cmh or mh_odds")
        return ts.score(grouped, line, **options)
    check_groups(grouped, 2, "to see how terms are spread")
    if len(grouped.groups) < FEWEST:
        say(f"termsift: no intervals: there are {len(grouped.groups)} groups, and they need {FEWEST}")
        return Spread(ts.score(grouped.counts, line, **options), grouped)
    return ts.jackknife(grouped, line, **options)


def metrics_without(control: str | None) -> list[str]:
    """The metric where none is given."""
    return [FOR_READING] if control is None else ["cmh"]


def one_of(group: str | None, control: str | None) -> str:
    """The column that is given; an error where both are."""
    if group is not None and control is not None:
        raise InvalidInput("give one of --group, which shows intervals, and --control, which holds it fixed")
    return str(control if group is None else group)
