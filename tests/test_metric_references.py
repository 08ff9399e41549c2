"""Every metric against a reference that knows nothing of termsift, and against numbers worked by hand."""

import functools
import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse, stats

import termsift as ts
from reference import (
    OF_CELLS,
    OF_CLASS,
    OF_TERM,
    PARTS,
    REFERENCES,
    Reference,
    bss_wss_all,
    cells,
    upper_tail,
)

assert_close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


class Case(NamedTuple):
    """A metric with its options, and the reference that answers it."""

    metric: str
    options: dict[str, Any]
    reference: Reference
    of_term: bool


class Corpus(NamedTuple):
    """A matrix of counts with the labels as termsift takes them and as sets."""

    X: Any
    labels: Any
    held: list[set[Hashable]]
    classes: list[Hashable]

    @property
    def terms(self) -> list[str]:
        return [f"t{column}" for column in range(self.X.shape[1])]

    @property
    def documents(self) -> list[dict[str, int]]:
        dense = self.X.toarray() if sparse.issparse(self.X) else self.X
        return [dict(zip(self.terms, row, strict=True)) for row in dense.tolist()]

    @property
    def counts(self) -> ts.Counts:
        return ts.count(self.X, self.labels, terms=self.terms)


def of_class(metric: str, **options: Any) -> Case:
    return Case(metric, options, functools.partial(OF_CLASS[metric], **options), of_term=False)


def of_term(metric: str, **options: Any) -> Case:
    return Case(metric, options, functools.partial(OF_TERM[metric], **options), of_term=True)


OF_ALL_GROUPS = Case("bss_wss", {"groups": "all"}, bss_wss_all, of_term=True)
CASES = [
    *map(of_class, OF_CLASS),
    *map(of_term, OF_TERM),
    *(Case(metric, {"per_class": True}, part, of_term=False) for metric, part in PARTS.items()),
    OF_ALL_GROUPS,
    of_class("acc2", signed=True),
    of_class("bns", signed=True),
    of_class("ig", smoothing=0.5),
    of_class("ig", smoothing=1.0),
    of_class("sig", smoothing=2.0),
    of_class("or", smoothing=1.0),
    of_class("ors", smoothing=0.1),
    of_class("mi", smoothing=1.0),
    of_class("pow", k=1),
    of_class("pow", k=3),
    of_class("fisher", of="tf"),
    of_class("gu", printed=True),
    of_class("log_odds_prior", prior=0.01),
    of_class("log_odds_prior", prior=10.0),
    of_term("igm", of="tf"),
]
SINGLE_LABEL_CASES = [OF_ALL_GROUPS, *(case for case in CASES if case.metric == "ig_all")]
ANY_LABEL_CASES = [case for case in CASES if case not in SINGLE_LABEL_CASES]


def case_id(case: Case) -> str:
    return case.metric + "".join(f"-{name}={value}" for name, value in case.options.items())


def single_label(X: Any, labels: Sequence[Hashable]) -> Corpus:
    return Corpus(X, list(labels), [{label} for label in labels], sorted(set(labels)))


def random_counts(rng: np.random.Generator, documents: int, terms: int, most: int) -> np.ndarray:
    """Counts of 0 to `most`, each term with a density of its own."""
    present = rng.random((documents, terms)) < rng.uniform(0.05, 0.95, terms)
    return present * rng.integers(1, most + 1, (documents, terms))


def three_classes() -> Corpus:
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b", "c"], 40, p=[0.6, 0.25, 0.15])
    return single_label(sparse.csr_array(random_counts(rng, 40, 25, 6)), labels.tolist())


def two_classes() -> Corpus:
    rng = np.random.default_rng(2)
    labels = rng.choice(["ham", "spam"], 30, p=[0.7, 0.3])
    return single_label(random_counts(rng, 30, 20, 4), labels.tolist())


def several_labels() -> Corpus:
    """No, one, two or three labels a document."""
    rng = np.random.default_rng(3)
    indicator = rng.random((35, 3)) < [0.6, 0.3, 0.2]
    labels = [[name for name, held in zip("abc", row, strict=True) if held] for row in indicator]
    X = sparse.csc_array(random_counts(rng, 35, 20, 5))
    return Corpus(X, labels, [set(row) for row in labels], list("abc"))


def indicator_matrix() -> Corpus:
    """A class of no document, a class of all, and three between."""
    rng = np.random.default_rng(4)
    indicator = (rng.random((30, 5)) < [0, 1, 0.5, 0.3, 0.2]).astype(int)
    held = [set(np.flatnonzero(row).tolist()) for row in indicator]
    return Corpus(random_counts(rng, 30, 15, 3), indicator, held, [0, 1, 2, 3, 4])


def skewed() -> Corpus:
    """A class of one document; separators of each class, a term in all, in none, in a single document."""
    rng = np.random.default_rng(5)
    labels = np.array(["big"] * 24 + ["one"] + ["small"] * 5)
    exact = [labels == "one", labels == "small", labels == "big", labels != "one", labels != "small"]
    shapes = [
        *exact,
        *(2 * column for column in exact),
        np.ones(30),
        np.zeros(30),
        3 * np.ones(30),
        labels == "one",
    ]
    single = np.eye(30)[:, [0, 24, 29]]
    X = np.column_stack([*shapes, single, random_counts(rng, 30, 6, 2)]).astype(int)
    return single_label(sparse.coo_array(X), labels.tolist())


def long() -> Corpus:
    """1,500 documents, terms in 1,000 of them, in 1,001 and in more, and tails below the smallest float."""
    rng = np.random.default_rng(6)
    labels = np.array(["big"] * 1100 + ["mid"] * 300 + ["rare"] * 100)
    density = np.concatenate([rng.uniform(0.7, 1, 15), rng.uniform(0, 0.05, 15), rng.uniform(0, 1, 22)])
    tilt = rng.uniform(0.6, 1.4, (3, 52))[np.repeat([0, 1, 2], [1100, 300, 100])]
    drawn = (rng.random((1500, 52)) < density * tilt) * rng.integers(1, 4, (1500, 52))
    exact = np.column_stack([labels == "big", labels != "big", labels == "mid", labels != "rare"])
    runs = np.column_stack(
        [np.arange(1500) < 1000, np.arange(1500) < 1001, np.arange(1500) >= 499, labels > ""]
    )
    return single_label(sparse.csr_array(np.column_stack([exact, runs, drawn]).astype(int)), labels.tolist())


CORPORA = {
    make.__name__: make()
    for make in (three_classes, two_classes, several_labels, indicator_matrix, skewed, long)
}
SINGLE_LABEL = ["three_classes", "two_classes", "skewed", "long"]
SEVERAL_LABELS = ["several_labels", "indicator_matrix"]


def expected(corpus: Corpus, case: Case) -> np.ndarray:
    """The reference's scores, (terms,) or (terms, classes)."""
    documents, held = corpus.documents, corpus.held
    if case.of_term:
        return np.array([case.reference(documents, held, term) for term in corpus.terms])
    rows = [
        [case.reference(documents, held, term, klass) for klass in corpus.classes] for term in corpus.terms
    ]
    return np.array(rows, dtype=float)


def scores(counts: ts.Counts, case: Case) -> np.ndarray:
    return np.asarray(ts.score(counts, case.metric, **case.options))


def test_every_metric_has_a_reference() -> None:
    assert {metric.name for metric in ts.metrics()} == {*REFERENCES, "rand"}


def test_every_option_of_every_metric_is_tried() -> None:
    tried = {(case.metric, option) for case in CASES for option in case.options}
    assert tried == {(m.name, option) for m in ts.metrics() for option in m.options if m.name != "rand"}


@pytest.mark.parametrize("case", CASES, ids=case_id)
@pytest.mark.parametrize("name", SINGLE_LABEL)
def test_scores_equal_the_reference(name: str, case: Case) -> None:
    corpus = CORPORA[name]
    assert_close(scores(corpus.counts, case), expected(corpus, case))


@pytest.mark.parametrize("case", ANY_LABEL_CASES, ids=case_id)
def test_scores_equal_the_reference_with_several_labels(case: Case) -> None:
    corpus = CORPORA["several_labels"]
    assert_close(scores(corpus.counts, case), expected(corpus, case))


@pytest.mark.parametrize("case", ANY_LABEL_CASES, ids=case_id)
def test_scores_equal_the_reference_with_an_indicator_matrix(case: Case) -> None:
    corpus = CORPORA["indicator_matrix"]
    assert_close(scores(corpus.counts, case), expected(corpus, case))


@pytest.mark.parametrize("case", SINGLE_LABEL_CASES, ids=case_id)
@pytest.mark.parametrize("name", SEVERAL_LABELS)
def test_a_metric_of_one_label_a_document_refuses_several(name: str, case: Case) -> None:
    with pytest.raises(ts.InvalidInput):
        scores(CORPORA[name].counts, case)


@pytest.mark.parametrize("name", CORPORA)
def test_columns_are_the_classes_in_order(name: str) -> None:
    assert list(CORPORA[name].counts.classes) == CORPORA[name].classes


def test_the_long_corpus_has_terms_in_more_than_a_thousand_documents() -> None:
    df = (CORPORA["long"].X > 0).sum(axis=0)
    assert (df > 1000).sum() >= 5
    assert (df < 1000).sum() >= 5


@pytest.mark.parametrize("metric", [m for m in ts.metrics() if m.aliases], ids=lambda m: m.name)
def test_an_alias_scores_as_its_name(metric: Any) -> None:
    counts = CORPORA["three_classes"].counts
    for alias in metric.aliases:
        np.testing.assert_array_equal(ts.score(counts, alias), ts.score(counts, metric.name))


def test_rand_is_one_seeded_uniform_number_a_term() -> None:
    counts = CORPORA["long"].counts
    first, again, other = (np.asarray(ts.score(counts, "rand", random_state=seed)) for seed in (7, 7, 8))
    assert first.shape == (60,)
    assert ((first >= 0) & (first < 1)).all()
    assert len(set(first)) == 60
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Up to 8 documents, 5 terms, 3 classes; no, one or several labels a document."""
    documents, terms = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    row = st.lists(st.sampled_from([0, 0, 1, 3]), min_size=terms, max_size=terms)
    X = np.array(draw(st.lists(row, min_size=documents, max_size=documents)))
    subset = st.lists(st.sampled_from("abc"), unique=True, max_size=draw(st.integers(1, 3)))
    labels = draw(st.lists(subset, min_size=documents, max_size=documents))
    held = [set(row) for row in labels]
    assume(0 < sum("a" in row for row in held) < documents)  # something to tell apart
    return Corpus(X, labels, held, sorted(set().union(*held)))


@given(corpora())
def test_scores_of_any_small_corpus_equal_the_reference(corpus: Corpus) -> None:
    counts = corpus.counts
    for case in ANY_LABEL_CASES:
        assert_close(scores(counts, case), expected(corpus, case), err_msg=case_id(case))


@given(corpora(), st.data())
def test_scores_of_any_small_corpus_of_one_label_equal_the_reference(
    corpus: Corpus, data: st.DataObject
) -> None:
    labels = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(corpus.labels), max_size=len(corpus.labels))
    )
    assume(len(set(labels)) > 1)
    one_label = single_label(corpus.X, labels)
    for case in SINGLE_LABEL_CASES:
        assert_close(scores(one_label.counts, case), expected(one_label, case), err_msg=case_id(case))


def z_of(table: tuple[int, int, int, int]) -> float:
    """The z of the two proportions, pooled."""
    a, b, c, d = table
    p = (a + b) / (a + b + c + d)
    spread = p * (1 - p) * (1 / (a + c) + 1 / (b + d)) if a + c and b + d else 0
    return (a / (a + c) - b / (b + d)) / math.sqrt(spread) if spread else 0.0


def p_of(name: str, table: tuple[int, int, int, int]) -> float:
    """The p-value of a table by SciPy, or by exact counting."""
    if name == "hypergeometric":
        return float(upper_tail(*table))
    if name in ("cc", "gu"):
        return 2 * stats.norm.sf(abs(z_of(table)))
    a, b, c, d = table
    return stats.chi2.sf(OF_CELLS[name](*table) if a + b and a + c and b + d else 0, 1)


WITH_P = ["chi2", "cc", "g2", "gu", "hypergeometric"]


@pytest.mark.parametrize("metric", WITH_P)
@pytest.mark.parametrize("name", CORPORA)
def test_p_values_equal_the_reference(name: str, metric: str) -> None:
    corpus = CORPORA[name]
    documents, held = corpus.documents, corpus.held
    expected_p = [[p_of(metric, cells(documents, held, t, c)) for c in corpus.classes] for t in corpus.terms]
    p = ts.score(corpus.counts, metric).p
    np.testing.assert_allclose(p, expected_p, rtol=1e-8, atol=1e-300)


def test_a_metric_with_no_known_null_has_no_p_value() -> None:
    assert {metric.name for metric in ts.metrics() if metric.p} == set(WITH_P)
    counts = CORPORA["two_classes"].counts
    assert all(ts.score(counts, m.name).p is None for m in ts.metrics() if m.name not in WITH_P)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_weight_is_that_many_copies_of_the_document(case: Case) -> None:
    corpus = CORPORA["three_classes"]
    weights = np.random.default_rng(7).integers(0, 4, 40)
    weighted = ts.count(corpus.X, corpus.labels, terms=corpus.terms, sample_weight=weights)
    copies = np.repeat(np.arange(40), weights)
    repeated = ts.count(corpus.X[copies], [corpus.labels[i] for i in copies], terms=corpus.terms)
    assert_close(scores(weighted, case), scores(repeated, case))


@pytest.mark.parametrize("metric", WITH_P)
def test_weights_give_the_p_values_of_copies(metric: str) -> None:
    corpus = CORPORA["several_labels"]
    weights = np.random.default_rng(8).integers(1, 4, 35)
    weighted = ts.count(corpus.X, corpus.labels, terms=corpus.terms, sample_weight=weights)
    copies = np.repeat(np.arange(35), weights)
    repeated = ts.count(corpus.X.tocsr()[copies], [corpus.labels[i] for i in copies], terms=corpus.terms)
    assert_close(ts.score(weighted, metric).p, ts.score(repeated, metric).p)


def counts_of(a: int, b: int, c: int, d: int) -> ts.Counts:
    """Counts of one term with this table; the class is "c", the first column."""
    X = np.repeat([[1], [1], [0], [0]], [a, b, c, d], axis=0)
    return ts.count(X, ["c"] * a + ["n"] * b + ["c"] * c + ["n"] * d, terms=["t"])


# A = 30, B = 10, C = 20, D = 40: N = 100, pos = neg = 50, tpr = .6, fpr = .2, P(t) = .4, AD - BC = 1000.
WORKED = {
    "df": 40,
    "tf": 30,
    "acc": 20,  # 30 - 10
    "acc2": 0.4,  # .6 - .2
    "bns": 1.0949683,  # .2533471 + .8416212
    "chi2": 16.6666667,  # 100 * 1000^2 / (40 * 60 * 50 * 50)
    "cc": 4.0824829,  # its root
    "g2": 17.2609244,  # 2 N times the gain in nats, 200 * .0863046
    "f1": 0.6666667,  # 60 / (50 + 40)
    "ig": 0.1245112,  # 1 - [.4 * .8112781 + .6 * .9182958]
    "oddn": 0.48,  # .6 * .8
    "odds": 6,  # 1200 / 200
    "pow": 0.31744,  # .8^5 - .4^5 = .32768 - .01024
    "pr": 3,  # .6 / .2
    "or": 1.7472285,  # log(30.5 * 40.5 / (10.5 * 20.5)) = log(5.7386760)
    "ors": 3.0528075,  # its square
    "gss": 0.1,  # 1000 / 100^2
    "mi": 0.4054651,  # log(.3 / (.4 * .5)) = log 1.5
    "cet": 0.1216395,  # .3 log 1.5
    "ig_member": 0.0405465,  # .3 log 1.5 + .2 log(2/3) = .1 log 1.5
    "ig_all": 0.0863046,  # .1245112 log 2
    "fisher": 0.4,  # .16 / (.24 + .16)
    "bss_wss": 0.2,  # 100 * .2^2 / (50 * .24 + 50 * .16) = 4 / 20
    "gu": 12.2474487,  # 4.0824829 * .6 / .2
    "dfs": 0.5729167,  # .75 / (.4 + .2 + 1) + .25 / (.8 + .6 + 1) = .46875 + .1041667
    "ndm": 2,  # .4 / .2
    "mmr": 1.2,  # .6 * 2
    "cpd": 0.5,  # 20 / 40
    "rf": 2.3219281,  # log2(2 + 3)
    "igm": 0.6,  # 30 / (30 + 2 * 10)
}


@pytest.mark.parametrize("metric", WORKED)
def test_a_table_worked_by_hand(metric: str) -> None:
    score = np.asarray(ts.score(counts_of(30, 10, 20, 40), metric))
    assert score.flat[0] == pytest.approx(WORKED[metric], rel=1e-6)


# That table of the other class, A = 10, B = 30, C = 40, D = 20: a negative term, read as tp = 40, fp = 20.
INVERTED = {
    "acc": 20,  # 40 - 20
    "f1": 0.7272727,  # 80 / (50 + 60)
    "oddn": 0.48,  # .8 * .6
    "odds": 6,  # 40 * 30 / (20 * 10)
    "pow": 0.07744,  # .6^5 - .2^5 = .07776 - .00032
    "pr": 2,  # .8 / .4
    "cc": -4.0824829,
    "gss": -0.1,
    "or": -1.7472285,
    "cpd": -0.5,
    "mi": -0.6931472,  # log(.1 / (.4 * .5)) = log .5
}


@pytest.mark.parametrize("metric", INVERTED)
def test_a_negative_term_worked_by_hand(metric: str) -> None:
    score = np.asarray(ts.score(counts_of(30, 10, 20, 40), metric))
    assert score[0, 1] == pytest.approx(INVERTED[metric], rel=1e-6)


def test_bns_of_rates_of_eight_and_one_in_ten() -> None:
    # .8416212 + 1.2815516
    assert ts.score(counts_of(8, 1, 2, 9), "bns").values[0, 0] == pytest.approx(2.1231728, abs=1e-7)


def test_bns_of_a_perfect_separator_is_twice_the_clipped_quantile() -> None:
    # 2 * 3.2905267, the normal quantile of .9995
    assert ts.score(counts_of(5, 0, 0, 5), "bns").values[0, 0] == pytest.approx(6.5810535, abs=1e-7)


def test_the_tail_of_four_of_four_drawn_from_five_in_ten() -> None:
    # C(5,4) / C(10,4) = 5/210 = 1/42, log10 42 = 1.6232493
    scored = ts.score(counts_of(4, 0, 1, 5), "hypergeometric")
    assert scored.p[0, 0] == pytest.approx(1 / 42)
    assert scored.values[0, 0] == pytest.approx(1.6232493, abs=1e-7)


@pytest.mark.parametrize(
    "metric, options, printed",
    [("chi2", {}, 6425.37), ("ors", {}, 124.13), ("ig", {"smoothing": 0.5}, 0.0192)],
)
def test_maxima_of_reuters_category_40(metric: str, options: dict[str, Any], printed: float) -> None:
    # Zheng, Wu and Srihari (2004), table 7, with the digits of METRICS.md. The table is inferred: of those of
    # 7,769 documents, 8 to 59 in the class and B < 40, it alone (or B and C exchanged) gives the chi2.
    score = ts.score(counts_of(24, 5, 0, 7740), metric, **options).values[0, 0]
    assert round(score, len(str(printed).split(".")[1])) == printed


# Class a: "t" twice of 4 occurrences; class b: never of 2.
OCCURRENCES = np.array([[2, 1], [0, 1], [0, 1], [0, 1]])
OF_OCCURRENCES = [
    # p = 3/6 and 1/4: [.5 log 2 + .5 log(2/3)] + [.25 log .5 + .75 log 1.5] = .1438410 + .1308120
    ("md", 0.2746531),
    # both classes: .0625 / 2 * (1/.25 + 1/.75 + 1/.5 + 1/.5) = .2916667
    ("md_chi2", 0.5833333),
    # the share 2/4 times log(1 + 3/2)
    ("c_tf_idf", 0.4581454),
    # y = 2 and 0, n = 4 and 2, a = 2, a0 = 6: (log(4/6) - log(2/6)) / sqrt(1/4 + 1/2) = .6931472 / .8660254
    ("log_odds_prior", 0.8003774),
]


@pytest.mark.parametrize("metric, worked", OF_OCCURRENCES)
def test_occurrences_worked_by_hand(metric: str, worked: float) -> None:
    counts = ts.count(OCCURRENCES, ["a", "a", "b", "b"], terms=["t", "u"])
    assert np.asarray(ts.score(counts, metric)).flat[0] == pytest.approx(worked, abs=1e-6)
