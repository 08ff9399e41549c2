"""What the paper states of its figures, each with ours: for each reading of the methods it compares with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import spearmanr

from termsift.studies.lines import Line, stated
from termsift.studies.tang2016.methods import GREEDY, PROPOSED, READINGS, named
from termsift.studies.tang2016.outcomes import Outcomes, shown

REUTERS = {f"reuters-{n}": f"REUTERS-{n}" for n in (10, 20, 30)}
ALT_COMP = {"alt-comp": "alt.* against comp.*", "alt-comp-6": "six classes"}
# what words are taken to mean: "similar" and "not too much" in accuracy, "small" in terms
SIMILAR, MUCH, FEW = 0.01, 0.02, 50
ABOUT_1000 = (500, 2000)
PRINTED = {"md": 0.9646, "md_chi2": 0.9576}
ANY = "any"


def statements(found: Outcomes) -> list[Line]:
    """One line a statement and reading: where, what, our figure, and whether it holds."""
    compared: tuple[tuple[Sequence[str], Compared], ...] = (
        (("20-newsgroups",), on_newsgroups),
        (("alt-comp", "alt-comp-6"), on_alt_comp),
        (REUTERS, on_reuters),
        (("tdt2-10",), on_tdt2),
        (REUTERS, with_svm),
        (("reuters-20",), by_divergence),
    )
    lines = []
    for names, function in compared:
        if set(names) & set(found.sets):
            for reading, others in READINGS.items():
                lines += [{"reading": reading} | line for line in function(found, others)]
    return lines + [{"reading": ANY} | line for line in alone(found)]


Compared = Callable[[Outcomes, Sequence[str]], Iterator[Line]]


def ahead(
    found: Outcomes,
    name: str,
    methods: Sequence[str],
    others: Sequence[str],
    *,
    classifier: str = "NB",
    goal: str = "accuracy",
) -> tuple[str, list[bool]]:
    """At how many sizes each method is above each other one; a part holds where it is at more than half."""
    shares = {
        (method, other): found.above(name, method, other, classifier, goal)
        for method in methods
        for other in others
        if method != other
    }
    figures = [
        f"{named(method)} above "
        + ", ".join(f"{named(o)} at {share:.0%}" for (m, o), share in shares.items() if m == method)
        for method in methods
    ]
    return "; ".join(figures) + " of sizes", [share > 0.5 for share in shares.values()]


def on_newsgroups(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 1."""
    where, name = "section 5.3, figure 1", "20-newsgroups"
    methods = (*others, *PROPOSED)
    ends = {method: found.curve(name, method)[[0, -1]] for method in methods}
    figure = ", ".join(f"{named(m)} {100 * low:.1f} to {100 * high:.1f}" for m, (low, high) in ends.items())
    yield stated(
        where,
        "20-NEWSGROUPS, NB: accuracy grows from 10 to 2000 terms",
        figure,
        [bool(high > low) for low, high in ends.values()],
    )

    what = "20-NEWSGROUPS, NB: MD and MD-chi2 are commonly above the other four"
    yield stated(where, what, *ahead(found, name, PROPOSED, others))
    what = "20-NEWSGROUPS, NB: MD is above all others"
    yield stated(where, what, *ahead(found, name, ("md",), (*others, "md_chi2")))
    figure, parts = ahead(found, name, ("df",), methods)
    yield stated(where, "20-NEWSGROUPS, NB: DF is the worst", figure, [not part for part in parts])


def on_alt_comp(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 2, in both readings of what its classes are."""
    for name, classes in present(found, ALT_COMP).items():
        what = f"ALT-COMP ({classes}), NB: MD-chi2 is the best in accuracy"
        yield stated("section 5.3, figure 2a", what, *ahead(found, name, ("md_chi2",), (*others, "md")))
        what = f"ALT-COMP ({classes}), NB: MD and MD-chi2 are the best two in F1"
        yield stated("section 5.3, figure 2b", what, *ahead(found, name, PROPOSED, others, goal="f1"))
        few = {method: found.at(10, name, method) for method in (*others, *PROPOSED)}
        what = f"ALT-COMP ({classes}), NB: accuracy is above 80 % with few terms"
        yield stated("section 5.3", what, f"10 terms: {shown(few)}", [value > 0.8 for value in few.values()])
    if "20-newsgroups" in found.sets:
        few = {method: found.at(10, "20-newsgroups", method) for method in (*others, *PROPOSED)}
        what = "20-NEWSGROUPS, NB: accuracy is below 20 % with few terms"
        yield stated("section 5.3", what, f"10 terms: {shown(few)}", [value < 0.2 for value in few.values()])


def on_reuters(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 3."""
    where = "section 5.3, figure 3"
    for name in present(found, REUTERS):
        few = {method: found.at(200, name, method) for method in PROPOSED}
        many = {method: found.at(1000, name, method) for method in others}
        parts = [value >= other - SIMILAR for value in few.values() for other in many.values()]
        what = f"{name.upper()}, NB: MD and MD-chi2 with 200 terms are similar to the other four with 1000"
        yield stated(where, what, f"200: {shown(few)}; 1000: {shown(many)}", parts)
    gains = {name: gain(found, name, others) for name in REUTERS}
    figure = ", ".join(f"{name.upper()} {100 * value:+.2f}" for name, value in gains.items())
    what = "Reuters, NB: the more categories, the more MD and MD-chi2 gain over the others"
    yield stated(
        where,
        what,
        f"points over the mean of the other four: {figure}",
        [b > a for a, b in pairwise(gains.values())],
    )


def gain(found: Outcomes, name: str, others: Sequence[str]) -> float:
    """By how much MD and MD-chi2 are above the other methods, averaged over sizes."""
    mine, theirs = (np.mean([found.curve(name, m) for m in own]) for own in (PROPOSED, others))
    return float(mine - theirs)


def on_tdt2(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 4."""
    where, name = "section 5.3, figure 4a", "tdt2-10"
    what = "TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"
    yield stated(where, what, *ahead(found, name, PROPOSED, others))
    target = found.at(100, name, "md")
    sizes = {
        method: found.reached(target, name, method)
        for method in others
        if method.split()[0] in ("chi2", "gss")
    }
    figure = ", ".join(f"{named(method)} {size or 'not with 2000'}" for method, size in sizes.items())
    what = "TDT2-10, NB: GSS and chi2 need about 1000 terms (500 to 2000) for the accuracy of 100 by MD"
    low, high = ABOUT_1000
    parts = [size is not None and low <= size <= high for size in sizes.values()]
    yield stated("section 5.3", what, f"{100 * target:.2f} is reached with: {figure}", parts)


def with_svm(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 5."""
    sizes = found.sizes["SVM"]
    for name in present(found, REUTERS):
        theirs = np.max([found.curve(name, method, "SVM") for method in others], axis=0)
        gains = {method: found.curve(name, method, "SVM") - theirs for method in PROPOSED}
        for what, chosen, least in (
            (
                f"with few terms (up to {FEW}) MD and MD-chi2 do at least as well as the others",
                sizes <= FEW,
                -1e-12,
            ),
            ("with more terms MD and MD-chi2 are consistently better", sizes > FEW, 1e-12),
        ):
            own = {method: values[chosen] for method, values in gains.items()}
            figure = "; ".join(
                f"{named(m)} {100 * v.min():+.2f} to {100 * v.max():+.2f}, at {np.mean(v >= least):.0%} of sizes"
                for m, v in own.items()
            )
            parts = [bool(value) for values in own.values() for value in values >= least]
            yield stated(
                "section 5.3, figure 5",
                f"{name.upper()}, SVM: {what}",
                f"points over the best other: {figure}",
                parts,
            )


def by_divergence(found: Outcomes, others: Sequence[str]) -> Iterator[Line]:
    """Section 5.3, figure 6."""
    where, name, methods = "section 5.3, figure 6", "reuters-20", (*others, *PROPOSED)
    reached = np.array([found.curve(name, method, "SVM", "divergence") for method in methods])
    accuracy = np.array([found.curve(name, method, "SVM") for method in methods])
    alike = np.array([spearmanr(a, b).statistic for a, b in zip(reached.T, accuracy.T, strict=True)])
    figure = f"rank correlation over the six methods, by size: {alike.min():.2f} to {alike.max():.2f}, mean {alike.mean():.2f}"
    what = "REUTERS-20, SVM: the divergence of a selection goes with its accuracy"
    yield stated(where, what, figure, [bool(alike.mean() > 0.5), bool(alike.min() > 0)])
    last = dict(zip(methods, reached[:, -1].tolist(), strict=True))
    figure = "2000 terms: " + ", ".join(f"{named(m)} {value:.3f}" for m, value in last.items())
    md = methods.index("md")
    rest = np.delete(reached, md, axis=0)
    yield stated(
        where,
        "REUTERS-20: MD has the largest divergence of the six methods",
        figure,
        (reached[md] >= rest).all(axis=1).tolist(),
    )


def alone(found: Outcomes) -> Iterator[Line]:
    """Statements of MD, MD-chi2 and the greedy ranking, in which no other method appears."""
    if "tdt2-10" in found.sets:
        for method, printed in PRINTED.items():
            ours = found.at(100, "tdt2-10", method)
            what = f"TDT2-10, NB: 100 terms by {named(method)} give {100 * printed:.2f} %"
            figure = f"{100 * ours:.2f}, {100 * (ours - printed):+.2f}"
            yield stated("section 5.3", what, figure, [abs(ours - printed) < 0.005])
    for name, classes in present(found, ALT_COMP).items():
        what = f"ALT-COMP ({classes}), NB: MD-chi2 is better than MD"
        yield stated("section 5.3, figure 2", what, *ahead(found, name, ("md_chi2",), ("md",)))
    yield bounded(found)
    yield grows(found)
    yield approximated(found)
    yield from few_terms_suffice(found)


def bounded(found: Outcomes) -> Line:
    """Section 4.4."""
    shares = {name: found.above(name, "md", "md_chi2") for name in found.sets}
    figure = (
        "MD above at: "
        + ", ".join(f"{name.upper()} {share:.0%}" for name, share in shares.items())
        + " of sizes"
    )
    what = "NB: MD is usually above MD-chi2, and sometimes MD-chi2 is better"
    return stated(
        "section 4.4", what, figure, [float(np.mean(list(shares.values()))) > 0.5, min(shares.values()) < 0.5]
    )


def grows(found: Outcomes) -> Line:
    """Theorem 1, and what section 4.2 says of it."""
    steps = [
        np.diff(found.parts[name, "NB", method]["divergence"], axis=1).min()
        for name in found.sets
        for method in (*PROPOSED, GREEDY)
    ]
    what = "the divergence never falls with more terms: greedy, MD and MD-chi2, all sets"
    return stated(
        "theorem 1, section 4.2, figure 6",
        what,
        f"smallest step {min(steps):.2g}",
        [bool(step >= 0) for step in steps],
    )


def approximated(found: Outcomes) -> Line:
    """Section 4.2: algorithm 2 in place of algorithm 1."""
    shares = {
        name: [found.at(size, name, GREEDY, goal="shared") / size for size in (100, 1000)]
        for name in found.sets
    }
    figure = ", ".join(f"{name.upper()} {few:.0%} and {many:.0%}" for name, (few, many) in shares.items())
    what = "MD usually chooses what the greedy search would, if not always (taken as 80 %)"
    parts = [share > 0.8 for both in shares.values() for share in both]
    return stated("section 4.2", what, f"terms in common at 100 and 1000: {figure}", parts)


def few_terms_suffice(found: Outcomes) -> Iterator[Line]:
    """Section 2.3, after Yang and Pedersen: one term in fifty."""
    kept = {"20-newsgroups": 500, "reuters-30": 350, "tdt2-10": 600}
    for name, size in kept.items():
        if name in found.sets:
            ours, whole = found.at(size, name, "md"), found.everything[name, "NB"]["accuracy"]
            what = f"{name.upper()}, NB: 2 % of the terms do not cost much (two points)"
            figure = f"{size} terms by MD {100 * ours:.2f}, all terms {100 * whole:.2f}"
            yield stated("section 2.3", what, figure, [ours > whole - MUCH])
