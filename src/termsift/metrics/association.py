"""Whether a term and a class go together more than by chance, with p-values where the chance is known."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from termsift._typing import Array
from termsift.contingency import Cells, ratio
from termsift.metrics.information import g2
from termsift.metrics.tail import log_upper_tail


def chi2(cells: Cells) -> Array:
    """Pearson's chi-squared of the 2x2 table: N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D)), 0 for an empty margin.

    scikit-learn's chi2 leaves out the documents without the term:
    on binary data with two classes it is this times (1 - df/N).
    Zheng, Wu and Srihari (2004), section 2.

    >>> print(chi2(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    16.6667
    """
    return cc(cells) ** 2


def cc(cells: Cells) -> Array:
    """The correlation coefficient, the signed root of chi2: sqrt(N) (AD - BC) / sqrt((A+B)(C+D)(A+C)(B+D)).

    Zheng, Wu and Srihari (2004), section 2; the NGL coefficient of Uchyigit and Clark.
    """
    margins = np.sqrt(cells.df * (cells.fn + cells.tn)) * np.sqrt(cells.pos * cells.neg)
    return ratio(np.sqrt(cells.documents) * cells.lean, margins)


def gss(cells: Cells) -> Array:
    """The simplified chi-squared: (AD - BC) / N^2. Tang, Kay and He (2016), equation 10."""
    return ratio(cells.lean, cells.documents**2)


def gu(cells: Cells, *, printed: bool = False) -> Array:
    """The GU metric: abs(z) A neg / (pos B), z of the difference of two proportions; B = 0 counts as half.

    printed=True takes z with raw counts, as the paper's formula has it; the text speaks of proportions.
    Uchyigit and Clark, section 2.
    """
    difference = cells.tp - cells.fp if printed else cells.tpr - cells.fpr
    p = ratio(cells.df, cells.documents)
    spread = p * (1 - p) * ratio(cells.documents, cells.pos * cells.neg)
    z = ratio(difference, np.sqrt(np.maximum(spread, 0)))
    outside = np.where(cells.fp == 0, 0.5, cells.fp)
    return cells.or_zero(np.abs(z) * ratio(cells.tp * cells.neg, cells.pos * outside))


def hypergeometric(cells: Cells) -> Array:
    """Enrichment: -log10 of the chance to draw at least A documents of the class among the A + B.

    The upper tail of the hypergeometric distribution, computed in logarithms, so it is never infinite.
    """
    return cells.or_zero(np.maximum(-log_upper_tail(cells) / np.log(10), 0))


def chi2_p(cells: Cells) -> Array:
    """The chance of a chi2 at least as large, were term and class independent. cc and gu's z share it."""
    return chdtrc(1, chi2(cells))


def g2_p(cells: Cells) -> Array:
    """The chance of a g2 at least as large, were term and class independent."""
    return chdtrc(1, g2(cells))


def hypergeometric_p(cells: Cells) -> Array:
    """The upper tail itself."""
    return 10.0 ** -hypergeometric(cells)
