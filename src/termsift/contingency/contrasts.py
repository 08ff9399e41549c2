"""Against whom: some classes of the counts set against some others, instead of one against all the rest."""

from __future__ import annotations

from typing import Any

from termsift.counts import Counts, each_class
from termsift.errors import InvalidInput


def contrast(counts: Counts, for_class: Any, against: Any = None) -> tuple[Counts, Any]:
    """The counts in which a class is told from what it is set against, and the name it has there.

    Either side is a class or a list of classes, which are then one. One class alone is set against the rest,
    and the counts stay as they are; several are set against the classes that are left.

    >>> from termsift import count
    >>> counts = count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split)
    >>> contrast(counts, "x", "y")[0].classes
    ('x', 'y')
    >>> contrast(counts, ["x", "y"])
    (Counts(3 terms, 2 classes, 3 documents), 'x + y')
    """
    if for_class is None:
        raise InvalidInput(f"for_class is missing: name the class that is set against {against!r}")
    ours = class_columns(counts, for_class)
    if against is None and len(ours) == 1:
        return counts, counts.classes[ours[0]]
    every = range(len(counts.classes))
    theirs = [c for c in every if c not in ours] if against is None else class_columns(counts, against)
    if not theirs:
        raise InvalidInput("every class is named, so that none is left to be set against")
    shared = next((counts.classes[c] for c in ours if c in theirs), None)
    if shared is not None:
        raise InvalidInput(f"class {shared!r} cannot be set against itself; name another one")
    together = len(ours) > 1 or len(theirs) > 1
    sides = [side(counts, columns, together) for columns in (ours, theirs)]
    return sides[0] + sides[1], sides[0].classes[0]


def class_columns(counts: Counts, names: Any) -> list[int]:
    """The columns of a class or of several, each once, in the order they are named."""
    return list(dict.fromkeys(counts.class_index(name) for name in each_class(names)))


def side(counts: Counts, columns: list[int], together: bool) -> Counts:
    """The documents of some classes, as one class where a side has several."""
    names = [counts.classes[c] for c in columns]
    own = counts.only(names)
    return own.as_class(" + ".join(map(str, names))) if together else own
