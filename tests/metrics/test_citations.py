from __future__ import annotations

import pytest

import termsift as ts
from termsift.metrics.catalogue import bibtex, bibtex_entries


@pytest.mark.parametrize("name", ts.metrics().names)
def test_every_metric_has_a_source_in_bibtex(name):
    text = bibtex(name)
    assert text.startswith("@")
    assert text.count("{") == text.count("}")
    assert "keywords = " not in text


def test_a_metric_of_several_papers_cites_all_of_them():
    assert [line for line in bibtex("ngl").splitlines() if line.startswith("@")] == [
        "@article{zheng2004,",
        "@inproceedings{uchyigitclark2007,",
    ]


def test_every_work_is_the_source_of_a_metric():
    sources = [metric.source for metric in ts.metrics()]
    assert all(any(named in source for source in sources) for named, _ in bibtex_entries())


def test_custom_metric_has_no_source():
    assert bibtex(ts.Metric("mine", lambda cells: cells.tpr)) == ""
