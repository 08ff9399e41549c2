"""Words of every script: what the modes of words take on one thread, in its processor time, in one run.

English is 20 Newsgroups; the mix is Hindi, Arabic, Thai, Chinese, Japanese, Korean and Russian, the sentences
of tests/text/languages in random order, with an emoji after every second one.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from time import thread_time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

import metrics
import newsgroups
import termsift as ts
from metrics import row
from termsift.text.scanner import Scanner, encode_documents

RESULTS = Path(__file__).parent / "results" / "scripts.csv"
LANGUAGES = Path(__file__).parents[1] / "tests" / "text" / "languages"
MIXED = ("hindi", "arabic", "thai", "chinese", "japanese", "korean", "russian")
EMOJI = ("👍🏽", "😀", "❤️", "👨‍👩‍👧", "🇩🇪")
MODES = ("sklearn", "auto", "unicode")
SENTENCES, DOCUMENTS = 200, 1500


def main() -> None:
    english, mixed = newsgroups.texts_and_labels()[0], mixture()
    for words in MODES:
        bags(english[:50] + mixed[:2], words)  # compiled before the clock starts
    rows = [*speeds("English", english), *speeds("the mix", mixed), *patterns(mixed[:60])]
    for line in rows:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(rows, RESULTS)


def mixture() -> list[str]:
    """Documents of sentences of seven languages and emoji, in random order."""
    rng = np.random.default_rng(0)
    pool = [text for name in MIXED for text in sentences(name)]
    order = rng.integers(0, len(pool), (DOCUMENTS, SENTENCES))
    emoji = rng.integers(0, len(EMOJI), (DOCUMENTS, SENTENCES))
    return [
        " ".join(
            pool[i] + (f" {EMOJI[e]}" if n % 2 else "") for n, (i, e) in enumerate(zip(*both, strict=True))
        )
        for both in zip(order, emoji, strict=True)
    ]


def sentences(language: str) -> list[str]:
    with open(LANGUAGES / f"{language}.csv", encoding="utf-8", newline="") as file:
        return [line["text"] for line in csv.DictReader(file)]


def bags(texts: list[str], words: str) -> object:
    """Texts through the scan: lower case, bytes, words, counts."""
    return Scanner(ts.Analyzer(words=words)).scan_texts(texts)


def taking_turns(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the smallest processor time of each job; they take turns, so that other load affects all."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = thread_time()
            job()
            best[name] = min(best[name], thread_time() - start)
    return best


def speeds(name: str, texts: list[str]) -> Iterator[dict[str, str]]:
    """Megabytes per second of each mode, from str to counts, and of the scan alone."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{name}: {len(texts):,} texts, {size:.0f} MB")
    ready = {words: encode_documents(texts, ts.Analyzer(words=words)) for words in MODES}
    whole = taking_turns({words: lambda words=words: bags(texts, words) for words in MODES}, rounds=4)
    alone = taking_turns(
        {
            words: lambda words=words: Scanner(ts.Analyzer(words=words)).scan_bytes(*ready[words])
            for words in MODES
        },
        rounds=4,
    )
    for words in MODES:
        target = "at least 60" if (name, words) == ("the mix", "unicode") else ""
        yield row(f"{name}, words={words!r}, MB/s a thread", f"{size / whole[words]:.0f}", target)
        yield row(f"{name}, words={words!r}, the scan alone, MB/s", f"{size / alone[words]:.0f}")
    if name == "English":
        share = f"{whole['sklearn'] / whole['unicode']:.2f}"
        yield row("English, words='unicode', share of the default's speed", share, "at least 0.8")
        yield row("English, words='auto', share of sklearn's", f"{whole['sklearn'] / whole['auto']:.2f}")


def patterns(texts: list[str]) -> Iterator[dict[str, str]]:
    """Compare the compiled scan with the same words by CountVectorizer's pattern."""
    for words in MODES[1:]:
        analyzer = ts.Analyzer(words=words)
        best = taking_turns(
            {
                "theirs": lambda own=analyzer.vectorizer_options: CountVectorizer(**own).fit_transform(texts),
                "ours": lambda own=analyzer: ts.TermVectorizer(analyzer=own).fit_transform(texts),
            },
            rounds=2,
        )
        yield row(
            f"the mix, words={words!r}, against CountVectorizer, times",
            f"{best['theirs'] / best['ours']:.1f}",
        )


if __name__ == "__main__":
    main()
