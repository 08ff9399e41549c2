"""What Spark does with the rows of partitions, without Spark: a groupBy, and rows sent by their term."""

from __future__ import annotations

import zlib
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from termsift.engines.spark.partition import SUM_COLUMNS


def cut(table, edges):
    """A table as partitions, lists of Arrow batches, cut at the edges."""
    places = [0, *sorted(edge % (len(table) + 1) for edge in edges), len(table)]
    return [table.slice(a, b - a).to_batches(max_chunksize=2) for a, b in pairwise(places)]


def added_rows(partitions, job):
    """The rows of all partitions, added up."""
    rows = pa.Table.from_batches([batch for part in partitions for batch in job(iter(part))])
    keys = [name for name in rows.column_names if name not in SUM_COLUMNS]
    sums = rows.group_by(keys).aggregate([(name, "sum") for name in SUM_COLUMNS])
    return sums.rename_columns([name.removesuffix("_sum") for name in sums.column_names])


def by_term(rows, n):
    """The rows that have a term in n partitions by their term, each sorted by it."""
    rows = rows.filter(pc.is_valid(rows["term"])).sort_by("term")
    place = pa.array([zlib.crc32(term.encode()) % n for term in rows["term"].to_pylist()], pa.int64())
    return [rows.filter(pc.equal(place, i)).to_batches(max_chunksize=50) for i in range(n)]
