"""Documents that are left out of a comparison, and what is said of it."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.compare.copies import ALIKE, copied
from termsift.compare.reading import documents_without
from termsift.experiment.documents import Documents

MOST_NAMED = 10  # classes, in a sentence


def without_copies(documents: Documents) -> tuple[Documents, list[str]]:
    """The first of documents that are copies, and what was dropped, in a sentence."""
    pairs = copied(documents.rows)
    if not len(pairs):
        return documents, []
    return documents_without(documents, pairs[:, 1]), [told_copies(documents, pairs)]


def told_copies(documents: Documents, pairs: Array) -> str:
    """How many documents are copies of earlier ones, exact or near, and of which classes."""
    rows = documents.rows
    dropped = np.unique(pairs[:, 1])
    differing = abs(rows[pairs[:, 0]] - rows[pairs[:, 1]]).sum(axis=1)
    exact = len(np.unique(pairs[differing == 0, 1]))
    sizes = [
        int(np.isin(documents.labels.of(c), dropped).sum()) for c in range(len(documents.labels.classes))
    ]
    order = sorted((c for c in range(len(sizes)) if sizes[c]), key=lambda c: -sizes[c])
    more = f" and {len(order) - MOST_NAMED} more classes" if len(order) > MOST_NAMED else ""
    named = ", ".join(f"{documents.labels.classes[c]} {sizes[c]:,}" for c in order[:MOST_NAMED]) + more
    return (
        f"Of {len(documents):,} documents {len(dropped):,} were dropped as copies of earlier ones, "
        f"{exact:,} exact and {len(dropped) - exact:,} near (at least {ALIKE:.0%} of the terms in common): "
        f"{named}."
    )
