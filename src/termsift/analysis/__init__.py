"""Find problems in labelled data before training on it.

The module is callable: `termsift.audit(texts, labels)` returns an `Audit`.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.analysis.checks import audit as audit
from termsift.analysis.checks import audit_inputs as audit_inputs
from termsift.analysis.contexts import concordance as concordance
from termsift.analysis.contexts import format_concordance as format_concordance
from termsift.analysis.detectors import find_class_name_leaks as find_class_name_leaks
from termsift.analysis.detectors import find_leaking_tokens as find_leaking_tokens
from termsift.analysis.differences import Difference as Difference
from termsift.analysis.differences import diff as diff
from termsift.analysis.differences import format_significant_terms as format_significant_terms
from termsift.analysis.differences import is_word_list_file as is_word_list_file
from termsift.analysis.findings import CHECKS as CHECKS
from termsift.analysis.findings import Audit as Audit
from termsift.analysis.findings import Finding as Finding
from termsift.analysis.findings import parse_checks as parse_checks
from termsift.analysis.tokens import keyness as keyness

make_callable(__name__, audit)
