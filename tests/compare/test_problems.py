"""A benchmark evaluates every class against the rest as scikit-learn would, resumes, and analyses results."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
from compared_texts import topical
from termsift.compare.documents import prepare_documents
from termsift.compare.problem_page import find_ticks
from termsift.engines import load_documents
from termsift.evaluation import k_fold_split

OPTIONS = {"methods": ["bns", "cc"], "k": [3, 9], "classifiers": "multinomial_nb", "folds": 3, "repeats": 2}


@pytest.fixture(scope="module")
def corpora():
    return {"first": topical(12), "second": topical(15)}


@pytest.fixture(scope="module")
def found(corpora, tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmark") / "runs.csv"
    return ts.benchmark(corpora, save=path, **OPTIONS), path


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_class_of_every_corpus_is_a_problem(corpora, found):
    assert found[0].n_problems == sum(len(set(labels)) for _, labels in corpora.values())
    rows = read(found[1])
    assert len(rows) == found[0].n_problems * 2 * 2 * 2
    assert all(int(row["positives"]) * 3 == int(row["documents"]) for row in rows)


def test_values_are_those_of_scikit_learn_pooled_over_the_folds(corpora, found):
    texts, labels = corpora["first"]
    documents = prepare_documents(load_documents(texts, labels))
    X = CountVectorizer(vocabulary=documents.terms.tolist()).fit_transform(texts)
    name = sorted(set(labels))[0]
    y = np.array(labels) == name
    for repeat in range(2):
        decided = np.zeros(len(y), dtype=bool)
        for division in k_fold_split(documents, 3, repeat + 1, 0).divisions(repeat):
            train, test = division.train, division.test
            counts = ts.count(X[train], y[train])
            # one-sided: the best terms for the class, not for the rest
            columns = [int(term[1:]) for term in ts.score(counts, "cc").top(True, 9)["term"]]
            model = MultinomialNB().fit(X[train][:, columns], y[train])
            log = model.predict_joint_log_proba(X[test][:, columns])
            decided[test] = log[:, 1] > log[:, 0]
        (row,) = (
            row
            for row in read(found[1])
            if (row["corpus"], row["class"], row["repeat"]) == ("first", name, str(repeat))
            and (row["method"], row["size"]) == ("cc", "9")
        )
        expected = {
            "f1": f1_score(y, decided),
            "precision": precision_score(y, decided, zero_division=0),
            "recall": recall_score(y, decided),
            "accuracy": accuracy_score(y, decided),
        }
        assert {goal: float(row[goal]) for goal in expected} == pytest.approx(expected, abs=1e-5)


def test_a_method_counts_with_the_mean_over_repeats_of_its_best_size(found):
    rows = [row for row in read(found[1]) if row["corpus"] == "second" and row["method"] == "bns"]
    name = rows[0]["class"]
    by_repeat = [
        max(float(row["f1"]) for row in rows if (row["class"], row["repeat"]) == (name, repeat))
        for repeat in ("0", "1")
    ]
    (row,) = (
        row
        for row in found[0].best_over_sizes
        if (row["goal"], row["problem"], row["method"]) == ("f1", f"second: {name}", "bns")
    )
    assert row["value"] == pytest.approx(np.mean(by_repeat))


def test_an_interrupted_benchmark_continues_and_adds_methods(corpora, found, tmp_path):
    path, calls = tmp_path / "runs.csv", []
    lines = found[1].read_text().splitlines(keepends=True)
    # the rows of the second corpus, and of one method of the first, are missing
    kept = [line for line in lines if not line.startswith("second") and ",cc," not in line]
    path.write_text("".join(kept))
    again = ts.benchmark(corpora, save=path, progress=lambda *step: calls.append(step), **OPTIONS)
    assert sorted(path.read_text().splitlines()) == sorted(found[1].read_text().splitlines())
    assert again.win_shares.to_csv() == found[0].win_shares.to_csv()
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
    before = path.read_text()
    ts.benchmark(corpora, save=path, **OPTIONS)
    assert path.read_text() == before
    more = ts.benchmark(corpora, save=path, **OPTIONS | {"methods": ["bns", "df"]})
    assert set(more.best_over_sizes["method"]) == {"bns", "df"}


def test_saved_results_of_other_folds_or_documents_are_an_error(corpora, found):
    with pytest.raises(ts.InvalidInputError, match="with other documents, folds or seed"):
        ts.benchmark(corpora, save=found[1], **OPTIONS | {"folds": 4})
    with pytest.raises(ts.InvalidInputError, match="with other documents, folds or seed"):
        ts.benchmark({"first": topical(20)}, save=found[1], **OPTIONS)


def test_threads_change_nothing(corpora, found):
    assert ts.benchmark(corpora, n_jobs=3, **OPTIONS).to_json() == found[0].to_json()


RESULTS = {
    "set": ["a", "a", "b", "b"] * 2,
    "class": ["x", "x", "y", "y"] * 2,
    "metric": ["bns", "ig"] * 4,
    "size": [10] * 4 + [100] * 4,
    "f1": [0.5, 0.8, 0.2, 0.3, 0.9, 0.7, 0.4, 0.6],
    "documents": [100] * 8,
    "positives": [40, 40, 2, 2] * 2,
}
COLUMNS = {"corpus": "set", "method": "metric"}


class TestResultsOfOtherPrograms:
    def test_results_are_restricted_to_the_named_goals(self):
        table = {"problem": ["p"] * 4, "method": ["a", "b"] * 2, "goal": ["f1", "f1", "speed", "speed"]}
        table["value"] = [0.5, 0.7, 1.0, 2.0]
        assert set(ts.benchmark(results=table).win_shares["goal"]) == {"f1", "speed"}
        assert set(ts.benchmark(results=table, goals="speed").win_shares["goal"]) == {"speed"}
        with pytest.raises(ts.InvalidInputError, match="no goal recall; they have f1, speed"):
            ts.benchmark(results=table, goals=["recall"])

    def test_best_chances_pairs_and_bands(self):
        found = ts.benchmark(results=RESULTS, columns=COLUMNS, tolerance=0.15)
        assert {(row["problem"], row["method"]): row["value"] for row in found.best_over_sizes} == {
            ("a: x", "bns"): 0.9,
            ("a: x", "ig"): 0.8,
            ("b: y", "bns"): 0.4,
            ("b: y", "ig"): 0.6,
        }
        shares = {row["method"]: row["share"] for row in found.win_shares if row["tolerance"] == 0.15}
        assert shares == {"ig": 1.0, "bns": 0.5}
        assert [(row["skew"], row["method"], row["share"]) for row in found.by_skew] == [
            ("0 to 5", "bns", 1.0),
            ("0 to 5", "ig", 1.0),
            ("15 to 67", "ig", 1.0),
            ("15 to 67", "bns", 0.0),
        ]
        assert {row["positives"] for row in found.by_positives} == {"0 to 20", "20 to 50"}
        (residual,) = found.residual_wins
        assert (residual["first"], residual["method"], residual["failures"]) == ("ig", "bns", 0)

    def test_the_default_tolerance_of_accuracy_is_smaller(self):
        results = {"problem": [1, 1], "method": ["bns", "ig"], "f1": [0.9, 0.895], "accuracy": [0.99, 0.985]}
        found = ts.benchmark(results=results)
        assert {(row["goal"], row["tolerance"], row["method"]): row["wins"] for row in found.wins} == {
            ("f1", 0.01, "bns"): 1,
            ("f1", 0.01, "ig"): 1,
            ("accuracy", 0.001, "bns"): 1,
            ("accuracy", 0.001, "ig"): 0,
        }
        assert set(ts.benchmark(results=results, tolerance=0.01).wins["wins"]) == {1}
        assert "accuracy: bns is within 0.001 of the best on 100%" in found.answer[-1]

    def test_the_answer_names_the_corpora(self):
        assert ts.benchmark(results=RESULTS, columns=COLUMNS).answer[0] == "2 problems (a 1, b 1), 2 methods."

    def test_a_csv_file_equals_a_table_and_a_column_of_goals(self, tmp_path):
        table = ts.benchmark(results=RESULTS, columns=COLUMNS)
        path = tmp_path / "results.csv"
        names = [name for name in RESULTS if name != "f1"]
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*names, "goal", "value"])
            for i in range(8):
                writer.writerow([*(RESULTS[name][i] for name in names), "f1", RESULTS["f1"][i]])
        assert ts.benchmark(results=path, columns=COLUMNS).to_json() == table.to_json()

    @pytest.mark.parametrize(
        ("results", "columns", "message"),
        [
            (RESULTS, {}, "the results have no column 'method'; available columns: 'set'"),
            (RESULTS, {"method": "metrics"}, "column 'metrics' (method) is not in the results"),
            (RESULTS, {"methods": "metric"}, "no role of a column named 'methods'"),
            (RESULTS | {"f1": [0.5] * 7 + ["?"]}, COLUMNS, "column 'f1' must have finite numbers, got '?' in row 7"),
            (RESULTS | {"size": [10] * 8}, COLUMNS, "two values of method bns on problem a: x for f1"),
            ({name: RESULTS[name] for name in ("set", "metric")}, COLUMNS, "the results have no column 'value'"),
        ],
    )  # fmt: skip
    def test_bad_results_are_a_one_line_error(self, results, columns, message):
        with pytest.raises(ts.TermsiftError, match=re.escape(message)) as caught:
            ts.benchmark(results=results, columns=columns)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goals": "f2"}, "no goal named 'f2'"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"k": [0]}, "k must be at least 1, got 0"),
        ({"min_positives": 500}, "no class has 500 documents inside and outside"),
        ({"results": RESULTS}, "give either corpora or results, not both"),
    ],
)
def test_an_invalid_option_is_an_error(corpora, options, message):
    with pytest.raises(ts.TermsiftError, match=message):
        ts.benchmark(corpora, **OPTIONS | options)


def test_corpora_are_needed_and_named_once(tmp_path):
    with pytest.raises(ts.InvalidInputError, match="at least one corpus, or results, is needed"):
        ts.benchmark([])
    with pytest.raises(ts.InvalidInputError, match="several corpora have the same name"):
        ts.benchmark([tmp_path / "a" / "x.csv", tmp_path / "b" / "x.csv"])


def test_the_page_has_every_table_and_escapes_names(found):
    page = found[0].to_html("A & B")
    assert "<h1>A &amp; B</h1>" in page
    for name in ("chances", "residual", "pairs", "differences", "by-skew", "by-positives", "by-size"):
        assert f'<table id="{name}"' in page
    assert page.count("<polyline") == 2 * 2 * len(found[0].goals)
    assert all(f'<td class="number">{value:.4g}</td>' in page for value in found[0].differences["p"])
    results = RESULTS | {"metric": ["<b>", "ig"] * 4}
    assert "<b>" not in ts.benchmark(results=results, columns=COLUMNS).to_html()


def test_charts_have_round_ticks_and_titles(found):
    page = found[0].to_html("A")
    assert page.count("<figcaption>") == 2 * len(found[0].goals)
    assert "<figcaption>Share of problems within a tolerance of the best accuracy</figcaption>" in page
    for values in ([0.2, 0.91], [0.913, 0.97], [0.5, 0.5], [0.0, 1.0], [3.0, 123.0]):
        ticks = find_ticks(values)
        assert len(ticks) <= 6
        assert ticks[0] <= min(values)
        assert ticks[-1] >= max(values)
        assert all(len(f"{tick:g}") <= 5 for tick in ticks)


def test_json_has_every_table(found):
    values = json.loads(found[0].to_json())
    assert set(values) == {
        "problems", "answer", "chances", "by_size", "by_skew", "by_positives", "residual", "pairs",
        "differences", "best",
    }  # fmt: skip
    assert values["problems"] == found[0].n_problems
