"""20 Newsgroups as the benchmarks use it."""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer


def texts_and_labels() -> tuple[list[str], np.ndarray]:
    """All 18,846 messages, and their newsgroups."""
    folder = os.environ.get("TERMSIFT_DATA")
    if not folder:
        sys.exit("set TERMSIFT_DATA to a folder that holds 20news/20news-bydate.tar.gz")
    texts, labels = [], []
    with tarfile.open(Path(folder) / "20news" / "20news-bydate.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                texts.append(file.read().decode("latin-1"))
                labels.append(member.name.split("/")[-2])
    return texts, np.array(labels)


def matrix():
    """CountVectorizer's matrix of the words in at least 3 documents, its words, and the labels."""
    texts, labels = texts_and_labels()
    vectorizer = CountVectorizer(min_df=3)
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out(), labels
