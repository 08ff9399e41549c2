"""Two years of a made corpus, between which one thing has changed."""

from __future__ import annotations

import numpy as np

WORDS = [f"w{number:03}" for number in range(400)]


def year(rng: np.random.Generator, documents: int, extra: dict[str, float]) -> list[str]:
    """Documents of common and rare words, each of some further words with a chance of its own."""
    chance = 0.5 / (1 + np.arange(len(WORDS)) / 8)
    texts = []
    for _ in range(documents):
        held = [word for word, drawn in zip(WORDS, rng.random(len(WORDS)) < chance, strict=True) if drawn]
        held += [word for word, share in extra.items() if rng.random() < share]
        texts.append(" ".join(held))
    return texts


def two_years(documents: int = 400, seed: int = 7) -> tuple[list[str], list[str]]:
    """The new year, in which "outage" has come and "fax" has gone, and the old one."""
    rng = np.random.default_rng(seed)
    return year(rng, documents, {"outage": 0.08, "fax": 0.01}), year(
        rng, documents, {"outage": 0.01, "fax": 0.08}
    )
