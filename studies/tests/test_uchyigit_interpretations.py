"""Interpretations of Uchyigit and Clark (2007): their effect on posts and words, and the committed results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import termsift as ts
import termsift_studies
from termsift_studies.publishing import ResultTables
from termsift_studies.uchyigit_clark.plan import (
    MAIN_LABEL,
    RUNS,
    TRIED,
)
from termsift_studies.uchyigit_clark.results import TEN
from termsift_studies.uchyigit_clark.trials import (
    METHODS,
    OTHERS,
    UchyigitInterpretation,
    Words,
    group_ranking,
    interpretation_folds,
    load_posts,
    split_fold,
)

GROUP = "sci.space"
ROOT = Path(__file__).parent.parent
COMMITTED = ResultTables(ROOT / "results")


@pytest.fixture(scope="module")
def found(data_folder):
    """The posts as the study reads them."""
    return load_posts(Words(), data_folder)[0]


def test_words_that_tie_come_by_frequency_by_rarity_or_by_the_alphabet(found):
    fold = split_fold(found, 0, 1, [GROUP])
    ways = ("frequent", "rare", "alphabet")
    frequent, rare, first = (group_ranking(fold, METHODS["MI"], ties).orders[0] for ties in ways)
    mi = np.asarray(ts.score(fold.train.counts, "mi"))[:, 0]
    assert all(len(np.unique(mi[order])) == 1 for order in (frequent, rare, first))
    assert (np.diff(fold.train.counts.term_df[frequent]) <= 0).all()
    assert (np.diff(fold.train.counts.term_df[rare]) >= 0).all()
    assert (np.diff(first) > 0).all()


def test_scores_without_their_sign_rank_by_size(found):
    fold = split_fold(found, 0, 1, [GROUP])
    counts = fold.train.counts
    for name, metric in (("NGL", "cc"), ("GSS without its sign", "gss"), ("MI without its sign", "mi")):
        values = np.abs(np.asarray(ts.score(counts, metric)))[:, 0]
        order = group_ranking(fold, (METHODS | OTHERS)[name], "frequent").orders[0]
        assert (np.diff(values[order]) <= 1e-9).all()
        assert values[order].min() >= np.delete(values, order).max() - 1e-9


@pytest.mark.parametrize("balanced", ["training", "both"])
def test_a_balanced_part_has_as_many_posts_of_others(found, balanced):
    whole = split_fold(found, 0, 1, [GROUP])
    (fold,) = interpretation_folds(found, 0, UchyigitInterpretation(balanced=balanced), [GROUP])
    assert fold.train.truth.sum() * 2 == len(fold.train) == whole.train.truth.sum() * 2
    assert fold.truth.sum() == whole.truth.sum()
    assert len(fold.truth) == fold.test.shape[0]
    assert len(fold.truth) == (2 * fold.truth.sum() if balanced == "both" else len(whole.truth))
    assert fold.train.counts.term_df.min() == 1


def test_a_word_may_count_once_in_a_post(found):
    (fold,) = interpretation_folds(found, 0, UchyigitInterpretation(occurrences=False), [GROUP])
    assert set(fold.train.rows.data) == set(fold.test.data) == {1}
    assert fold.train.counts.term_tf.tolist() == fold.train.counts.term_df.tolist()


def test_the_interpretations_are_counted_by_verdict(found, data_folder, tmp_path):
    done = termsift_studies.run(
        "uchyigit-clark-interpretations", quick=True, folder=tmp_path / "s", data_dir=data_folder
    )
    lines = list(done.tables["summary"])
    own = [
        name for name, interpretation in TRIED.items() if interpretation.run in (MAIN_LABEL, "rarest first")
    ]
    assert [line["interpretation"] for line in lines] == own
    # that NGL does not differ from CHI counts only if NGL has a sign
    for line in lines:
        counted = 14 + ("NGL" in TRIED[line["interpretation"]].score_names)
        assert line["holds"] + line["holds in part"] + line["does not hold"] == counted
    assert len(done.tables["statements"]) == 15 * len(own)
    assert all(0 < line["interpretations tried"] < len(own) for line in done.tables["failing"])


def test_every_interpretation_combines_known_choices():
    assert {interpretation.run for interpretation in TRIED.values()} == set(RUNS)
    scores = set(METHODS) | set(OTHERS)
    for interpretation in TRIED.values():
        assert set(interpretation.scores) <= set(TEN)
        assert set(interpretation.scores.values()) <= scores


class TestCommitted:
    """What the results of the whole runs say."""

    def test_the_main_line_is_the_interpretation_with_support_in_which_most_holds(self):
        found = COMMITTED.rows("uchyigit-clark-interpretations", "summary")
        holds = {row["interpretation"]: int(row["holds"]) for row in found}
        assert list(holds) == list(TRIED)
        supported = [row["interpretation"] for row in found if row["support"] not in ("", "silent")]
        assert max(holds[interpretation] for interpretation in supported) == holds[MAIN_LABEL]
        nearer = [interpretation for interpretation in holds if holds[interpretation] > holds[MAIN_LABEL]]
        page = (ROOT / "docs" / "uchyigit-clark.md").read_text(encoding="utf-8")
        assert all(f"{interpretation} ({holds[interpretation]})" in page for interpretation in nearer)

    def test_each_failing_statement_was_tried_in_three_interpretations(self):
        (main, *_) = COMMITTED.rows("uchyigit-clark-interpretations", "summary")
        failing = COMMITTED.rows("uchyigit-clark-interpretations", "failing")
        assert len(failing) == 14 - int(main["holds"])
        assert all(int(row["interpretations tried"]) >= 3 for row in failing)

    def test_of_the_selected_words_and_gu_as_printed_the_four_best_are_the_papers(self):
        claim = "CHI, GU, BSS/WSS and NGL are the best with naive Bayes"
        rows = COMMITTED.rows("uchyigit-clark-matrix", "statements")
        verdicts = {row["interpretation"]: row["verdict"] for row in rows if row["statement"] == claim}
        assert [name for name in verdicts if verdicts[name] == "holds"] == [
            "matrix, selected words, GU counts"
        ]
        (posts,) = (r for r in COMMITTED.rows("uchyigit-clark", "verdicts") if r["statement"] == claim)
        assert [name for name in posts if posts[name] == "holds"] == ["selected words, GU counts"]

    def test_gu_has_the_best_f1_and_f2_in_the_main_line(self):
        rows = COMMITTED.rows("uchyigit-clark", "summary")
        main = [row for row in rows if row["vocabulary"] == "room for all words"]
        for goal in ("f1", "f2"):
            assert max(main, key=lambda row: float(row[goal]))["metric"] == "GU proportions"
