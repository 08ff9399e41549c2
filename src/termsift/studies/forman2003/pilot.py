"""The pilot that chose the classifier: four judges of the terms that IG and BNS choose, on the small sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from termsift.methods import method_from
from termsift.studies.forman2003.outcomes import FormanOutcomes, forman_outcomes
from termsift.studies.forman2003.problems import loaded_set
from termsift.studies.forman2003.trials import ALL, SIZES
from termsift.studies.forman2003.wider import PILOT, wider_rows
from termsift.studies.study import Line, Row, line_tables, stated
from termsift.tables import Table

SMALL = ("oh10", "oh0", "tr31", "oh5", "oh15", "tr41", "tr45", "tr11", "tr21", "tr12", "tr23")
CHOICES = ("ig", "bns")


def rows_of_pilot(data_dir: Path | None, name: str, classifier: str) -> list[Row]:
    """The rows of a set with a classifier."""
    methods = {metric: method_from(metric) for metric in CHOICES}
    rows = wider_rows(loaded_set(name, data_dir)[0], methods, classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def pilot_tables(rows: list[Row]) -> dict[str, Table]:
    """F by classifier, metric and number of terms, and what the paper says of its pilot."""
    found = {
        name: forman_outcomes([row for row in rows if row["classifier"] == name], CHOICES) for name in PILOT
    }
    return line_tables({
        "averages": [line for name, own in found.items() for line in pilot_lines(name, own)],
        "summary": pilot_statements(found),
    })  # fmt: skip


def pilot_lines(classifier: str, found: FormanOutcomes) -> Iterator[Line]:
    """Macro-averaged F of a classifier, a line for each metric."""
    for metric in CHOICES:
        values = found.by_size(metric, "f1").round(4).tolist()
        by_size = dict(zip(map(str, SIZES.tolist()), values, strict=True))
        everything = round(found.macro_of_all_terms("f1"), 4)
        yield {"classifier": classifier, "metric": metric} | by_size | {ALL: everything}


def pilot_statements(found: dict[str, FormanOutcomes]) -> list[Line]:
    """What sections 3 and 5 say of classifiers."""
    best = {name: max(own.best("f1").values()) for name, own in found.items()}
    others = [value for name, value in best.items() if name != "SVM"]
    figure = ", ".join(f"{name} {value:.3f}" for name, value in best.items())
    peaks = {name: peak(own) for name, own in found.items()}
    told = ", ".join(f"{name} at {size}" for name, size in peaks.items())
    skewed = found["tree"].groups[-1]
    ig, bns = (found["tree"].by_size(metric, "f1", skewed) for metric in CHOICES)
    gains = bns - ig
    return [
        stated("section 3", "SVM is the best of the four", figure, [best["SVM"] > value for value in others]),
        stated("section 3", "NB does better than C4.5", figure, [best["NB"] > best["tree"]]),
        stated(
            "section 3",
            "NB does best with much fewer terms than the others",
            told,
            [peaks["NB"] < size for name, size in peaks.items() if name != "NB"],
        ),
        stated(
            "section 5",
            "at high skew BNS may serve a decision tree better than IG",
            f"{skewed}: difference {gains.min():+.3f} to {gains.max():+.3f}",
            (gains > 0).tolist(),
        ),
    ]


def peak(found: FormanOutcomes) -> int:
    """The number of selected terms with which F is best, by the better metric."""
    curve = found.macro("f1").max(axis=0)
    return int(SIZES[int(np.argmax(curve))])
