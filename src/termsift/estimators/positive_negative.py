"""PositiveNegativeSelector: terms for a class and terms against it, in the ratio that serves best."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from termsift._typing import Array
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.estimators.fitting import SelectionMixin
from termsift.estimators.validation import metric_options, sample_documents, term_tags
from termsift.experiment.documents import Documents
from termsift.experiment.ratios import RatioSearch, largest_best
from termsift.metrics import AnyMetric
from termsift.policies import PositiveNegative, meant, one_sided, within
from termsift.policies.checks import is_part
from termsift.ranking import interleaved, turns
from termsift.scores import Scores
from termsift.scoring import score
from termsift.selection import Selection
from termsift.text.batches import threads


class PositiveNegativeSelector(SelectionMixin, BaseEstimator):
    """Keep k terms: a share of those that speak most for a class, the rest of those most against it.

    Terms are ranked once, whatever the number of ratios. Zheng, Wu and Srihari (2004), section 4.

    Parameters
    ----------
    metric : str or Metric
        A one-sided name of `termsift.metrics()`: "cc", "or", "sig", ...; or a one-sided Metric of one's own.
    k : int
        How many terms to keep.
    ratio : float or "auto"
        The share of positive terms. "auto" takes the one of `ratios` that scores best;
        of several that score alike the largest.
    estimator : classifier, optional
        What the terms are for: without one, multinomial naive Bayes with Laplace's smoothing.
        MultinomialNB, and LogisticRegression of counts that are 0 or 1, are fitted for all ratios at once,
        where but for alpha and C their settings are scikit-learn's own and the two ends share no term.
        Any other is copied and fitted for each selection; the class is 1, the rest is 0.
    scoring : str or scorer, optional
        As scikit-learn's; without one, F1 at the break-even point.
    cv : int or splitter, optional
        Score documents held out, as scikit-learn splits them, by terms ranked without them.
        Without it the documents fitted are scored: the paper's practical scenario.
    ratios : (ratios,) optional
        What "auto" tries: without it 0, 0.05, ..., 1.
    options : dict, optional
        The metric's own, such as {"smoothing": 0.5}.
    n_jobs : int, optional
        Threads that judge classes side by side: 1 where it is None, all cores for -1. The result is the same
        for any number.
    keep_counts : bool
        Whether `counts_` and `scores_` stay after fitting.

    Attributes
    ----------
    counts_ : Counts
    scores_ : Scores
    selection_ : (chosen,) int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a value; its policy has the ratio, or "auto" where each class has its own.
    ratio_ : float, or (classes,)
        The share of positive terms.
    ratios_ : (ratios,)
        The shares that were tried, ascending.
    path_scores_ : (ratios,) or (classes, ratios), or None
        What each ratio scored, where it is "auto".

    With two classes the second is the class meant. With more, or with several labels, each class is held
    against the rest, with a ratio of its own, and the classes take turns.
    Weights count in ranking and fitting; each document judged counts once.

    >>> X = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> selector = PositiveNegativeSelector("cc", k=2).fit(X, [1, 1, 0, 0, 0, 0])
    >>> selector.ratio_, selector.selection_
    (0.7, array([0, 1]))

    """

    def __init__(
        self,
        metric: AnyMetric = "cc",
        k: int = 50,
        ratio: float | str = "auto",
        estimator: Any = None,
        scoring: Any = None,
        cv: Any = None,
        ratios: Any = None,
        options: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.metric = metric
        self.k = k
        self.ratio = ratio
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.ratios = ratios
        self.options = options
        self.n_jobs = n_jobs
        self.keep_counts = keep_counts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, rank, choose the ratio and select."""
        self._check()
        self.ratios_ = tried_ratios(self.ratio, self.ratios)
        documents = sample_documents(self, X, y, sample_weight, reset=True)
        # sorted, so that documents of the same counts have the same sums to the last bit
        documents = replace(documents, rows=csr_array(documents.rows).sorted_indices())
        self.counts_ = documents.counts
        scores = self._scored(self.counts_)
        search = self._search(scores)
        ratios = self._found_ratios(search, documents)
        pairs = zip(search.paths(scores), ratios, strict=True)
        lists = [interleaved(path.first, path.last, ratio, path.k) for path, ratio in pairs]
        self.ratio_ = float(ratios[0]) if len(ratios) == 1 else ratios
        self._learned = Selection.of(turns(lists, search.k), scores, found_policy(self.k, ratios))
        return self._settled()

    def _search(self, scores: Scores) -> RatioSearch:
        one_sided(scores)
        k = within(self.k, len(scores))
        classes = range(len(scores.classes))[meant(scores)]

        def scored(counts: Counts) -> Scores:
            return scores if counts is scores.counts else self._scored(counts)

        n_threads = 1 if self.n_jobs is None else threads(self.n_jobs)
        return RatioSearch(k, self.ratios_, classes, scored, self.estimator, self.scoring, n_threads)

    def _scored(self, counts: Counts) -> Scores:
        return score(counts, self.metric, **metric_options(self.options))

    def _found_ratios(self, search: RatioSearch, documents: Documents) -> Array:
        if self.ratio != "auto":
            self.path_scores_ = None
            return np.repeat(self.ratios_, len(search.classes))
        results = search.results(documents, self.cv)
        self.path_scores_ = results[0] if len(results) == 1 else results
        return largest_best(self.ratios_, results)

    def __sklearn_tags__(self) -> Any:
        return term_tags(super().__sklearn_tags__())


def found_policy(k: int, ratios: Array) -> PositiveNegative:
    """The policy of the ratios that were found; "auto" says that each class has its own."""
    alike = len(ratios) > 0 and bool(np.all(ratios == ratios[0]))
    return PositiveNegative(k, float(ratios[0]) if alike else "auto")


def tried_ratios(ratio: object, ratios: Any) -> Array:
    """The shares of positive terms to try, ascending: the one that is fixed, or several."""
    if is_part(ratio):
        return np.array([ratio], dtype=float)
    if not (isinstance(ratio, str) and ratio == "auto"):
        raise InvalidInput(f"ratio must be a number between 0 and 1, or 'auto', got {ratio!r}")
    if ratios is None:
        return np.arange(21) / 20
    shares = list(ratios) if np.ndim(ratios) == 1 else []
    if not (shares and all(is_part(share) for share in shares)):
        raise InvalidInput(f"ratios must be numbers between 0 and 1, got {ratios!r}")
    return np.unique(np.array(shares, dtype=float))
