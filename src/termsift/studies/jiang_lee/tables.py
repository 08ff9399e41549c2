"""The tables: what the paper prints, what we get, and the difference; the filters of page.md."""

from __future__ import annotations

from termsift.studies.jiang_lee.statements import JiangOutcomes, jiang_outcomes, jiang_statements
from termsift.studies.jiang_lee.trials import WEIGHTS
from termsift.studies.pages import Rows, spread_rows
from termsift.studies.study import (
    VERDICTS,
    Lines,
    Row,
    beside_printed,
    line_tables,
    mean_differences,
    printed_rows,
)
from termsift.tables import Table

STUDY = "jiang-lee"
# of each corpus the printed tables of accuracy and of time
TABLES = {"20news": (1, 2), "reuters10": (3, 4)}
# IG has one printed time, for any number of features: ours is that of the most
IG_FEATURES = "5000"


def jiang_tables(rows: list[Row]) -> dict[str, Table]:
    """All tables that the rows have results for."""
    found = jiang_outcomes(rows)
    accuracy = {corpus: accuracy_lines(found, corpus) for corpus in TABLES}
    every = {f"table{TABLES[corpus][0]}": lines for corpus, lines in accuracy.items()}
    every |= {f"table{TABLES[corpus][1]}": time_lines(found, corpus) for corpus in TABLES}
    every |= {"summary": differences_by_method(accuracy), "statements": jiang_statements(found)}
    return line_tables(every | {"words": word_lines(rows)})


def accuracy_lines(found: JiangOutcomes, corpus: str) -> Lines:
    """Tables 1 and 3: accuracy in per cent, with its standard deviation over splits."""
    lines = []
    for row in printed_rows(STUDY, f"table{TABLES[corpus][0]}"):
        key = corpus, row["method"], row["features"]
        if key in found.accuracies:
            compared = beside_printed(float(row["accuracy"]), found.accuracy(*key), 2)
            spread = {"deviation": round(found.spread(key), 2)}
            lines.append({"method": key[1], "features": key[2]} | compared | spread)
    return lines


def time_lines(found: JiangOutcomes, corpus: str) -> Lines:
    """Tables 2 and 4: seconds, and how many times those of class weights. Machines are decades apart."""
    lines = []
    cells = printed_rows(STUDY, f"table{TABLES[corpus][1]}")
    first = next(row for row in cells if row["method"] == WEIGHTS)
    for row in cells:
        features = IG_FEATURES if row["features"] == "any" else row["features"]
        if (corpus, row["method"], features) in found.times:
            theirs = float(row["seconds"])
            ours = found.seconds(corpus, row["method"], features)
            base = found.seconds(corpus, WEIGHTS, first["features"])
            named = {"method": row["method"], "features": row["features"], "printed": theirs}
            ratios = {"printed, times": round(theirs / float(first["seconds"]), 2)}
            lines.append(named | {"ours": round(ours, 3)} | ratios | {"ours, times": round(ours / base, 2)})
    return lines


def differences_by_method(tabled: dict[str, Lines]) -> Lines:
    """For each corpus and method how far off our accuracies are, in points."""
    lines = []
    for corpus, cells in tabled.items():
        for method in dict.fromkeys(["every method", *(cell["method"] for cell in cells)]):
            own = [c["difference"] for c in cells if method in ("every method", c["method"])]
            named = {"corpus": corpus, "method": method, "cells": len(own)}
            lines.append(named | mean_differences(own, 2) | {"largest": max(own, key=abs)})
    return lines


def word_lines(rows: list[Row]) -> Lines:
    """The words of each corpus and split, and the documents judged."""
    splits = {(row["corpus"], row["split"]): row for row in rows}
    return [
        {"corpus": corpus, "split": split, "words": row["words"], "judged": row["judged"]}
        for (corpus, split), row in splits.items()
    ]


def accuracy_cell(row: dict[str, str]) -> str:
    """Printed, ours, difference."""
    return f"{float(row['printed']):.2f}, {float(row['ours']):.2f}, {float(row['difference']):+.2f}"


def accuracies_by_size(rows: Rows) -> Rows:
    """Accuracies of the methods that select, by number of features."""
    selecting = [row for row in rows if row["method"] in ("DC", "IG")]
    return spread_rows(selecting, "features", "{method}", accuracy_cell)


def longer_by(rows: Rows, method: str, features: str) -> float:
    """How many of our seconds a method takes more than class weights."""
    ours = {(row["method"], row["features"]): float(row["ours"]) for row in rows}
    return ours[method, features] - next(own for (name, _), own in ours.items() if name == WEIGHTS)


def with_readings(statements: Rows, tried: Rows) -> Rows:
    """The statements that do not hold whole, with the readings by which they do, and those they fail by."""
    rows = []
    for line in statements:
        own = [row for row in tried if row["statement"] == line["statement"]]
        if line["verdict"] != "holds" and own:
            named = {name: line[name] for name in ("statement", "ours", "verdict")}
            rows.append(named | {verdict: readings_of_verdict(own, verdict) for verdict in VERDICTS})
    return rows


def readings_of_verdict(tried: Rows, verdict: str) -> str:
    """The readings by which a statement has a verdict."""
    return "; ".join(row["reading"] for row in tried if row["verdict"] == verdict) or "none"


JIANG_FILTERS = (accuracy_cell, accuracies_by_size, longer_by, with_readings)
