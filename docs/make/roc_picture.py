"""Draw docs/img/roc.svg from 20 Newsgroups, where TERMSIFT_DATA says that it is there."""

from __future__ import annotations

import os
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import termsift as ts
from termsift.report.charts import roc_space, save_chart

PICTURE = Path(__file__).parent.parent / "img" / "roc.svg"


def picture() -> object:
    corpus = ts.corpora.load("20news").part("train")
    counts = ts.count(corpus.texts, corpus.labels)
    return roc_space(counts, "sci.space", k=100, min_df=3, stop_words=ENGLISH_STOP_WORDS)


if __name__ == "__main__" and os.environ.get("TERMSIFT_DATA"):
    save_chart(picture(), PICTURE)
