"""What the paper states of its tables, beside our figures."""

from __future__ import annotations

from collections.abc import Iterator

from termsift.studies.jiang_lee.outcomes import JiangOutcomes
from termsift.studies.jiang_lee.trials import ALL, SIZES, WEIGHTS
from termsift.studies.lines import Line, stated

MOST = SIZES[-1]
# of each corpus: the section, the classes, and how far class weights are below all words
PLACES = {"20news": ("section 4.1", 20, 0.22), "reuters10": ("section 4.2", 10, 2.52)}
# the least features with which clusters are better than class weights
CLUSTERS_FROM = {"20news": 5000, "reuters10": 200}


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
    name = f"{asked.corpus}: "
    yield near_all_words(asked, name)
    yield at_as_many_features(asked, name)
    yield clusters_need_many(asked, name)
    yield gain_needs_many(asked, name)
    yield beyond_all_words(asked, name, "DC" if asked.corpus == "20news" else "IG")
    yield clusters_beat_gain(asked, name)
    yield clusters_take_longer(asked, name)
    yield gain_takes_longer(asked, name)


def near_all_words(asked: JiangAnswers, name: str) -> Line:
    """How far class weights are below all words."""
    lost = asked.all_words - asked.weights
    figure = f"class weights {asked.weights:.2f}, all words {asked.all_words:.2f}: {-lost:+.2f}"
    text = f"class weights are {asked.below} points below all words"
    return stated(asked.where, name + text, figure, [lost <= asked.below])


def at_as_many_features(asked: JiangAnswers, name: str) -> Line:
    """Class weights against the others with as many features."""
    others = {method: asked.of(method, asked.classes) for method in ("DC", "IG")}
    figure = ", ".join([f"class weights {asked.weights:.2f}", *(f"{m} {v:.2f}" for m, v in others.items())])
    text = f"with {asked.classes} features class weights are better than DC and IG"
    return stated(asked.where, name + text, figure, [asked.weights > value for value in others.values()])


def clusters_need_many(asked: JiangAnswers, name: str) -> Line:
    """From how many features on clusters are better."""
    least, better = CLUSTERS_FROM[asked.corpus], asked.better("DC")
    large = [size for size in SIZES if size >= least]
    text = f"DC is better than class weights only from {least} features on"
    figure = f"class weights {asked.weights:.2f}; DC is better with {better_sizes_shown(asked, 'DC')}"
    return stated(asked.where, name + text, figure, [better == large, set(large) <= set(better)])


def gain_needs_many(asked: JiangAnswers, name: str) -> Line:
    """From how many features on information gain is better."""
    if asked.corpus == "20news":
        text, parts = "IG is better than class weights only with all words", [not asked.better("IG")]
        parts.append(asked.all_words > asked.weights)
    else:
        text, parts = "IG with 5000 features is better than class weights", [MOST in asked.better("IG")]
    figure = f"class weights {asked.weights:.2f}; IG is better with {better_sizes_shown(asked, 'IG')}"
    return stated(asked.where, name + text, f"{figure}; all words {asked.all_words:.2f}", parts)


def better_sizes_shown(asked: JiangAnswers, method: str) -> str:
    """The numbers of features with which a method is better than class weights, and its accuracies."""
    better = [f"{size} ({asked.of(method, size):.2f})" for size in asked.better(method)]
    return ", ".join(better) or "none"


def beyond_all_words(asked: JiangAnswers, name: str, method: str) -> Line:
    """A method with most features against all words."""
    value = asked.of(method, MOST)
    text = f"{method} with {MOST} features is better than all words"
    figure = f"{method} {value:.2f}, all words {asked.all_words:.2f}"
    return stated(asked.where, name + text, figure, [value > asked.all_words])


def clusters_beat_gain(asked: JiangAnswers, name: str) -> Line:
    """Clusters against information gain, with equal numbers of features."""
    wins = [size for size in SIZES if asked.of("DC", size) > asked.of("IG", size)]
    figure = f"with {len(wins)} of {len(SIZES)} numbers of features: {', '.join(map(str, wins))}"
    text = "DC is more accurate than IG with as many features"
    return stated("section 1", name + text, figure, [size in wins for size in SIZES])


def clusters_take_longer(asked: JiangAnswers, name: str) -> Line:
    """The time of clusters."""
    ratios = [asked.time("DC", size) for size in SIZES]
    figure = f"{min(ratios):.1f} times as long with {SIZES[ratios.index(min(ratios))]} features, "
    figure += f"{ratios[-1]:.1f} times with {MOST}"
    text = "DC takes longer than class weights, with any number of features"
    return stated(asked.where, name + text, figure, [ratio > 1 for ratio in ratios])


def gain_takes_longer(asked: JiangAnswers, name: str) -> Line:
    """The time of information gain."""
    ratio = asked.time("IG", MOST)
    text = "IG takes longer than class weights"
    return stated(asked.where, name + text, f"{ratio:.2f} times as long with {MOST} features", [ratio > 1])
