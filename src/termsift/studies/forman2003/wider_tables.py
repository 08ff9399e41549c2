"""Which metric to choose for which goal, skew, size and classifier; and what the side studies say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from termsift.studies.forman2003.outcomes import GOALS, FormanOutcomes, forman_outcomes
from termsift.studies.forman2003.trials import ALL, SIZES
from termsift.studies.lines import Line, Lines, line_tables, stated
from termsift.studies.study import Row
from termsift.tables import Table

SUBSETS = ("all", "low skew", "high skew")


def choice_tables(rows: list[Row], methods: Sequence[str]) -> dict[str, Table]:
    """The averages of every method, and the best for each goal, skew and size."""
    by_classifier = {
        name: forman_outcomes([row | {"trial": 0} for row in rows if row["classifier"] == name], methods)
        for name in dict.fromkeys(row["classifier"] for row in rows)
    }
    averages = [
        {"classifier": name} | line
        for name, found in by_classifier.items()
        for line in average_lines(found, methods)
    ]
    chosen = [
        line for name, found in by_classifier.items() for line in best_method_lines(found, name, methods)
    ]
    return line_tables({"averages": averages, "summary": chosen})


def average_lines(found: FormanOutcomes, methods: Sequence[str]) -> Iterator[Line]:
    """Macro-averages over the problems of a group, by method and size: figures 4, 5, 7, 8 and 14 to 17."""
    for subset in SUBSETS:
        if found.subset(subset).any():
            for goal in GOALS:
                common = {"problems": subset, "goal": goal}
                everything = round(found.macro_of_all_terms(goal, subset), 5)
                yield common | {"metric": ALL, "size": ALL, "value": everything}
                for method, values in zip(methods, found.macro(goal, subset).round(5).tolist(), strict=True):
                    for size, value in zip(SIZES.tolist(), values, strict=True):
                        yield common | {"metric": method, "size": size, "value": value}


def best_method_lines(found: FormanOutcomes, classifier: str, methods: Sequence[str]) -> Iterator[Line]:
    """The three best methods for each goal, skew and size, and what all terms give."""
    for subset in SUBSETS:
        if not found.subset(subset).any():
            continue
        for goal in GOALS:
            macro = found.macro(goal, subset)
            for s, size in enumerate(SIZES.tolist()):
                order = np.argsort(-macro[:, s], kind="stable")[:3].tolist()
                named = {"classifier": classifier, "goal": goal, "problems": subset, "size": size}
                places = {
                    place: f"{methods[m]} {macro[m, s]:.3f}"
                    for place, m in zip(("first", "second", "third"), order, strict=True)
                }
                yield named | places | {"all terms": round(found.macro_of_all_terms(goal, subset), 3)}


def side_tables(rows: list[Row]) -> dict[str, Table]:
    """Averages by the weight of positive terms, and by the cutoff of rare words."""
    weights = [row | {"trial": 0} for row in rows if row["cutoff"] == ""]
    names = list(dict.fromkeys(row["metric"] for row in weights if row["metric"] != ALL))
    found = forman_outcomes(weights, names)
    alpha = [
        {"alpha": float(name.split()[1]), "goal": goal, "size": size, "value": round(value, 5)}
        for goal in GOALS
        for name, values in zip(names, found.macro(goal).tolist(), strict=True)
        for size, value in zip(SIZES.tolist(), values, strict=True)
    ]
    at = SIZES.tolist().index(1000)
    cutoffs = []
    for cutoff in dict.fromkeys(row["cutoff"] for row in rows if row["cutoff"] != ""):
        own = forman_outcomes([row | {"trial": 0} for row in rows if row["cutoff"] == cutoff], ["bns"])
        values = {goal: round(float(own.macro(goal)[0, at]), 5) for goal in GOALS}
        cutoffs.append({"cutoff": int(cutoff), "size": 1000} | values)
    said = [*weight_statements(alpha), *cutoff_statements(cutoffs)]
    return line_tables({"alpha": alpha, "cutoffs": cutoffs, "summary": said})


def weight_statements(lines: Lines) -> Iterator[Line]:
    """What section 5 says of the weight of positive terms."""
    where, value = "section 5", {(row["alpha"], row["goal"], row["size"]): row["value"] for row in lines}
    best = {alpha: 0.0 for alpha, *_ in value}
    for (alpha, goal, _), reached in value.items():
        best[alpha] = max(best[alpha], reached) if goal == "f1" else best[alpha]

    def both(alpha: float, goal: str, size: int) -> tuple[float, float]:
        return value[alpha, goal, size], value[0.5, goal, size]

    gain, loss = both(0.6, "precision", 50), both(0.6, "recall", 1000)
    figure = "precision at 50: {:.3f} ({:.3f} unweighted); recall at 1000: {:.3f} ({:.3f})"
    what = "alpha .6 is precise with few terms, and loses recall against unweighted BNS"
    yield stated(where, what, figure.format(*gain, *loss), [gain[0] > gain[1], loss[0] < loss[1]])
    gain, loss = both(0.4, "recall", 1000), both(0.4, "precision", 1000)
    figure = "recall at 1000: {:.3f} ({:.3f} unweighted); precision: {:.3f} ({:.3f})"
    what = "alpha .4 has the higher recall with many terms, at the cost of precision"
    yield stated(where, what, figure.format(*gain, *loss), [gain[0] > gain[1], loss[0] < loss[1]])
    figure = ", ".join(f"{alpha}: {f1:.3f}" for alpha, f1 in best.items())
    yield stated(where, "alpha .1 defeats the classifier", figure, [best[0.1] == min(best.values())])
    yield stated(where, "F is best with the two in balance", figure, [best[0.5] == max(best.values())])


def cutoff_statements(lines: Lines) -> Iterator[Line]:
    """What section 5 says of rare words."""
    figures = {
        goal: ", ".join(f"{row['cutoff']}: {row[goal]:.3f}" for row in lines)
        for goal in ("f1", "precision", "accuracy", "recall")
    }
    for goal in ("f1", "precision", "accuracy"):
        values = [row[goal] for row in lines]
        falls = all(later <= earlier for earlier, later in pairwise(values))
        what = f"{goal} falls as the cutoff of rare words rises"
        yield stated("section 5", what, figures[goal], [values[-1] < values[0], falls])
    most = max(lines, key=lambda row: float(row["recall"]))
    what = "recall rises a little up to a cutoff of about ten, then falls"
    parts = [3 < most["cutoff"] <= 10, lines[-1]["recall"] < lines[0]["recall"]]
    yield stated("section 5", what, figures["recall"], parts)
