"""Engines turn a corpus into counts, a folder each: memory, files, Spark. They alone touch documents."""

from __future__ import annotations

from termsift.engines.documents import Documents, check_labels, binarize_rows
from termsift.engines.inputs import (
    LabelledInput,
    check_count_options,
    count,
    is_corpus,
    is_spark,
    load_documents,
    is_path_input,
    validate_read_options,
    warn_missing_rows,
)
from termsift.engines.matrices import as_csr, as_weights, column_names, count_matrix
from termsift.engines.permutation import score
from termsift.engines.sampling import SampleLimit, SampleFacts, choose_sample_limit
from termsift.engines.texts import document_term_matrix, validate_texts, load_frame_documents, is_lazy_frame

__all__ = [
    "Documents",
    "LabelledInput",
    "SampleLimit",
    "SampleFacts",
    "as_csr",
    "as_weights",
    "document_term_matrix",
    "check_labels",
    "check_count_options",
    "validate_texts",
    "column_names",
    "count",
    "count_matrix",
    "load_frame_documents",
    "is_corpus",
    "is_spark",
    "is_lazy_frame",
    "load_documents",
    "is_path_input",
    "binarize_rows",
    "validate_read_options",
    "choose_sample_limit",
    "score",
    "warn_missing_rows",
]
