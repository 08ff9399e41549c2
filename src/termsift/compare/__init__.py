"""Comparison of metrics, numbers of terms and classifiers on labelled documents.

The module is callable: `termsift.compare(texts, labels)` returns a `Comparison`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.compare.comparison import Comparison
from termsift.compare.documents import prepare_documents
from termsift.compare.final_model import write_usage
from termsift.compare.run import compare

make_callable(__name__, compare)

__all__ = ["Comparison", "compare", "prepare_documents", "write_usage"]
