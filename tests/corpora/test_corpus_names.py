"""Corpora by name, from small files of our own: what is kept, and what is said of bad ones."""

from __future__ import annotations

import hashlib

import pytest

import termsift as ts
from corpus_files import cut, fails, reuters, story, tarred, zipped

# the files are small ones of our own
pytestmark = pytest.mark.filterwarnings("ignore:.*is not the file that published figures are of")

BRIEF, UNPROCESSED = ' TYPE="BRIEF"', ' TYPE="UNPROC"'
APTE = {
    "cats.txt": b"test/1 b a b\ntraining/20 a\ntraining/3 b\n",
    "stopwords": b"the\nof\n",
    "test/1": b"one",
    "training/20": b"twenty",
    "training/3": b"caf\xe9",
}


class TestLoad:
    def test_a_corpus_that_is_not_there(self):
        fails("no corpus named '20new'; did you mean '20news'?", ts.corpora.load, "20new")

    def test_options_are_those_of_the_reader(self, tmp_path):
        fails(
            "no option named 'splt'; did you mean 'split'?", ts.corpora.load, "reuters21578", splt="modapte"
        )
        fails("corpus 'sms_spam' takes no options, got 'split'", ts.corpora.load, "sms_spam", split="x")
        fails("corpus 'docstrings' takes no options, got 'a'", ts.corpora.load, "docstrings", a=1)

    def test_without_a_folder_the_line_says_what_to_set_and_where_to_get_it(self, monkeypatch):
        monkeypatch.delenv("TERMSIFT_DATA", raising=False)
        fails(
            "corpus 'sms_spam' is the file sms_spam/SMSSpamCollection below a folder of corpora: "
            "name the folder by TERMSIFT_DATA or data_dir; "
            "its publisher offers it at https://archive.ics.uci.edu/dataset/228",
            ts.corpora.load, "sms_spam",
        )  # fmt: skip
        fails("TERMSIFT_DATA", ts.corpora.reuters_stop_words)

    def test_a_missing_file_is_named_with_its_publisher(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TERMSIFT_DATA", str(tmp_path))
        file = "20news/20news-bydate.tar.gz"
        message = f"there is no file {tmp_path}/{file}; its publisher offers it at http"
        fails(message, ts.corpora.load, "20news")
        fails(f"there is no file /none/{file}", ts.corpora.load, "20news", data_dir="/none")


class TestChecksums:
    line = b"ham\tlunch at noon\n"

    def written(self, folder, content):
        (folder / "sms_spam").mkdir(exist_ok=True)
        (folder / "sms_spam" / "SMSSpamCollection").write_bytes(content)

    def test_a_file_other_than_the_known_one_is_read_with_a_warning(self, tmp_path):
        self.written(tmp_path, self.line)
        message = (
            r"SMSSpamCollection is not the file that published figures are of: its SHA-256 is not 7d039a"
        )
        with pytest.warns(ts.TermsiftWarning, match=message) as caught:
            corpus = ts.corpora.load("sms_spam", data_dir=tmp_path)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert corpus.checksum == hashlib.sha256(self.line).hexdigest()

    def test_a_file_that_cannot_be_read_is_an_error_alone(self, tmp_path, recwarn):
        self.written(tmp_path, b"lunch")
        fails("line 1 of .* has no tab", ts.corpora.load, "sms_spam", data_dir=tmp_path)
        assert not recwarn.list

    def test_the_known_file_is_read_without_a_word(self, data_folder, recwarn):
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

    def test_stories_outside_the_split_are_left_out(self, tmp_path):
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

    def test_topics_of_both_parts(self, tmp_path):
        reuters(tmp_path, story(1, "a", "b"), story(2, "b"), story(3, "a", "c", lewis="TEST"))
        corpus = self.load(tmp_path, categories="both")
        assert (corpus.labels, corpus.split) == ([["a"], ["a"]], ["train", "test"])

    def test_a_file_that_is_cut_in_the_middle(self, tmp_path):
        reuters(tmp_path, story(1), story(2).partition("</TEXT>")[0])
        fails("reut2-000.sgm is cut: story 2 has no end", self.load, tmp_path)
        reuters(tmp_path, story(1), story(2)[:30])
        fails("reut2-000.sgm is cut: its story no. 2 has no end", self.load, tmp_path)
        reuters(tmp_path, story(1).partition("</TEXT>")[0], story(2))
        fails("reut2-000.sgm is cut: story 1 has no end", self.load, tmp_path)

    @pytest.mark.parametrize("tag", ["<TEXT>", "<TEXT ", "<TITLE>", "<BODY>", "<TOPICS>", "<D>", "a"])
    def test_tags_without_end_are_walked_through_once(self, tmp_path, tag):
        text = story(1, "tea").replace("<REUTERS ", "<REUTERS " + tag * 200_000)
        reuters(tmp_path, text, story(2, "tea").replace("</TOPICS>", tag * 200_000 + "</TOPICS>"))
        self.load(tmp_path)
        reuters(tmp_path, story(3).replace("</TEXT>", "").replace("<BODY>", tag * 200_000))
        fails("story 3 has no <TEXT>", self.load, tmp_path)

    def test_other_mistakes(self, tmp_path):
        reuters(tmp_path, story(1).replace("TEXT", "TXT"))
        fails("reut2-000.sgm: story 1 has no <TEXT>", self.load, tmp_path)
        fails("no split named 'modapt'; did you mean 'modapte'?", self.load, tmp_path, split="modapt")
        fails(
            "no choice of categories named 'bth'; did you mean 'both'?", self.load, tmp_path, categories="bth"
        )
        fails("is damaged or cut", self.load, cut(reuters(tmp_path, story(1))).parent.parent)
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

    def test_mistakes(self, tmp_path):
        fails("lacks the story 'test/1' that its cats.txt lists", self.load, tmp_path, **{"test/1": None})
        fails("is not ApteMod: it has no cats.txt", self.load, tmp_path, **{"cats.txt": None})
        fails("has the line 'test/1', not a story and its", self.load, tmp_path, **{"cats.txt": b"test/1\n"})
        cut(tmp_path / "reuters_apte" / "reuters.zip")
        fails("reuters.zip is damaged or cut", ts.corpora.load, "reuters_apte", data_dir=tmp_path)


class TestNewsgroups:
    def load(self, folder, files, **options):
        tarred(folder / "20news" / "20news-bydate.tar.gz", files)
        return ts.corpora.load("20news", data_dir=folder, **options)

    def test_what_is_removed(self, tmp_path):
        post = b"From: me\n\nHe wrote:\n> no\nyes \xe9\n--\nme"
        files = {"20news-bydate-test/b/2": b"", "20news-bydate-train/c/9": post}
        assert self.load(tmp_path, files).texts == [post.decode("latin-1"), ""]
        assert self.load(tmp_path, files, remove="headers").texts[0] == "He wrote:\n> no\nyes é\n--\nme"
        assert self.load(tmp_path, files, remove=("quotes", "headers", "footers")).texts[0] == "yes é"
        assert self.load(tmp_path, files).labels == ["c", "b"]

    def test_mistakes(self, tmp_path):
        fails(
            "no removal named 'header'; did you mean 'headers'?", self.load, tmp_path, {}, remove=["header"]
        )
        fails("its member 'a/b' is not part/group/post", self.load, tmp_path, {"a/b": b""})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ham\tyes\nham yes\n", "line 2 of .* has no tab between label and text"),
        (b"eggs\tyes\n", "line 1 of .*: class 'eggs' is not in the list: 'ham', 'spam'"),
        (b"ham\tcaf\xe9\n", "is not utf-8: byte 0xe9 at 7"),
    ],
)
def test_bad_messages(tmp_path, content, message):
    (tmp_path / "sms_spam").mkdir()
    (tmp_path / "sms_spam" / "SMSSpamCollection").write_bytes(content)
    fails(message, ts.corpora.load, "sms_spam", data_dir=tmp_path)
