"""Benchmark of methods on the binary problems of several corpora: Forman (2003) on one's own collections.

Every class of every corpus against the rest is a problem. A method counts with its best value over the
numbers of terms, averaged over the repeats of the cross-validation. Results of other programs can be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift import engines
from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.ranking import Ranking
from termsift._internal.resources import map_in_order, resolve_n_jobs
from termsift._internal.typing import Array, check_positive_integer
from termsift.compare.candidates import UNLIMITED, CandidateFamily, Ranker, evaluate_family, parse_ranker
from termsift.compare.documents import prepare_documents
from termsift.compare.problem_results import GOALS, SavedResults, expand_goals, read_results
from termsift.compare.problem_tables import Benchmark, Row
from termsift.engines import Documents
from termsift.evaluation import Confusion, Fold, k_fold_split, parse_goals
from termsift.evaluation.classifiers import Classifier, parse_classifiers
from termsift.selection import Method

METHODS = ("acc2", "bns", "cc", "chi2", "df", "f1", "ig", "or")
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000)
ROUNDED = 6  # digits of saved values

Progress: TypeAlias = Callable[[int, int], None]


def benchmark(
    corpora: Any = None,
    *,
    results: Any = None,
    methods: Sequence[Any] | str = METHODS,
    k: Iterable[int] = SIZES,
    classifiers: Any = "svm",
    folds: int = 4,
    repeats: int = 5,
    goals: Sequence[str] | str = GOALS,
    tolerance: float | None = None,
    relative: bool = False,
    min_positives: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    save: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    progress: Progress | None = None,
    **reading: Any,
) -> Benchmark:
    """Compare methods on every class of several corpora, each against the rest. Forman (2003).

    Parameters
    ----------
    corpora : mapping or iterable, optional
        Corpora by name, or paths: each any labelled input of `termsift.count`; (texts, labels) in a mapping.
    results : Table, data frame, mapping of columns or path of a CSV file, optional
        Results of other programs, instead of corpora: columns problem (or corpus and class), method, and goal
        and value or a column for each goal; size, repeat, documents and positives if known.
    methods : str or sequence, default the metrics of Forman's study
        Methods, as for `termsift.compare`.
    k : iterable of int, default 10 to 2000
        Numbers of terms; a method counts with its best.
    classifiers : str, estimator or sequence, default "svm"
        Classifiers, as for `termsift.compare`.
    folds, repeats : int, default 4 and 5
        Stratified cross-validation; decisions are pooled over the folds of a repeat.
    goals : str or sequence, default all
        Any of f1, precision, recall and accuracy; for results, the columns of values.
    tolerance : float, optional
        Largest gap to the best value of a problem with which a method still wins (default: 0.01, and 0.001
        for accuracy).
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.
    min_positives : int, optional
        Omit classes with fewer documents (default: the number of folds).
    random_state : int, default 0
        Random seed of the folds.
    n_jobs : int, optional
        Number of threads; None means all cores. The result does not depend on it.
    save : path, optional
        CSV file of the results, written after every repeat. What it contains is not computed again.
    columns : mapping, optional
        Names of the columns of `results` by role, such as {"method": "metric", "corpus": "set"}.
    analyzer : Analyzer, function or CountVectorizer, optional
        How a text becomes terms.
    min_df, max_df : int or float, default 1 and 1.0
        Omit terms in fewer, or in more, documents than this, as for `termsift.count`.
    progress : function, optional
        Called with the completed and the total work.
    **reading
        How files are read, as for `termsift.count`.

    Returns
    -------
    Benchmark
        Tables and a page.

    Raises
    ------
    InvalidInputError
        If an option is invalid, the results lack a column, or the saved results are of other settings.

    Examples
    --------
    >>> spam, ham = ["win a prize now", "claim your prize"], ["lunch at noon", "see you at lunch"]
    >>> mail = spam * 4 + ham * 4, ["spam"] * 8 + ["ham"] * 8
    >>> found = benchmark({"mail": mail}, methods=["bns", "df"], k=[2], goals="f1", repeats=1, folds=2)
    >>> found.n_problems, found.win_shares.head(1)["method"][0]
    (2, 'bns')

    """
    goals = [goals] if isinstance(goals, str) else list(goals)
    if results is not None:
        if corpora:
            raise InvalidInputError("give either corpora or results, not both")
        return Benchmark(read_results(results, goals, columns or {}), tolerance, relative)
    for goal in goals:
        check_name("goal", goal, GOALS)
    for name, value in (("folds", folds), ("repeats", repeats)):
        check_positive_integer(value, name)
    if folds < 2:
        raise InvalidInputError(f"folds must be at least 2, got {folds}")
    (f1_macro,) = parse_goals("f1_macro")
    sizes = sorted(set(k))
    for size in sizes:
        check_positive_integer(size, "k")
    methods = [methods] if isinstance(methods, str) else list(methods)
    rankers = [positive_ranker(parse_ranker(method, True, f1_macro)) for method in methods]
    plan = Plan(rankers, parse_classifiers(classifiers, f1_macro), sizes, folds, random_state)
    named = name_corpora(corpora)
    saved = SavedResults.load(save)
    n_threads, done = resolve_n_jobs(n_jobs), 0
    for name, data in named.items():
        labelled = load_corpus(data, reading)
        documents = prepare_documents(
            labelled, analyzer=analyzer, min_df=min_df, max_df=max_df, n_jobs=n_jobs
        )
        for repeat_number in range(repeats):
            min_size = min_positives or folds
            saved.add(plan.run_corpus(name, documents, repeat_number, min_size, saved, n_threads))
            done += 1
            if progress is not None:
                progress(done, len(named) * repeats)
    rows = saved.select(named, repeats, {r.name for r in rankers}, {c.name for c in plan.classifiers}, sizes)
    if not rows:
        message = f"no class has {min_positives or folds} documents inside and outside; lower min_positives"
        raise InvalidInputError(message)
    return Benchmark(expand_goals(rows, goals), tolerance, relative)


@dataclass(frozen=True, eq=False)
class Plan:
    """Methods, classifiers and numbers of terms that every problem is evaluated with."""

    rankers: Sequence[Ranker]
    classifiers: Sequence[Classifier]
    sizes: Sequence[int]
    folds: int
    seed: int

    def family(self, ranker: Ranker, classifier: Classifier) -> CandidateFamily:
        """Return the sizes of a method that are fitted together."""
        is_sized = ranker.uses_all_terms or ranker.sets_size
        return CandidateFamily(ranker, classifier, (UNLIMITED,) if is_sized else tuple(self.sizes))

    def run_corpus(
        self,
        corpus: str,
        documents: Documents,
        repeat: int,
        min_positives: int,
        saved: SavedResults,
        n_threads: int,
    ) -> list[Row]:
        """Return the rows of a repeat that are not saved yet."""
        n, positives = len(documents), documents.truth.sum(axis=0)
        tasks = []
        for c in np.flatnonzero((positives >= min_positives) & (n - positives >= min_positives)).tolist():
            key: Row = {
                "corpus": corpus, "class": str(documents.labels.classes[c]), "documents": n,
                "positives": int(positives[c]), "folds": self.folds, "seed": self.seed, "repeat": repeat,
            }  # fmt: skip
            missing = [
                (ranker, classifier)
                for classifier in self.classifiers
                for ranker in self.rankers
                if not saved.has(key | {"classifier": classifier.name, "method": ranker.name}, self.sizes)
            ]
            if missing:
                tasks.append((c, key, missing))
        if not tasks:
            return []
        split = k_fold_split(documents, self.folds, repeat + 1, self.seed)
        folds = [division.fold(documents) for division in split.divisions(repeat)]
        evaluated = map_in_order(lambda task: self.run_problem(folds, *task), tasks, n_threads)
        return [row for rows in evaluated for row in rows]

    def run_problem(
        self,
        folds: Sequence[Fold],
        class_index: int,
        key: Row,
        missing_runs: Sequence[tuple[Ranker, Classifier]],
    ) -> list[Row]:
        """Return the rows of a class: decisions pooled over the folds."""
        problems = [fold.binary_problem(class_index) for fold in folds]
        rows = []
        goal = parse_goals("f1_macro")
        for ranker, classifier in missing_runs:
            family = self.family(ranker, classifier)
            evaluated = [evaluate_family(family, fold, goal, max(self.sizes)) for fold in problems]
            by_fold = [
                Confusion.stack([size.confusion[0][0] for size in result.fold_results])
                for result in evaluated
            ]
            pooled = Confusion.stack(by_fold).pool()
            values = positive_class_goals(pooled)
            for position, k in enumerate(family.ks):
                size = str(k) if k != UNLIMITED else "own" if ranker.sets_size else "all"
                names = {"classifier": classifier.name, "method": ranker.name, "size": size}
                scores = {goal: round(float(v[position]), ROUNDED) for goal, v in values.items()}
                rows.append(key | names | scores)
        return rows


def positive_class_goals(confusion: Confusion) -> dict[str, Array]:
    """Return (sizes,) goals of the second of two classes."""
    correct = confusion.tp[:, 1] + confusion.tn[:, 1]
    total = correct + confusion.fp[:, 1] + confusion.fn[:, 1]
    values = {name: np.asarray(getattr(confusion, name))[:, 1] for name in ("f1", "precision", "recall")}
    return values | {"accuracy": correct / np.maximum(total, 1)}


def positive_ranker(ranker: Ranker) -> Ranker:
    """Return the ranker that ranks for the second of two classes; one-sided metrics differ between them."""
    method = ranker.method
    if method is None or ranker.tuned_for is not None or method.metric.sided != 1:
        return ranker
    return replace(ranker, rank=partial(rank_for_positive, method))


def rank_for_positive(method: Method, fold: Fold, k: int) -> Ranking:
    """Rank terms by their scores for the second class."""
    limited = method.limit_k(min(k, len(fold.train.terms)))
    policy: Any = limited.policy
    ranking: Ranking = policy.ranking(
        limited.scores(fold.train.counts, for_class=fold.train.counts.classes[1])
    )
    return Ranking(ranking.orders[:1])


def name_corpora(corpora: Any) -> dict[str, Any]:
    """Return the corpora by name; a path is called by its file name without extensions."""
    if isinstance(corpora, Mapping):
        named = {str(name): data for name, data in corpora.items()}
    else:
        items = [corpora] if isinstance(corpora, str | os.PathLike) else list(corpora or ())
        named = {}
        for item in items:
            if not isinstance(item, str | os.PathLike):
                raise InvalidInputError(f"corpora must be paths, or a mapping from names, got {item!r}")
            named[Path(item).name.split(".")[0] or str(item)] = item
        if len(named) < len(items):
            raise InvalidInputError("several corpora have the same name; give a mapping from distinct names")
    if not named:
        raise InvalidInputError("at least one corpus, or results, is needed")
    return named


def load_corpus(data: Any, reading: Mapping[str, Any]) -> engines.LabelledInput:
    """Load a labelled input, or a pair of texts and labels."""
    if isinstance(data, engines.LabelledInput):
        return data
    is_pair = isinstance(data, tuple) and len(data) == 2
    return engines.load_documents(*(data if is_pair else (data,)), **reading)
