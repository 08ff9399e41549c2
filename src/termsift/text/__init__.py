"""A document becomes terms."""

from termsift.text.analyzer import Analyzer

__all__ = ["Analyzer"]
