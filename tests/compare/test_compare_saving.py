"""Comparisons: models that are saved, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
import skops.io as sio
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
from compared_texts import TOPICS, several, topical
from termsift.compare.final_model import fit_candidate

QUICK = {"metrics": ["bns"], "k": [5, 20], "classifiers": "multinomial_nb", "repeats": 1}


class TestSaving:
    # neither termsift nor its compiler can be imported where the exported pipeline is used
    USE = textwrap.dedent("""
        import json, sys
        for name in ("termsift", "numba"):
            sys.modules[name] = None
        import skops.io as sio
        model = sio.load(sys.argv[1])
        print(json.dumps(model.predict(json.load(sys.stdin)).tolist()))
    """)

    def used(self, path, texts):
        command = [sys.executable, "-c", self.USE, str(path)]
        done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    @pytest.mark.slow
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_the_exported_pipeline_predicts_without_termsift(self, texts_of, tmp_path):
        texts, labels = texts_of(30)
        comparison = ts.compare(texts, labels, metrics="ig:per_class", k=[30], classifiers="svm", repeats=1)
        sio.dump(comparison.pipeline, tmp_path / "pipeline.skops")
        fresh, model = texts_of(10, seed=9)[0], comparison.model
        ours = model.predict(fresh)
        if model.is_multilabel:
            ours = [[int(name in names) for name in model.classes] for names in ours]
        assert self.used(tmp_path / "pipeline.skops", fresh) == ours

    def test_models_with_a_function_as_analyzer_cannot_be_saved(self, tmp_path):
        comparison = ts.compare(*topical(10), analyzer=str.split, **QUICK)
        with pytest.raises(ts.InvalidInputError, match="whose analyzer is a function cannot be saved"):
            comparison.save(tmp_path / "model")
        assert not (tmp_path / "model").exists()


LABELS = {
    "dates": [date(2020, 1, day) for day in (1, 2, 3)],
    "times": [datetime(2020, 1, 1, hour) for hour in (1, 2, 3)],
    "decimals": [Decimal(f"0.{i}") for i in (1, 2, 3)],
    "bytes": [b"a", b"b", b"\xff"],
    "floats": [0.5, 1.5, 2.5],
    "fractions": [Fraction(i, 7) for i in (1, 2, 3)],
    "large numbers": [2**70, 2**71, 2**72],
}
PLAIN = {"whole numbers": [1, 2, 3], "whole floats": [1.0, 2.0, 3.0], "names": ["x", "y", "z"]}


class TestLabels:
    @pytest.mark.parametrize("kinds", [*LABELS.values(), *PLAIN.values()], ids=[*LABELS, *PLAIN])
    def test_labels_of_any_type_are_saved_as_scikit_learn_types(self, kinds, tmp_path):
        texts, labels = topical(10)
        place = {name: i for i, name in enumerate(sorted(set(labels)))}
        comparison = ts.compare(texts, [kinds[place[name]] for name in labels], **QUICK)
        assert comparison.results.classes == tuple(kinds)
        model = ts.load_model(comparison.save(tmp_path))
        names = kinds if kinds in PLAIN.values() else [str(name) for name in kinds]
        assert list(model.classes) == sorted(names)
        assert [type(name) for name in model.classes] == [type(name) for name in names]

    def test_models_with_terms_per_class_do_not_depend_on_class_names(self):
        texts, labels = topical(20)
        numbers = {name: 9.5 + i for i, name in enumerate(sorted(TOPICS))}  # as text, 9.5 comes last

        def margins(given):
            found = ts.compare(
                texts, given, metrics="bns:per_class", k=[9], classifiers="multinomial_nb", repeats=1
            )
            local = next(line for line in found.results.candidates if line.ranker.name == "bns:per_class")
            model = fit_candidate(found.documents, local, 9, 0).build_model({})
            return dict(zip(model.classes, model.decision_function(texts).T.tolist(), strict=True))

        named, numbered = margins(labels), margins([numbers[name] for name in labels])
        assert {str(numbers[name]): own for name, own in named.items()} == numbered


class TestMistakes:
    TEXTS, LABELS = topical(6)

    @pytest.mark.parametrize(
        ("texts", "labels", "message"),
        [
            (["a b"] * 4, ["x"] * 4, "only 1 class: all 4 documents are in 'x'"),
            (["aa bb"] * 4, list("wxyz"), "all 4 labels are different"),
            (["", " ", ""] * 2, ["x", "y"] * 3, "none of the 6 texts has a term; are they empty"),
            (["aa"] * 4, ["x", "x", "x", "y"], "at least 2 classes need 2 documents each"),
            (["aa"] * 3, ["x", "y"], "3 documents but 2 labels"),
            (["aa"] * 3, None, "labels are missing"),
        ],
    )
    def test_invalid_documents_are_rejected(self, texts, labels, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.compare(texts, labels)

    def test_two_documents_in_a_class_are_enough(self):
        comparison = ts.compare(["aa bb", "aa cc", "dd ee", "dd ff"], ["x", "x", "y", "y"], folds=2)
        assert comparison.best["mean"] >= 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"goal": "g2"}, "no goal named 'g2'"),
            ({"metrics": ["chi"]}, "no metric named 'chi'; did you mean 'chi2'"),
            ({"metrics": ["bns:round_robbin"]}, "no suffix of bns named .*; did you mean 'round_robin'"),
            ({"metrics": ["bns:combined"]}, "needs a one-sided metric"),
            ({"metrics": []}, "at least one"),
            ({"classifiers": "forest"}, "no classifier named 'forest'"),
            ({"classifiers": MultinomialNB}, "expected a scikit-learn classifier or one of"),
            ({"classifiers": ["svm", "svm"]}, "given twice"),
            ({"k": [5000]}, r"k must be smaller than the number of terms \(7.\), got 5,000"),
            ({"k": []}, "k must be smaller than the number of terms"),
            ({"k": [0]}, "k must be a whole number of at least 1, got 0"),
            ({"folds": 1}, "folds must be a whole number of at least 2, got 1"),
            ({"folds": 40}, "folds is 40 but there are only 18 documents"),
            ({"repeats": 0}, "repeats must be a whole number of at least 1, got 0"),
            ({"repeats": 1_000_000}, "repeats must be at most 1,000, got 1,000,000"),
            ({"folds": 1_000_000}, "folds must be at most 1,000, got 1,000,000"),
            ({"random_state": -1}, "random_state must be a whole number of at least 0, got -1"),
            ({"random_state": 0.5}, "random_state must be a whole number of at least 0, got 0.5"),
            ({"budget": 0}, "budget must be a number of seconds above 0, got 0"),
            (
                {"progress": "loud"},
                "progress must be a function of the completed and the total work, got 'loud'",
            ),
            ({"min_df": -1}, "min_df must be a number of documents or a share from 0.0 to 1.0, got -1"),
            ({"min_df": 1000}, "min_df=1000 removes all 75 terms; the most frequent is in 5 documents"),
            ({"analyzer": 3}, "analyzer must be"),
        ],
    )
    def test_invalid_options_are_rejected(self, options, message):
        with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=message):
            ts.compare(self.TEXTS, self.LABELS, **options)

    def test_single_label_metrics_are_rejected_for_several_labels(self):
        with pytest.raises(ts.InvalidInputError, match="ig_all needs exactly one label per document"):
            ts.compare(*several(30), metrics="ig_all")
