"""Small corpora with a known truth, for comparisons."""

from __future__ import annotations

import numpy as np

TOPICS = {
    "sea": ("ship", "harbour", "sailor", "anchor", "tide", "wave"),
    "farm": ("cow", "barn", "harvest", "plough", "wheat", "tractor"),
    "court": ("judge", "jury", "verdict", "lawyer", "appeal", "trial"),
}
COMMON = tuple(f"word{i}" for i in range(60))


def topical(n: int, seed: int = 0, classes: tuple[str, ...] = tuple(TOPICS)) -> tuple[list[str], list[str]]:
    """n texts of each class: common words, and two of its own or now and then of another."""
    lot = np.random.default_rng(seed)
    texts, labels = [], []
    for name in classes:
        for _ in range(n):
            own = name if lot.random() < 0.85 else str(lot.choice(classes))
            words = [*lot.choice(COMMON, 8), *lot.choice(TOPICS[own], 2)]
            texts.append(" ".join(words))
            labels.append(name)
    return texts, labels


def several(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """n texts, each of none to three classes, with a word of each."""
    lot = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        names = [name for name in TOPICS if lot.random() < 0.4]
        words = [*lot.choice(COMMON, 6), *(w for name in names for w in lot.choice(TOPICS[name], 2))]
        texts.append(" ".join(words))
        labels.append(names)
    return texts, labels


def noise(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of many rare words, and labels that have nothing to do with them."""
    lot = np.random.default_rng(seed)
    texts = [" ".join(f"noise{i}" for i in lot.integers(0, 3000, 30)) for _ in range(n)]
    return texts, ["a" if i % 2 else "b" for i in range(n)]


def authored(authors: int = 40, each: int = 15, seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Texts of authors who write words of their own and are always of one class: who wrote it gives it away.

    The other words say nothing, so that of an author nobody has read the class is a guess.
    """
    lot = np.random.default_rng(seed)
    texts, labels, names = [], [], []
    for author in range(authors):
        for _ in range(each):
            own = [f"habit{author}x{word}" for word in lot.integers(0, 3, 3)]
            texts.append(" ".join([*lot.choice(COMMON, 12), *own]))
            labels.append(("for", "against")[author % 2])
            names.append(f"author {author}")
    return texts, labels, names


def selected_terms(fitted):
    """The selected terms of a fitted candidate, best first."""
    return fitted.documents.terms[fitted.columns].tolist()
