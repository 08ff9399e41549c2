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
    """Keep k terms: a share of the terms most indicative of a class, and the rest from those most against it.

    Terms are ranked only once, for any number of ratios. Zheng, Wu and Srihari (2004), section 4.

    Parameters
    ----------
    metric : str or Metric
        The name of a one-sided metric in `termsift.metrics()`: "cc", "or", "sig", ...; or a one-sided Metric.
    k : int
        Number of terms to keep.
    ratio : float or "auto"
        The share of positive terms. "auto" takes the best-scoring value of `ratios`, and the largest in case
        of ties.
    estimator : classifier, optional
        The classifier that scores a ratio. The default is multinomial naive Bayes with Laplace smoothing.
        MultinomialNB, and LogisticRegression on counts of 0 or 1, are fitted for all ratios at once, provided
        that all settings but alpha and C are scikit-learn's defaults and the two ends share no term.
        Any other classifier is cloned and fitted for each selection, with the class as 1 and the rest as 0.
    scoring : str or scorer, optional
        As in scikit-learn. The default is F1 at the break-even point.
    cv : int or splitter, optional
        Score held-out documents, split as in scikit-learn, with terms ranked without them.
        By default the training documents are scored: the paper's practical scenario.
    ratios : (ratios,) optional
        The ratios that "auto" tries. The default is 0, 0.05, ..., 1.
    options : dict, optional
        Options of the metric, such as {"smoothing": 0.5}.
    n_jobs : int, optional
        Number of threads, each scoring a class: None means 1, -1 all cores. The result does not depend on it.
    keep_counts : bool
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
    scores_ : Scores
    selection_ : (chosen,) int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a Selection. Its policy has the ratio, or "auto" if each class has its own.
    ratio_ : float, or (classes,)
        The share of positive terms.
    ratios_ : (ratios,)
        The ratios tried, ascending.
    path_scores_ : (ratios,) or (classes, ratios), or None
        The score of each ratio, if `ratio` is "auto".

    With two classes, the second is the positive class. With more classes, or with several labels, each class
    is compared with the rest, with its own ratio, and the classes take turns.
    Weights apply to ranking and fitting; in scoring, each document counts once.

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
