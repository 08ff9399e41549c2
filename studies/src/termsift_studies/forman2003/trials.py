"""Sets of documents as 0/1 features, folds of cross-validation, rankings, and outcomes as arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold

from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.typing import Array
from termsift.counts import as_labels
from termsift.engines import Documents
from termsift.evaluation import Confusion, Fold, gaps_to_best, paired_t, wilcoxon
from termsift.evaluation.classifiers import Classifier
from termsift.metrics import Scores, score
from termsift_studies import corpora
from termsift_studies.study import Row
from termsift_studies.svm import BINARY_SVM

# the largest first, so that the last units are short ones
SETS = (
    "ohscal", "la1", "la2", "fbis", "wap", "re1", "tr31", "re0", "tr45", "tr41", "oh10", "oh0", "oh15",
    "oh5", "tr11", "tr21", "tr12", "tr23",
)  # fmt: skip
# the same two sets as they are in circulation, without the words of fewer than three documents
REDUCED = {"la1": "la1s", "la2": "la2s"}
EVERY_SET = (*SETS, *REDUCED.values())
FOLDS = 4


@lru_cache(maxsize=len(SETS))
def load_set(name: str, data_dir: Path | None = None) -> tuple[Documents, str]:
    """Load the documents of a set as 0/1 features, and the checksum of its file; cached."""
    corpus = corpora.load(name, data_dir=data_dir)
    # the paper uses Boolean features
    rows = csr_array((corpus.matrix > 0).astype(np.int64))
    # terms that tie are taken in the order of columns
    return Documents(rows, as_labels(corpus.labels), np.arange(rows.shape[1])), corpus.checksum or ""


def select_vocabulary(rows: Iterable[Row], *, reduced: bool) -> list[Row]:
    """Return the rows of the 18 sets, with the full or the reduced vocabulary of la1 and la2."""
    left_out = set(REDUCED if reduced else REDUCED.values())
    return [row for row in rows if row["set"] not in left_out]


def trial_folds(documents: Documents, trial: int) -> Iterator[Fold]:
    """Yield four stratified folds.

    A class of fewer than four documents is missing from some test folds. Decisions are pooled over all four
    folds, so that each of its documents is tested once; averaged by folds, its measures are 0 there.
    """
    split = StratifiedKFold(FOLDS, shuffle=True, random_state=trial)
    with warnings.catch_warnings():
        # classes of one to three documents are intended, see above
        warnings.filterwarnings("ignore", "The least populated class")
        splits = list(split.split(documents.rows, documents.target))
    for number, (train, test) in enumerate(splits):
        yield Fold.from_indices(documents, train, test, seed=FOLDS * trial + number)


GOALS = ("f1", "precision", "recall", "accuracy")
COLUMNS = ("set", "trial", "class", "documents", "positive", "averaged", "metric", "size", *GOALS)
AVERAGED = ("pooled", "folds")
SIZES = np.array([10, 20, 50, 100, 200, 500, 1000, 2000])
MOST = int(SIZES[-1])
METRICS = ("acc", "acc2", "bns", "chi2", "df", "f1", "ig", "odds", "oddn", "pow", "pr", "rand")
ALL = "all"

# of a fold, the name of each method with its ranking; every class is a problem and has its own order
FoldRankings: TypeAlias = Callable[[Fold], Iterator[tuple[str, Ranking]]]


def trial_rows(name: str, data_dir: Path | None, trial: int) -> list[Row]:
    """Return the rows of a trial: each problem, metric and size, by both averages."""
    rows = rows_by_averaging(load_set(name, data_dir)[0], trial, metric_rankings)
    return [row | {"set": name, "trial": trial} for row in rows]


def rows_by_averaging(documents: Documents, trial: int, rankings: FoldRankings) -> Iterator[Row]:
    """Yield the rows of every class, method and size, from pooled decisions and as the mean of folds."""
    decided = trial_decisions(documents, trial, rankings, BINARY_SVM)
    for averaged in AVERAGED:
        for row in goal_rows(documents, decided, pooled=averaged == "pooled"):
            yield row | {"averaged": averaged}


def metric_rankings(fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """Yield the rankings of the paper's metrics."""
    for m, metric in enumerate(METRICS):
        # Rand draws other terms in each fold, reproducibly
        options: dict[str, Any] = {"random_state": len(METRICS) * fold.seed + m} if metric == "rand" else {}
        scores = score(fold.train.counts, metric, **options)
        orders = tuple(class_order(scores, category) for category in fold.train.counts.classes)
        yield metric, Ranking(orders, local=True)


def class_order(scores: Scores, name: object) -> Array:
    """Return the best terms for a class, by its scores or by the scores of all classes."""
    return rank_terms(scores.column(name), scores.counts.term_df, scores.terms, MOST)


def problem_rows(
    documents: Documents, trial: int, rankings: FoldRankings, classifier: Classifier, *, every: bool = True
) -> Iterator[Row]:
    """Yield the rows of every class, method and size, pooled over folds; optionally all terms first."""
    decided = trial_decisions(documents, trial, rankings, classifier, every=every)
    return goal_rows(documents, decided, pooled=True)


def trial_decisions(
    documents: Documents, trial: int, rankings: FoldRankings, classifier: Classifier, *, every: bool = True
) -> dict[str, list[Confusion]]:
    """Return the confusions of each method, one per fold."""
    confusions: dict[str, list[Confusion]] = {}
    for fold in trial_folds(documents, trial):
        for name, decided in fold_decisions(fold, rankings, classifier, every=every):
            confusions.setdefault(name, []).append(decided)
    return confusions


def fold_decisions(
    fold: Fold, rankings: FoldRankings, classifier: Classifier, *, every: bool
) -> Iterator[tuple[str, Confusion]]:
    """Yield for each method the confusion (sizes, classes) of all sizes below the number of terms."""
    n_terms = len(fold.train.terms)
    unselected = [(ALL, Ranking((np.arange(n_terms),) * fold.n_classes, local=True))] if every else []
    for name, ranking in chain(unselected, rankings(fold)):
        # sizes above the vocabulary would repeat the result of all terms
        sizes = np.array([n_terms]) if name == ALL else SIZES[n_terms > SIZES]
        margins = classifier.decision_values(fold, ranking, sizes)
        yield name, Confusion.from_decision_values(margins, fold.truth, False, fold.train.counts.classes)


def goal_rows(documents: Documents, decided: Mapping[str, list[Confusion]], *, pooled: bool) -> Iterator[Row]:
    """Yield the rows of every class, method and size, from pooled decisions or as the mean of folds."""
    values = {name: measure_goals(folds, pooled=pooled) for name, folds in decided.items()}
    for c, category in enumerate(documents.labels.classes):
        positive = int(documents.truth[:, c].sum())
        common = {"class": category, "documents": len(documents), "positive": positive}
        yield from (
            common | row
            for row in class_rows({name: method_values[:, c] for name, method_values in values.items()})
        )


def measure_goals(folds: Sequence[Confusion], *, pooled: bool) -> Array:
    """Return the goals, (sizes, classes, goals); an undefined measure is 0."""
    # pooled: measures of the summed decisions; else the mean of the measures of folds
    confusions = [sum(folds)] if pooled else folds
    goals = [np.stack([getattr(confusion, goal) for goal in GOALS], axis=-1) for confusion in confusions]
    return np.asarray(np.mean(goals, axis=0))


def class_rows(values: Mapping[str, Array]) -> Iterator[Row]:
    """Yield the rows of a problem. A selection of all terms has the values without selection, if present."""
    for name, by_size in values.items():
        # sizes beyond the vocabulary have the result of all terms
        rows = [*by_size, *[values[ALL][0]] * (len(SIZES) - len(by_size))] if ALL in values else by_size
        for size, row in zip([ALL] if name == ALL else SIZES.tolist(), rows, strict=False):
            yield {"metric": name, "size": size} | dict(zip(GOALS, row.round(6).tolist(), strict=True))


HIGH_SKEW = 67
# within how much of the best a metric wins; the skew compresses the range of accuracy
TOLERANCE = {"f1": 0.01, "precision": 0.01, "recall": 0.01, "accuracy": 0.001}


@dataclass(frozen=True, slots=True, eq=False)
class FormanOutcomes:
    """Outcomes of all problems as arrays.

    values : for each goal (problems, trials, metrics, sizes)
    everything : for each goal (problems, trials) with all terms

    methods : the metrics by name; problems : (set, class) each
    sizes : (problems, 2), documents inside the class and outside it
    relative : whether a tolerance is a share of the best rather than points of the goal
    """

    methods: Sequence[str]
    problems: list[tuple[str, str]]
    sizes: Array
    values: Mapping[str, Array]
    everything: Mapping[str, Array]
    relative: bool = False

    @property
    def skew(self) -> Array:
        """(problems,) documents outside the class for each one in it."""
        return np.asarray(self.sizes[:, 1] / self.sizes[:, 0])

    @property
    def groups(self) -> list[str]:
        """Groups that have problems."""
        return [name for name in ("all", "low skew", "high skew") if self.subset(name).any()]

    def subset(self, name: str) -> Array:
        """Return a mask of the problems in a group: all, low skew or high skew."""
        # section 4.1 splits the problems at a skew of 1:67
        high = self.skew > HIGH_SKEW
        return {"all": np.ones(len(high), dtype=bool), "low skew": ~high, "high skew": high}[name]

    def macro(self, goal: str, subset: str = "all") -> Array:
        """Return the means over trials and problems, (metrics, sizes)."""
        return np.asarray(self.values[goal][self.subset(subset)].mean(axis=(0, 1)))

    def macro_of_all_terms(self, goal: str, subset: str = "all") -> float:
        """Return the mean over trials and problems with all terms."""
        return float(self.everything[goal][self.subset(subset)].mean())

    def maxima(self, goal: str) -> Array:
        """Return the 'average maxima', the means over trials of the best over sizes, (problems, metrics)."""
        return np.asarray(self.values[goal].max(axis=3).mean(axis=1))

    def of(self, metric: str, goal: str, size: int, subset: str = "all") -> float:
        """Return the macro-average of a metric at a size."""
        return float(self.macro(goal, subset)[self.methods.index(metric), SIZES.tolist().index(size)])

    def every(self, goal: str, size: int, subset: str = "all") -> dict[str, float]:
        """Return the macro-average of each metric at a size."""
        return {metric: self.of(metric, goal, size, subset) for metric in self.methods}

    def best(self, goal: str, subset: str = "all") -> dict[str, float]:
        """Return the best macro-average of each metric over sizes."""
        return dict(zip(self.methods, self.macro(goal, subset).max(axis=1).tolist(), strict=True))

    def best_size(self, metric: str, goal: str) -> int:
        """Return the size with the best macro-average of a metric."""
        return int(SIZES[int(np.argmax(self.by_size(metric, goal)))])

    def by_size(self, metric: str, goal: str, subset: str = "all") -> Array:
        """Return the macro-averages of a metric, (sizes,)."""
        return np.asarray(self.macro(goal, subset)[self.methods.index(metric)])

    def runs(self, metric: str, goal: str, size: int, subset: str = "all") -> Array:
        """Return the values of a metric at a size, (problems, trials)."""
        values: Array = self.values[goal][:, :, self.methods.index(metric), SIZES.tolist().index(size)]
        return np.asarray(values[self.subset(subset)])

    def p_values(
        self, better: str, worse: str, goal: str, size: int, subset: str = "all"
    ) -> tuple[float, float]:
        """Return the p-values of the paper's t test over runs and of Wilcoxon's test over problems."""
        a, b = (self.runs(metric, goal, size, subset) for metric in (better, worse))
        over_runs = paired_t(a.ravel(), b.ravel(), alternative="greater").p_value
        return over_runs, wilcoxon(a.mean(axis=1), b.mean(axis=1), alternative="greater").p_value

    def won(self, goal: str, tolerance: float | None = None) -> Array:
        """Return a mask (problems, metrics) of metrics within a tolerance of the best average maximum."""
        within = TOLERANCE[goal] if tolerance is None else tolerance
        return np.asarray(gaps_to_best(self.maxima(goal), relative=self.relative) <= within)

    def share(self, goal: str, tolerance: float | None = None) -> dict[str, float]:
        """Return the share of problems that each metric wins."""
        return dict(zip(self.methods, self.won(goal, tolerance).mean(axis=0).tolist(), strict=True))


def forman_outcomes(rows: list[Row], methods: Sequence[str] = METRICS) -> FormanOutcomes:
    """Return the rows of all units as arrays; all terms are the last method."""
    problems = list(dict.fromkeys((row["set"], row["class"]) for row in rows))
    # beyond the paper there is one trial, which rows do not tell
    trials = {trial: i for i, trial in enumerate(sorted({int(row.get("trial", 0)) for row in rows}))}
    problem_index = {problem: i for i, problem in enumerate(problems)}
    sizes = np.zeros((len(problems), 2), dtype=np.int64)
    values = np.zeros((len(GOALS), len(problems), len(trials), len(methods) + 1, len(SIZES)))
    size_of = {str(size): i for i, size in enumerate(SIZES.tolist())} | {ALL: 0}
    metric_of = {name: i for i, name in enumerate((*methods, ALL))}
    for row in rows:
        p = problem_index[row["set"], row["class"]]
        documents, positive = int(row["documents"]), int(row["positive"])
        sizes[p] = positive, documents - positive
        index = p, trials[int(row.get("trial", 0))], metric_of[row["metric"]], size_of[row["size"]]
        values[:, *index] = [float(row[goal]) for goal in GOALS]
    measured = dict(zip(GOALS, values, strict=True))
    selected = {goal: goal_values[:, :, :-1] for goal, goal_values in measured.items()}
    everything = {goal: goal_values[:, :, -1, 0] for goal, goal_values in measured.items()}
    return FormanOutcomes(methods, problems, sizes, selected, everything)
