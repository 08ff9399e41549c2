"""Engines turn a corpus into counts, a folder each: memory, files, Spark. They alone touch documents."""

from __future__ import annotations

from termsift.engines.documents import Documents, check_labels, ones_of
from termsift.engines.inputs import (
    LabelledInput,
    check_reading,
    count,
    is_corpus,
    is_spark,
    labelled_documents,
    names_files,
    reading_options,
    warn_of_missing,
)
from termsift.engines.matrices import as_rows, as_weights, column_names, count_matrix
from termsift.engines.permutation import score
from termsift.engines.sampling import SampleBound, SampleFacts, sample_bound
from termsift.engines.texts import by_row, checked_texts, frame_documents, is_unread

__all__ = [
    "Documents",
    "LabelledInput",
    "SampleBound",
    "SampleFacts",
    "as_rows",
    "as_weights",
    "by_row",
    "check_labels",
    "check_reading",
    "checked_texts",
    "column_names",
    "count",
    "count_matrix",
    "frame_documents",
    "is_corpus",
    "is_spark",
    "is_unread",
    "labelled_documents",
    "names_files",
    "ones_of",
    "reading_options",
    "sample_bound",
    "score",
    "warn_of_missing",
]
