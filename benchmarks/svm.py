"""Support vector machines of nested selections, as ratios to a loop over scikit-learn's LinearSVC.

A sample of the trainings of the study forman2003: five sets, three classes each, three metrics, eight sizes.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import metrics
import termsift as ts
from metrics import row
from termsift.nested.linear import HINGE, RankedRows, linear_margins
from termsift.ranking import best
from termsift.studies.forman2003.problems import dataset, trial_parts
from termsift.studies.forman2003.trials import SIZES

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
    found = dataset(name)
    learned, judged = next(trial_parts(found, 0))
    here, there = found.rows[learned], found.rows[judged]
    train, test = csc_array(here), csc_array(there)
    counts = ts.count(here, found.labels[learned])
    sizes = SIZES[here.shape[1] > SIZES]
    ours = theirs = 0.0
    same = total = 0
    for metric in METRICS:
        scores = np.asarray(ts.score(counts, metric))
        for c, one in enumerate(counts.classes[:n_classes]):
            truth = found.labels[learned] == one
            order = best(scores[:, c], counts.term_df, np.arange(here.shape[1]), int(sizes[-1]))
            start = time.perf_counter()
            here, there = RankedRows.of(order, train), RankedRows.of(order, test)
            margins = linear_margins(HINGE, here, truth, there, sizes)
            ours += time.perf_counter() - start
            for size, own in zip(sizes.tolist(), margins, strict=True):
                start = time.perf_counter()
                model = LinearSVC(loss="hinge", C=1, random_state=0).fit(
                    here[:, order[:size]].astype(float), truth
                )
                other = model.decision_function(there[:, order[:size]].astype(float))
                theirs += time.perf_counter() - start
                clear = np.abs(other) > 1e-6
                same, total = same + int(((own > 0) == (other > 0))[clear].sum()), total + int(clear.sum())
    return [(name, ours, theirs, same, total)]


if __name__ == "__main__":
    main()
