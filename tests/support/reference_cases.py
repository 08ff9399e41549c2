"""The corpora and the metrics with their options that are compared with `reference`."""

import functools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import termsift as ts
from reference import OF_CLASS, OF_TERM, PARTS, Reference
from reference_documents import Fixed, bss_wss_all

assert_close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


class Case(NamedTuple):
    """A metric with its options, and the reference that answers it."""

    metric: str
    options: dict[str, Any]
    reference: Reference
    of_term: bool


@dataclass(frozen=True, eq=False)
class Corpus:
    """A matrix of counts with the labels as termsift takes them and as sets."""

    X: Any
    labels: Any
    sets: Sequence[set[Hashable]]
    classes: list[Hashable]

    @property
    def terms(self) -> list[str]:
        return [f"t{column}" for column in range(self.X.shape[1])]

    @cached_property
    def held(self) -> Fixed:
        return Fixed(self.sets)

    @cached_property
    def documents(self) -> Fixed:
        dense = self.X.toarray() if sparse.issparse(self.X) else self.X
        terms = self.terms
        return Fixed(dict(zip(terms, row, strict=True)) for row in dense.tolist())

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
    of_class("bns", zero="replace"),
    of_class("ig", smoothing=0.5),
    of_class("ig", smoothing=1.0),
    of_class("ig", smoothing="ele"),
    of_class("sig", smoothing="ele"),
    of_class("sig", smoothing=2.0),
    of_class("or", smoothing=1.0),
    of_class("ors", smoothing=0.1),
    of_class("mi", smoothing=1.0),
    of_class("pow", k=1),
    of_class("pow", k=3),
    of_class("fisher_score", of="tf"),
    of_class("gu", printed=True),
    of_class("log_odds_prior", prior=0.01),
    of_class("log_odds_prior", prior=10.0),
    of_term("igm", of="tf"),
    *(of_class(metric, of="tf") for metric in ("chi2", "g2", "bic", "ig")),
    *(of_class(metric, of="df") for metric in ("log_ratio", "lrc", "simple_maths", "percent_diff")),
    of_class("g2", cells=2),
    of_class("g2", cells=2, of="tf"),
    of_class("lrc", level=0.5),
    of_class("lrc", adjust="none"),
    of_class("lrc", of="df", level=0.999),
    of_class("simple_maths", n=100),
    *(of_term(metric, model=model) for metric in ("md", "md_chi2") for model in ("bernoulli", "poisson")),
]
SINGLE_LABEL_CASES = [OF_ALL_GROUPS, *(case for case in CASES if case.metric in ("ig_all", "chi2_all"))]
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
