"""Beyond the paper: every metric and two policies, with three classifiers.

A trial less than the paper's five is enough here: the question is which metric to choose, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from termsift import metrics
from termsift._typing import Array
from termsift.counts import Counts
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
from termsift.studies.forman2003.problems import loaded_set, rows_of_words
from termsift.studies.forman2003.trials import ALL, GOALS, MOST, SIZES, class_order, problem_rows
from termsift.studies.study import Line, Row, line_tables
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


def every_method() -> dict[str, Method]:
    """Every metric of the catalogue, one-sided ones also with halves of both sides, and classes in turns."""
    found = {metric.name: Method(metric) for metric in metrics()}
    halves = {f"{m.name} +/-": Method(m, PositiveNegative()) for m in metrics() if m.sided == 1}
    return found | halves | {"bns in turns": method_from("bns:turns")}


def rows_of_every_method(data_dir: Path | None, name: str, classifier: str) -> list[Row]:
    """The rows of a set with a classifier: every method."""
    rows = wider_rows(loaded_set(name, data_dir)[0], every_method(), classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def wider_rows(
    documents: Documents, methods: Mapping[str, Method], classifier: str, *, every: bool = True
) -> Iterator[Row]:
    """The rows of every class, method and size with a classifier, and of all terms, if asked for."""
    rankings = partial(method_rankings, methods)
    for row in problem_rows(documents, 0, rankings, PILOT[classifier], every=every):
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
    """The averages of every method, and the best for each goal, skew and size; also by the reduced words."""
    averages, chosen, reduced = [], [], []
    for name in dict.fromkeys(row["classifier"] for row in rows):
        own = [row for row in rows if row["classifier"] == name]
        found, by_fewer = (
            forman_outcomes(rows_of_words(own, reduced=fewer), methods) for fewer in (False, True)
        )
        averages += [{"classifier": name} | line for line in average_lines(found)]
        chosen += [{"classifier": name} | line for line in best_method_lines(found)]
        reduced += [{"classifier": name} | line for line in best_method_lines(by_fewer)]
    return line_tables({"averages": averages, "summary": chosen, "reduced_words": reduced})


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
