"""An audit finds planted problems, and nothing in a clean corpus."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from termsift.analysis.detectors import binned_auc
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


def test_a_clean_corpus_has_no_findings():
    found = ts.audit(*clean())
    assert found.failed_checks() == []
    assert "No problems found." in repr(found)
    assert found.summary["problems"].tolist() == [0] * len(CHECKS)


def test_labels_that_differ_in_case_or_whitespace_are_found():
    texts, labels = clean()
    labels[0], labels[1], labels[60] = "Goal", " goal", "ＳＯＵＰ"
    found = ts.audit(texts, labels)
    assert set(found["label_variants"]["label"]) == {"'Goal'", "' goal'", "'ＳＯＵＰ'"}
    assert set(found["label_variants"]["meant"]) == {"'goal'", "'soup'"}
    assert found.failed_checks() == ["label_variants", "small_classes"]
    assert found["small_classes"]["documents"].tolist() == [1, 1, 1]


def test_blank_labels_are_found():
    texts, labels = clean()
    labels[:12] = ["  "] * 12
    assert ts.audit(texts, labels)["label_variants"]["meant"].tolist() == ["blank"]


def test_documents_without_terms_are_found():
    texts, labels = clean()
    texts[5] = "? !"
    found = ts.audit(texts, labels)
    assert found["empty_documents"]["document"].tolist() == [5]
    assert "empty_documents" in found.failed_checks()


def test_wrong_encodings_are_found():
    texts, labels = clean()
    texts[7] += " cafÃ©"
    found = ts.audit(texts, labels)
    assert found.failed_checks() == ["encoding"]
    assert found["encoding"]["was"].tolist() == ["é"]


def test_duplicates_near_duplicates_and_label_conflicts_are_found():
    texts, labels = clean()
    texts[10] = texts[3]
    texts[20] = texts[4] + " once"
    texts[70] = texts[5]
    found = ts.audit(texts, labels)
    assert list(zip(found["duplicates"]["document"], found["duplicates"]["duplicate of"], strict=True)) == [
        (10, 3),
        (20, 4),
    ]
    assert found["duplicates"]["similarity"][0] == 1 > found["duplicates"]["similarity"][1]
    conflict = next(iter(found["label_conflicts"]))
    assert (conflict["document"], conflict["duplicate of"]) == (70, 5)
    assert (conflict["label"], conflict["label of duplicate"]) == ("soup", "goal")


def test_short_texts_are_duplicates_only_if_equal():
    texts, labels = clean()
    texts[:4] = ["goal1, goal2!", "goal2: goal1", "Goal1,  GOAL2!", "goal3"]
    assert ts.audit(texts, labels)["duplicates"]["document"].tolist() == [2]


def test_leakage_from_training_to_test_documents_is_found():
    texts, labels = clean()
    fresh, fresh_labels = clean(20, seed=1)
    assert ts.audit(texts, labels, test=fresh, test_labels=fresh_labels).failed_checks() == []
    fresh[7] = texts[100]
    found = ts.audit(texts, labels, test=fresh, test_labels=fresh_labels)
    assert found.failed_checks() == ["leakage"]
    assert found["leakage"]["test document"].tolist() == [7]
    assert found["leakage"]["training document"].tolist() == [100]
    assert "180 documents and 60 test documents" in repr(found)


def test_leaking_tokens_are_found():
    texts, labels = clean()
    added = [" xgoalx" if label == "goal" else " xnonex" for label in labels]
    found = ts.audit([text + word for text, word in zip(texts, added, strict=True)], labels)
    assert found.failed_checks() == ["leaking_tokens"]
    row = next(iter(found["leaking_tokens"]))
    assert (row["token"], row["class"], row["in the class"], row["outside"]) == ("xgoalx", "goal", 60, 0)
    assert row["p"] < 1e-20


def test_label_errors_are_found_with_their_evidence():
    texts, labels = clean()
    planted = {4: "soup", 65: "moon", 130: "goal"}
    right = {i: labels[i] for i in planted}
    for i, name in planted.items():
        labels[i] = name
    found = ts.audit(texts, labels)
    rows = {row["document"]: row for row in found["label_errors"]}
    assert set(rows) == set(planted)
    for i, row in rows.items():
        assert (row["label"], row["predicted"]) == (planted[i], right[i])
        words = row["words"].split()
        assert words
        assert set(words) <= set(TOPICS[right[i]])


def test_label_errors_are_not_checked_for_random_labels():
    texts, labels = clean()
    shuffled = np.random.default_rng(0).permutation(labels).tolist()
    found = ts.audit(texts, shuffled)
    assert found.failed_checks() == []
    assert found.skipped == (
        "Label errors were not checked: a classifier separates these classes no better than chance.",
    )


def test_label_variants_prefer_the_label_without_whitespace():
    found = ts.audit(["free prize", "win now", "noon"], ["Spam ", "spam", "ham"])
    variants = found["label_variants"]
    assert (variants["label"].tolist(), variants["meant"].tolist()) == (["'Spam '"], ["'spam'"])


def test_several_labels_and_few_documents_skip_only_label_errors():
    texts, labels = clean()
    found = ts.audit(texts, [[label] for label in labels[:-1]] + [["soup", "moon"]])
    assert found.skipped == ("Label errors were not checked: some documents have several labels or none.",)
    few = ts.audit(["tea jam", "tea jam", "oil"], ["x", "x", "x"])
    assert few.failed_checks() == ["small_classes", "duplicates"]
    assert "fewer than two classes have 10 documents" in few.skipped[0]


def test_incomplete_rows_are_counted(tmp_path):
    texts, labels = clean()
    frame = pd.DataFrame({"text": texts, "label": labels})
    frame.loc[3, "label"] = None
    frame.to_csv(tmp_path / "mail.csv", index=False)
    found = ts.audit(str(tmp_path / "mail.csv"))
    assert found.failed_checks() == ["missing"]
    assert found.findings[0].count == 1


def test_matrices_with_equal_terms_are_audited():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1, (60, 40)), ["a", "b"] * 30
    X[7] = X[3]
    assert ts.audit(X, y)["duplicates"]["document"].tolist() == [7]
    test = rng.poisson(1, (9, 40))
    test[2] = X[5]
    found = ts.audit(X, y, test=test, test_labels=["a"] * 9)
    assert found["leakage"]["test document"].tolist() == [2]
    with pytest.raises(ts.InvalidInputError, match="different columns"):
        ts.audit(X, y, test=test[:, :30], test_labels=["a"] * 9)
    with pytest.raises(ts.InvalidInputError, match="one input contains texts"):
        ts.audit(X, y, test=["tea"], test_labels=["a"])


def test_results_do_not_depend_on_threads():
    texts, labels = clean()
    labels[4] = "soup"
    assert len({ts.audit(texts, labels, n_jobs=n).to_json() for n in (1, 1, 2)}) == 1


def test_json_and_html_are_complete_and_escaped():
    texts, labels = clean()
    texts[10] = texts[3] = "<script>alert(1)</script> " + texts[3]
    found = ts.audit(texts, labels)
    content = json.loads(found.to_json())
    assert [finding["check"] for finding in content["findings"]] == ["duplicates"]
    assert content["findings"][0]["rows"][0]["duplicate of"] == 3
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
def test_invalid_input_is_an_error(change, message):
    texts, labels = clean(4)
    with pytest.raises(ts.TermsiftError, match=message):
        ts.audit(texts, change.pop("labels", labels), **change)


def test_unknown_checks_are_errors():
    found = ts.audit(*clean(12))
    with pytest.raises(ts.UnknownNameError, match="did you mean 'duplicates'"):
        found.failed_checks(["duplicate"])
    with pytest.raises(ts.UnknownNameError, match="did you mean 'label_errors'"):
        found["label_error"]


def residue(texts, labels, inside, outside, words):
    """Add a header to some documents of the first class and of the others."""
    rng = np.random.default_rng(3)
    goals = [d for d, name in enumerate(labels) if name == "goal"]
    others = [d for d, name in enumerate(labels) if name != "goal"]
    for d in [*rng.choice(goals, inside, replace=False), *rng.choice(others, outside, replace=False)]:
        texts[d] += f"\nReceived: from mx{rng.integers(10**6)} by {words} id {rng.integers(10**6)}"


def test_a_header_in_part_of_a_class_and_in_a_few_others_reveals_the_label():
    texts, labels = clean(100)
    labels = ["goal" if name == "goal" else "other" for name in labels]
    texts, labels = texts[:200], labels[:200]  # two classes of the same size
    residue(texts, labels, 37, 3, "relay7.lists.example.org")
    (row,) = list(ts.audit(texts, labels)["leaking_tokens"])
    assert row["token"].split()[-3:] == ["lists", "example", "org"] or "relay7" in row["token"]
    assert (row["class"], row["in the class"], row["of"], row["outside"]) == ("goal", 37, 100, 3)


def test_words_with_varying_neighbours_are_no_boilerplate():
    texts, labels = clean(100)
    rng = np.random.default_rng(4)
    for d in rng.choice(100, 37, replace=False):
        words = texts[d].split()
        words.insert(int(rng.integers(len(words))), "keeper")
        texts[d] = " ".join(words)
    assert "leaking_tokens" not in ts.audit(texts, labels).failed_checks()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("length", lambda text: text + " common1" * 12),
        ("uppercase", str.title),
        ("punctuation", lambda text: text.replace(" ", ", ")),
        ("lines", lambda text: text.replace(" ", "\n")),
        ("digits", lambda text: "".join(c for c in text if not c.isdigit())),
        ("language", lambda text: f"{text} und die der das nicht ist"),
    ],
)
def test_properties_that_predict_a_class_are_found(name, change):
    texts, labels = clean()
    # numbers in words would be other words; here only the property differs
    texts = [change(text) if label == "moon" else text for text, label in zip(texts, labels, strict=True)]
    rows = {row["property"]: row for row in ts.audit(texts, labels)["shortcuts"]}
    assert (rows[name]["class"], rows[name]["AUC"] > 0.95) == ("moon", True)


def test_a_source_that_predicts_a_class_is_found_and_another_is_not():
    texts, labels = clean()
    rng = np.random.default_rng(0)
    sources = [name if rng.random() < 0.9 else "any" for name in labels]
    rows = list(ts.audit(texts, labels, source=sources)["shortcuts"])
    assert {(row["property"], row["class"]) for row in rows} == {("source", name) for name in TOPICS}
    random_sources = rng.choice(["web", "mail"], len(labels)).tolist()
    assert ts.audit(texts, labels, source=random_sources).failed_checks() == []


def test_the_auc_of_bins_is_that_of_shares_without_the_document():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    bins, inside = rng.integers(0, 6, 300), rng.random(300) < 0.4
    prior, scores = inside.mean(), []
    for d in range(300):
        same = bins == bins[d]
        scores.append((inside[same].sum() - inside[d] + prior) / same.sum())
    expected = roc_auc_score(inside, scores)
    counted = [np.bincount(bins[chosen], minlength=6) for chosen in (inside, ~inside)]
    assert binned_auc(*counted) == pytest.approx(expected)


def test_two_labels_are_compared():
    from sklearn.metrics import cohen_kappa_score

    texts, labels = clean(100)
    rng, second = np.random.default_rng(1), list(labels)
    for d in rng.choice(300, 60, replace=False):
        second[d], texts[d] = ("soup" if labels[d] == "goal" else "goal"), texts[d] + " ambiguous"
    second[7] = labels[7]
    found = ts.audit(texts, labels, label2=[*second[:-1], None])
    sentence = next(item.sentence for item in found.findings if item.check == "label_disagreement")
    kappa = cohen_kappa_score(labels[:-1], second[:-1])
    assert f"Cohen's kappa {kappa:.3f}" in sentence
    assert "1 without a second label are left out" in sentence
    rows = list(found["label_disagreement"])
    pairs = [pair for pair in zip(labels[:-1], second[:-1], strict=True) if pair[0] != pair[1]]
    assert {(r["label"], r["second label"]): r["documents"] for r in rows} == dict(Counter(pairs))
    assert all(second[r["example"]] == r["second label"] for r in rows)
    assert found["disagreement_words"]["word"].tolist() == ["ambiguous"]


def test_labels_that_agree_are_no_finding():
    texts, labels = clean()
    found = ts.audit(texts, labels, label2=labels)
    assert found.failed_checks() == []
    assert "The two labels of all 180 documents agree." in repr(found)


def test_a_list_of_second_labels_has_a_value_for_each_document():
    with pytest.raises(ts.InvalidInputError, match="label2 has 2 values for 180 documents"):
        ts.audit(*clean(), label2=["goal", "soup"])


def test_people_read_document_numbers_from_one():
    texts, labels = clean()
    texts[5] = "? !"
    found = ts.audit(texts, labels)
    assert found["empty_documents"]["document"].tolist() == [5]
    assert json.loads(found.to_json())["findings"][0]["rows"][0]["document"] == 5
    for shown in (repr(found), found.to_html(), found._repr_html_()):
        assert "numbered from 1" in shown
    row = found.to_text().split("empty_documents: ")[1].split("\n")[2]
    assert row.split()[0] == "6"
