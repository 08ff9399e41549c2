"""Support vector machines of nested selections, as ratios to a loop over scikit-learn's LinearSVC.

A sample of the trainings of the study forman2003: five sets, three classes each, three metrics, eight sizes.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import metrics
import termsift as ts
from metrics import row
from termsift._internal.ranking import rank_terms
from termsift.evaluation.classifiers.paths import SelectionPath
from termsift_studies.forman2003.trials import SIZES, load_set, trial_folds
from termsift_studies.svm import BINARY_SVM

RESULTS = Path(__file__).parent / "results" / "svm.csv"
SETS = ("oh0", "re0", "tr11", "wap", "la1s")
METRICS = ("bns", "ig", "chi2")


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    sample("tr23", 1)  # compiled before the clock starts
    rows = [line for name in SETS for line in sample(name, 3)]
    ours, theirs = (sum(float(line[i]) for line in rows) for i in (1, 2))
    same, judged = (sum(line[i] for line in rows) for i in (3, 4))
    out = [row(f"{name}, a loop over LinearSVC, times", f"{b / a:.1f}") for name, a, b, *_ in rows]
    trainings = len(SETS) * 3 * len(METRICS) * len(SIZES)
    out += [
        row("trainings", f"{trainings}"),
        row("ours, a training", f"{1000 * ours / trainings:.2f} ms"),
        row("LinearSVC, a training", f"{1000 * theirs / trainings:.2f} ms"),
        row("a loop over LinearSVC, times", f"{theirs / ours:.1f}", "at least 3"),
        row("same predictions where the margin is not 0", f"{same / judged:.5f}", "at least 0.999"),
    ]
    for line in out:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(out, RESULTS)


def sample(name: str, n_classes: int) -> list[tuple[str, float, float, int, int]]:
    """(set, our seconds, theirs, predictions that agree, predictions) of one part of a set."""
    fold = next(trial_folds(load_set(name)[0], 0))
    train, test, counts = fold.train.rows, fold.test, fold.train.counts
    sizes = SIZES[len(counts.terms) > SIZES]
    ours = theirs = 0.0
    same = total = 0
    for metric in METRICS:
        scores = np.asarray(ts.score(counts, metric))
        for c, truth in enumerate(fold.train.truth.T[:n_classes]):
            order = rank_terms(scores[:, c], counts.term_df, counts.terms, int(sizes[-1]))
            start = time.perf_counter()
            margins = BINARY_SVM.fit_path(fold, SelectionPath.from_ranking(order, sizes))(c).T
            ours += time.perf_counter() - start
            for size, own in zip(sizes.tolist(), margins, strict=True):
                start = time.perf_counter()
                model = LinearSVC(loss="hinge", C=1, random_state=0).fit(
                    train[:, order[:size]].astype(float), truth
                )
                other = model.decision_function(test[:, order[:size]].astype(float))
                theirs += time.perf_counter() - start
                clear = np.abs(other) > 1e-6
                same, total = same + int(((own > 0) == (other > 0))[clear].sum()), total + int(clear.sum())
    return [(name, ours, theirs, same, total)]


if __name__ == "__main__":
    main()
