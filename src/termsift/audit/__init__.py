"""Find problems in labelled data before training on it.

The module is callable: `termsift.audit(texts, labels)` returns an `Audit`.
"""

from termsift._typing import make_callable
from termsift.audit.auditing import audit
from termsift.audit.findings import CHECKS, Audit, Finding

__all__ = ["CHECKS", "Audit", "Finding", "audit"]

make_callable(__name__, audit)
