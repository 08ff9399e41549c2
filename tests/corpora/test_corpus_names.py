"""Corpora by name, from small test files: documents that are read, and errors for invalid files."""

from __future__ import annotations

import hashlib

import pytest

import termsift as ts
from corpus_files import cut, fails, reuters, story, tarred, zipped

# the test files are smaller than the published ones
pytestmark = pytest.mark.filterwarnings("ignore:.*differs from the published file")

BRIEF, UNPROCESSED = ' TYPE="BRIEF"', ' TYPE="UNPROC"'
APTE = {
    "cats.txt": b"test/1 b a b\ntraining/20 a\ntraining/3 b\n",
    "stopwords": b"the\nof\n",
    "test/1": b"one",
    "training/20": b"twenty",
    "training/3": b"caf\xe9",
}


class TestLoad:
    def test_rejects_unknown_corpora(self):
        fails("no corpus named '20new'; did you mean '20news'?", ts.corpora.load, "20new")

    def test_rejects_options_that_the_reader_lacks(self, tmp_path):
        fails(
            "no option named 'splt'; did you mean 'split'?", ts.corpora.load, "reuters21578", splt="modapte"
        )
        fails("corpus 'sms_spam' takes no options, got 'split'", ts.corpora.load, "sms_spam", split="x")
        fails("corpus 'docstrings' takes no options, got 'a'", ts.corpora.load, "docstrings", a=1)

    def test_the_error_without_a_data_folder_states_variable_and_url(self, monkeypatch):
        monkeypatch.delenv("TERMSIFT_DATA", raising=False)
        fails(
            "corpus 'sms_spam' needs the file sms_spam/SMSSpamCollection: "
            "set TERMSIFT_DATA or data_dir to the folder that contains it; "
            "download it from https://archive.ics.uci.edu/dataset/228",
            ts.corpora.load, "sms_spam",
        )  # fmt: skip
        fails("TERMSIFT_DATA", ts.corpora.reuters_stop_words)

    def test_the_error_for_a_missing_file_states_path_and_url(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TERMSIFT_DATA", str(tmp_path))
        file = "20news/20news-bydate.tar.gz"
        message = f"there is no file {tmp_path}/{file}; download it from http"
        fails(message, ts.corpora.load, "20news")
        fails(f"there is no file /none/{file}", ts.corpora.load, "20news", data_dir="/none")


class TestChecksums:
    line = b"ham\tlunch at noon\n"

    def written(self, folder, content):
        (folder / "sms_spam").mkdir(exist_ok=True)
        (folder / "sms_spam" / "SMSSpamCollection").write_bytes(content)

    def test_a_file_with_another_checksum_is_read_with_a_warning(self, tmp_path):
        self.written(tmp_path, self.line)
        message = "SMSSpamCollection differs from the published file: its SHA-256 is not 7d039a"
        with pytest.warns(ts.TermsiftWarning, match=message) as caught:
            corpus = ts.corpora.load("sms_spam", data_dir=tmp_path)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert corpus.checksum == hashlib.sha256(self.line).hexdigest()

    def test_an_unreadable_file_is_an_error_without_a_warning(self, tmp_path, recwarn):
        self.written(tmp_path, b"lunch")
        fails("line 1 of .* has no tab", ts.corpora.load, "sms_spam", data_dir=tmp_path)
        assert not recwarn.list

    def test_the_published_file_is_read_without_a_warning(self, data_folder, recwarn):
        assert ts.corpora.load("sms_spam", data_dir=data_folder).checksum.startswith("7d039a")
        assert not recwarn.list


class TestReuters21578:
    def load(self, folder, **options):
        return ts.corpora.load("reuters21578", data_dir=folder, **options)

    def test_titles_bodies_and_character_entities(self, tmp_path):
        body = "AT&amp;T &lt;T&gt; &#163;5 &#5;&copy; &xxe;"
        reuters(
            tmp_path,
            story(1, "tea", "tea", title="Tea &lt;T>", body=body),
            story(2, type=BRIEF, title="Short"),
            story(3, type=UNPROCESSED, body="As it came &lt;X>"),
        )
        corpus = self.load(tmp_path)
        assert corpus.texts == ["Tea <T>\n\nAT&T <T> £5 &copy; &xxe;\n Reuter", "Short", "As it came <X>"]
        assert corpus.labels == [["tea"], [], []]

    def test_stories_outside_the_split_are_omitted(self, tmp_path):
        reuters(
            tmp_path,
            story(1, "a"),
            story(2, given="NO"),
            story(3, given="BYPASS"),
            story(4, "a", lewis="TEST"),
            story(5, lewis="NOT-USED", cgi="PUBLISHED-TESTSET"),
        )
        assert self.load(tmp_path).split == ["train", "test"]
        assert self.load(tmp_path, split="modlewis").split == ["train", "train", "test"]
        assert self.load(tmp_path, split="modhayes").split == ["train"] * 4 + ["test"]

    def test_categories_both_keeps_topics_of_both_sets(self, tmp_path):
        reuters(tmp_path, story(1, "a", "b"), story(2, "b"), story(3, "a", "c", lewis="TEST"))
        corpus = self.load(tmp_path, categories="both")
        assert (corpus.labels, corpus.split) == ([["a"], ["a"]], ["train", "test"])

    def test_rejects_truncated_files(self, tmp_path):
        reuters(tmp_path, story(1), story(2).partition("</TEXT>")[0])
        fails("reut2-000.sgm is truncated: story 2 has no end tag", self.load, tmp_path)
        reuters(tmp_path, story(1), story(2)[:30])
        fails("reut2-000.sgm is truncated: story number 2 has no end tag", self.load, tmp_path)
        reuters(tmp_path, story(1).partition("</TEXT>")[0], story(2))
        fails("reut2-000.sgm is truncated: story 1 has no end tag", self.load, tmp_path)

    @pytest.mark.parametrize("tag", ["<TEXT>", "<TEXT ", "<TITLE>", "<BODY>", "<TOPICS>", "<D>", "a"])
    def test_tags_without_end_take_linear_time(self, tmp_path, tag):
        text = story(1, "tea").replace("<REUTERS ", "<REUTERS " + tag * 200_000)
        reuters(tmp_path, text, story(2, "tea").replace("</TOPICS>", tag * 200_000 + "</TOPICS>"))
        self.load(tmp_path)
        reuters(tmp_path, story(3).replace("</TEXT>", "").replace("<BODY>", tag * 200_000))
        fails("story 3 has no <TEXT>", self.load, tmp_path)

    def test_rejects_invalid_files_and_options(self, tmp_path):
        reuters(tmp_path, story(1).replace("TEXT", "TXT"))
        fails("reut2-000.sgm: story 1 has no <TEXT>", self.load, tmp_path)
        fails("no split named 'modapt'; did you mean 'modapte'?", self.load, tmp_path, split="modapt")
        fails(
            "no choice of categories named 'bth'; did you mean 'both'?", self.load, tmp_path, categories="bth"
        )
        fails("is damaged or truncated", self.load, cut(reuters(tmp_path, story(1))).parent.parent)
        tarred(tmp_path / "reuters21578" / "reuters21578.tar.gz", {"README.txt": b""})
        fails("is not Reuters-21578: it has no .sgm files", self.load, tmp_path)


class TestApteMod:
    def load(self, folder, **files):
        named = {f"reuters/{name}": content for name, content in (APTE | files).items()}
        present = {name: content for name, content in named.items() if content is not None}
        zipped(folder / "reuters_apte" / "reuters.zip", present)
        return ts.corpora.load("reuters_apte", data_dir=folder)

    def test_training_comes_first_by_number(self, tmp_path):
        corpus = self.load(tmp_path)
        assert corpus.texts == ["café", "twenty", "one"]
        assert corpus.labels == [["b"], ["a"], ["b", "a"]]
        assert corpus.split == ["train", "train", "test"]
        assert ts.corpora.reuters_stop_words(tmp_path) == {"the", "of"}

    def test_rejects_invalid_archives(self, tmp_path):
        fails("cats.txt lists 'test/1', which is not in the archive", self.load, tmp_path, **{"test/1": None})
        fails("is not ApteMod: it has no cats.txt", self.load, tmp_path, **{"cats.txt": None})
        fails(
            "cats.txt has the invalid line 'test/1'; expected a story and",
            self.load,
            tmp_path,
            **{"cats.txt": b"test/1\n"},
        )
        cut(tmp_path / "reuters_apte" / "reuters.zip")
        fails("reuters.zip is damaged or truncated", ts.corpora.load, "reuters_apte", data_dir=tmp_path)


class TestNewsgroups:
    def load(self, folder, files, **options):
        tarred(folder / "20news" / "20news-bydate.tar.gz", files)
        return ts.corpora.load("20news", data_dir=folder, **options)

    def test_headers_footers_and_quotes_are_removed(self, tmp_path):
        post = b"From: me\n\nHe wrote:\n> no\nyes \xe9\n--\nme"
        files = {"20news-bydate-test/b/2": b"", "20news-bydate-train/c/9": post}
        assert self.load(tmp_path, files).texts == [post.decode("latin-1"), ""]
        assert self.load(tmp_path, files, remove="headers").texts[0] == "He wrote:\n> no\nyes é\n--\nme"
        assert self.load(tmp_path, files, remove=("quotes", "headers", "footers")).texts[0] == "yes é"
        assert self.load(tmp_path, files).labels == ["c", "b"]

    def test_rejects_invalid_archives(self, tmp_path):
        fails(
            "no removal named 'header'; did you mean 'headers'?", self.load, tmp_path, {}, remove=["header"]
        )
        fails("unexpected member 'a/b'", self.load, tmp_path, {"a/b": b""})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ham\tyes\nham yes\n", "line 2 of .* has no tab between label and text"),
        (b"eggs\tyes\n", "line 1 of .*: unknown class 'eggs'; expected 'ham' or 'spam'"),
        (b"ham\tcaf\xe9\n", "is not utf-8: byte 0xe9 at 7"),
    ],
)
def test_rejects_invalid_lines_of_sms_spam(tmp_path, content, message):
    (tmp_path / "sms_spam").mkdir()
    (tmp_path / "sms_spam" / "SMSSpamCollection").write_bytes(content)
    fails(message, ts.corpora.load, "sms_spam", data_dir=tmp_path)
