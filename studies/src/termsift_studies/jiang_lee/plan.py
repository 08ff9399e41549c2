"""Plans of the paper's study and of its interpretations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from termsift._internal.typing import Array
from termsift.corpora import DataDir, file_checksum, find_entry
from termsift.engines import Documents
from termsift_studies.jiang_lee.interpretations import INTERPRETATIONS, OWN, interpretation_tables
from termsift_studies.jiang_lee.results import jiang_tables
from termsift_studies.jiang_lee.trials import (
    COLUMNS,
    SIZES,
    SPLITS,
    JiangInterpretation,
    interpretation_fold,
    newsgroups,
    published_vocabulary,
    random_third,
    reuters,
    split_rows,
)
from termsift_studies.study import Row, StudyPlan

QUICK = (2, 10, 50, 200)
EVERY = 10
QUICK_INTERPRETATIONS = {"reuters10": (OWN, "right with any class")}


def jiang_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan five splits of 20 Newsgroups and ten classes of Reuters; quick: one split of every tenth post."""
    sizes, splits, every = (QUICK, 1, EVERY) if quick else (SIZES, SPLITS, 1)
    posts, _ = newsgroups(data_dir, JiangInterpretation(), every)
    units = {
        f"20news-{split}": partial(plain_rows, "20news", posts, random_third(len(posts), split), split, sizes)
        for split in range(splits)
    }
    units["reuters10"] = partial(plain_rows, "reuters10", *reuters(data_dir, JiangInterpretation()), 0, sizes)
    settings = checksums("the number of the split", data_dir)
    return StudyPlan(settings, COLUMNS, units, jiang_tables)


def jiang_interpretations_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan one split for most interpretations and five for some; quick: two on Reuters."""
    interpretations: Mapping[str, Iterable[str]] = QUICK_INTERPRETATIONS if quick else INTERPRETATIONS
    sizes = QUICK if quick else SIZES
    units = {
        unit_name(corpus, name, split): partial(interpretation_rows, corpus, name, data_dir, split, sizes)
        for corpus, names in interpretations.items()
        for name in names
        for split in range(INTERPRETATIONS[corpus][name].splits if corpus == "20news" else 1)
    }
    settings = checksums("the number of the split", data_dir)
    return StudyPlan(settings, ("interpretation", *COLUMNS), units, interpretation_tables)


def unit_name(corpus: str, interpretation: str, split: int) -> str:
    """Return the name of a unit, of letters, digits and hyphens."""
    return "-".join([corpus, *re.findall(r"\w+", interpretation), str(split)])


def checksums(seed: str, data_dir: DataDir) -> dict[str, str]:
    """Return the seed and the checksums of the corpora, for the provenance."""
    entries = {name: find_entry(name) for name in ("20news", "reuters21578")}
    files = {name: entry.path(data_dir) for name, entry in entries.items()}
    return {"seed": seed} | {f"checksum of {name}": file_checksum(path) for name, path in files.items()}


def plain_rows(
    corpus: str, documents: Documents, is_test: Array, split: int, sizes: Sequence[int]
) -> list[Row]:
    """Return the rows of a split under the main interpretation."""
    interpretation = JiangInterpretation()
    fold = interpretation_fold(documents, is_test, published_vocabulary(corpus), interpretation)
    return split_rows(corpus, split, fold, sizes, interpretation)


def interpretation_rows(
    corpus: str, name: str, data_dir: DataDir, split: int, sizes: Sequence[int]
) -> list[Row]:
    """Return the rows of a split under an interpretation."""
    interpretation = INTERPRETATIONS[corpus][name].interpretation
    documents, is_test = (newsgroups if corpus == "20news" else reuters)(data_dir, interpretation)
    if corpus == "20news":
        is_test = random_third(len(documents), split)
    fold = interpretation_fold(documents, is_test, published_vocabulary(corpus), interpretation)
    return [{"interpretation": name} | row for row in split_rows(corpus, split, fold, sizes, interpretation)]
