"""Every option of every function and command, with values of the wrong type, size, sign and alphabet."""

from __future__ import annotations

import contextlib
import inspect
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
from changes import strange_function, strange_names, strange_texts, strange_value
from trying import check

import termsift as ts

TEXTS = ["free prize, claim now", "win a free prize", "lunch at noon?", "see you at noon", "free lunch"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
X = np.array([[1, 0, 2], [1, 1, 0], [0, 3, 1], [0, 1, 0], [2, 0, 1]])
OF_FILES = ["encoding", "memory", "on_missing", "label_separator", "progress", "strange"]
CALLED = ("progress", "metric", "metrics", "segmenter", "scoring")


def parameters(function: Any, *more: str) -> list[str]:
    """The names of what a function takes by name, and more: what is new is tried without being listed."""
    found = inspect.signature(function).parameters.values()
    return [*[own.name for own in found if own.kind in (own.POSITIONAL_OR_KEYWORD, own.KEYWORD_ONLY)], *more]


def odd_options(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """One option of a strange value, or two."""
    made = {name: strange_value(rng) for name in rng.sample(names, min(rng.choice([1, 1, 2]), len(names)))}
    # what a function of the caller's raises is the caller's, so theirs raise what is known to be
    callers = [name for name in made if name in CALLED and callable(made[name])]
    return made | {name: strange_function(rng) for name in callers}


def count_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.count: texts, a matrix, a frame, a file, and what is none of these."""
    path = folder / "mail.csv"
    path.write_text("text,label\n" + "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS, LABELS, strict=True)))
    data: list[tuple[Any, Any]] = [
        (TEXTS, LABELS),
        (X, LABELS),
        (path, None),
        ([str(path)], None),
        (strange_data(rng), strange_value(rng)),
    ]
    given = rng.choice(data)
    ts.count(*given, **odd_options(rng, parameters(ts.count, *OF_FILES)[2:]))


def strange_data(rng: random.Random) -> Any:
    """What is no corpus."""
    found = strange_value(rng)
    return rng.choice(strange_names()) if isinstance(found, str) else found


def analyzer_options(rng: random.Random, folder: Path) -> None:
    """The attempt at Analyzer."""
    analyzer = ts.Analyzer(**odd_options(rng, parameters(ts.Analyzer)))
    texts = [*TEXTS, "東京に行く", rng.choice(strange_texts())]
    counts = ts.count(texts, [*LABELS, "ham", "ham"], analyzer=analyzer)
    check(all(isinstance(term, str) for term in counts.terms), "a term that is no text")
    counts.save(folder / "counts.parquet")


def score_options(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.score, ts.select, policies, methods, and what is asked of Scores and Selection."""
    counts = ts.count(TEXTS, LABELS)
    odd = odd_options(rng, ["metric"])["metric"]
    metric = rng.choice([metric.name for metric in ts.metrics()] + [odd] * 9)
    way = rng.randrange(7)
    if way == 0:
        ts.score(
            counts,
            metric,
            **odd_options(
                rng, ["reduce", "smoothing", "per_class", "signed", "of", "groups", "prior", "k", "strange"]
            ),
        )
    elif way == 1:
        ts.select(
            counts, metric, strange_value(rng), **odd_options(rng, ["reduce", "for_class", "smoothing"])
        )
    elif way == 2:
        policy = rng.choice([ts.PositiveNegative])
        alone = rng.choice(
            [
                policy,
                ts.TopK,
                ts.RoundRobin,
                ts.Percentile,
                ts.Threshold,
                ts.Significant,
                ts.FalseDiscovery,
                ts.PerClass,
            ]
        )
        made = alone(strange_value(rng)) if rng.random() < 0.6 else policy(2, strange_value(rng))
        ts.select(counts, "cc", made)
    elif way == 3:
        ts.score(counts, "chi2").top(
            strange_value(rng), strange_value(rng), **odd_options(rng, ["direction"])
        )
    elif way == 4:
        counts.with_df(**odd_options(rng, ["min_df", "max_df"]))
        counts.class_index(strange_value(rng))
    elif way == 5:
        named = rng.choice(["chi2", "chi2", odd])
        ts.score(
            TEXTS,
            LABELS,
            metric=named,
            **odd_options(rng, ["shuffles", "shuffle_by", "random_state", "sample_weight"]),
        )
    else:
        ts.score(strange_value(rng), metric)


def selector_options(rng: random.Random, folder: Path) -> None:
    """The attempt at the parameters of estimators."""
    kind = rng.choice(
        [
            ts.TermSelector,
            ts.TermWeighter,
            ts.PositiveNegativeSelector,
            ts.RedundancyAwareSelector,
            ts.GreedyDiscriminationSelector,
            ts.WordClusterExtractor,
            ts.ClassWeightExtractor,
        ]
    )
    kind().set_params(**odd_options(rng, list(kind().get_params()))).fit(X, LABELS).transform(X)


def vectorizer_options(rng: random.Random, folder: Path) -> None:
    """The attempt at TermVectorizer: it works where CountVectorizer does, and gives the same."""
    from sklearn.feature_extraction.text import CountVectorizer

    if rng.random() < 0.1:
        ts.TermVectorizer(n_jobs=strange_value(rng)).fit_transform(TEXTS)
    options = odd_options(rng, parameters(CountVectorizer))
    ours = outcome(lambda: ts.TermVectorizer(**options).fit_transform(TEXTS).toarray().tolist())
    theirs = outcome(lambda: CountVectorizer(**options).fit_transform(TEXTS).toarray().tolist())
    check(
        ours[0] == theirs[0],
        f"{ours[:2]!a} where CountVectorizer gives {theirs[:2]!a} of {sorted(options)}"[:300],
    )
    check(
        ours == theirs or ours[0] != "works", f"other numbers than CountVectorizer's with {sorted(options)}"
    )


def outcome(call: Any) -> tuple[str, Any]:
    """What a call gives: its value, or the type of its error."""
    found: dict[str, Any] = {}
    with contextlib.suppress(
        ValueError, TypeError, LookupError, AttributeError, OverflowError, SyntaxError, re.error
    ):
        found["value"] = call()
    return ("works", found["value"]) if found else ("fails", None)
