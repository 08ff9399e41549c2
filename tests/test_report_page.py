"""The page of a report: its values, that it is closed to markup and network, its tables and its size."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from scipy.stats import spearmanr

import termsift as ts
from report_pages import NASTY, TOPICS, Page, corpus, findings, nasty_corpus, nasty_page
from termsift.engines.labels import as_labels
from termsift.report import notebook_html, report_html
from termsift.report.class_scores import OFFERED, class_scores, metric_facts
from termsift.report.contours import contours
from termsift.report.facts import corpus_facts
from termsift.report.markup import script_json
from termsift.report.plane import Plane
from termsift.report.rankings import rankings
from termsift.report.snippets import snippets
from termsift.report.summary import MOST_CLASSES, numbers_of_terms
from termsift.report.written import amount, clipped, plain, share
from termsift.tables import Table

ALWAYS = {
    "chosen",
    "for-terms",
    "against-terms",
    "every",
    "overlap",
    "correlation",
    "classes",
    "bands",
    "metrics",
}


@pytest.fixture(scope="module")
def small():
    texts, labels = corpus()
    return texts, labels, ts.count(texts, labels)


@pytest.fixture(scope="module")
def html(small) -> str:
    texts, labels, counts = small
    return report_html(counts, title="Places & people", texts=texts, labels=labels, findings=findings(), k=7)


@pytest.fixture(scope="module")
def page(html) -> Page:
    return Page(html)


@pytest.fixture(scope="module")
def nasty() -> str:
    return nasty_page(k=5)


def held(page: Page):
    return json.loads(page.scripts[0])["data"]


class TestValues:
    def test_the_facts_of_a_corpus(self):
        texts, labels = ["a b b", "a", "c c d e"], [["x"], ["x", "y"], ["y"]]
        counts = ts.count(texts, labels, analyzer=str.split)
        facts = corpus_facts(counts, texts, as_labels(labels))
        assert (facts.documents, facts.terms, facts.occurrences) == (3, 5, 8)
        assert facts.labels == pytest.approx(4 / 3)
        assert facts.words == pytest.approx((1.4, 3, 3.8))
        x, y = facts.classes
        assert (x.name, x.documents, x.share, x.skew) == ("x", 2, pytest.approx(2 / 3), 0.5)
        assert (x.length, x.vocabulary, x.words) == (2, 2, 2)
        assert (y.length, y.vocabulary) == (2.5, 4)
        assert [(bar.label, bar.number) for bar in facts.bands] == [("1", 4), ("2", 1)]
        assert [(bar.label, bar.number) for bar in facts.lengths] == [("1", 1), ("2", 0), ("3 to 9", 2)]

    def test_the_chosen_terms_are_the_best_by_the_metric_with_their_counts(self, page, small):
        counts = small[2]
        name = held(page)["classes"][held(page)["first"]]["name"]
        top = list(ts.score(counts, "bns").top(name, 7))
        head, *rows = page.tables["chosen"]
        assert head[:2] == ["rank", "term"]
        assert [row[1] for row in rows] == [row["term"] for row in top]
        assert [(row[3], row[4]) for row in rows] == [(str(row["tp"]), str(row["fp"])) for row in top]
        assert [float(row[7]) for row in rows] == pytest.approx([row["score"] for row in top], rel=1e-3)
        assert page.captions["chosen"] == f"The 7 best terms of {name} by bns"

    @pytest.mark.parametrize("metric", ["ig", "cc", "log_odds_prior"])
    def test_both_sides_are_those_of_the_scores(self, small, metric):
        counts = small[2]
        page = Page(report_html(counts, metric=metric, classes=["wood"]))
        for side, table in (("for", "for-terms"), ("against", "against-terms")):
            wanted = ts.score(counts, metric).top("wood", 10, side=side)["term"].tolist()
            assert [row[0] for row in page.tables[table][1:]] == wanted

    def test_the_script_has_the_scores_of_every_metric_offered(self, page, small):
        counts, data = small[2], held(page)
        assert [m["name"] for m in data["metrics"]] == list(OFFERED)
        for one in data["classes"]:
            column = counts.class_index(one["name"])
            rows = np.searchsorted(counts.terms.astype(str), [data["terms"][t] for t in one["terms"]])
            for m, metric in enumerate(OFFERED):
                values = class_scores(counts, [column], metric)[rows, 0]
                np.testing.assert_allclose(one["scores"][m], values, rtol=1e-3, atol=1e-12)

    def test_scores_of_some_classes_are_those_of_all(self, small):
        counts = small[2]
        for name in ts.metrics().names:
            options = {"per_class": True} if "per_class" in ts.metrics()[name].options else {}
            whole = np.asarray(ts.score(counts, name, **options))
            wide = whole if whole.ndim == 2 else np.repeat(whole[:, None], 3, axis=1)
            np.testing.assert_allclose(class_scores(counts, [2, 0], name), wide[:, [2, 0]])

    def test_agreement_is_the_share_in_common_and_the_correlation_of_ranks(self, small):
        counts = small[2]
        found = rankings(counts, [0, 2], [metric_facts("chi2"), metric_facts("or")], 5)
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
        plane = Plane.of(small[2], "sea", 0)
        (lines,) = contours(plane, "acc2", [0.3])
        assert len(lines) == 2
        for flat in lines:
            u, v = np.array(flat).reshape(-1, 2).T / 1000
            np.testing.assert_allclose(np.abs(v**2 - u**2), 0.3, atol=0.004)

    def test_the_page_opens_with_the_metric_of_the_findings(self, small):
        counts = small[2]
        assert (
            held(Page(report_html(counts, findings=findings("chi2:turns"))))["metrics"][0]["name"] == "chi2"
        )
        assert held(Page(report_html(counts, findings=findings("all terms"))))["metrics"][0]["name"] == "bns"

    @pytest.mark.parametrize("metric", ["df", "rand", "igm", "dfs", "fisher"])
    def test_a_metric_of_any_kind_can_be_the_first(self, small, metric):
        page = Page(report_html(small[2], metric=metric))
        assert held(page)["metrics"][0]["name"] == metric
        assert len(page.tables["chosen"]) > 5

    def test_two_classes_open_with_the_second_and_others_with_the_largest(self):
        texts = ["a b", "a c", "d e", "d f", "d g"]
        two = held(
            Page(report_html(ts.count(texts, ["ham", "ham", "spam", "spam", "spam"], analyzer=str.split)))
        )
        assert two["classes"][two["first"]]["name"] == "spam"
        more = held(Page(report_html(ts.count(texts, ["z", "x", "y", "y", "x"], analyzer=str.split))))
        assert more["classes"][more["first"]]["name"] == "x"

    def test_weighted_documents_are_counted_by_their_weight(self):
        counts = ts.count(["aa bb", "aa", "cc"], ["x", "x", "y"], sample_weight=[0.25, 1, 2])
        rows = {row[1]: row for row in Page(report_html(counts)).tables["chosen"][1:]}
        assert rows["aa"][3:5] == ["0", "1.25"]


class TestWords:
    def test_findings_are_said_first_and_drawn(self, page):
        assert "Keep 10 terms by bns." in page.text
        assert "Two documents are copies." in page.text
        assert "Marked: bns with linear SVM and 10 terms, 0.7700 ± 0.0100" in page.text
        assert len(page.tables["curve"]) == 1 + 20
        assert page.tables["best-chances"][1:] == [["bns", "75%"], ["chi2", "25%"]]
        assert page.tables["by-class"][1] == ["sea", "bns", "linear SVM", "20", "0.7900", "0.0100"]

    def test_without_findings_the_corpus_is_summed_up(self, small):
        page = Page(report_html(small[2]))
        assert re.search(r"60 documents in 3 classes hold \d+ different terms", page.text)
        assert "All classes have 20 documents." in page.text
        assert "curve" not in page.tables

    def test_what_is_drawn_and_what_is_not_is_said(self, page):
        assert re.search(r"Of \d+ terms up to \d+ are drawn for each class", page.text)

    def test_numbers_are_written_alike_everywhere(self):
        assert [plain(v, 4) for v in (0, -0.0, 1234567, 0.00001, -2.5)] == [
            "0",
            "0",
            "1,235,000",
            "0.00001",
            "-2.5",
        ]
        assert [share(v) for v in (0, 1 / 3, 0.99999)] == ["0%", "33.3%", "100%"]
        assert amount(1e6) == "1,000,000"


class TestContext:
    TEXTS = ("The Old  boat\nleft the harbour.", "A boat, a boat!", "old boats", "c++ and C++", "an old boat")
    LABELS = as_labels(["x", "x", "x", "y", "y"])

    def found(self, term, inside=True, c=0):
        use = (term, c, inside)
        return [
            (s.before, s.term, s.after, s.label)
            for s in snippets(self.TEXTS, self.LABELS, [use], ("x", "y")).get(use, ())
        ]

    def test_a_term_is_found_in_its_class_as_the_text_writes_it(self):
        assert self.found("boat") == [
            ("The Old ", "boat", " left the harbour.", "x"),
            ("A ", "boat", ", a boat!", "x"),
        ]

    def test_outside_the_class_another_class_is_named(self):
        assert self.found("boat", inside=False) == [("an old ", "boat", "", "y")]

    def test_several_words_and_signs_that_are_no_words(self):
        assert self.found("old boat") == [("The ", "Old boat", " left the harbour.", "x")]
        assert self.found("c++", c=1) == [("", "c++", " and C++", "y")]

    def test_a_term_that_texts_do_not_write_has_no_context(self):
        assert self.found("absent") == []

    def test_long_texts_are_cut_at_words(self):
        text = "word " * 100 + "needle" + " word" * 100
        ((seen,),) = snippets([text], as_labels(["x"]), [("needle", 0, True)], ("x",)).values()
        assert re.fullmatch(r"…(word )+", seen.before)
        assert re.fullmatch(r"( word)+…", seen.after)
        assert len(seen.before) < 60

    def test_words_in_context_are_on_the_page_and_can_be_left_out(self, page, small):
        texts, _, counts = small
        assert len(page.tables["context"]) > 10
        known = "".join(texts)
        for before, term, after, name in page.tables["context"][1:]:
            assert term in known
            assert name in TOPICS
            assert before + after
        silent = Page(report_html(counts))
        assert "context" not in silent.tables
        assert held(silent)["uses"] == {}
        assert "no. 7" not in silent.text + silent.scripts[0]


class TestClosed:
    def test_words_and_labels_never_become_markup(self, nasty, html):
        calm, wild = Page(html), Page(nasty)
        assert {tag for tag, _ in wild.tags} == {tag for tag, _ in calm.tags}
        assert len(wild.scripts) == 3
        assert not any(key.startswith("on") for _, found in wild.tags for key in found)
        for word in NASTY:
            assert word in wild.text

    def test_data_for_the_script_cannot_leave_it(self, nasty):
        own = Page(nasty).scripts[0]
        assert not set("<>&\u2028\u2029") & set(own)
        assert set(held(Page(nasty))["terms"]) == set(NASTY)
        assert json.loads(script_json(list(NASTY))) == list(NASTY)

    def test_nothing_is_fetched_and_only_our_scripts_run(self, html):
        page = Page(html)
        addresses = [
            v for _, found in page.tags for k, v in found.items() if k in ("src", "href", "action", "srcset")
        ]
        assert addresses
        assert all(address.startswith("#") for address in addresses)
        assert "@import" not in html
        assert "url(" not in re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
        policy = next(f["content"] for tag, f in page.tags if tag == "meta" and "http-equiv" in f)
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe-eval" not in policy
        for script in page.scripts[1:]:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy

    def test_halves_of_pairs_can_be_written(self):
        counts = ts.count(["a\ud800b x", "y z"], ["p\ud800", "q"], analyzer=str.split)
        assert "a?b" in report_html(
            counts, title="\udfff", texts=["a\ud800b x", "y z"], labels=["p\ud800", "q"]
        )

    def test_the_same_input_gives_the_same_page(self, html, small):
        texts, labels, counts = small
        again = report_html(
            counts, title="Places & people", texts=texts, labels=labels, findings=findings(), k=7
        )
        assert again == html

    def test_a_notebook_shows_the_page_in_a_frame(self, html):
        ((tag, found),) = Page(notebook_html(html, 500)).tags
        assert tag == "iframe"
        assert found["srcdoc"] == html
        assert "500px" in found["style"]


class TestWithoutScript:
    def test_every_table_is_there_from_the_start(self, page):
        assert set(page.tables) == ALWAYS | {"context", "lengths", "curve", "best-chances", "by-class"}
        assert all(len(rows) > 1 for rows in page.tables.values())
        assert all(len({len(row) for row in rows}) == 1 for rows in page.tables.values())
        assert all(page.captions.values())

    def test_every_part_has_a_heading_and_every_control_a_label(self, html):
        page = Page(html)
        links = [found["href"][1:] for tag, found in page.tags if tag == "a"]
        identities = [found["id"] for _, found in page.tags if "id" in found]
        assert len(identities) == len(set(identities))
        assert set(links) <= set(identities)
        names = [tag for tag, _ in page.tags]
        assert names.count("section") == names.count("h2") == 8
        for control in ("class", "metric", "k", "search", "classifier"):
            assert re.search(rf'<label>(?:(?!</label>).)*id="{control}"', html, re.DOTALL)


class TestSizes:
    def test_many_classes_and_long_names_stay_below_the_bound_and_it_is_said(self):
        rng = np.random.default_rng(0)
        names = [f"{n:03} {'ü' * 200}" for n in range(320)]
        texts = [" ".join(f"w{n}{'é' * 90}" for n in rng.zipf(1.3, 40) % 30_000) for _ in range(700)]
        labels = [[names[d % 320], names[rng.integers(320)]] for d in range(len(texts))]
        html = report_html(ts.count(texts, labels, analyzer=str.split), texts=texts, labels=labels)
        assert len(html.encode()) < 8e6
        page = Page(html)
        assert f"{MOST_CLASSES} of 320 classes can be chosen here" in page.text
        assert "the first 300 of 320" in page.captions["classes"]
        assert max(map(len, held(page)["terms"])) <= 100

    def test_a_page_opens_with_no_more_terms_than_there_are_and_than_it_shows(self, small):
        counts = small[2]
        assert held(Page(report_html(counts, k=1000)))["ks"][-1] == len(counts.terms)
        assert numbers_of_terms(5000, 1000) == ((5, 10, 20, 50, 100, 200, 300), 300)
        assert numbers_of_terms(5000, None)[1] == 50

    def test_a_long_name_is_cut(self):
        assert clipped("é" * 500) == "é" * 48 + "…"
        assert len(clipped("🙂" * 500).encode()) <= 100


class TestMistakes:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"k": 0}, "k must be at least 1, got 0"),
            ({"metric": "chi"}, "no metric named 'chi'; did you mean 'chi2'?"),
            ({"classes": ["se"]}, "no class named 'se'; did you mean 'sea'?"),
            ({"texts": ["a"]}, "texts without labels"),
            ({"texts": ["a"], "labels": ["sea", "sea"]}, "1 texts but 2 labels"),
            ({"texts": ["a"], "labels": ["lake"]}, "no class named 'lake'"),
        ],
    )
    def test_the_options(self, small, options, message):
        with pytest.raises((ts.InvalidInput, ts.UnknownName), match=re.escape(message)):
            report_html(small[2], **options)

    def test_the_counts(self):
        with pytest.raises(ts.InvalidInput, match="report_html takes Counts, got list"):
            report_html([])
        with pytest.raises(ts.InvalidInput, match="no document holds a term"):
            report_html(ts.Counts.empty())
        with pytest.raises(ts.InvalidInput, match="only 1 class"):
            report_html(ts.count(["aa", "bb"], ["x", "x"]))

    def test_findings_of_nothing_are_shown_as_words(self, small):
        empty = Table({"class": np.array([], dtype=object)})
        found = findings()
        from dataclasses import replace

        page = Page(report_html(small[2], findings=replace(found, classes=empty, chances=empty, warnings=[])))
        assert not {"best-chances", "by-class"} & set(page.tables)


class TestCommand:
    def test_a_file_becomes_a_page(self, run, mail, tmp_path):
        target = tmp_path / "r.html"
        code, out, err = run("report", mail, "-o", target, "--metric", "chi2", "--class", "spam", "-k", 3)
        assert (code, out) == (0, "")
        assert "the report is" in err
        page = Page(target.read_text(encoding="utf-8"))
        assert page.captions["chosen"] == "The 3 best terms of spam by chi2"
        assert "claim now" in page.text
        assert f"Terms of {mail}" in page.text

    def test_texts_can_be_left_out(self, run, mail, tmp_path):
        run("report", mail, "-o", tmp_path / "r.html", "--no-texts", "--title", "Mail")
        html = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "<h1>Mail</h1>" in html
        assert "claim now" not in html
        assert "claim" in html

    def test_saved_counts_and_matrices_have_no_texts(self, run, mail, tmp_path):
        run("count", mail, "-o", tmp_path / "c.parquet")
        code, _, _ = run("report", tmp_path / "c.parquet", "-o", tmp_path / "r.html", "--min-df", 2)
        assert code == 0
        terms = {
            row[1] for row in Page((tmp_path / "r.html").read_text(encoding="utf-8")).tables["chosen"][1:]
        }
        assert terms == {"at", "free", "lunch", "noon", "prize"}

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["MAIL", "-o", "FOLDER"], "is a folder; give the name of a file to write"),
            (["MAIL", "-o", "FOLDER/no/r.html"], "does not exist"),
            (["MAIL", "-o", "FOLDER/r.html", "--metric", "chi"], "did you mean 'chi2'?"),
            (["MAIL", "-o", "FOLDER/r.html", "--class", "spma"], "did you mean 'spam'?"),
            (["MAIL", "-o", "FOLDER/r.html", "-k", "0"], "k must be at least 1, got 0"),
            (["MAIL", "-o", "FOLDER/r.html", "-k", "301"], "k must be at most 300 on a page, got 301"),
            (["MAIL", "-o", "FOLDER/r.html", "--min-df", "99"], "no document holds a term"),
            (["docstring", "-o", "FOLDER/r.html"], "did you mean 'docstrings'?"),
            (["MAIL"], "requires an argument"),
        ],
    )
    def test_a_mistake_is_one_line_and_leaves_no_file(self, run, mail, arguments, message):
        named = [a.replace("MAIL", str(mail)).replace("FOLDER", str(mail.parent)) for a in arguments]
        code, out, err = run("report", *named)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert message in err
        assert not (mail.parent / "r.html").exists()


def test_nasty_words_are_the_terms_that_are_tested():
    texts, labels = nasty_corpus()
    assert set(labels) == set(NASTY[:4])
    assert {word for text in texts for word in NASTY if word in text} == set(NASTY)
