"""termsift diff, termsift merge, and --reference."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import termsift as ts
from planted import two_years


@pytest.fixture(scope="module")
def years(tmp_path_factory):
    folder = tmp_path_factory.mktemp("years")
    for name, texts in zip(("2026", "2025"), two_years(), strict=True):
        pd.DataFrame({"body": texts}).to_csv(folder / f"{name}.csv", index=False)
    return folder / "2026.csv", folder / "2025.csv"


@pytest.fixture
def topics(tmp_path):
    path = tmp_path / "topics.csv"
    texts = ["free prize", "free lunch", "lunch today", "paris today", "paris lunch"]
    pd.DataFrame({"text": texts, "label": ["spam", "ham", "ham", "news", "news"]}).to_csv(path, index=False)
    return path


class TestDiff:
    def test_only_the_planted_change_is_listed(self, run, years):
        code, out, err = run("diff", *years, "--text", "body", "--expected", 0.05)
        assert code == 0
        assert err == ""
        assert out.startswith(
            "2026.csv (400 documents) against 2025.csv (400 documents), ranked by g2.\n"
            "target, reference: documents of 2026.csv and 2025.csv that contain the term; "
            "effect = log odds ratio; low-high = 95% confidence interval.\n"
        )
        lines = [line.split() for line in out.splitlines()]
        assert [line[0] for line in lines if line and line[0] in ("outage", "fax")] == ["outage", "fax"]
        assert not any(line and line[0].startswith("w") for line in lines)

    def test_the_json_has_both_directions_with_their_effects(self, run, years):
        _, out, _ = run("diff", *years, "--text", "body", "--json", "--top", 3, "--all")
        rows = json.loads(out)
        assert [row["more_in"] for row in rows] == ["2026.csv"] * 3 + ["2025.csv"] * 3
        assert (rows[0]["term"], rows[0]["significant"]) == ("outage", True)
        assert 0 < rows[0]["low"] < rows[0]["effect"] < rows[0]["high"]
        assert rows[1]["significant"] is False

    def test_page_and_terms_are_written(self, run, years, tmp_path):
        page, terms = tmp_path / "page.html", tmp_path / "terms.csv"
        code, out, err = run("diff", *years, "--text", "body", "--report", page, "-o", terms, "--csv")
        assert (code, out) == (0, "")
        assert "report written to" in err
        assert "<h1>2026.csv against 2025.csv</h1>" in page.read_text()
        assert terms.read_text().splitlines()[1].startswith("2026.csv,outage,")

    def test_saved_counts_and_word_lists_are_compared(self, run, years, tmp_path):
        for path in years:
            ts.count(path, text="body", label="").save(tmp_path / f"{path.stem}.parquet")
        saved = run("diff", tmp_path / "2026.parquet", tmp_path / "2025.parquet", "--csv")[1]
        read = run("diff", *years, "--text", "body", "--csv")[1]
        assert saved.replace(".parquet", ".csv") == read
        words = tmp_path / "words.csv"
        counts = ts.count(years[1], text="body", label="")
        pd.DataFrame({"term": counts.terms, "count": counts.term_tf}).to_csv(words, index=False)
        code, out, _ = run("diff", years[0], words, "--text", "body")
        assert code == 0
        assert (
            "ranked by g2(of='tf').\ntarget, reference: occurrences in 2026.csv and words.csv; effect" in out
        )
        assert out.splitlines()[5].split()[0] == "outage"

    def test_only_the_longest_of_nested_n_grams_is_listed(self, run, tmp_path):
        for name, words in (("new", "off to new york city"), ("old", "off to sea")):
            texts, analyzer = [f"{words} on day {i % 7}" for i in range(30)], ts.Analyzer(ngram_range=(1, 3))
            ts.count(texts, ["all"] * 30, analyzer=analyzer).save(tmp_path / f"{name}.parquet")
        options = ("diff", tmp_path / "new.parquet", tmp_path / "old.parquet", "--csv", "--top", 40)
        kept, shown = (
            {row.split(",")[1] for row in run(*options, *more)[1].splitlines()}
            for more in (["--keep-nested"], [])
        )
        assert {"new york city", "new york", "york"} <= kept
        assert "new york city" in shown
        assert not {"new york", "york", "new", "city"} & shown

    @pytest.mark.parametrize(
        "options, message",
        [
            (["--top", "0"], "top must be at least 1"),
            (["--metric", "log_ratoi"], "did you mean 'log_ratio'?"),
            (["--effect", "odds"], "no effect named 'odds'"),
            (["--level", "95"], "level must be between 0 and 1"),
            (["--text", "bdy"], "did you mean 'body'?"),
            (["--json", "--csv"], "give only one of --json and --csv"),
        ],
    )
    def test_invalid_arguments_are_one_line_errors(self, run, years, options, message):
        text = [] if "--text" in options else ["--text", "body"]
        code, out, err = run("diff", *years, *text, *options)
        assert (code, out) == (1, "")
        assert message in err
        assert err.count("\n") == 1

    def test_output_does_not_overwrite_the_input(self, run, years):
        code, _, err = run("diff", *years, "--text", "body", "-o", years[1])
        assert code == 1
        assert "is also an input" in err


class TestMerge:
    def test_saved_counts_are_added(self, run, topics, tmp_path):
        counts = ts.count(topics)
        parts = [counts.only("spam"), counts.only(["ham", "news"])]
        for number, part in enumerate(parts):
            part.save(tmp_path / f"{number}.parquet")
        code, out, err = run(
            "merge", tmp_path / "0.parquet", tmp_path / "1.parquet", "-o", tmp_path / "all.parquet"
        )
        assert (code, out) == (0, "")
        assert "5 documents" in err
        assert ts.Counts.load(tmp_path / "all.parquet") == counts

    def test_invalid_arguments_are_one_line_errors(self, run, topics, tmp_path):
        a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
        ts.count(topics).save(a)
        ts.count(topics, analyzer=ts.Analyzer(ngram_range=(1, 2))).save(b)
        for given, message in (
            ([a, b], "counts with different analyzers cannot be added"),
            ([a], "give at least two files"),
            ([a, topics], "topics.csv"),
            ([a, tmp_path / "no.parquet"], "there is no file"),
        ):
            code, out, err = run("merge", *given, "-o", tmp_path / "c.parquet")
            assert (code, out) == (1, "")
            assert message in err
            assert err.count("\n") == 1
            assert not (tmp_path / "c.parquet").exists()
        code, _, err = run("merge", a, a, "-o", a)
        assert code == 1
        assert "is also an input" in err


class TestAgainst:
    def test_a_class_is_scored_against_a_reference(self, run, topics):
        _, out, _ = run(
            "score", topics, "--metric", "cc", "--class", "spam", "--reference", "ham", "--all", "--json"
        )
        rows = json.loads(out)
        expected = ts.score(ts.count(topics), "cc", for_class="spam", reference="ham").top(
            "spam", 20, direction="positive"
        )
        assert [row["term"] for row in rows] == expected["term"].tolist()
        assert {row["tp"] + row["fp"] + row["fn"] + row["tn"] for row in rows} == {3}
        _, out, _ = run(
            "score",
            topics,
            "--class",
            "news",
            "--reference",
            "ham",
            "--reference",
            "spam",
            "--top",
            1,
            "--all",
            "--csv",
        )
        assert "paris,news" in out

    def test_terms_are_selected_against_a_reference(self, run, topics):
        options = ("--metric", "cc", "-k", 1, "--class", "spam", "--class", "ham", "--reference", "news")
        assert run("select", topics, *options)[:2] == (0, "free\n")

    def test_report_shows_target_and_reference(self, run, topics, tmp_path):
        page = tmp_path / "page.html"
        code, _, err = run("report", topics, "--class", "news", "--reference", "spam", "-o", page)
        assert code == 0
        assert "3 documents" in err
        assert "lunch today" not in page.read_text()

    @pytest.mark.parametrize(
        "options, message",
        [
            (["--class", "spam", "--reference", "spam"], "class 'spam' is both target and reference"),
            (["--class", "spam", "--reference", "hm"], "no class named 'hm'; did you mean 'ham'?"),
            (["--reference", "ham"], "--reference needs --class"),
        ],
    )
    @pytest.mark.parametrize("command", ["score", "select", "report"])
    def test_invalid_arguments_are_one_line_errors(self, run, topics, tmp_path, command, options, message):
        page = ["-o", tmp_path / "page.html"] if command == "report" else []
        code, out, err = run(command, topics, *options, *page)
        assert (code, out) == (1, "")
        assert message in err
        assert err.count("\n") == 1
