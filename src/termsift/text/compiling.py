"""A word to who waits: the first call on a machine compiles the loops, and keeps them."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any


@cache
def announce() -> None:
    """Say on stderr, once, that loops are being compiled, where they are not kept from an earlier time."""
    from termsift.text import _scan_kernel

    if not is_kept(_scan_kernel.scan):
        print(
            "termsift: compiling its loops for this machine, once; this takes some seconds", file=sys.stderr
        )


def is_kept(dispatcher: Any) -> bool:
    """Whether numba has the compiled function on disk; where it does not say, yes."""
    kept = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    path = getattr(kept, "_index_path", None)
    return path is None or os.path.exists(path)
