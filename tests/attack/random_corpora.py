"""Random corpora, counted by every engine and by the plain loops of the oracle: the same sums."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
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
    return {"separator": "|"}


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
