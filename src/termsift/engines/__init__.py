"""Engines turn a corpus into counts, a folder each: memory, files, Spark. They alone touch documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termsift.engines.documents import MIN_NEAR_DUPLICATE_TERMS as MIN_NEAR_DUPLICATE_TERMS
from termsift.engines.documents import NEAR_DUPLICATE_SIMILARITY as NEAR_DUPLICATE_SIMILARITY
from termsift.engines.documents import Documents as Documents
from termsift.engines.documents import SampleFacts as SampleFacts
from termsift.engines.documents import SampleLimit as SampleLimit
from termsift.engines.documents import binarize_rows as binarize_rows
from termsift.engines.documents import check_class_sizes as check_class_sizes
from termsift.engines.documents import choose_sample_limit as choose_sample_limit
from termsift.engines.documents import find_duplicate_pairs as find_duplicate_pairs
from termsift.engines.documents import find_full_forms as find_full_forms
from termsift.engines.documents import jaccard_similarities as jaccard_similarities
from termsift.engines.documents import warn_numeric_labels as warn_numeric_labels
from termsift.engines.frames import is_unloaded_frame as is_unloaded_frame
from termsift.engines.frames import load_frame_documents as load_frame_documents
from termsift.engines.inputs import LabelledInput as LabelledInput
from termsift.engines.inputs import check_count_options as check_count_options
from termsift.engines.inputs import count as count
from termsift.engines.inputs import drop_duplicate_documents as drop_duplicate_documents
from termsift.engines.inputs import find_terms_in_duplicates as find_terms_in_duplicates
from termsift.engines.inputs import is_corpus as is_corpus
from termsift.engines.inputs import is_path_input as is_path_input
from termsift.engines.inputs import is_spark as is_spark
from termsift.engines.inputs import load_documents as load_documents
from termsift.engines.inputs import validate_read_options as validate_read_options
from termsift.engines.inputs import vectorize_documents as vectorize_documents
from termsift.engines.matrices import as_csr as as_csr
from termsift.engines.matrices import column_names as column_names
from termsift.engines.matrices import count_matrix as count_matrix
from termsift.engines.matrices import weights_or_empty as weights_or_empty
from termsift.engines.texts import TermCounter as TermCounter
from termsift.engines.texts import VocabularyIndex as VocabularyIndex
from termsift.engines.texts import build_vocabulary as build_vocabulary
from termsift.engines.texts import index_vocabulary as index_vocabulary
from termsift.engines.texts import is_token_list as is_token_list
from termsift.engines.texts import resolve_analyzer as resolve_analyzer
from termsift.engines.texts import validate_texts as validate_texts
from termsift.engines.texts import vectorize as vectorize

if TYPE_CHECKING:
    from termsift.engines.permutation import score as score


def __getattr__(name: str) -> Any:
    if name == "score":
        from termsift.engines.permutation import score  # imports the metrics, which models do not need

        return score
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
