"""What one corpus says more than another: two corpora, each a class, and a page of them."""

from termsift.differences.difference import Difference
from termsift.differences.two_corpora import diff

__all__ = ["Difference", "diff"]
