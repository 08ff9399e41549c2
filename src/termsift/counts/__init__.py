"""Counts of terms by class and group, labels, 2x2 tables, and their Parquet file."""

from __future__ import annotations

from termsift.counts.contingency import ROUNDING as ROUNDING
from termsift.counts.contingency import Block as Block
from termsift.counts.contingency import Cells as Cells
from termsift.counts.contingency import Totals as Totals
from termsift.counts.contingency import build_cells as build_cells
from termsift.counts.contingency import contrast_classes as contrast_classes
from termsift.counts.contingency import group_equal_pairs as group_equal_pairs
from termsift.counts.contingency import iter_blocks as iter_blocks
from termsift.counts.contingency import ratio as ratio
from termsift.counts.contingency import select_cells as select_cells
from termsift.counts.contingency import split_into_blocks as split_into_blocks
from termsift.counts.contingency import to_dense as to_dense
from termsift.counts.counts import Counts as Counts
from termsift.counts.counts import explain_empty_vocabulary as explain_empty_vocabulary
from termsift.counts.counts import is_counts_file as is_counts_file
from termsift.counts.counts import is_proportion as is_proportion
from termsift.counts.counts import resolve_df_limit as resolve_df_limit
from termsift.counts.counts import resolve_df_limits as resolve_df_limits
from termsift.counts.groups import GroupedCounts as GroupedCounts
from termsift.counts.groups import as_counts as as_counts
from termsift.counts.groups import check_group_number as check_group_number
from termsift.counts.groups import encode_groups as encode_groups
from termsift.counts.groups import is_grouped_file as is_grouped_file
from termsift.counts.groups import pair_labels_with_groups as pair_labels_with_groups
from termsift.counts.groups import parse_pair_name as parse_pair_name
from termsift.counts.groups import sum_columns as sum_columns
from termsift.counts.labels import Labels as Labels
from termsift.counts.labels import as_labels as as_labels
from termsift.counts.labels import as_list as as_list
from termsift.counts.labels import as_scalar as as_scalar
from termsift.counts.labels import check_no_missing_labels as check_no_missing_labels
from termsift.counts.labels import find_class_index as find_class_index
from termsift.counts.labels import frame_columns as frame_columns
from termsift.counts.labels import is_collection as is_collection
from termsift.counts.labels import is_frame as is_frame
from termsift.counts.labels import is_missing as is_missing
from termsift.counts.labels import sort_classes as sort_classes
from termsift.counts.labels import to_narwhals as to_narwhals
from termsift.counts.labels import validate_labels as validate_labels
