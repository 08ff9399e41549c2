"""Lists show the most frequent word of each stem."""

from __future__ import annotations

from dataclasses import replace

import pytest

import termsift as ts
from termsift.engines import find_full_forms
from termsift.text import Analyzer

TEXTS = [
    "the policy of policies is public",
    "public policy and policy makers argued",
    "arguing for a public policy",
    "cats chase running dogs",
    "a running cat and cats",
    "dogs run with cats",
] * 3
LABELS = ["gov", "gov", "gov", "pet", "pet", "pet"] * 3
STEMMED = Analyzer(stemmer="english")


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mail.csv"
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    file.write_text("\n".join(["text,label", *rows]))
    return str(file)


def test_a_stem_is_shown_as_its_most_frequent_word_and_ties_as_the_first():
    words = find_full_forms(STEMMED, TEXTS)
    shown = {word: words(word) for word in ("policies", "cat", "run", "argued", "unseen")}
    assert shown == {
        "policies": "policy",
        "cat": "cats",
        "run": "running",
        "argued": "argued",
        "unseen": "unseen",
    }


@pytest.mark.parametrize("n", [1, 2])
def test_full_forms_change_the_names_of_terms_and_nothing_else(n):
    stemmed = replace(STEMMED, ngram_range=(1, n))
    words = find_full_forms(stemmed, TEXTS)
    stems = ts.count(TEXTS, LABELS, analyzer=stemmed)
    shown = ts.count(TEXTS, LABELS, analyzer=replace(stemmed, stemmer=words))
    renamed = [" ".join(words.forms[stem] for stem in term.split()) for term in stems.terms]
    rows = [shown.terms.tolist().index(term) for term in renamed]
    assert len(set(rows)) == len(shown.terms)
    assert (shown.tf[rows].toarray() == stems.tf.toarray()).all()
    assert shown.analyzer == stems.analyzer


def test_analyzers_without_a_stemmer_stay():
    assert find_full_forms(Analyzer(), TEXTS) is None
    assert find_full_forms(None, TEXTS) is None


def test_lists_of_commands_show_words(run, path, tmp_path):
    listed = run("score", path, "--stem", "english", "--class", "gov")[1]
    assert "policy" in listed
    assert "polici" not in listed
    (tmp_path / "pets.csv").write_text("\n".join(["text", *TEXTS[3:6] * 3]))
    (tmp_path / "gov.csv").write_text("\n".join(["text", *TEXTS[:3] * 3]))
    changes = run("diff", str(tmp_path / "gov.csv"), str(tmp_path / "pets.csv"), "--stem", "english")[1]
    assert "policy" in changes
    assert "polici" not in changes


def test_reports_and_comparisons_show_words_and_models_keep_stems():
    page = ts.report(TEXTS, LABELS, analyzer=STEMMED)
    assert '"policy"' in page
    assert '"polici"' not in page
    comparison = ts.compare(
        TEXTS, LABELS, analyzer=STEMMED, metrics=["ig"], k=[4], classifiers=["multinomial_nb"], repeats=1
    )
    assert "policy" in comparison.keywords[0].terms
    assert "polici" in comparison.model.terms
    assert '"policy"' in comparison.to_html()
