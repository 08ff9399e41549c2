"""Find problems in labelled data before training on it.

The module is callable: `termsift.audit(texts, labels)` returns an `Audit`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.analysis.checks import audit, audit_inputs
from termsift.analysis.contexts import concordance, format_concordance
from termsift.analysis.detectors import find_class_name_leaks, find_leaking_tokens
from termsift.analysis.differences import Difference, diff, format_significant_terms, is_word_list
from termsift.analysis.findings import CHECKS, Audit, Finding, parse_checks
from termsift.analysis.tokens import keyness

make_callable(__name__, audit)

__all__ = [
    "CHECKS",
    "Audit",
    "Difference",
    "Finding",
    "audit",
    "audit_inputs",
    "concordance",
    "diff",
    "find_class_name_leaks",
    "find_leaking_tokens",
    "format_concordance",
    "format_significant_terms",
    "is_word_list",
    "keyness",
    "parse_checks",
]
