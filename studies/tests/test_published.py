"""Printed figures: what a paper says twice agrees, so that no digit was lost on the way."""

from __future__ import annotations

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from statistics import mean, median

import pytest

import termsift_studies

PAPERS = Path(termsift_studies.__file__).parent
FILES = sorted(PAPERS.glob("*/published/*.csv"))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_every_line_has_its_place_and_a_number(path):
    for row in rows_of(path):
        assert None not in row
        assert None not in row.values()
        assert row["where"]
        Fraction(row[list(row)[-1]])


@pytest.fixture(scope="module")
def sizes() -> dict[str, list[int]]:
    """The classes of the sets of Forman's appendix A."""
    found = defaultdict(list)
    for row in rows_of(PAPERS / "forman2003" / "published" / "classes.csv"):
        found[row["dataset"]].append(int(row["documents"]))
    return dict(found)


def test_the_classes_of_forman_add_up_to_the_sets(sizes):
    datasets = rows_of(PAPERS / "forman2003" / "published" / "datasets.csv")
    assert [row["dataset"] for row in datasets] == list(sizes)
    for row in datasets:
        own, documents = sizes[row["dataset"]], int(row["documents"])
        assert own == sorted(own)
        assert (sum(own), len(own)) == (documents, int(row["classes"]))
        assert abs(int(row["words"]) / documents - int(row["ratio"])) <= 0.5


def test_the_classes_of_forman_have_the_stated_skew(sizes):
    stated = {
        row["quantity"]: float(row["value"])
        for row in rows_of(PAPERS / "forman2003" / "published" / "figures.csv")
        if row["of"] == "229 problems"
    }
    positives = [size for own in sizes.values() for size in own]
    skews = [sum(own) / size - 1 for own in sizes.values() for size in own]
    assert len(skews) == 229
    assert round(mean(positives)) == stated["mean documents of the positive class"]
    assert round(mean(skews)) == stated["mean skew"]
    assert round(median(skews)) == stated["median skew"]
    assert sum(skew > 67 for skew in skews) == stated["problems of skew above 67"]
    above = sum(skew > 100 for skew in skews)
    assert round(100 * above / 229) == stated["percentage of problems of skew above 100"]
