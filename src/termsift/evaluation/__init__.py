"""Measure how good predictions are, and which of several methods is best.

Measures of one-vs-rest decisions, break-even points, chances of being best, tests of differences.

>>> confusion = Confusion.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.confusion import Average, Confusion, indicator
from termsift.evaluation.decisions import Judgement, decisions, judged
from termsift.evaluation.goals import GOALS, Goal, goals_from
from termsift.evaluation.measures import (
    BreakEven,
    accuracy,
    break_even,
    break_even_counts,
    break_even_f1,
    f1,
    f_beta,
    precision,
    recall,
    shared_break_even_counts,
)
from termsift.evaluation.paired_tests import (
    TestResult,
    corrected_resampled_t,
    holm,
    paired_t,
    t_of_mean,
    wilcoxon,
)
from termsift.evaluation.ratios import RatioSearch, largest_best, shared_ratio
from termsift.evaluation.splits import (
    Division,
    Fold,
    Split,
    checked_part,
    held_out,
    repeated_folds,
    stratified_folds,
    time_windows,
    with_blocks,
)
from termsift.evaluation.win_analysis import (
    best_pairs,
    best_sizes,
    win_rates,
    method_differences,
    gaps,
    pairs,
    residual_wins,
)

__all__ = [
    "GOALS",
    "Average",
    "BreakEven",
    "Confusion",
    "Division",
    "Fold",
    "Goal",
    "Judgement",
    "RatioSearch",
    "TestResult",
    "Split",
    "accuracy",
    "best_pairs",
    "best_sizes",
    "break_even",
    "break_even_counts",
    "break_even_f1",
    "win_rates",
    "checked_part",
    "corrected_resampled_t",
    "decisions",
    "method_differences",
    "f1",
    "f_beta",
    "gaps",
    "goals_from",
    "held_out",
    "holm",
    "indicator",
    "judged",
    "largest_best",
    "paired_t",
    "pairs",
    "precision",
    "recall",
    "repeated_folds",
    "residual_wins",
    "shared_break_even_counts",
    "shared_ratio",
    "stratified_folds",
    "t_of_mean",
    "time_windows",
    "wilcoxon",
    "with_blocks",
]
