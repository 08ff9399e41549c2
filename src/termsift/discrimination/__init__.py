"""Maximum discrimination (Tang, Kay and He 2016): terms that together best separate the classes.

>>> from termsift import count
>>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
>>> divergences(counts, greedy_ranking(counts)).round(4)
array([0.261 , 0.4117, 0.431 , 0.431 ])
"""

from __future__ import annotations

from termsift.discrimination.divergence import divergences, jmh_divergence
from termsift.discrimination.greedy import greedy_ranking

__all__ = ["divergences", "greedy_ranking", "jmh_divergence"]
