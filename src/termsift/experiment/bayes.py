"""Multinomial naive Bayes for nested selections: all classes at once, or each against the rest."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from termsift._typing import Array
from termsift.experiment.fold import Fold
from termsift.nested._class_kernel import class_sums
from termsift.nested.bayes import BayesPath
from termsift.nested.paths import Path
from termsift.ranking import Ranking

SMOOTHING = 1.0


def joint_margins(fold: Fold, order: Array, sizes: Array) -> Array:
    """(sizes, judged, classes) logarithms of prior times likelihood; -inf for a class never seen."""
    counts, n_terms = fold.counts, len(fold.columns)
    tf = counts.tf.toarray()
    path = Path(int(sizes[-1]), order, order[:0], sizes)
    step, _ = path.borders(n_terms)
    rows = fold.test
    sums, totals = class_sums(rows.indptr, rows.indices, rows.data, step, np.log(tf + SMOOTHING), len(sizes))
    lengths = tf[order].cumsum(axis=0)[sizes - 1] + SMOOTHING * sizes[:, None]
    with np.errstate(divide="ignore"):
        priors = np.log(counts.class_sizes / counts.documents)
    margins: Array = sums - totals[:, :, None] * np.log(lengths)[:, None, :] + priors
    return margins


def apart_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """(sizes, judged, classes) log-odds of each class against the rest, in its own terms where it has any."""
    counts = fold.counts
    tf = counts.tf.tocsc()
    margins = np.full((len(sizes), fold.test.shape[0], len(counts.classes)), -np.inf)
    for c in range(len(counts.classes)):
        prior = counts.class_sizes[c] / counts.documents
        if not 0 < prior < 1:
            margins[:, :, c] = np.inf if prior == 1 else -np.inf
            continue
        inside = tf[:, [c]].toarray().ravel()
        order = ranking.orders[c if ranking.local else 0]
        path = Path(int(sizes[-1]), order, order[:0], sizes)
        model = BayesPath(path, inside, counts.term_tf - inside, float(prior), SMOOTHING)
        for_class, for_rest = model.log_posteriors(fold.test)
        margins[:, :, c] = (for_class - for_rest).T
    return margins


def against_the_rest(margins: Array) -> Array:
    """How far each class is above all others together, of logarithms that compete."""
    classes = margins.shape[2]
    others = [logsumexp(np.delete(margins, c, axis=2), axis=2) for c in range(classes)]
    with np.errstate(invalid="ignore"):
        odds = margins - np.stack(others, axis=2)
    found: Array = np.where(np.isneginf(margins), -np.inf, odds)
    return found
