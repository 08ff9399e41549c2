"""Every method against every other, over the problems of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Unpack

from termsift._typing import Array
from termsift.evaluation.reached import reached, several, table_of
from termsift.evaluation.results import Names, runs_of
from termsift.evaluation.significance import Significance, wilcoxon
from termsift.tables import Table


def differences(
    results: Any, test: Callable[[Array, Array], Significance] = wilcoxon, **names: Unpack[Names]
) -> Table:
    """A test of each pair of methods over the problems, by goal, in the order of the names.

    results, names : as of `chances`; with sizes, each method has its best one
    test : `wilcoxon`, `paired_t`, or any function from two arrays of the same problems to a Significance

    difference : the mean of method less other. p is that of one test alone, of the many there are.

    >>> runs = {"problem": [1, 1, 2, 2, 3, 3], "method": ["bns", "ig"] * 3,
    ...         "value": [0.9, 0.8, 0.7, 0.5, 0.6, 0.3]}
    >>> differences(runs)
    method  other  difference  statistic     p
    bns     ig            0.2          0  0.25
    """
    found = several(reached(runs_of(results, **names)))
    rows: list[tuple[Any, ...]] = []
    for goal, values in zip(found.goals, found.values, strict=True):
        for (method, a), (other, b) in combinations(zip(found.methods, values.T, strict=True), 2):
            result = test(a, b)
            rows.append((goal, method, other, float((a - b).mean()), result.statistic, result.p_value))
    return table_of(("goal", "method", "other", "difference", "statistic", "p"), rows)
