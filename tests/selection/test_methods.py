"""A method prints as the text it is parsed from, and all spellings of a method select the same terms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import termsift as ts
from termsift.compare.candidates import CLASS_WEIGHTS, DIVISIVE, SPECIAL_RANKERS, parse_ranker
from termsift.selection.methods import DOCUMENT_METHODS, Method, needs_documents, parse_method
from termsift.selection.policies import SUFFIX_POLICIES

rng = np.random.default_rng(0)
X, Y = rng.poisson(0.5, (60, 25)), rng.integers(0, 3, 60)
COUNTS = ts.count(X, Y)

numbers = st.none() | st.integers(1, 99)
shares = st.sampled_from([0.0, 0.25, 0.5, 0.8, 1.0])
policies = st.one_of(
    st.builds(ts.TopK, numbers, reduce=st.sampled_from(["max", "mean", "weighted", "sum"])),
    st.builds(ts.RoundRobin, numbers),
    st.builds(ts.PerClass, numbers),
    st.builds(
        ts.PositiveNegative,
        numbers,
        shares | st.sampled_from(["auto", "size"]) | st.tuples(shares, shares),
        st.booleans(),
        st.sampled_from([None, 2, 4]),
    ),
    st.builds(ts.RedundancyAware, numbers, st.sampled_from(["mrmr", "jmi", "cmim"]), st.integers(1, 9999)),
    st.builds(ts.Percentile, st.floats(0.5, 100), reduce=st.sampled_from(["max", "mean"])),
    st.builds(ts.Threshold, st.floats(-5, 5)),
    st.builds(ts.FalseDiscovery, st.sampled_from([0.01, 0.2])),
    st.builds(ts.Significant, st.sampled_from([0.05, 1, 2.5])),
)


@st.composite
def methods(draw):
    """A metric of the catalogue with some of its options, and any policy."""
    metric = draw(st.sampled_from(list(ts.metrics())))
    chosen = {name: value for name, value in metric.options.items() if draw(st.booleans())}
    return Method(metric, draw(policies), chosen)


class TestFormatting:
    @given(methods())
    def test_a_method_parses_from_its_printed_form(self, method):
        again = parse_method(str(method))
        assert again == method
        assert hash(again) == hash(method)
        assert str(again) == str(method)

    @pytest.mark.parametrize(
        ("written", "metric", "policy", "options"),
        [
            ("bns", "bns", ts.TopK(), {}),
            ("bns:mean", "bns", ts.TopK(reduce="mean"), {}),
            ("bns:round_robin", "bns", ts.RoundRobin(), {}),
            ("bns:per_class", "bns", ts.PerClass(), {}),
            ("cc:combined", "cc", ts.PositiveNegative(ratio="auto"), {}),
            ("cc:combined_per_class", "cc", ts.PositiveNegative(ratio="auto", per_class=True), {}),
            (
                "cc:PositiveNegative(ratio='auto', per_class=True, cv=None)",
                "cc",
                ts.PositiveNegative(ratio="auto", per_class=True, cv=None),
                {},
            ),
            (
                "cc:PositiveNegative(ratio=(1.0, 0.5), per_class=True)",
                "cc",
                ts.PositiveNegative(ratio=(1.0, 0.5), per_class=True),
                {},
            ),
            ("bns:significant", "bns", ts.Significant(), {}),
            ("bns:Significant(expected=0.05)", "bns", ts.Significant(0.05), {}),
            ("gu(printed=True)", "gu", ts.TopK(), {"printed": True}),
            ("gu(printed=True):round_robin", "gu", ts.RoundRobin(), {"printed": True}),
            ("or(smoothing=1.5):round_robin", "or", ts.RoundRobin(), {"smoothing": 1.5}),
            ("cc:PositiveNegative(ratio=0.8)", "cc", ts.PositiveNegative(ratio=0.8), {}),
            ("bns:RoundRobin(k=100)", "bns", ts.RoundRobin(100), {}),
            ("ig:cmim", "ig", ts.RedundancyAware(), {}),
            ("ig:jmi", "ig", ts.RedundancyAware(criterion="jmi"), {}),
            ("ig:RedundancyAware(criterion='mrmr', pool=9)", "ig", ts.RedundancyAware(None, "mrmr", 9), {}),
        ],
    )
    def test_it_prints_as_a_metric_with_a_suffix_or_an_expression(self, written, metric, policy, options):
        method = parse_method(written)
        assert str(method) == repr(method) == written
        assert method == ts.Method(ts.metrics()[metric], policy, options)

    def test_aliases_and_the_default_policy_print_short(self):
        assert str(parse_method("ngl:round_robin")) == "cc:round_robin"
        assert str(parse_method("bns:max")) == "bns"
        assert str(parse_method("bns:RoundRobin")) == "bns:round_robin"

    def test_every_suffix_is_that_of_its_policy(self):
        suffixes = [
            "max",
            "mean",
            "weighted",
            "sum",
            "round_robin",
            "per_class",
            "combined",
            "combined_per_class",
            "significant",
            "mrmr",
            "jmi",
            "cmim",
        ]
        assert list(SUFFIX_POLICIES) == suffixes
        assert all(Method("bns", policy).suffix == suffix for suffix, policy in SUFFIX_POLICIES.items())

    @pytest.mark.parametrize(
        ("written", "message"),
        [
            ("bns:round_robbin", "no suffix of bns named 'round_robbin'; did you mean 'round_robin'"),
            ("bnss:round_robin", "no metric named 'bnss'"),
            ("gu(prnted=True)", "no option of gu named 'prnted'; did you mean 'printed'"),
            ("f1(a=1)", "f1 takes no options"),
            ("gu(True)", "metric options must be named"),
            ("gu(printed=", "is not a metric; write it as"),
            ("gu(printed=open)", "is not a metric; write it as"),
            ("bns:TopKK(3)", "no policy named 'TopKK'"),
            (3, "metric must be a name, a Metric or a function, got 3"),
        ],
    )
    def test_a_parse_error_is_one_line(self, written, message):
        with pytest.raises(ts.TermsiftError, match=message) as caught:
            parse_method(written)
        assert "\n" not in str(caught.value)

    def test_rejects_metrics_and_labels_that_do_not_fit_the_policy(self):
        with pytest.raises(
            ts.InvalidInputError, match="bns:combined needs a one-sided metric, but bns is not"
        ):
            parse_method("bns:combined").check(single_label=True)
        with pytest.raises(ts.InvalidInputError, match="ig_all needs exactly one label"):
            parse_method("ig_all").check(single_label=False)
        parse_method("bns(signed=True):combined").check(single_label=True)
        with pytest.raises(ts.InvalidInputError, match="the ratio 'auto' must be tuned on documents"):
            ts.select(COUNTS, "cc:combined")


class TestSpellings:
    """All spellings of a method select the same terms in the same order."""

    @pytest.mark.parametrize("metric", [m.name for m in ts.metrics()])
    def test_round_robin(self, metric):
        expected = ts.select(COUNTS, metric, ts.RoundRobin(9))
        assert parse_method(f"{metric}:round_robin").selection(COUNTS, 9) == expected
        assert ts.select(COUNTS, f"{metric}:RoundRobin(9)") == expected
        for selector in (
            ts.TermSelector(f"{metric}:round_robin", k=9),
            ts.TermSelector(metric, policy=ts.RoundRobin(9)),
        ):
            assert selector.fit(X, Y).selection_.tolist() == expected.indices.tolist()

    @pytest.mark.parametrize("reduce", ["mean", "weighted", "sum"])
    def test_reductions(self, reduce):
        expected = ts.select(COUNTS, "cc", ts.TopK(9), reduce=reduce)
        assert ts.select(COUNTS, "cc", ts.TopK(9, reduce=reduce)) == expected
        assert parse_method(f"cc:{reduce}").selection(COUNTS, 9) == expected
        fitted = ts.TermSelector("cc", k=9, reduce=reduce).fit(X, Y)
        assert fitted.selection_.tolist() == expected.indices.tolist()
        assert ts.select(COUNTS, "cc", ts.Percentile(36), reduce=reduce) == expected

    def test_a_selection_is_a_prefix_of_the_ranking(self):
        for written in ("bns", "bns:mean", "bns:round_robin", "cc:PositiveNegative(ratio=0.3)"):
            method = parse_method(written)
            ranking = method.ranking(COUNTS, 10)
            assert not ranking.local
            assert ranking.terms_at_size(10).tolist() == method.selection(COUNTS, 10).indices.tolist()
            assert method.ranking(COUNTS, 999).orders[0].size == 25

    def test_each_class_has_k_terms(self):
        ranking = parse_method("bns:per_class").ranking(COUNTS, 3)
        assert ranking.local
        assert [len(order) for order in ranking.orders] == [3, 3, 3]
        scores = ts.score(COUNTS, "bns")
        for name, order in zip(COUNTS.classes, ranking.orders, strict=True):
            assert COUNTS.terms[order].tolist() == scores.top(name, 3)["term"].tolist()
        chosen = ts.select(COUNTS, "bns", ts.PerClass(3))
        assert set(chosen.indices) == {i for order in ranking.orders for i in order}
        assert len(ts.select(COUNTS, "bns", ts.PerClass(1))) >= 1
        assert len(ts.select(COUNTS, "bns", ts.PerClass())) == 25

    def test_class_policies_use_the_summands_of_a_sum(self):
        parts = ts.score(COUNTS, "md", per_class=True)
        for policy in (ts.RoundRobin(5), ts.PerClass(2)):
            chosen = ts.select(COUNTS, "md", policy)
            assert chosen.indices.tolist() == policy.choose(parts).tolist()

    def test_two_policies_are_an_error(self):
        with pytest.raises(ts.InvalidInputError, match="bns:round_robin already has a policy"):
            ts.select(COUNTS, "bns:round_robin", ts.TopK(3))

    def test_an_auto_ratio_becomes_a_number(self):
        method = parse_method("cc:combined")
        found = replace(method, policy=replace(method.policy, ratio=0.5))
        assert found.selection(COUNTS, 6) == ts.select(COUNTS, "cc", ts.PositiveNegative(6, 0.5))


def gap(cells, *, power=1):
    """User-defined metric."""
    return np.abs(cells.tpr - cells.fpr) ** power


class TestUserMetric:
    def test_a_function_of_cells_can_replace_a_name(self):
        own, known = np.asarray(ts.score(COUNTS, gap)), np.asarray(ts.score(COUNTS, "acc2"))
        np.testing.assert_allclose(own, known)
        for metric in (gap, ts.Metric("gap", gap)):
            chosen = ts.select(COUNTS, metric, ts.TopK(5))
            assert chosen == ts.select(COUNTS, "acc2", ts.TopK(5))
            assert chosen.metric == "gap"
            fitted = clone(ts.TermSelector(metric, k=5)).fit(X, Y)
            assert fitted.selection_.tolist() == chosen.indices.tolist()
            weights = ts.TermWeighter(metric).fit(X, Y).weights_
            np.testing.assert_allclose(weights, ts.TermWeighter("acc2").fit(X, Y).weights_)
            np.testing.assert_allclose(ts.ScoreFunction(metric)(X, Y), ts.ScoreFunction("acc2")(X, Y))
            assert str(parse_method(metric)) == "gap"

    def test_options_of_a_user_metric_are_those_of_its_function(self):
        np.testing.assert_allclose(
            np.asarray(ts.score(COUNTS, gap, power=2)), np.asarray(ts.score(COUNTS, gap)) ** 2
        )
        with pytest.raises(ts.UnknownNameError, match="no option of gap named 'pwer'; did you mean 'power'"):
            ts.score(COUNTS, gap, pwer=2)

    def test_a_one_sided_user_metric_fits_positive_negative(self):
        lean = ts.Metric("lean", lambda cells: cells.tpr - cells.fpr, sided=1)
        chosen = ts.select(COUNTS, lean, ts.PositiveNegative(4, 0.5))
        assert chosen == ts.select(COUNTS, "acc2", ts.PositiveNegative(4, 0.5), signed=True)
        y = Y == 0
        fitted = ts.PositiveNegativeSelector(lean, k=4, ratio=0.5).fit(X, y)
        expected = ts.PositiveNegativeSelector("acc2", k=4, ratio=0.5, options={"signed": True}).fit(X, y)
        assert fitted.selection_.tolist() == expected.selection_.tolist()
        with pytest.raises(ts.InvalidInputError, match="needs a one-sided metric, but gap is not one-sided"):
            ts.select(COUNTS, gap, ts.PositiveNegative(4))

    def test_a_function_with_invalid_results_is_an_error(self):
        with pytest.raises(ts.InvalidInputError, match="one number per cell"):
            ts.score(COUNTS, lambda cells: 3.0)

    @pytest.mark.parametrize("value, name", [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
    @pytest.mark.parametrize("reduce", [None, "max", "sum"])
    def test_a_score_that_is_not_finite_is_an_error_with_its_term(self, value, name, reduce):
        counts = ts.count(["free prize", "lunch now"], ["spam", "ham"])
        custom = ts.Metric("custom", lambda cells: np.where(cells.tp == 0, 0.0, value))
        message = f"custom returned {name} for the term 'free'"
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.score(counts, custom, reduce=reduce)
        with pytest.raises(ts.InvalidInputError, match="'free' and the class 'spam'; a metric must return a"):
            ts.score(counts, custom)


class FirstTerms:
    """User-defined policy: the first two terms."""

    by_class = False

    def choose(self, scores):
        """The first two."""
        return np.arange(2)


def test_a_user_policy_works_with_select_and_selectors():
    assert ts.select(COUNTS, "bns", FirstTerms()) == list(COUNTS.terms[:2])
    assert ts.TermSelector(policy=FirstTerms()).fit(X, Y).selection_.tolist() == [0, 1]
    method = ts.Method(ts.metrics()["bns"], FirstTerms())
    assert method.ranking(COUNTS, 5).orders[0].tolist() == [0, 1]
    assert str(method).startswith("bns:<")
    with pytest.raises(ts.InvalidInputError, match="does not combine classes; omit reduce="):
        ts.select(COUNTS, "bns", FirstTerms(), reduce="mean")


class TestDocumentMethods:
    def test_every_listed_method_is_a_ranker_of_compare(self):
        for name in DOCUMENT_METHODS:
            assert needs_documents(name)
            assert parse_ranker(name, True).name.partition("(")[0] == name
        assert set(SPECIAL_RANKERS) | {CLASS_WEIGHTS, DIVISIVE} == set(DOCUMENT_METHODS)

    def test_a_method_that_counts_cannot_compute_is_named_in_the_error(self):
        with pytest.raises(ts.InvalidInputError, match="greedy is not a metric of counts; use compare, or"):
            ts.select(COUNTS, "greedy")
        with pytest.raises(ts.UnknownNameError, match="no method named 'gredy'; did you mean 'greedy'"):
            parse_method("gredy")

    def test_methods_of_counts_need_no_documents(self):
        for name in ("bns", "md(model='multinomial')", "bns:per_class", "cc:PositiveNegative(ratio='size')"):
            assert not needs_documents(name)
        for name in ("cc:combined", "cc:combined_per_class", "ig:jmi"):
            assert needs_documents(name)
