"""Scores: what a metric says of each term and class; the words of each class as people read them."""

from termsift.scores.class_scores import Scores
from termsift.scores.sides import SIDES, side_sign

__all__ = ["SIDES", "Scores", "side_sign"]
