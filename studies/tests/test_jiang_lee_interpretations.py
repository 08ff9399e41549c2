"""Interpretations of Jiang and Lee: equation 1, Laplace's smoothing, and the committed results."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from committed import COMMITTED
from scipy.sparse import csr_array

import termsift as ts
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.estimators.extractors import ClassWeightExtractor, WordClusterExtractor
from termsift.estimators.selectors import TermSelector
from termsift.evaluation.splits import Fold
from termsift_studies.jiang_lee.plan import EVERYWHERE, INTERPRETATIONS, LATER, MAIN_LABEL, NEAREST, unit_name
from termsift_studies.jiang_lee.results import add_interpretations
from termsift_studies.jiang_lee.trials import (
    BY_DOCUMENTS,
    BY_OCCURRENCES,
    DOCUMENTS,
    OCCURRENCES,
    SIZES,
    JiangInterpretation,
    gain_metric,
    newsgroups,
    predict_naive_bayes,
    word_documents,
)
from termsift_studies.study import VERDICTS

TARGET = np.arange(90) % 3
ROWS = np.random.default_rng(7).poisson(0.2 + 0.8 * (np.arange(90)[:, None] % 3 == np.arange(12) % 4))
ROWS[:, 11] = 1


def gain(basis) -> np.ndarray:
    return np.asarray(ts.score(ts.count(ROWS, TARGET), gain_metric(basis)))


def as_words() -> tuple[np.ndarray, np.ndarray]:
    """A document of one word for each occurrence."""
    documents, words = np.nonzero(ROWS)
    times = ROWS[documents, words]
    return np.eye(ROWS.shape[1], dtype=int)[np.repeat(words, times)], np.repeat(TARGET[documents], times)


class TestGain:
    def test_by_documents_it_is_the_metric_of_the_catalogue(self):
        bits = np.asarray(ts.score(ts.count(ROWS, TARGET), "ig_all"))
        np.testing.assert_allclose(gain(BY_DOCUMENTS), bits * np.log(2), atol=1e-12)

    def test_by_occurrences_each_of_them_is_a_document(self):
        found = gain(BY_OCCURRENCES)
        each = np.asarray(ts.score(ts.count(*as_words()), "ig_all")) * np.log(2)
        # Pr(c) is by documents here and by occurrences there, the same for all words
        np.testing.assert_allclose(found - found[0], each - each[0], atol=1e-12)

    @pytest.mark.parametrize(
        "basis", [(DOCUMENTS, OCCURRENCES, DOCUMENTS), (OCCURRENCES, OCCURRENCES, DOCUMENTS)]
    )
    def test_mixed_it_is_that_of_a_plain_loop(self, basis):
        found = gain(basis)
        for word in range(ROWS.shape[1]):
            held = ROWS[:, word] > 0
            has = held.mean() if basis[0] == DOCUMENTS else ROWS[:, word].sum() / ROWS.sum()
            value = log(3)
            for c in range(3):
                given = ROWS[c == TARGET, word].sum() / ROWS[:, word].sum()
                absent = (TARGET[~held] == c).mean() if not held.all() else 0
                value += has * given * log(given)
                value += (1 - has) * absent * log(absent) if absent else 0
            assert found[word] == pytest.approx(value)


def fold() -> Fold:
    terms = np.array([f"w{i}" for i in range(ROWS.shape[1])], dtype=object)
    train = Documents(csr_array(ROWS[:60]), as_labels(TARGET[:60]), terms)
    return Fold(train, csr_array(ROWS[60:]), TARGET[60:, None] == np.arange(3))


STEPS = (ClassWeightExtractor(), WordClusterExtractor(4), TermSelector("ig_all", k=5))


class TestLaplace:
    @pytest.mark.parametrize("step", STEPS)
    @pytest.mark.parametrize("laplace", ["features", "all words", "their words"])
    def test_answers_are_those_of_a_plain_loop(self, step, laplace):
        known = fold()
        answers = predict_naive_bayes(known, step, JiangInterpretation(laplace=laplace))
        made = np.asarray(csr_array(step.transform(np.eye(ROWS.shape[1]))).toarray())
        n = np.array([ROWS[:60][TARGET[:60] == c].sum(axis=0) for c in range(3)])
        if laplace == "their words":
            shares = ((n + 1) / (n.sum(axis=1, keepdims=True) + n.shape[1])) @ made
        else:
            own = n @ made
            added = made.shape[1] if laplace == "features" else n.shape[1]
            shares = (own + 1) / (own.sum(axis=1, keepdims=True) + added)
        assert answers.tolist() == (ROWS[60:] @ made @ np.log(shares).T).argmax(axis=1).tolist()

    def test_of_all_words_the_interpretations_are_one(self):
        found = [
            predict_naive_bayes(fold(), "passthrough", JiangInterpretation(laplace=laplace)).tolist()
            for laplace in ("features", "all words", "their words")
        ]
        assert found[0] == found[1] == found[2]


def test_a_word_counts_once_where_it_is_read_so():
    texts, labels = ["oil oil price", "price price price"], ["crude", "earn"]
    plain = word_documents(texts, labels, JiangInterpretation())
    once = word_documents(texts, labels, JiangInterpretation(once=True))
    two = word_documents(texts, labels, JiangInterpretation(most=2))
    assert plain.rows.toarray().tolist() == [[2, 1], [0, 3]]
    assert once.rows.toarray().tolist() == [[1, 1], [0, 1]]
    assert two.rows.toarray().tolist() == [[2, 1], [0, 2]]


def test_the_matrix_has_the_posts_and_words_of_deng_cai(data_folder):
    documents, is_test = newsgroups(data_folder, JiangInterpretation(matrix=True))
    assert documents.rows.shape == (18846, 26214)
    assert documents.rows.data.max() > 10  # numbers of occurrences
    assert (len(documents.labels.classes), int(is_test.sum())) == (20, 6282)


def test_unit_names_are_unique():
    names = [unit_name(corpus, name, 0) for corpus, tried in INTERPRETATIONS.items() for name in tried]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() for name in names)


def test_interpretations_differ_and_have_support():
    for tried in INTERPRETATIONS.values():
        assert len({one.interpretation for one in tried.values()}) == len(tried)
        assert all(one.support for one in tried.values())
        assert tried[MAIN_LABEL].interpretation == JiangInterpretation()


def test_a_failing_statement_lists_its_interpretations():
    said = [{"statement": s, "ours": "1", "verdict": v} for s, v in zip("abc", VERDICTS, strict=True)]
    tried = [
        {"interpretation": f"interpretation {n}", "statement": s, "verdict": VERDICTS[n]}
        for s in "ab"
        for n in (0, 2)
    ]
    assert add_interpretations(said, tried) == [
        {"statement": "b", "ours": "1", "verdict": "holds in part"}
        | {"holds": "interpretation 0", "holds in part": "none", "does not hold": "interpretation 2"}
    ]


def results(table: str) -> list[dict[str, str]]:
    studies = ("jiang-lee-interpretations", "jiang-lee-matrix")
    return [row for study in studies for row in COMMITTED.rows(study, table)]


def off(corpus: str, interpretation: str) -> float:
    """The mean absolute difference of an interpretation."""
    (line,) = [
        row
        for row in results("summary")
        if (row["corpus"], row["interpretation"]) == (corpus, interpretation)
    ]
    return float(line["mean absolute difference"])


class TestResults:
    """The committed results: what is claimed of them is in them."""

    def test_every_interpretation_is_there_with_every_cell(self):
        tried = [(corpus, name) for corpus, own in INTERPRETATIONS.items() for name in own]
        tried.sort(key=lambda one: one[1] in LATER)  # in a study of their own
        assert [(row["corpus"], row["interpretation"]) for row in results("summary")] == tried
        assert len(results("cells")) == len(tried) * (2 * len(SIZES) + 2)
        assert len(results("statements")) == 6 * len(tried)

    def test_the_nearest_interpretation_is_near(self):
        assert off("20news", NEAREST) <= 2.5
        assert off("reuters10", NEAREST) <= 3.5
        both = {name: off("20news", name) + off("reuters10", name) for name in EVERYWHERE}
        assert both[NEAREST] == min(both.values())

    def test_the_study_uses_the_nearest_interpretation_with_support(self):
        supported = ("IG by documents", "IG by documents, given a word by occurrences")
        for corpus in INTERPRETATIONS:
            assert off(corpus, MAIN_LABEL) <= min(off(corpus, name) for name in supported)

    def test_the_matrix_has_all_figures_but_those_of_ig_within_a_point_and_a_half(self):
        gaps = {
            (row["method"], row["features"]): abs(float(row["difference"]))
            for row in results("cells")
            if row["interpretation"] == "Deng Cai's matrix" and row["method"] != "IG"
        }
        posts = [row for row in COMMITTED.rows("jiang-lee", "table1") if row["method"] != "IG"]
        assert len(gaps) == len(posts) == 12
        assert max(gaps.values()) < 1.5
        assert sum(gaps.values()) < sum(abs(float(row["difference"])) for row in posts) / 4

    def test_the_matrix_changes_no_verdict(self):
        study = {row["statement"]: row["verdict"] for row in COMMITTED.rows("jiang-lee", "statements")}
        own = [row for row in results("statements") if row["interpretation"] == "Deng Cai's matrix"]
        assert len(own) == 6
        assert all(row["verdict"] == study[row["statement"]] for row in own)

    def test_on_reuters_the_study_and_its_interpretation_are_one(self):
        study = {
            (row["method"], row["features"]): row["ours"] for row in COMMITTED.rows("jiang-lee", "table3")
        }
        own = [
            row
            for row in results("cells")
            if (row["corpus"], row["interpretation"]) == ("reuters10", MAIN_LABEL)
        ]
        assert {(row["method"], row["features"]): row["ours"] for row in own} == study
