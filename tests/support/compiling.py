"""Compile the kernels: `python tests/support/compiling.py`, before processes share them.

Each process would compile for itself what is not in the cache yet, and coverage would trace it.
"""

from __future__ import annotations

from termsift.cli.commands import compile_all_kernels, compile_text_kernels

__all__ = ["compile_all_kernels", "compile_text_kernels"]

if __name__ == "__main__":
    compile_all_kernels()
