"""An audit finds what was planted, and nothing in a corpus that is clean."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from termsift.analysis.findings import CHECKS

TOPICS = {name: [f"{name}{i}" for i in range(60)] for name in ("goal", "soup", "moon")}
COMMON = [f"common{i}" for i in range(200)]


def clean(per_class=60, seed=0):
    """Texts of three topics: twenty common words, sixteen of the topic, and two of any."""
    rng = np.random.default_rng(seed)
    any_topic = [word for words in TOPICS.values() for word in words]
    texts, labels = [], []
    for name, words in TOPICS.items():
        for _ in range(per_class):
            own = [*rng.choice(words, 16), *rng.choice(any_topic, 2), *rng.choice(COMMON, 20)]
            texts.append(" ".join(rng.permutation(own)))
            labels.append(name)
    return texts, labels


def only(found):
    return found.found()


def test_a_clean_corpus_shows_nothing():
    found = ts.audit(*clean())
    assert only(found) == []
    assert "Nothing was found." in repr(found)
    assert found.table["found"].tolist() == [0] * len(CHECKS)


def test_labels_that_differ_by_case_or_blanks():
    texts, labels = clean()
    labels[0], labels[1], labels[60] = "Goal", " goal", "ＳＯＵＰ"
    found = ts.audit(texts, labels)
    assert set(found["labels"]["label"]) == {"'Goal'", "' goal'", "'ＳＯＵＰ'"}
    assert set(found["labels"]["meant"]) == {"'goal'", "'soup'"}
    assert only(found) == ["labels", "small"]
    assert found["small"]["documents"].tolist() == [1, 1, 1]


def test_blank_labels():
    texts, labels = clean()
    labels[:12] = ["  "] * 12
    assert ts.audit(texts, labels)["labels"]["meant"].tolist() == ["blank"]


def test_documents_without_terms():
    texts, labels = clean()
    texts[5] = "? !"
    found = ts.audit(texts, labels)
    assert found["empty"]["document"].tolist() == [5]
    assert "empty" in only(found)


def test_damage_of_encoding():
    texts, labels = clean()
    texts[7] += " cafÃ©"
    found = ts.audit(texts, labels)
    assert only(found) == ["encoding"]
    assert found["encoding"]["was"].tolist() == ["é"]


def test_copies_near_copies_and_copies_of_another_label():
    texts, labels = clean()
    texts[10] = texts[3]
    texts[20] = texts[4] + " once"
    texts[70] = texts[5]
    found = ts.audit(texts, labels)
    assert list(zip(found["copies"]["document"], found["copies"]["copy of"], strict=True)) == [
        (10, 3),
        (20, 4),
    ]
    assert found["copies"]["alike"][0] == 1 > found["copies"]["alike"][1]
    conflict = next(iter(found["conflicts"]))
    assert (conflict["document"], conflict["copy of"]) == (70, 5)
    assert (conflict["label"], conflict["label there"]) == ("soup", "goal")


def test_short_texts_are_copies_only_where_they_are_the_same():
    texts, labels = clean()
    texts[:4] = ["goal1, goal2!", "goal2: goal1", "Goal1,  GOAL2!", "goal3"]
    assert ts.audit(texts, labels)["copies"]["document"].tolist() == [2]


def test_test_documents_that_were_trained_on():
    texts, labels = clean()
    fresh, fresh_labels = clean(20, seed=1)
    assert only(ts.audit(texts, labels, test=fresh, test_labels=fresh_labels)) == []
    fresh[7] = texts[100]
    found = ts.audit(texts, labels, test=fresh, test_labels=fresh_labels)
    assert only(found) == ["leakage"]
    assert found["leakage"]["test document"].tolist() == [7]
    assert found["leakage"]["training document"].tolist() == [100]
    assert "180 documents and 60 to test with" in repr(found)


def test_tokens_that_give_a_label_away():
    texts, labels = clean()
    texts = [text + (" xgoalx" if label == "goal" else "") for text, label in zip(texts, labels, strict=True)]
    found = ts.audit(texts, labels)
    assert only(found) == ["giveaways"]
    row = next(iter(found["giveaways"]))
    assert (row["token"], row["class"], row["in the class"], row["outside"]) == ("xgoalx", "goal", 60, 0)
    assert row["p"] < 1e-20


def test_wrong_labels_are_doubted_with_the_words_that_say_so():
    texts, labels = clean()
    planted = {4: "soup", 65: "moon", 130: "goal"}
    right = {i: labels[i] for i in planted}
    for i, name in planted.items():
        labels[i] = name
    found = ts.audit(texts, labels)
    rows = {row["document"]: row for row in found["suspects"]}
    assert set(rows) == set(planted)
    for i, row in rows.items():
        assert (row["label"], row["words say"]) == (planted[i], right[i])
        words = row["because of"].split()
        assert words
        assert set(words) <= set(TOPICS[right[i]])


def test_labels_that_say_nothing_are_not_doubted_one_by_one():
    texts, labels = clean()
    shuffled = np.random.default_rng(0).permutation(labels).tolist()
    found = ts.audit(texts, shuffled)
    assert only(found) == []
    assert found.skipped == (
        "Wrong labels were not looked for: the words tell these classes apart no better than chance.",
    )


def test_of_labels_as_frequent_the_one_without_blanks_to_spare_is_meant():
    found = ts.audit(["free prize", "win now", "noon"], ["Spam ", "spam", "ham"])
    assert (found["labels"]["label"].tolist(), found["labels"]["meant"].tolist()) == (["'Spam '"], ["'spam'"])


def test_several_labels_and_few_documents_are_looked_at_all_the_same():
    texts, labels = clean()
    found = ts.audit(texts, [[label] for label in labels[:-1]] + [["soup", "moon"]])
    assert found.skipped == ("Wrong labels were not looked for: documents have several labels, or none.",)
    few = ts.audit(["tea jam", "tea jam", "oil"], ["x", "x", "x"])
    assert only(few) == ["small", "copies"]
    assert "fewer than two classes have 10 documents" in few.skipped[0]


def test_rows_of_files_that_lack_something_are_counted(tmp_path):
    texts, labels = clean()
    frame = pd.DataFrame({"text": texts, "label": labels})
    frame.loc[3, "label"] = None
    frame.to_csv(tmp_path / "mail.csv", index=False)
    found = ts.audit(str(tmp_path / "mail.csv"))
    assert only(found) == ["missing"]
    assert found.findings[0].count == 1


def test_matrices_of_the_same_terms():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1, (60, 40)), ["a", "b"] * 30
    X[7] = X[3]
    assert ts.audit(X, y)["copies"]["document"].tolist() == [7]
    test = rng.poisson(1, (9, 40))
    test[2] = X[5]
    found = ts.audit(X, y, test=test, test_labels=["a"] * 9)
    assert found["leakage"]["test document"].tolist() == [2]
    with pytest.raises(ts.InvalidInputError, match="different columns"):
        ts.audit(X, y, test=test[:, :30], test_labels=["a"] * 9)
    with pytest.raises(ts.InvalidInputError, match="one of the two is texts"):
        ts.audit(X, y, test=["tea"], test_labels=["a"])


def test_the_same_twice_and_for_any_number_of_threads():
    texts, labels = clean()
    labels[4] = "soup"
    assert len({ts.audit(texts, labels, n_jobs=n).to_json() for n in (1, 1, 2)}) == 1


def test_json_and_page_hold_all_of_it_and_the_page_escapes():
    texts, labels = clean()
    texts[10] = texts[3] = "<script>alert(1)</script> " + texts[3]
    found = ts.audit(texts, labels)
    held = json.loads(found.to_json())
    assert [one["check"] for one in held["findings"]] == ["copies"]
    assert held["findings"][0]["rows"][0]["copy of"] == 3
    page = found.to_html("A & B")
    assert "<title>A &amp; B</title>" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert all(check in page for check in CHECKS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"test_label": []}, "did you mean 'test_labels'"),
        ({"labels": None}, "labels are missing"),
    ],
)
def test_bad_input(change, message):
    texts, labels = clean(4)
    with pytest.raises(ts.TermsiftError, match=message):
        ts.audit(texts, change.pop("labels", labels), **change)


def test_unknown_checks():
    found = ts.audit(*clean(12))
    with pytest.raises(ts.UnknownNameError, match="did you mean 'copies'"):
        found.found(["copys"])
    with pytest.raises(ts.UnknownNameError, match="did you mean 'labels'"):
        found["label"]
