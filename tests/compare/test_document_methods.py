"""select takes every method of compare, and finds what the estimators find."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import termsift as ts
from compared_texts import several, topical
from termsift.cli import main
from termsift.compare import select_from_documents
from termsift.compare.documents import prepare_documents
from termsift.engines import load_documents

PAPER = "cc:PositiveNegative(ratio='auto', per_class=True, cv=None)"


@pytest.fixture(scope="module")
def documents():
    return prepare_documents(load_documents(*topical(24)))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    texts, labels = topical(24)
    file = tmp_path_factory.mktemp("select") / "topics.csv"
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    return file


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["select", *map(str, arguments)])
    captured = capsys.readouterr()
    return end.value.code, captured.out, captured.err


def test_greedy_is_the_selector(documents):
    chosen = select_from_documents(documents, "greedy", 7)
    selector = ts.GreedyDiscriminationSelector(k=7).fit(documents.rows, documents.target)
    assert chosen.terms == documents.terms[selector.selection_].tolist()


def test_the_setting_of_the_paper_is_the_selector_with_terms_per_class(documents):
    chosen = select_from_documents(documents, PAPER, 6)
    selector = ts.PositiveNegativeSelector("cc", k=6, per_class=True).fit(documents.rows, documents.target)
    names = [str(name) for name in documents.labels.classes]
    assert chosen.ratios == dict(zip(names, selector.ratio_.tolist(), strict=True))
    for name, columns in zip(names, selector.class_selections_, strict=True):
        own = chosen.table["term"][chosen.table["class"] == name]
        assert own.tolist() == documents.terms[columns].tolist()
    assert set(chosen.terms) == set(documents.terms[selector.selection_])


def test_one_class_is_compared_with_all_others(documents):
    name = str(documents.labels.classes[1])
    chosen = select_from_documents(documents, PAPER, 6, for_class=name)
    y = documents.target == 1
    selector = ts.PositiveNegativeSelector("cc", k=6).fit(documents.rows, y)
    assert chosen.terms == documents.terms[selector.selection_].tolist()
    assert chosen.ratios == {name: selector.ratio_}


def test_features_are_listed_with_their_weights(documents):
    weights = select_from_documents(documents, "class_weights", 5).table
    names = [str(name) for name in documents.labels.classes]
    np.testing.assert_allclose(sum(weights[name] for name in names), 1)
    clusters = select_from_documents(documents, "divisive(4)", 5).table
    assert set(clusters["cluster"].tolist()) == {0, 1, 2, 3}
    assert len(weights) == len(clusters) == len(documents.terms)


def test_documents_may_have_several_labels():
    documents = prepare_documents(load_documents(*several(40)))
    chosen = select_from_documents(documents, "cc:combined_per_class", 3)
    assert set(chosen.ratios) == {str(name) for name in documents.labels.classes}


@pytest.mark.parametrize("method", ["greedy", "l1", "sklearn_chi2", "cc:combined", "ig:cmim"])
def test_the_command_prints_k_terms(path, capsys, method):
    code, out, _ = run(capsys, path, "--metric", method, "-k", "4")
    assert code == 0
    assert len(set(out.split())) == 4


def test_the_command_prints_classes_and_ratios(path, capsys):
    code, out, err = run(capsys, path, "--metric", PAPER, "-k", "3", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(rows) == 9
    assert list(rows[0]) == ["class", "term", "ratio"]
    assert "share of positive terms" in err


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        ("chi2:per_class", ["class", "term"]),
        ("cc:PositiveNegative(ratio='size', per_class=True)", ["class", "term", "ratio"]),
    ],
)
def test_terms_per_class_from_counts_have_their_class(path, capsys, method, columns):
    _, out, _ = run(capsys, path, "--metric", method, "-k", "3", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == columns
    counts = ts.count(path)
    assert [row["class"] for row in rows] == [str(name) for name in counts.classes for _ in range(3)]
    for number, name in enumerate(counts.classes):
        chosen = [row["term"] for row in rows[3 * number : 3 * number + 3]]
        if method == "chi2:per_class":
            assert chosen == ts.score(counts, "chi2").top(name, 3)["term"].tolist()
        else:
            ratio = float(rows[3 * number]["ratio"])
            assert chosen == ts.select(counts, f"cc:PositiveNegative(3, {ratio})", for_class=name).terms
    _, plain, _ = run(capsys, path, "--metric", method, "-k", "3")
    assert set(plain.split()) == {row["term"] for row in rows}
    _, one, _ = run(capsys, path, "--metric", method, "-k", "3", "--class", str(counts.classes[0]), "--csv")
    assert one.splitlines()[0] == "term"


def test_a_policy_can_be_given_apart(path, capsys):
    policy = "PositiveNegative(3, 'auto', True, None)"
    (_, apart, _), (_, joined, _) = (
        run(capsys, path, "--metric", "cc", "--policy", policy, "--csv"),
        run(capsys, path, "--metric", PAPER, "-k", "3", "--csv"),
    )
    assert apart == joined


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "chi2:combined"], "needs a one-sided metric, but chi2 is not"),
        (["--metric", "cc:combined", "--classifier", "svn"], "no classifier named 'svn'; did you mean 'svm'"),
        (["--metric", "cc:combined", "--goal", "f3"], "no goal named 'f3'"),
        (["--metric", "greedy", "--class", "ghost"], "there is no class 'ghost'; the classes are"),
        (["--metric", "greedy", "--class", "sea", "--reference", "law"], "omit --reference"),
        (["--metric", "greedy", "-k", "0"], "k must be at least 1, got 0"),
        (["--metric", "divisive(0)"], "the number of clusters must be at least 1, got 0"),
    ],
)
def test_a_mistake_is_one_line(path, capsys, arguments, message):
    code, out, err = run(capsys, path, *arguments)
    assert code != 0
    assert not out
    assert message in err
    assert err.count("\n") == 1
