"""The commands: tables on stdout, talk on stderr, 0 or 1."""

from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess
import sys

import pytest

import termsift as ts
from mail_files import ROWS
from termsift.report.keywords import wrap_items


class TestMetrics:
    def test_json_describes_every_metric(self, run):
        code, out, _ = run("metrics", "--json")
        rows = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert code == 0
        assert [row["name"] for row in rows] == ts.metrics().names
        assert all(
            row["formula"] and row["source"] and row["needs"] and row["sided"] in (0, 1, 2) for row in rows
        )

    def test_table_and_csv_list_the_metrics(self, run):
        assert run("metrics")[1].splitlines()[0].split() == [
            "name",
            "sided",
            "needs",
            "options",
            "formula",
            "source",
        ]
        read = list(csv.DictReader(io.StringIO(run("metrics", "--csv")[1])))
        assert len(read) == len(ts.metrics())

    def test_sources_are_printed_once_as_bibtex(self, run):
        code, out, _ = run("metrics", "--cite", "bns", "--cite", "bns", "--cite", "bic")
        assert code == 0
        assert [line for line in out.splitlines() if line.startswith("@")] == [
            "@article{forman2003,",
            "@incollection{wilson2013,",
        ]
        assert run("metrics", "--cite", "bnss")[2].strip().endswith("did you mean 'bns'?")


def test_corpora_are_listed(run):
    code, out, _ = run("corpora", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == ts.corpora.names()


class TestCount:
    def test_counts_are_saved_and_classes_printed(self, run, mail, tmp_path):
        code, out, err = run("count", mail, "-o", tmp_path / "c.parquet", "--json")
        assert code == 0
        assert [(row["class"], row["documents"]) for row in json.loads(out)] == [("ham", 3), ("spam", 2)]
        assert "saved to" in err
        assert ts.Counts.load(tmp_path / "c.parquet") == ts.count(mail)

    def test_classes_are_printed_without_an_output_file(self, run, mail):
        code, out, _ = run("count", mail)
        assert code == 0
        assert out.splitlines()[1].split()[:2] == ["ham", "3"]


class TestScore:
    def test_the_table_of_a_class_has_cells_and_sign(self, run, mail):
        code, out, err = run("score", mail, "--metric", "cc", "--class", "spam", "--top", 1, "--all", "--csv")
        row = next(csv.DictReader(io.StringIO(out)))
        assert code == 0
        assert err == ""
        assert (row["term"], row["sign"], row["tp"], row["fp"]) == ("prize", "1", "2", "0")
        assert "p" in row

    def test_saved_counts_give_the_same_scores_as_the_file(self, run, mail, tmp_path):
        run("count", mail, "-o", tmp_path / "c.parquet")
        options = ("--metric", "bns", "--class", "ham", "--top", 5)
        assert run("score", tmp_path / "c.parquet", *options) == run("score", mail, *options)

    @pytest.fixture
    def many(self, tmp_path):
        texts = ["win a prize"] * 12 + ["see you at lunch"] * 12 + ["win at chess", "a prize at lunch"]
        labels = ["spam"] * 12 + ["ham"] * 14
        rows = [f"{text},{label}\n" for text, label in zip(texts, labels, strict=True)]
        (tmp_path / "many.csv").write_text("text,label\n" + "".join(rows))
        return tmp_path / "many.csv"

    def test_each_class_is_a_row(self, run, many):
        lines = run("score", many, "--top", 2)[1].splitlines()
        assert lines[0].split()[:3] == ["class", "documents", "words:"]
        assert lines[1].split(maxsplit=2) == ["ham", "14", "at 100 % / 0 %, lunch 93 % / 0 %"]
        assert lines[2].split(maxsplit=2) == ["spam", "12", "prize 100 % / 7.1 %, win 100 % / 7.1 %"]
        expected = "All words shown are significant (exact test; expected false positives per class: 0.05)."
        assert lines[3] == f"Ranked by ig. {expected}"

    def test_the_overview_ends_with_commands_that_run_with_its_options(self, run, many):
        many.write_text(many.read_text().replace("text,label", "my text,kind"))
        _, _, err = run("score", many, "--text", "my text", "--label", "kind", "--ngrams", "1-2")
        commands = [
            shlex.split(line, comments=True) for line in err.splitlines() if line.startswith("Next: ")
        ]
        assert [command[2] for command in commands] == ["score", "report"]
        code, out, _ = run(*commands[0][2:])
        assert code == 0
        assert out.startswith("ham (14 of 26 documents), by ig")

    def test_rows_of_words_continue_below_the_first_word_on_a_terminal(self):
        rows = wrap_items(["at 100 % / 0 %", "lunch 93 % / 0 %", "six 9 % / 0 %"], ", ", 33)
        assert rows == ["at 100 % / 0 %, lunch 93 % / 0 %,", "six 9 % / 0 %"]

    def test_terms_that_are_not_significant_are_shown_on_request(self, run, mail):
        assert run("score", mail)[1] == "No significant terms; --all shows them.\n"
        lines = run("score", mail, "--all", "--top", 2)[1].splitlines()
        assert all(words.startswith("[") for words in lines[2].split(maxsplit=2)[2].split(", "))
        assert lines[3].startswith("Ranked by ig. Words in brackets are not significant (exact test;")
        assert lines[4].startswith("Small classes, in which few words can be significant: ham (")
        one = run("score", mail, "--all", "--class", "spam")[1].splitlines()
        assert {line.split()[-1] for line in one[3:]} == {"no"}

    def test_a_list_of_one_class_shows_shares_effect_and_tests(self, run, many):
        lines = run("score", many, "--class", "spam")[1].splitlines()
        assert lines[0] == "spam (12 of 26 documents), by ig"
        assert lines[1] == "effect = log odds ratio; low-high = 95% confidence interval; p = exact test"
        columns = "term in class in class % outside outside % ig effect low high p q"
        assert lines[2].split() == columns.split()
        scores = ts.score(ts.count(many), "ig")
        table = scores.top("spam", 20, direction="positive", expected=0.05)
        assert [line.split()[0] for line in lines[3:-1]] == table["term"].tolist() == ["prize", "win"]
        assert lines[3].split()[1:5] == ["12", "100", "1", "7.14"]
        assert lines[-1] == "All terms shown are significant (expected false positives: 0.05)."
        first = run("score", many, "--class", "spam", "--top", 1)[1].splitlines()
        assert first[-1] == (
            "All terms shown are significant (expected false positives: 0.05); 1 more not shown."
        )
        by_occurrences = run("score", many, "--class", "spam", "--metric", "g2(of='tf')")[1].splitlines()
        assert by_occurrences[1].endswith("; p = exact test of documents")
        stricter = run("score", many, "--class", "spam", "--expected", "1e-30")[1].splitlines()
        assert stricter[-1] == "No significant terms; --all shows them."
        rows = json.loads(run("score", many, "--class", "spam", "--all", "--json")[1])
        everything = scores.top("spam", 20, direction="positive")
        assert [row["significant"] for row in rows] == (
            everything["p"] <= scores.alpha(0.05, "spam")
        ).tolist()
        assert [row["share"] for row in rows] == (everything["tp"] / 12).tolist()

    def test_omitted_terms_with_higher_scores_are_counted(self, run, tmp_path):
        texts = ["win now rare"] + ["win now"] * 19 + ["now win"] + ["lunch"] * 19
        rows = [f"{text},{label}\n" for text, label in zip(texts, ["spam"] * 20 + ["ham"] * 20, strict=True)]
        (tmp_path / "mail.csv").write_text("text,label\n" + "".join(rows))
        lines = run("score", tmp_path / "mail.csv", "--class", "spam", "--metric", "mi")[1].splitlines()
        assert lines[-1] == "1 term with a higher score is not significant; --all shows them."

    def test_occurrence_metrics_show_frequencies_and_rates(self, run, many):
        lines = run("score", many, "--class", "spam", "--metric", "g2(of='tf')")[1].splitlines()
        assert "tf  tf outside  per million  per million outside" in lines[2]
        row = json.loads(run("score", many, "--class", "spam", "--metric", "g2(of='tf')", "--json")[1])[0]
        assert row["per_million"] == pytest.approx(1e6 * row["tf"] / 24)

    @pytest.mark.parametrize("options", [(), ("--class", "spam")])
    def test_an_empty_list_is_reported(self, run, tmp_path, options):
        (tmp_path / "mail.csv").write_text("text,label\nfree win,spam\nfree lunch,ham\n")
        code, out, _ = run("score", tmp_path / "mail.csv", "--min-df", 2, *options)
        assert code == 0
        assert out.splitlines()[-1] == "No significant terms; --all shows them."

    def test_negative_terms_are_listed_on_request(self, run, mail):
        for side, signs in (("positive", {1}), ("negative", {-1})):
            options = ("--class", "spam", "--direction", side, "--all", "--json")
            assert {row["sign"] for row in json.loads(run("score", mail, *options)[1])} == signs
        assert "lunch (-)" in run("score", mail, "--all", "--direction", "both", "--top", 9)[1]

    def test_only_the_longest_of_nested_n_grams_is_listed(self, run, tmp_path):
        texts, labels = ["off to new york city"] * 9 + ["off to sea"] * 9, ["west"] * 9 + ["east"] * 9
        counts = ts.count(texts, labels, analyzer=ts.Analyzer(ngram_range=(1, 3)))
        counts.save(tmp_path / "c.parquet")
        options = ("score", tmp_path / "c.parquet", "--class", "west", "--csv")
        shown = [row.split(",")[0] for row in run(*options)[1].splitlines()[1:]]
        assert shown == ["new york city", "off to new", "to new york"]
        assert "\nyork," in run(*options, "--keep-nested")[1]

    def test_several_metrics_are_columns_with_marked_negative_terms(self, run, mail):
        code, out, _ = run(
            "score",
            mail,
            "--metric",
            "bns",
            "--metric",
            "md",
            "--metric",
            "df",
            "--class",
            "spam",
            "--top",
            3,
            "--direction",
            "both",
            "--all",
        )
        lines = out.splitlines()
        assert code == 0
        assert lines[0] == "[spam]"
        assert lines[1].split() == ["bns", "md", "df"]
        assert "at (-)" in out
        expected = "Terms in brackets are not significant (exact test; expected false positives: 0.05)."
        assert lines[-1] == expected

    def test_metrics_are_written_with_their_options(self, run, mail):
        counts = ts.count(mail)
        metrics = [
            "ig(smoothing='ele')",
            "md(model='bernoulli')",
            "bns(zero='replace')",
            "chi2_joint",
            "chi2_all",
        ]
        given = [part for metric in metrics for part in ("--metric", metric)]
        rows = json.loads(run("score", mail, *given, "--class", "spam", "--top", 3, "--all", "--json")[1])
        assert list(dict.fromkeys(row["metric"] for row in rows)) == metrics
        for metric in metrics:
            summed = {"per_class": True} if metric.startswith(("md", "chi2_all")) else {}
            expected = (
                ts.score(counts, metric, **summed).top("spam", 3, direction="positive")["term"].tolist()
            )
            assert [row["term"] for row in rows if row["metric"] == metric] == expected
        shown = run("score", mail, "--metric", "ngl", "--metric", metrics[0], "--class", "spam")[1]
        assert shown.splitlines()[1].split() == ["cc", metrics[0]]

    def test_all_metrics_show_the_same_p_values(self, run, mail):
        p = {}
        for metric in ("gu", "gu(printed=True)", "log_odds_prior"):
            rows = json.loads(run("score", mail, "--metric", metric, "--class", "spam", "--all", "--json")[1])
            p[metric] = {row["term"]: row["p"] for row in rows}
        assert p["gu"] == p["gu(printed=True)"] == p["log_odds_prior"]

    def test_several_metrics_are_rows_in_csv(self, run, mail):
        rows = json.loads(
            run("score", mail, "--metric", "bns", "--metric", "cc", "--top", 2, "--all", "--json")[1]
        )
        assert [row["metric"] for row in rows] == ["bns"] * 4 + ["cc"] * 4

    def test_metrics_with_different_columns_keep_all_columns(self, run, mail):
        rows = json.loads(
            run("score", mail, "--metric", "bns", "--metric", "df", "--metric", "chi2", "--all", "--json")[1]
        )
        assert {row["class"] for row in rows if row["metric"] == "df"} == {None}
        assert {row["class"] for row in rows if row["metric"] == "bns"} == {"ham", "spam"}
        assert all(row["p"] is not None for row in rows if row["metric"] == "chi2")

    def test_direction_restricts_the_list(self, run, mail):
        rows = json.loads(
            run("score", mail, "--class", "spam", "--direction", "negative", "--all", "--json")[1]
        )
        assert {row["sign"] for row in rows} == {-1}

    def test_metric_without_classes_has_one_list(self, run, mail):
        assert run("score", mail, "--metric", "df", "--top", 1)[1].split() == [
            "term",
            "df",
            "score",
            "at",
            "3",
            "3",
        ]

    def test_min_df_omits_rare_terms(self, run, mail):
        terms = {row["term"] for row in json.loads(run("score", mail, "--min-df", 3, "--all", "--json")[1])}
        assert terms == {"at", "free", "noon"}


class TestSelect:
    def test_terms_are_printed_one_per_line(self, run, mail):
        code, out, _ = run("select", mail, "--metric", "chi2", "-k", 2)
        assert code == 0
        assert out.split() == ts.select(ts.count(mail), "chi2", ts.TopK(2))

    def test_terms_are_written_to_a_file(self, run, mail, tmp_path):
        code, out, err = run("select", mail, "-k", 3, "-o", tmp_path / "terms.txt")
        assert (code, out) == (0, "")
        assert "3 of 16 terms written" in err
        assert len((tmp_path / "terms.txt").read_text(encoding="utf-8").split()) == 3

    def test_terms_are_printed_as_json_and_csv(self, run, mail):
        assert len(json.loads(run("select", mail, "-k", 4, "--json")[1])) == 4
        assert run("select", mail, "-k", 1, "--csv")[1].splitlines()[0] == "term"

    def test_policy_and_class_are_applied(self, run, mail):
        policy = "PositiveNegative(2, ratio=0.5)"
        out = run("select", mail, "--metric", "cc", "--policy", policy, "--class", "spam")[1]
        assert out.split() == ts.select(ts.count(mail), "cc", ts.PositiveNegative(2, 0.5), for_class="spam")

    def test_a_method_is_a_metric_with_its_policy(self, run, mail):
        out = run("select", mail, "--metric", "bns:round_robin", "-k", 3)[1]
        assert out.split() == ts.select(ts.count(mail), "bns", ts.RoundRobin(3))
        code, _, err = run("select", mail, "--metric", "bns:round_robin", "--policy", "TopK(3)")
        assert code == 1
        assert "bns:round_robin already has a policy" in err

    def test_redundancy_aware_methods_use_the_documents(self, run, mail, tmp_path):
        vectorizer, (texts, labels) = ts.TermVectorizer(), zip(*ROWS, strict=True)
        X = vectorizer.fit_transform(texts)
        for criterion in ("jmi", "mrmr", "cmim"):
            selector = ts.RedundancyAwareSelector(criterion, k=4, metric="ig").fit(X, labels)
            expected = vectorizer.get_feature_names_out()[selector.selection_].tolist()
            assert run("select", mail, "--metric", f"ig:{criterion}", "-k", 4)[1].split() == expected
            policy = f"RedundancyAware(4, criterion='{criterion}')"
            given = ("select", mail, "--metric", "ig", "--policy", policy, "-o", tmp_path / "terms.txt")
            assert "4 of 16 terms written" in run(*given)[2]
            assert (tmp_path / "terms.txt").read_text(encoding="utf-8").split() == expected
        assert len(run("select", mail, "--metric", "ig:cmim", "-k", 2, "--class", "spam")[1].split()) == 2
        assert set(run("select", mail, "--metric", "ig:jmi", "-k", 3, "--min-df", 3)[1].split()) == {
            "at",
            "free",
            "noon",
        }

    def test_redundancy_aware_methods_reject_saved_counts(self, run, mail, tmp_path):
        run("count", mail, "-o", tmp_path / "c.parquet")
        code, out, err = run("select", tmp_path / "c.parquet", "--metric", "ig:jmi", "-k", 3)
        assert (code, out) == (1, "")
        assert "contains counts; pass the documents from which they were counted" in err

    def test_k_above_the_number_of_terms_is_a_warning(self, run, mail):
        code, out, err = run("select", mail, "-k", 500)
        assert code == 0
        assert err == "termsift: k is 500 but there are only 16 terms; all are kept\n"
        assert len(out.split()) == 16


def test_a_corpus_can_be_named_instead_of_a_file(run):
    code, out, _ = run("score", "docstrings", "--class", "scipy.stats", "--top", 3)
    assert code == 0
    assert len(out.splitlines()) == 7


def test_the_installed_command_runs_without_a_terminal(mail):
    command = [
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        "score",
        str(mail),
        "--top",
        "1",
        "--all",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("class")
    assert all(line.startswith("Next: termsift ") for line in done.stderr.splitlines())


def test_a_closed_pipe_is_not_an_error(mail):
    command = f"{sys.executable} -c 'from termsift.cli import main; main()' metrics | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_counts_files_are_recognized_by_content(run, mail, tmp_path):
    run("count", mail, "-o", tmp_path / "counts.bin")
    assert run("select", tmp_path / "counts.bin", "-k", 3) == run("select", mail, "-k", 3)


def test_every_command_has_help(run):
    for command in ("metrics", "corpora", "count", "score", "select"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert command in out
