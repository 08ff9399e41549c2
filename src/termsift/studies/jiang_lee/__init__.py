"""Jiang and Lee, "A weight-based feature extraction approach for text classification".

How the paper was read where it is silent is in `problems.py`; `readings.py` runs other ways to read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from termsift.corpora.entry import DataDir
from termsift.studies.jiang_lee.problems import SPLITS, Counted, Reading, newsgroups, reuters, split_of
from termsift.studies.jiang_lee.tables import tables
from termsift.studies.jiang_lee.trials import COLUMNS, SIZES, Row, results_of
from termsift.studies.plan import Study

QUICK = (2, 10, 50, 200)
EVERY = 10


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """Five splits of 20 Newsgroups and the ten classes of Reuters; quick, one of every tenth post."""
    sizes, splits, every = (QUICK, 1, EVERY) if quick else (SIZES, SPLITS, 1)
    posts, stories = newsgroups(data_dir, Reading(), every), reuters(data_dir, Reading())
    units = {f"20news-{split}": partial(results, "20news", posts, split, sizes) for split in range(splits)}
    units["reuters10"] = partial(results, "reuters10", stories, 0, sizes)
    settings = {
        "seed": "the number of the split",
        "checksum of 20news": posts.checksum,
        "checksum of reuters21578": stories.checksum,
    }
    return Study("jiang-lee quick" if quick else "jiang-lee", settings, COLUMNS, units, tables)


def results(corpus: str, whole: Counted, split: int, sizes: Sequence[int]) -> list[Row]:
    """The rows of a split."""
    return results_of(corpus, split, split_of(whole, split, Reading()), sizes)
