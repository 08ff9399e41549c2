"""Sentences of thirteen languages, in tests/text/languages: the words found beside those a reader expects."""

from __future__ import annotations

import csv
import itertools
import json
import unicodedata
from importlib.resources import files
from pathlib import Path

import budoux
import pytest
import pythainlp
import rjieba

import termsift as ts
from report_pages import Page
from termsift.text.analyzer import DEFAULT_ANALYZER

FOLDER = Path(__file__).parent / "languages"
TOGETHER = ("thai", "chinese", "japanese")
SPACED = sorted(path.stem for path in FOLDER.glob("*.csv") if path.stem not in TOGETHER)
# capitals of Turkish are made small as in all other languages: the dot of İ stays as a mark, I becomes i
TURKISH = {"istanbul": "i\u0307stanbul", "ilk": "i\u0307lk", "ıspanak": "ispanak"}
# a word, or a pair of letters, of each of the two classes
TELLING = {
    "arabic": ("المباراة", "الخبز"),
    "arabic_vocalised": ("الطَّالِبُ", "الْبَيْتِ"),
    "bengali": ("ম্যাচ", "মাছ"),
    "chinese": ("比赛", "豆腐"),
    "german": ("mannschaft", "suppe"),
    "hebrew": ("הקבוצה", "לחם"),
    "hindi": ("मैच", "दाल"),
    "japanese": ("試合", "スー"),
    "korean": ("팀이", "김치를"),
    "russian": ("гол", "суп"),
    "tamil": ("அணி", "தோசை"),
    "thai": ("ทีม", "แก"),
    "turkish": ("maçı", "çorba"),
    "vietnamese": ("trận", "canh"),
}


def sentences(language):
    """The rows of a language: label, text, and the words a reader expects."""
    with open(FOLDER / f"{language}.csv", encoding="utf-8", newline="") as file:
        return [(row["label"], row["text"], row["words"].split()) for row in csv.DictReader(file)]


def test_each_language_has_two_classes_of_six_sentences():
    assert len(SPACED) + len(TOGETHER) == 14
    for language in (*SPACED, *TOGETHER):
        labels = [label for label, _, _ in sentences(language)]
        assert sorted(labels.count(label) for label in set(labels)) == [6, 6]


@pytest.mark.parametrize("language", SPACED)
def test_words_are_segmented_as_readers_expect(language):
    by_uax = ts.Analyzer(words="unicode")
    known = TURKISH if language == "turkish" else {}
    for _, text, words in sentences(language):
        # a word that the text has in small letters is none of them
        expected = [word if word in text else known.get(word, word) for word in words]
        assert by_uax(text) == expected
        # those of one letter are left out, as in English; a vowel sign is a letter, an accent is none
        longer = [part for word in expected for part in usual_parts(word) if letters(part) > 1]
        assert DEFAULT_ANALYZER(text) == longer


def usual_parts(word):
    """What the usual words make of a word: signs within it part it."""
    return word.replace('"', " ").replace("-", " ").replace(".", " ").split()


def letters(word):
    return sum(unicodedata.category(c)[0] in "LN" or c == "_" or unicodedata.combining(c) == 0 for c in word)


@pytest.mark.parametrize("language", TOGETHER)
def test_letter_pairs_cover_every_word_of_scripts_without_spaces(language):
    for _, text, words in sentences(language):
        found = DEFAULT_ANALYZER(text)
        assert found == ts.Analyzer(words="unicode")(text) == pairs(text)
        for word in words:
            assert len(units(word)) == 1 or set(pairs(word)) <= set(found)


def units(word):
    """The letters of a word, each with the marks upon it."""
    found = []
    for c in word:
        if found and (unicodedata.category(c).startswith("M") or c == "\u0e33"):
            found[-1] += c
        else:
            found.append(c)
    return found


def pairs(text):
    """Every two letters that follow each other in each run of letters of the text."""
    runs = "".join(c if unicodedata.category(c)[0] in "LM" else " " for c in text).split()
    found = []
    for run in runs:
        own = units(run)
        found += [a + b for a, b in itertools.pairwise(own)] or own
    return found


@pytest.mark.parametrize("language", [*SPACED, *TOGETHER])
def test_class_words_are_in_the_ranking_and_the_report(language, run, tmp_path):
    path = FOLDER / f"{language}.csv"
    code, out, _ = run("score", path, "--text", "text", "--label", "label", "--json", "--all")
    assert code == 0
    # each document 30 times, so that the words are significant
    header, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    repeated, page = tmp_path / "repeated.csv", tmp_path / "page.html"
    repeated.write_text("".join([header, *rows * 30]), encoding="utf-8")
    assert run("report", repeated, "--text", "text", "--label", "label", "-o", page)[0] == 0
    shown = Page(page.read_text(encoding="utf-8")).text
    for word in TELLING[language]:
        assert json.dumps(word, ensure_ascii=False) in out or json.dumps(word) in out
        assert word in shown


def japanese_words():
    """BudouX by its model of words: the usual one parts phrases."""
    model = files(budoux) / "models" / "ja_word.json"
    return budoux.Parser(json.loads(model.read_text(encoding="utf-8"))).parse


SEGMENTERS = {
    "thai": lambda run: pythainlp.word_tokenize(run, engine="newmm"),
    "chinese": rjieba.cut,
    "japanese": japanese_words(),
}


@pytest.mark.parametrize("language, share", [("thai", 0.85), ("chinese", 0.9), ("japanese", 0.9)])
def test_segmenter_returns_real_words(language, share):
    analyzer = ts.Analyzer(words="auto", segmenter=SEGMENTERS[language])
    known = found = 0
    for _, text, words in sentences(language):
        own = analyzer(text)
        assert "".join(own) == "".join(words)
        found += len(own)
        known += len([word for word in own if word in words])
    assert known >= share * found
