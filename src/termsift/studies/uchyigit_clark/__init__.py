"""Uchyigit and Clark (2007), "GU metric: a new feature selection algorithm for text categorization".

How the paper was read where it is silent is in `posts.py`; docs/uchyigit-clark.md says why.
"""

from __future__ import annotations

from functools import partial

from termsift.corpora.entry import DataDir
from termsift.studies.plan import Study
from termsift.studies.uchyigit_clark.posts import Reading, posts
from termsift.studies.uchyigit_clark.tables import tables
from termsift.studies.uchyigit_clark.trials import COLUMNS, results_of

SPLITS = 5
# the paper prints one formula and two words for its vocabulary
VOCABULARIES = {"selected words": Reading(), "all words": Reading(all_words=True)}
QUICK = ("alt.atheism", "comp.graphics", "sci.space")


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of 20 groups in five splits; quick, of three groups in one."""
    groups, splits = (QUICK, 1) if quick else (None, SPLITS)
    units = {
        f"{name.split()[0]}-{number}": partial(results_of, name, reading, number, data_dir, groups)
        for number in range(splits)
        for name, reading in VOCABULARIES.items()
    }
    return Study(
        "uchyigit-clark quick" if quick else "uchyigit-clark", settings(data_dir), COLUMNS, units, tables
    )


def settings(data_dir: DataDir) -> dict[str, str]:
    """What the results depend on."""
    checksum = posts(Reading().words, data_dir).checksum
    return {"corpus": "20news", "checksum of the corpus": checksum, "seed": "the number of the split"}
