"""What is missing is skipped with its reason, or is a failure."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip with the reason; a failure where TERMSIFT_NO_SKIPS says that nothing may be missing."""
    if os.environ.get("TERMSIFT_NO_SKIPS"):
        pytest.fail(f"would have been skipped: {reason}")
    pytest.skip(reason)
