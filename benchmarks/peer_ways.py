"""Ways to do the same work on texts by the packages that a user could take instead.

Each function of a package imports it, so that nobody pays for another's import, and gives a result
that can be compared. Words are those of CountVectorizer wherever a package lets one say what a word is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.feature_selection import SelectKBest, chi2

import termsift as ts

# CountVectorizer's words, and the same for engines whose \w is another: equal on Latin-1, as these texts are
PYTHON_WORD, WORD = re.compile(r"(?u)\b\w\w+\b"), r"[\p{L}\p{N}_]{2,}"
K = 1000


def count_vectorizer(texts: Sequence[str]) -> tuple[Any, np.ndarray]:
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def hashing_vectorizer(texts: Sequence[str]) -> tuple[Any, None]:
    return HashingVectorizer(norm=None, alternate_sign=False).transform(texts), None


def lenlp(texts: Sequence[str]) -> tuple[Any, np.ndarray]:
    """Words of its own: punctuation is taken out first, so that `don't` is `dont`."""
    from lenlp.sparse import CountVectorizer as LenlpVectorizer

    vectorizer = LenlpVectorizer()
    X = vectorizer.fit_transform(texts)
    vocabulary = vectorizer.vocabulary
    return X, np.array(sorted(vocabulary, key=vocabulary.__getitem__))


def gensim(texts: Sequence[str]) -> tuple[Any, np.ndarray]:
    from gensim.corpora import Dictionary
    from gensim.matutils import corpus2csc

    dictionary = Dictionary()
    bags = [dictionary.doc2bow(PYTHON_WORD.findall(text.lower()), allow_update=True) for text in texts]
    terms = np.array([dictionary[i] for i in range(len(dictionary))])
    return corpus2csc(bags, num_terms=len(terms), dtype=np.int64).T.tocsr(), terms


def term_vectorizer(texts: Sequence[str], n_jobs: int) -> tuple[Any, np.ndarray]:
    vectorizer = ts.TermVectorizer(n_jobs=n_jobs)
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def matrix_product(texts: Sequence[str], labels: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """CountVectorizer, and a product with the indicators of the classes."""
    X, terms = count_vectorizer(texts)
    classes, codes = np.unique(labels, return_inverse=True)
    indicators = sp.csr_matrix((np.ones(len(codes), dtype=np.int64), (codes, np.arange(len(codes)))))
    return (indicators @ (X > 0)).T.tocsr(), terms, classes


def polars(texts: Sequence[str], labels: np.ndarray) -> Any:
    import polars as pl

    frame = pl.LazyFrame({"text": texts, "label": labels.tolist()})
    words = pl.col("text").str.to_lowercase().str.extract_all(WORD).list.unique().alias("term")
    found = frame.select("label", words).explode("term").drop_nulls("term")
    return found.group_by("term", "label").agg(n=pl.len()).collect()


def duckdb(texts: Sequence[str], labels: np.ndarray) -> Any:
    import duckdb as db
    import pyarrow as pa

    documents = pa.table({"text": texts, "label": labels.tolist()})
    words = f"unnest(list_distinct(regexp_extract_all(lower(text), '{WORD}')))"
    query = (
        f"SELECT term, label, count(*) AS n FROM (SELECT {words} AS term, label FROM documents) GROUP BY ALL"
    )
    with db.connect() as connection:
        connection.register("documents", documents)
        return connection.sql(query).to_arrow_table()


def select_k_best(texts: Sequence[str], labels: np.ndarray) -> list[str]:
    X, terms = count_vectorizer(texts)
    return terms[SelectKBest(chi2, k=K).fit(X > 0, labels).get_support()].tolist()


def termsift_selection(texts: Sequence[str], labels: np.ndarray) -> list[str]:
    return list(ts.select(ts.count(texts, labels), "chi2_all", ts.TopK(K)))


def spark_selection(frame: Any) -> list[str]:
    """Spark ML's stages; `label` is the number of a class."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import CountVectorizer as SparkVectorizer
    from pyspark.ml.feature import RegexTokenizer, UnivariateFeatureSelector

    words = RegexTokenizer(inputCol="text", outputCol="words", pattern=WORD, gaps=False)
    vectorizer = SparkVectorizer(inputCol="words", outputCol="counts", binary=True)
    selector = UnivariateFeatureSelector(featuresCol="counts", outputCol="chosen", labelCol="label")
    selector.setFeatureType("categorical").setLabelType("categorical").setSelectionThreshold(K)
    _, fitted, chosen = Pipeline(stages=[words, vectorizer, selector]).fit(frame).stages
    vocabulary = fitted.vocabulary  # one call to the JVM
    return [vocabulary[i] for i in chosen.selectedFeatures]


def termsift_on_spark(frame: Any) -> list[str]:
    return list(ts.select(ts.count(frame, label="name"), "chi2_all", ts.TopK(K)))


def scattertext_page(texts: Sequence[str], labels: np.ndarray, of_class: str) -> str:
    """Make the page of one class against the others: scattertext shows two."""
    import scattertext as st

    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    names = [of_class, "others"]
    y = np.where(labels == of_class, 0, 1)
    # as objects: an array of strings would give each text the room of the longest
    held = np.array(texts, dtype=object)
    corpus = st.CorpusFromScikit(X, y, vectorizer.vocabulary_, names, held).build()
    return st.produce_scattertext_explorer(
        corpus, category=of_class, not_categories=["others"], minimum_term_frequency=5
    )


def termsift_page(texts: Sequence[str], labels: np.ndarray) -> str:
    """Make the page of all classes."""
    return ts.report(texts, labels)
