"""The study of Jiang and Lee: its protocol, a small part of it, and the committed results."""

from __future__ import annotations

import numpy as np
import pytest
from committed import COMMITTED
from scipy.sparse import csr_array
from scipy.stats import entropy
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
import termsift_studies
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.evaluation.splits import Fold
from termsift_studies.jiang_lee.plan import MAIN_LABEL
from termsift_studies.jiang_lee.results import (
    collect_outcomes,
    extend_to_all_words,
    jiang_charts,
    jiang_statements,
    split_points,
)
from termsift_studies.jiang_lee.trials import (
    SIZES,
    JiangInterpretation,
    frequent_words,
    interpretation_fold,
    largest_classes,
    published_vocabulary,
    random_third,
    reuters,
    split_rows,
)
from termsift_studies.study import load_published

BELONGS = np.array([[1, 0], [1, 1], [0, 1], [1, 1], [0, 1]], dtype=bool)
ROWS = csr_array(np.array([[1, 0, 0], [2, 1, 0], [0, 1, 0], [1, 1, 0], [0, 2, 1]]))
IS_TEST = np.array([False, False, False, True, True])


def gains_by_occurrence(tf: np.ndarray) -> np.ndarray:
    """The gain of each word about the class of an occurrence, as entropies of classes."""
    rest = tf.sum(axis=0) - tf
    shares = tf.sum(axis=1) / tf.sum()
    return -shares * entropy(tf, axis=1) - (1 - shares) * entropy(rest, axis=1)


def fold_by(several: str) -> Fold:
    documents = Documents(ROWS, as_labels(BELONGS), np.array(["a", "b", "c"], dtype=object))
    return interpretation_fold(documents, IS_TEST, 3, JiangInterpretation(several=several))


class TestProtocol:
    def test_a_story_of_several_classes_is_a_document_of_each(self):
        found = fold_by("each")
        assert found.train.target.tolist() == [0, 0, 1, 1]
        assert found.train.rows.toarray().tolist() == [[1, 0], [2, 1], [2, 1], [0, 1]]
        assert found.truth.tolist() == [[True, False], [False, True], [False, True]]

    def test_a_story_of_several_classes_is_right_with_any(self):
        found = fold_by("any")
        assert found.train.target.tolist() == [0, 0, 1, 1]
        assert found.truth.tolist() == [[True, True], [False, True]]

    def test_a_story_of_several_classes_is_left_out(self):
        found = fold_by("none")
        assert found.train.target.tolist() == [0, 1]
        assert found.truth.tolist() == [[False, True]]

    def test_words_are_those_of_most_training_documents(self):
        rows = csr_array(np.array([[1, 1, 0, 1], [1, 0, 0, 1], [1, 2, 0, 0]]))
        assert frequent_words(rows, 2).tolist() == [0, 1]
        assert frequent_words(rows, 9).tolist() == [0, 1, 3]
        assert frequent_words(rows, None).tolist() == [0]

    def test_two_thirds_are_learned_from_and_splits_differ(self):
        first, second = random_third(300, 0), random_third(300, 1)
        assert first.sum() == second.sum() == 100
        assert (first != second).any()
        assert (random_third(300, 0) == first).all()

    def test_the_largest_classes(self):
        assert largest_classes([["b"], ["b", "a"], ["c"], ["a"], ["d"]], 3) == ["a", "b", "c"]

    def test_accuracies_are_those_of_a_plain_loop(self, data_folder):
        whole = reuters(data_folder, JiangInterpretation())
        found = interpretation_fold(*whole, published_vocabulary("reuters10"), JiangInterpretation())
        here, labels = found.train.rows, found.train.target
        assert here.shape == (7193, 16285)
        done = split_rows("reuters10", 0, found, (20,), JiangInterpretation())
        rows = {(row["method"], row["features"]): row for row in done}
        counts = ts.count(here, labels)
        chosen = np.argsort(-gains_by_occurrence(counts.tf.toarray()), kind="stable")[:20]
        model = MultinomialNB().fit(here[:, chosen], labels)
        answers = model.predict(found.test[:, chosen])
        assert rows["IG", 20]["right"] == (answers == found.truth.argmax(axis=1)).sum()
        shares = np.asarray(counts.tf.toarray() / np.maximum(counts.term_tf, 1)[:, None])
        model = MultinomialNB().fit(here @ shares, labels)
        answers = model.predict(found.test @ shares)
        assert rows["class weights", 10]["right"] == (answers == found.truth.argmax(axis=1)).sum()


class TestPublished:
    def test_all_cells_are_there(self):
        assert [len(load_published("jiang-lee", f"table{n}")) for n in (1, 2, 3, 4)] == [22, 12, 22, 12]

    def test_statements_in_the_text_agree_with_the_printed_tables(self):
        said = {
            line["of"]: float(line["value"])
            for line in load_published("jiang-lee", "figures")
            if line["quantity"].startswith("accuracy of class weights less")
        }
        for n, corpus in ((1, "20news"), (3, "reuters10")):
            cells = {
                line["method"]: float(line["accuracy"]) for line in load_published("jiang-lee", f"table{n}")
            }
            assert cells["class weights"] - cells["all words"] == pytest.approx(said[corpus])


def lines_of(accuracy) -> list[dict[str, object]]:
    """Rows of both corpora by a function of method and features, in per cent."""
    methods = [("DC", size) for size in SIZES] + [("IG", size) for size in SIZES] + [("all words", "all")]
    return [
        {"corpus": corpus, "method": method, "features": size, "split": 0, "words": 9, "judged": 10_000,
         "right": round(100 * accuracy(method, size)), "seconds": 1 if method == "class weights" else 2}
        for corpus, classes in (("20news", 20), ("reuters10", 10))
        for method, size in [("class weights", classes), *methods]
    ]  # fmt: skip


class TestStatements:
    def test_the_printed_figures_make_them_hold(self):
        cells = {
            (n, line["method"], line["features"]): float(line["accuracy"])
            for n in (1, 3)
            for line in load_published("jiang-lee", f"table{n}")
        }
        rows = []
        for row in lines_of(lambda method, size: 50):
            n = 1 if row["corpus"] == "20news" else 3
            rows.append(row | {"right": round(100 * cells[n, row["method"], str(row["features"])])})
        found = jiang_statements(collect_outcomes(rows))
        verdicts = {line["statement"]: line["verdict"] for line in found}
        partly = {"reuters10: DC is more accurate than IG with as many features"}
        assert {said for said, verdict in verdicts.items() if verdict != "holds"} == partly
        assert len(found) == 14

    def test_a_lead_within_chance_does_not_refute_a_threshold(self):
        def verdict(lead: float) -> str:
            above = {"DC": 0.1, "class weights": 0.0}
            rows = lines_of(lambda method, size: 50 + (lead if size == 100 else above.get(method, 0)))
            for row in rows:
                if row["method"] == "DC" and row["features"] in (2, 5, 10, 20, 50):
                    row["right"] = 4000
            found = jiang_statements(collect_outcomes(rows))
            return next(line["verdict"] for line in found if "only from 200 features" in line["statement"])

        # two standard errors of the difference of two accuracies of 10,000 documents are 1.41 points
        assert verdict(1.3) == "holds"
        assert verdict(1.5) == "holds in part"

    def test_equal_accuracies_make_most_fail(self):
        found = jiang_statements(collect_outcomes(lines_of(lambda method, size: 50)))
        verdicts = {line["statement"].removeprefix("20news: "): line["verdict"] for line in found}
        assert verdicts["with 20 features class weights are better than DC and IG"] == "does not hold"
        assert verdicts["DC with 5000 features is better than all words"] == "does not hold"
        assert verdicts["class weights are 0.22 points below all words"] == "holds"


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory) -> termsift_studies.StudyResults:
    """The quick study."""
    folder = tmp_path_factory.mktemp("jiang-lee") / "quick"
    return termsift_studies.run("jiang-lee", quick=True, folder=folder, data_dir=data_folder)


class TestQuick:
    def test_results_on_reuters_are_those_of_the_whole_study(self, quick):
        whole = {(line["method"], line["features"]): float(line["ours"]) for line in results("table3")}
        ours = {(line["method"], line["features"]): line["ours"] for line in quick.tables["table3"]}
        assert len(ours) == 10
        assert ours == {key: whole[key] for key in ours}

    def test_there_are_tables_but_no_statements(self, quick):
        assert set(quick.tables) == {"table1", "table2", "table3", "table4", "summary", "words"}

    def test_every_figure_is_drawn(self, quick):
        drawn = jiang_charts(quick.folder / "tables")
        assert set(drawn) == {
            f"{what}-{of}" for what in ("accuracy", "time") for of in ("20news", "reuters10")
        }

    def test_all_words_are_the_last_point_of_both_lines(self):
        rows = [{"method": "all words", "features": "all", "printed": 86.3, "ours": 87.0}]
        points = split_points(extend_to_all_words(rows, 9), "")
        assert len(points) == 4
        assert {"method": "DC", "features": 9.0, "whose": "printed", "value": 86.3} in points
        assert {"method": "IG", "features": 9.0, "whose": "ours", "value": 87.0} in points


def test_an_interpretation_reports_its_differences(data_folder, tmp_path):
    done = termsift_studies.run(
        "jiang-lee-interpretations", quick=True, folder=tmp_path / "r", data_dir=data_folder
    )
    near = {line["interpretation"]: line["mean absolute difference"] for line in done.tables["summary"]}
    assert set(near) == {MAIN_LABEL, "right with any class"}
    assert near[MAIN_LABEL] < near["right with any class"]


def results(name: str) -> list[dict[str, str]]:
    """A committed table."""
    return COMMITTED.rows("jiang-lee", name)


class TestResults:
    """The committed results: what is claimed of them is in them."""

    def test_every_printed_cell_has_ours(self):
        for n in (1, 3):
            cells = [(line["method"], line["features"]) for line in load_published("jiang-lee", f"table{n}")]
            assert [(line["method"], line["features"]) for line in results(f"table{n}")] == cells
        assert [len(results(f"table{n}")) for n in (2, 4)] == [12, 12]
