"""The recommended candidate of a comparison, tried again with scikit-learn alone: several labels each.

    termsift compare reuters_apte --goal f1_micro --min-df 3 --json > compared.json
    python benchmarks/plain_several_labels.py compared.json reuters_apte/reuters.zip

Nothing of termsift is imported; the documents are read from the zip of ApteMod as it is offered, and the
folds are plain shuffled ones. It exits with 1 where the figure is farther from the one that was told than
its standard error.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_recall_curve
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

JUDGES = {
    "multinomial_nb": MultinomialNB(),
    "svm": LinearSVC(),
    "logistic": LogisticRegression(C=10, solver="liblinear"),
}
TUNED = "_tuned"  # behind the name of a classifier with thresholds tuned for F1
LEAST = 3  # documents of a term, as --min-df 3


def documents(archive):
    """Return the texts, and the names of the categories of each."""
    with zipfile.ZipFile(archive) as opened:
        lines = opened.read("reuters/cats.txt").decode("latin-1").splitlines()
        named = [line.split() for line in lines if line]
        texts = [opened.read(f"reuters/{name}").decode("latin-1") for name, *_ in named]
    return texts, [categories for _, *categories in named]


def gains(X, Y):
    """(terms,) the largest information gain of a term over the categories, each against the rest."""
    n, present = X.shape[0], (X > 0).astype(float)
    inside = (present.T @ Y).astype(float)
    df, sizes = np.asarray(present.sum(axis=0)).reshape(-1, 1), Y.sum(axis=0)[None, :]

    def part(joint, one, other):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(joint / n * np.log2(joint * n / (one * other)))

    pairs = [(inside, df, sizes), (df - inside, df, n - sizes)]
    pairs += [(sizes - inside, n - df, sizes), (n - df - sizes + inside, n - df, n - sizes)]
    return sum(part(*own) for own in pairs).max(axis=1)


def importances(X, Y):
    """(terms,) the coefficients' sizes of logistic regressions with the L1 penalty, added over categories."""
    weighed, total = TfidfTransformer(sublinear_tf=True).fit_transform(X), np.zeros(X.shape[1])
    for y in Y.T:
        if y.any():
            model = LogisticRegression(penalty="l1", solver="liblinear", random_state=0)
            total += np.abs(model.fit(weighed, y).coef_[0])
    return np.where(total >= 1e-5, total, -1.0)


def scores(method, X, Y):
    """(terms,) what terms are chosen by; below 0 they are not."""
    if method == "ig":
        return gains(X, Y)
    if method == "l1":
        return importances(X, Y)
    if method in ("df", "all"):
        return np.diff(X.tocsc().indptr).astype(float)
    return sys.exit(f"{method} is not in this script; compare with --metric ig")


def decisions(classifier, average, train, Y, test):
    """(documents, categories) what is accepted of documents to judge."""
    judge = OneVsRestClassifier(JUDGES[classifier.removesuffix(TUNED)])
    if not classifier.endswith(TUNED):
        return judge.fit(train, Y).predict(test)
    cuts = micro_cuts if average == "micro" else macro_cuts
    return judge.fit(train, Y).decision_function(test) > thresholds(judge, cuts, train, Y)


def thresholds(judge, cuts, X, Y):
    """(categories,) the mean over three parts of where F1 is best, fitted to the others."""
    found = np.zeros((3, Y.shape[1]))
    for part, (learned, judged) in enumerate(KFold(3, shuffle=True, random_state=2).split(X)):
        margins = clone(judge).fit(X[learned], Y[learned]).decision_function(X[judged])
        there = np.flatnonzero(Y[learned].any(axis=0) & Y[judged].any(axis=0))
        found[part, there] = cuts(margins[:, there], Y[judged][:, there])
    return found.mean(axis=0)


def macro_cuts(margins, truth):
    """(categories,) where F1 of each category is best."""
    found = []
    for own, margin in zip(truth.T, margins.T, strict=True):
        precision, recall, cuts = precision_recall_curve(own, margin)
        best = int((2 * precision * recall / np.maximum(precision + recall, 1e-12))[:-1].argmax())
        found.append((cuts[best] + cuts[max(best - 1, 0)]) / 2)
    return np.array(found)


def micro_cuts(margins, truth):
    """(categories,) where F1 of all decisions together is best: what one costs is tried in steps."""
    order = np.argsort(-margins, axis=0)
    ordered, right = (np.take_along_axis(own, order, axis=0) for own in (margins, truth))
    hits, taken = np.cumsum(right, axis=0), np.arange(1, len(margins) + 1)[:, None]
    each, tried = np.arange(margins.shape[1]), []
    for cost in np.arange(0.5, 1.0, 0.01):
        last = (2 * hits - cost * taken).argmax(axis=0)
        f1 = 2 * hits[last, each].sum() / (last + 1 + truth.sum(axis=0)).sum()
        tried.append((f1, last))
    last = max(tried, key=lambda one: one[0])[1]
    return (ordered[last, each] + ordered[np.minimum(last + 1, len(margins) - 1), each]) / 2


def main(compared, archive):
    """Print both figures."""
    told = json.loads(Path(compared).read_text(encoding="utf-8"))
    own = told["chosen"]
    texts, names = documents(archive)
    X, Y = CountVectorizer(min_df=LEAST).fit_transform(texts), MultiLabelBinarizer().fit_transform(names)
    values = []
    for learned, judged in KFold(told["folds"], shuffle=True, random_state=1).split(X):
        found = scores(own["method"], X[learned], Y[learned])
        chosen = np.argsort(-found, kind="stable")[: own["terms"]]
        chosen = chosen[found[chosen] >= 0]
        train, test = X[learned][:, chosen], X[judged][:, chosen]
        if own["classifier"] != "multinomial_nb":
            weigh = TfidfTransformer(sublinear_tf=True).fit(train)
            train, test = weigh.transform(train), weigh.transform(test)
        average = told["goal"].removeprefix("f1_")
        decided = decisions(own["classifier"], average, train, Y[learned], test)
        # the mean over the categories that a fold has or that were predicted
        there = np.flatnonzero(Y[judged].any(axis=0) | decided.any(axis=0))
        values.append(f1_score(Y[judged], decided, labels=there, average=average, zero_division=0))
    print(f"{own['terms']} terms by {own['method']} with {own['classifier']}, {told['goal']}:")
    print(f"told {own['mean']:.4f} ± {own['error']:.4f}, scikit-learn alone {np.mean(values):.4f}")
    sys.exit(int(abs(np.mean(values) - own["mean"]) > own["error"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
