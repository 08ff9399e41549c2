"""The built-in corpus, and what real corpora say of the metrics."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import termsift as ts
from termsift.compare.documents import TOLERATED_DUPLICATES


class TestDocstrings:
    corpus = ts.corpora.load("docstrings")

    def test_docstrings_have_thousands_of_documents_in_unequal_classes(self):
        sizes = Counter(self.corpus.labels)
        assert 2500 <= len(self.corpus) <= 4500
        assert 30 <= len(sizes) <= 40
        assert max(sizes.values()) > 20 * min(sizes.values())
        assert repr(self.corpus).startswith("Corpus('docstrings', ")

    def test_documents_are_distinct_and_not_empty(self):
        assert len(set(self.corpus.texts)) == len(self.corpus.texts) == len(self.corpus.labels)
        assert all(text.strip() for text in self.corpus.texts)

    def test_the_best_terms_of_a_module_describe_its_topic(self):
        counts = ts.count(self.corpus.texts, self.corpus.labels)
        assert "event" in set(ts.score(counts, "cc").top("asyncio", 20)["term"])
        assert "sparse" in set(ts.score(counts, "bns").top("scipy.sparse", 20)["term"])

    def test_every_process_reads_the_same_documents(self, tmp_path):
        """SciPy draws examples and prints sets when it is imported; n-grams see the order of words."""
        command = (
            "import sys, termsift as ts; corpus = ts.corpora.load('docstrings');"
            "ts.count(corpus, analyzer=ts.Analyzer(ngram_range=(1, 2))).save(sys.argv[1])"
        )
        for seed in ("1", "2"):
            environment = os.environ | {"PYTHONHASHSEED": seed}
            subprocess.run([sys.executable, "-c", command, tmp_path / seed], env=environment, check=True)
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()

    def test_fewer_documents_are_near_duplicates_than_compare_warns_of(self):
        kept = ts.count(self.corpus, drop_duplicates=True).documents
        assert kept > (1 - TOLERATED_DUPLICATES) * len(self.corpus)


@pytest.fixture(scope="module")
def apte(data_folder):
    """Counts of the training part of Reuters ApteMod: words of letters, no stop words, 3 times or more."""
    train = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train")
    stop_words = ts.corpora.reuters_stop_words(data_folder)
    analyzer = ts.Analyzer(token_pattern="[a-z]+", stop_words=stop_words)
    counts = ts.count(train.texts, train.labels, analyzer=analyzer)
    return counts.keep(np.flatnonzero(counts.term_tf >= 3))


class TestReuters:
    def test_the_training_set_has_the_sizes_of_the_paper(self, apte):
        assert apte.documents == 7769
        assert len(apte.classes) == 90
        ranked = sorted(zip(-apte.class_sizes, apte.classes, strict=True))
        assert ranked[39] == (-24, "sorghum")
        assert [name for _, name in ranked[58:60]] == ["dmk", "lumber"]

    # zheng2004, table 7: the largest value of a positive term, for categories 40, 59 and 60.
    # The IG printed for dmk, .005, is not met: 'mark' has .0044, with any stop list; they may have stemmed.
    @pytest.mark.parametrize(
        ("name", "chi2", "ors", "ig"),
        [("sorghum", 6425, 124.1, 0.019), ("dmk", 2153, 55.5, None), ("lumber", 2483, 71.0, 0.004)],
    )
    def test_the_printed_maxima_are_reproduced_to_the_printed_digits(self, apte, name, chi2, ors, ig):
        def largest(metric, **options):
            return ts.score(apte, metric, **options).top(name, 1, direction="positive")["score"][0]

        assert round(largest("chi2")) == round(largest("cc") ** 2) == chi2
        assert round(largest("ors"), 1) == round(largest("or") ** 2, 1) == ors
        if ig is not None:
            assert round(largest("ig", smoothing=0.5), 3) == round(largest("sig"), 3) == ig

    def test_scores_of_category_40_are_reproduced(self, apte):
        best = {m: ts.score(apte, m).top("sorghum", 1)["score"][0] for m in ("chi2", "ors", "sig")}
        assert best["chi2"] == pytest.approx(6425.37, abs=0.005)
        assert best["ors"] == pytest.approx(124.13, abs=0.005)
        assert best["sig"] == pytest.approx(0.0192, abs=0.00005)
