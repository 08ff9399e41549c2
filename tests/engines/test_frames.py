"""Frames that are not in memory yet, and how files are read by everything that reads documents."""

from __future__ import annotations

import datasets
import pandas as pd
import polars as pl
import pytest

import termsift as ts
from mail_files import ROWS

TEXTS, LABELS = map(list, zip(*ROWS, strict=True))
EXPECTED = ts.count(TEXTS, LABELS)


@pytest.fixture(scope="module")
def dataset():
    """The rows as a dataset of Hugging Face, whose labels are numbers of names."""
    names = datasets.ClassLabel(names=["ham", "spam"])
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": names, "id": datasets.Value("int8")}
    )
    numbers = [names.str2int(label) for label in LABELS]
    return datasets.Dataset.from_dict({"text": TEXTS, "label": numbers, "id": range(5)}, features=features)


class TestDatasets:
    def test_labels_are_the_names_of_the_classes(self, dataset):
        assert ts.count(dataset) == EXPECTED
        assert ts.count(dataset.shuffle(seed=1).select_columns(["label", "text"])) == EXPECTED
        assert ts.count(dataset, text="text", label="label", group="id").counts == EXPECTED
        assert ts.count(dataset, LABELS) == EXPECTED

    def test_lists_of_labels_are_names_too(self, dataset):
        several = datasets.Features(
            {"text": datasets.Value("string"), "label": [datasets.ClassLabel(names=["x", "y"])]}
        )
        found = datasets.Dataset.from_dict({"text": ["aa", "bb"], "label": [[0, 1], []]}, features=several)
        assert ts.count(found) == ts.count(["aa", "bb"], [["x", "y"], []])

    def test_label_minus_one_of_dataset_is_missing(self, dataset):
        hidden = datasets.Dataset.from_dict({"text": ["aa"], "label": [-1]}).cast_column(
            "label", datasets.ClassLabel(names=["x"])
        )
        with pytest.raises(ts.InvalidInputError, match="row 1 of the data frame has no label"):
            ts.count(hidden)

    def test_rejects_dataset_splits_and_streams_with_remedy(self, dataset):
        with pytest.raises(
            ts.InvalidInputError, match=r"splits 'train', 'test'; choose one, such as data\['train'\]"
        ):
            ts.count(datasets.DatasetDict({"train": dataset, "test": dataset}))
        with pytest.raises(ts.InvalidInputError, match="load the dataset without streaming=True"):
            ts.count(dataset.to_iterable_dataset())
        with pytest.raises(ts.UnknownNameError, match="no column named 'labl'; did you mean 'label'"):
            ts.count(dataset, label="labl")

    def test_others_take_them(self, dataset):
        assert ts.audit(dataset).documents == 5
        assert ts.diff(dataset, dataset, text="text").more()["term"].tolist() == []
        assert "<html" in ts.report(dataset)


def test_a_lazy_frame_reads_the_columns_it_needs(tmp_path):
    pl.DataFrame({"text": TEXTS, "label": LABELS, "id": range(5)}).write_parquet(tmp_path / "m.parquet")
    lazy = pl.scan_parquet(tmp_path / "m.parquet")
    assert ts.count(lazy) == EXPECTED
    assert ts.count(lazy.rename({"text": "body"}), text="body", label="label") == EXPECTED
    with pytest.raises(ts.UnknownNameError, match="no column named 'body'"):
        ts.count(lazy, text="body")


def test_columns_of_a_frame_are_joined_and_missing_ones_left_out():
    frame = pd.DataFrame(
        {"title": ["aa", None, "cc"], "body": ["bb", "dd", float("nan")], "label": list("xyx")}
    )
    counts = ts.count(frame, text=["title", "body"], label="label")
    assert counts == ts.count(["aa\nbb", "dd", "cc"], ["x", "y", "x"])
    with pytest.raises(ts.InvalidInputError, match="text and text 2 are both column 'body'; name two"):
        ts.count(frame, text=["body", "body"], label="label")
    frame.loc[1, ["title", "body"]] = None
    with pytest.raises(ts.InvalidInputError, match="row 2 of the data frame has no text"):
        ts.count(frame, text=["title", "body"], label="label")


class TestReaders:
    """What reads documents takes the options of files."""

    @pytest.fixture
    def path(self, tmp_path):
        """Rows without a header, in Latin-1, parted by bars."""
        rows = [("win a prize", "grüße", "spam"), ("lunch at noon", "später", "ham")] * 8
        (tmp_path / "m.txt").write_bytes("".join("|".join(row) + "\n" for row in rows).encode("latin-1"))
        return tmp_path / "m.txt"

    @pytest.fixture
    def options(self):
        """How it is read."""
        columns = {"text": [1, 2], "label": 3, "header": False, "delimiter": "|", "format": "csv"}
        return columns | {"encoding": "utf-8", "encoding_errors": "replace"}

    def test_all_of_them(self, path, options):
        assert ts.count(path, **options).documents == 16
        assert ts.score(path, "bns", **options).terms.tolist() == ts.count(path, **options).terms.tolist()
        assert ts.audit(path, **options).documents == 16
        assert "<html" in ts.report(path, **options)
        assert ts.compare(path, metrics="bns", k=[2], folds=2, repeats=1, **options).documents is not None
        plain = {name: value for name, value in options.items() if name != "label"}
        assert ts.diff(path, path, **plain).names == ("target", "reference")

    def test_rejects_unknown_option(self, path):
        for taker in (ts.compare, ts.audit, ts.report):
            with pytest.raises(
                ts.UnknownNameError, match="no option named 'delimeter'; did you mean 'delimiter'"
            ):
                taker(path, delimeter="|")
        with pytest.raises(ts.InvalidInputError, match="the audit reports incomplete rows"):
            ts.audit(path, on_missing="skip")
