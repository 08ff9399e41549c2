"""Beyond the paper: every metric and two policies, with three classifiers; and the paper's side studies.

A trial less than the paper's five is enough here: the question is which metric to choose, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from termsift import metrics
from termsift._typing import Array
from termsift.counts import Counts
from termsift.evaluation import paired_t
from termsift.experiment.classifiers import Classifier
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.classifiers.linear import BINARY_SVM, BinaryLogistic
from termsift.experiment.classifiers.other import Other
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.methods import Method, method_from
from termsift.policies import PositiveNegative
from termsift.ranking import Ranking
from termsift.scoring import score
from termsift.studies.forman2003.outcomes import FormanOutcomes, forman_outcomes
from termsift.studies.forman2003.problems import loaded_set
from termsift.studies.forman2003.statements import LEVEL
from termsift.studies.forman2003.trials import ALL, GOALS, MOST, SIZES, class_order, problem_rows
from termsift.studies.study import Line, Lines, Row, line_tables, stated
from termsift.tables import Table

WIDER_COLUMNS = ("set", "class", "documents", "positive", "classifier", "cutoff", "metric", "size", *GOALS)
CLASSIFIERS: dict[str, Classifier] = {
    "SVM": BINARY_SVM,
    "NB": Bayes(),
    "LR": BinaryLogistic(penalty=1.0, tolerance=0.1),
}
# what C4.5 has in common with scikit-learn's tree: splits by entropy, two documents at least in a leaf
TREE = Other("tree", DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0))
PILOT = CLASSIFIERS | {"tree": TREE}
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BALANCE = 0.5
CUTOFFS = (1, 3, 5, 10, 15, 20, 25)


def every_method() -> dict[str, Method]:
    """Every metric of the catalogue, one-sided ones also with halves of both sides, and classes in turns."""
    found = {metric.name: Method(metric) for metric in metrics()}
    halves = {f"{m.name} +/-": Method(m, PositiveNegative()) for m in metrics() if m.sided == 1}
    return found | halves | {"bns in turns": method_from("bns:turns")}


def weighted_methods() -> dict[str, Method]:
    """BNS with more or less weight on positive terms: figure 22."""
    return {f"bns {alpha}": method_from(f"bns:SignWeighted({alpha=})") for alpha in ALPHAS}


def rows_of_every_method(data_dir: Path | None, name: str, classifier: str) -> list[Row]:
    """The rows of a set with a classifier: every method."""
    rows = wider_rows(loaded_set(name, data_dir)[0], every_method(), classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def rows_of_sides(data_dir: Path | None, name: str) -> list[Row]:
    """The rows of a set: weights of positive terms, and BNS without rare words."""
    documents = loaded_set(name, data_dir)[0]
    rows = [row | {"cutoff": ""} for row in wider_rows(documents, weighted_methods(), "SVM")]
    occurrences = documents.rows.sum(axis=0)
    for cutoff in CUTOFFS:
        kept = documents.keep(np.flatnonzero(occurrences >= cutoff))
        rows += [row | {"cutoff": cutoff} for row in wider_rows(kept, {"bns": method_from("bns")}, "SVM")]
    return [row | {"set": name} for row in rows]


def wider_rows(documents: Documents, methods: Mapping[str, Method], classifier: str) -> Iterator[Row]:
    """The rows of every class, method and size with a classifier."""
    rankings = partial(method_rankings, methods)
    for row in problem_rows(documents, 0, rankings, PILOT[classifier]):
        yield row | {"classifier": classifier}


def method_rankings(methods: Mapping[str, Method], fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """The rankings of methods, which see two classes in every problem: the class and the rest."""
    problems = [
        Documents(fold.train.rows, as_labels(truth), fold.train.terms).counts for truth in fold.train.truth.T
    ]
    for name, method in methods.items():
        orders = tuple(problem_order(method, counts) for counts in problems)
        yield name, Ranking(orders, local=True)


def problem_order(method: Method, counts: Counts) -> Array:
    """The best terms of a problem: as the policy has it for two classes, or by the scores of the class."""
    if method.policy.by_class:
        return method.ranking(counts, MOST).orders[0]
    return class_order(score(counts, method.metric, **dict(method.options)), True)


def choice_tables(rows: list[Row], methods: Sequence[str]) -> dict[str, Table]:
    """The averages of every method, and the best for each goal, skew and size."""
    averages, chosen = [], []
    for name in dict.fromkeys(row["classifier"] for row in rows):
        found = forman_outcomes([row for row in rows if row["classifier"] == name], methods)
        averages += [{"classifier": name} | line for line in average_lines(found)]
        chosen += [{"classifier": name} | line for line in best_method_lines(found)]
    return line_tables({"averages": averages, "summary": chosen})


def average_lines(found: FormanOutcomes) -> Iterator[Line]:
    """Macro-averages over the problems of a group, by method and size: figures 4, 5, 7, 8 and 14 to 17."""
    for subset, goal in product(found.groups, GOALS):
        common = {"problems": subset, "goal": goal}
        everything = round(found.macro_of_all_terms(goal, subset), 5)
        yield common | {"metric": ALL, "size": ALL, "value": everything}
        for method, values in zip(found.methods, found.macro(goal, subset).round(5).tolist(), strict=True):
            for size, value in zip(SIZES.tolist(), values, strict=True):
                yield common | {"metric": method, "size": size, "value": value}


def best_method_lines(found: FormanOutcomes) -> Iterator[Line]:
    """The three best methods for each goal, skew and size, and what all terms give."""
    for subset, goal in product(found.groups, GOALS):
        macro, everything = found.macro(goal, subset), round(found.macro_of_all_terms(goal, subset), 3)
        for size, values in zip(SIZES.tolist(), macro.T, strict=True):
            order = np.argsort(-values, kind="stable")[:3].tolist()
            best = [f"{found.methods[m]} {values[m]:.3f}" for m in order]
            places = dict(zip(("first", "second", "third"), best, strict=True))
            yield {"goal": goal, "problems": subset, "size": size} | places | {"all terms": everything}


def side_tables(rows: list[Row]) -> dict[str, Table]:
    """Averages by the weight of positive terms, and by the cutoff of rare words."""
    weights = [row for row in rows if row["cutoff"] == ""]
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
        own = forman_outcomes([row for row in rows if row["cutoff"] == cutoff], ["bns"])
        values = {goal: round(float(own.macro(goal)[0, at]), 5) for goal in GOALS}
        cutoffs.append({"cutoff": int(cutoff), "size": 1000} | values)
    said = [*weight_statements(alpha), balance_statement(found), *cutoff_statements(cutoffs)]
    return line_tables({"alpha": alpha, "cutoffs": cutoffs, "summary": said})


def weight_statements(lines: Lines) -> Iterator[Line]:
    """What section 5 says of the weight of positive terms."""
    where, value = "section 5", {(row["alpha"], row["goal"], row["size"]): row["value"] for row in lines}
    best = {alpha: 0.0 for alpha, *_ in value}
    for (alpha, goal, _), reached in value.items():
        best[alpha] = max(best[alpha], reached) if goal == "f1" else best[alpha]

    def both(alpha: float, goal: str, size: int) -> tuple[float, float]:
        return value[alpha, goal, size], value[BALANCE, goal, size]

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


def balance_statement(found: FormanOutcomes) -> Line:
    """Section 5 and figure 22: unweighted BNS is best; in part where what leads is not above it for sure."""
    best, plain = found.best("f1"), f"bns {BALANCE}"
    top = max(best, key=lambda name: best[name])
    figure = ", ".join(f"{name.split()[1]}: {f1:.3f}" for name, f1 in best.items())
    p = 1.0
    if top != plain:
        above, own = (found.runs(name, "f1", found.best_size(name, "f1")).ravel() for name in (top, plain))
        p = paired_t(above, own, alternative="greater").p_value
        figure += f"; p {p:.2g} that {top.split()[1]} is above {BALANCE}"
    return stated("section 5", "F is best with the two in balance", figure, [top == plain, p >= LEVEL])


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
