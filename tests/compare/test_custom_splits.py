"""The user's own split: groups, given test documents, time, splitters of scikit-learn, weights."""

from __future__ import annotations

import warnings
from datetime import date

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import termsift as ts
from compared_texts import authored, several, topical
from termsift.counts.labels import as_labels
from termsift.evaluation.splits import assign_group_folds, assign_time_windows

ONE = {"metrics": "df", "k": [20], "classifiers": "multinomial_nb"}
QUICK = {**ONE, "repeats": 1}


def figure(found, method="all"):
    """The mean of a method."""
    return next(row["mean"] for row in found.table if row["method"] == method)


class TestGroups:
    def test_groups_prevent_leakage_of_authors(self):
        texts, labels, authors = authored()
        known = ts.compare(texts, labels, **QUICK)
        unknown = ts.compare(texts, labels, groups=authors, **QUICK)
        assert known.best["mean"] > 0.99
        assert abs(figure(unknown) - 0.5) < 0.1
        assert "groups kept together" in unknown.answer[-1]

    @pytest.mark.parametrize("folds", [2, 5])
    def test_a_group_is_in_one_fold_and_each_class_in_all(self, folds):
        lot = np.random.default_rng(1)
        groups = lot.integers(0, 60, 600)
        labels = as_labels(np.array(["a", "b", "c"])[lot.choice(3, 600, p=[0.6, 0.3, 0.1])])
        numbers = assign_group_folds(labels, groups, folds, 0)
        assert all(len(set(numbers[groups == group])) == 1 for group in set(groups))
        for c in range(3):
            shares = np.bincount(numbers[labels.class_documents(c)], minlength=folds) / len(
                labels.class_documents(c)
            )
            assert np.ptp(shares) < 0.12
        assert not np.array_equal(numbers, assign_group_folds(labels, groups, folds, 1))

    def test_no_fold_is_empty_with_as_many_groups_as_folds(self):
        groups = np.repeat(np.arange(4), [90, 1, 1, 1])
        numbers = assign_group_folds(as_labels(["a", "b", "a"] * 31), groups, 4, 0)
        assert set(numbers) == {0, 1, 2, 3}

    def test_groups_work_with_several_labels(self):
        texts, labels = several(60)
        found = ts.compare(texts, labels, groups=np.arange(60) // 3, **QUICK)
        assert "groups kept together" in found.answer[1]

    def test_nested_choices_keep_groups_together(self):
        from termsift.engines.documents import Documents
        from termsift.evaluation.splits import inner_split

        texts, labels = topical(20)
        rows = CountVectorizer().fit_transform(texts)
        groups = np.arange(60) % 10
        documents = Documents(rows, as_labels(labels), np.arange(rows.shape[1]), groups=groups)
        learned, judged = inner_split(documents, 0)
        assert not set(groups[learned]) & set(groups[judged])


class TestHeldOut:
    @pytest.fixture(scope="class")
    @staticmethod
    def parts():
        texts, labels = topical(60, seed=2)
        lot = np.random.default_rng(0).permutation(180)
        return [([texts[i] for i in own], [labels[i] for i in own]) for own in (lot[:120], lot[120:])]

    @pytest.fixture(scope="class")
    @staticmethod
    def found(parts):
        (texts, labels), (others, truth) = parts
        return ts.compare(texts, labels, test=others, test_labels=truth, **ONE)

    def test_holdout_scores_equal_those_of_scikit_learn(self, found, parts):
        (texts, labels), (others, truth) = parts
        vectorizer = CountVectorizer()
        model = MultinomialNB().fit(vectorizer.fit_transform(texts), labels)
        predicted = model.predict(vectorizer.transform(others))
        assert figure(found) == pytest.approx(f1_score(truth, predicted, average="macro"))

    def test_holdout_errors_are_close_to_a_bootstrap(self, found, parts):
        (texts, labels), (others, truth) = parts
        vectorizer = CountVectorizer()
        model = MultinomialNB().fit(vectorizer.fit_transform(texts), labels)
        own, given = np.array(truth), model.predict(vectorizer.transform(others))
        lot = np.random.default_rng(0)
        draws = [lot.integers(0, len(own), len(own)) for _ in range(300)]
        spread = np.std(
            [f1_score(own[draw], given[draw], average="macro", zero_division=0) for draw in draws]
        )
        error = next(row["error"] for row in found.table if row["method"] == "all")
        assert 0.6 < error / spread < 1.6

    def test_the_answer_describes_the_error_estimate(self, found):
        assert "60 documents held out, ± by the jackknife over 20 blocks of them" in found.answer[1]
        assert "terms chosen on the training set" in found.answer[1]

    def test_model_and_keywords_use_only_training_documents(self, found, parts):
        assert found.documents.texts == parts[0][0]

    def test_split_column_gives_the_same_result(self, found, parts):
        both = (
            [text for texts, _ in parts for text in texts],
            [name for _, labels in parts for name in labels],
        )
        frame = pd.DataFrame({"t": both[0], "l": both[1], "part": ["train"] * 120 + ["Test"] * 60})
        same = ts.compare(frame, text="t", label="l", split="part", **ONE)
        assert same.table.to_csv() == found.table.to_csv()

    def test_duplicates_of_training_documents_are_reported_and_can_be_dropped(self, parts):
        (texts, labels), (others, truth) = parts
        copies = {"test": [*others, *texts[:10]], "test_labels": [*truth, *labels[:10]]}
        told = ts.compare(texts, labels, **copies, **ONE).warnings
        assert (
            "14% of the documents (10 of 70) have a duplicate or near-duplicate among the training documents"
            in told[-1]
        )
        dropped = ts.compare(texts, labels, **copies, **ONE, drop_duplicates=True)
        assert "60 documents held out" in dropped.answer[1]


class TestTime:
    def test_later_documents_are_never_used_for_training(self):
        times = np.array([5, 1, 1, 2, 3, 3, 3, 4, 6, 7])
        numbers = assign_time_windows(times, 4)
        assert all(len(set(numbers[times == time])) == 1 for time in times)
        assert np.array_equal(np.argsort(times, kind="stable"), np.lexsort((np.arange(10), times, numbers)))
        assert set(numbers) == {0, 1, 2, 3}

    def test_time_windows_train_only_on_the_past(self):
        # the words mean the opposite from one month to the next, so the past misleads
        texts, labels = topical(60, classes=("sea", "farm"))
        swap = {"sea": "farm", "farm": "sea"}
        months = np.arange(120) % 6
        turned = [
            name if month % 2 else swap[name] for name, month in zip(labels, months.tolist(), strict=True)
        ]
        days = [date(2024, 1 + int(month), 1) for month in months]
        past = ts.compare(texts, turned, times=days, folds=5, **ONE)
        assert figure(past) < 0.45
        assert "5 time windows, each tested on a model trained on earlier documents" in " ".join(past.answer)

    @pytest.mark.parametrize(
        "times",
        [
            ["2024-01-02", "2023-12-31T10:00", "2024-01-02"],
            pd.to_datetime(["2024-01-02", "2023-12-31", "2024-01-02"]),
            [2.5, -1, 2.5],
            ["10", "9", "10"],
            [10**400, 1, 10**400],
            [date(2024, 1, 2), date(2023, 1, 2), date(2024, 1, 2)],
        ],
    )
    def test_times_of_all_formats_are_ordered(self, times):
        from termsift.compare.documents import rank_times

        assert rank_times(list(times)).tolist() == [1, 0, 1]


class TestSplitters:
    def test_scikit_learn_splitter_gives_the_same_scores(self):
        texts, labels = topical(30)
        split = StratifiedKFold(3, shuffle=True, random_state=4)
        found = ts.compare(texts, labels, cv=split, **ONE)
        figures = []
        for learned, judged in split.split(texts, labels):
            vectorizer, y = CountVectorizer(), np.array(labels)
            X = vectorizer.fit_transform([texts[i] for i in learned])
            predicted = (
                MultinomialNB().fit(X, y[learned]).predict(vectorizer.transform([texts[i] for i in judged]))
            )
            figures.append(f1_score(y[judged], predicted, average="macro"))
        assert figure(found) == pytest.approx(np.mean(figures))
        assert "3 splits of StratifiedKFold" in found.answer[1]

    def test_repeated_splitters_have_rounds_and_random_splits_do_not(self):
        texts, labels = topical(20)
        repeated = ts.compare(texts, labels, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2), **ONE)
        assert (repeated.results.folds, repeated.results.repeats) == (3, 2)
        drawn = ts.compare(texts, labels, cv=ShuffleSplit(4, test_size=0.5, random_state=0), **ONE)
        assert drawn.results.nested_score() is None
        assert "Expect less on new data" in drawn.answer[-1]

    def test_standard_errors_use_the_sizes_of_training_and_test_sets(self):
        texts, labels = topical(30)
        found = ts.compare(texts, labels, cv=ShuffleSplit(4, test_size=0.5, random_state=0), **ONE)
        values = found.results.values[0]
        assert found.results.errors[0] == pytest.approx(values.std(ddof=1) * np.sqrt(1 / 4 + 1))

    def test_groups_are_passed_to_the_splitter(self):
        texts, labels, authors = authored(20, 6)
        found = ts.compare(texts, labels, cv=GroupKFold(4), groups=authors, **ONE)
        assert figure(found) < 0.6

    def test_one_pair_of_indices_is_a_holdout(self):
        texts, labels = topical(30)
        lot = np.random.default_rng(0).permutation(90)
        found = ts.compare(texts, labels, cv=[(lot[:60], lot[60:])], **ONE)
        assert "1 split of cv, ± by the jackknife over 20 blocks" in found.answer[1]


class TestWeights:
    @pytest.mark.parametrize(
        ("name", "model"),
        [
            ("multinomial_nb", MultinomialNB()),
            ("svm", make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC(random_state=0))),
        ],
    )
    def test_weighted_scores_equal_those_of_scikit_learn(self, name, model):
        texts, labels = topical(40, classes=("sea", "farm"))
        lot = np.random.default_rng(3)
        weights, (learned, judged) = lot.integers(0, 5, 80) / 2, np.split(lot.permutation(80), [50])
        options = {**ONE, "classifiers": name, "cv": [(learned, judged)], "sample_weight": weights}
        found = ts.compare(texts, labels, **options, goal=["f1_macro", "accuracy"])
        y, vectorizer = np.array(labels), CountVectorizer()
        X = vectorizer.fit_transform([texts[i] for i in learned])
        step = "sample_weight" if name == "multinomial_nb" else "linearsvc__sample_weight"
        fitted = model.fit(X, y[learned], **{step: weights[learned]})
        predicted = fitted.predict(vectorizer.transform([texts[i] for i in judged]))
        own = f1_score(y[judged], predicted, average="macro", sample_weight=weights[judged])
        assert figure(found) == pytest.approx(own)
        assert "weighted documents" in found.answer[1]

    def test_a_weight_of_two_counts_a_document_twice(self):
        texts, labels = topical(10)
        twice = ts.compare(texts, labels, **QUICK, sample_weight=[2] * 30)
        assert twice.counts.documents == 60


class TestMistakes:
    TEXTS, LABELS = topical(10)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"groups": [None, *range(29)]}, "document 0 has no group; drop it or give it a group"),
            ({"groups": [1, 2] * 15}, "folds is 5 but there are only 2 groups"),
            ({"groups": [1, 2]}, "30 documents but 2 groups"),
            ({"times": ["yesterday"] * 30}, "the times cannot be ordered: document 0 has 'yesterday'; use "),
            (
                {"times": [1, "2024-01-01"] * 15},
                "document 0 has 1, document 1 has '2024-01-01'; use only numbers or only dates",
            ),
            ({"times": ["2024-01-01", "2024-01-01T00:00Z"] * 15}, "give all of them a time zone, or none"),
            ({"times": [1, 2, 3] * 10}, "time has 3 distinct values, but 5 time windows need at least 6"),
            ({"times": [float("nan"), *range(29)]}, "document 0 has no time"),
            ({"splits": ["train", "dev"] * 15}, "split must be train or test, got 'dev' for document 1"),
            ({"splits": ["train"] * 30}, "split is train for all documents"),
            ({"splits": ["test"] + ["train"] * 29}, "the test set needs at least 2 documents, got 1"),
            ({"sample_weight": ["heavy"] * 30}, "document 0 has weight 'heavy'; a weight must be a number"),
            ({"sample_weight": [-1] * 30}, "sample_weight must be finite and at least 0"),
            ({"sample_weight": [0] * 30}, "all weights are 0"),
            (
                {"test": ["a ship"] * 2, "test_labels": ["zoo", "sea"]},
                "the training set lacks a class of the test set: ",
            ),
            ({"test": ["a ship"] * 2, "test_labels": ["sea"]}, "2 documents but 1 labels"),
            (
                {"test": np.eye(2), "test_labels": ["sea"] * 2},
                "one input contains texts and the other a matrix",
            ),
            (
                {"times": range(30), "cv": StratifiedKFold(2)},
                "give only one of cv and times: each defines the test set",
            ),
            ({"cv": "folds"}, "cv must be a scikit-learn splitter or pairs of indices, got 'folds'"),
            ({"cv": [([0, 1], [1, 2])]}, "split 1 has document 1 in both training and test set"),
            ({"cv": [([0, 20], [99])]}, "cv must give indices of the 30 documents, got"),
            ({"cv": [1, 2]}, "pair 1 of cv must be training and test indices"),
            ({"cv": [([0, 20], [3, 3])]}, "pair 1 of cv repeats a document index"),
            ({"cv": [(range(10), range(20, 30))]}, "split 1 has only one class in the training set, 'sea'"),
            ({"cv": StratifiedKFold(20)}, "StratifiedKFold cannot split these documents"),
            (
                {"cv": StratifiedKFold(2), "groups": [1, 2, 3] * 10},
                "has 3 groups in both training and test set",
            ),
            (
                {"group": "author"},
                "group= is a column of a data frame or a file, but the documents are texts",
            ),
            ({"goal": []}, "at least one goal is needed"),
            ({"goal": ["f1_macro", "f1_macro"]}, "goal f1_macro is given twice; name each goal once"),
            ({"goal": "f0_macro"}, "beta in goal 'f0_macro' must be above 0"),
            (
                {"goal": "precision_at_recall(1.5)"},
                "recall in goal 'precision_at_recall.1.5.' must be above 0 and at most 1",
            ),
            ({"goal": "fbeta"}, "no goal named 'fbeta'"),
        ],
    )
    def test_invalid_splits_are_one_line_errors(self, options, message):
        with warnings.catch_warnings(action="ignore"), pytest.raises(ts.TermsiftError, match=message) as told:
            ts.compare(self.TEXTS, self.LABELS, **ONE, **options)
        assert len(str(told.value).splitlines()) == 1

    def test_values_and_column_are_exclusive(self):
        frame = pd.DataFrame({"t": self.TEXTS, "l": self.LABELS, "g": range(30)})
        with pytest.raises(ts.InvalidInputError, match="group is given twice, as values and as a column"):
            ts.compare(frame, text="t", label="l", group="g", groups=range(30))
        with pytest.raises(ts.TermsiftError, match="no column named 'h'"):
            ts.compare(frame, text="t", label="l", group="h")
