"""Over- and under-represented terms of two corpora."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from planted import two_years

TARGET = ["win a prize now", "win now", "prize today"]
REFERENCE = ["see you at lunch", "lunch now"]


def test_only_the_planted_change_is_found():
    found = ts.diff(*two_years())
    more, less = found.more(), found.less()
    assert more["term"].tolist() == ["outage"]
    assert less["term"].tolist() == ["fax"]
    assert more["low"][0] > 0
    assert less["low"][0] > 0
    assert more["target_share"][0] == more["target"][0] / 400
    everything = found.more(None, keep_insignificant=True)
    assert everything["significant"].sum() == 1 < len(everything)
    # one false positive is expected
    assert len(ts.diff(*two_years(), expected=1).table()) <= 2 + 2


def test_terms_with_higher_scores_that_are_not_significant_are_counted():
    found = ts.diff(*two_years(), metric="mi", expected=1)
    name = found.names[0]
    table = found.more()
    everything = found.more(None, keep_insignificant=True)
    higher = everything["score"] > table["score"].min()
    assert (
        found.count_omitted_insignificant(name, table)
        == (~everything["significant"][higher].astype(bool)).sum()
    )


def test_false_positives_between_random_halves_are_as_expected():
    texts, rng, seen = two_years()[0], np.random.default_rng(0), []
    for _ in range(40):
        order = rng.permutation(len(texts)).tolist()
        halves = ([texts[i] for i in order[start::2]] for start in (0, 1))
        seen.append(len(ts.diff(*halves, expected=1).table()))
    # one in both directions together, or fewer, because tables are discrete
    assert 0.4 <= np.mean(seen) <= 1.4


def test_documents_of_both_corpora_are_counted():
    found = ts.diff(TARGET, REFERENCE)
    assert (len(found.more()), len(found.less())) == (0, 0)
    more, less = found.more(keep_insignificant=True), found.less(keep_insignificant=True)
    row = next(row for row in more if row["term"] == "now")
    assert (row["target"], row["reference"]) == (2, 1)
    assert found.counts == ts.count(TARGET + REFERENCE, ["target"] * 3 + ["reference"] * 2)
    assert (row["target_share"], row["reference_share"]) == (2 / 3, 1 / 2)
    assert list(more["term"][:2]) == ["prize", "win"]
    assert less["term"][0] == "lunch"
    assert set(found.table(keep_insignificant=True)["more_in"]) == {"target", "reference"}


def test_all_forms_of_a_corpus_give_the_same_counts(tmp_path):
    expected = ts.diff(TARGET, REFERENCE).counts
    frame = pd.DataFrame({"text": TARGET})
    frame.to_csv(tmp_path / "new.csv", index=False)
    labelled = ts.count(TARGET, [0, 1, 0])
    labelled.save(tmp_path / "new.parquet")
    for new in (frame["text"], labelled, tmp_path / "new.csv", str(tmp_path / "new.parquet")):
        assert ts.diff(new, REFERENCE).counts == expected
    assert ts.diff(frame, frame, text="text", names=("a", "b")).counts.documents == 6
    assert ts.diff(frame, REFERENCE).counts == expected
    grouped = ts.count(TARGET, [0, 1, 0], groups=["x", "y", "y"])
    grouped.save(tmp_path / "grouped.parquet")
    assert ts.diff(tmp_path / "grouped.parquet", REFERENCE).counts == expected


def test_a_numeric_column_named_text_is_a_term():
    counts = ts.diff(pd.DataFrame({"text": [1, 2]}), pd.DataFrame({"text": [0, 1]})).counts
    assert counts.terms.tolist() == ["text"]


def test_texts_are_tokenized_like_saved_counts():
    stemmed = ts.count(["win prizes"], ["x"], analyzer=ts.Analyzer(ngram_range=(1, 2)))
    found = ts.diff(TARGET, stemmed)
    assert "win now" in found.counts.terms


def test_a_word_list_is_compared_by_occurrences(tmp_path):
    found = ts.diff(TARGET, {"now": 900, "a": 4000, "win": 1, "prize": 1, "today": 60})
    assert found.scores.metric == "g2(of='tf')"
    assert found.more()["term"][0] in ("prize", "win")
    row = found.more().head(1)
    assert (row["target"][0], row["reference"][0]) == (2, 1)
    assert row["target_per_million"][0] == pytest.approx(2e6 / 7)
    assert found.alpha() is None
    assert "significant" in row.columns
    with pytest.raises(ts.InvalidInputError, match="a word list has none"):
        found.to_html()


def test_lists_of_occurrences_show_the_documents_that_are_tested():
    row = next(iter(ts.diff(TARGET, REFERENCE, metric="g2(of='tf')").more(1, keep_insignificant=True)))
    shares = [
        sum(row["term"] in text.lower().split() for text in texts) / len(texts)
        for texts in (TARGET, REFERENCE)
    ]
    assert [row["target_share"], row["reference_share"]] == shares
    listed = ts.diff(TARGET, {"now": 900, "a": 4000, "win": 1, "prize": 1, "today": 60}).more()
    assert "target_share" not in listed.columns


def test_a_word_list_with_low_coverage_is_a_warning():
    with pytest.warns(ts.TermsiftWarning, match="write its words like the terms"):
        ts.diff(TARGET, {"Now": 9, "A": 40, "Win": 1})


def test_the_page_has_both_names():
    page = ts.diff(TARGET, REFERENCE, names=("<this>", "last")).to_html()
    assert "<h1>&lt;this&gt; against last</h1>" in page


def test_repr_describes_the_comparison():
    shown = repr(ts.diff(TARGET, REFERENCE))
    assert shown.startswith("target (3 documents) against reference (2 documents), ranked by g2.")
    assert "significantly more frequent in target" in shown
    assert "significantly more frequent in reference" in shown


@pytest.mark.parametrize(
    "target, reference, options, message",
    [
        (TARGET, REFERENCE, {"names": ("a", "a")}, "names must be two different names"),
        (TARGET, REFERENCE, {"names": "ab"}, "got 'ab'"),
        ({"a": 1}, {"b": 2}, {}, "both corpora are word lists"),
        (TARGET, {"a": -1}, {}, "row 1 of the dict has the count -1"),
        (TARGET, {"a": 1}, {"metric": "bns"}, "bns needs documents, but a word list has none"),
        (TARGET, REFERENCE, {"metric": "df"}, "df does not score the two corpora separately"),
        (TARGET, REFERENCE, {"metric": "log_ratoi"}, "did you mean 'log_ratio'?"),
        (TARGET, REFERENCE, {"txt": "body"}, "no option named 'txt'"),
        (TARGET, [], {}, "documents"),
        (TARGET, REFERENCE, {"groups": [1, 2]}, "no option named 'groups': diff ignores labels and groups"),
    ],
)
@pytest.mark.filterwarnings("ignore::termsift.TermsiftWarning")
def test_invalid_input_is_an_error_of_one_line(target, reference, options, message):
    with pytest.raises(ts.TermsiftError) as caught:
        ts.diff(target, reference, **options)
    assert message in str(caught.value)


def test_different_analyzers_are_an_error():
    bigrams, words = (
        ts.count(TARGET, [0, 1, 0], analyzer=ts.Analyzer(ngram_range=n)) for n in ((1, 2), (1, 1))
    )
    with pytest.raises(ts.InvalidInputError, match="different analyzers"):
        ts.diff(bigrams, words)
