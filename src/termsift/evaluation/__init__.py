"""Evaluation of predictions, and of which method is best.

Measures of one-vs-rest decisions, break-even points, win rates, significance of differences.

>>> confusion = Confusion.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.confusion import Average, Confusion
from termsift.evaluation.goals import FoldResult, Goal, evaluate_classifier, parse_goals
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
    t_test_mean,
    wilcoxon,
)
from termsift.evaluation.ratios import RatioSearch
from termsift.evaluation.splits import (
    Division,
    Fold,
    Split,
    add_blocks,
    assign_stratified_folds,
    holdout_split,
    k_fold_split,
    select_rows,
    time_window_split,
)
from termsift.evaluation.win_analysis import (
    best_pairs,
    best_sizes,
    gaps_to_best,
    method_differences,
    pairs,
    read_columns,
    residual_wins,
    win_rates,
)

__all__ = [
    "Average",
    "BreakEven",
    "Confusion",
    "Division",
    "Fold",
    "FoldResult",
    "Goal",
    "RatioSearch",
    "Split",
    "TestResult",
    "accuracy",
    "add_blocks",
    "assign_stratified_folds",
    "best_pairs",
    "best_sizes",
    "break_even",
    "break_even_counts",
    "break_even_f1",
    "corrected_resampled_t",
    "evaluate_classifier",
    "f1",
    "f_beta",
    "gaps_to_best",
    "holdout_split",
    "holm",
    "k_fold_split",
    "method_differences",
    "paired_t",
    "pairs",
    "parse_goals",
    "precision",
    "read_columns",
    "recall",
    "residual_wins",
    "select_rows",
    "shared_break_even_counts",
    "t_test_mean",
    "time_window_split",
    "wilcoxon",
    "win_rates",
]
