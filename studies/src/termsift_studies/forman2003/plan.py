"""Interpretations of open questions in the paper; plans of the paper's study and of the smaller studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from termsift._internal.ranking import Ranking
from termsift._internal.tables import Table
from termsift.evaluation import Fold
from termsift.metrics import score
from termsift_studies.forman2003 import extended, trials
from termsift_studies.forman2003.results import f1_figures, forman_tables
from termsift_studies.forman2003.section5 import SECTION5_COLUMNS, section5_rows, section5_tables
from termsift_studies.forman2003.statements import forman_statements
from termsift_studies.study import Line, Row, StudyPlan, build_tables, count_verdicts

CASE_COLUMNS = ("set", "class", "documents", "positive", "averaged", "metric", "size", *trials.GOALS)
REPLACED = "bns of zeros replaced"
PER_CENT = '4.2: "attained within 1% of best performance"'


@dataclass(frozen=True, slots=True)
class FormanInterpretation:
    """Interpretation of the paper.

    why : the words of the paper that support it
    averaged : "pooled" decisions of the four folds, or the mean of the four "folds", undefined values as 0
    bns : the method that stands for BNS
    reduced : whether la1 and la2 have the reduced vocabulary
    relative : whether a tolerance is a share of the best rather than points of the measure
    """

    name: str
    why: str
    averaged: str = "pooled"
    bns: str = "bns"
    reduced: bool = False
    relative: bool = False


INTERPRETATIONS = (
    FormanInterpretation("pooled", 'appendix B: "record the 4-fold cross-validation scores"'),
    FormanInterpretation("zeros replaced", '2.1: "zero is substituted by 0.0005"', bns=REPLACED),
    FormanInterpretation(
        "folds", 'appendix B: "measure performance on the testing set split"', averaged="folds"
    ),
    FormanInterpretation("folds, relative", f"appendix B; {PER_CENT}", averaged="folds", relative=True),
    FormanInterpretation("relative", PER_CENT, relative=True),
    FormanInterpretation("reduced words", "against appendix A: la1 and la2 have 31472 words", reduced=True),
)


def interpretation_rows(data_dir: Path | None, name: str) -> list[Row]:
    """Return the goals of every class, method and size of a set, from pooled decisions and by folds."""
    rows = trials.rows_by_averaging(trials.load_set(name, data_dir)[0], 0, interpretation_rankings)
    return [row | {"set": name} for row in rows]


def interpretation_rankings(fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """Yield the rankings of the paper's metrics and of BNS with only zero rates replaced."""
    yield from trials.metric_rankings(fold)
    scores = score(fold.train.counts, "bns", zero="replace")
    orders = tuple(trials.class_order(scores, category) for category in fold.train.counts.classes)
    yield REPLACED, Ranking(orders, local=True)


def interpretation_outcomes(rows: list[Row], case: FormanInterpretation) -> trials.FormanOutcomes:
    """Return the outcomes of all sets under an interpretation."""
    # the chosen form of BNS takes the name bns, the other one is dropped
    left_out = {REPLACED, "bns"} - {case.bns}
    selected = [
        row | ({"metric": "bns"} if row["metric"] == case.bns else {})
        for row in trials.select_vocabulary(rows, reduced=case.reduced)
        if row["averaged"] == case.averaged and row["metric"] not in left_out
    ]
    return replace(trials.forman_outcomes(selected), relative=case.relative)


def interpretation_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of the statements under each interpretation and the number that hold."""
    statements: list[Line] = []
    summary: list[Line] = []
    for case in INTERPRETATIONS:
        outcomes = interpretation_outcomes(rows, case)
        checked = forman_statements(outcomes)
        statements += [{"interpretation": case.name} | row for row in checked]
        shares = outcomes.share("f1")
        wins = {f"{metric} within 1 %": round(shares[metric], 4) for metric in ("bns", "ig")}
        rand = {"rand within 10 % in precision": round(outcomes.share("precision", 0.1)["rand"], 4)}
        labels = {"interpretation": case.name, "supported by": case.why}
        summary.append(labels | f1_figures(outcomes) | wins | rand | count_verdicts(checked))
    return build_tables({"statements": statements, "summary": summary})


TRIALS = 5
QUICK = ("oh0", "tr12", "tr23")
SMALLEST = ("tr23",)


def forman_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan 18 sets in five trials, or (quick) three small sets in one."""
    names, n_trials = (QUICK, 1) if quick else (trials.SETS, TRIALS)
    cases = product(names, range(n_trials))
    units = {f"{name}-{n}": partial(trials.trial_rows, name, data_dir, n) for name, n in cases}
    # trials differ in the seed of their folds
    settings = set_settings(names, data_dir, "the number of the trial")
    return StudyPlan(settings, trials.COLUMNS, units, forman_tables)


def wider_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan every metric with three classifiers, one trial of each set."""
    names = SMALLEST if quick else trials.EVERY_SET
    units = units_by_classifier(extended.every_method_rows, data_dir, names, extended.CLASSIFIERS)
    tabled = partial(extended.tabulate_choices, methods=list(extended.every_method()))
    return StudyPlan(set_settings(names, data_dir), extended.WIDER_COLUMNS, units, tabled)


def section5_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan the weights of positive terms and the cutoffs of rare words."""
    names = SMALLEST if quick else trials.EVERY_SET
    units = {name: partial(section5_rows, data_dir, name) for name in names}
    return StudyPlan(set_settings(names, data_dir), SECTION5_COLUMNS, units, section5_tables)


def pilot_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan four classifiers with one trial of each small set."""
    names = SMALLEST if quick else extended.SMALL
    units = units_by_classifier(extended.pilot_rows, data_dir, names, extended.PILOT)
    return StudyPlan(set_settings(names, data_dir), extended.WIDER_COLUMNS, units, extended.pilot_tables)


def interpretations_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan the interpretations of open questions in the paper."""
    names = SMALLEST if quick else trials.EVERY_SET
    units = {name: partial(interpretation_rows, data_dir, name) for name in names}
    return StudyPlan(set_settings(names, data_dir), CASE_COLUMNS, units, interpretation_tables)


def units_by_classifier(
    rows_of: Callable[[Path | None, str, str], list[Row]],
    data_dir: Path | None,
    names: Iterable[str],
    classifiers: Iterable[str],
) -> dict[str, Callable[[], list[Row]]]:
    """Return a unit for each set and classifier."""
    return {
        f"{name}-{classifier}": partial(rows_of, data_dir, name, classifier)
        for name, classifier in product(names, classifiers)
    }


def set_settings(names: Iterable[str], data_dir: Path | None, seed: str = "0") -> dict[str, str]:
    """Return the seed and the checksums of the sets, for the provenance."""
    return {"seed": seed} | {f"checksum of {name}": trials.load_set(name, data_dir)[1] for name in names}
