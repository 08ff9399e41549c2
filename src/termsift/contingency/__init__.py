"""2x2 tables of a term and a class: cells and blocks of terms, effect sizes, some classes against others."""

from termsift.contingency.cells import ROUNDING, Cells, cells_of, ratio
from termsift.contingency.term_blocks import (
    Block,
    Totals,
    blocks,
    blocks_of_part,
    dense,
    document_cells,
    token_cells,
)

__all__ = [
    "ROUNDING", "Block", "Cells", "Totals", "blocks", "blocks_of_part", "cells_of", "dense", "document_cells",
    "ratio", "token_cells",
]  # fmt: skip
