"""The trade-off of terms against the goal: what more terms buy, and where the answers are on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift.compare.candidates import ALL, Ranker
from termsift.compare.documents import reading_words
from termsift.compare.final_model import Model, documents_per_second, model_of
from termsift.compare.racing import told_race
from termsift.compare.results import ONE_ERROR, USUAL_PRICE, USUAL_SIZE, CandidateResults, Wish
from termsift.compare.trials import Candidate
from termsift.engines import Documents
from termsift.selection import PositiveNegative, RedundancyAware

if TYPE_CHECKING:
    from termsift.compare.comparison import Comparison

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


PRICES = (0.01, 0.02, 0.05)  # what one may want to give up for fewer terms


def answer(comparison: Comparison) -> list[str]:
    """At most five sentences: what to do, what it gains and loses, how much is chance, what to expect."""
    parts = [
        recommendation(comparison),
        against_best(comparison),
        against_all_terms(comparison),
        chance(comparison),
        expectation(comparison),
    ]
    return [part for part in parts if part]


def details(comparison: Comparison) -> list[str]:
    """The rest: fewer terms, ties, classes, the pair, and the model."""
    parts = [
        fewer(comparison),
        three_answers(comparison),
        other_goals(comparison),
        ties(comparison),
        told_race(comparison.results),
        classes(comparison),
        pair(comparison),
        model(comparison),
    ]
    return [part for part in parts if part]


def recommendation(comparison: Comparison) -> str:
    """What to do."""
    r = comparison.results
    how = r.split + (f", {r.repeats} times" if r.repeats > 1 else "")
    where = "without them" if r.is_held_out else "inside each fold" if "fold" in how else "inside each run"
    figure = f"{comparison.goal} {plus_minus(comparison.chosen)} ({how}; terms chosen {where})"
    return f"Use {candidate_words(r.lines[r.chosen], comparison.chosen['terms'])}: {figure}."


def candidate_words(line: Candidate, terms: float) -> str:
    """A candidate, as a sentence names it."""
    if line.ranker.features is not None:
        return f"{line.ranker.words} of all {terms:,.0f} terms, with {line.classifier.words}"
    if line.ranker.is_whole:
        return f"all {terms:,.0f} terms{of_reading(line.ranker)} with {line.classifier.words}"
    return f"{terms:,.0f} terms chosen by {line.ranker.words}, with {line.classifier.words}"


def of_reading(ranker: Ranker) -> str:
    """Which terms all terms are, where texts are read otherwise than usual."""
    return f", those {reading_words(ranker.reading)}," if ranker.reading else ""


def against_best(comparison: Comparison) -> str:
    """How the recommended candidate stands to the best one."""
    r = comparison.results
    tried = f"the {r.tried:,} candidates"
    if r.chosen == r.best:
        price = r.wish.within
        near = "comes within one standard error of it" if price is None else f"gives up at most {price:g}"
        is_bound = price is None and r.wish != ONE_ERROR
        return f"That is the best of {tried}{'' if is_bound else f', and none with fewer terms {near}'}."
    best = candidate_words(r.lines[r.best], comparison.best["terms"])
    lost = r.means[r.best] - r.means[r.chosen]
    p = r.p_value(r.best, r.chosen)
    surely = "more than chance explains" if p < 0.05 else "which may be chance"
    return (
        f"The best of {tried} is {best}: {plus_minus(comparison.best)}; the recommendation, which "
        f"{r.wish_words}, gives up {lost:.3f}, {surely} ({told_p(p)})."
    )


def against_all_terms(comparison: Comparison) -> str:
    """What choosing terms gains or loses."""
    r = comparison.results
    if ALL.name not in r.methods or ALL in (r.lines[r.chosen].ranker, r.lines[r.best].ranker):
        return ""
    own = r.lines[r.chosen].classifier
    if own not in r.judges_of(ALL.name):
        return f"There was no time to try all terms with {own.words}."
    line = r.best_of(ALL.name)
    gain, p = r.means[r.chosen] - r.means[line], r.p_value(r.chosen, line)
    judge = r.lines[line].classifier.words
    told = f"the recommendation {'gains' if gain > 0 else 'loses'} {abs(gain):.3f} ("
    if p >= 0.05:
        told = f"no telling difference from the recommendation ({gain:+.3f}, "
    reach = f"All {r.sizes[line]:,.0f} terms reach {r.means[line]:.3f} at best, with {judge}"
    return f"{reach}: {told}{told_p(p)})."


def fewer(comparison: Comparison) -> str:
    """How far the terms could be cut for a price."""
    r, parts = comparison.results, []
    least = r.sizes[r.chosen]
    for price in PRICES:
        enough = np.flatnonzero((r.means >= r.means[r.best] - price) & (r.sizes < least))
        if enough.size:
            line = min(enough.tolist(), key=lambda i: (r.sizes[i], -r.means[i]))
            least = r.sizes[line]
            parts.append(
                f"{least:,.0f} chosen by {r.lines[line].ranker.words} with "
                f"{r.lines[line].classifier.words} give up {r.means[r.best] - r.means[line]:.3f}"
            )
    return f"Fewer terms cost more: {'; '.join(parts)}." if parts else ""


def three_answers(comparison: Comparison) -> str:
    """Where the usual wishes lead: one standard error, a price, a number of terms."""
    r = comparison.results
    told = [
        f"{words}, {r.sizes[line]:,.0f} ({r.means[line]:.3f}, {r.lines[line].ranker.name} with "
        f"{r.lines[line].classifier.name})"
        for words, line in answers(r).items()
        if words != "best"
    ]
    return f"Terms by what is wanted of them: {'; '.join(told)}."


def other_goals(comparison: Comparison) -> str:
    """Whether the other goals that were asked for would choose otherwise."""
    r = comparison.results
    told = []
    for goal, values in zip(r.goals[1:], r.others, strict=True):
        own = replace(r, values=values)
        line, name = own.chosen, goal.words.rstrip(",").replace(", macro-averaged", "")
        figure = f"{values[r.chosen].mean():.3f} ± {own.errors[r.chosen]:.3f}"
        if line == r.chosen:
            told.append(f"{name} is {figure} and would choose the same")
        else:
            other = candidate_words(r.lines[line], r.sizes[line])
            told.append(f"{name} is {figure} and would choose {other} ({values[line].mean():.3f})")
    return f"Of the recommendation {'; '.join(told)}." if told else ""


def ties(comparison: Comparison) -> str:
    """Which methods cannot be told from the best, and which are worse."""
    rows = [row for row in comparison.methods if row["verdict"] != "best"]
    if not rows:
        return ""
    best = comparison.best["method"]
    tied = [row["method"] for row in rows if row["verdict"] == "tie"]
    worse = [f"{row['method']} ({row['difference']:+.3f})" for row in rows if row["verdict"] == "worse"]
    said = f"Each method at its best against {best}, at a level of 5% for all tests together: "
    parts = [f"not told apart from it {are(tied)} {words(tied)}"] if tied else []
    parts += [f"worse {are(worse)} {words(worse)}"] if worse else []
    dropped = [row["method"] for row in rows if row["verdict"] == "dropped"]
    parts += [f"dropped before the last fold {are(dropped)} {words(dropped)}"] if dropped else []
    untried = [row["method"] for row in rows if row["verdict"] == "untried"]
    judge = comparison.results.lines[comparison.results.best].classifier.words
    parts += [f"not tried with {judge}, so not judged, {are(untried)} {words(untried)}"] if untried else []
    return said + "; ".join(parts) + "."


def expectation(comparison: Comparison) -> str:
    """What to expect, the luck of the choice taken off."""
    r = comparison.results
    if r.expected is None:
        return "The choice was made by the documents that judge it, so expect somewhat less of new ones."
    part = "part of the documents held out" if r.is_held_out else "fold" if "fold" in r.split else "run"
    return (
        f"Expect about {r.expected:.3f} on new documents of the same kind: "
        f"that is what the choice reaches on each {part} when it is made without that {part.split()[0]}."
    )


def classes(comparison: Comparison) -> str:
    """Where each method wins."""
    n = len(comparison.results.classes)
    if n < 3:
        return ""
    rows = [row for row in comparison.chances if row["chance"] > 0][:4]
    told = [f"{row['method']} in {round(row['chance'] * n)}" for row in rows]
    return f"By class, within 0.01 of the best method there: {words(told)} of {n} classes."


def pair(comparison: Comparison) -> str:
    """The pair worth trying."""
    found = comparison.pair
    if found is None or not found["wins"]:
        return ""
    n = len(comparison.results.classes)
    return (
        f"The pair worth trying is {found['first']} and {found['second']}: of the {found['failures']} "
        f"classes in which {found['first']} is not among the best, {found['second']} is in {found['wins']}; "
        f"together {round(found['together'] * n)} of {n}."
    )


def chance(comparison: Comparison) -> str:
    """How many of the recommended terms chance alone would give."""
    method, k = comparison.models[0].line.ranker.method, len(comparison.models[0].columns)
    if method is None or isinstance(method.policy, PositiveNegative | RedundancyAware):
        return ""
    said = method.selection(comparison.counts, k).chance_words
    return f"{said[0].upper()}{said[1:]}." if said else ""


def model(comparison: Comparison) -> str:
    """Size and speed against all terms."""
    if len(comparison.models) < 2:
        return ""
    own, whole = list(comparison.sizes)
    said = (
        f"The model has {own['terms']:,} terms and takes {size(own['bytes'])}; "
        f"with all {whole['terms']:,} terms it would take {size(whole['bytes'])}."
    )
    if "documents_per_second" not in own:
        return said
    fast, slow = (row["documents_per_second"] for row in (own, whole))
    than = "about as many as" if 0.9 < fast / slow < 1.1 else f"against {two_digits(slow):,}"
    return f"{said} It labels about {two_digits(fast):,} documents per second here, {than} with all terms."


def plus_minus(row: dict[str, Any]) -> str:
    """A figure with its standard error."""
    return f"{row['mean']:.3f} ± {row['error']:.3f}"


def words(names: list[str]) -> str:
    """Names as a sentence lists them.

    >>> words(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def are(names: list[str]) -> str:
    """The verb that so many names take."""
    return "is" if len(names) == 1 else "are"


def told_p(p: float) -> str:
    """A p-value as people write it.

    >>> told_p(0.0304), told_p(1e-9)
    ('p = 0.03', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def two_digits(value: float) -> int:
    """A number of which two digits are meant.

    >>> two_digits(12345.6)
    12000
    """
    return int(float(f"{value:.2g}"))


def size(count: int) -> str:
    """Bytes as people write them.

    >>> size(31_400), size(2_500_000)
    ('31 kB', '2.5 MB')
    """
    if count < 1_000_000:
        return f"{max(count / 1000, 0.1):.{0 if count >= 10_000 else 1}f} kB"
    return f"{count / 1_000_000:.{0 if count >= 10_000_000 else 1}f} MB"
