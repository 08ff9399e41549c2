"""The study of Tang, Kay and He (2016): two sets of it, its parts by themselves, and its statements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import termsift as ts
from committed import COMMITTED
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.ranking import Ranking
from termsift.studies.study import printed_rows
from termsift.studies.tang2016.figures import tang_charts
from termsift.studies.tang2016.outcomes import tang_outcomes
from termsift.studies.tang2016.problems import SETS, folds, set_documents, set_fold
from termsift.studies.tang2016.statements import tang_statements
from termsift.studies.tang2016.tables import tang_tables
from termsift.studies.tang2016.trials import GREEDY, MARGINS, METHODS, READINGS, SIZES, measure_rows

VERDICTS = {"holds", "holds in part", "does not hold"}


def results(name: str) -> list[dict[str, str]]:
    """A committed table."""
    return COMMITTED.rows("tang2016", name)


def fold_of(rows, labels, others, truth) -> Fold:
    """Documents learned and documents judged, their labels numbers from 0."""
    terms = np.array([f"{i:06}" for i in range(rows.shape[1])], dtype=object)
    train = Documents(rows, as_labels(labels), terms)
    return Fold(train, others, np.asarray(truth)[:, None] == np.array(train.labels.classes))


@pytest.fixture(scope="module")
def fold() -> Fold:
    """Three classes of unequal size, each with words it likes; four documents in ten to be judged."""
    rng = np.random.default_rng(0)
    labels = rng.choice(3, 300, p=[0.2, 0.5, 0.3])
    rates = rng.gamma(0.3, 0.6, (3, 40))
    rows = csr_array(rng.poisson(rates[labels]))
    return fold_of(rows[:180], labels[:180], rows[180:], labels[180:])


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    """The forty words in any order."""
    return Ranking((np.random.default_rng(1).permutation(40),))


def decided(classifier, fold, ranking, sizes) -> list[list[int]]:
    """For each size the classes of the documents judged."""
    return MARGINS[classifier](fold, ranking, np.array(sizes)).argmax(axis=-1).tolist()


class TestClassifiers:
    def test_naive_bayes_at_every_size_is_that_of_scikit_learn(self, fold, ranking):
        sizes = [1, 2, 7, 20, 40]
        for size, own in zip(sizes, decided("NB", fold, ranking, sizes), strict=True):
            chosen = ranking.chosen(size)
            model = MultinomialNB().fit(fold.train.rows[:, chosen], fold.train.target)
            assert own == model.predict(fold.test[:, chosen]).tolist()

    def test_the_machine_is_that_of_scikit_learn_where_margins_differ(self, fold, ranking):
        sizes = [5, 40]
        for size, own in zip(sizes, decided("SVM", fold, ranking, sizes), strict=True):
            chosen = ranking.chosen(size)
            here, there = ((one[:, chosen] > 0).astype(float) for one in (fold.train.rows, fold.test))
            model = LinearSVC(loss="hinge", C=1, max_iter=100_000, random_state=0).fit(
                here, fold.train.target
            )
            margins = np.sort(model.decision_function(there), axis=1)
            clear = margins[:, -1] - margins[:, -2] > 0.05
            assert clear.sum() > 20
            assert np.array(own)[clear].tolist() == model.predict(there)[clear].tolist()

    def test_a_document_without_any_chosen_term_is_of_the_largest_class(self, fold, ranking):
        nothing = replace(fold, test=csr_array((1, 40), dtype=np.int64), truth=np.zeros((1, 3), dtype=bool))
        for classifier in SIZES:
            assert decided(classifier, nothing, ranking, [1, 3]) == [[1], [1]]

    def test_two_classes_are_one_machine(self, fold, ranking):
        both = fold.train.target > 0
        two = fold_of(fold.train.rows, both * 1, fold.test, ~fold.truth[:, 0] * 1)
        (own,) = decided("SVM", two, ranking, [40])
        model = LinearSVC(loss="hinge", C=1, max_iter=100_000, random_state=0)
        here, there = ((one > 0).astype(float) for one in (fold.train.rows, fold.test))
        margins = model.fit(here, both).decision_function(there)
        clear = np.abs(margins) > 0.05
        assert np.array(own)[clear].tolist() == (margins > 0)[clear].tolist()

    @pytest.mark.parametrize("classifier", SIZES)
    def test_measures_are_those_of_scikit_learn(self, fold, ranking, classifier):
        # a class that is learned, and decided for, but has no document that is judged
        labels = np.where(np.arange(180) % 4, fold.train.target, 3)
        truth = fold.truth.argmax(axis=1)
        four = fold_of(fold.train.rows, labels, fold.test, truth)
        sizes = [1, 7, 40]
        found = measure_rows(classifier, four, ranking, np.array(sizes))
        assert [row["size"] for row in found] == sizes
        answers = decided(classifier, four, ranking, sizes)
        assert any(3 in own for own in answers)
        for row, own in zip(found, answers, strict=True):
            weighted = f1_score(truth, own, average="weighted", zero_division=0)
            assert row["accuracy"] == pytest.approx(accuracy_score(truth, own), abs=1e-6)
            assert row["f1"] == pytest.approx(weighted, abs=1e-6)


def test_gss_adds_up_to_nothing_over_the_classes(fold):
    scores = np.asarray(ts.score(fold.counts, "gss"))
    assert np.abs(scores).max() > 0.01
    assert np.abs(scores.sum(axis=1)).max() < 1e-15


class TestProblems:
    def test_sets_have_their_classes_and_no_word_of_one_document(self, data_folder):
        for name, chosen in SETS.items():
            found, parts = set_documents(name, data_folder)
            assert found.labels.classes == tuple(range(min(chosen.classes, chosen.last)))
            assert found.counts.term_df.min() >= 2
            assert len(parts) == folds(name)

    def test_tdt2_has_7456_documents_and_each_is_judged_once(self, data_folder):
        _, parts = set_documents("tdt2-10", data_folder)
        judged = np.concatenate([part for _, part in parts])
        assert sorted(judged.tolist()) == list(range(7456))

    def test_the_other_sets_have_the_official_split(self, data_folder):
        found = set_fold("20-newsgroups", data_folder, 0)
        assert (len(found.train), len(found.truth)) == (11314, 7532)
        assert len(set_documents("reuters-30", data_folder)[0]) == 8067

    def test_terms_that_tie_are_taken_in_the_order_of_columns(self, data_folder):
        found, _ = set_documents("alt-comp", data_folder)
        assert found.terms.tolist() == sorted(found.terms)


@pytest.mark.parametrize("metric, value", [("md", 96.46), ("md_chi2", 95.76)])
def test_100_terms_on_tdt2_are_as_printed(data_folder, metric, value):
    stated = {
        row["method"]: float(row["value"])
        for row in printed_rows("tang2016", "figures")
        if row["size"] == "100"
    }
    assert stated[metric] == value
    found, parts = set_documents("tdt2-10", data_folder)
    rows, labels = found.rows, found.target
    right = 0
    for learned, judged in parts:
        selector = ts.TermSelector(metric, k=100).fit(rows[learned], labels[learned])
        model = MultinomialNB().fit(selector.transform(rows[learned]), labels[learned])
        predicted = model.predict(selector.transform(rows[judged]))
        right += int((predicted == labels[judged]).sum())
    assert abs(100 * right / 7456 - value) < 0.5
    ours = {row["method"]: float(row["ours"]) for row in results("printed") if row["method"]}
    assert ours[metric] == pytest.approx(100 * right / 7456, abs=0.03)


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory) -> ts.studies.StudyResults:
    """The quick study."""
    folder = tmp_path_factory.mktemp("tang2016") / "quick"
    return ts.studies.run("tang2016", quick=True, folder=folder, data_dir=data_folder)


class TestQuick:
    def test_results_are_those_of_the_whole_study(self, quick):
        whole = {
            (row["set"], row["classifier"], row["method"], row["size"]): row["accuracy"]
            for row in results("curves")
        }
        ours = {
            (row["set"], row["classifier"], row["method"], str(row["size"])): str(row["accuracy"])
            for row in quick.tables["curves"]
        }
        assert len(ours) == 2 * (12 * sum(len(sizes) for sizes in SIZES.values()) + 2)
        assert ours == {key: whole[key] for key in ours}

    def test_statements_of_the_two_sets_have_verdicts(self, quick):
        lines = list(quick.tables["statements"])
        assert {line["verdict"] for line in lines} <= VERDICTS
        assert {line["reading"] for line in lines} == {*READINGS, "any"}
        assert any(line["statement"].startswith("REUTERS-10, SVM") for line in lines)

    def test_figures_of_the_two_sets_are_drawn(self, quick):
        charts = tang_charts(quick.folder / "tables")
        assert set(charts) == {"figure2", "figure3", "figure5"}
        (row,) = charts["figure3"].to_dict()["vconcat"]
        drawn = {(line["method"], line["reading"]) for line in row["hconcat"][0]["data"]["values"]}
        assert len(drawn) == 10
        assert {("MD", "one score"), ("χ²", "max"), ("χ²", "weighted"), ("greedy", "one score")} <= drawn


def made_up(quality: dict[str, float]) -> list[dict[str, str]]:
    """Rows of every set in which the accuracy of a method depends on its quality and on the size alone."""
    rows = []
    for name in SETS:
        few = 0.05 if name == "20-newsgroups" else 0.85
        common = {"set": name, "documents": "100", "terms": "5000", "classes": "5"}
        for classifier, sizes in SIZES.items():
            whole = {"classifier": classifier, "fold": "0", "method": "all", "size": "all"}
            rows.append(common | whole | cells(0.96, 0))
            for method in (*METHODS, GREEDY):
                worse = quality.get(method, 3.0)
                for i, size in enumerate(sizes.tolist()):
                    value = few + (0.95 - few) * (i + 1) / (i + 1 + worse)
                    own = {"classifier": classifier, "fold": "0", "method": method, "size": str(size)}
                    rows.append(common | {"documents": ""} | own | cells(value, size))
    return rows


def cells(value: float, size: int) -> dict[str, str]:
    measured = str(value)
    return {"accuracy": measured, "f1": measured, "divergence": str(value + size), "shared": str(size)}


class TestStatements:
    def verdicts(self, quality) -> dict[str, str]:
        said = tang_statements(tang_outcomes(made_up(quality)))
        return {line["statement"]: line["verdict"] for line in said if line["reading"] in ("max", "any")}

    def test_results_that_bear_the_paper_out(self):
        found = self.verdicts({"md": 1.0, "md_chi2": 0.9, "df": 9.0, GREEDY: 1.0})
        assert found["20-NEWSGROUPS, NB: MD and MD-chi2 are commonly above the other four"] == "holds"
        assert found["20-NEWSGROUPS, NB: DF is the worst"] == "holds"
        assert found["TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"] == "holds"
        assert found["ALT-COMP (six classes), NB: MD-chi2 is the best in accuracy"] == "holds"
        consistent = [v for what, v in found.items() if "consistently better" in what]
        assert consistent == ["holds"] * 3

    def test_results_that_speak_against_it(self):
        found = self.verdicts({"md": 9.0, "md_chi2": 9.0, "df": 1.0})
        assert found["20-NEWSGROUPS, NB: MD and MD-chi2 are commonly above the other four"] == "does not hold"
        assert found["20-NEWSGROUPS, NB: DF is the worst"] == "does not hold"
        assert found["TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"] == "does not hold"
        consistent = [v for what, v in found.items() if "consistently better" in what]
        assert consistent == ["does not hold"] * 3

    def test_one_of_two_is_a_part(self):
        found = self.verdicts({"md": 1.0, "md_chi2": 9.0})
        assert found["TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"] == "holds in part"

    def test_all_tables_and_figures_are_made_of_the_rows(self, tmp_path):
        found = tang_tables(made_up({"md": 1.0}))
        assert {"sets", "curves", "statements", "readings", "above", "greedy", "summary"} <= set(found)
        (tmp_path / "curves.csv").write_text(found["curves"].to_csv(), encoding="utf-8")
        assert set(tang_charts(tmp_path)) == {f"figure{n}" for n in range(1, 7)}


class TestPage:
    """What the page says in words is in the results."""

    def above(self, name, other, classifier="NB") -> float:
        """The share of sizes at which MD is above another method."""
        (found,) = (
            row["md"]
            for row in results("above")
            if (row["set"], row["other"], row["classifier"]) == (name, other, classifier)
        )
        return float(found)

    def test_no_reading_of_chi2_and_cet_is_below_md_on_20_newsgroups(self):
        shares = [self.above("20-newsgroups", f"{m} {r}") for m in ("chi2", "cet") for r in READINGS]
        assert max(shares) < 0.2

    def test_chi2_is_below_md_on_tdt2_only_where_it_is_weighted(self):
        maximum, total, weighted = (self.above("tdt2-10", f"chi2 {r}") for r in ("max", "sum", "weighted"))
        assert max(maximum, total) < 0.5 < 0.9 < weighted

    def test_cet_by_its_maximum_is_level_with_md_on_reuters(self):
        for n in (10, 20, 30):
            assert 0.3 < self.above(f"reuters-{n}", "cet max", "SVM") < 0.6
            assert self.above(f"reuters-{n}", "cet weighted", "SVM") > 0.9

    def test_what_100_by_md_give_takes_450_terms(self):
        found = {
            row["reading"]: row["ours"]
            for row in results("statements")
            if "need about 1000" in row["statement"]
        }
        assert "chi2 weighted 450, GSS weighted not with 2000" in found["weighted"]
        assert "GSS max 450" in found["max"]
