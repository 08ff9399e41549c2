"""What section 5.3 states of MD and MD-chi2 against the other four methods, each with our figure.

Every function takes the four as they are read: `methods.READINGS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import spearmanr

from termsift._typing import Array
from termsift.studies.lines import Line, stated
from termsift.studies.tang2016.methods import PROPOSED, named
from termsift.studies.tang2016.outcomes import Outcomes, shown

REUTERS = ("reuters-10", "reuters-20", "reuters-30")
ALT_COMP = {"alt-comp": "alt.* against comp.*", "alt-comp-6": "six classes"}
# what words are taken to mean: "similar" in accuracy, "very small" and "the first 1000" in terms
SIMILAR, FEW, ABOUT_1000 = 0.01, 50, (500, 2000)


def comparisons(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """The statements that the sets at hand can check."""
    sets = set(found.sets)
    if "20-newsgroups" in sets:
        yield from on_newsgroups(found, others)
    for name in ALT_COMP:
        if name in sets:
            yield from on_alt_comp(found, name, others)
    for name in REUTERS:
        if name in sets:
            yield similar_with_fewer(found, name, others)
            yield from with_svm(found, name, others)
    if sets.issuperset(REUTERS):
        yield gain_grows(found, others)
        yield from by_divergence(found, others)
    if "tdt2-10" in sets:
        yield from on_tdt2(found, others)


def ahead(
    found: Outcomes,
    name: str,
    methods: Sequence[str],
    others: Sequence[str],
    goal: str = "accuracy",
) -> tuple[str, list[bool]]:
    """With NB, at how many sizes each method is above each other.

    A part a method: it holds where that is more than half of the sizes, for every other.
    """
    shares = {
        (method, other): found.above(name, method, other, "NB", goal)
        for method in methods
        for other in others
        if method != other
    }
    figures = [
        f"{named(method)} above "
        + ", ".join(f"{named(o)} at {share:.0%}" for (m, o), share in shares.items() if m == method)
        for method in methods
    ]
    parts = [all(share > 0.5 for (m, _), share in shares.items() if m == method) for method in methods]
    return "; ".join(figures) + " of sizes", parts


def on_newsgroups(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Figure 1."""
    where, name, every = "section 5.3, figure 1", "20-newsgroups", (*others, *PROPOSED)
    ends = {method: found.curve(name, method)[[0, -1]].tolist() for method in every}
    figure = ", ".join(f"{named(m)} {100 * low:.1f} to {100 * high:.1f}" for m, (low, high) in ends.items())
    parts = [high > low for low, high in ends.values()]
    yield stated(where, "20-NEWSGROUPS, NB: accuracy grows from 10 to 2000 terms", figure, parts)
    what = "20-NEWSGROUPS, NB: MD and MD-chi2 are commonly above the other four"
    yield stated(where, what, *ahead(found, name, PROPOSED, others))
    what = "20-NEWSGROUPS, NB: MD is above all others"
    yield stated(where, what, *ahead(found, name, ("md",), (*others, "md_chi2")))
    figure, parts = ahead(found, name, every[1:], ("df",))
    yield stated(where, "20-NEWSGROUPS, NB: DF is the worst", figure, [all(parts)])
    few = {method: found.at(10, name, method) for method in every}
    what = "20-NEWSGROUPS, NB: accuracy is below 20 % with few terms"
    yield stated("section 5.3", what, f"10 terms: {shown(few)}", [value < 0.2 for value in few.values()])


def on_alt_comp(found: Outcomes, name: str, others: Sequence[str]) -> Iterator[Line]:
    """Figure 2, in a reading of what its classes are."""
    which = f"ALT-COMP ({ALT_COMP[name]}), NB"
    what = f"{which}: MD-chi2 is the best in accuracy"
    yield stated("section 5.3, figure 2a", what, *ahead(found, name, ("md_chi2",), (*others, "md")))
    what = f"{which}: MD and MD-chi2 are the best two in F1"
    yield stated("section 5.3, figure 2b", what, *ahead(found, name, PROPOSED, others, "f1"))
    few = {method: found.at(10, name, method) for method in (*others, *PROPOSED)}
    what = f"{which}: accuracy is above 80 % with few terms"
    yield stated("section 5.3", what, f"10 terms: {shown(few)}", [value > 0.8 for value in few.values()])


def similar_with_fewer(found: Outcomes, name: str, others: Sequence[str]) -> Line:
    """Figure 3: not more than a point below."""
    few = {method: found.at(200, name, method) for method in PROPOSED}
    many = {method: found.at(1000, name, method) for method in others}
    parts = [value >= other - SIMILAR for value in few.values() for other in many.values()]
    what = f"{name.upper()}, NB: 200 terms by MD and MD-chi2 are similar to 1000 by the other four"
    return stated("section 5.3, figure 3", what, f"200: {shown(few)}; 1000: {shown(many)}", parts)


def gain_grows(found: Outcomes, others: Sequence[str]) -> Line:
    """Figure 3: over the mean of the others, averaged over sizes."""
    gains = {
        name: float(means(found, name, PROPOSED).mean() - means(found, name, others).mean())
        for name in REUTERS
    }
    shown = ", ".join(f"{name.upper()} {100 * value:+.2f}" for name, value in gains.items())
    what = "Reuters, NB: the more categories, the more MD and MD-chi2 gain over the others"
    parts = [more > fewer for fewer, more in pairwise(gains.values())]
    return stated("section 5.3, figure 3", what, f"points over their mean: {shown}", parts)


def means(found: Outcomes, name: str, methods: Sequence[str]) -> Array:
    """(sizes,): the mean accuracy of some methods with NB."""
    mean: Array = np.mean([found.curve(name, method) for method in methods], axis=0)
    return mean


def on_tdt2(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Figure 4."""
    name = "tdt2-10"
    what = "TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"
    yield stated("section 5.3, figure 4a", what, *ahead(found, name, PROPOSED, others))
    target = found.at(100, name, "md")
    asked = [method for method in others if method.split()[0] in ("chi2", "gss")]
    sizes = {method: found.reached(target, name, method) for method in asked}
    figure = ", ".join(f"{named(method)} {size or 'not with 2000'}" for method, size in sizes.items())
    low, high = ABOUT_1000
    parts = [size is not None and low <= size <= high for size in sizes.values()]
    what = f"TDT2-10, NB: GSS and chi2 need about 1000 terms ({low} to {high}) for the accuracy of 100 by MD"
    yield stated("section 5.3, figure 4a", what, f"{100 * target:.2f} is reached with: {figure}", parts)


def with_svm(found: Outcomes, name: str, others: Sequence[str]) -> Iterator[Line]:
    """Figure 5: against the best other method of each size."""
    sizes = found.sizes["SVM"]
    best = np.max([found.curve(name, method, "SVM") for method in others], axis=0)
    gains = np.array([found.curve(name, method, "SVM") for method in PROPOSED]) - best
    few, more = gains[:, sizes <= FEW], gains[:, sizes > FEW]
    where, which = "section 5.3, figure 5", f"{name.upper()}, SVM"
    what = f"{which}: up to {FEW} terms MD and MD-chi2 do at least as well as the others"
    yield stated(where, what, spans(few), (few >= 0).ravel().tolist())
    what = f"{which}: with more than {FEW} terms MD and MD-chi2 are consistently better"
    yield stated(where, what, spans(more), (more > 0).ravel().tolist())


def spans(gains: Array) -> str:
    """The smallest and the largest gain of MD and of MD-chi2, and at how many sizes they gain."""
    texts = [
        f"{named(method)} {100 * own.min():+.2f} to {100 * own.max():+.2f}, above at {np.mean(own > 0):.0%}"
        for method, own in zip(PROPOSED, gains, strict=True)
    ]
    return f"points over the best other: {'; '.join(texts)} of sizes"


def by_divergence(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Figure 6."""
    where, name, every = "section 5.3, figure 6", "reuters-20", (*others, *PROPOSED)
    reached, accuracy = (
        np.array([found.curve(name, method, "SVM", measure) for method in every])
        for measure in ("divergence", "accuracy")
    )
    alike = np.array([spearmanr(a, b).statistic for a, b in zip(reached.T, accuracy.T, strict=True)])
    figure = f"rank correlation of the six at each size: {alike.min():.2f} to {alike.max():.2f}, "
    what = "REUTERS-20, SVM: the divergence of a selection goes with its accuracy"
    parts = [bool(alike.mean() > 0.5), bool(alike.min() > 0)]
    yield stated(where, what, f"{figure}mean {alike.mean():.2f}", parts)
    mine, rest = reached[every.index("md")], np.delete(reached, every.index("md"), axis=0)
    last = ", ".join(f"{named(m)} {value:.2f}" for m, value in zip(every, reached[:, -1], strict=True))
    what = "REUTERS-20: MD has the largest divergence of the six"
    yield stated(where, what, f"2000 terms: {last}", (mine >= rest).all(axis=1).tolist())
