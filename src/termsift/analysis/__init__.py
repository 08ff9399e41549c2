"""Find problems in labelled data before training on it.

The module is callable: `termsift.audit(texts, labels)` returns an `Audit`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.analysis.checks import audit, audit_of
from termsift.analysis.detectors import ALIKE, copied, named, token_leaks
from termsift.analysis.findings import CHECKS, Audit, Finding, checks_from
from termsift.analysis.keyness import Difference, diff, is_word_list, under

make_callable(__name__, audit)

__all__ = [
    "ALIKE",
    "CHECKS",
    "Audit",
    "Difference",
    "Finding",
    "audit",
    "audit_of",
    "checks_from",
    "copied",
    "diff",
    "is_word_list",
    "named",
    "token_leaks",
    "under",
]
