"""The redundancy-aware choice is that of plain loops over documents, by the definitions of three papers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import termsift as ts
from compared_texts import selected_terms, several, topical
from leaning_counts import made
from reference_redundancy import greedy
from termsift._internal import resources as capacity
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.selection import redundancy as choosing
from termsift.selection.methods import parse_method
from termsift.selection.policies import CRITERIA
from termsift.selection.redundancy import select_non_redundant

criteria = pytest.mark.parametrize("criterion", CRITERIA)


def documents_of(X, y, weights=(), names=None):
    X = csr_array(X)
    names = [f"t{i:03}" for i in range(X.shape[1])] if names is None else names
    return Documents(X, as_labels(y), np.array(names, dtype=object), np.asarray(weights, dtype=float))


def chosen(documents, method, for_class=None):
    """The indices and the values."""
    selection, values = select_non_redundant(documents, parse_method(method), for_class)
    return selection.indices.tolist(), values.tolist()


@st.composite
def corpora(draw):
    """Documents of few terms and classes, so that ties, copies and empty terms are common; and weights."""
    n, m = draw(st.integers(2, 14)), draw(st.integers(1, 6))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 2), min_size=m, max_size=m), min_size=n, max_size=n)))
    y = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    y[:2] = "x", "y"
    weights = st.lists(st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0]), min_size=n, max_size=n)
    return X, y, draw(st.just([]) | weights)


def test_every_criterion_of_the_policy_is_implemented():
    assert set(choosing.CRITERIA) == set(CRITERIA)


@criteria
@given(corpus=corpora(), pool=st.integers(1, 7), k=st.integers(1, 6))
def test_selection_equals_plain_loops_including_ties(criterion, corpus, pool, k):
    X, y, weights = corpus
    documents, k = documents_of(X, y, weights), min(k, X.shape[1])
    order = ts.select(documents.counts, "ig").indices.tolist()
    columns = (X > 0).astype(int).T.tolist()
    alike = [1.0] * len(y)
    expected, worth = greedy(criterion, columns, y, weights or alike, order[:pool], min(k, pool))
    found, values = chosen(documents, f"ig:RedundancyAware({k}, criterion='{criterion}', pool={pool})")
    assert found == [*expected, *order[pool:k]]
    assert values == pytest.approx(worth, abs=1e-9)


@criteria
def test_selection_equals_plain_loops_on_more_documents(criterion):
    X, y = made(classes=4, documents=150, terms=40)
    columns = (X.toarray() > 0).astype(int).T.tolist()
    order = ts.select(ts.count(X, y), "ig_all").indices.tolist()
    expected, worth = greedy(criterion, columns, y.tolist(), [1.0] * len(y), order[:30], 12)
    found, values = chosen(documents_of(X.toarray(), y), f"ig_all:RedundancyAware(12, '{criterion}', 30)")
    assert found == expected
    assert values == pytest.approx(worth, abs=1e-12)


@criteria
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_selection_does_not_depend_on_the_order_of_documents_and_columns(criterion, corpus, seed):
    X, y, weights = corpus
    lot = np.random.default_rng(seed)
    rows, columns = lot.permutation(X.shape[0]), lot.permutation(X.shape[1])
    names = np.array([f"t{i}" for i in range(X.shape[1])], dtype=object)
    method = parse_method(f"ig:{criterion}")
    plain, _ = select_non_redundant(documents_of(X, y, weights, names), method)
    own = np.array(weights)[rows] if weights else []
    mixed, _ = select_non_redundant(
        documents_of(X[rows][:, columns], np.array(y)[rows], own, names[columns]), method
    )
    assert plain.terms == mixed.terms


@criteria
def test_a_smaller_selection_is_a_prefix_of_a_larger_one(criterion):
    documents = documents_of(*made(classes=3))
    whole, _ = chosen(documents, f"ig:RedundancyAware(60, '{criterion}', 40)")
    for k in (1, 7, 40, 50):
        assert chosen(documents, f"ig:RedundancyAware({k}, '{criterion}', 40)")[0] == whole[:k]
    assert whole[40:] == ts.select(documents.counts, "ig", ts.TopK(60)).indices.tolist()[40:]
    assert sorted(whole[:40]) == sorted(ts.select(documents.counts, "ig", ts.TopK(40)).indices.tolist())


@criteria
def test_repeated_occurrences_in_a_document_do_not_count(criterion):
    X, y = made(classes=3)
    # stored zeros are no occurrences
    kept = csr_array((X.toarray() > 0).astype(int))
    zeros = kept.copy()
    zeros.data = np.where(np.arange(zeros.nnz) % 5, zeros.data, 0)
    method = f"df:RedundancyAware(20, '{criterion}')"
    assert chosen(documents_of(X.toarray(), y), method) == chosen(documents_of(kept.toarray(), y), method)
    stored = Documents(zeros, as_labels(y), documents_of(X.toarray(), y).terms)
    assert chosen(stored, method) == chosen(documents_of(zeros.toarray(), y), method)


@criteria
def test_integer_weights_equal_repeated_documents(criterion):
    X, y = made(classes=3)
    weights = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)
    method = f"ig:RedundancyAware(20, '{criterion}')"
    weighted = chosen(documents_of(X.toarray(), y, weights), method)
    repeated = chosen(documents_of(X[rows].toarray(), y[rows]), method)
    assert weighted[0] == repeated[0]
    assert weighted[1] == pytest.approx(repeated[1], abs=1e-12)


def test_a_duplicate_term_adds_nothing_and_comes_last_by_cmim():
    X, y = made(classes=3, terms=20)
    twice = np.hstack([X.toarray(), X.toarray()])
    found, values = chosen(documents_of(twice, y), "ig:cmim")
    # the first 20 are different terms, the others copies of them
    assert sorted(term % 20 for term in found[:20]) == list(range(20))
    assert np.allclose(values[20:], 0, atol=1e-12)
    assert (np.diff(values[1:]) <= 1e-12).all()


@pytest.mark.parametrize(("criterion", "worth"), [("mrmr", 0), ("jmi", np.log(2)), ("cmim", np.log(2))])
def test_terms_informative_only_together(criterion, worth):
    a, b = np.array([0, 0, 1, 1] * 2), np.array([0, 1, 0, 1] * 2)
    found, values = chosen(documents_of(np.stack([a, b], axis=1), a ^ b), f"ig:{criterion}")
    assert found == [0, 1]
    assert values == pytest.approx([0, worth], abs=1e-12)


def test_for_one_class_alone_documents_may_have_several_labels():
    texts, labels = several(60)
    X = ts.TermVectorizer().fit_transform(texts).toarray()
    documents = documents_of(X, labels)
    with pytest.raises(ts.InvalidInputError, match="ig:jmi needs exactly one label per document"):
        select_non_redundant(documents, parse_method("ig:jmi"))
    found, values = chosen(documents, "ig:RedundancyAware(8, 'cmim')", "sea")
    inside = ["sea" if "sea" in names else "other" for names in labels]
    assert (found, values) == chosen(documents_of(X, inside), "ig:RedundancyAware(8, 'cmim')")


def test_concurrent_selections_are_equal():
    documents = documents_of(*made(classes=4))
    methods = [f"ig:{criterion}" for criterion in CRITERIA] * 3
    with ThreadPoolExecutor(4) as pool:
        side_by_side = list(pool.map(lambda method: chosen(documents, method), methods))
    assert side_by_side == [chosen(documents, method) for method in methods]


def test_rejects_work_that_exceeds_memory(monkeypatch):
    monkeypatch.setattr(capacity, "free_memory", lambda: 10)
    with pytest.raises(ts.InvalidInputError, match="to choose among 50 terms of 3 classes would take about"):
        select_non_redundant(documents_of(*made(classes=3)), parse_method("ig:RedundancyAware(5, pool=50)"))


def test_counts_without_documents_are_rejected():
    X, y = made()
    for choice in (lambda: ts.select(ts.count(X, y), "ig:jmi"), lambda: ts.TermSelector("ig:jmi").fit(X, y)):
        with pytest.raises(
            ts.InvalidInputError, match="counts do not show which terms occur together; use RedundancyAware"
        ):
            choice()
    with pytest.raises(ts.InvalidInputError, match="does not need documents; select from counts"):
        select_non_redundant(documents_of(X.toarray(), y), parse_method("ig"))


class TestCompare:
    METHODS = ("ig", "ig:mrmr", "ig:jmi", "ig:RedundancyAware(criterion='cmim', pool=30)")

    def test_the_table_is_the_same_for_any_number_of_threads(self):
        quick = {"k": [5, 20], "classifiers": "multinomial_nb", "repeats": 1}
        one, two = (ts.compare(*topical(20), metrics=self.METHODS, n_jobs=n, **quick) for n in (1, 2))
        assert one.table.to_csv() == two.table.to_csv()
        assert set(self.METHODS) <= set(one.table["method"].tolist())

    def test_a_fitted_candidate_selects_the_terms_of_the_selector(self):
        texts, labels = topical(20)
        found = ts.compare(texts, labels, metrics="ig:cmim", k=[6], classifiers="multinomial_nb", repeats=1)
        model = next(line for line in found.results.candidates if line.ranker.name == "ig:cmim")
        vectorizer = ts.TermVectorizer()
        X = vectorizer.fit_transform(texts)
        selector = ts.RedundancyAwareSelector("cmim", k=6, metric="ig").fit(X, labels)
        from termsift.compare.final_model import fit_candidate

        expected = vectorizer.get_feature_names_out()[selector.selection_].tolist()
        assert selected_terms(fit_candidate(found.documents, model, 6, 0)) == expected

    def test_several_labels_are_rejected_early(self):
        with pytest.raises(ts.InvalidInputError, match="ig:jmi needs exactly one label per document"):
            ts.compare(*several(40), metrics="ig:jmi")
