"""Chance: what a metric would say of each term if the labels said nothing.

Given N documents, a term in df of them and a class of pos, the documents of the class that hold the term are
then hypergeometric. A score that follows from the 2x2 cells follows from that one number, so its distribution
is exact, and comes from counts alone; of other scores shuffled labels tell.
"""

from termsift.chance.drawing import Draws, Null, has_whole_documents, reached
from termsift.chance.floors import Margins, chance_floor, chance_number, check_expected
from termsift.chance.shuffled import Shuffled, best_scores
from termsift.chance.tails import adjusted, adjusted_distinct, p_values

__all__ = [
    "Draws", "Margins", "Null", "Shuffled", "adjusted", "adjusted_distinct", "best_scores", "chance_floor",
    "chance_number", "check_expected", "has_whole_documents", "p_values", "reached",
]  # fmt: skip
