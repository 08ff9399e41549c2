"""Engines turn a corpus into counts, a folder each: memory, files, Spark. They alone touch documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termsift.engines.documents import (
    Documents,
    SampleFacts,
    SampleLimit,
    binarize_rows,
    check_labels,
    choose_sample_limit,
    find_full_forms,
    warn_numeric_labels,
)
from termsift.engines.duplicates import (
    MIN_NEAR_DUPLICATE_TERMS,
    NEAR_DUPLICATE_SIMILARITY,
    count_document_rows,
    drop_duplicate_documents,
    find_duplicate_pairs,
    find_terms_of_duplicates,
    jaccard_similarities,
)
from termsift.engines.inputs import (
    LabelledInput,
    check_count_options,
    count,
    is_corpus,
    is_path_input,
    is_spark,
    load_documents,
    validate_read_options,
)
from termsift.engines.matrices import as_csr, as_weights, column_names, count_matrix
from termsift.engines.texts import (
    document_term_matrix,
    is_lazy_frame,
    is_token_list,
    load_frame_documents,
    resolve_analyzer,
    validate_texts,
)
from termsift.engines.vocabulary import TermCounter, VocabularyIndex, build_vocabulary, index_vocabulary

if TYPE_CHECKING:
    from termsift.engines.permutation import score as score

__all__ = [
    "MIN_NEAR_DUPLICATE_TERMS",
    "NEAR_DUPLICATE_SIMILARITY",
    "Documents",
    "LabelledInput",
    "SampleFacts",
    "SampleLimit",
    "TermCounter",
    "VocabularyIndex",
    "as_csr",
    "as_weights",
    "binarize_rows",
    "build_vocabulary",
    "check_count_options",
    "check_labels",
    "choose_sample_limit",
    "column_names",
    "count",
    "count_document_rows",
    "count_matrix",
    "document_term_matrix",
    "drop_duplicate_documents",
    "find_duplicate_pairs",
    "find_full_forms",
    "find_terms_of_duplicates",
    "index_vocabulary",
    "is_corpus",
    "is_lazy_frame",
    "is_path_input",
    "is_spark",
    "is_token_list",
    "jaccard_similarities",
    "load_documents",
    "load_frame_documents",
    "resolve_analyzer",
    "score",
    "validate_read_options",
    "validate_texts",
    "warn_numeric_labels",
]


def __getattr__(name: str) -> Any:
    if name == "score":
        from termsift.engines.permutation import score  # imports the metrics, which models do not need

        return score
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
