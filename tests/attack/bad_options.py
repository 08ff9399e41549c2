"""Every option of every function and command, with values of the wrong type, size, sign and alphabet."""

from __future__ import annotations

import contextlib
import io
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

import termsift as ts
from changes import strange_texts, strange_value
from trying import Wrong, check, fault_of_line

TEXTS = ["free prize, claim now", "win a free prize", "lunch at noon?", "see you at noon", "free lunch"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
X = np.array([[1, 0, 2], [1, 1, 0], [0, 3, 1], [0, 1, 0], [2, 0, 1]])
COUNTING = ["terms", "text", "label", "analyzer", "sample_weight", "n_jobs", "min_df", "max_df", "encoding", "memory"]
COUNTING += ["on_missing", "separator", "progress", "strange"]
VECTORIZING = ["input", "encoding", "decode_error", "strip_accents", "lowercase", "preprocessor", "tokenizer", "stop_words"]
VECTORIZING += ["token_pattern", "ngram_range", "analyzer", "max_df", "min_df", "max_features", "vocabulary", "binary", "dtype", "n_jobs"]
ANALYZING = ["lowercase", "token_pattern", "stop_words", "ngram_range", "strip_accents", "analyzer", "stemmer"]
MOST_LINES, LONGEST_LINE = 6, 1100


def odd_options(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """One option of a strange value, or two."""
    return {name: strange_value(rng) for name in rng.sample(names, rng.choice([1, 1, 2]))}


def count_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.count: texts, a matrix, a frame, a file, and what is none of these."""
    path = folder / "mail.csv"
    path.write_text("text,label\n" + "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS, LABELS, strict=True)))
    data: list[tuple[Any, Any]] = [(TEXTS, LABELS), (X, LABELS), (path, None), ([str(path)], None), (strange_value(rng), strange_value(rng))]
    given = rng.choice(data)
    ts.count(*given, **odd_options(rng, COUNTING))


def analyzer_options(rng: random.Random, folder: Path) -> None:
    """The attempt at Analyzer."""
    analyzer = ts.Analyzer(**odd_options(rng, ANALYZING))
    texts = [*TEXTS, rng.choice(strange_texts())]
    counts = ts.count(texts, [*LABELS, "ham"], analyzer=analyzer)
    check(all(isinstance(term, str) for term in counts.terms), "a term that is no text")
    counts.save(folder / "counts.parquet")


def score_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.score, ts.select, policies, methods, and what is asked of Scores and Selection."""
    counts = ts.count(TEXTS, LABELS)
    metric = rng.choice([metric.name for metric in ts.metrics()] + [strange_value(rng)] * 9)
    way = rng.randrange(6)
    if way == 0:
        ts.score(counts, metric, **odd_options(rng, ["reduce", "smoothing", "per_class", "signed", "of", "groups", "prior", "k", "strange"]))
    elif way == 1:
        ts.select(counts, metric, strange_value(rng), **odd_options(rng, ["reduce", "for_class", "smoothing"]))
    elif way == 2:
        policies = [ts.TopK, ts.RoundRobin, ts.Percentile, ts.AtLeast, ts.FalseDiscovery, ts.PositiveNegative, ts.SignWeighted, ts.PerClass]
        policy = rng.choice(policies)
        made = policy(strange_value(rng)) if rng.random() < 0.6 else policy(2, strange_value(rng))
        ts.select(counts, "cc", made)
    elif way == 3:
        ts.score(counts, "chi2").top(strange_value(rng), strange_value(rng), **odd_options(rng, ["side"]))
    elif way == 4:
        counts.with_df(**odd_options(rng, ["min_df", "max_df"]))
        counts.class_index(strange_value(rng))
    else:
        ts.score(strange_value(rng), metric)


def selector_options(rng: random.Random, folder: Path) -> None:
    """The attempt at the parameters of estimators."""
    names = {
        ts.TermSelector: ["metric", "k", "reduce", "policy", "options"],
        ts.TermWeighter: ["metric", "reduce"],
        ts.PositiveNegativeSelector: ["metric", "k", "ratio", "cv"],
        ts.GreedyDiscriminationSelector: ["k"],
        ts.WordClusterExtractor: ["n_clusters"],
    }
    kind = rng.choice(list(names))
    known = [name for name in names[kind] if name in kind().get_params()]
    kind().set_params(**odd_options(rng, known)).fit(X, LABELS).transform(X)


def vectorizer_options(rng: random.Random, folder: Path) -> None:
    """The attempt at TermVectorizer: it works, or answers as CountVectorizer does, by scikit-learn's error."""
    from sklearn.feature_extraction.text import CountVectorizer

    options = odd_options(rng, VECTORIZING)
    ours = outcome(lambda: ts.TermVectorizer(**options).fit_transform(TEXTS).toarray().tolist())
    options.pop("n_jobs", None)
    theirs = outcome(lambda: CountVectorizer(**options).fit_transform(TEXTS).toarray().tolist())
    check(ours[0] == theirs[0], f"{ours[:2]!a} where CountVectorizer gives {theirs[:2]!a} of {sorted(options)}"[:300])
    check(ours == theirs or ours[0] != "works", f"other numbers than CountVectorizer's with {sorted(options)}")


def outcome(call: Any) -> tuple[str, Any]:
    """What a call gives: its value, or the type of its error."""
    found: dict[str, Any] = {}
    with contextlib.suppress(ValueError, TypeError, LookupError, AttributeError, OverflowError, re.error):
        found["value"] = call()
    return ("works", found["value"]) if found else ("fails", None)


FLAGS = {
    "metrics": ["--json", "--csv"],
    "corpora": ["--data-dir=", "--json", "--csv"],
    "count": ["--output=", "-o=", "--json", "--csv"],
    "score": ["--metric=", "--class=", "--side=", "--top=", "--min-df=", "--json", "--csv"],
    "select": ["--metric=", "-k=", "--policy=", "--reduce=", "--class=", "--min-df=", "-o=", "--json", "--csv"],
    "compare": ["--metric=", "-k=", "--classifier=", "--goal=", "--folds=", "--repeats=", "--seed=", "--budget=", "--min-df=", "--save=", "--report="],
    "report": ["--title=", "--metric=", "-k=", "--class=", "--min-df=", "--no-texts", "-o="],
    "study": ["--quick", "--all", "-o=", "--publish=", "--jobs=", "--data-dir="],
}
READING = ["--text=", "--label=", "--separator=", "--on-missing=", "--encoding=", "--format=", "--memory=", "--jobs=", "--engine=", "--master="]


def command_words(rng: random.Random, folder: Path) -> list[str]:
    """A command with options of strange values."""
    name = rng.choices(list(FLAGS), [1, 1, 6, 6, 6, 1, 1, 1])[0]
    flags = FLAGS[name] + (READING if name not in ("metrics", "corpora", "study") else [])
    words = [] if name in ("metrics", "corpora") else [strange_data(rng, folder, name)]
    for flag in rng.sample(flags, rng.choice([1, 1, 2, 3])):
        words += [flag] if not flag.endswith("=") else [flag[:-1], strange_word(rng, folder, flag)]
    if name == "report" and "-o" not in words:
        words += ["-o", str(folder / "report.html")]
    if name == "compare":
        words += ["--folds", "2", "--classifier", "bayes", "--metric", "chi2"] if rng.random() < 0.7 else ["--budget", "1"]
    rest = words[:1] + rng.choice([[], [], [], ["strange"], ["--"], ["--strange"], ["-"]])[:1] + words[1:]
    return [name, *rest]


def strange_data(rng: random.Random, folder: Path, name: str) -> str:
    """Mostly a file to read."""
    if name == "study":
        return rng.choice([*strange_texts(), "zheng2003", "forman"])
    if rng.random() < 0.75:
        return str(folder / rng.choice(["mail.csv", "mail.csv", "counts.parquet"]))
    return rng.choice([*strange_texts(), str(folder), str(folder / "*.csv"), "/dev/null", "docstring", str(folder / "missing.csv")])


def strange_word(rng: random.Random, folder: Path, flag: str) -> str:
    """A value of an option: of outputs a path, of others a number or a text."""
    if flag in ("-o=", "--output=", "--save=", "--report=", "--publish="):
        paths = ["out", "missing/out", "mail.csv", "folder", "n" * 255, "n" * 300, "loop", "readonly", "\udcff", "a\nb", "\u202e", "a\0b", ""]
        return str(folder / rng.choice(paths))
    return rng.choice([*strange_texts(), *["0", "-1", "1", "2", "1.5", "1e9", "1000000", "99999999999999999999", "chi2", "bns:turns", "spam", "csv", "skip", "spark"]])


def prepare(folder: Path) -> None:
    """Files for commands: a corpus, its counts, a folder, a link to itself, a file that may not be written."""
    rows = "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS * 4, LABELS * 4, strict=True))
    (folder / "mail.csv").write_text("text,label\n" + rows)
    ts.count(TEXTS, LABELS).save(folder / "counts.parquet")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "readonly").write_text("old")
    (folder / "readonly").chmod(0o444)


def a_command(rng: random.Random, folder: Path) -> None:
    """The attempt at commands: exit 0 or 1, few short lines, the files that were there unharmed."""
    prepare(folder)
    words = command_words(rng, folder)
    if "spark" in words or any(word.startswith(("spark://", "sc://")) for word in words):
        words = [word for word in words if word not in ("spark",)]
    before = {name: (folder / name).read_bytes() for name in ("mail.csv", "counts.parquet", "readonly")}
    with contextlib.chdir(folder / "folder"):
        code, out, err = run(words)
    after = {name: (folder / name).read_bytes() for name in before}
    fault = fault_of_talk(code, err)
    check(fault is None, f"{fault} of {' '.join(words)!a}"[:600])
    check(before == after, f"a file was changed by {' '.join(words)!a}")
    left = [path.name for path in folder.rglob(".termsift-*")]
    check(not left, f"left behind by {' '.join(words)!a}: {left}")


def fault_of_talk(code: Any, err: str, codes: tuple[int, ...] = (0, 1)) -> str | None:
    """What is wrong with how a command ended: its code, and what it said on stderr."""
    lines = err.splitlines()
    if code not in codes:
        return f"exit {code}: {err[-200:]!a}"
    if "Traceback" in err or len(lines) > MOST_LINES:
        return f"{len(lines)} lines: {err[-200:]!a}"
    if code and not lines:
        return f"exit {code} without a word"
    return next((fault for line in lines if line and (fault := fault_of_line(line, LONGEST_LINE))), None)


def run(words: list[str]) -> tuple[Any, bytes, str]:
    """A command within this process: its exit code, and what it wrote."""
    from termsift.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogatepass", write_through=True) for _ in range(2))
    code: Any = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as stop:
        code = stop.code
    except OSError as error:
        raise Wrong(f"{type(error).__name__}: {error} of {' '.join(words)!a}"[:600]) from error
    return code, out.buffer.getvalue(), err.buffer.getvalue().decode("utf-8", "surrogatepass")
