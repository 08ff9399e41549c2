"""Analysis of the results of methods on many problems, as tables: Forman (2003), section 4."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, as_term_array
from termsift.evaluation import best_pairs, holm, method_differences, residual_wins, win_rates

Row: TypeAlias = dict[str, Any]
# upper ends of the bands
SKEW_BANDS = (5.0, 15.0, 67.0, np.inf)
POSITIVE_BANDS = (20.0, 50.0, 100.0, 500.0, np.inf)
MAX_LISTED = 20  # corpora in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """Results of methods on many problems, and their analysis as tables and a page.

    Parameters
    ----------
    rows : list of dict
        One run per row: problem, method, size, repeat, goal and value; documents and positives if known.
    tolerance : float, optional
        Largest gap to the best value of a problem with which a method still wins (default: 0.01, and 0.001
        for accuracy).
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.

    Examples
    --------
    >>> from termsift import benchmark
    >>> results = {"problem": [1, 1, 2, 2], "method": ["bns", "ig"] * 2, "f1": [0.9, 0.8, 0.6, 0.6]}
    >>> benchmark(results=results).win_shares.head(2)
    goal  tolerance  method  wins  share
    f1         0.01  bns        2      1
    f1         0.01  ig         1    0.5

    """

    rows: Sequence[Row]
    tolerance: float | None = None
    relative: bool = False

    def goal_tolerance(self, goal: str) -> float:
        """Return the tolerance of a goal.

        Parameters
        ----------
        goal : str
            Goal of the results.

        Returns
        -------
        float
            Largest gap to the best value with which a method still wins.

        """
        # rare classes compress the range of accuracy: Forman (2003), section 4.2
        default = 0.001 if goal == "accuracy" else 0.01
        return default if self.tolerance is None else self.tolerance

    @cached_property
    def best_over_sizes(self) -> Table:
        """Value of each method on each problem: the best over sizes, averaged over the repeats."""
        maxima: dict[tuple[str, str, str], dict[Any, float]] = defaultdict(dict)
        for row in self.rows:
            runs = maxima[row["goal"], row["problem"], row["method"]]
            runs[row["repeat"]] = max(row["value"], runs.get(row["repeat"], -np.inf))
        means = np.array([float(np.mean(list(runs.values()))) for runs in maxima.values()])
        columns = [*map(as_term_array, zip(*maxima, strict=True)), means]
        return Table(dict(zip(("goal", "problem", "method", "value"), columns, strict=True)))

    @property
    def goals(self) -> list[str]:
        """Goals in the order of the results."""
        return list(dict.fromkeys(self.best_over_sizes["goal"].tolist()))

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return len(set(self.best_over_sizes["problem"].tolist()))

    @cached_property
    def win_shares(self) -> Table:
        """Share of problems that each method wins, by goal and tolerance, best first."""
        tables = []
        for goal in self.goals:
            tolerance = self.goal_tolerance(goal)
            # 1 to 10 %, and multiples of a smaller tolerance, which suits goals of a small range
            steps = {n * step for n in range(1, 11) for step in (0.01, min(tolerance, 0.01))}
            tolerances = sorted({round(step, 12) for step in (*steps, tolerance)} - {0.0})
            tables.append(win_rates(self._best_for_goal(goal), tolerances or [0.0], relative=self.relative))
        return concat_tables(tables)

    @cached_property
    def wins(self) -> Table:
        """Share of problems that each method wins, by goal, best first."""
        return self._wins(self.best_over_sizes)

    @cached_property
    def residual_wins(self) -> Table:
        """For each goal, wins of the other methods on the problems that the best method does not win."""
        tables = []
        for goal in self.goals:
            runs = self._best_for_goal(goal)
            tolerance = self.goal_tolerance(goal)
            winner = next(iter(win_rates(runs, [tolerance], relative=self.relative)))["method"]
            wins = residual_wins(runs, winner, tolerance, relative=self.relative)
            tables.append(
                Table({"goal": wins["goal"], "first": as_term_array([winner] * len(wins)), **wins.columns})
            )
        return concat_tables(tables)

    @cached_property
    def best_pairs(self) -> Table:
        """Pair of methods that wins most problems, for each goal."""
        return concat_tables(
            [
                best_pairs(self._best_for_goal(goal), self.goal_tolerance(goal), relative=self.relative)
                for goal in self.goals
            ]
        )

    @cached_property
    def differences(self) -> Table:
        """Mean difference of each pair of methods over the problems, with Wilcoxon's p-value.

        adjusted : by Holm's method, over all pairs of a goal
        """
        tables = []
        for goal in self.goals:
            table = method_differences(self._best_for_goal(goal))
            tables.append(Table({**table.columns, "adjusted": holm(table["p"].tolist())}))
        return concat_tables(tables)

    @cached_property
    def by_size(self) -> Table:
        """Mean over the problems and repeats, by goal, method and number of terms."""
        values: dict[tuple[str, str, Any], list[float]] = defaultdict(list)
        for row in self.rows:
            values[row["goal"], row["method"], row["size"]].append(row["value"])
        means = np.array([float(np.mean(items)) for items in values.values()])
        columns = [*map(as_term_array, zip(*values, strict=True)), means]
        return Table(dict(zip(("goal", "method", "terms", "mean"), columns, strict=True)))

    @cached_property
    def by_skew(self) -> Table:
        """Results in bands of the skew: documents outside the class for each one in it."""
        return self._by_band("skew", SKEW_BANDS)

    @cached_property
    def by_positives(self) -> Table:
        """Results in bands of the number of documents in the class."""
        return self._by_band("positives", POSITIVE_BANDS)

    @property
    def answer(self) -> list[str]:
        """Main results in sentences."""
        problems = {row["problem"]: row.get("corpus") for row in self.rows}
        by_corpus = Counter(corpus for corpus in problems.values() if corpus)
        listed = ", ".join(f"{corpus} {number}" for corpus, number in by_corpus.items())
        n_methods = len(set(self.best_over_sizes["method"].tolist()))
        where = f" ({listed})" if 1 < len(by_corpus) <= MAX_LISTED else ""
        sentences = [f"{self.n_problems:,} problems{where}, {n_methods} methods."]
        for goal in self.goals:
            first, *others = (row for row in self.wins if row["goal"] == goal)
            tolerance = self.goal_tolerance(goal)
            unit = f"{tolerance:.3g}" if not self.relative else f"{100 * tolerance:.3g} %"
            sentence = f"{goal}: {first['method']} is within {unit} of the best on {first['share']:.0%}"
            if others:
                sentence += f", then {others[0]['method']} ({others[0]['share']:.0%})"
                pair = next(row for row in self.best_pairs if row["goal"] == goal)
                sentence += f"; best pair: {pair['method']} and {pair['other']} ({pair['share']:.0%})"
            sentences.append(sentence + ".")
        return sentences

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name; those of bands only if the sizes of the problems are known."""
        tables = {"chances": self.win_shares, "by_size": self.by_size}
        tables |= {"by_skew": self.by_skew, "by_positives": self.by_positives}
        if len(set(self.best_over_sizes["method"].tolist())) > 1:
            tables |= {"residual": self.residual_wins, "pairs": self.best_pairs}
            tables["differences"] = self.differences
        return {name: table for name, table in tables.items() if len(table)}

    def to_html(self, title: str = "Benchmark") -> str:
        """Return tables and figures as one HTML page that opens offline.

        Parameters
        ----------
        title : str, default "Benchmark"
            Heading of the page.

        Returns
        -------
        str
            The page.

        """
        from termsift.compare.problem_page import render_benchmark_page

        return render_benchmark_page(self, title)

    def to_json(self) -> str:
        """Return all tables as one JSON object.

        Returns
        -------
        str
            JSON with the answer and every table.

        """
        answer = json.dumps(self.answer, ensure_ascii=False)
        texts = {"problems": json.dumps(self.n_problems), "answer": answer}
        texts |= {
            name: table.to_json() for name, table in {**self.tables, "best": self.best_over_sizes}.items()
        }
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {text}" for name, text in texts.items()) + "\n}"

    def __repr__(self) -> str:
        return "\n".join([*self.answer, "", format_table(self.wins)])

    def _wins(self, best: Table) -> Table:
        """Return the share of problems that each method wins, with the tolerance of each goal."""
        tables = []
        for goal in self.goals:
            runs = best[np.flatnonzero(best["goal"] == goal)]
            if len(runs):
                tables.append(win_rates(runs, [self.goal_tolerance(goal)], relative=self.relative))
        return concat_tables(tables)

    def _best_for_goal(self, goal: str) -> Table:
        """Return the best values for a goal."""
        return self.best_over_sizes[np.flatnonzero(self.best_over_sizes["goal"] == goal)]

    def _by_band(self, name: str, upper_bounds: Sequence[float]) -> Table:
        """Return for each goal, band and method the problems, the mean, and the share that it wins."""
        sizes = {r["problem"]: (r["documents"], r["positives"]) for r in self.rows if r["positives"]}
        numbers = {
            problem: (documents - positives) / positives if name == "skew" else positives
            for problem, (documents, positives) in sizes.items()
        }
        rows: list[Row] = []
        for low, high in zip((0.0, *upper_bounds), upper_bounds, strict=False):
            inside = {problem for problem, number in numbers.items() if low < number <= high}
            kept = np.array(
                [problem in inside for problem in self.best_over_sizes["problem"].tolist()], dtype=bool
            )
            if not kept.any():
                continue
            runs = self.best_over_sizes[kept]
            band = f"above {low:g}" if np.isinf(high) else f"{low:g} to {high:g}"
            for win in self._wins(runs):
                of_method = (runs["method"] == win["method"]) & (runs["goal"] == win["goal"])
                row = {"goal": win["goal"], name: band, "problems": len(inside), "method": win["method"]}
                rows.append(row | {"mean": float(runs["value"][of_method].mean()), "share": win["share"]})
        columns = ("goal", name, "problems", "method", "mean", "share")
        return Table({column: column_array([row[column] for row in rows]) for column in columns})


def concat_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, which have the same columns."""
    return Table({name: np.concatenate([table[name] for table in tables]) for name in tables[0].columns})


def column_array(values: list[Any]) -> Array:
    """Return a column of numbers or of texts."""
    is_numeric = bool(values) and all(isinstance(value, int | float) for value in values)
    return np.array(values) if is_numeric else as_term_array(values)
