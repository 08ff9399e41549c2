"""Measure how good predictions are, and which of several methods is best.

Measures of one-vs-rest decisions, break-even points, chances of being best, tests of differences.

>>> confusion = Confusion.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.breakeven import (
    BreakEven,
    break_even,
    break_even_counts,
    break_even_f1,
    shared_break_even_counts,
)
from termsift.evaluation.chances import best_pairs, chances, differences, pairs, residual_wins
from termsift.evaluation.confusion import Average, Confusion
from termsift.evaluation.measures import accuracy, f1, f_beta, precision, recall
from termsift.evaluation.runs import best_sizes
from termsift.evaluation.significance import Significance, corrected_resampled_t, holm, paired_t, wilcoxon

__all__ = [
    "Average", "BreakEven", "Confusion", "Significance", "accuracy", "best_pairs", "best_sizes",
    "break_even", "break_even_counts", "break_even_f1", "chances", "corrected_resampled_t",
    "differences", "f1", "f_beta", "holm", "paired_t", "pairs", "precision", "recall", "residual_wins",
    "shared_break_even_counts", "wilcoxon",
]  # fmt: skip
