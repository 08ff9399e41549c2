"""Extension of the paper: every metric and two policies with three classifiers; the pilot study.

One trial suffices, fewer than the paper's five: the question is which metric to choose, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from termsift import metrics
from termsift._internal.ranking import Ranking
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import Counts, as_labels
from termsift.engines import Documents
from termsift.evaluation import Fold
from termsift.evaluation.classifiers import (
    BinaryLogistic,
    Classifier,
    MultinomialNaiveBayes,
    SklearnClassifier,
)
from termsift.metrics import score
from termsift.selection import Method, PositiveNegative, parse_method
from termsift_studies.forman2003.trials import (
    ALL,
    GOALS,
    MOST,
    SIZES,
    FormanOutcomes,
    class_order,
    forman_outcomes,
    load_set,
    problem_rows,
    select_vocabulary,
)
from termsift_studies.study import Line, Row, build_tables, check
from termsift_studies.svm import BINARY_SVM

WIDER_COLUMNS = ("set", "class", "documents", "positive", "classifier", "cutoff", "metric", "size", *GOALS)
CLASSIFIERS: dict[str, Classifier] = {
    "SVM": BINARY_SVM,
    "NB": MultinomialNaiveBayes(),
    "LR": BinaryLogistic(penalty=1.0, tolerance=0.1),
}
# what C4.5 has in common with scikit-learn's tree: splits by entropy, two documents at least in a leaf
C45_LIKE = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
# listed, so that a metric added to the catalogue does not change published results
METRICS = (
    "df", "tf", "rand", "acc", "acc2", "bns", "chi2", "chi2_joint", "chi2_all", "f1", "ig", "oddn", "odds",
    "pow", "pr", "sig", "cc", "or", "ors", "gss", "mi", "cet", "ig_member", "ig_all", "fisher_score",
    "bss_wss", "gu", "md", "md_chi2", "dfs", "ndm", "mmr", "g2", "cpd", "log_odds_prior", "rf", "igm",
    "hypergeometric", "c_tf_idf", "log_ratio", "lrc", "rate_difference", "bic", "simple_maths",
    "cmh", "mh_odds",
)  # fmt: skip
PILOT = CLASSIFIERS | {"tree": SklearnClassifier("tree", C45_LIKE)}


def every_method() -> dict[str, Method]:
    """Return the metrics, one-sided ones also with equal halves (+/-), and round-robin BNS."""
    studied = [metrics()[name] for name in METRICS]
    plain = {metric.name: Method(metric) for metric in studied}
    halves = {f"{m.name} +/-": Method(m, PositiveNegative()) for m in studied if m.sided == 1}
    return plain | halves | {"bns round_robin": parse_method("bns:round_robin")}


def every_method_rows(data_dir: Path | None, name: str, classifier: str) -> list[Row]:
    """Return the rows of a set with a classifier and every method."""
    rows = wider_rows(load_set(name, data_dir)[0], every_method(), classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def wider_rows(
    documents: Documents, methods: Mapping[str, Method], classifier: str, *, every: bool = True
) -> Iterator[Row]:
    """Yield the rows of every class, method and size with a classifier, and optionally of all terms."""
    rankings = partial(method_rankings, methods)
    for row in problem_rows(documents, 0, rankings, PILOT[classifier], every=every):
        yield row | {"classifier": classifier}


def method_rankings(methods: Mapping[str, Method], fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """Yield the rankings of methods, in a two-class problem (the class against the rest) for each class."""
    train = fold.train
    problems = [Documents(train.rows, as_labels(truth), train.terms).counts for truth in train.truth.T]
    for name, method in methods.items():
        orders = tuple(problem_order(method, counts) for counts in problems)
        yield name, Ranking(orders, local=True)


def problem_order(method: Method, counts: Counts) -> Array:
    """Return the best terms of a problem, by the policy for two classes or by the scores of the class."""
    # a policy that depends on signs is applied to the two-class problem as a whole
    if method.policy.by_class:
        return method.ranking(counts, MOST).orders[0]
    return class_order(score(counts, method.metric, **dict(method.options)), True)


def tabulate_choices(rows: list[Row], methods: Sequence[str]) -> dict[str, Table]:
    """Build tables of the averages of every method and the best method by goal, skew and size."""
    averages, chosen, reduced = [], [], []
    for name in dict.fromkeys(row["classifier"] for row in rows):
        classifier_rows = [row for row in rows if row["classifier"] == name]
        outcomes, by_fewer = (
            forman_outcomes(select_vocabulary(classifier_rows, reduced=fewer), methods)
            for fewer in (False, True)
        )
        averages += [{"classifier": name} | row for row in tabulate_averages(outcomes)]
        chosen += [{"classifier": name} | row for row in tabulate_best_methods(outcomes)]
        reduced += [{"classifier": name} | row for row in tabulate_best_methods(by_fewer)]
    return build_tables({"averages": averages, "summary": chosen, "reduced_words": reduced})


def tabulate_averages(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Tabulate macro-averages by group of problems, method and size: figures 4, 5, 7, 8, 14 to 17."""
    for subset, goal in product(outcomes.groups, GOALS):
        common = {"problems": subset, "goal": goal}
        everything = round(outcomes.macro_of_all_terms(goal, subset), 5)
        yield common | {"metric": ALL, "size": ALL, "value": everything}
        curves = zip(outcomes.methods, outcomes.macro(goal, subset).round(5).tolist(), strict=True)
        for name, values in curves:
            for size, value in zip(SIZES.tolist(), values, strict=True):
                yield common | {"metric": name, "size": size, "value": value}


def tabulate_best_methods(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Tabulate the three best methods for each goal, skew and size, and the score of all terms."""
    for subset, goal in product(outcomes.groups, GOALS):
        macro, everything = outcomes.macro(goal, subset), round(outcomes.macro_of_all_terms(goal, subset), 3)
        for size, values in zip(SIZES.tolist(), macro.T, strict=True):
            # a stable sort resolves ties in the order of METRICS
            order = np.argsort(-values, kind="stable")[:3].tolist()
            best = [f"{outcomes.methods[m]} {values[m]:.3f}" for m in order]
            podium = dict(zip(("first", "second", "third"), best, strict=True))
            yield {"goal": goal, "problems": subset, "size": size} | podium | {"all terms": everything}


SMALL = ("oh10", "oh0", "tr31", "oh5", "oh15", "tr41", "tr45", "tr11", "tr21", "tr12", "tr23")
CHOICES = ("ig", "bns")


def pilot_rows(data_dir: Path | None, name: str, classifier: str) -> list[Row]:
    """Return the rows of a set with a classifier."""
    methods = {metric: parse_method(metric) for metric in CHOICES}
    rows = wider_rows(load_set(name, data_dir)[0], methods, classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def pilot_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of F by classifier, metric and size, and of the paper's statements on its pilot."""
    outcomes = {
        name: forman_outcomes([row for row in rows if row["classifier"] == name], CHOICES) for name in PILOT
    }
    return build_tables({
        "averages": [row for name in outcomes for row in tabulate_pilot(name, outcomes[name])],
        "summary": pilot_statements(outcomes),
    })  # fmt: skip


def tabulate_pilot(classifier: str, outcomes: FormanOutcomes) -> Iterator[Line]:
    """Tabulate the macro-averaged F of a classifier, a row for each metric."""
    for metric in CHOICES:
        values = outcomes.by_size(metric, "f1").round(4).tolist()
        by_size = dict(zip(map(str, SIZES.tolist()), values, strict=True))
        everything = round(outcomes.macro_of_all_terms("f1"), 4)
        yield {"classifier": classifier, "metric": metric} | by_size | {ALL: everything}


def pilot_statements(outcomes: dict[str, FormanOutcomes]) -> list[Line]:
    """Check the statements of sections 3 and 5 on classifiers."""
    best = {name: max(scored.best("f1").values()) for name, scored in outcomes.items()}
    figure = ", ".join(f"{name} {value:.3f}" for name, value in best.items())
    # the number of terms with the best F of the better metric
    peaks = {name: int(SIZES[scored.macro("f1").max(axis=0).argmax()]) for name, scored in outcomes.items()}
    peak_text = ", ".join(f"{name} at {size}" for name, size in peaks.items())
    # the last group is high skew, or all problems in a quick run
    skewed = outcomes["tree"].groups[-1]
    ig, bns = (outcomes["tree"].by_size(metric, "f1", skewed) for metric in CHOICES)
    gains = bns - ig
    is_svm_best = [best["SVM"] > value for name, value in best.items() if name != "SVM"]
    is_nb_first = [peaks["NB"] < size for name, size in peaks.items() if name != "NB"]
    gain_text = f"{skewed}: difference {gains.min():+.3f} to {gains.max():+.3f}"
    claim = "at high skew BNS may serve a decision tree better than IG"
    return [
        check("section 3", "SVM is the best of the four", figure, is_svm_best),
        check("section 3", "NB does better than C4.5", figure, [best["NB"] > best["tree"]]),
        check("section 3", "NB does best with much fewer terms than the others", peak_text, is_nb_first),
        check("section 5", claim, gain_text, (gains > 0).tolist()),
    ]
