"""Files of models that are damaged, or whose meaning someone has changed with care; and odd uses of models."""

from __future__ import annotations

import io
import json
import random
import tempfile
import time
import zipfile
from collections import Counter
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from bad_counts import answered
from bad_options import LABELS, TEXTS, odd_options
from bad_selections import alter_json
from changes import altered_bytes, strange_value
from trying import check

import termsift as ts
from termsift.models import predict_tables

READING = ["text", "header", "delimiter", "encoding", "on_missing", "strange"]
ASKED = ["free prize", "", "lunch " * 50, "Straße 東京 \U0001f600 a\u0301"]
SECONDS = 5.0
SPARE_MEMORY = 100 << 20  # bytes that a call may take beyond twice the file
KINDS: list[dict[str, Any]] = [
    {},
    {"calibrate": True},
    {"several": True},
    {"several": True, "calibrate": True},
    {"classifiers": ["svm"], "metrics": "bns:per_class"},
    {"classifiers": ["svm"], "metrics": "divisive(3)", "several": True},
    {"classifiers": ["logistic"], "analyzer": ts.Analyzer(ngram_range=(1, 2), stop_words=["the"])},
    {"classifiers": ["svm"], "analyzer": ts.Analyzer(analyzer="char_wb", ngram_range=(2, 3))},
]


@lru_cache(maxsize=len(KINDS))
def model_file(which: int) -> bytes:
    """The file of a model of some kind."""
    options = {"metrics": "chi2", "classifiers": ["multinomial_nb"]} | KINDS[which]
    labels: Any = [[name] for name in LABELS * 4] if options.pop("several", False) else LABELS * 4
    comparison = ts.compare(TEXTS * 4, labels, k=[2], folds=2, repeats=1, **options)
    name = options["metrics"]
    candidates = comparison.results.candidates
    chosen = next((c for c in candidates if c.ranker.name == name), None)
    model = comparison.model
    # the kind of steps is what matters here, not the recommendation
    if chosen is not None and "calibrate" not in options:
        from termsift.compare.final_model import fit_candidate

        model = fit_candidate(comparison.documents, chosen, 2, 0).build_model({})
    model.predict(ASKED)  # compiles what it needs, before anything is timed
    with tempfile.TemporaryDirectory() as folder:
        return model.save(Path(folder, "model")).read_bytes()


def unpacked(content: bytes) -> dict[str, bytes]:
    """The members of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    """A file of members, which may have the same name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def a_model_file(rng: random.Random, folder: Path) -> None:
    """The attempt at files of models whose bytes were altered."""
    path = folder / "model"
    path.write_bytes(altered_bytes(rng, model_file(rng.randrange(len(KINDS)))))
    used(path)


def a_changed_model(rng: random.Random, folder: Path) -> None:
    """The attempt at files of models that are whole, but mean something else than what was saved."""
    members = unpacked(model_file(rng.randrange(len(KINDS))))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        ways = [changed_values, changed_values, changed_array, changed_array, changed_array, changed_terms]
        rng.choice(ways)(rng, members)
    listed, method = list(members.items()), zipfile.ZIP_STORED
    odd = rng.random()
    if odd < 0.03:
        method = zipfile.ZIP_DEFLATED
    elif odd < 0.06:
        listed += [min(listed, key=lambda member: len(member[1]))] * rng.choice([1, 40, 2000])
    elif odd < 0.09:
        listed.remove(rng.choice(listed))
    content = packed(listed, method)
    if 0.09 < odd < 0.12:
        content = with_changed_references(rng, content)
    path = folder / "model"
    path.write_bytes(content)
    used(path)


def with_changed_references(rng: random.Random, content: bytes) -> bytes:
    """A file whose directory states other positions or sizes: members share bytes, or reach beyond the file."""
    data = bytearray(content)
    entries = [i for i in range(len(data)) if data.startswith(b"PK\1\2", i)]
    entry, other = rng.choice(entries), rng.choice(entries)
    how = rng.randrange(3)
    if how == 0:
        data[entry + 42 : entry + 46] = data[other + 42 : other + 46]
    elif how == 1:
        data[entry + 42 : entry + 46] = rng.choice([0, 7, len(data), 2**31, 2**32 - 1]).to_bytes(4, "little")
    else:
        size = rng.choice([0, 1, len(data), 2**30, 2**32 - 2]).to_bytes(4, "little")
        data[entry + 20 : entry + 28] = size + size
    return bytes(data)


def changed_values(rng: random.Random, members: dict[str, bytes]) -> None:
    """Change the meaning of the JSON: types, options of the analyzer, patterns, nesting, sizes."""
    text = members.get("data.json", b"{}")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    patterns = [
        "(a+)+$",
        "(.*a){30}",
        r"\w" * 400 + "+",
        r"\w{999999,}",
        "[" * 900,
        "[z-a]+",
        "((((((a{99}){99}){99}){99})",
        "",
    ]
    options = [
        {"token_pattern": rng.choice(patterns)},
        {"ngram_range": rng.choice([[1, 100], [1, 10**9], [-1, 2], [2, 1], [1.5, 2], [1], "12"])},
        {"input": "filename"},
        {"analyzer": rng.choice(["word", "char", "char_wb", "os.system", 3])},
        {"analyzer": "char", "ngram_range": [1, 100]},
        {"stemmer": rng.choice(["english", "../x", "", 5])},
        {"stop_words": rng.choice(["english", ["a"] * 9999, [1], {"a": 1}])},
        {"min_length": rng.choice([0, 10**30, True, 3])},
        {"html": True, "normalize": rng.choice(["NFC", "NFKC", "NFX"])},
        {"words": rng.choice(["unicode", "sklearn", "auto", "x"]), "hashtags": rng.choice([True, 1])},
        {"segmenter": "os.system"},
    ]
    deep: Any = []
    for _ in range(rng.choice([3, 500])):
        deep = [deep]
    changes = [
        ("analyzer", rng.choice([None, *options])),
        ("transform", rng.choice(["counts", "binary", "log", "exp", 3])),
        ("norm", rng.choice(["none", "all terms", "class terms", "features", None])),
        ("link", rng.choice(["none", "softmax", "sigmoid", "platt", "tanh"])),
        ("single_label", rng.choice([True, False, 0, "yes"])),
        (
            "classes",
            rng.choice([[], ["x"], ["x", "x"], list(range(9)), ["a"] * 10**5, [deep], {"a": 1}, [None, 1]]),
        ),
        ("class_type", rng.choice(["str", "int", "float", "bool", "list", 1])),
        ("provenance", rng.choice([{}, {"a": deep}, [], {"classifier": "\x1b[31m" * 99}, {"mean": 10**300}])),
        ("plain_words", rng.choice([True, False, 1])),
        ("calibrated_on", rng.choice([-1, 10**40, 1.5, True])),
        ("termsift.model", rng.choice([1, 2, 3, 10**30, "2", True, 2.0])),
        (rng.choice(["x", "pipeline", "__class__"]), deep),
    ]
    if rng.random() < 0.15:
        alter_json(rng, values)
    else:
        name, value = rng.choice(changes)
        values[name] = value
    members["data.json"] = json.dumps(values).encode("utf-8", "replace")


def changed_terms(rng: random.Random, members: dict[str, bytes]) -> None:
    """Replace a term: by many words, a long one, odd characters, or the end of another."""
    try:
        raw = np.load(io.BytesIO(members["term_bytes.npy"]), allow_pickle=False).tobytes()
        ends = np.load(io.BytesIO(members["term_ends.npy"]), allow_pickle=False).tolist()
        terms = [raw[first:last] for first, last in zip([0, *ends], ends, strict=False)]
    except (KeyError, TypeError, ValueError, EOFError, OSError, MemoryError, TokenError):
        return
    odd = [
        b" ".join([b"a"] * 10**6),
        b" ".join(b"%d" % i for i in range(10**5)),
        b"a" * 10**7,
        *(
            b"",
            b" ",
            b" free",
            b"free ",
            b"a  b",
            b"\0",
            b"free\0",
            b"\xed\xa0\x80",
            b"\xff",
            "\u0130".encode(),
        ),
        *(b"free prize", b"FREE", b"\x1f", b"fre", b"lunch lunch lunch"),
    ]
    if terms:
        terms[rng.randrange(len(terms))] = rng.choice(odd)
    members["term_bytes.npy"] = saved_array(np.frombuffer(b"".join(terms), dtype=np.uint8))
    members["term_ends.npy"] = saved_array(np.cumsum([len(term) for term in terms], dtype=np.int64))


def saved_array(array: Any) -> bytes:
    """The .npy file of an array."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def changed_array(rng: random.Random, members: dict[str, bytes]) -> None:
    """Change an array: values, indices, shape, type, what its header states, or its name."""
    name = rng.choice([name for name in members if name.endswith(".npy")] or [""])
    if not name:
        return
    content = members[name]
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False).copy()
        if array.dtype.kind not in "iuf":
            return
    except (ValueError, EOFError, OSError, MemoryError, TokenError):
        return
    how = rng.randrange(9)
    numbers = [0, -1, 1, 3, 10**9, 2**31, 2**62, 2**63 - 1, -(2**63)]
    if array.dtype.kind == "f":
        numbers = [0.0, -1.0, 1e49, -1e49, 1e51, 1e308, 5e-324, float("nan"), float("inf")]
    if array.dtype == np.uint8:
        numbers = [0, 10, 32, 128, 255]
    if how == 0 and array.size:
        array.flat[rng.randrange(array.size)] = np.array(rng.choice(numbers)).astype(array.dtype)
    elif how == 1:
        array[...] = np.array(rng.choice(numbers)).astype(array.dtype)
    elif how == 2:
        array = rng.choice(
            [array[:-1], array[:0], array.ravel(), array[None], array.T, np.concatenate([array] * 3)]
        )
    elif how == 3:
        array = array.astype(rng.choice(["<f4", "<i2", ">f8", "<c16", "S3", "<f8", "<i8", "|u1", "<M8[s]"]))
    elif how == 4:
        array = rng.choice(
            [np.sort(array, axis=None).reshape(array.shape), array[::-1], np.zeros_like(array)]
        )
    elif how == 5:
        shape = rng.choice(
            [b"10000000000", b"999999999999999999", b"0, 999999999999", b"-1", b"1, 1, 1", b"4,)"]
        )
        header, _, data = content.partition(b"\n")
        start = header.index(b"'shape': (") + len(b"'shape': (")
        stated = header[:start] + shape + b"," + header[header.index(b")", start) :]
        members[name] = stated[: len(header)].ljust(len(header)) + b"\n" + data
        return
    elif how == 6:
        members[rng.choice(["../" + name, "weights.npy", "x" * 300 + ".npy", "data.json"])] = members.pop(
            name
        )
        return
    elif how == 8:
        # row starts whose differences overflow, and are positive
        if array.dtype.kind != "i" or array.ndim != 1 or array.size < 5:
            return
        array[1:4] = [2**63 - 1, -(2**63), -1]
    else:
        odd = [b"__import__('os').system('x')", b"'|O'", b"[('a', '<f8')]", b"(" * 60]
        members[name] = content.replace(b"'<f8'", rng.choice(odd)).replace(b"'<i8'", rng.choice(odd))
        return
    members[name] = saved_array(array)


def used(path: Path) -> None:
    """Load a file and use the model, if it is one: within seconds, and within twice its size of memory."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is that from here on
    begin, before = time.monotonic(), memory("VmRSS")
    try:
        model = ts.load_model(path)
        if model.analyzer is not None:
            check_labels(model)
            answered(lambda: repr(model.explain("free prize lunch")))
            answered(lambda: model.predict_proba(ASKED))
        answered(lambda: model.to_sklearn())
        repr(model)
    finally:
        check(time.monotonic() - begin < SECONDS, f"it took {time.monotonic() - begin:.1f} s")
        grown = memory("VmHWM") - before
        check(grown < 2 * path.stat().st_size + SPARE_MEMORY, f"it took {grown:,} bytes")


def check_labels(model: ts.Model) -> None:
    """Labels and decision values must be those of the file's numbers, by dense arrays and Python's words."""
    terms, n_classes = model.terms.tolist(), len(model.classes)
    assert model.analyzer is not None
    found = [Counter(model.analyzer(text)) for text in ASKED]
    rows = np.array([[float(counts[term]) for term in terms] for counts in found])
    steps, present = model.steps, rows > 0
    if steps.transform == "binary":
        rows = present * 1.0
    elif steps.transform == "log":
        rows[present] = 1 + np.log(rows[present])
    rows = rows if steps.weights is None else rows * steps.weights
    rows = rows if steps.features is None else rows @ steps.features.toarray()
    if steps.norm in ("all terms", "features"):
        lengths = np.sqrt((rows**2).sum(axis=1))
        rows = rows / np.where(lengths == 0, 1, lengths)[:, None]
    scale = np.ones((len(ASKED), n_classes))
    if steps.class_terms is not None:
        scale = np.sqrt(rows**2 @ steps.class_terms.toarray())
        scale[scale == 0] = 1
    expected = rows @ model.coefficients / scale + model.intercepts
    # sums of large numbers may cancel each other
    error = 1e-9 * (np.abs(rows) @ np.abs(model.coefficients) / scale + np.abs(model.intercepts) + 1e-300)
    values, labels = model.decision_function(ASKED), model.predict(ASKED)
    check((np.abs(values - expected) <= error).all(), "decision values are not those of the file")
    for label, row, errors in zip(labels, expected, error, strict=True):
        if model.is_multilabel:
            sure = np.abs(row) > errors
            has_label = np.array([name in label for name in model.classes])
            check((has_label == (row > 0))[sure].all(), f"wrong labels {label!r}")
        else:
            best = row.argmax()
            chosen = model.classes.index(label)
            check(row[best] - row[chosen] <= errors[best] + errors[chosen], f"wrong label {label!r}")


def memory(name: str) -> int:
    """A figure of this process's memory, in bytes: VmRSS now, VmHWM at most."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


@lru_cache(maxsize=len(KINDS))
def loaded(which: int) -> ts.Model:
    """A model as it was saved."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "model")
        path.write_bytes(model_file(which))
        return ts.load_model(path)


def model_options(rng: random.Random, folder: Path) -> None:
    """The attempt at what a model is asked: strange documents, classes and options."""
    model = loaded(rng.randrange(len(KINDS)))
    path = folder / "mail.csv"
    path.write_text("text,label\n" + "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS, LABELS, strict=True)))
    data = rng.choice([TEXTS, path, str(path), strange_value(rng), strange_value(rng)])
    ask = rng.randrange(5)
    if ask == 0:
        list(
            predict_tables(
                model, data, **odd_options(rng, ["decision_values", "probabilities", "keep", *READING])
            )
        )
    elif ask == 1:
        model.explain(rng.choice([TEXTS, strange_value(rng)]), **odd_options(rng, ["name", "reference"]))
    elif ask == 2:
        labels = rng.choice([LABELS, None, strange_value(rng)])
        model.evaluate(data, labels, **odd_options(rng, ["label", "label_separator", *READING]))
    else:
        check(len(getattr(model, ["predict", "decision_function"][ask - 3])(data)) >= 0, "no answer")
