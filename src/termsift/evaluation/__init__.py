"""Evaluation of predictions, and of which method is best.

Measures of one-vs-rest decisions, break-even points, win rates, significance of differences.

>>> confusion = Confusion.from_labels(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.confusion import Average as Average
from termsift.evaluation.confusion import Confusion as Confusion
from termsift.evaluation.goals import FoldResult as FoldResult
from termsift.evaluation.goals import Goal as Goal
from termsift.evaluation.goals import evaluate_classifier as evaluate_classifier
from termsift.evaluation.goals import parse_goals as parse_goals
from termsift.evaluation.measures import BreakEven as BreakEven
from termsift.evaluation.measures import accuracy as accuracy
from termsift.evaluation.measures import break_even as break_even
from termsift.evaluation.measures import break_even_counts as break_even_counts
from termsift.evaluation.measures import break_even_f1 as break_even_f1
from termsift.evaluation.measures import f1 as f1
from termsift.evaluation.measures import f_beta as f_beta
from termsift.evaluation.measures import precision as precision
from termsift.evaluation.measures import recall as recall
from termsift.evaluation.measures import shared_break_even_counts as shared_break_even_counts
from termsift.evaluation.paired_tests import TestResult as TestResult
from termsift.evaluation.paired_tests import corrected_resampled_t as corrected_resampled_t
from termsift.evaluation.paired_tests import holm as holm
from termsift.evaluation.paired_tests import paired_t as paired_t
from termsift.evaluation.paired_tests import t_test_mean as t_test_mean
from termsift.evaluation.paired_tests import wilcoxon as wilcoxon
from termsift.evaluation.ratios import RatioSearch as RatioSearch
from termsift.evaluation.splits import Division as Division
from termsift.evaluation.splits import Fold as Fold
from termsift.evaluation.splits import Split as Split
from termsift.evaluation.splits import add_jackknife_blocks as add_jackknife_blocks
from termsift.evaluation.splits import assign_stratified_folds as assign_stratified_folds
from termsift.evaluation.splits import holdout_split as holdout_split
from termsift.evaluation.splits import k_fold_split as k_fold_split
from termsift.evaluation.splits import select_rows as select_rows
from termsift.evaluation.splits import time_window_split as time_window_split
from termsift.evaluation.win_analysis import best_pairs as best_pairs
from termsift.evaluation.win_analysis import best_sizes as best_sizes
from termsift.evaluation.win_analysis import gaps_to_best as gaps_to_best
from termsift.evaluation.win_analysis import method_differences as method_differences
from termsift.evaluation.win_analysis import pair_wins as pair_wins
from termsift.evaluation.win_analysis import read_columns as read_columns
from termsift.evaluation.win_analysis import residual_wins as residual_wins
from termsift.evaluation.win_analysis import win_rates as win_rates
