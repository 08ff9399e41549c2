"""Terms in ROC space: isoclines separate the selected terms, points list their words."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import termsift as ts
from strategies import PER_METRIC, samples
from termsift.report.charts import roc_space, save_chart
from termsift.report.plane import MAX_GRID_LINES, Plane, check_has_isoclines, count_grid_lines, isocline

WITHOUT = (
    "tf", "rand", "ig_all", "chi2_all", "bss_wss", "md", "md_chi2", "dfs", "gini", "welch_t",
    "log_odds_prior", "igm", "c_tf_idf", "log_ratio", "lrc", "percent_diff", "simple_maths",
)  # fmt: skip
WITH = [name for name in ts.metrics().names if name not in WITHOUT]
TEXTS = ["free prize the", "free lunch the", "lunch today the", "free prize now", "prize the now"]
LABELS = ["spam", "ham", "ham", "spam", "spam"]


@pytest.fixture
def counts() -> ts.Counts:
    return ts.count(TEXTS, LABELS)


def layers(picture):
    """The data of each layer: points, diagonal, cutoff if any, isoclines."""
    return [layer["data"]["values"] for layer in picture.to_dict()["layer"]]


def divided(data, sample) -> tuple[ts.Counts, object]:
    """Counts and a class of them that has documents both inside and outside."""
    counts = sample.counts()
    apart = (counts.class_sizes > 0) & (counts.class_sizes < counts.documents)
    assume(apart.any() and (counts.term_df > 0).any())
    return counts, data.draw(st.sampled_from([counts.classes[i] for i in np.flatnonzero(apart)]))


class TestIsoclines:
    def test_a_line_lies_where_the_surface_has_the_value(self):
        axis = np.arange(11.0)
        (line,) = isocline(lambda x, y: x**2 + y**2, 25.0, axis, axis)
        assert np.allclose(np.hypot(*line.T), 5)
        assert sorted(line[[0, -1]].round(6).tolist()) == [[0, 5], [5, 0]]

    def test_a_line_around_a_hill_is_closed(self):
        axis = np.arange(11.0)
        (line,) = isocline(lambda x, y: -((x - 5) ** 2) - (y - 5) ** 2, -4.0, axis, axis)
        assert line[0].tolist() == line[-1].tolist()
        assert np.allclose(np.hypot(*(line - 5).T), 2)

    def test_lines_that_meet_in_a_saddle_stay_two(self):
        axis = np.array([0.0, 1.0])
        lines = isocline(lambda x, y: (2 * x - 1) * (2 * y - 1), 0.5, axis, axis)
        assert [len(line) for line in lines] == [2, 2]

    @pytest.mark.parametrize("threshold", [-1.0, 3.0])
    def test_no_line_if_all_or_no_points_reach_the_threshold(self, threshold):
        axis = np.array([0.0, 1.0])
        assert isocline(lambda x, y: x + y, threshold, axis, axis) == []


class TestPlane:
    @pytest.mark.parametrize("metric", WITH)
    @PER_METRIC
    @given(data=st.data(), sample=samples(least=2))
    def test_the_threshold_is_the_score_of_the_kth_term(self, metric, data, sample):
        counts, name = divided(data, sample)
        plane = Plane.from_counts(counts, name, 0)
        scores = ts.score(counts, metric).column(name)[counts.term_df > 0]
        values = plane.surface(metric)(plane.fp, plane.tp)
        np.testing.assert_allclose(values, scores, rtol=1e-9, atol=1e-12)
        k = data.draw(st.integers(1, len(scores)))
        kth = np.sort(scores)[-k]
        ties_included = (scores >= kth - 1e-9 * abs(kth) - 1e-12).sum()
        assert k <= (values >= plane.threshold(metric, k)).sum() <= ties_included

    @pytest.mark.parametrize("metric", WITH)
    @PER_METRIC
    @given(data=st.data(), sample=samples(least=2))
    def test_selected_terms_lie_beyond_the_isocline_and_others_within(self, metric, data, sample):
        counts, name = divided(data, sample)
        plane = Plane.from_counts(counts, name, data.draw(st.sampled_from([0, 1, 2])))
        assume(plane.is_frequent.any())
        threshold = plane.threshold(metric, data.draw(st.integers(1, int(plane.is_frequent.sum()))))
        points = np.concatenate([*plane.isocline(metric, threshold), np.zeros((0, 2))])
        for fp, tp in zip(
            plane.fp[plane.is_frequent].tolist(), plane.tp[plane.is_frequent].tolist(), strict=True
        ):
            own = points[points[:, 0] == fp, 1]
            foot, chosen = plane.surface(metric)(np.array([fp, fp]), np.array([0.0, tp])) >= threshold
            assert foot ^ bool((own < tp).sum() % 2) == chosen

    @pytest.mark.parametrize("metric", WITHOUT)
    def test_metrics_that_need_more_than_cells_have_no_isocline(self, metric):
        with pytest.raises(
            ts.InvalidInputError, match=f"{metric} has no isocline: its scores depend on more"
        ):
            check_has_isoclines(ts.metrics()[metric], "isocline")

    def test_a_grid_contains_the_values_and_both_ends_unless_too_many(self):
        assert {0, 3, 70.5, 100} <= set(count_grid_lines(np.array([3, 70.5]), 100).tolist())
        thinned = count_grid_lines(np.arange(100_000), 200_000)
        assert MAX_GRID_LINES // 2 < len(thinned) <= MAX_GRID_LINES
        assert thinned[[0, 1, 2, -1]].tolist() == [0, 1, 2, 200_000]


class TestPoints:
    def test_a_point_lists_its_words_and_the_metrics_that_select_them(self, counts):
        found = {point["words"]: point for point in layers(roc_space(counts, "spam", ["bns", "df"], k=1))[0]}
        assert set(found) == {"prize", "now", "free", "lunch", "the", "today"}
        assert (found["free"]["fp"], found["free"]["tp"], found["free"]["number"]) == (1, 2, 1)
        assert found["prize"]["selected by"] == "bns"
        assert found["the"]["selected by"] == "df"
        assert found["now"]["selected by"] == "none"

    def test_terms_with_the_same_cells_are_one_point(self):
        words = [f"w{n:02}" for n in range(14)]
        counts = ts.count([" ".join(words), "other"], ["spam", "ham"])
        first, second = layers(roc_space(counts, "spam", ["bns"], k=3))[0]
        assert (first["number"], first["words"]) == (14, f"{', '.join(words[:12])} and 2 more")
        assert (second["number"], second["words"]) == (1, "other")

    def test_stop_words_are_marked(self, counts):
        points = layers(roc_space(counts, "spam", ["bns"], k=2, stop_words=["the", "absent"]))[0]
        assert [point["words"] for point in points if point["kind"] == "stop word"] == ["the"]

    def test_stop_words_are_separate_points(self):
        counts = ts.count(["the prize", "lunch"], ["spam", "ham"])
        points = layers(roc_space(counts, "spam", ["bns"], k=1, stop_words=(w for w in ["the"])))[0]
        assert sorted((p["fp"], p["tp"], p["words"]) for p in points) == [
            (0, 1, "prize"),
            (0, 1, "the"),
            (1, 0, "lunch"),
        ]

    def test_rare_terms_are_drawn_below_the_cutoff_and_not_selected(self, counts):
        points, _, cutoff, _ = layers(roc_space(counts, "spam", ["odds"], k=5, min_df=2))
        assert all(point["fp"] + point["tp"] == pytest.approx(2) for point in cutoff)
        assert {p["words"]: p["selected by"] for p in points}["today"] == "none"

    def test_terms_in_no_document_are_not_drawn(self):
        counts = ts.count(np.array([[1, 0, 0], [0, 0, 1]]), ["spam", "ham"], terms=["a", "b", "c"])
        points = layers(roc_space(counts, "spam", ["bns"], k=1))[0]
        assert [point["words"] for point in points] == ["a", "c"]


class TestChart:
    def test_each_metric_has_a_colour_and_aliases_are_the_metric(self, counts):
        lines = layers(roc_space(counts, "spam", ["bns", "ngl", "cc"], k=2))[-1]
        assert {point["metric"] for point in lines} == {"bns", "cc"}
        assert layers(roc_space(counts, "spam", "ngl", k=2))[-1][0]["metric"] == "cc"

    def test_the_chart_can_be_moved_and_zoomed(self, counts):
        (param,) = roc_space(counts, "spam", ["bns"], k=2).to_dict()["params"]
        assert param["bind"] == "scales"

    def test_weighted_counts_and_classes_that_are_numbers(self, tmp_path):
        counts = ts.count(TEXTS, [1, 0, 0, 1, 1], sample_weight=np.array([0.5, 1, 1.5, 1, 0.25]))
        save_chart(roc_space(counts, 1, k=2), tmp_path / "roc.svg")
        assert "documents of 1" in (tmp_path / "roc.svg").read_text(encoding="utf-8")

    def test_equal_counts_give_equal_charts(self, counts):
        assert roc_space(counts, "spam", k=2).to_json() == roc_space(counts, "spam", k=2).to_json()


class TestInvalidInput:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"for_class": "span"}, "no class named 'span'; did you mean 'spam'?"),
            ({"metrics": ["chi"]}, "no metric named 'chi'; did you mean 'chi2'?"),
            ({"metrics": ["bns", "rand"]}, "rand has no isocline"),
            ({"k": 0}, "k must be at least 1, got 0"),
            ({"k": 7}, "k must be at most 6, the number of terms to select from, got 7"),
            ({"min_df": 3, "k": 4}, "k must be at most 3, the number of terms to select from, got 4"),
            ({"stop_words": "english"}, "stop_words must be a list of words, got the string 'english'"),
            ({"counts": [1]}, "roc_space takes Counts, got list"),
        ],
    )
    def test_invalid_arguments_raise_one_line_errors(self, counts, arguments, message):
        with pytest.raises(ts.TermsiftError, match=re.escape(message)):
            roc_space(**({"counts": counts, "for_class": "spam", "k": 2} | arguments))

    def test_rejects_a_class_of_all_documents(self):
        with pytest.raises(ts.InvalidInputError, match="only 1 class: all documents are in 'spam'"):
            roc_space(ts.count(["aa bb", "aa"], ["spam", "spam"]), "spam", ["bns"], k=1)


class TestFiles:
    @pytest.mark.parametrize(
        "name, start", [("a.svg", b"<svg"), ("a.PNG", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")]
    )
    def test_the_extension_sets_the_format(self, counts, tmp_path, name, start):
        save_chart(roc_space(counts, "spam", ["bns"], k=2), tmp_path / name)
        assert (tmp_path / name).read_bytes().lstrip().startswith(start)
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_a_page_needs_no_network(self, counts, tmp_path):
        save_chart(roc_space(counts, "spam", ["bns"], k=2), tmp_path / "roc.html")
        page = (tmp_path / "roc.html").read_text(encoding="utf-8")
        assert "https://cdn" not in page
        assert not re.search(r"<(script|link)\b[^>]*\b(src|href)=", page)
        assert '"words": "lunch"' in page

    def test_words_cannot_end_the_script_element(self, tmp_path):
        word = "</script><script>alert(1)</script>"
        counts = ts.count([word, "b"], ["spam", "ham"], analyzer=str.split)
        save_chart(roc_space(counts, "spam", ["bns"], k=1), tmp_path / "roc.html")
        assert word not in (tmp_path / "roc.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", ["roc", "roc.gif"])
    def test_rejects_other_extensions(self, counts, tmp_path, name):
        with pytest.raises(
            ts.InvalidInputError,
            match=r"a chart file must have the extension \.html, \.png, \.svg or \.pdf, got",
        ):
            save_chart(roc_space(counts, "spam", ["bns"], k=2), tmp_path / name)
        assert not list(tmp_path.iterdir())
