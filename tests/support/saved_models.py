"""Small models, saved to a folder, and the documents they are of."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import termsift as ts

TOPICS = {
    "cook": "soup bread cheese spoon pan salt oven dough tea",
    "motor": "wheel oil brake piston road diesel gear tyre car",
    "plant": "bed rose earth root water hedge bloom seed tree",
}
COMMON = ["the", "day", "is", "long", "and", "we", "see", "it", "again"]


@lru_cache(maxsize=2)
def topic_texts(several: bool = False) -> tuple[list[str], list[Any]]:
    """Texts of three topics with common words, and their labels: one each, or one to two."""
    lot = random.Random(0)
    names = list(TOPICS)
    texts, labels = [], []
    for i in range(120):
        own = [names[i % 3], *([names[(i + 1) % 3]] if several and i % 2 else [])]
        words = [word for name in own for word in lot.choices(TOPICS[name].split(), k=3)]
        other = lot.choices(TOPICS[lot.choice(names)].split(), k=1)
        texts.append(" ".join(lot.sample(words + other + lot.choices(COMMON, k=4), len(words) + 5)))
        labels.append(own if several else own[0])
    return texts, labels


def compared(
    classifier: Any, *, several: bool = False, two: bool = False, **options: Any
) -> ts.compare.Comparison:
    """A short comparison: one method, one classifier."""
    texts, labels = topic_texts(several)
    if two:
        labels = ["cook" if name == "cook" else "rest" for name in labels]
    given = {"metrics": "ig", "k": [12], "folds": 2, "repeats": 1} | options
    return ts.compare(texts, labels, classifiers=[classifier], **given)


def saved(folder: Path, classifier: Any = "svm", **options: Any) -> ts.Model:
    """A model that was saved to a folder and loaded from it."""
    compared(classifier, **options).save(folder)
    return ts.load_model(folder)
