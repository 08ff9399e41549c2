"""What one corpus says more than another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from planted import two_years

NEW = ["win a prize now", "win now", "prize today"]
OLD = ["see you at lunch", "lunch now"]


def test_a_planted_change_is_found_and_nothing_else():
    found = ts.diff(*two_years(), expected=0.05)
    more, less = found.more(), found.less()
    assert [row["term"] for row in more if row["significant"]] == ["outage"]
    assert [row["term"] for row in less if row["significant"]] == ["fax"]
    assert more["low"][0] > 0
    assert less["low"][0] > 0
    # of each direction a term is allowed by chance
    assert ts.diff(*two_years()).table()["significant"].sum() <= 2 + 2


def test_of_corpora_of_one_kind_as_many_terms_are_above_chance_as_expected():
    texts, rng, seen = two_years()[0], np.random.default_rng(0), []
    for _ in range(40):
        order = rng.permutation(len(texts)).tolist()
        halves = ([texts[i] for i in order[start::2]] for start in (0, 1))
        seen.append(sum(map(bool, ts.diff(*halves).table()["significant"])))
    # one of either direction, or fewer, since scores are few
    assert 1 <= np.mean(seen) <= 2.5


def test_the_documents_of_either_are_counted():
    found = ts.diff(NEW, OLD)
    row = next(row for row in found.more() if row["term"] == "now")
    assert (row["new"], row["old"]) == (2, 1)
    assert found.counts == ts.count(NEW + OLD, ["new"] * 3 + ["old"] * 2)
    assert list(found.more()["term"][:2]) == ["prize", "win"]
    assert found.less()["term"][0] == "lunch"
    assert set(found.table()["more_in"]) == {"new", "old"}


def test_every_form_of_a_corpus_gives_the_same(tmp_path):
    expected = ts.diff(NEW, OLD).counts
    frame = pd.DataFrame({"text": NEW})
    frame.to_csv(tmp_path / "new.csv", index=False)
    labelled = ts.count(NEW, [0, 1, 0])
    labelled.save(tmp_path / "new.parquet")
    for new in (frame["text"], labelled, tmp_path / "new.csv", str(tmp_path / "new.parquet")):
        assert ts.diff(new, OLD).counts == expected
    assert ts.diff(frame, frame, text="text", names=("a", "b")).counts.documents == 6


def test_texts_are_counted_as_saved_counts_were():
    stemmed = ts.count(["win prizes"], ["x"], analyzer=ts.Analyzer(ngram_range=(1, 2)))
    found = ts.diff(NEW, stemmed)
    assert "win now" in found.counts.terms


def test_a_list_of_words_is_compared_by_occurrences(tmp_path):
    found = ts.diff(NEW, {"now": 900, "a": 4000, "win": 1, "prize": 1, "today": 60})
    assert found.scores.metric == "g2(of='tf')"
    assert found.more()["term"][0] in ("prize", "win")
    row = found.more().head(1)
    assert (row["new"][0], row["old"][0]) == (2, 1)
    assert found.floor("new") is None
    assert "significant" in row.columns
    with pytest.raises(ts.InvalidInputError, match="a list of words has none"):
        found.to_html()


def test_a_list_that_knows_little_of_the_text_is_told():
    with pytest.warns(ts.TermsiftWarning, match="are they written as terms are, in lower case"):
        ts.diff(NEW, {"Now": 9, "A": 40, "Win": 1})


def test_the_page_is_of_the_two():
    page = ts.diff(NEW, OLD, names=("<this>", "last")).to_html()
    assert "<h1>&lt;this&gt; against last</h1>" in page


def test_what_is_seen_says_what_was_compared():
    shown = repr(ts.diff(NEW, OLD))
    assert shown.startswith("new (3 documents) against old (2 documents), by g2.")
    assert "More in new" in shown
    assert "More in old" in shown


@pytest.mark.parametrize(
    "new, old, how, message",
    [
        (NEW, OLD, {"names": ("a", "a")}, "names must be two different ones"),
        (NEW, OLD, {"names": "ab"}, "got 'ab'"),
        ({"a": 1}, {"b": 2}, {}, "both are lists of words"),
        (NEW, {"a": -1}, {}, "row 1 of the dict has the count -1"),
        (NEW, {"a": 1}, {"metric": "bns"}, "bns reads documents, and a list of words has none"),
        (NEW, OLD, {"metric": "df"}, "df does not say which of the two"),
        (NEW, OLD, {"metric": "log_ratoi"}, "did you mean 'log_ratio'?"),
        (NEW, OLD, {"txt": "body"}, "no option named 'txt'"),
        (NEW, [], {}, "documents"),
        (NEW, OLD, {"groups": [1, 2]}, "no option named 'groups': labels and groups are not read"),
    ],
)
@pytest.mark.filterwarnings("ignore::termsift.TermsiftWarning")
def test_what_cannot_be_compared_is_one_clear_line(new, old, how, message):
    with pytest.raises(ts.TermsiftError) as told:
        ts.diff(new, old, **how)
    assert message in str(told.value)


def test_two_corpora_of_different_analyzers_are_one_clear_line():
    bigrams, words = (ts.count(NEW, [0, 1, 0], analyzer=ts.Analyzer(ngram_range=n)) for n in ((1, 2), (1, 1)))
    with pytest.raises(ts.InvalidInputError, match="different analyzers"):
        ts.diff(bigrams, words)
