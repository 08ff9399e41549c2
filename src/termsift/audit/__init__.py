"""What is wrong with labelled data, before anybody trains on it.

The package is callable: `termsift.audit(texts, labels)` gives an `Audit`.
"""

from termsift._typing import make_callable
from termsift.audit.auditing import audit
from termsift.audit.findings import CHECKS, Audit, Finding

__all__ = ["CHECKS", "Audit", "Finding", "audit"]

make_callable(__name__, audit)
