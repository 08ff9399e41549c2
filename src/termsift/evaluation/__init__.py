"""How good predictions are: measures of one-vs-rest decisions.

>>> confusion = Confusion.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> round(confusion.macro.f1, 3)
0.667
"""

from __future__ import annotations

from termsift.evaluation.confusion import Average, Confusion
from termsift.evaluation.measures import accuracy, f1, f_beta, precision, recall

__all__ = [
    "Average",
    "Confusion",
    "accuracy",
    "f1",
    "f_beta",
    "precision",
    "recall",
]
