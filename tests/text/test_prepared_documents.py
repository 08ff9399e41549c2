"""Documents that lie in one run of bytes: those that are not ASCII are prepared, the others stay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift.text.scanner import preprocess_bytes

TEXTS = st.lists(st.sampled_from(["", "Plain", "ÄPFEL", "a İ b", "naïve É", " ", "x" * 70]), max_size=12)


@given(TEXTS)
def test_each_document_is_preprocessed_separately(texts):
    analyzer = ts.Analyzer()
    raw = [text.encode() for text in texts]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in raw], dtype=np.int64)]).astype(np.int64)
    data, found = preprocess_bytes(np.frombuffer(b"".join(raw), dtype=np.uint8), starts, analyzer)
    expected = [text if text.isascii() else analyzer.preprocess(text) for text in texts]
    edges = found.tolist()
    assert [bytes(data[a:b]).decode() for a, b in pairwise(edges)] == expected
