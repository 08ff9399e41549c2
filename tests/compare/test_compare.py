"""Comparisons: honest figures, plain advice, warnings of what misleads."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import termsift as ts
from compared_texts import noise, selected_terms, several, topical
from termsift.compare.candidates import UNLIMITED
from termsift.counts.labels import as_labels
from termsift.evaluation.splits import assign_stratified_folds

QUICK = {"metrics": ["bns"], "k": [5, 20], "classifiers": "multinomial_nb", "repeats": 1}


@pytest.fixture(scope="module")
def found():
    """A comparison with all there is by default."""
    return ts.compare(*topical(40), k=[5, 20, 50], repeats=1)


class TestHonesty:
    def test_random_labels_score_at_chance_level(self):
        # chosen outside the folds, the few terms that fit the labels by luck would reach far more
        comparison = ts.compare(*noise(120), k=[20, 200], goal="accuracy", repeats=2)
        assert abs(comparison.table["mean"] - 0.5).max() < 0.15
        assert abs(np.mean(comparison.table["mean"]) - 0.5) < 0.05

    def test_selection_outside_the_folds_is_optimistic(self):
        texts, labels = noise(120)
        terms = ts.select(ts.count(texts, labels), "bns", ts.TopK(200))
        cheat = make_pipeline(CountVectorizer(vocabulary=terms), MultinomialNB())
        assert cross_val_score(cheat, texts, labels).mean() > 0.8

    @pytest.mark.parametrize("goal", ["f1_macro", "f1_micro", "accuracy"])
    def test_scores_equal_those_of_scikit_learn(self, goal):
        texts, labels = topical(50)
        split = PredefinedSplit(assign_stratified_folds(as_labels(labels), 4, 3))
        script = make_pipeline(
            CountVectorizer(), SelectKBest(chi2, k=20), TfidfTransformer(sublinear_tf=True), LinearSVC()
        )
        expected = cross_val_score(script, texts, labels, cv=split, scoring=goal)
        comparison = ts.compare(
            texts, labels, k=[5, 20], classifiers=["svm"], goal=goal, folds=4, repeats=1, random_state=3
        )
        row = next(row for row in comparison.table if row["method"] == "sklearn_chi2" and row["terms"] == 20)
        assert row["mean"] == pytest.approx(expected.mean(), abs=0.006)
        assert row["error"] == pytest.approx(expected.std(ddof=1) * np.sqrt(1 / 4 + 1 / 3), abs=0.006)

    def test_scores_equal_those_of_scikit_learn_on_real_messages(self, data_folder):
        corpus = ts.corpora.load("sms_spam", data_dir=data_folder)
        texts, labels = corpus.texts[:1200], corpus.labels[:1200]
        split = PredefinedSplit(assign_stratified_folds(as_labels(labels), 5, 0))
        script = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=100), MultinomialNB())
        expected = cross_val_score(script, texts, labels, cv=split, scoring="f1_macro").mean()
        comparison = ts.compare(texts, labels, metrics="df", k=[100], classifiers="multinomial_nb", repeats=1)
        row = next(row for row in comparison.table if row["method"] == "sklearn_chi2")
        assert row["mean"] == pytest.approx(expected, abs=1e-9)

    def test_results_do_not_depend_on_the_number_of_threads(self):
        one, two = (ts.compare(*topical(20), k=[5, 20], repeats=2, n_jobs=n) for n in (1, 2))
        assert one.table.to_csv() == two.table.to_csv()
        assert one.by_class_and_method.to_csv() == two.by_class_and_method.to_csv()
        assert selected_terms(one.models[0]) == selected_terms(two.models[0])

    def test_the_seed_changes_the_folds(self):
        one, two = (ts.compare(*topical(20), **QUICK, random_state=seed) for seed in (0, 1))
        assert one.table.to_csv() != two.table.to_csv()

    def test_the_expectation_is_not_above_the_best(self, found):
        assert found.results.nested_score() <= found.best["mean"] + 1e-12


class TestAnswer:
    def test_baselines_are_among_the_methods(self, found):
        assert {"all", "df", "sklearn_chi2", "l1", "ig:round_robin", "cc:combined"} <= set(
            found.methods["method"]
        )

    def test_the_best_candidate_is_first(self, found):
        first = next(iter(found.table))
        assert (first["method"], first["mean"]) == (found.best["method"], found.best["mean"])

    def test_the_recommendation_has_the_fewest_terms_within_a_standard_error(self, found):
        table, least = found.table, found.best["mean"] - found.best["error"]
        assert found.recommended["terms"] == min(row["terms"] for row in table if row["mean"] >= least)

    def test_topic_words_are_keywords(self, found):
        assert {"ship", "judge", "cow"} <= set(selected_terms(found.models[0]))

    def test_p_values_follow_the_verdicts(self, found):
        for row in found.methods:
            assert row["verdict"] in ("best", "tie", "worse")
            assert (row["p"] < 0.05) == (row["verdict"] == "worse")

    def test_the_sentences_name_the_choice(self, found):
        assert f"{found.recommended['terms']:,.0f} terms" in found.answer[0]
        assert f"{found.recommended['mean']:.3f} ± {found.recommended['error']:.3f}" in found.answer[1]
        assert "cross-validation" in found.answer[1]
        assert len(found.answer) == 2
        assert "\nUse " in repr(found)

    def test_the_details_state_how_many_terms_are_significant(self):
        comparison = ts.compare(*topical(40), metrics="ig", k=[5], repeats=1, classifiers=["multinomial_nb"])
        by_ig = next(line for line in comparison.results.candidates if line.ranker.name == "ig")
        model = replace(comparison.models[0], candidate=by_ig, columns=np.arange(5))
        said = replace(comparison, models=[model]).details
        assert any(re.search("of these 5 terms are significant", sentence) for sentence in said)

    def test_keywords_of_each_class_come_first(self, found):
        assert [one.name for one in found.keywords] == ["court", "farm", "sea"]
        assert {"jury", "verdict", "judge"} <= set(found.keywords[0].terms)
        assert found.keywords[0].significant.all()
        assert repr(found).startswith("class")

    def test_every_class_has_a_score(self, found):
        assert list(found.class_summary["class"]) == ["court", "farm", "sea"]
        assert (found.class_summary["best"] >= found.class_summary["chosen"]).all()
        assert set(found.win_shares["method"]) == set(found.methods["method"])

    def test_complementary_pairs_of_methods_are_described(self):
        texts, labels = topical(40)
        halves = np.arange(0, 120, 2), np.arange(1, 120, 2)
        swapped = ts.compare(
            texts, labels, cv=[halves, halves[::-1]], metrics="ig", k=[10], classifiers="multinomial_nb"
        )
        chances = {row["method"]: row["chance"] for row in swapped.win_shares}
        assert chances["all"] < 1
        assert chances["ig"] < 1
        assert [(row["method"], row["other"], row["share"]) for row in swapped.best_pair] == [
            ("all", "ig", 1.0)
        ]

    def test_findings_are_complete_for_a_report(self, found):
        findings = found.findings()
        assert list(findings.curve.columns) == ["method", "classifier", "terms", "mean", "error"]
        assert list(findings.classes.columns) == ["class", "method", "classifier", "terms", "mean", "error"]
        assert findings.answer == [*found.answer, *found.details, *found.dropped_candidates]

    def test_page_and_notebook_contain_the_advice(self, found):
        assert "Use " in found.to_html(title="Three <topics>")
        assert "iframe" in found._repr_html_()


class TestGoalsAndLabels:
    @pytest.mark.parametrize(
        "goal", ["f1_macro", "f1_micro", "accuracy", "precision_macro", "recall_macro", "break_even"]
    )
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_every_goal_can_be_compared(self, goal, texts_of):
        comparison = ts.compare(*texts_of(30), metrics="ig", k=[5, 20], goal=goal, repeats=1)
        assert 0.5 < comparison.best["mean"] <= 1

    def test_indicator_matrix_gives_the_same_results_as_lists(self):
        texts, labels = several(60)
        names = sorted({name for own in labels for name in own})
        matrix = np.array([[name in own for name in names] for own in labels]) * 1
        lists, indicator = ts.compare(texts, labels, **QUICK), ts.compare(texts, matrix, **QUICK)
        assert lists.table.to_csv() == indicator.table.to_csv()

    def test_matrix_gives_the_same_results_as_texts(self):
        texts, labels = topical(20)
        vectorizer = CountVectorizer()
        X = vectorizer.fit_transform(texts)
        names = vectorizer.get_feature_names_out()
        matrix = ts.compare(X, labels, terms=names, **QUICK)
        assert matrix.table.to_csv() == ts.compare(texts, labels, **QUICK).table.to_csv()

    def test_scikit_learn_classifiers_are_accepted(self):
        options = QUICK | {"classifiers": ["multinomial_nb", RidgeClassifier(), MultinomialNB(alpha=0.5)]}
        for texts_of in (topical, several):
            comparison = ts.compare(*texts_of(20), **options)
            assert {"multinomial_nb", "RidgeClassifier()", "MultinomialNB(alpha=0.5)"} == set(
                comparison.table["classifier"]
            )

    def test_round_robin_is_omitted_for_two_classes(self):
        comparison = ts.compare(
            *topical(20, classes=("sea", "farm")), k=[5, 20], classifiers="svm", repeats=1
        )
        assert not any(name.endswith((":round_robin", ":per_class")) for name in comparison.table["method"])

    def test_all_terms_are_tried_with_more_classifiers_and_bigrams_by_default(self):
        comparison = ts.compare(*topical(20), k=[5], repeats=1, racing=False)
        tried = {(row["method"], row["classifier"]) for row in comparison.table}
        assert {("all", "svm_balanced(C=3)"), ("all", "svm_balanced"), ("all@1-2", "nbsvm")} <= tried
        # methods are compared on the grid
        assert "all@1-2" not in set(comparison.methods["method"])
        assert set(comparison.methods["classifier"]) <= {"multinomial_nb", "complement_nb", "svm"}
        assert not (set(comparison.methods["verdict"]) & {"untried"})

    def test_analyzer_and_min_df_are_applied(self):
        texts, labels = topical(20)
        pairs = ts.compare(texts, labels, analyzer=ts.Analyzer(ngram_range=(1, 2)), min_df=2, **QUICK)
        assert any(" " in term for term in pairs.counts.terms)
        assert pairs.counts.term_df.min() >= 2
        assert len(ts.compare(texts, labels, analyzer=str.split, **QUICK).table)


class TestWarnings:
    def test_a_class_name_in_half_of_its_documents_is_a_leak(self):
        texts, labels = topical(40)
        planted = [
            f"{text} sea" if label == "sea" and i % 2 else text
            for i, (text, label) in enumerate(zip(texts, labels, strict=True))
        ]
        assert not any("give labels away" in w for w in ts.compare(texts, labels, **QUICK).warnings)
        (told,) = ts.compare(planted, labels, **QUICK).warnings
        assert "'sea' is in 20 of 40 documents of 'sea' and in 0 others" in told

    def test_a_name_of_several_words_is_a_leak_too(self):
        texts, labels = topical(40)
        names = [f"news.{label}" for label in labels]
        planted = [
            f"{text} {name}" if i % 2 else text
            for i, (text, name) in enumerate(zip(texts, names, strict=True))
        ]
        (told,) = ts.compare(planted, names, **QUICK).warnings
        assert "'news farm' is in 20 of 40 documents of 'news.farm' and in 0 others" in told

    def test_any_token_that_only_one_class_has_is_a_leak(self):
        texts, labels = topical(40)
        planted = [f"{text} ticket_{label}" for text, label in zip(texts, labels, strict=True)]
        (told,) = ts.compare(planted, labels, **QUICK).warnings
        assert "'ticket_farm' is in 40 of 40 documents of 'farm'" in told

    def test_only_the_longest_leaking_n_gram_is_reported(self):
        texts, labels = topical(40)
        planted = [f"{text} sent by {label} team" for text, label in zip(texts, labels, strict=True)]
        pairs = ts.compare(
            planted, [f"{x}s" for x in labels], analyzer=ts.Analyzer(ngram_range=(1, 3)), **QUICK
        )
        (told,) = pairs.warnings
        assert "'by farm team' is in 40 of 40 documents of 'farms' and in 0 others" in told

    def test_duplicates_across_folds_are_counted(self):
        texts, labels = topical(40)
        told = ts.compare([*texts, *texts[:20]], [*labels, *labels[:20]], **QUICK).warnings
        assert len(told) == 1
        assert "duplicate in another fold" in told[0]
        assert " of 140)" in told[0]

    def test_drop_duplicates_keeps_the_first(self):
        texts, labels = topical(40)
        comparison = ts.compare([*texts, *texts[:20]], [*labels, *labels[:20]], **QUICK, drop_duplicates=True)
        assert comparison.documents.texts == texts
        assert comparison.warnings == []

    def test_duplicates_with_other_labels_do_not_make_scores_optimistic(self):
        texts, labels = topical(40)
        contradicted = ["farm" if label == "sea" else "sea" for label in labels[:20]]
        (warning,) = ts.compare([*texts, *texts[:20]], [*labels, *contradicted], **QUICK).warnings
        assert "with a different label" in warning
        assert "too high" not in warning

    def test_identical_texts_under_both_labels_do_not_make_scores_optimistic(self):
        texts = [*topical(10)[0], *topical(10)[0]] * 2
        (warning,) = ts.compare(texts, ["a"] * 60 + ["b"] * 60, **QUICK).warnings
        assert "have a duplicate or near-duplicate in another fold with a different label" in warning

    def test_duplicates_within_a_fold_give_no_warning(self):
        from termsift.compare.documents import warn_of_duplicates
        from termsift.evaluation.splits import Division, Split

        texts, labels = topical(40)
        documents = ts.compare([*texts, *texts], [*labels, *labels], **QUICK).documents
        numbers = np.tile(np.arange(120) % 5, 2)
        pairs = [(np.flatnonzero(numbers != i), np.flatnonzero(numbers == i)) for i in range(5)]
        split = Split("5 folds", 1, 5, lambda _: [Division(*pair) for pair in pairs])
        assert not list(warn_of_duplicates(documents, split))

    def test_a_class_smaller_than_the_folds_is_named(self):
        texts, labels = topical(20)
        told = ts.compare([*texts, "zebra lion", "lion tiger"], [*labels, "zoo", "zoo"], **QUICK).warnings
        assert told[0].startswith("1 class has fewer documents than folds (5)")
        assert "'zoo'" in told[0]

    def test_documents_without_terms_are_counted(self):
        texts, labels = topical(20)
        assert ts.compare(["", *texts], ["sea", *labels], **QUICK).warnings == ["1 document has no terms."]


class TestBudget:
    def test_candidates_without_time_are_listed(self, found):
        progress = []
        comparison = ts.compare(
            *topical(30), k=[5, 20], repeats=400, budget=2, progress=lambda *done: progress.append(done)
        )
        assert comparison.results.repeats < 400
        assert "Not tried within the budget" in comparison.dropped_candidates[-1]
        assert progress == sorted(progress)

    def test_any_budget_gives_all_terms_with_a_linear_svm(self):
        comparison = ts.compare(*topical(40), k=[5, 20], repeats=1, budget=1e-6)
        assert (comparison.recommended["method"], comparison.recommended["classifier"]) == ("all", "svm")
        assert comparison.results.errors[0] > 0  # of one fold
        assert comparison.results.beats_guessing
        (note,) = comparison.dropped_candidates
        assert note.startswith("Not tried within the budget: ")
        assert "; multinomial_nb; complement_nb; svm with bns" in note
        assert "4 of 5 folds" in note
        json.loads(comparison.to_json())


class TestGuessing:
    @pytest.mark.parametrize(("share", "guess"), [(0.5, "labels at random"), (0.1, "always 'b'")])
    def test_random_labels_have_no_recommendation(self, share, guess):
        texts = noise(200)[0]
        labels = np.where(np.random.default_rng(1).random(200) < share, "a", "b").tolist()
        goal = "f1_macro" if share == 0.5 else "accuracy"
        comparison = ts.compare(texts, labels, k=[20, 200], repeats=1, goal=goal)
        assert not comparison.results.beats_guessing
        (answer,) = comparison.answer
        assert answer.startswith("No candidate is significantly better than")
        assert guess in answer
        assert "recommended" not in " ".join(comparison.summary["candidate"])
        assert json.loads(comparison.to_json())["better_than_guessing"] is False

    def test_a_good_model_of_few_documents_in_time_windows_is_recommended(self):
        """The standard error of F1 over windows of 12 documents is large, but the decisions are clear."""
        texts, labels = topical(24)
        order = np.random.default_rng(0).permutation(len(texts))
        texts, labels = [texts[i] for i in order], [labels[i] for i in order]
        times = list(range(len(texts)))
        comparison = ts.compare(texts, labels, k=[5, 20], metrics="bns", times=times)
        assert comparison.results.guess_p < 0.001

    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_guesses_score_as_scikit_learn_dummies(self, texts_of):
        """The most frequent label scores exactly the same, random labels within sampling error."""
        texts, labels = texts_of(80)
        comparison = ts.compare(texts, labels, k=[20], repeats=1, metrics="ig", goal="f1_micro")
        truth = comparison.documents.truth
        rare = truth[:, truth.mean(axis=0) < 0.5].shape[1] == truth.shape[1]
        majority = 1 / 3 if texts_of is topical else 0.0
        assert rare
        assert comparison.results.guess_values[0].mean() == pytest.approx(majority, abs=0.01)
        shares = truth.mean(axis=0)
        expected = (shares**2).sum() / shares.sum()
        assert comparison.results.guess_values[1].mean() == pytest.approx(expected, abs=0.1)
        assert comparison.results.beats_guessing

    def test_the_summary_shows_best_recommended_usual_and_guessing(self, found):
        rows = list(found.summary)
        assert rows[0]["candidate"].startswith("best")
        assert rows[0]["mean"] == found.best["mean"]
        by_role = {role: row for row in rows for role in row["candidate"].split(" = ")}
        assert set(by_role) == {"best", "recommended", "all terms, linear SVM", "guessing"}
        assert by_role["recommended"]["terms"] == found.recommended["terms"]
        assert by_role["all terms, linear SVM"]["features"] == "all"
        assert all(row["documents_per_second"] > 0 for row in rows[:-1])
        for row in rows[1:]:
            assert row["difference"] == pytest.approx(row["mean"] - found.best["mean"])


def without_candidates(comparison, dropped):
    """The comparison as if there had been no time for some of its candidates."""
    r = comparison.results
    kept = np.array([i for i, line in enumerate(r.candidates) if not dropped(line)])
    cut = replace(
        r,
        candidates=[r.candidates[i] for i in kept],
        confusion=r.confusion[kept],
        values=r.values[kept],
        terms=r.terms[kept],
    )
    return replace(comparison, results=cut)


class TestUntriedCandidates:
    @pytest.fixture
    def cut(self, found):
        """The best line is of the logistic regression or the SVM, with which ig was not tried."""
        judge = found.results.candidates[found.results.best].classifier
        methods = {"ig", "all"} - {found.results.candidates[found.results.best].ranker.name}
        return without_candidates(
            found, lambda line: line.ranker.name in methods and line.classifier is judge
        )

    def test_a_method_not_tried_with_the_best_classifier_is_not_tested(self, found, cut):
        rows = {row["method"]: row for row in cut.methods}
        assert rows["ig"]["verdict"] == "untried"
        assert np.isnan(rows["ig"]["p"])
        assert all(row["verdict"] != "untried" for row in found.methods)

    def test_differences_use_classifiers_that_both_methods_were_tried_with(self, cut):
        row = next(row for row in cut.methods if row["method"] == "ig")
        judges = {line.classifier.name for line in cut.results.candidates if line.ranker.name == "ig"}
        winner = cut.best["method"]
        like = [one["mean"] for one in cut.table if one["method"] == winner and one["classifier"] in judges]
        assert row["difference"] == pytest.approx(row["mean"] - max(like))

    def test_class_results_use_classifiers_that_all_methods_were_tried_with(self, cut):
        judge = cut.results.candidates[cut.results.best].classifier.name
        assert judge not in set(cut.by_class_and_method["classifier"])


class TestRemovedDuplicates:
    def test_duplicates_are_counted_by_class(self):
        texts, labels = topical(30)
        near = " ".join([*texts[40].split(), *(f"new{i}" for i in range(2))])
        comparison = ts.compare(
            [*texts, texts[0], texts[1], near], [*labels, "sea", "sea", "farm"], **QUICK, drop_duplicates=True
        )
        assert comparison.dropped_candidates == [
            "Removed 3 of 93 documents as duplicates of earlier ones: 2 exact, 1 near (at least 80% of terms "
            "in common). By class: sea 2, farm 1."
        ]

    def test_without_duplicates_there_is_no_note(self):
        assert ts.compare(*topical(30), **QUICK, drop_duplicates=True).dropped_candidates == []


def test_every_requested_size_has_a_candidate(found):
    assert {line.k for line in found.results.candidates} == {5, 20, 50, UNLIMITED}


def test_to_json_is_one_object_with_all_results(found):
    told = json.loads(found.to_json())
    assert told["chosen"] == found.recommended
    assert told["answer"] == found.answer
    assert told["words"]["sea"] == found.keywords[[own.name for own in found.keywords].index("sea")].terms
    assert len(told["candidates"]) == len(found.table)
    assert all(isinstance(row["terms"], int) for row in told["candidates"])
    assert {"best", "warnings", "dropped_candidates", "methods", "trade_off", "classes", "expected"} <= set(
        told
    )


def test_a_dict_names_the_classifiers():
    mine = make_pipeline(TfidfTransformer(), RidgeClassifier(alpha=0.123456789))
    judges = {"mine": mine, "multinomial_nb": "multinomial_nb"}
    comparison = ts.compare(*topical(20), metrics="bns", k=[5], repeats=1, classifiers=judges)
    assert set(comparison.table["classifier"]) == {"mine", "multinomial_nb"}


@pytest.mark.parametrize("expected", [1, 1e-9])
def test_a_method_that_sets_the_size_is_evaluated_with_it(expected):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = (rng.random((120, 80)) < 0.1 + 0.4 * ((y[:, None] == 1) * (np.arange(80) < 6 * (expected == 1)))) * 1
    method = f"chi2:Significant({expected})"
    found = ts.compare(X, y, metrics=[method], classifiers=["multinomial_nb"], k=[20])
    sizes = [row["terms"] for row in found.table if "significant" in row["method"].lower()]
    # if no term is significant, only the best term is used
    assert 1 < max(sizes) < 20 if expected == 1 else sizes == [1]
