"""Models of random corpora with settings that CountVectorizer can express.

    random_models.py [corpora]     their exported pipelines, in an environment without termsift

The second makes a virtual environment of scikit-learn, SciPy, NumPy and skops alone, with the versions here,
loads each exported archive there, and compares labels and decision values with those of the model.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import termsift as ts
from termsift.compare.candidates import UNLIMITED, Candidate, parse_ranker
from termsift.compare.documents import prepare_documents
from termsift.compare.final_model import calibrate_model, fit_candidate
from termsift.engines import load_documents
from termsift.evaluation import k_fold_split, parse_goals
from termsift.evaluation.classifiers import has_log_count_ratios, parse_classifiers

CORPORA = 500
CLASSIFIERS = (
    "svm", "svm_balanced", "nbsvm", "logistic", "logistic_balanced", "multinomial_nb", "complement_nb",
    "svm:binary", "nbsvm:binary", "logistic:binary", "multinomial_nb:binary", "complement_nb:binary",
    "svm:bns", "svm_balanced:ig", "nbsvm:chi2", "logistic:ig", "multinomial_nb:smooth_all",
    "multinomial_nb:all_terms", "multinomial_nb:length", "svm_tuned", "svm_tuned:binary", "logistic_tuned",
    "multinomial_nb_tuned", "multinomial_nb_tuned:all_terms", "complement_nb_tuned",
)  # fmt: skip
RANKERS = (
    "ig", "bns", "all", "bns:per_class", "ig:per_class", "class_weights", "divisive(3)", "chi2:round_robin",
    "cc:combined",
)  # fmt: skip
ANALYZERS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"analyzer": "char", "ngram_range": (2, 2)},
    {"stop_words": ["aa", "the"], "strip_accents": "unicode"},
    {"words": "sklearn", "token_pattern": "[a-z]+", "lowercase": False},
    {"words": "unicode"},
]
# options that CountVectorizer does not have
OTHER_ANALYZERS = [
    {"stemmer": "english"},
    {"stemmer": "german", "ngram_range": (1, 2)},
    {"html": True, "strip_accents": "ascii"},
    {"normalize": "NFKC", "min_length": 2},
    {"words": "unicode", "min_length": 3, "stop_words": ["aab"]},
    {"hashtags": True, "normalize": "NFC"},
]
ALPHABETS = ["ab", "abc ", "aé", "ab" + "\u0301", "a東京"]


def random_corpus(seed, analyzers=ANALYZERS):
    """Texts of random words, labels, and settings."""
    rng = random.Random(seed)
    alphabet = rng.choice(ALPHABETS)
    words = ["".join(rng.choices(alphabet, k=rng.randint(1, 4))) for _ in range(12)]
    classes = ["x", "y", "z"][: rng.choice([2, 3])]
    several = rng.random() < 0.3
    texts, labels = [], []
    for i in range(rng.randint(16, 30)):
        own = classes[i % len(classes)]
        weights = [3 if j % len(classes) == i % len(classes) else 1 for j in range(len(words))]
        texts.append(" ".join(rng.choices(words, weights, k=rng.randint(1, 12))))
        labels.append([own, *rng.choices(classes, k=rng.randint(0, 1))] if several else own)
    labels = [list(dict.fromkeys(names)) if several else names for names in labels]
    settings = {"words": "auto"} | rng.choice(analyzers)
    return rng, texts, labels, ts.Analyzer(**settings), words


def random_models(
    start: int, stop: int, folder: Path, analyzers: list[dict[str, Any]] = ANALYZERS
) -> Iterator[tuple[int, ts.Model, list[str]]]:
    """Yield seeds, models that were saved and loaded, and texts to label."""
    for seed in range(start, stop):
        rng, texts, labels, analyzer, words = random_corpus(seed, analyzers)
        try:
            documents = prepare_documents(load_documents(texts, labels), analyzer=analyzer)
        except ts.InvalidInputError:
            continue  # no terms, or a class of a single document
        (classifier,) = parse_classifiers([rng.choice(CLASSIFIERS)], parse_goals("f1_macro")[0])
        names = [
            name for name in RANKERS if documents.labels.is_single_label or not name.startswith("divisive")
        ]
        ranker = parse_ranker(rng.choice(names), documents.labels.is_single_label)
        if ranker.features is not None and (classifier.representation or has_log_count_ratios(classifier)):
            ranker = parse_ranker("ig", documents.labels.is_single_label)  # compare does not combine the two
        k = UNLIMITED if ranker.uses_all_terms else rng.randint(2, 9)
        fitted = fit_candidate(documents, Candidate(ranker, classifier, k), 9, 0)
        if rng.random() < 0.25:
            fitted = calibrate_model(fitted, documents, k_fold_split(documents, 2, 1, 0), 9)
        model = ts.load_model(fitted.build_model({}).save(folder / f"{seed}"))
        yield seed, model, [*texts, "", *(" ".join(rng.choices(words, k=5)) for _ in range(9))]


def difference(expected: dict[str, Any], pipeline: Any) -> str | None:
    """Return how a pipeline differs from what a model answered, or None; it needs NumPy alone."""
    texts, classes, is_multilabel = expected["texts"], expected["classes"], expected["is_multilabel"]
    values = np.array(expected["values"])
    exported = np.asarray(pipeline.decision_function(texts))
    if exported.ndim == 1 and len(classes) == 2:
        exported = np.stack([-exported, exported], axis=1)
    gap = np.abs(values - exported.reshape(values.shape)).max()
    if not gap < 1e-9:
        return f"decision values differ by {gap}"
    predicted = pipeline.predict(texts)
    if is_multilabel:
        predicted = [[classes[c] for c in np.flatnonzero(row)] for row in predicted]
    if expected["curves"]:
        # calibration is not exported: slopes and intercepts turn decision values into probabilities
        slopes, intercepts = np.array(expected["curves"])
        probabilities = 1 / (1 + np.exp(-(exported.reshape(values.shape) * slopes + intercepts)))
        if not is_multilabel:
            probabilities /= probabilities.sum(axis=1, keepdims=True)
        gap = np.abs(probabilities - np.array(expected["probabilities"])).max()
        if not gap < 1e-9:
            return f"calibrated probabilities differ by {gap}"
    # equal decision values differ by rounding
    ordered = np.sort(values, axis=1)
    margins = np.abs(values).min(axis=1) if is_multilabel else ordered[:, -1] - ordered[:, -2]
    for label, other, margin in zip(expected["labels"], predicted, margins, strict=True):
        same = list(label) == list(other) if is_multilabel else label == other
        if margin > 1e-9 and not same:
            return f"the label is {other}, not {label}"
    return None


def answers(model: ts.Model, texts: list[str]) -> dict[str, Any]:
    """Return what a model answers for texts, ready for JSON."""
    curves = model.calibration
    return {
        "curves": [] if curves is None else [curves.slopes.tolist(), curves.intercepts.tolist()],
        "probabilities": [] if curves is None else model.predict_proba(texts).tolist(),
        "texts": texts,
        "classes": list(model.classes),
        "is_multilabel": model.is_multilabel,
        "values": model.decision_function(texts).tolist(),
        "labels": [list(label) if model.is_multilabel else str(label) for label in model.predict(texts)],
    }


# run in the other environment, after the source of `difference`
CHECKER = """
import importlib.util, pathlib, sys
import skops.io
assert importlib.util.find_spec("termsift") is None
folder, n_checked, faults = pathlib.Path(sys.argv[1]), 0, []
for archive in sorted(folder.glob("*.skops")):
    pipeline = skops.io.load(archive, trusted=skops.io.get_untrusted_types(file=archive))
    fault = difference(json.loads(archive.with_suffix(".json").read_text()), pipeline)
    n_checked, faults = n_checked + 1, faults + ([f"{archive.stem}: {fault}"] if fault else [])
print(f"{n_checked} exported pipelines, {len(faults)} differ from their models", *faults, sep="\\n")
sys.exit(bool(faults))
"""


def check_elsewhere(corpora: int) -> int:
    """Compare exported pipelines with their models in an environment without termsift."""
    import inspect

    import skops.io

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        untrusted = set()
        for seed, model, texts in random_models(0, corpora, folder):
            archive = skops.io.dumps(model.to_sklearn())
            untrusted.update(skops.io.get_untrusted_types(data=archive))
            (folder / f"{seed}.skops").write_bytes(archive)
            (folder / f"{seed}.json").write_text(json.dumps(answers(model, texts)), encoding="utf-8")
        print(f"types that skops does not trust by itself: {sorted(untrusted) or 'none'}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        python = str(folder / "venv" / "bin" / "python")
        packages = [
            f"{package}=={version(package)}" for package in ("scikit-learn", "scipy", "numpy", "skops")
        ]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        imports = (
            "from __future__ import annotations\nimport json\nfrom typing import Any\nimport numpy as np\n"
        )
        code = imports + inspect.getsource(difference) + CHECKER
        return subprocess.run([python, "-I", "-c", code, str(folder)], check=False, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(check_elsewhere(int(sys.argv[1]) if len(sys.argv) > 1 else CORPORA))
