"""termsift report: a page, or one line and no file."""

from __future__ import annotations

import pandas as pd
import pytest

import termsift as ts
from mail_files import ROWS
from report_pages import Page, held
from termsift.cli.inputs import default_title


class TestCommand:
    def test_a_report_is_written(self, run, tmp_path):
        target, mail = tmp_path / "r.html", tmp_path / "mail.csv"
        # often enough that words are significant, so that they are shown in context
        pd.DataFrame(ROWS * 4, columns=["text", "label"]).to_csv(mail, index=False)
        code, out, err = run("report", mail, "-o", target, "--metric", "chi2", "--class", "spam", "-k", 3)
        assert (code, out) == (0, "")
        assert "report written to" in err
        page = Page(target.read_text(encoding="utf-8"))
        assert page.captions["chosen"] == "3 best positive terms of spam by chi2"
        assert "claim now" in page.text
        assert f"<h1>Terms of {mail.name}</h1>" in target.read_text(encoding="utf-8")

    def test_the_metric_may_have_options(self, run, mail, tmp_path):
        target = tmp_path / "r.html"
        written = "ig(smoothing='ele')"
        assert run("report", mail, "-o", target, "--metric", written, "--class", "spam", "-k", 3)[0] == 0
        page = Page(target.read_text(encoding="utf-8"))
        assert page.captions["chosen"] == f"3 best positive terms of spam by {written}"

    @pytest.mark.parametrize(
        ("data", "title"),
        [
            ("/a/b/mail.csv", "Terms of mail.csv"),
            ("mail/*.csv", "Terms of *.csv"),
            ("mail/", "Terms of mail"),
            ("sms_spam", "Terms of sms_spam"),
            ("/dev/stdin", "Terms of standard input"),
            ("/", "Terms of /"),
        ],
    )
    def test_the_heading_is_the_name_without_folders(self, data, title):
        assert default_title([data]) == title

    def test_nested_n_grams_are_listed_only_with_keep_nested(self, run, tmp_path):
        texts = [
            "we like new york",
            "new york is far",
            "new york again",
            "we like it",
            "far again",
            "it is",
        ] * 4
        reader = ts.Analyzer(ngram_range=(1, 2))
        ts.count(texts, [1, 1, 1, 0, 0, 0] * 4, analyzer=reader).save(tmp_path / "c.parquet")
        words = {}
        for option in ([], ["--keep-nested"]):
            run("report", tmp_path / "c.parquet", "-o", tmp_path / "r.html", *option)
            page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
            words[bool(option)] = {row[0] for row in page.tables["positive-terms"][1:]}
        assert {"new york", "york", "new"} & words[False] == {"new york"}
        assert {"new york", "york", "new"} <= words[True]

    def test_no_texts_omits_the_texts(self, run, mail, tmp_path):
        run("report", mail, "-o", tmp_path / "r.html", "--no-texts", "--title", "Mail")
        html = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "<h1>Mail</h1>" in html
        assert "claim now" not in html
        assert "claim" in html

    def test_saved_counts_have_no_texts(self, run, mail, tmp_path):
        header, *rows = mail.read_text(encoding="utf-8").splitlines(keepends=True)
        mail.write_text("".join([header, *rows * 10]), encoding="utf-8")
        run("count", mail, "-o", tmp_path / "c.parquet")
        code, _, _ = run("report", tmp_path / "c.parquet", "-o", tmp_path / "r.html", "--min-df", 20)
        assert code == 0
        terms = held(Page((tmp_path / "r.html").read_text(encoding="utf-8")))["terms"]
        assert terms == ["at", "free", "lunch", "noon", "prize"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["MAIL", "-o", "FOLDER"], "is a folder; give the name of a file to write"),
            (["MAIL", "-o", "FOLDER/no/r.html"], "does not exist"),
            (["MAIL", "-o", "FOLDER/r.html", "--metric", "chi"], "did you mean 'chi2'?"),
            (["MAIL", "-o", "FOLDER/r.html", "--class", "spma"], "did you mean 'spam'?"),
            (["MAIL", "-o", "FOLDER/r.html", "-k", "0"], "k must be at least 1, got 0"),
            (["MAIL", "-o", "FOLDER/r.html", "-k", "301"], "k must be at most 300"),
            (["MAIL", "-o", "FOLDER/r.html", "--min-df", "99"], "--min-df 99 removes all"),
            (["docstring", "-o", "FOLDER/r.html"], "did you mean 'docstrings'?"),
            (["MAIL"], "requires an argument"),
        ],
    )
    def test_invalid_arguments_leave_no_file(self, run, mail, arguments, message):
        named = [a.replace("MAIL", str(mail)).replace("FOLDER", str(mail.parent)) for a in arguments]
        code, out, err = run("report", *named)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert message in err
        assert not (mail.parent / "r.html").exists()
