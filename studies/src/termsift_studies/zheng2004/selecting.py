"""Ratios that `termsift select` chooses on the paper's training documents, beside figure 3."""

from __future__ import annotations

from functools import partial
from statistics import mean
from typing import Any

import numpy as np

from termsift._internal.tables import Table
from termsift.compare import select_from_documents
from termsift.corpora import DataDir
from termsift.evaluation import Fold, RatioSearch, parse_goals
from termsift.evaluation.classifiers import MultinomialNaiveBayes
from termsift.selection import parse_method
from termsift_studies import study
from termsift_studies.zheng2004 import trials
from termsift_studies.zheng2004.plan import corpus_settings
from termsift_studies.zheng2004.tables import STUDY

COLUMNS = ("rule", "chosen on", "name", "ratio", "f1")
SIZE = 50  # terms of each category
METHODS = {
    "training set": "cc:PositiveNegative(ratio='auto', per_class=True, cv=None)",
    "four folds": "cc:combined_per_class",
}
# termsift's naive Bayes compares the log posteriors by their difference, the paper's by their quotient
RULES = {"difference": MultinomialNaiveBayes(), "quotient": trials.QuotientNaiveBayes(quotient=True)}
# the printed methods whose ratios are chosen in these ways
PRINTED = {"no search": ("table2", "CC"), "test set": ("table2", "iCC"), "training set": ("table5", "iCC'")}


def zheng_select_plan(data_dir: DataDir = None, *, quick: bool = False) -> study.StudyPlan:
    """Plan the ratios of all 90 categories; quick: only termsift's rule."""
    pair = trials.load_corpora(data_dir)
    apte = trials.apte_fold(pair, data_dir)
    units = {rule: partial(ratio_rows, rule, apte) for rule in list(RULES)[: 1 if quick else None]}
    order, classes = trials.largest_first(apte.train.labels), apte.train.labels.classes
    studied = [str(classes[order[number - 1]]) for number in trials.STUDIED]
    settings = corpus_settings(pair) | {"terms of each category": str(SIZE)}
    return study.StudyPlan(settings, COLUMNS, units, partial(select_tables, studied=studied))


def ratio_rows(rule: str, apte: Fold) -> list[study.Row]:
    """Return the ratios of each category, chosen in each way, with F1 on the test set."""
    (goal,) = parse_goals("break_even")
    searches = {
        name: RatioSearch.for_goal(parse_method(method), RULES[rule], goal)
        for name, method in METHODS.items()
    }
    size, names = np.array([SIZE]), [str(name) for name in apte.train.labels.classes]
    _, (f1,) = searches["training set"].tune([apte], size)
    grid = searches["training set"].grid
    ties = [grid[curve == curve.max()].tolist() for curve in f1]
    best = [" ".join(map(str, ratios)) if len(ratios) < len(grid) else "any" for ratios in ties]
    chosen: dict[str, list[Any]] = {
        "printed": [load_figure_3().get(category) for category in names],
        "no search": [1.0] * len(names),
        "test set": best,
    }
    train = Fold.from_indices(apte.train, np.arange(len(apte.train)), np.arange(0))
    for name, search in searches.items():
        if rule == "difference":
            # what the command prints
            ratios = select_from_documents(apte.train, METHODS[name], SIZE).ratios or {}
            chosen[name] = [ratios[category] for category in names]
        else:
            (tuned,), _ = search.tune(search.inner_folds(train), size)
            policy: Any = tuned.policy
            chosen[name] = list(policy.ratio)
    return [
        {"rule": rule, "chosen on": name, "name": names[c], "ratio": ratio, "f1": f"{value:.6g}"}
        for name, ratios_of_categories in chosen.items()
        for c, ratio in enumerate(ratios_of_categories)
        if ratio is not None
        for value in f1[c, grid == (1.0 if ratio == "any" else float(str(ratio).split()[0]))].tolist()
    ]


def load_figure_3() -> dict[str, float]:
    """Return the printed ratios by category."""
    printed = study.load_published(STUDY, "figures")
    return {row["of"]: float(row["value"]) for row in printed if row["where"] == "figure 3"}


def select_tables(rows: list[study.Row], studied: list[str]) -> dict[str, Table]:
    """Build the tables of the four categories of figure 3, and of averages over the studied categories."""
    return study.build_tables({"summary": average_f1(rows, studied), "figure3": compare_figure_3(rows)})


def average_f1(rows: list[study.Row], studied: list[str]) -> study.Lines:
    """Return macro-averaged F1 by rule and by the documents that the ratios are chosen on."""
    f1: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["name"] in studied and row["chosen on"] != "printed":
            f1.setdefault((row["rule"], row["chosen on"]), []).append(float(row["f1"]))
    printed = {
        name: row["value"]
        for name, (table, method) in PRINTED.items()
        for row in study.load_published(STUDY, table)
        if (row["classifier"], row["average"], row["method"], row["size"])
        == ("NB", "macro", method, str(SIZE))
    }
    return [
        {"rule": rule, "chosen on": name, "printed": printed.get(name, ""), "macro F1": round(mean(f), 4)}
        for (rule, name), f in f1.items()
    ]


def compare_figure_3(rows: list[study.Row]) -> study.Lines:
    """Return the printed ratios of figure 3 beside those chosen, with F1 on the test set."""
    lines: dict[tuple[str, str], study.Line] = {}
    for row in rows:
        if row["name"] in load_figure_3():
            key = row["name"], row["rule"]
            line = lines.setdefault(key, dict(zip(("category", "rule"), key, strict=True)))
            line[row["chosen on"]] = f"{row['ratio']} ({float(row['f1']):.3f})"
    return sorted(lines.values(), key=lambda line: list(load_figure_3()).index(line["category"]))
