"""All statements that the results can check: against other methods in each reading, and of MD alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from termsift.studies.lines import Line, stated
from termsift.studies.published import printed
from termsift.studies.tang2016.comparisons import ALT_COMP, ahead, comparisons
from termsift.studies.tang2016.methods import GREEDY, PROPOSED, READINGS, named
from termsift.studies.tang2016.outcomes import Outcomes

ANY = "any"
# what words are taken to mean: "as printed", "too much" in points of accuracy; "usually" as a share of terms
AS_PRINTED, MUCH, USUALLY = 0.5, 2.0, 0.8
# about one term in fifty
TWO_PERCENT = {"20-newsgroups": 500, "reuters-30": 350, "tdt2-10": 600}


def statements(found: Outcomes) -> list[Line]:
    """One line a statement and reading: where, what, our figure, and whether it holds."""
    compared = [
        {"reading": reading} | line
        for reading, others in READINGS.items()
        for line in comparisons(found, others)
    ]
    return compared + [{"reading": ANY} | line for line in alone(found)]


def alone(found: Outcomes) -> Iterator[Line]:
    """Statements of MD, MD-chi2 and the greedy search, in which no other method appears."""
    if "tdt2-10" in found.sets:
        yield from as_printed(found)
    for name in ALT_COMP:
        if name in found.sets:
            what = f"ALT-COMP ({ALT_COMP[name]}), NB: MD-chi2 is better than MD"
            yield stated("section 5.3, figure 2", what, *ahead(found, name, ("md_chi2",), ("md",)))
    yield from (bounded(found), grows(found), approximated(found))
    for name, size in TWO_PERCENT.items():
        if name in found.sets:
            yield few_suffice(found, name, size)


def as_printed(found: Outcomes) -> Iterator[Line]:
    """Section 5.3: the two accuracies that the paper prints."""
    for line in printed("tang2016", "figures"):
        if line["quantity"] == "accuracy":
            size, value = int(line["size"]), float(line["value"])
            ours = 100 * found.at(size, line["set"], line["method"])
            what = f"{line['set'].upper()}, NB: {size} terms by {named(line['method'])} give {value:.2f} %"
            figure = f"{ours:.2f}: {ours - value:+.2f} points"
            yield stated(line["where"], what, figure, [abs(ours - value) < AS_PRINTED])


def bounded(found: Outcomes) -> Line:
    """Section 4.4."""
    shares = {name: found.above(name, "md", "md_chi2") for name in found.sets}
    figure = ", ".join(f"{name.upper()} {share:.0%}" for name, share in shares.items())
    what = "NB: MD is usually above MD-chi2, and sometimes MD-chi2 is better"
    parts = [bool(np.mean(list(shares.values())) > 0.5), min(shares.values()) < 0.5]
    return stated("section 4.4", what, f"sizes at which MD is above: {figure}", parts)


def grows(found: Outcomes) -> Line:
    """Theorem 1, and what sections 4.2 and 5.3 say of it."""
    steps = [
        float(np.diff(found.parts[name, "NB", method]["divergence"], axis=1).min())
        for name in found.sets
        for method in (*PROPOSED, GREEDY)
    ]
    what = "the divergence never falls with more terms: greedy, MD and MD-chi2, all sets"
    figure = f"the smallest step from size to size is {min(steps):+.2g}"
    return stated("theorem 1, section 4.2, figure 6", what, figure, [step >= 0 for step in steps])


def approximated(found: Outcomes) -> Line:
    """Section 4.2: algorithm 2 in place of algorithm 1."""
    shares = {
        name: [found.at(size, name, GREEDY, goal="shared") / size for size in (100, 1000)]
        for name in found.sets
    }
    figure = ", ".join(f"{name.upper()} {few:.0%} and {many:.0%}" for name, (few, many) in shares.items())
    what = f"MD usually chooses what the greedy search would (taken as {USUALLY:.0%} of the terms)"
    parts = [share >= USUALLY for both in shares.values() for share in both]
    return stated("section 4.2", what, f"in common at 100 and 1000: {figure}", parts)


def few_suffice(found: Outcomes, name: str, size: int) -> Line:
    """Section 2.3, after Yang and Pedersen."""
    ours, whole = 100 * found.at(size, name, "md"), 100 * found.everything[name, "NB"]["accuracy"]
    what = f"{name.upper()}, NB: 2 % of the terms do not lose much (two points)"
    figure = f"{size} terms by MD {ours:.2f}, all terms {whole:.2f}"
    return stated("section 2.3", what, figure, [ours > whole - MUCH])
