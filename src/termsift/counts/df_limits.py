"""The fewest and the most documents that a term may be in, as numbers or as shares of all documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import MAX_EXACT, Array


def resolve_df_limits(documents: float, min_df: Any, max_df: Any) -> tuple[float, float]:
    """The fewest and the most documents that a term may be in; 0 and infinity where there is no limit."""
    low, high = resolve_df_limit("min_df", min_df, documents), resolve_df_limit("max_df", max_df, documents)
    # of weights, and of columns that no document has, a df may be below 1: 1 is no limit
    low = low if is_proportion(min_df) or min_df > 1 else 0
    high = np.inf if is_proportion(max_df) and max_df == 1 else high
    if low > high:
        raise InvalidInputError(
            f"min_df={min_df} is more documents than max_df={max_df}: no term could remain"
        )
    return low, high


def explain_empty_vocabulary(term_df: Array, documents: float, min_df: Any, max_df: Any) -> str:
    """Why limits leave no term, in a sentence; term_df : (terms,) the documents of each."""
    low, high = resolve_df_limits(documents, min_df, max_df)
    most, fewest = (float(end) for end in (term_df.max(), term_df.min()))
    if most < low:
        return (
            f"min_df={min_df} leaves no term of {len(term_df):,}; the most frequent is in {most:,g} documents"
        )
    if fewest > high:
        return f"max_df={max_df} leaves no term of {len(term_df):,}; the rarest is in {fewest:,g} documents"
    return f"min_df={min_df} and max_df={max_df} leave no term of {len(term_df):,}"


def resolve_df_limit(name: str, value: Any, documents: float) -> float:
    """A number of documents, or a share of them."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
        raise InvalidInputError(
            f"{name} must be a number of documents or a share from 0.0 to 1.0, got {value!r}"
        )
    # there are no more documents than that, and Python's numbers can be longer than floats
    return float(value) * documents if is_proportion(value) else float(min(value, MAX_EXACT))


def is_proportion(value: Any) -> bool:
    """Whether a limit is a share of the documents rather than a number of them."""
    return isinstance(value, float | np.floating) and bool(value <= 1)
