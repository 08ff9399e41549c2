"""Which metric to trust and how many terms to keep, for labelled documents of one's own.

The package is callable: `termsift.compare(texts, labels)` gives a `Comparison`.
"""

from termsift.callable_modules import make_callable
from termsift.compare.comparing import compare
from termsift.compare.comparison import Comparison

__all__ = ["Comparison", "compare"]

make_callable(__name__, compare)
