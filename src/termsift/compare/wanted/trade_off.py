"""The trade-off of terms against the goal: what more terms buy, and where the answers are on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from termsift.compare.models import Model, documents_per_second, model_of
from termsift.compare.results import CandidateResults
from termsift.compare.wanted.wishes import USUAL_PRICE, USUAL_SIZE, Wish
from termsift.experiment.documents import Documents

MOST_FITTED = 10  # models whose speed is measured until one is quick enough


def worthwhile(results: CandidateResults) -> list[int]:
    """The lines that none of fewer or as many terms beats, by their number of terms."""
    order = np.lexsort((-results.means, np.round(results.sizes, 6)))
    found: list[int] = []
    for line in order.tolist():
        if not found or results.means[line] > results.means[found[-1]] + 1e-12:
            found.append(line)
    return found


def answers(results: CandidateResults) -> dict[str, int]:
    """The lines that answer one wish each, by its words: what was asked for, or what is usually."""
    asked = results.wish
    price = USUAL_PRICE if asked.within is None else asked.within
    size = USUAL_SIZE if asked.at_most is None else asked.at_most
    wishes = {
        "one standard error": Wish(),
        f"within {price:g}": Wish(within=price),
        f"at most {size:,} terms": Wish(at_most=size),
    }
    found = {"best": results.best}
    found |= {
        words: replace(results, wish=wish, slow=frozenset()).chosen
        for words, wish in wishes.items()
        if wish.at_most is None or results.sizes.min() <= wish.at_most
    }
    return found | ({f"at most {asked.latency:g} ms": results.chosen} if asked.latency is not None else {})


def quick_enough(
    results: CandidateResults, readings: Mapping[str, Documents], most: int, seed: int
) -> tuple[CandidateResults, list[str]]:
    """The results with lines ruled out that label too slowly; and a sentence where none is quick enough.

    The chosen line is fitted and timed, and while it is too slow, so are those of its classifier with as
    many terms.
    readings : the documents, by which terms their texts are read as
    """
    limit = results.wish.latency
    measured: dict[int, float] = {}
    while limit is not None and len(measured) < MOST_FITTED:
        line = results.chosen
        documents = readings[results.lines[line].ranker.reading]
        measured[line] = milliseconds(model_of(documents, results.lines[line], most, seed), documents)
        if measured[line] <= limit:
            return results, []
        judge, size = results.lines[line].classifier, results.sizes[line]
        able = [i for i in range(len(results.lines)) if i not in results.slow]
        slow = {i for i in able if results.lines[i].classifier is judge and results.sizes[i] >= size}
        if len(slow) == len(able):
            break
        results = replace(results, slow=results.slow | slow)
    if limit is None:
        return results, []
    quickest = min(measured, key=lambda line: measured[line])
    every = frozenset(range(len(results.lines))) - {quickest}
    told = f"No candidate that was timed labels a document in {limit:g} ms; the quickest takes "
    return replace(results, slow=every), [f"{told}{measured[quickest]:.2g} ms, and is recommended."]


def milliseconds(model: Model, documents: Documents) -> float:
    """What a model takes for a document."""
    return 1000 / documents_per_second(model, documents)
