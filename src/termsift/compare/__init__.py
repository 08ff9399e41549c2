"""Find which metric to use and how many terms to keep, for your own labelled documents.

The module is callable: `termsift.compare(texts, labels)` returns a `Comparison`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.compare.comparison import Comparison
from termsift.compare.documents import compared_documents
from termsift.compare.final_model import check_folder, how_to_use
from termsift.compare.run import compare

make_callable(__name__, compare)

__all__ = ["Comparison", "check_folder", "compare", "compared_documents", "how_to_use"]
