"""
Counts can be added
===================

Count a day, a file or a machine at a time and add the counts: the sum equals counting everything at once.
Counts are saved as one small file.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import termsift as ts

corpus = ts.corpora.load("docstrings")
half = len(corpus.texts) // 2
first = ts.count(corpus.texts[:half], corpus.labels[:half])
second = ts.count(corpus.texts[half:], corpus.labels[half:])
both = first + second
print(first, second, both, sep="\n")
print("the same as counted at once:", both == ts.count(corpus.texts, corpus.labels))

with TemporaryDirectory() as folder:
    path = Path(folder) / "counts.parquet"
    both.save(path)
    size = sum(len(text.encode()) for text in corpus.texts)
    print(f"{size:,} bytes of text, {path.stat().st_size:,} bytes of counts")
