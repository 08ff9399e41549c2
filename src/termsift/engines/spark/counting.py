"""Counts of a Spark DataFrame, in one job: partial sums on the partitions, one groupBy, an Arrow table."""

from __future__ import annotations

from typing import Any

from termsift.counts import Counts
from termsift.engines.spark.cluster_sums import cluster_sums, limited_sums
from termsift.engines.spark.faults import clear_faults
from termsift.engines.spark.row_counts import row_counts


def count_spark(frame: Any, *, min_df: float = 1, max_df: float = 1.0, **reading: Any) -> Counts:
    """Counts of a Spark DataFrame; the cluster adds them up, and the driver receives the sums alone.

    Parameters
    ----------
    frame : a Spark DataFrame, classic or Connect
    min_df, max_df : terms in fewer documents, or in more, stay on the cluster
    reading : text and label, its columns (labels are scalars or arrays of them);
        sample_weight, the column of what each document counts for;
        memory, the bytes that the sums of a partition may take before they leave the worker;
        analyzer, on_missing and separator, as for files

    """
    sums = cluster_sums(frame, **reading)
    with clear_faults(), limited_sums(sums, min_df, max_df) as limited:
        table = limited.collected()
    return row_counts(table, sums.job).with_df(min_df, max_df)
