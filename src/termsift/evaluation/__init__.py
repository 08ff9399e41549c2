"""How good predictions are: measures of one-vs-rest decisions, break-even points, tests of differences.

>>> confusion = Confusion.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.breakeven import BreakEven, break_even, break_even_counts, break_even_f1
from termsift.evaluation.confusion import Average, Confusion
from termsift.evaluation.measures import accuracy, f1, f_beta, precision, recall
from termsift.evaluation.significance import Significance, corrected_resampled_t, paired_t, wilcoxon

__all__ = [
    "Average",
    "BreakEven",
    "Confusion",
    "Significance",
    "accuracy",
    "break_even",
    "break_even_counts",
    "break_even_f1",
    "corrected_resampled_t",
    "f1",
    "f_beta",
    "paired_t",
    "precision",
    "recall",
    "wilcoxon",
]
