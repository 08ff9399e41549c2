"""From what a classifier says of documents to decisions, counted by class."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.evaluation import break_even_counts
from termsift.experiment.goals import Decided


def decided(margins: Array, truth: Array, single: bool) -> Decided:
    """Decisions at each size: with one label a document the class of largest margin, else all above 0.

    margins : (sizes, documents, classes); truth : (documents, classes)
    """
    if single:
        accepted = np.zeros(margins.shape, dtype=bool)
        np.put_along_axis(accepted, margins.argmax(axis=2)[:, :, None], True, axis=2)
    else:
        accepted = margins > 0
    pairs = ((accepted, truth), (accepted, ~truth), (~accepted, truth))
    tp, fp, fn = ((ours & theirs).sum(axis=1) for ours, theirs in pairs)
    right = (accepted == truth).all(axis=2).sum(axis=1)
    return Decided(tp, fp, fn, right, np.full(len(margins), len(truth)))


def decided_at_break_even(margins: Array, truth: Array, single: bool) -> Decided:
    """Decisions at the break-even point of each class; `right` is as usual."""
    usual = decided(margins, truth, single)
    cuts = [break_even_counts(margin, truth) for margin in margins]
    tp, fp, fn = (np.stack(counts) for counts in zip(*cuts, strict=True))
    return Decided(tp, fp, fn, usual.right, usual.documents)
