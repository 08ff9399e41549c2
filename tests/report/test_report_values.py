"""Values of a report: statistics, scores, rankings, agreement, words in context."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.stats import spearmanr

import termsift as ts
from report_pages import Page, findings, held
from termsift.counts.labels import as_labels
from termsift.report.concordance import find_snippets
from termsift.report.formatting import format_count, format_number, format_percent
from termsift.report.page import report_html
from termsift.report.plane import Plane, page_isoclines
from termsift.report.rankings import REPORT_METRICS, rank_classes, score_by_metric
from termsift.report.summary import compute_corpus_facts
from termsift.report.term_maps import select_searchable_terms


def class_scores(counts, columns, metric):
    """Scores of some classes by one metric."""
    ((_, scores),) = score_by_metric(counts, columns, [ts.metrics()[metric]])
    return scores


class TestValues:
    def test_corpus_statistics(self):
        texts, labels = ["a b b", "a", "c c d e"], [["x"], ["x", "y"], ["y"]]
        counts = ts.count(texts, labels, analyzer=str.split)
        facts = compute_corpus_facts(counts, texts, as_labels(labels))
        assert (facts.documents, facts.terms, facts.occurrences) == (3, 5, 8)
        assert facts.labels == pytest.approx(4 / 3)
        assert facts.words == pytest.approx((1.4, 3, 3.8))
        x, y = facts.classes
        assert (x.name, x.documents, x.share, x.skew) == ("x", 2, pytest.approx(2 / 3), 0.5)
        assert (x.length, x.vocabulary, x.words) == (2, 2, 2)
        assert (y.length, y.vocabulary) == (2.5, 4)
        assert [(band.label, band.number) for band in facts.bands] == [("1", 4), ("2", 1)]
        assert [(band.label, band.number) for band in facts.lengths] == [("1", 1), ("2", 0), ("3 to 9", 2)]

    def test_the_chosen_terms_are_the_best_by_the_metric_with_their_counts(self, page, small):
        counts = small[2]
        name = held(page)["classes"][held(page)["openingClass"]]["name"]
        top = list(ts.score(counts, "ig").top(name, 7, direction="positive", expected=0.05))
        head, *rows = page.tables["chosen"]
        assert head[:2] == ["rank", "term"]
        assert [row[1] for row in rows] == [row["term"] for row in top]
        counted = [(row[3].split(" (")[0], row[4].split(" (")[0]) for row in rows]
        assert counted == [(str(row["tp"]), str(row["fp"])) for row in top]
        assert rows[0][3] == f"{top[0]['tp']} ({5 * top[0]['tp']}%)"
        assert [float(row[5]) for row in rows] == pytest.approx([row["score"] for row in top], rel=1e-3)
        assert page.captions["chosen"] == f"7 best positive terms of {name} by ig"

    @pytest.mark.parametrize(
        "metric",
        ["ig", "cc", "log_odds_prior", "ig(smoothing='ele')", "bns(zero='replace')", "g2(cells=2, of='tf')"],
    )
    def test_positive_and_negative_terms_are_those_of_the_scores(self, small, metric):
        counts = small[2]
        page = Page(report_html(counts, metric=metric, classes=["wood"]))
        for side, table in (("positive", "positive-terms"), ("negative", "negative-terms")):
            table_of_scores = ts.score(counts, metric).top("wood", 10, direction=side, expected=0.05)
            wanted = table_of_scores["term"].tolist()
            assert [row[0] for row in page.tables[table][1:]] == wanted

    def test_terms_in_detail_show_their_occurrences_per_million(self, page, small):
        counts = small[2]
        name = held(page)["classes"][held(page)["openingClass"]]["name"]
        tf = counts.tf.toarray()
        inside = tf[:, counts.class_index(name)]
        outside = tf.sum(axis=1) - inside
        rows = page.tables["positive-terms"][1:]
        assert rows
        for row in rows:
            t = counts.terms.tolist().index(row[0])
            shown = [float(rate.replace(",", "")) for rate in row[5].split(" / ")]
            rates = [1e6 * inside[t] / inside.sum(), 1e6 * outside[t] / outside.sum()]
            assert shown == pytest.approx(rates, rel=1e-3)

    def test_the_page_data_contain_the_scores_of_every_metric(self, page, small):
        counts, data = small[2], held(page)
        assert [m["name"] for m in data["metrics"]] == list(REPORT_METRICS)
        for one in data["classes"]:
            column = counts.class_index(one["name"])
            rows = np.searchsorted(counts.terms.astype(str), [data["terms"][t] for t in one["terms"]])
            for m, metric in enumerate(REPORT_METRICS):
                values = class_scores(counts, [column], metric)[rows, 0]
                np.testing.assert_allclose(one["scores"][m], values, rtol=1e-3, atol=1e-12)

    def test_each_class_lists_its_words(self, page, small):
        counts = small[2]
        scores = ts.score(counts, "ig")
        for name, documents, *sides in page.tables["every"][1:]:
            assert documents == "20"
            for side, words in zip(("positive", "negative"), sides, strict=True):
                listed = scores.top(name, 10, direction=side, expected=0.05)["term"].tolist()
                assert words.split() == listed != []

    def test_the_script_has_effects_and_tests(self, page, small):
        counts, data = small[2], held(page)
        for one in data["classes"]:
            for tp, fp, *effect in zip(*(one[c] for c in ("tp", "fp", "effect", "low", "high")), strict=True):
                a, b, c, d = tp + 0.5, fp + 0.5, 20 - tp + 0.5, 40 - fp + 0.5
                value, half = math.log(a * d / b / c), 1.96 * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
                assert effect == pytest.approx([value, value - half, value + half], abs=0.0051)
            scores = ts.score(counts, "ig")
            rows, c = [data["terms"][t] for t in one["terms"]], counts.class_index(one["name"])
            index = [list(counts.terms).index(term) for term in rows]
            np.testing.assert_allclose(one["p"], scores.p[index, c], rtol=1e-3)
            np.testing.assert_allclose(one["q"], scores.q[index, c], rtol=1e-3)
            assert one["significant"] == scores.significant(0.05, one["name"])[index].astype(int).tolist()
            assert one["alpha"] == scores.alpha(0.05, one["name"])

    def test_only_significant_words_are_listed_and_the_others_counted(self, page, small):
        counts, data = small[2], held(page)
        for m, metric in enumerate(REPORT_METRICS):
            scores = ts.score(counts, metric, **({"per_class": True} if metric == "md" else {}))
            for one in data["classes"]:
                significant = scores.significant(0.05, one["name"])
                n_omitted = 0
                for direction in ("positive", "negative"):
                    # the first ten are listed, and the omitted terms above those are counted
                    listed = [data["terms"][one["terms"][i]] for i in one[direction][m]][:10]
                    table = scores.top(one["name"], 10, direction=direction, keep_nested=False, expected=0.05)
                    assert listed == table["term"].tolist()
                    # a page shows the direction of documents, a table that of what the metric counts
                    if len(table) and scores.of == "df":
                        everything = scores.top(one["name"], len(counts.terms), direction=direction)
                        last = everything["term"].tolist().index(listed[-1])
                        # terms with the same score as the last one are not counted
                        ranked = everything["score"] != everything["score"][last]
                        above = [
                            list(counts.terms).index(t) for t in everything["term"][:last][ranked[:last]]
                        ]
                        n_omitted += int((~significant[above]).sum())
                assert one["omitted"][m] == n_omitted or scores.of == "tf"

    def test_every_frequent_term_can_be_looked_up(self, small, monkeypatch):
        counts = small[2]
        assert held(Page(report_html(counts)))["minDf"] == 0
        monkeypatch.setattr("termsift.report.term_maps.MAX_LOOKUP_BYTES", 900)
        found = select_searchable_terms(counts, [])
        assert found.rows.tolist() == np.flatnonzero(counts.term_df >= found.min_df).tolist()
        assert 0 < len(found.rows) < len(counts.terms)

    def test_counts_to_look_up_are_those_of_the_classes(self, page, small):
        counts, data = small[2], held(page)
        flat = iter(data["counts"])
        for term in data["terms"]:
            row = counts.terms.tolist().index(term)
            df, classes = next(flat), next(flat)
            inside = {data["classes"][next(flat)]["name"]: next(flat) for _ in range(classes)}
            assert df == counts.term_df[row]
            own = dict(zip(counts.classes, counts.df[[row]].toarray()[0].tolist(), strict=True))
            assert inside == {name: n for name, n in own.items() if n}
        assert next(flat, None) is None

    def test_scores_of_some_classes_equal_those_of_all_classes(self, small):
        counts = small[2]
        for name in ts.metrics().names:
            options = {"per_class": True} if "per_class" in ts.metrics()[name].options else {}
            whole = np.asarray(ts.score(counts, name, **options))
            wide = whole if whole.ndim == 2 else np.repeat(whole[:, None], 3, axis=1)
            np.testing.assert_allclose(class_scores(counts, [2, 0], name), wide[:, [2, 0]])

    def test_agreement_is_the_overlap_and_the_rank_correlation(self, small):
        counts = small[2]
        found = rank_classes(counts, [0, 2], [ts.metrics()["chi2"], ts.metrics()["or"]], 5)
        shares, correlations = [], []
        for name in ("sea", "wood"):
            a, b = (ts.score(counts, metric) for metric in ("chi2", "or"))
            tops = [set(scores.top(name, 5)["term"]) for scores in (a, b)]
            shares.append(len(tops[0] & tops[1]) / 5)
            speaking = a.of_class(name).signs[:, 0] > 0
            correlations.append(spearmanr(a.column(name)[speaking], b.column(name)[speaking]).statistic)
        assert counts.classes == ("sea", "town", "wood")
        assert found.overlap(5)[0, 1] == pytest.approx(np.mean(shares))
        assert found.correlation[0, 1] == pytest.approx(np.mean(correlations))

    def test_a_contour_lies_where_the_metric_has_the_value(self, small):
        plane = Plane.from_counts(small[2], "sea", 0)
        (lines,) = page_isoclines(plane, "acc2", [0.3])
        assert len(lines) == 2
        for flat in lines:
            u, v = np.array(flat).reshape(-1, 2).T / 1000
            # a thousandth of the logarithm of 1 + 40 documents is at most 0.15 documents
            fp, tp = np.expm1(u * np.log1p(plane.neg)), np.expm1(v * np.log1p(plane.pos))
            np.testing.assert_allclose(np.abs(tp / plane.pos - fp / plane.neg), 0.3, atol=0.006)

    def test_the_page_opens_with_ig_whatever_the_findings_recommend(self, small):
        counts = small[2]
        for method in ("chi2:round_robin", "all terms"):
            assert held(Page(report_html(counts, findings=findings(method))))["metrics"][0]["name"] == "ig"
        assert held(Page(report_html(counts, metric="chi2")))["metrics"][0]["name"] == "chi2"

    @pytest.mark.parametrize("metric", ["df", "rand", "igm", "dfs", "fisher_score"])
    def test_a_metric_of_any_kind_can_be_the_first(self, small, metric):
        page = Page(report_html(small[2], metric=metric))
        assert held(page)["metrics"][0]["name"] == metric
        data = held(page)["classes"][held(page)["openingClass"]]
        assert len(page.tables["chosen"]) == 1 + len(data["positive"][0]) > 3

    def test_the_option_per_class_is_ignored(self, small):
        page = Page(report_html(small[2], metric="md(per_class=True)"))
        assert held(page)["metrics"][0]["name"] == "md"

    def test_two_classes_open_with_the_second_and_more_with_the_largest(self):
        texts = ["a b", "a c", "d e", "d f", "d g"]
        two = held(
            Page(report_html(ts.count(texts, ["ham", "ham", "spam", "spam", "spam"], analyzer=str.split)))
        )
        assert two["classes"][two["openingClass"]]["name"] == "spam"
        more = held(Page(report_html(ts.count(texts, ["z", "x", "y", "y", "x"], analyzer=str.split))))
        assert more["classes"][more["openingClass"]]["name"] == "x"

    def test_weighted_documents_are_counted_by_their_weight(self):
        counts = ts.count(["aa bb", "aa", "cc"], ["x", "x", "y"], sample_weight=[0.25, 1, 2])
        rows = {row[0]: row for row in Page(report_html(counts)).tables["negative-terms"][1:]}
        assert rows["aa"][3:5] == ["0 (0%)", "1.25 (100%)"]


class TestWords:
    def test_findings_are_shown(self, page):
        assert "Keep 10 terms by bns." in page.text
        assert "Two documents are duplicates." in page.text
        assert "Recommended (marked): bns with linear SVM and 10 terms, 0.7700 ± 0.0100" in page.text
        assert len(page.tables["curve"]) == 1 + 20
        assert page.tables["best-chances"][1:] == [["bns", "75%"], ["chi2", "25%"]]
        assert page.tables["by-class"][1] == ["sea", "bns", "linear SVM", "20", "0.7900", "0.0100"]

    def test_without_findings_the_page_describes_the_corpus(self, small):
        page = Page(report_html(small[2]))
        assert re.search(r"60 documents in 3 classes with \d+ different terms", page.text)
        assert "All classes have 20 documents." in page.text
        assert "curve" not in page.tables

    def test_the_page_states_how_many_terms_are_drawn(self, page):
        assert re.search(r"Up to \d+ of \d+ terms are drawn for each class", page.text)

    def test_numbers_are_formatted(self):
        assert [format_number(v, 4) for v in (0, -0.0, 1234567, 0.00001, -2.5)] == [
            "0",
            "0",
            "1,235,000",
            "0.00001",
            "-2.5",
        ]
        assert [format_percent(v) for v in (0, 1 / 3, 0.99999)] == ["0%", "33.3%", "100%"]
        assert format_count(1e6) == "1,000,000"


class TestContext:
    TEXTS = ("The Old  boat\nleft the harbour.", "A boat, a boat!", "old boats", "c++ and C++", "an old boat")
    LABELS = as_labels(["x", "x", "x", "y", "y"])

    def found(self, term, inside=True, c=0):
        use = (term, c, inside)
        return [
            (s.before, s.term, s.after, s.label)
            for s in find_snippets(self.TEXTS, self.LABELS, [use], ("x", "y")).get(use, ())
        ]

    def test_a_snippet_keeps_the_spelling_of_the_text(self):
        assert self.found("boat") == [
            ("The Old ", "boat", " left the harbour.", "x"),
            ("A ", "boat", ", a boat!", "x"),
        ]

    def test_outside_the_class_another_class_is_named(self):
        assert self.found("boat", inside=False) == [("an old ", "boat", "", "y")]

    def test_terms_of_several_words_or_of_symbols(self):
        assert self.found("old boat") == [("The ", "Old boat", " left the harbour.", "x")]
        assert self.found("c++", c=1) == [("", "c++", " and C++", "y")]

    def test_an_absent_term_has_no_context(self):
        assert self.found("absent") == []

    def test_long_texts_are_cut_at_words(self):
        text = "word " * 100 + "needle" + " word" * 100
        ((seen,),) = find_snippets([text], as_labels(["x"]), [("needle", 0, True)], ("x",)).values()
        assert re.fullmatch(r"…(word )+", seen.before)
        assert re.fullmatch(r"( word)+…", seen.after)
        assert len(seen.before) < 60

    def test_words_in_context_are_on_the_page_and_can_be_left_out(self, page, small):
        texts, _, counts = small
        assert len(page.tables["context"]) > 10
        known = "".join(texts)
        for before, term, after, name in page.tables["context"][1:]:
            assert term in known
            assert name == "sea"
            assert before + after
        silent = Page(report_html(counts))
        assert "context" not in silent.tables
        assert held(silent)["snippets"] == {}
        assert "no. 7" not in silent.text + silent.scripts[0]
