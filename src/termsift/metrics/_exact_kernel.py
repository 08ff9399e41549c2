"""Compiled kernels of the exact test."""

from __future__ import annotations

from termsift._internal.kernels import njit
from termsift.metrics import significance

fill_hypergeometric = njit(cache=True, nogil=True)(significance.fill_hypergeometric)
fill_two_sided = njit(cache=True, nogil=True)(significance.fill_two_sided)
fill_low_p_values = njit(cache=True, nogil=True)(significance.fill_low_p_values)
fill_p_values = njit(cache=True, nogil=True)(significance.fill_p_values)
