"""Random corpora, counted by every engine and by the plain loops of the oracle: the same sums."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, isclose, log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from trying import check

import termsift as ts
from oracle import as_sums, sums

WORDS = [
    "aa",
    "bb",
    "ab",
    "ß1",
    "straße",
    "ÉTÉ",
    "e\u0301t",
    "中文",
    "日本語",
    "a_b",
    "x9",
    "Ωω",
    "the",
    "now",
    "ﬁx",
    "İx",
    "ǅz",
    "n\u0303o",
]
BLANKS = [" ", " ", ", ", "\n", "-", "🙂", "\u2028", "\t", "\u00a0", "'", '"', ";", "\\", "\x00", " \ufeff"]
NAMES: list[list[Any]] = [
    ["x", "y", "z"],
    ["ä", "x y", '"q"'],
    [1, 2, 3],
    [-5, 2**40],
    [True, False],
    [0.5, 2.0],
    ["one"],
]
FORMS = [
    np.array,
    sp.csr_array,
    sp.csc_matrix,
    sp.coo_array,
    sp.lil_array,
    sp.bsr_array,
    sp.dok_array,
    sp.dia_array,
]
BATCH, FILE_BATCH = 250, 10


@dataclass(frozen=True)
class Corpus:
    """Texts, their labels (lists of them), weights if any, and the shortest and longest n-gram."""

    texts: list[str]
    labels: list[list[Any]]
    weights: list[float] | None
    n_grams: tuple[int, int]

    @property
    def analyzer(self) -> ts.Analyzer:
        """What finds the terms."""
        return ts.Analyzer(ngram_range=self.n_grams)

    @property
    def bags(self) -> list[dict[str, int]]:
        """The terms of each text, as scikit-learn says it, by loops."""
        return [Counter(terms(text, *self.n_grams)) for text in self.texts]

    @property
    def expected(self) -> Any:
        """The sums of the oracle."""
        return sums(self.bags, self.labels, self.weights)


def terms(text: str, low: int, high: int) -> list[str]:
    """Runs of `low` to `high` words of two letters or more."""
    words = re.findall(r"(?u)\b\w\w+\b", text.lower())
    return [" ".join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)]


def random_text(rng: random.Random, blanks: list[str]) -> str:
    """Words with something between them."""
    return "".join(rng.choice(WORDS) + rng.choice(blanks) for _ in range(rng.choice([0, 1, 3, 8, 20])))


def random_corpus(
    rng: random.Random, *, single: bool = False, names: list[Any] | None = None, blanks: list[str] = BLANKS
) -> Corpus:
    """A corpus of few documents over few words, so that ties and empty cells are common."""
    names = rng.choice(NAMES) if names is None else names
    size = rng.choice([1, 2, 5, 12])
    texts = [random_text(rng, blanks) for _ in range(size)]
    most = 1 if single or rng.random() < 0.5 else 2
    labels = [rng.sample(names, min(rng.randint(1 if most == 1 else 0, most), len(names))) for _ in texts]
    # dyadic weights add without rounding, so that sums in any order are equal
    weights = [rng.choice([0, 0.25, 0.5, 1, 2, 3]) for _ in texts] if rng.random() < 0.4 else None
    return Corpus(texts, labels, weights, rng.choice([(1, 1), (1, 1), (1, 2), (2, 3)]))


def compared_sums(counts: ts.Counts, corpus: Corpus) -> None:
    """The counts are the sums of the oracle, and come in the order of code points."""
    documents, sizes, cells, totals = corpus.expected
    found = sums_in(counts)
    check(found[0] == documents, f"documents: {found[0]} for {documents}")
    check(
        {name: size for name, size in found[1].items() if size} == {n: s for n, s in sizes.items() if s},
        "class sizes differ",
    )
    check(found[2] == cells, "sums by class differ")
    check(found[3] == totals, "sums of terms differ")
    check(list(counts.terms) == sorted(counts.terms), "terms out of order")


def sums_in(counts: ts.Counts) -> Any:
    """The sums in counts as the oracle has them; tables of hundreds of classes are read by their entries."""
    if len(counts.classes) < 10:
        return as_sums(counts)
    df, tf, tf2 = (table.tocoo() for table in (counts.df, counts.tf, counts.tf2))
    places = zip(df.row.tolist(), df.col.tolist(), strict=True)
    values = zip(df.data.tolist(), tf.data.tolist(), tf2.data.tolist(), strict=True)
    cells = {
        (counts.terms[i], counts.classes[c]): list(own)
        for (i, c), own in zip(places, values, strict=True)
        if any(own)
    }
    sizes = dict(zip(counts.classes, counts.class_sizes.tolist(), strict=True))
    totals = zip(counts.terms, counts.term_df, counts.term_tf, counts.term_tf2, strict=True)
    return counts.documents, sizes, cells, {term: list(rest) for term, *rest in totals if any(rest)}


def by_texts(rng: random.Random, folder: Path) -> None:
    """A corpus as a list of texts."""
    corpus = random_corpus(rng)
    compared_sums(
        ts.count(
            corpus.texts,
            corpus.labels,
            analyzer=corpus.analyzer,
            sample_weight=corpus.weights,
            n_jobs=rng.choice([1, 2]),
        ),
        corpus,
    )


def by_matrix(rng: random.Random, folder: Path) -> None:
    """A corpus as a matrix of any format."""
    corpus = random_corpus(rng)
    names = sorted({term for bag in corpus.bags for term in bag})
    X = np.array(
        [[bag.get(name, 0) for name in names] for bag in corpus.bags],
        dtype=rng.choice([int, float, np.uint8]),
    ).reshape(len(corpus.texts), len(names))
    counts = ts.count(rng.choice(FORMS)(X), corpus.labels, terms=names, sample_weight=corpus.weights)
    compared_sums(counts, corpus)


def written_csv(corpus: Corpus, path: Path) -> dict[str, Any]:
    """A corpus as CSV: labels are texts, several in a field."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows(
            [text, "|".join(labels)] for text, labels in zip(corpus.texts, corpus.labels, strict=True)
        )
    return {"label_separator": "|"}


def written_jsonl(corpus: Corpus, path: Path) -> dict[str, Any]:
    """A corpus as JSON lines."""
    lines = [
        json.dumps({"text": t, "label": c}, ensure_ascii=len(t) % 2 == 0)
        for t, c in zip(corpus.texts, corpus.labels, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {}


def written_parquet(corpus: Corpus, path: Path) -> dict[str, Any]:
    """A corpus as Parquet."""
    names = [name for labels in corpus.labels for name in labels]
    kind = pa.array(names[:1] or ["x"]).type
    pq.write_table(
        pa.table({"text": corpus.texts, "label": pa.array(corpus.labels, pa.list_(kind))}),
        path,
        row_group_size=3,
    )
    return {}


WRITTEN = {"csv": written_csv, "jsonl": written_jsonl, "parquet": written_parquet}


def joined_corpus(rng: random.Random, size: int) -> Corpus:
    """Several corpora as one, the classes of each its own, so that each has its sums."""
    weighted, n_grams = rng.random() < 0.4, rng.choice([(1, 1), (1, 2)])
    corpora = [random_corpus(rng, names=["x", "y", "z"]) for _ in range(size)]
    return Corpus(
        [text for corpus in corpora for text in corpus.texts],
        [[f"{i}:{name}" for name in labels] for i, corpus in enumerate(corpora) for labels in corpus.labels],
        [weight for corpus in corpora for weight in corpus.weights or [1] * len(corpus.texts)]
        if weighted
        else None,
        n_grams,
    )


def by_file(kind: str, memory: int | None = None, batch: int = 1) -> Any:
    """The attempt at a corpus in a file, or in any of the formats with memory so small that sums spill.

    batch : how many corpora are in one file; DuckDB takes longer to start than to read one
    """

    def attempt(rng: random.Random, folder: Path) -> None:
        form = kind or rng.choice([form for form in WRITTEN if batch == 1 or form != "csv"])
        if form == "csv":
            # an empty field is a missing label there, and a carriage return or NUL has no sure meaning
            blanks = [blank for blank in BLANKS if blank != "\x00"]
            corpus = random_corpus(rng, single=True, names=["x", "ÿ", "a b"], blanks=blanks)
        else:
            corpus = random_corpus(rng) if batch == 1 else joined_corpus(rng, batch)
        path = folder / f"corpus.{form}"
        options = WRITTEN[form](corpus, path) | ({} if memory is None else {"memory": memory})
        counts = ts.count(
            path, analyzer=corpus.analyzer, sample_weight=corpus.weights, n_jobs=rng.choice([1, 2]), **options
        )
        compared_sums(counts, corpus)

    return attempt


@lru_cache(maxsize=1)
def session() -> Any:
    """A session of Spark on this machine."""
    return ts.spark.session("local[2]", spark_sql_shuffle_partitions="3", spark_driver_memory="2g")


def by_spark(rng: random.Random, folder: Path) -> None:
    """A batch of corpora in one frame of Spark, the classes of each its own: each has its sums."""
    whole = joined_corpus(rng, BATCH)
    columns: dict[str, Any] = {"text": whole.texts, "label": pa.array(whole.labels, pa.list_(pa.string()))}
    columns |= {"weight": [float(w) for w in whole.weights]} if whole.weights is not None else {}
    frame = session().createDataFrame(pa.table(columns)).repartition(rng.choice([1, 2, 5]))
    more = {"sample_weight": "weight"} if whole.weights is not None else {}
    compared_sums(
        ts.count(frame, analyzer=whole.analyzer, memory=rng.choice([1 << 12, 1 << 27]), **more), whole
    )


def exact_p(a: int, df: int, pos: int, n: int) -> Fraction:
    """Fisher's two-sided p-value in whole numbers: tables that are no more likely than the observed one."""
    ways = {i: comb(pos, i) * comb(n - pos, df - i) for i in range(max(0, df + pos - n), min(df, pos) + 1)}
    # equally likely up to rounding, as in R
    return Fraction(sum(w for w in ways.values() if w * 10**7 <= ways[a] * (10**7 + 1)), comb(n, df))


def by_significance(rng: random.Random, folder: Path) -> None:
    """p-values, q-values and significant terms against whole numbers and plain loops."""
    corpus = random_corpus(rng, single=True, names=["x", "y"])
    times = rng.choice([1, 3, 7])
    bags, labels = corpus.bags * times, [own[0] for own in corpus.labels] * times
    if len(set(labels)) < 2 or not any(bags):
        return
    counts = ts.count(corpus.texts * times, labels, analyzer=corpus.analyzer)
    scores, n, pos = ts.score(counts, "chi2"), len(labels), labels.count("x")
    df = {term: sum(term in bag for bag in bags) for bag in bags for term in bag}
    tp = {term: sum(term in bag and c == "x" for bag, c in zip(bags, labels, strict=True)) for term in df}
    expected = {term: float(exact_p(tp[term], df[term], pos, n)) for term in df}
    c = counts.classes.index("x")
    found = dict(zip(counts.terms.tolist(), scores.p[:, c].tolist(), strict=True))
    check(all(isclose(found[term], expected[term], rel_tol=1e-9) for term in df), "p-values differ")
    ordered = sorted(expected.values())
    q = {
        t: min(
            min(v * len(df) / sum(u <= v * (1 + 1e-12) for u in ordered), 1)
            for v in ordered
            if v >= p * (1 - 1e-12)
        )
        for t, p in expected.items()
    }
    found_q = dict(zip(counts.terms.tolist(), scores.q[:, c].tolist(), strict=True))
    check(all(isclose(found_q[t], q[t], rel_tol=1e-9) for t in df), "q-values differ")
    limit = rng.choice([0.05, 1.0])
    alpha = scores.alpha(limit, "x")
    # a term is drawn at random: P(p <= alpha) over all its tables, added over the terms
    total = Fraction(0)
    for term in df:
        low, high = max(0, df[term] + pos - n), min(df[term], pos)
        for a in range(low, high + 1):
            if float(exact_p(a, df[term], pos, n)) <= alpha:
                total += Fraction(comb(pos, a) * comb(n - pos, df[term] - a), comb(n, df[term]))
    check(total <= limit * (1 + 1e-6), f"{float(total)} false positives are expected for {limit}")


def by_diff(rng: random.Random, folder: Path) -> None:
    """Keyness of two corpora: frequencies and log-likelihood by plain loops."""
    first, second = (random_corpus(rng) for _ in range(2))
    sides = [Counter(t for text in corpus.texts for t in terms(text, 1, 1)) for corpus in (first, second)]
    if not all(sides):
        return
    table = ts.keyness(first.texts, second.texts, n=10**6, cells=2, analyzer=ts.Analyzer())
    sizes = [sum(side.values()) for side in sides]
    listed = {}
    for row in zip(*(table[name].tolist() for name in ("term", "target", "reference", "ll")), strict=True):
        listed[row[0]] = row[1:]
    check(set(listed) <= {*sides[0], *sides[1]}, "a term that is not there")
    for term, (a, b, ll) in listed.items():
        check((a, b) == (sides[0][term], sides[1][term]), f"frequencies of {term!a}")
        e = [size * (a + b) / sum(sizes) for size in sizes]
        expected = 2 * sum(o * log(o / m) for o, m in zip((a, b), e, strict=True) if o)
        check(isclose(ll, expected, rel_tol=1e-9, abs_tol=1e-9), f"log-likelihood {ll} for {expected}")


def by_duplicates(rng: random.Random, folder: Path) -> None:
    """Duplicates in an audit: all pairs of documents are compared."""
    from termsift.analysis.checks import MIN_NEAR_DUPLICATE_TERMS

    corpus = random_corpus(rng, single=True, names=["x"])
    texts = (corpus.texts * rng.choice([1, 2, 3]))[:40]
    bags = [frozenset(Counter(terms(text, 1, 1)).items()) for text in texts]
    # of few words only the same text is a duplicate
    keys = [
        (bag, None if len(bag) >= MIN_NEAR_DUPLICATE_TERMS else tuple(text.casefold().split()))
        for bag, text in zip(bags, texts, strict=True)
    ]
    equal = {i for i, key in enumerate(keys) if key[0] and key in keys[:i]}
    if not any(bags):
        return
    found = ts.audit(texts, ["x"] * len(texts), analyzer=ts.Analyzer())
    table = next((f.rows for f in found.findings if f.check == "duplicates"), None)
    listed = set() if table is None else set(table["document"].tolist())
    check(equal <= listed, f"missed duplicates {sorted(equal - listed)}")
    for i in listed - equal:
        words = {word for word, _ in bags[i]}
        near = [
            len(words & own) / len(words | own)
            for own in ({w for w, _ in bag} for bag in bags[:i])
            if words | own
        ]
        check(max(near, default=0) >= 0.8, f"{i} is no duplicate")


def by_splits(rng: random.Random, folder: Path) -> None:
    """Splits by time and by group: no group is on both sides, and no test document is older than a training one."""
    from termsift.counts import as_labels
    from termsift.evaluation.splits import assign_group_folds, assign_stratified_folds, assign_time_windows

    n, folds = rng.choice([10, 37, 200]), rng.choice([2, 3, 5])
    labels = as_labels([rng.choice("xyz") for _ in range(n)])
    groups = np.array([rng.choice(["a", "b", "c", "d", "e", str(i)]) for i in range(n)])
    times = np.array([rng.choice([0, 1, 2, 3, 4, i]) for i in range(n)])
    seed = rng.randrange(100)
    if len(set(groups.tolist())) >= folds:
        numbers = assign_group_folds(labels, groups, folds, seed)
        check(
            all(len(set(numbers[groups == g].tolist())) == 1 for g in set(groups.tolist())),
            "a group is split",
        )
        check(set(numbers.tolist()) == set(range(folds)), "an empty fold")
    if len(set(times.tolist())) >= folds:
        windows = assign_time_windows(times, folds)
        later = [(times[windows == i].max(), times[windows == i + 1].min()) for i in range(folds - 1)]
        check(all(a < b for a, b in later), "windows overlap")
    numbers = assign_stratified_folds(labels, folds, seed)
    for c in range(len(labels.classes)):
        sizes = np.bincount(numbers[labels.class_documents(c)], minlength=folds)
        check(sizes.max() - sizes.min() <= 1, f"a class is spread {sizes.tolist()}")
