"""Compile the loops: `python tests/support/compiling.py`, before processes share them.

Each process would compile for itself what is not in the cache yet, and coverage would trace it.
"""

from __future__ import annotations

from termsift.cli.commands import compile_loops, compile_text_loops

__all__ = ["compile_loops", "compile_text_loops"]

if __name__ == "__main__":
    compile_loops()
