"""The order of terms, ties included, rankings, and lists in which n-grams that say the same are one line."""

from termsift.ranking.ngrams import first_lines, of_characters, without_parts
from termsift.ranking.order import (
    Ranking,
    best,
    best_by_column,
    best_of_rows,
    code_point_rank,
    distinct,
    interleaved,
    ordered,
    turns,
)

__all__ = [
    "Ranking", "best", "best_by_column", "best_of_rows", "code_point_rank", "distinct", "first_lines",
    "interleaved", "of_characters", "ordered", "turns", "without_parts",
]  # fmt: skip
