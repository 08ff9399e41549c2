"""Corpus: documents with their labels, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Documents, as texts or as a matrix of counts with its terms, and their labels.

    split : which part each document belongs to ("train", "test"), where the publisher says so
    """

    name: str
    labels: list[Any]
    source: str
    texts: list[str] | None = None
    matrix: Any = None
    terms: list[str] | None = None
    split: list[str] | None = None
    citation: str = ""
    terms_of_use: str = ""

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {len(self):,} documents, {len(set(self.labels))} classes)"
