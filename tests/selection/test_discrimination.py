"""Greedy maximum discrimination and the JMH divergence equal their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import entropy

import termsift as ts
from reference_divergence import greedy, jmh
from strategies import samples
from termsift.selection.discrimination import (
    compare_top_two_terms,
    divergences,
    greedy_ranking,
    jmh_divergence,
    kl_divergence,
    round_for_exact_sums,
)
from termsift_studies import corpora


@st.composite
def tables(draw: st.DrawFn, classes: st.SearchStrategy[int]) -> ts.Counts:
    """Counts of up to 12 terms: ties, mirrored terms, proportional terms and empty rows are common."""
    n = draw(classes)
    high = draw(st.sampled_from([1, 2, 3, 40]))
    terms = draw(st.integers(1, 12))
    # two documents a class or more, so that terms of one count may differ in their document frequency
    rows = st.lists(st.integers(0, high), min_size=terms, max_size=terms)
    X = np.array([draw(rows) for _ in range(2 * n)])
    repeats = draw(st.lists(st.integers(1, 2), min_size=2 * n, max_size=2 * n))
    y = np.repeat(np.arange(n), 2)
    return ts.count(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))


def shuffled(counts: ts.Counts, random) -> list[int]:
    return random.sample(range(len(counts.terms)), len(counts.terms))


class TestGreedy:
    @given(tables(st.just(2)))
    def test_greedy_ranking_of_two_classes_equals_brute_force(self, counts):
        assert greedy_ranking(counts).tolist() == greedy(counts, len(counts.terms))

    @given(tables(st.integers(3, 5)))
    def test_greedy_ranking_of_more_classes_equals_brute_force(self, counts):
        assert greedy_ranking(counts).tolist() == greedy(counts, len(counts.terms))

    @given(samples(least=2))
    def test_greedy_ranking_of_weighted_multilabel_counts_equals_brute_force(self, sample):
        counts = sample.counts()
        sizes = counts.class_sizes[counts.class_sizes > 0]
        assume(len(sizes) > 1 and np.any(sizes < counts.documents))
        assert greedy_ranking(counts).tolist() == greedy(counts, len(counts.terms))

    @given(tables(st.integers(2, 4)), st.integers(1, 12))
    def test_the_first_k_terms_are_a_prefix_of_the_full_ranking(self, counts, k):
        assert greedy_ranking(counts, k).tolist() == greedy_ranking(counts)[:k].tolist()

    @given(tables(st.integers(2, 4)))
    def test_ranking_does_not_depend_on_the_order_of_columns(self, counts):
        turned = counts.keep(np.arange(len(counts.terms))[::-1])
        assert list(turned.terms[greedy_ranking(turned)]) == list(counts.terms[greedy_ranking(counts)])

    @given(tables(st.integers(2, 4)))
    def test_the_first_term_is_the_best_by_md(self, counts):
        md = np.asarray(ts.score(counts, "md"))
        assert md[greedy_ranking(counts)[0]] == pytest.approx(md.max(), rel=1e-9, abs=1e-15)

    def test_mirrored_terms_tie_and_are_ordered_by_document_frequency(self):
        X = np.array([[3, 0, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]])
        counts = ts.count(X, [0, 1, 1, 1], terms=["a", "b", "in both"])
        assert counts.terms[greedy_ranking(counts, 1)] == ["b"]

    def test_complete_ties_are_ordered_by_name(self):
        counts = ts.count(np.array([[1, 0, 1], [0, 1, 1]]), [0, 1], terms=["z", "b", "in both"])
        assert counts.terms[greedy_ranking(counts, 1)] == ["b"]

    def test_terms_without_documents_come_last(self):
        # by its smoothed shares alone a term of no document would be chosen before the second
        X = np.array([[9, 1, 0], [0, 1, 0]])
        assert greedy_ranking(ts.count(X, ["x", "y"])).tolist() == [0, 1, 2]

    def test_counts_that_differ_only_by_rounding_become_equal(self):
        values = round_for_exact_sums(np.array([[0.1 + 0.2, 7.0], [0.3, 2.0**40]]))
        assert values[0, 0] == values[1, 0]
        assert values[:, 1].tolist() == [7.0, 2.0**40]


class TestDivergence:
    @given(tables(st.integers(2, 4)), st.randoms(use_true_random=False))
    def test_divergence_of_any_selection_equals_the_definition(self, counts, random):
        chosen = shuffled(counts, random)[: random.randint(0, len(counts.terms))]
        expected = float(jmh(counts, chosen))
        assert jmh_divergence(counts, chosen) == pytest.approx(expected, rel=1e-12, abs=1e-15)

    @given(tables(st.integers(2, 4)), st.randoms(use_true_random=False))
    def test_divergences_of_prefixes_equal_single_divergences_and_never_decrease(self, counts, random):
        ranking = shuffled(counts, random)
        reached = divergences(counts, ranking)
        expected = [float(jmh(counts, ranking[: i + 1])) for i in range(len(ranking))]
        assert reached == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert np.all(np.diff(reached) >= 0)

    @pytest.mark.parametrize("model", ["bernoulli", "poisson"])
    def test_divergence_of_independent_terms_equals_the_sum_over_all_possible_documents(self, model):
        X = np.array([[2, 0, 1], [1, 1, 0], [0, 3, 0], [0, 1, 1], [1, 2, 0]])
        counts = ts.count(X, [0, 0, 1, 1, 1])
        seen = (X > 0) if model == "bernoulli" else X
        p, q = ((seen[rows].sum(axis=0) + 1) / (len(rows) + 2) for rows in ([0, 1], [2, 3, 4]))
        law, reach = (stats.bernoulli, 2) if model == "bernoulli" else (stats.poisson, 25)
        every = np.array(list(itertools.product(range(reach), repeat=2)))
        for_p, for_q = (law.pmf(every, own[[2, 0]]).prod(axis=1) for own in (p, q))
        expected = ((for_p - for_q) * np.log(for_p / for_q)).sum()
        assert jmh_divergence(counts, [2, 0], model=model) == pytest.approx(expected, rel=1e-9)

    def test_terms_can_be_given_by_name_or_index(self):
        counts = ts.count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
        names = ts.select(counts, "chi2", ts.TopK(3))
        rows = [list(counts.terms).index(name) for name in names]
        assert divergences(counts, names).tolist() == divergences(counts, np.array(rows)).tolist()

    def test_divergence_of_no_terms_is_zero(self):
        assert jmh_divergence(ts.count(np.eye(2, dtype=int), [0, 1]), []) == 0
        assert divergences(ts.count(np.eye(2, dtype=int), [0, 1]), []).shape == (0,)

    @pytest.mark.parametrize("labels", [["x", "y"], [["x"], ["y", "z"]]])
    def test_ranking_of_no_terms_is_empty(self, labels):
        counts = ts.count(["", ""], labels)
        assert greedy_ranking(counts).shape == divergences(counts, []).shape == (0,)

    def test_a_class_without_documents_changes_nothing(self):
        X = np.array([[1, 0, 2], [0, 3, 1], [1, 1, 0]])
        two = ts.count(X, np.array([[1, 0], [0, 1], [0, 1]]))
        three = ts.count(X, np.array([[1, 0, 0], [0, 0, 1], [0, 0, 1]]))
        assert divergences(two, [2, 0, 1]).tolist() == divergences(three, [2, 0, 1]).tolist()


class TestBadInput:
    COUNTS = ts.count(np.eye(3, dtype=int), ["x", "y", "y"], terms=["free", "lunch", "prize"])

    @pytest.mark.parametrize(
        "terms, message",
        [
            (["free", "price"], "no term named 'price'; did you mean 'prize'"),
            (["free", 1], "no term named 1"),
            (["free", "lunch", "free"], "terms must be distinct; repeated: 'free'"),
            ([0, 1, 0], "terms must be distinct; repeated: 'free'"),
            ([3], "term index 3 is out of range; valid indices: 0 to 2"),
            ([-1], "term index -1 is out of range"),
            ([0.5], "terms must be names or indices, got 0.5"),
            ([True, False, True], "terms must be names or indices"),
        ],
    )
    def test_rejects_unknown_and_repeated_terms(self, terms, message):
        with pytest.raises(ts.TermsiftError, match=message):
            divergences(self.COUNTS, terms)

    @pytest.mark.parametrize(
        "k, message", [(0, "k must be at least 1, got 0"), (1.5, "whole number, got 1.5")]
    )
    def test_rejects_invalid_k(self, k, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            greedy_ranking(self.COUNTS, k)

    def test_rejects_fewer_than_two_classes(self):
        X = np.eye(3, dtype=int)
        with pytest.raises(ts.InvalidInputError, match="only 1 class: all documents are in 'x'"):
            greedy_ranking(ts.count(X, ["x"] * 3))
        with pytest.raises(
            ts.InvalidInputError, match="only 1 class: 'x'; a divergence needs at least 2 classes"
        ):
            greedy_ranking(ts.count(X, [["x"], ["x"], []]))
        with pytest.raises(ts.InvalidInputError, match="contain no documents to score"):
            jmh_divergence(ts.Counts.empty(), [])


def first_by_numpy(counts: ts.Counts, k: int) -> list[int]:
    """The first k terms by evaluating every term at every step, in floating point; ties as everywhere."""
    tf = counts.tf.toarray()
    p = (tf + 1) / (tf.sum(axis=0) + len(tf))
    sizes = counts.class_sizes
    q = (p @ sizes[:, None] - p * sizes) / (sizes.sum() - sizes)
    own = (p * np.log(p / q)).sum(axis=1)
    chosen: list[int] = []
    while len(chosen) < k:
        left, left_of_others = 1 - p[chosen].sum(axis=0) - p, 1 - q[chosen].sum(axis=0) - q
        values = own + (left * np.log(left / left_of_others)).sum(axis=1)
        values[chosen] = -np.inf
        tied = np.flatnonzero(values >= values.max() - 1e-14)
        chosen.append(min(tied, key=lambda t: (-counts.term_df[t], counts.terms[t])))
    return chosen


@pytest.fixture(scope="module")
def newsgroups(data_folder):
    return corpora.load("cdcai/20newsgroups", data_dir=data_folder)


class TestRealCorpus:
    @pytest.mark.parametrize("classes", [2, 20])
    def test_the_first_200_terms_of_20_newsgroups_equal_brute_force(self, newsgroups, classes):
        counts = ts.count(newsgroups.matrix, np.array(newsgroups.labels) % classes)
        ranking = greedy_ranking(counts, 200)
        assert ranking.tolist() == first_by_numpy(counts, 200)
        reached = divergences(counts, ranking)
        assert np.all(np.diff(reached) > 0)

    def test_hull_corners_give_the_same_ranking_as_all_candidates(self, newsgroups):
        from termsift.selection._discrimination_kernel import rank_terms_many_classes, rank_terms_two_classes
        from termsift.selection.discrimination import ClassDistributions, group_equal_rows

        counts = ts.count(newsgroups.matrix, np.array(newsgroups.labels) % 2)
        d, order = ClassDistributions.from_counts(counts), np.argsort(-counts.term_df, kind="stable")
        arguments = (*group_equal_rows(d.occurrences, order), np.argsort(order), d.classes, len(order))
        by_hull, by_all = rank_terms_two_classes(*arguments), rank_terms_many_classes(*arguments)
        assert len(by_hull) > 20_000
        np.testing.assert_array_equal(by_hull, by_all)


class TestKullbackLeibler:
    def test_it_equals_the_sum_over_the_outcomes(self):
        p, q = np.random.default_rng(0).dirichlet(np.ones(4), (2, 5))
        np.testing.assert_allclose(kl_divergence(p, q), [entropy(a, b) for a, b in zip(p, q, strict=True)])
        assert kl_divergence([1, 0], [0.5, 0.5]) == pytest.approx(np.log(2))
        assert kl_divergence([0.5, 0.5], [1, 0]) == np.inf

    @pytest.mark.parametrize(
        ("p", "message"),
        [([0.5, 0.6], "p must sum to 1"), ([-1, 2], "p must be an array of probabilities"), (1, "p must be")],
    )
    def test_values_that_are_no_distribution_are_an_error(self, p, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            kl_divergence(p, [0.5, 0.5])


class TestTopTwoTerms:
    @pytest.mark.parametrize("seed", range(5))
    def test_the_condition_is_that_of_the_divergences_of_the_first_class(self, seed):
        rng = np.random.default_rng(seed)
        X, y = rng.poisson(0.5, (40, 8)), np.arange(40) % 2
        found = compare_top_two_terms(ts.count(X, y, terms=[f"t{i}" for i in range(8)]))
        share = np.stack([X[y == c].sum(axis=0) + 1 for c in (0, 1)]).astype(float)
        share /= share.sum(axis=1, keepdims=True)
        binary = np.stack([share, 1 - share], axis=-1)
        first_half = [entropy(a, b) for a, b in zip(*binary, strict=True)]
        j = np.array(first_half) + [entropy(b, a) for a, b in zip(*binary, strict=True)]
        e1, e2 = np.argsort(-j)[:2]
        assert (found.first, found.second) == (f"t{e1}", f"t{e2}")
        assert found.bound - found.delta == pytest.approx(first_half[e1] - first_half[e2])
        assert found.is_within_bound == (first_half[e1] >= first_half[e2])

    def test_it_needs_two_classes(self):
        with pytest.raises(ts.InvalidInputError, match="33 is for two classes"):
            compare_top_two_terms(ts.count(np.eye(3, dtype=int), [0, 1, 2]))
