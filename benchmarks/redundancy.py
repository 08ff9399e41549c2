"""The redundancy-aware choice on 20 Newsgroups: time as ratios to plain ways, and what it does for judges.

Time: all messages, 100 terms of the best 2,000. Judges: the split by date, 50 to 1,000 terms of the best
3,000, accuracy on the test part; and the SMS Spam Collection, macro-averaged F1 of five folds, five times.
The column of targets has p-values of the difference from ig: of documents by a paired t test, of folds by the
corrected resampled one, neither corrected for their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.special import xlogy
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import mutual_info_classif
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import newsgroups
import termsift as ts
from metrics import alternating, row, save
from termsift.evaluation.paired_tests import paired_t

POOL, K = 2000, 100
FEW = 2  # terms by scikit-learn, which takes long for each
SIZES = (50, 200, 1000)
CRITERIA = ("mrmr", "jmi", "cmim")
RESULTS = Path(__file__).parent / "results" / "redundancy.csv"


def main() -> None:
    rows = [*speed(), *newsgroups_judged(), *spam_judged()]
    for each in rows:
        print(f"{each['what']:<72} {each['value']:>10}  {each['target']}")
    save(rows, RESULTS)


def speed() -> Iterator[dict[str, str]]:
    """Time the selection, and the same by dense products and by a loop over scikit-learn."""
    X, _, y = newsgroups.matrix()
    pool = ts.TermSelector("ig_all", k=POOL).fit(X, y).selection_
    presence = (X[:, pool].toarray() > 0).astype(np.float32)
    classes = (y[:, None] == np.unique(y)).astype(np.float32)
    jobs: dict[str, Callable[[], object]] = {name: lambda name=name: chosen(X, y, name) for name in CRITERIA}
    jobs["counting"] = lambda: ts.TermSelector("ig_all", k=K).fit(X, y)
    jobs["dense"] = lambda: dense_mrmr(presence, classes, K)
    jobs["dense jmi"] = lambda: dense_jmi(presence, classes, K)
    # the products of NumPy are held to one thread, since ours has one
    with threadpool_limits(1):
        best = alternating(jobs, rounds=3)
    few = alternating({"ours": lambda: chosen(X, y, "mrmr", FEW), "loop": lambda: loop(presence, y, FEW)}, 1)
    what = f"{K} of {POOL:,} terms"
    yield row(f"{what}: count and the best by ig_all", f"{best['counting'] * 1e3:.0f} ms")
    for name in CRITERIA:
        yield row(f"{what}: count and {name}", f"{best[name] * 1e3:.0f} ms")
    for name, peer in (("mrmr", "dense"), ("jmi", "dense jmi")):
        ratio = best[peer] / best[name]
        yield row(f"{what}: {name}, faster than by dense products of NumPy, times", f"{ratio:.1f}", "above 1")
    ratio = few["loop"] / few["ours"]
    yield row(
        f"{FEW} terms: mrmr, faster than a loop of mutual_info_classif, times", f"{ratio:.0f}", "above 10"
    )
    same = chosen(X, y, "mrmr").tolist() == pool[dense_mrmr(presence, classes, K)].tolist()
    yield row(f"{what}: mrmr chooses the terms of the dense products", str(same), "True")
    same = chosen(X, y, "jmi").tolist() == pool[dense_jmi(presence, classes, K)].tolist()
    yield row(f"{what}: jmi chooses the terms of the dense products", str(same), "True")


def chosen(X, y, criterion: str, k: int = K) -> np.ndarray:
    return ts.RedundancyAwareSelector(criterion, k=k, pool=POOL, metric="ig_all").fit(X, y).selection_


def dense_mrmr(presence: np.ndarray, classes: np.ndarray, k: int) -> np.ndarray:
    """Peng, Long and Ding (2005) by one dense product per step."""
    inside = classes.T @ presence
    relevance = information([inside, classes.sum(axis=0)[:, None] - inside])
    df, redundancy, taken = presence.sum(axis=0), np.zeros(len(relevance)), [int(np.argmax(relevance))]
    while len(taken) < k:
        both, held = presence[:, taken[-1]] @ presence, df[taken[-1]]
        own = np.stack([both, df - both])
        redundancy += information([own, np.array([[held], [len(presence) - held]]) - own])
        values = relevance - redundancy / len(taken)
        values[taken] = -np.inf
        taken.append(int(np.argmax(values)))
    return np.array(taken)


def dense_jmi(presence: np.ndarray, classes: np.ndarray, k: int) -> np.ndarray:
    """Yang and Moody (1999) by dense products of each step."""
    sizes, inside = classes.sum(axis=0)[:, None], classes.T @ presence
    relevance = information([inside, sizes - inside])
    total, taken = np.zeros(len(relevance)), [int(np.argmax(relevance))]
    while len(taken) < k:
        both, held = (classes * presence[:, [taken[-1]]]).T @ presence, inside[:, [taken[-1]]]
        total += information([both, held - both, inside - both, sizes - inside - held + both])
        values = total.copy()
        values[taken] = -np.inf
        taken.append(int(np.argmax(values)))
    return np.array(taken)


def information(cells: list[np.ndarray]) -> np.ndarray:
    """(terms,) the mutual information of tables (classes, terms), a table for each cell."""
    joint = np.stack(cells).astype(np.float64)
    whole = joint.sum(axis=(0, 1))
    parts = [xlogy(n, n) for n in (joint, joint.sum(axis=1), joint.sum(axis=0))]
    own, of_cells, of_classes = (part.sum(axis=tuple(range(part.ndim - 1))) for part in parts)
    return (own - of_cells - of_classes + xlogy(whole, whole)) / whole


def loop(presence: np.ndarray, y: np.ndarray, k: int) -> list[int]:
    """Select by scikit-learn's mutual information of all terms with the class and each selected term."""
    relevance = mutual_info_classif(presence, y, discrete_features=True)
    redundancy, taken = np.zeros(len(relevance)), [int(np.argmax(relevance))]
    while len(taken) < k:
        redundancy += mutual_info_classif(presence, presence[:, taken[-1]], discrete_features=True)
        values = relevance - redundancy / len(taken)
        values[taken] = -np.inf
        taken.append(int(np.argmax(values)))
    return taken


def newsgroups_judged() -> Iterator[dict[str, str]]:
    """Accuracy by so many terms of each method, on the same documents."""
    corpus = ts.corpora.load("20news")
    train, test = corpus.part("train"), corpus.part("test")
    vectorizer = ts.TermVectorizer(min_df=2)
    X, Z = vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)
    most = SIZES[-1]
    rankings = {
        metric: ts.TermSelector(metric, k=most).fit(X, train.labels).selection_
        for metric in ("ig", "ig_all", "ig:round_robin", "bns", "bns:round_robin")
    }
    for metric in ("ig_all", "ig"):
        for criterion in CRITERIA:
            selector = ts.RedundancyAwareSelector(criterion, k=most, metric=metric)
            rankings[f"{metric}:{criterion}"] = selector.fit(X, train.labels).selection_
    models = {
        "naive Bayes": MultinomialNB(),
        "linear SVM": make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC(random_state=0)),
    }
    for name, model in models.items():
        for k in SIZES:
            right = {
                method: model.fit(X[:, ranking[:k]], train.labels).predict(Z[:, ranking[:k]]) == test.labels
                for method, ranking in rankings.items()
            }
            for method, own in right.items():
                p = "" if method == "ig" else f"p {paired_t(own * 1.0, right['ig'] * 1.0).p_value:.3f}"
                yield row(f"20news, {name}, {k:,} terms by {method}: accuracy", f"{own.mean():.3f}", p)


def spam_judged() -> Iterator[dict[str, str]]:
    """F1 by so many terms of each method, terms chosen inside each fold."""
    methods = ["ig", "bns", *(f"ig:{criterion}" for criterion in CRITERIA)]
    corpus = ts.corpora.load("sms_spam")
    found = ts.compare(
        corpus, metrics=methods, k=SIZES, classifiers=["multinomial_nb", "svm"], repeats=5
    ).results
    place = {(line.classifier.name, line.k, line.ranker.name): i for i, line in enumerate(found.lines)}
    for name in ("multinomial_nb", "svm"):
        for k in SIZES:
            for method in methods:
                line, base = place[name, k, method], place[name, k, "ig"]
                p = "" if method == "ig" else f"p {found.p_value(line, base):.3f}"
                yield row(f"sms_spam, {name}, {k:,} terms by {method}: F1", f"{found.means[line]:.3f}", p)


if __name__ == "__main__":
    main()
