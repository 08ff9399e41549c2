"""Bad input gets one clear line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import termsift as ts

X = np.array([[1, 0], [0, 1], [1, 1]])
Y = ["a", "b", "a"]


def fails(match, call, *arguments, **options):
    """The call raises one of our errors, whose message is one line that says so."""
    with pytest.raises(ts.TermsiftError, match=match) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError | OSError)


class TestCorpora:
    def test_labels_and_documents_of_different_length(self):
        fails("3 documents but 2 labels", ts.count, X, ["a", "b"])
        fails("1 documents but 2 labels", ts.count, ["text"], ["a", "b"])

    def test_no_documents(self):
        fails("contain no documents to score", ts.score, ts.count([], []), "bns")
        fails("contain no documents to score", ts.score, ts.Counts.empty(), "bns")

    def test_a_single_class(self):
        fails("only 1 class: all documents are in 'a'", ts.score, ts.count(X, ["a"] * 3), "bns")
        fails(
            "every class contains all documents or none",
            ts.score,
            ts.count(X, np.ones((3, 2), int)),
            "bns",
        )

    @pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
    def test_missing_labels(self, nothing):
        fails("document 1 has a missing label", ts.count, X, ["a", nothing, "b"])
        fails("document 2 has a missing label", ts.count, X, [["a"], ["b"], ["a", nothing]])
        fails("document 1 has a missing label", ts.count, X, np.array(["a", nothing, "b"], dtype=object))
        fails("document 1 has a missing label", ts.count, X, pd.Series(["a", nothing, "b"]))

    def test_no_labels_at_all(self):
        fails("labels are missing", ts.count, X)
        fails("labels are missing", ts.count, ["a text"])

    @pytest.mark.parametrize("form", [np.array, sp.csr_array, sp.csc_array])
    def test_negative_nan_or_infinite_counts(self, form):
        bad = X.astype(float)
        for value, message in [
            (-1, "Negative values"),
            (np.nan, "got nan at document 1, term 1"),
            (np.inf, "got inf"),
        ]:
            bad[1, 1] = value
            fails(message, ts.count, form(bad), Y)

    def test_terms_that_repeat_or_do_not_fit(self):
        fails("terms must be distinct; repeated: 'x'", ts.count, X, Y, terms=["x", "x"])
        fails("X has 2 columns but there are 3 terms", ts.count, X, Y, terms=list("abc"))

    def test_class_names_of_mixed_types(self):
        fails("mixed types .number and str.", ts.count, X, ["a", 1, "b"])
        fails("others have lists of labels", ts.count, X, [["a"], "b", ["a"]])
        fails(
            "document 1 has the label {'a': 1}, which is not a single value",
            ts.count,
            X,
            ["a", {"a": 1}, "b"],
        )
        fails("which is not a single value", ts.count, X, [[["a"]], ["b"], ["a"]])

    def test_an_indicator_matrix_of_other_numbers(self):
        fails("holds 0 and 1 only, got 2", ts.count, X, np.array([[0, 2], [1, 0], [1, 1]]))
        fails("repeated names", ts.count, X, pd.DataFrame(np.ones((3, 2), int), columns=["a", "a"]))
        fails("must be an indicator of 0 and 1", ts.count, X, np.array([["a", "b"]] * 3))
        fails("got 3 dimensions", ts.count, X, np.zeros((3, 1, 1)))

    def test_rejects_invalid_matrix(self):
        fails("got 3 dimensions", ts.count, np.zeros((3, 2, 2)), Y)
        fails("got 1 dimensions", ts.count, np.array([1, 2, 3]), Y)
        fails("X must contain numbers", ts.count, np.array([["a"]]), ["x"])
        fails("X must contain numbers", ts.count, pd.DataFrame({"a": ["text"]}), ["x"])
        fails("repeated names", ts.count, pd.DataFrame([[1, 2]], columns=["a", "a"]), ["x"])
        fails("repeated names", ts.count, pd.DataFrame([["t", "u"]], columns=["a", "a"]), ["x"], text="a")
        fails("X must contain numbers", ts.count, sp.csr_array(np.array([[1j]])), ["x"])

    def test_rejects_documents_that_are_not_texts(self):
        fails("document 1 is missing", ts.count, ["a", None], ["x", "y"])
        fails("document 0 is int, not str", ts.count, [1, "a"], ["x", "y"])
        fails("must be lists, one item per document, got bytes", ts.count, b"text", ["x"])
        fails("must be lists, one item per document, got int", ts.count, ["a"], 3)

    def test_rejects_invalid_weights(self):
        fails("sample_weight has shape", ts.count, X, Y, sample_weight=[1])
        fails("finite and at least 0", ts.count, X, Y, sample_weight=[1, -1, 1])
        fails("finite and at least 0", ts.count, X, Y, sample_weight=[1, np.nan, 1])
        fails("sample_weight must be numbers", ts.count, X, Y, sample_weight=["a", "b", "c"])

    def test_rejects_incompatible_arguments(self):
        fails("analyzer= is for texts", ts.count, X, Y, analyzer=ts.Analyzer())
        fails("terms= names the columns of a matrix", ts.count, ["a"], ["x"], terms=["a"])
        fails("text= and label= are columns", ts.count, ["a"], ["x"], text="body")
        fails("analyzer must be an Analyzer", ts.count, ["a"], ["x"], analyzer=3)
        fails("the analyzer returned 1, which is int", ts.count, ["a"], ["x"], analyzer=lambda text: [1])
        fails("a file contains its labels", ts.count, "mail.csv", ["x"])
        frame = pd.DataFrame({"body": ["a"], "label": ["x"]})
        fails("text= is missing", ts.count, frame, label="label")
        fails("no column named 'labl'; did you mean 'label'?", ts.count, frame, text="body", label="labl")

    def test_rejects_invalid_analyzer(self):
        fails("is not a regular expression", ts.Analyzer, token_pattern="(")
        fails("at most one group", ts.Analyzer, token_pattern="(a)(b)")
        fails("ngram_range must be the smallest", ts.Analyzer, ngram_range=(2, 1))
        fails("stop_words must be a list", ts.Analyzer, stop_words=5)
        fails("token_pattern must be a regex", ts.Analyzer, token_pattern=5)
        fails("stemmer must be a function", ts.Analyzer, stemmer=[1])
        fails("lowercase must be True or False", ts.Analyzer, lowercase=np.array([True, False]))
        fails("no strip_accents option named", ts.Analyzer, strip_accents=np.array(["ascii", "unicode"]))
        fails("no analyzer named 3", ts.Analyzer, analyzer=3)

    def test_options_of_another_kind(self):
        fails("n_jobs must be at least 1", ts.count, ["a"], ["x"], n_jobs=np.array([]))
        fails("text must be the name of a column", ts.count, "mail.csv", text=np.array(["a", "b"]))
        fails("terms must be a list of column names", ts.count, X, Y, terms=0.5)
        fails("which is list; terms must be str", ts.count, ["a"], ["x"], analyzer=lambda text: [["a"]])
        fails("not a list of terms", ts.count, ["a"], ["x"], analyzer=lambda text: 5)
        fails("sample_weight must be numbers", ts.count, X, Y, sample_weight=[10**400, 1, 1])
        fails("options must be a dict", ts.TermSelector(options="a").fit, X, Y)
        fails("policy must be a policy such as", ts.TermSelector(policy=np.int8(3)).fit, X, Y)
        fails("no reduction named", ts.TermSelector(reduce=np.array([])).fit, X, Y)
        fails("columns with repeated names", ts.TermSelector().fit, pd.DataFrame(X, columns=["a", "a"]), Y)


class TestNames:
    counts = ts.count(X, Y)

    def test_an_unknown_metric(self):
        fails("no metric named 'chi'; did you mean 'chi2'?", ts.score, self.counts, "chi")
        fails("no metric named 'BNS'; did you mean 'bns'?", ts.score, self.counts, "BNS")
        fails("no metric named 5", ts.score, self.counts, 5)

    def test_rejects_texts_without_labels(self):
        fails("labels are missing: give one label per document", ts.score, ["a text"], "bns")

    def test_an_unknown_option(self):
        fails(
            "no option of ig named 'smothing'; did you mean 'smoothing'?",
            ts.score,
            self.counts,
            "ig",
            smothing=1,
        )
        fails("f1 takes no options, got 'smoothing'", ts.score, self.counts, "f1", smoothing=1)

    def test_an_unknown_reduction(self):
        fails("no reduction named 'maxx'; did you mean 'max'?", ts.score, self.counts, "bns", reduce="maxx")
        fails("no reduction named 3", ts.score, self.counts, "bns", reduce=3)

    def test_an_unknown_policy(self):
        selector = ts.TermSelector(policy="RoundRobbin(3)")
        fails("no policy named 'RoundRobbin'; did you mean 'RoundRobin'?", selector.fit, X, Y)
        fails("is not a policy; write it as", ts.TermSelector(policy="TopK(").fit, X, Y)
        fails("is not a policy; write it as", ts.TermSelector(policy="TopK(k=open)").fit, X, Y)
        fails(r"expected TopK\(k, reduce\)", ts.TermSelector(policy="TopK(1, 2)").fit, X, Y)
        fails("no policy named 'a.b'", ts.TermSelector(policy="a.b").fit, X, Y)
        for wrong in (5, ts.TopK):
            fails("policy must be a policy such as TopK", ts.TermSelector(policy=wrong).fit, X, Y)
            fails("policy must be a policy such as TopK", ts.select, self.counts, "bns", wrong)
        assert ts.select(self.counts, "bns", "TopK(1)") == ts.select(self.counts, "bns", ts.TopK(1))

    def test_an_unknown_class(self):
        fails("no class named 'c'", ts.score(self.counts, "bns").top, "c")
        fails(
            "df has one score per term and none per class, got class 'c'",
            ts.score(self.counts, "df").top,
            "c",
        )
        fails("no class named 'aa'", ts.select, self.counts, "cc", ts.TopK(1), for_class="aa")

    def test_an_unknown_corpus(self):
        fails("no corpus named 'docstring'; did you mean 'docstrings'?", ts.corpora.load, "docstring")

    def test_an_unknown_side(self):
        fails(
            "no direction named 'positiv'; did you mean 'positive'?",
            ts.score(self.counts, "bns").top,
            "a",
            direction="positiv",
        )

    def test_a_name_termsift_does_not_have(self):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            ts.nothing  # noqa: B018


class TestPolicies:
    counts = ts.count(X, Y)

    @pytest.mark.parametrize("k", [0, -1])
    @pytest.mark.parametrize("policy", [ts.TopK, ts.RoundRobin, ts.PositiveNegative])
    def test_rejects_k_below_one(self, policy, k):
        fails(f"k must be at least 1, got {k}", policy, k)

    @pytest.mark.parametrize("k", [1.5, "3", [3], True])
    def test_rejects_k_that_is_not_a_number(self, k):
        fails("k must be a whole number", ts.TopK, k)

    @pytest.mark.parametrize("policy", [ts.TopK, ts.RoundRobin, ts.PositiveNegative])
    def test_k_above_number_of_terms_keeps_all_and_warns(self, policy):
        with pytest.warns(ts.TermsiftWarning, match="k is 9 but there are only 2 terms; all are kept"):
            assert len(ts.select(self.counts, "cc", policy(9))) == 2

    def test_a_one_sided_policy_with_a_two_sided_metric(self):
        message = "PositiveNegative needs a one-sided metric, but bns is not one-sided"
        fails(message, ts.select, self.counts, "bns", ts.PositiveNegative(1))
        assert len(ts.select(self.counts, "bns", ts.PositiveNegative(1), signed=True)) == 1

    def test_parameters_out_of_range(self):
        fails("percent must be above 0 and at most 100, got 0", ts.Percentile, 0)
        fails("ratio must lie between 0 and 1, got 1.5", ts.PositiveNegative, 1, 1.5)
        fails("alpha must lie between 0 and 1, got 0", ts.FalseDiscovery, 0)
        fails("expected must be a number of terms above 0, got 0", ts.Significant, 0)
        fails("threshold must be a number", ts.Threshold, float("nan"))
        fails("threshold must be a number, got 'a'", ts.Threshold, "a")
        fails("percent must be above 0 and at most 100, got 'a'", ts.Percentile, "a")

    def test_significance_of_weighted_documents(self):
        weighted = ts.count(["a b", "b c"], ["x", "y"], analyzer=str.split, sample_weight=[0.3, 1])
        for policy in ("significant", "FalseDiscovery()"):
            fails("weighted documents have no exact test, so bns has", ts.select, weighted, f"bns:{policy}")

    def test_a_custom_metric_that_is_not_finite(self):
        def infinite(cells):
            return np.where(cells.fp == 0, np.inf, 0.0)

        counts = ts.count(["a b", "b c"], ["x", "y"], analyzer=str.split)
        fails(
            "infinite returned inf for the term 'a' and the class 'x'; a metric must return a finite number",
            ts.score,
            counts,
            infinite,
        )

    def test_rejects_class_policy_with_metric_without_classes(self):
        fails("df is not one-sided", ts.select, self.counts, "df", ts.PositiveNegative(1))
        fails(
            "df has one score per term and none per class",
            ts.select,
            self.counts,
            "df",
            ts.TopK(1),
            for_class="a",
        )

    def test_rejects_global_policy_with_scores_by_class(self):
        fails("this policy needs one score per term", ts.TopK(1).choose, ts.score(self.counts, "bns"))
        fails(
            "score for each class",
            ts.PositiveNegative(1).choose,
            ts.score(self.counts, "cc", reduce="max"),
        )

    def test_rejects_best_terms_of_no_class(self):
        fails("name a class: bns has scores for each of 2 classes", ts.score(self.counts, "bns").top)


class TestOptions:
    counts = ts.count(X, Y)

    @pytest.mark.parametrize(
        ("metric", "options", "message"),
        [
            ("or", {"smoothing": 0}, "smoothing must be above 0 and finite, got 0"),
            ("mi", {"smoothing": 0}, "smoothing must be above 0 and finite, got 0"),
            ("ig", {"smoothing": -1}, "smoothing must be above 0 and finite, got -1"),
            ("ig", {"smoothing": float("nan")}, "smoothing must be above 0 and finite, got nan"),
            ("or", {"smoothing": float("inf")}, "smoothing must be above 0 and finite, got inf"),
            ("or", {"smoothing": "0.5"}, "smoothing must be above 0 and finite, got '0.5'"),
            ("pow", {"k": 0}, "k must be above 0 and finite, got 0"),
            ("fisher_score", {"of": "df"}, "of must be one of 'presence', 'tf', got 'df'"),
            ("igm", {"of": "idf"}, "of must be one of 'df', 'tf', got 'idf'"),
            ("bss_wss", {"groups": "each"}, "groups must be one of 'class', 'all', got 'each'"),
            ("log_odds_prior", {"prior": 0}, "prior must be above 0 and finite, got 0"),
        ],
    )
    def test_an_option_out_of_range(self, metric, options, message):
        fails(message, ts.score, self.counts, metric, **options)

    def test_rejects_several_labels_if_one_is_needed(self):
        several = ts.count(X, [["a", "b"], ["b"], ["a"]])
        fails("ig_all needs exactly one label per document", ts.score, several, "ig_all")
        fails("needs exactly one label per document", ts.score, several, "bss_wss", groups="all")


def test_numbers_longer_than_floats_and_names_longer_than_files_have_are_answered(tmp_path):
    huge, path = 10**400, tmp_path / "mail.csv"
    path.write_text("text,label\nfree prize,spam\nlunch now,ham\n")
    counts = ts.count(path, memory=huge)
    assert len(counts.terms) == 4
    assert len(counts.with_df(max_df=huge).terms) == 4
    assert len(counts.with_df(min_df=huge).terms) == 0
    fails("threshold must be a number", ts.Threshold, huge)
    fails("no policy for missing values named", ts.count, path, on_missing=np.array([1, 2]))
    fails("there is no file xxx", ts.Counts.load, "x" * 300)


@pytest.mark.parametrize(
    "message, call",
    [
        (
            "options must be a dict",
            lambda: ts.TermSelector(options=np.array([1])).fit([[1], [2]], [0, 1]),
        ),
        ("a group must be a single value", lambda: ts.count(["ab"], ["x"], groups=[bytearray(b"a")])),
        ("no effect named", lambda: ts.score(COUNTS, "chi2").top("x", effect=np.array([1, 2]))),
        ("k must be a list of whole numbers", lambda: ts.compare(["ab", "cd"] * 9, ["x", "y"] * 9, k=3)),
        ("no goal named", lambda: ts.compare(["ab", "cd"] * 9, ["x", "y"] * 9, goal={1})),
        ("scikit-learn classifier or", lambda: ts.compare(["ab", "cd"] * 9, ["x", "y"] * 9, classifiers=len)),
        ("classes must be a list of class names", lambda: ts.report(COUNTS, classes=1.5)),
        (
            r"findings must be the result of Comparison\.findings",
            lambda: ts.report(COUNTS, findings="x"),
        ),
        (
            "min_df must be a number of documents",
            lambda: ts.audit(["aa bb"] * 4, [0, 1] * 2, min_df=np.zeros(2)),
        ),
        ("keep_nested must be True or False", lambda: ts.report(COUNTS, keep_nested=np.array([1, 2]))),
        ("no text encoding named", lambda: ts.count("mail.csv", encoding=np.array([1, 2]))),
    ],
)
def test_options_of_a_wrong_kind_are_answered(message, call):
    fails(message, call)


COUNTS = ts.count(["free prize", "lunch now"], ["x", "y"])
