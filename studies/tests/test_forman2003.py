"""The study of Forman (2003): three small sets in one trial, and the protocol by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from committed import COMMITTED
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import termsift as ts
import termsift_studies
from termsift._internal.ranking import rank_terms
from termsift.engines.documents import Documents
from termsift.evaluation.confusion import Confusion
from termsift.selection.methods import parse_method
from termsift_studies.forman2003.extended import METRICS as EXTENDED_METRICS
from termsift_studies.forman2003.extended import wider_rows
from termsift_studies.forman2003.section5 import (
    CUTOFFS,
    balance_statement,
    exchange_statement,
    fall_statement,
    recall_statement,
)
from termsift_studies.forman2003.statements import margin_statement
from termsift_studies.forman2003.trials import (
    GOALS,
    METRICS,
    SETS,
    SIZES,
    forman_outcomes,
    load_set,
    measure_goals,
    trial_folds,
    trial_rows,
)


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory) -> termsift_studies.StudyResults:
    """The quick study."""
    folder = tmp_path_factory.mktemp("forman2003") / "quick"
    return termsift_studies.run("forman2003", quick=True, folder=folder, data_dir=data_folder)


def test_there_are_193_problems(data_folder):
    classes = [load_set(name, data_folder)[0].labels.classes for name in SETS]
    assert sum(map(len, classes)) == 193


def test_every_document_is_tested_once(data_folder):
    found = numbered(load_set("tr31", data_folder)[0])
    folds = list(trial_folds(found, 0))
    assert len(folds) == 4
    judged = np.concatenate([fold.test.toarray().ravel() for fold in folds])
    assert sorted(judged.tolist()) == list(range(1, len(found) + 1))
    for fold in folds:
        assert not set(fold.test.data) & set(fold.train.rows.data)
        assert np.array_equal(fold.truth, found.truth[fold.test.data - 1])
    # a class of two documents is learned from one of them at least
    rare = found.truth.sum(axis=0).argmin()
    assert found.truth[:, rare].sum() == 2
    assert all(fold.train.truth[:, rare].any() for fold in folds)


def numbered(found: Documents) -> Documents:
    """The documents, of which nothing is known but their number."""
    numbers = csr_array(np.arange(1, len(found) + 1)[:, None])
    return replace(found, rows=numbers, terms=np.arange(1))


def test_trials_differ(data_folder):
    found = numbered(load_set("tr23", data_folder)[0])
    first, second = (next(trial_folds(found, trial)).test.data.tolist() for trial in (0, 1))
    assert first != second


def test_a_number_is_the_mean_of_a_plain_loop(data_folder, first_trial):
    rows = {(row["class"], row["metric"], row["size"]): row for row in first_trial["folds"]}
    found = load_set("tr23", data_folder)[0]
    ((one,),) = found.labels.labels_per_document[:1]
    c = found.labels.classes.index(one)
    recalls, precisions, accuracies = [], [], []
    for fold in trial_folds(found, 0):
        truth, there = fold.train.truth[:, c], fold.truth[:, c]
        counts = ts.count(fold.train.rows, truth)
        values = np.asarray(ts.score(counts, "bns"))[:, 1]
        chosen = rank_terms(values, counts.term_df, np.arange(len(values)), 100)
        model = LinearSVC(loss="hinge", C=1, max_iter=100_000, random_state=0)
        model.fit(fold.train.rows[:, chosen].astype(float), truth)
        accepted = model.decision_function(fold.test[:, chosen].astype(float)) > 0
        recalls.append((accepted & there).sum() / there.sum())
        precisions.append((accepted & there).sum() / max(accepted.sum(), 1))
        accuracies.append((accepted == there).mean())
    ours = rows[one, "bns", 100]
    # a margin of 0 has the sign of a rounding error: one decision of a fold may differ
    assert ours["accuracy"] == pytest.approx(np.mean(accuracies), abs=1.01 / len(found))
    fewest = found.truth[:, c].sum() // 4
    assert ours["recall"] == pytest.approx(np.mean(recalls), abs=1.01 / (4 * fewest))
    assert ours["precision"] == pytest.approx(np.mean(precisions), abs=0.02)


@pytest.fixture(scope="module")
def first_trial(data_folder) -> dict[str, list[dict[str, str]]]:
    """The rows of the first trial of tr23 by each average, as they are read."""
    rows = list(trial_rows("tr23", data_folder, 0))
    return {kind: [row for row in rows if row["averaged"] == kind] for kind in ("folds", "pooled")}


def test_quick_results_have_every_problem_metric_and_size(quick):
    lines = list(quick.tables["averages"])
    low = [line for line in lines if line["problems"] == "all" and line["goal"] == "f1"]
    assert len(low) == len(METRICS) * len(SIZES) + 1
    assert len(quick.tables["problems"]) == 10 + 8 + 6


def test_random_terms_do_worst_and_bns_beats_all_terms(quick):
    best_f1 = {
        line["metric"]: max(line["100"], line["500"]) for line in quick.tables["summary"] if line["100"]
    }
    everything = next(line["2000"] for line in quick.tables["summary"] if line["metric"] == "all terms")
    assert min(best_f1, key=lambda metric: best_f1[metric]) == "rand"
    assert best_f1["bns"] > everything


def test_the_number_of_threads_changes_no_byte(quick, data_folder, tmp_path):
    other = termsift_studies.run(
        "forman2003", quick=True, folder=tmp_path / "s", data_dir=data_folder, n_jobs=1
    )
    assert (other.folder / "results.csv").read_bytes() == (quick.folder / "results.csv").read_bytes()


def test_statements_have_verdicts(quick):
    lines = list(quick.tables["statements"])
    assert {line["verdict"] for line in lines} <= {"holds", "holds in part", "does not hold"}
    assert len(lines) >= 20


def test_average_maxima_are_means_of_maxima():
    common = {"set": "s", "class": "c", "documents": "100", "positive": "10", "metric": "bns"}
    rows = [
        common | {"trial": str(trial), "size": size} | dict.fromkeys(GOALS, str(value))
        for trial, size, value in ((0, "10", 0.5), (0, "20", 1.0), (1, "10", 0.8), (1, "20", 0.2))
    ]
    found = forman_outcomes(rows)
    assert found.maxima("recall")[0, METRICS.index("bns")] == pytest.approx((1.0 + 0.8) / 2)
    assert found.skew.tolist() == [9.0]


class TestVerdicts:
    """What words are taken to mean."""

    def test_the_benchmark_command_has_the_same_chances_residual_wins_and_pairs(self):
        path = COMMITTED.root / "forman2003"
        columns = {"corpus": "set", "method": "metric"}
        found = [
            ts.benchmark(results=path / "maxima.csv", columns=columns, goals=goals, tolerance=tolerance)
            for goals, tolerance in ((["f1", "precision", "recall"], 0.01), (["accuracy"], 0.001))
        ]
        for name, table, keys, values in (
            ("chances", "win_shares", ("goal", "tolerance", "method"), ("wins", "share")),
            (
                "residual",
                "residual_wins",
                ("goal", "first", "method"),
                ("failures", "wins", "share", "together"),
            ),
            ("pairs", "best_pairs", ("goal",), ("method", "other", "wins", "share")),
        ):
            ours = {
                tuple(str(row[key]) for key in keys): [row[value] for value in values]
                for benchmark in found
                for row in getattr(benchmark, table)
            }
            theirs = COMMITTED.rows("forman2003", name)
            assert len(theirs) >= 4
            for row in theirs:
                for value, its_value in zip(values, ours[tuple(row[key] for key in keys)], strict=True):
                    if isinstance(its_value, str):
                        assert its_value == row[value]
                    else:
                        assert round(float(its_value), 5) == float(row[value])

    @staticmethod
    def weighed(heavier: list[float]) -> dict[str, str]:
        """The verdict on unweighted BNS, .5 to .54 in ten problems, beside one with more weight on a side."""
        rows = [
            {"set": "s", "class": str(p), "documents": "100", "positive": "10", "metric": name, "size": "100"}
            | dict.fromkeys(GOALS, str(value))
            for p in range(10)
            for name, value in (("bns 0.4", 0.5 + p / 250 + heavier[p % 2]), ("bns 0.5", 0.5 + p / 250))
        ]
        return balance_statement(forman_outcomes(rows, ["bns 0.4", "bns 0.5"]))

    def test_a_lead_that_chance_may_give_does_not_refute_a_statement(self):
        assert self.weighed([-0.1, 0.05])["verdict"] == "holds"
        unsure = self.weighed([0.1, -0.08])
        assert unsure["verdict"] == "holds"
        assert "that 0.4 is above 0.5" in unsure["ours"]
        assert self.weighed([0.1, 0.09])["verdict"] == "does not hold"

    def test_a_weight_gains_and_loses_by_the_test_not_by_the_mean(self):
        def exchanged(gain: list[float], loss: list[float]) -> dict[str, str]:
            rows = [
                {"set": "s", "class": str(p), "documents": "100", "positive": "10", "size": "50"}
                | {"metric": name, "f1": "0", "accuracy": "0"}
                | {"precision": str(0.5 + p / 250 + own * gain[p % 2])}
                | {"recall": str(0.5 - p / 250 - own * loss[p % 2])}
                for p in range(10)
                for own, name in enumerate(("bns 0.5", "bns 0.6"))
            ]
            found = forman_outcomes(rows, ["bns 0.5", "bns 0.6"])
            goals = {"gains": [("precision", 50)], "losses": [("recall", 50)]}
            return exchange_statement(found, "what", 0.6, **goals)

        assert exchanged([0.05, 0.04], [0.03, 0.02])["verdict"] == "holds"
        unsure = exchanged([0.05, 0.04], [0.1, -0.08])
        assert unsure["verdict"] == "holds in part"
        assert unsure["ours"].startswith("precision at 50: 0.563 (0.518 unweighted, p ")
        assert exchanged([-0.05, -0.04], [-0.03, -0.02])["verdict"] == "does not hold"

    @staticmethod
    def by_cutoff(means: list[float], noise: float = 0.001) -> dict[int, np.ndarray]:
        """A goal in twenty problems by cutoff, scattered about a mean by its own noise."""
        rng = np.random.default_rng(0)
        problems = rng.normal(0, 0.1, 20)
        return {
            cutoff: mean + problems + rng.normal(0, noise, 20)
            for cutoff, mean in zip(CUTOFFS, means, strict=True)
        }

    def test_a_goal_falls_unless_a_test_finds_that_it_rises(self):
        falling = [0.70, 0.69, 0.68, 0.67, 0.66, 0.65, 0.64]
        assert fall_statement("f1", self.by_cutoff(falling))["verdict"] == "holds"
        rising = fall_statement("f1", self.by_cutoff([0.70, 0.69, 0.68, 0.67, 0.69, 0.65, 0.64]))
        assert rising["verdict"] == "holds in part"
        assert "likeliest rise from 10 to 15" in rising["ours"]
        assert fall_statement("f1", self.by_cutoff(falling[::-1]))["verdict"] == "does not hold"
        # as much of a rise, but for one that chance may give
        noisy = fall_statement("f1", self.by_cutoff([0.70, 0.69, 0.68, 0.67, 0.671, 0.60, 0.50], 0.03))
        assert noisy["verdict"] == "holds"

    def test_recall_rises_to_about_ten_and_falls(self):
        assert (
            recall_statement(self.by_cutoff([0.70, 0.70, 0.71, 0.72, 0.70, 0.69, 0.68]))["verdict"] == "holds"
        )
        late = recall_statement(self.by_cutoff([0.70, 0.70, 0.71, 0.72, 0.70, 0.73, 0.68]))
        assert late["verdict"] == "holds in part"
        assert recall_statement(self.by_cutoff([0.70] * 7, 0.0))["verdict"] == "does not hold"

    def test_a_margin_is_wider_if_its_mean_over_sizes_is(self):
        wider = margin_statement({"low skew": [-0.05, 0.02], "high skew": [0.06, 0.01]})
        assert wider["verdict"] == "holds"
        assert wider["ours"].endswith("high skew +0.035 (+0.010 to +0.060)")
        assert margin_statement({"low skew": [0.05], "high skew": [0.01]})["verdict"] == "does not hold"


class TestWider:
    """Every metric and classifier, and the smaller studies, of one small set."""

    @staticmethod
    def carried_out(name, data_folder, tmp_path) -> termsift_studies.StudyResults:
        return termsift_studies.run(name, quick=True, folder=tmp_path / name, data_dir=data_folder)

    def test_every_metric_goes_with_every_classifier(self, data_folder, tmp_path, first_trial):
        done = self.carried_out("forman2003-all", data_folder, tmp_path)
        lines = list(done.tables["averages"])
        methods = {line["metric"] for line in lines}
        assert methods >= {*EXTENDED_METRICS, "cc +/-", "bns round_robin", "all"}
        assert {line["classifier"] for line in lines} == {"SVM", "NB", "LR"}
        own = {
            (line["size"], line["goal"]): line["value"]
            for line in lines
            if (line["classifier"], line["metric"], line["problems"]) == ("SVM", "bns", "all")
        }
        plain = forman_outcomes([{k: str(v) for k, v in row.items()} for row in first_trial["pooled"]])
        for goal in ("f1", "recall"):
            expected = plain.macro(goal)[METRICS.index("bns")].round(5).tolist()
            assert [own[size, goal] for size in SIZES.tolist()] == expected

    def test_a_weight_of_one_half_is_plain_bns(self, data_folder, tmp_path, first_trial):
        done = self.carried_out("forman2003-section5", data_folder, tmp_path)
        alpha = {(line["alpha"], line["goal"], line["size"]): line["value"] for line in done.tables["alpha"]}
        plain = forman_outcomes([{k: str(v) for k, v in row.items()} for row in first_trial["pooled"]])
        # half and half is BNS as it is
        assert alpha[0.5, "f1", 100] == plain.macro("f1")[METRICS.index("bns"), 3].round(5)
        assert [line["cutoff"] for line in done.tables["cutoffs"]] == [1, 3, 5, 10, 15, 20, 25]

    def test_the_pilot_has_a_tree_that_is_fitted_to_the_chosen_terms(self, data_folder, tmp_path):
        done = self.carried_out("forman2003-pilot", data_folder, tmp_path)
        lines = {(line["classifier"], line["metric"]): line for line in done.tables["averages"]}
        assert {classifier for classifier, _ in lines} == {"SVM", "NB", "LR", "tree"}
        documents = load_set("tr23", data_folder)[0]
        decided = np.zeros((3, len(documents.labels.classes)))
        for fold in trial_folds(documents, 0):
            scores = ts.score(fold.train.counts, "ig")
            for c, one in enumerate(fold.train.counts.classes):
                terms = rank_terms(scores.column(one), fold.train.counts.term_df, scores.terms, 50)
                tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
                tree.fit(fold.train.rows[:, terms], fold.train.truth[:, c])
                said, truth = tree.predict(fold.test[:, terms]), fold.truth[:, c]
                decided[:, c] += (said & truth).sum(), (said & ~truth).sum(), (~said & truth).sum()
        tp, fp, fn = decided
        assert lines["tree", "ig"]["50"] == pytest.approx(np.mean(2 * tp / (2 * tp + fp + fn)), abs=1e-4)
        assert len(done.tables["summary"]["verdict"]) == 4

    def test_interpretations_change_only_the_figures_they_concern(self, data_folder, tmp_path, first_trial):
        done = self.carried_out("forman2003-interpretations", data_folder, tmp_path)
        lines = {line["interpretation"]: line for line in done.tables["summary"]}
        plain = forman_outcomes([{k: str(v) for k, v in row.items()} for row in first_trial["pooled"]])
        assert lines["pooled"]["bns 100"] == pytest.approx(plain.of("bns", "f1", 100), abs=1e-4)
        assert lines["folds"]["bns 100"] != lines["pooled"]["bns 100"]
        assert lines["zeros replaced"]["ig 100"] == lines["pooled"]["ig 100"]
        assert all(line["supported by"] for line in lines.values())


def test_the_mean_of_folds_counts_undefined_values_as_0():
    # two documents of a class, of which nothing is found in the second fold
    truth = np.array([[True], [True], [False]])
    folds = [Confusion.from_decisions(accepted[None], truth, ("c",)) for accepted in (truth, ~truth & False)]
    assert measure_goals(folds, pooled=True)[0, 0, GOALS.index("precision")] == 1
    assert measure_goals(folds, pooled=False)[0, 0, GOALS.index("precision")] == 0.5


def test_a_class_with_few_documents_is_learned_from_all_classifiers(data_folder):
    found = load_set("tr31", data_folder)[0]
    rows = list(wider_rows(found, {"bns": parse_method("bns")}, "NB"))
    rare = min(int(row["positive"]) for row in rows)
    assert rare == 2
    # each of the two is judged once
    assert {row["recall"] for row in rows if row["positive"] == rare} <= {0.0, 0.5, 1.0}
