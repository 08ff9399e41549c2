"""Small work is done without kernels, with the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import termsift as ts
from strategies import Sample, samples
from termsift._internal import resources as small_work
from termsift.text import characters as word_bits
from termsift.text.analyzer import BEYOND_WORD_PATTERN

USES = {
    "score": "main(['score', path])",
    "select": "main(['select', path, '-k', '3'])",
    "report": "main(['report', path, '-o', path + '.html'])",
    "selector": "ts.TermSelector(k=2).fit(np.eye(3, 4, dtype=int), [0, 1, 1])",
    "vectorizer": "ts.TermVectorizer(n_jobs=2).fit(['a bad day', 'good ways']).transform(['good'])",
    "texts": "ts.score(ts.count(['a bad day', 'good ways 中文'], [0, 1], min_df=1), 'bns').top(1)",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_first_look_at_small_data_loads_neither_numba_nor_pandas(use, mail):
    code = "import sys, json, numpy as np, termsift as ts\nfrom termsift.cli import main\n"
    code += f"path = {str(mail)!r}\ntry:\n    {use}\nexcept SystemExit as end:\n    assert end.code == 0\n"
    code += "print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "termsift.counts" in loaded
    assert not loaded.intersection({"numba", "duckdb"})
    # scikit-learn and Altair look for pandas by themselves
    assert "pandas" not in loaded or loaded.intersection({"sklearn", "altair"})


def test_a_first_compare_of_short_texts_compiles_no_text_kernel(tmp_path):
    code = """
    import sys, termsift as ts
    ts.compare(["good day", "bad day", "good way", "bad way"] * 4, [0, 1, 0, 1] * 4, k=[2], repeats=1)
    print("termsift._internal.kernels" in sys.modules, "termsift.text._scan_kernel" in sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["True", "False"]


@contextmanager
def without_kernels() -> Iterator[None]:
    """Simulate a process that has loaded no kernel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_work, "KERNELS", "nowhere")
        patch.setattr(small_work, "TEXT_KERNELS", "nowhere")
        patch.setattr(small_work.PythonWork, "size", 0)
        yield
        # whatever was counted was counted so
        assert small_work.PythonWork.size > 0


def saved(made: Callable[[], ts.Counts]) -> bytes:
    with TemporaryDirectory() as folder:
        made().save(Path(folder) / "counts")
        return (Path(folder) / "counts").read_bytes()


def check_same(made: Callable[[], ts.Counts]) -> None:
    compiled = saved(made)
    with without_kernels():
        assert saved(made) == compiled


TEXTS = st.lists(
    st.text("aAbBß éʼ-'_#@1९कि\u0301\u200d中東ไทย🙂👍\ufe0f\n", max_size=12).map(lambda t: t + " aa"),
    min_size=1,
    max_size=8,
)
ANALYZERS = (
    ts.Analyzer(),
    ts.Analyzer(words="auto"),
    ts.Analyzer(words="auto", ngram_range=(1, 3), stop_words=("aa", "bb")),
    ts.Analyzer(words="unicode", hashtags=True, lowercase=False),
    ts.Analyzer(words="auto", normalize="NFKC", min_length=3, html=True),
    ts.Analyzer(strip_accents="unicode", ngram_range=(2, 2)),
    ts.Analyzer(analyzer="char", ngram_range=(2, 4)),
    ts.Analyzer(analyzer="char_wb", ngram_range=(1, 3)),
)


@given(st.data(), TEXTS, st.sampled_from(ANALYZERS))
def test_texts_counted_without_kernels_have_the_same_bytes(data, texts, analyzer):
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(texts), max_size=len(texts)))
    weights = data.draw(st.none() | st.just([1 / (1 + i) for i in range(len(texts))]))
    check_same(lambda: ts.count(texts, labels, analyzer=analyzer, sample_weight=weights))


VECTORIZERS = (
    *({"analyzer": analyzer} for analyzer in ANALYZERS),
    {"ngram_range": (1, 2), "min_df": 2, "lowercase": False},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "binary": True, "dtype": np.float32},
    {"token_pattern": r"\w+", "stop_words": ["aa"], "max_features": 3},
)


@given(TEXTS, TEXTS, st.sampled_from(VECTORIZERS))
def test_a_vectorizer_without_kernels_gives_the_same_matrix(texts, others, options):
    def found() -> tuple[list[str], list[object]]:
        vectorizer = ts.TermVectorizer(**options)
        try:
            parts = [vectorizer.fit_transform(texts), vectorizer.transform(others)]
        except ValueError as error:
            return [str(error)], []
        return list(vectorizer.get_feature_names_out()), [(x.dtype, x.toarray().tolist()) for x in parts]

    compiled = found()
    with without_kernels():
        assert found() == compiled


@given(TEXTS, st.sampled_from(ANALYZERS), st.booleans())
def test_files_counted_without_kernels_have_the_same_bytes(texts, analyzer, weighted):
    weights = [1 / (1 + i) for i in range(len(texts))] if weighted else None
    rows = [{"text": text, "label": ["x", "y"][: 1 + i % 2]} for i, text in enumerate(texts)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows))
        check_same(lambda: ts.count(path, analyzer=analyzer, sample_weight=weights))


@given(samples(least=1), st.sampled_from([np.int64, np.float64, np.float32]), st.booleans())
def test_matrices_summed_without_kernels_have_the_same_bytes(sample: Sample, kind, repeated):
    words = sorted({word for document in sample.documents for word in document})
    pairs = [(i, words.index(word)) for i, bag in enumerate(sample.documents) for word in bag]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    values = (np.arange(len(pairs)) % 4 + (0.1 if kind != np.int64 else 0)).astype(kind)
    X = csr_array((values, (rows, columns)), shape=(len(sample.documents), len(words) + 1))
    if not repeated:
        X.sum_duplicates()
    X = csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    X.has_canonical_format = False
    check_same_or_empty(lambda: ts.count(X, sample.labels, sample_weight=sample.weights), X.nnz)


def check_same_or_empty(made: Callable[[], ts.Counts], size: int) -> None:
    if size:
        check_same(made)


@pytest.mark.parametrize("strange", [np.nan, -1.0, np.inf, 1e300])
def test_invalid_counts_raise_the_same_error(strange):
    X = csr_array(np.array([[1.0, 0.0, 2.0], [0.0, strange, 1.0]]))
    with pytest.raises(ts.InvalidInputError) as compiled:
        ts.count(X, [0, 1])
    with without_kernels(), pytest.raises(ts.InvalidInputError) as plain:
        ts.count(X, [0, 1])
    assert str(plain.value) == str(compiled.value)


def test_small_work_adds_up_until_kernels_are_loaded(monkeypatch):
    monkeypatch.setattr(small_work, "KERNELS", "nowhere")
    monkeypatch.setattr(small_work.PythonWork, "size", 0)
    half = small_work.COMPILE_FROM // 2
    assert [
        small_work.spend_python_budget(half - 1),
        small_work.spend_python_budget(half),
        small_work.spend_python_budget(half),
    ] == [1, 1, 0]
    monkeypatch.setenv(small_work.COMPILE_FROM_VARIABLE, "0")
    assert not small_work.spend_python_budget(0)


def test_a_process_that_has_loaded_kernels_uses_them():
    assert not small_work.spend_python_budget(1)


def test_pattern_covers_all_characters_beyond_plain_words():
    more = np.flatnonzero(word_bits.class_bits("auto") & word_bits.BEYOND_WORD_PATTERN)
    assert all(BEYOND_WORD_PATTERN.match(chr(code)) for code in more.tolist())


def test_after_warm_nothing_is_left_to_compile(mail):
    code = """
        import sys, termsift as ts
        from termsift.cli import main
        def forms():
            modules = [m for n, m in list(sys.modules.items()) if n.endswith("_kernel")]
            kernels = [o for m in modules for o in vars(m).values()]
            return {id(k): len(k.signatures) for k in kernels if hasattr(k, "signatures")}
        try:
            main(["warm"])
        except SystemExit as end:
            assert end.code == 0
        before = forms()
        ts.compare(["free prize", "lunch now", "so what"] * 9, ["a", "b", "b"] * 9)
        ts.count(["free prize", "lunch now"], [0, 1], sample_weight=[0.1, 2])
        for ngram_range in ((1, 1), (1, 2)):
            ts.count(sys.argv[1], analyzer=ts.Analyzer(ngram_range=ngram_range))
        assert len(before) > 20 and before == forms(), (before, forms())
    """
    command = [sys.executable, "-c", dedent(code), str(mail)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1][:16]) == (0, "kernels compiled"), done.stderr
