"""Accuracies and times over the splits of a corpus, and what the paper states of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TypeAlias

from termsift.studies.jiang_lee.trials import ALL, SIZES, WEIGHTS
from termsift.studies.study import Line, Row, stated

Key: TypeAlias = tuple[str, str, str]
# where, if not in the corpus's own section, what, our figure, and whether its parts hold
Said: TypeAlias = tuple[str, str, str, list[bool]]
MOST = SIZES[-1]
# of each corpus: the section, the classes, and how far class weights are below all words
PLACES = {"20news": ("section 4.1", 20, 0.22), "reuters10": ("section 4.2", 10, 2.52)}
# the least features with which clusters are better than class weights
CLUSTERS_FROM = {"20news": 5000, "reuters10": 200}


@dataclass(frozen=True, slots=True, eq=False)
class JiangOutcomes:
    """By corpus, method and features: the accuracies of the splits, in per cent, and the seconds."""

    accuracies: dict[Key, list[float]]
    times: dict[Key, list[float]]

    def accuracy(self, corpus: str, method: str, features: object) -> float:
        """The mean over splits."""
        return mean(self.accuracies[corpus, method, str(features)])

    def spread(self, key: Key) -> float:
        """The standard deviation over splits, 0 where there is one."""
        values = self.accuracies[key]
        return stdev(values) if len(values) > 1 else 0.0

    def seconds(self, corpus: str, method: str, features: object) -> float:
        """The mean over splits."""
        return mean(self.times[corpus, method, str(features)])

    def sizes(self, corpus: str, method: str) -> list[int]:
        """The numbers of features of a method, ascending."""
        return sorted(int(key[2]) for key in self.accuracies if key[:2] == (corpus, method))


def jiang_outcomes(rows: Iterable[Row]) -> JiangOutcomes:
    """The outcomes of the rows of all units."""
    accuracies: dict[Key, list[float]] = defaultdict(list)
    times: dict[Key, list[float]] = defaultdict(list)
    for row in rows:
        key = row["corpus"], row["method"], str(row["features"])
        accuracies[key].append(100 * int(row["right"]) / int(row["judged"]))
        times[key].append(float(row["seconds"]))
    return JiangOutcomes(dict(accuracies), dict(times))


def jiang_statements(found: JiangOutcomes) -> list[Line]:
    """One line a statement; none where a part of the study was run."""
    if any(found.sizes(corpus, "DC") != list(SIZES) for corpus in PLACES):
        return []
    return [line for corpus in PLACES for line in corpus_statements(JiangAnswers(found, corpus))]


class JiangAnswers:
    """The outcomes of one corpus, asked in the paper's terms."""

    def __init__(self, found: JiangOutcomes, corpus: str) -> None:
        self.found, self.corpus = found, corpus
        self.where, self.classes, self.below = PLACES[corpus]
        self.weights = found.accuracy(corpus, WEIGHTS, self.classes)
        self.all_words = found.accuracy(corpus, ALL, "all")

    def of(self, method: str, features: int) -> float:
        """An accuracy."""
        return self.found.accuracy(self.corpus, method, features)

    def time(self, method: str, features: int) -> float:
        """How many times the seconds of class weights."""
        base = self.found.seconds(self.corpus, WEIGHTS, self.classes)
        return self.found.seconds(self.corpus, method, features) / base

    def better(self, method: str) -> list[int]:
        """The numbers of features with which a method is better than class weights."""
        return [size for size in SIZES if self.of(method, size) > self.weights]


def corpus_statements(asked: JiangAnswers) -> Iterator[Line]:
    """The statements on one corpus."""
    yield from accuracy_statements(asked)
    yield from lines_of_said(asked, on_time(asked))


def accuracy_statements(asked: JiangAnswers) -> Iterator[Line]:
    """Those that no clock has a part in."""
    yield from lines_of_said(asked, (*on_weights(asked), *on_accuracy(asked)))


def lines_of_said(asked: JiangAnswers, every: Iterable[Said]) -> Iterator[Line]:
    """Statements with their verdicts."""
    for where, text, figure, parts in every:
        yield stated(where or asked.where, f"{asked.corpus}: {text}", figure, parts)


def on_weights(asked: JiangAnswers) -> Iterator[Said]:
    """Class weights against all words, and against the others with as many and with more features."""
    weights, words = f"class weights {asked.weights:.2f}", f"all words {asked.all_words:.2f}"
    lost = asked.all_words - asked.weights
    text = f"class weights are {asked.below} points below all words"
    yield "", text, f"{weights}, {words}: {-lost:+.2f}", [lost <= asked.below]

    others = {method: asked.of(method, asked.classes) for method in ("DC", "IG")}
    figure = ", ".join([weights, *(f"{m} {v:.2f}" for m, v in others.items())])
    text = f"with {asked.classes} features class weights are better than DC and IG"
    yield "", text, figure, [asked.weights > value for value in others.values()]

    least, better = CLUSTERS_FROM[asked.corpus], asked.better("DC")
    large = [size for size in SIZES if size >= least]
    text = f"DC is better than class weights only from {least} features on"
    figure = f"{weights}; DC is better with {better_sizes_shown(asked, 'DC')}"
    yield "", text, figure, [better == large, set(large) <= set(better)]

    figure = f"{weights}; IG is better with {better_sizes_shown(asked, 'IG')}; {words}"
    if asked.corpus == "20news":
        parts = [not asked.better("IG"), asked.all_words > asked.weights]
        yield "", "IG is better than class weights only with all words", figure, parts
    else:
        yield "", "IG with 5000 features is better than class weights", figure, [MOST in asked.better("IG")]


def better_sizes_shown(asked: JiangAnswers, method: str) -> str:
    """The numbers of features with which a method is better than class weights, and its accuracies."""
    better = [f"{size} ({asked.of(method, size):.2f})" for size in asked.better(method)]
    return ", ".join(better) or "none"


def on_accuracy(asked: JiangAnswers) -> Iterator[Said]:
    """Most features against all words; clusters against information gain."""
    method = "DC" if asked.corpus == "20news" else "IG"
    value = asked.of(method, MOST)
    text = f"{method} with {MOST} features is better than all words"
    figure = f"{method} {value:.2f}, all words {asked.all_words:.2f}"
    yield "", text, figure, [value > asked.all_words]

    wins = [size for size in SIZES if asked.of("DC", size) > asked.of("IG", size)]
    figure = f"with {len(wins)} of {len(SIZES)} numbers of features: {', '.join(map(str, wins))}"
    text = "DC is more accurate than IG with as many features"
    yield "section 1", text, figure, [size in wins for size in SIZES]


def on_time(asked: JiangAnswers) -> Iterator[Said]:
    """The times of clusters and of information gain."""
    ratios = [asked.time("DC", size) for size in SIZES]
    figure = f"{min(ratios):.1f} times as long with {SIZES[ratios.index(min(ratios))]} features, "
    figure += f"{ratios[-1]:.1f} times with {MOST}"
    text = "DC takes longer than class weights, with any number of features"
    yield "", text, figure, [ratio > 1 for ratio in ratios]
    ratio = asked.time("IG", MOST)
    text = "IG takes longer than class weights"
    yield "", text, f"{ratio:.2f} times as long with {MOST} features", [ratio > 1]
