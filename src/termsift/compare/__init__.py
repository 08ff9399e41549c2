"""Comparison of metrics, numbers of terms and classifiers on labelled documents.

The module is callable: `termsift.compare(texts, labels)` returns a `Comparison`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.compare.comparison import Comparison as Comparison
from termsift.compare.document_methods import select_from_documents as select_from_documents
from termsift.compare.documents import prepare_documents as prepare_documents
from termsift.compare.final_model import format_usage as format_usage
from termsift.compare.problem_tables import Benchmark as Benchmark
from termsift.compare.problems import benchmark as benchmark
from termsift.compare.results import format_summary as format_summary
from termsift.compare.run import compare as compare

make_callable(__name__, compare)
