"""Charts of scores and comparisons, and the files that `report --export` writes."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from report_pages import corpus, findings, spread_corpus
from termsift.report import export_charts, plot_curve, plot_effects, plot_terms, save_chart
from termsift.report.plots import CHARACTER_WIDTH, HEIGHT, LINE_HEIGHT, MARGIN, WIDTH


@pytest.fixture(scope="module")
def scores() -> ts.Scores:
    return ts.score(ts.count(*corpus()), "ig")


@pytest.fixture(scope="module")
def dense() -> ts.Scores:
    """Scores of hundreds of significant terms."""
    return ts.score(ts.count(*spread_corpus()), "ig")


def data_of(chart, name):
    return chart.to_dict()["datasets"][name]


def label_boxes(labels, counts):
    """Left, top, right and bottom of each label, from the scales of the chart."""
    boxes = []
    axes = (("x", counts.documents - counts.class_sizes[0], WIDTH), ("y", counts.class_sizes[0], HEIGHT))
    plane_fp = counts.term_df - counts.df.toarray()[:, 0]
    ends = plane_fp.max(), counts.df.toarray()[:, 0].max()
    for label in labels:
        x, y = (
            MARGIN + (size - 2 * MARGIN) * np.log1p(label[axis] * documents) / np.log1p(end)
            for (axis, documents, size), end in zip(axes, ends, strict=True)
        )
        width = CHARACTER_WIDTH * len(label["text"])
        left = x + label["dx"] - width * {"left": 0, "center": 0.5, "right": 1}[label["align"]]
        middle = HEIGHT - y + label["dy"]
        boxes.append((left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2))
    return boxes


def test_the_bars_are_the_effects_of_the_best_significant_terms(scores):
    rows = plot_effects(scores, ["sea"], 3).to_dict()["data"]["values"]
    wanted = [
        row
        for side in ("positive", "negative")
        for row in scores.top("sea", 3, direction=side, expected=0.05)
    ]
    wanted.sort(key=lambda row: -row["effect"])
    assert [row["term"] for row in rows] == [row["term"] for row in wanted]
    assert [row["effect"] for row in rows] == pytest.approx([row["effect"] for row in wanted])
    assert all(row["low"] <= row["effect"] <= row["high"] for row in rows)


def test_labels_of_a_map_do_not_overlap_and_stay_inside(dense):
    labels = data_of(plot_terms(dense, "a"), "labels")
    assert len(labels) > 100
    boxes = label_boxes(labels, dense.counts)
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert -0.01 <= left < right <= WIDTH + 0.01
        assert -0.01 <= top < bottom <= HEIGHT + 0.01
        for left2, top2, right2, bottom2 in boxes[:i]:
            assert (
                right <= left2 + 0.01
                or right2 <= left + 0.01
                or bottom <= top2 + 0.01
                or bottom2 <= top + 0.01
            )


def test_the_best_terms_of_a_map_have_labels(scores):
    labels = [label["text"] for label in data_of(plot_terms(scores, "sea"), "labels")]
    best = scores.top("sea", 3, expected=0.05)["term"].tolist()
    assert set(best) <= set(labels)
    assert len(data_of(plot_terms(scores, "sea", max_labels=2), "labels")) == 2


def test_nested_ngrams_have_no_labels():
    texts = ["the new york city bus"] * 20 + ["a bus"] * 20
    scores = ts.score(
        ts.count(texts, ["x"] * 20 + ["y"] * 20, analyzer=ts.Analyzer(ngram_range=(1, 3))), "ig"
    )
    labels = [label["text"] for label in data_of(plot_terms(scores, "x"), "labels")]
    assert "new york" not in labels
    assert "new york city" in labels


@pytest.mark.parametrize("extension", [".svg", ".png", ".pdf", ".html"])
def test_every_chart_is_written_in_every_format(scores, tmp_path, extension):
    charts = {"bars": scores.plot(), "map": scores.plot_roc("sea"), "curve": plot_curve(findings())}
    beginnings = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
    for name, chart in charts.items():
        path = tmp_path / f"{name}{extension}"
        save_chart(chart, path)
        assert path.read_bytes().lstrip().startswith(beginnings[extension])


def test_the_curve_shows_the_recommended_method():
    chart = plot_curve(findings()).to_dict()
    text = str(chart["title"]["subtitle"])
    assert "recommended (bns, linear SVM, 10 terms)" in text
    assert chart["title"]["text"] == "Macro-averaged F1 by number of terms"


def test_classes_with_similar_names_are_exported_to_files_of_their_own(tmp_path):
    texts, names = ["sun sand", "snow ice", "rain wet", "fog dim"] * 12, ["A/B", "a b", "a*b", "../c"]
    scores = ts.score(ts.count(texts, names * 12), "ig")
    paths = export_charts(scores, names, tmp_path)
    assert len({path.name.casefold() for path in paths}) == len(paths) == 16
    assert all(path.parent == tmp_path and path.stat().st_size for path in paths)


def test_a_class_without_significant_terms_has_a_map_only(tmp_path):
    scores = ts.score(ts.count(["aa bb", "aa cc", "cc bb"], ["x", "y", "x"]), "ig")
    names = {path.name for path in export_charts(scores, ["x"], tmp_path)}
    assert names == {"x-map.svg", "x-map.png"}
    with pytest.raises(ts.InvalidInputError, match="no significant terms to draw"):
        scores.plot("x")


def test_report_exports_the_figures_of_each_class(run, tmp_path):
    texts, labels = corpus()
    lines = "".join(
        f"{text},{label}\n" for text, label in zip((t.replace(",", "") for t in texts), labels, strict=True)
    )
    (tmp_path / "d.csv").write_text("text,label\n" + lines)
    folder = tmp_path / "new" / "figures"
    code, _, err = run("report", tmp_path / "d.csv", "-o", tmp_path / "r.html", "--export", folder)
    assert code == 0
    assert {path.name for path in folder.iterdir()} == {
        f"{name}-{kind}.{ending}"
        for name in ("sea", "town", "wood")
        for kind in ("map", "effects")
        for ending in ("svg", "png")
    }
    assert "12 figures written to" in err
    code, _, err = run(
        "report", tmp_path / "d.csv", "-o", tmp_path / "r.html", "--export", tmp_path / "d.csv"
    )
    assert (code, "needs a folder" in err) == (1, True)


def test_the_title_of_a_contrast_names_both_classes(run, tmp_path):
    texts, labels = corpus()
    lines = "".join(
        f"{text},{label}\n" for text, label in zip((t.replace(",", "") for t in texts), labels, strict=True)
    )
    (tmp_path / "d.csv").write_text("text,label\n" + lines)
    run("report", tmp_path / "d.csv", "-o", tmp_path / "r.html", "--class", "sea", "--reference", "wood")
    assert "<title>Terms of d.csv: sea against wood</title>" in (tmp_path / "r.html").read_text(
        encoding="utf-8"
    )
