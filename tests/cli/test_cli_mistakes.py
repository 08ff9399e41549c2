"""The commands, given something wrong: one clear line and exit 1."""

from __future__ import annotations

import pytest


class TestMistakes:
    """Each is one line on stderr, nothing on stdout, exit 1."""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["score", "MAIL", "--metric", "chi"], "no metric named 'chi'; did you mean 'chi2'?"),
            (["score", "MAIL", "--metric", "ig(smooth=1)"], "no option of ig named 'smooth'; did you mean"),
            (["score", "MAIL", "--class", "spma"], "no class named 'spma'; did you mean 'spam'?"),
            (["score", "MAIL", "--label", "labl"], "did you mean 'label'? it has: id, text, label"),
            (["score", "MAIL", "--text", "body"], "column 'body' is not in"),
            (["score", "MAIL", "--top", "0"], "top must be at least 1, got 0"),
            (["score", "MAIL", "--direction", "up"], "no direction named 'up'"),
            (
                ["score", "MAIL", "--min-df", "0"],
                "--min-df must be at least 1, or a share of the documents above 0, got 0",
            ),
            (["select", "MAIL", "-k", "0"], "k must be at least 1, got 0"),
            (["select", "MAIL", "-k", "-3"], "k must be at least 1, got -3"),
            (["select", "MAIL", "-k", "many"], 'unable to convert "many" into int'),
            (["select", "MAIL", "--policy", "TopN(3)"], "no policy named 'TopN'; did you mean 'TopK'?"),
            (["select", "MAIL", "--policy", "PositiveNegative(2)"], "needs a one-sided metric"),
            (["select", "MAIL", "--reduce", "median"], "no reduction named 'median'"),
            (["select", "MAIL", "--metric", "ig:jmii"], "no suffix of ig named 'jmii'; did you mean 'jmi'?"),
            (
                ["select", "MAIL", "--policy", "RedundancyAware(3, 'cmi')"],
                "no criterion named 'cmi'; did you",
            ),
            (["select", "MAIL", "--metric", "ig:jmi", "--engine", "spark"], "omit --engine spark"),
            (["select", "MAIL", "-o", "FOLDER"], "is a folder; give the name of a file to write"),
            (["select", "MAIL", "-o", "FOLDER/no/terms.txt"], "does not exist"),
            (
                ["score", "MAIL", "-o", "FOLDER/words.xlsx"],
                "name a file that ends in .csv (for spreadsheets)",
            ),
            (["score", "FOLDER/none.csv"], "there is no file"),
            (["score", "FOLDER/*.jsonl"], "there is no file"),
            (["score", "docstring"], "no file or corpus named docstring"),
            (["scor", "MAIL"], 'Unknown command "scor". Did you mean "score"?'),
            (["score", "MAIL", "--json", "--csv"], "give only one of --json and --csv"),
            (["score"], "requires an argument"),
            (["score", "MAIL", "--metrik", "bns"], "--metrik"),
        ],
    )
    def test_invalid_arguments_are_one_line_errors(self, run, mail, arguments, message):
        named = [a.replace("MAIL", str(mail)).replace("FOLDER", str(mail.parent)) for a in arguments]
        self.one_line(run(*named), message)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("empty.csv", b"", "is empty"),
            ("header.csv", b"text,label\n", "has no rows"),
            ("one.csv", b"text,label\na b,x\nc,x\n", "only 1 class: all documents are in 'x'"),
            ("missing.csv", b"text,label\na b,x\nc,\n", "has no label; fix it, or skip such rows"),
            (
                "missing.jsonl",
                b'{"text": null, "label": 1}\n',
                "has no text; fix it, or skip such rows",
            ),
            ("ragged.csv", b"text,label\na,b,c,d\nx,y\n", "cannot be read as CSV"),
            (
                "latin.csv",
                "text,label\ngr\u00fc\u00dfe,x\n".encode("latin-1"),
                "is not UTF-8: byte 0xfc at 13; specify its encoding",
            ),
            ("broken.jsonl", b'{"text": "a", "label"\n', "cannot be read as JSONL"),
            ("text.parquet", b"not parquet at all", "cannot be read as Parquet"),
            ("mail.txt", b"text,label\n", "unknown format"),
            ("pipe.csv", b"text|label\nfree, prize|spam\n", "it has: text|label"),
            ("short.csv", b"text,label\na,x\nb\n", "Expected 2 columns, got 1: b"),
            ("mixed.jsonl", b'{"text": "a", "label": 1}\n{"text": "b", "label": "x"}\n', "mixed types"),
            ("nested.jsonl", b'{"text": "a", "label": {"a": 1}}\n', "not a single value"),
            ("broken.csv.gz", b"\x1f\x8b\x08\x00rubbish", "cannot be read as CSV"),
        ],
    )
    def test_unreadable_files_are_one_line_errors(self, run, tmp_path, name, content, message):
        (tmp_path / name).write_bytes(content)
        self.one_line(run("score", tmp_path / name), message)

    def test_files_of_different_formats_are_an_error(self, run, tmp_path):
        for name in ("a.csv", "a.tsv"):
            (tmp_path / name).write_text("text,label\n")
        self.one_line(run("score", tmp_path / "a.*"), "have different formats: CSV, TSV")

    def test_a_full_disk_is_a_one_line_error(self, run, mail):
        self.one_line(run("select", mail, "-k", 3, "-o", "/dev/full"), "No space left on device")

    def one_line(self, result, message):
        code, out, err = result
        assert code == 1
        assert out == ""
        assert err.startswith("termsift: ")
        assert err.count("\n") == 1
        assert message in err
