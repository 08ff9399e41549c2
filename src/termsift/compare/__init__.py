"""Find which metric to use and how many terms to keep, for your own labelled documents.

The module is callable: `termsift.compare(texts, labels)` returns a `Comparison`.
"""

from termsift._typing import make_callable
from termsift.compare.comparing import compare
from termsift.compare.comparison import Comparison

__all__ = ["Comparison", "compare"]

make_callable(__name__, compare)
