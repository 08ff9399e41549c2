"""Forms of input that people try first: plain folders, data frames as they are, saved counts by path."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import termsift as ts

TEXTS = ["free prize win", "see you at lunch"] * 10
LABELS = ["spam", "ham"] * 10


@pytest.fixture
def folders(tmp_path):
    """Two folders of text files, without tables or class folders."""
    for label in ("spam", "ham"):
        (tmp_path / label).mkdir()
    for i, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)):
        (tmp_path / label / f"{i:02}.txt").write_text(text)
    return tmp_path


class TestPlainFolders:
    def test_two_folders_are_two_classes(self, folders):
        expected = ts.count(TEXTS, LABELS)
        assert ts.count([folders / "spam", folders / "ham"]) == expected
        assert ts.count(f"{folders}/*/*.txt") == expected
        assert ts.count([str(path) for path in sorted(folders.glob("*/*.txt"))]) == expected

    @pytest.mark.parametrize("form", ["{}/{}", "{}/{}/", "{}/{}/*.txt"])
    def test_folders_and_patterns_are_corpora_to_compare(self, run, folders, form):
        target, reference = (form.format(folders, name) for name in ("spam", "ham"))
        difference = ts.diff(target, reference)
        assert set(difference.more(10)["term"]) == {"free", "prize", "win"}
        assert run("diff", target, reference)[0] == 0
        assert run("keyness", target, reference)[0] == 0

    def test_one_folder_without_classes_has_no_labels_to_score(self, folders):
        with pytest.raises(ts.UnreadableFileError, match="neither data files nor one folder"):
            ts.count(folders / "spam")

    def test_files_that_are_not_text_are_skipped_on_request(self, run, folders):
        (folders / "spam" / "99.txt").write_bytes(b"free \0 prize")
        (folders / "ham" / "99.txt").write_bytes("caf\xe9".encode("latin-1"))
        with pytest.raises(ts.UnreadableFileError, match="skip such files: on_bad_file='skip'"):
            ts.count(folders)
        with pytest.warns(ts.TermsiftWarning, match=r"not text \(2\): .*ham/99.txt, .*spam/99.txt$"):
            assert ts.count(folders, on_bad_file="skip") == ts.count(TEXTS, LABELS)
        code, _, err = run("score", folders, "--on-bad-file", "skip")
        assert code == 0
        assert "skipped files that are not text (2): " in err
        assert (
            "no policy for files that are not text named 'no'"
            in run("count", folders, "--on-bad-file", "no")[2]
        )


class TestDataFrames:
    FRAME = pd.DataFrame({"id": range(20), "text": TEXTS, "label": LABELS})

    @pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
    def test_columns_text_and_label_are_found(self, convert):
        frame = convert(self.FRAME)
        assert ts.count(frame) == ts.count(TEXTS, LABELS)
        assert ts.audit(frame).summary["check"].tolist()

    def test_a_frame_without_them_is_an_error_that_names_the_options(self):
        with pytest.raises(ts.InvalidInputError, match="needs the columns text and label, or their names"):
            ts.count(self.FRAME.rename(columns={"text": "body"}))

    @pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, lambda f: pl.from_pandas(f).lazy()])
    def test_incomplete_rows_are_an_error_or_skipped(self, convert):
        rows = pd.DataFrame({"id": [0, 1], "text": [None, "free"], "label": ["spam", None]})
        frame = convert(pd.concat([rows[:1], self.FRAME, rows[1:]]))
        with pytest.raises(ts.InvalidInputError, match=r"^row 1 of the data frame has no text; fix it"):
            ts.count(frame)
        with pytest.warns(ts.TermsiftWarning, match="2 of 22 rows without a text or a label were skipped"):
            assert ts.count(frame, on_missing="skip") == ts.count(TEXTS, LABELS)

    def test_labels_are_split_as_those_of_files(self, tmp_path):
        frame = self.FRAME.assign(label=["a | b", "b"] * 10)
        frame.to_csv(tmp_path / "f.csv")
        counts = ts.count(frame, label_separator="|")
        assert counts == ts.count(tmp_path / "f.csv", label_separator="|")
        assert counts.classes == ("a", "b")


def test_saved_counts_are_scored_by_path(tmp_path):
    counts = ts.count(TEXTS, LABELS)
    counts.save(tmp_path / "c.counts")
    assert (ts.score(tmp_path / "c.counts", "bns").values == ts.score(counts, "bns").values).all()
    assert (ts.score(tmp_path / "c.counts").values == ts.score(counts, "ig").values).all()
    assert ts.report(tmp_path / "c.counts") == ts.report(counts)


def test_the_default_metric_is_ig():
    expected = ts.score(ts.count(TEXTS, LABELS), "ig").values
    for scores in (ts.score(TEXTS, LABELS), ts.score(ts.count(TEXTS, LABELS))):
        assert (scores.values == expected).all()


def test_select_takes_a_number_of_terms():
    counts = ts.count(TEXTS, LABELS)
    assert ts.select(counts, "ig", k=3).terms == ts.select(counts, "ig", ts.TopK(3)).terms
    assert ts.select(counts, "ig:round_robin", k=3).terms == ts.select(counts, "ig", ts.RoundRobin(3)).terms
    with pytest.raises(ts.InvalidInputError, match="has no number of terms; omit k=3"):
        ts.select(counts, "ig:Threshold(0.1)", k=3)


def test_a_first_row_that_looks_like_data_is_pointed_out(run, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{text} today,{label}\n" for text, label in zip(TEXTS, LABELS, strict=True)))
    message = run("score", path)[2]
    assert message.endswith("; if the first row is data: --no-header --text 1 --label 2\n")
    assert run("score", path, *message.split(": ")[-1].split())[0] == 0
    path.write_text("subject,topic\nfree,spam\n")
    assert "first row" not in run("score", path)[2]


class TestNumericLabels:
    def test_measurements_are_pointed_out(self, run, tmp_path):
        rows = "".join(f"free prize {i},{i * 0.5}\n" for i in range(60))
        (tmp_path / "prices.csv").write_text("text,label\n" + rows)
        assert (
            "60 different numbers from 0 to 29.5; termsift does not predict numbers (regression)"
            in run("score", tmp_path / "prices.csv")[2]
        )

    @pytest.mark.parametrize("command", ["score", "audit", "report", "compare"])
    def test_each_command_points_them_out_once(self, run, tmp_path, command):
        rows = "".join(f"free prize {i},{i // 2 * 0.5}\n" for i in range(120))
        (tmp_path / "prices.csv").write_text("text,label\n" + rows)
        options = {"report": ["-o", tmp_path / "r.html"], "compare": ["--budget", 1]}.get(command, [])
        assert run(command, tmp_path / "prices.csv", *options)[2].count("different numbers") == 1

    def test_scores_of_texts_point_them_out(self):
        with pytest.warns(ts.TermsiftWarning, match="60 different numbers"):
            ts.score([f"free {i}" for i in range(60)], [i / 2 for i in range(60)])

    def test_numbered_classes_are_not(self, recwarn):
        from termsift.engines import warn_numeric_labels

        warn_numeric_labels([str(i) for i in range(77)], 10_000)
        warn_numeric_labels([1, 1.5, 2], 10)
        assert not recwarn


class TestDataFrameOutput:
    def test_a_pipeline_returns_named_sparse_columns(self):
        pipeline = make_pipeline(ts.TermVectorizer()).set_output(transform="pandas")
        texts = pd.Series(TEXTS, index=range(5, 25))
        frame = pipeline.fit_transform(texts)
        assert list(frame.columns) == ["at", "free", "lunch", "prize", "see", "win", "you"]
        assert list(frame.index) == list(texts.index)
        assert all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes)
        assert (frame.to_numpy() == ts.TermVectorizer().fit_transform(TEXTS).toarray()).all()
        assert clone(pipeline).fit(TEXTS).transform(TEXTS).equals(frame.reset_index(drop=True))

    @pytest.mark.parametrize(
        "step",
        [
            ts.TermSelector(k=3),
            ts.PositiveNegativeSelector(k=3),
            ts.GreedyDiscriminationSelector(k=3),
            ts.RedundancyAwareSelector(k=3),
            ts.TermWeighter(),
            ts.WordClusterExtractor(n_clusters=2),
            ts.ClassWeightExtractor(),
        ],
        ids=lambda step: type(step).__name__,
    )
    def test_a_step_after_it_keeps_the_index_and_the_values(self, step):
        expected = make_pipeline(ts.TermVectorizer(), clone(step)).fit_transform(TEXTS, LABELS)
        pipeline = make_pipeline(ts.TermVectorizer(), clone(step)).set_output(transform="pandas")
        texts = pd.Series(TEXTS, index=range(5, 25))
        frame = pipeline.fit_transform(texts, LABELS)
        dense = expected.toarray() if issparse(expected) else expected
        assert (frame.to_numpy() == dense).all()
        assert list(frame.columns) == list(pipeline.get_feature_names_out())
        assert list(frame.index) == list(texts.index)

    def test_a_classifier_after_it_gives_the_same_predictions(self):
        pipeline = make_pipeline(ts.TermVectorizer(), LogisticRegression())
        expected = pipeline.fit(TEXTS, LABELS).predict_proba(TEXTS)
        pipeline[0].set_output(transform="pandas")
        assert pipeline.fit(TEXTS, LABELS).predict_proba(TEXTS) == pytest.approx(expected, abs=1e-12)

    def test_containers_without_sparse_columns_are_refused(self):
        with pytest.raises(ts.InvalidInputError, match=r"'default' or 'pandas'.*'polars'"):
            ts.TermVectorizer().set_output(transform="polars")
