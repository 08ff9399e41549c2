"""Selectors of terms for scikit-learn, and ScoreFunction for the selectors of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.preprocessing import maxabs_scale

from termsift import selection
from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import resolve_n_jobs
from termsift._internal.typing import Array
from termsift.counts import Cells, to_dense
from termsift.engines import count_matrix
from termsift.estimators.base import (
    CountsMixin,
    SelectionMixin,
    metric_options,
    set_term_tags,
    validate_documents,
)
from termsift.evaluation import Fold, RatioSearch
from termsift.metrics import REDUCTIONS, AnyMetric, ExactTest, Scores, check_reduction, parse_metric, score


class TermSelector(SelectionMixin, CountsMixin[selection.Selection], BaseEstimator):
    """Selector of the columns of X that best separate the classes of y.

    Parameters
    ----------
    metric : str, Metric, function of Cells, or Method, default "bns"
        A name in `termsift.metrics()`, or a custom metric; or a complete method, such as "bns:round_robin".
    k : int, default 1000
        Number of terms to keep if no policy is given.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one score per term.
    policy : policy or str, optional
        How to choose terms, instead of the k best: `Percentile(10)`, `PositiveNegative(50, 0.8)`, ...
    options : dict, optional
        Options of the metric, such as {"smoothing": 0.5}.
    keep_counts : bool, default True
        Whether to keep `counts_` and `scores_` after fitting. Without them a selector is as small as its
        terms; `partial_fit` needs them.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    scores_ : Scores
        The metric's scores.
    selection_ : (chosen,) array of int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a Selection: `selected_.to_json("terms.json")`, `selected_.table()`, ...
    n_significant_ : int or None
        Number of chosen terms that are significant for some class; None for weighted documents.

    Notes
    -----
    Several labels per document are given as an indicator matrix y.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermSelector("chi2", k=1).fit(X, [1, 1, 0, 0]).get_support()
    array([ True, False, False])

    """

    _cached_number: tuple[selection.Selection, int | None] | None = None

    def __init__(
        self,
        metric: selection.AnyMethod = "bns",
        k: int = 1000,
        reduce: str = "max",
        policy: selection.Policy | str | None = None,
        options: dict[str, Any] | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.metric = metric
        self.k = k
        self.reduce = reduce
        self.policy = policy
        self.options = options
        self.keep_counts = keep_counts

    @property
    def n_significant_(self) -> int | None:
        """Number of significant terms among the chosen ones, computed on access; None if unknown."""
        selection = self.selected_
        if self._cached_number is None or self._cached_number[0] is not selection:
            self._cached_number = selection, selection.n_significant
        return self._cached_number[1]

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if self._result is None:
            return text
        comment = selection.describe_significance(len(self._result), self.n_significant_)
        # as a comment, so that the text is still an expression
        return f"{text}  # {comment}" if comment else text

    def _check_parameters(self) -> None:
        self._build_method()

    def _compute(self) -> selection.Selection:
        return self._build_method().selection(self._get_counts())

    def _build_method(self) -> selection.Method:
        method = selection.build_method(self.metric, self.policy, self.reduce, metric_options(self.options))
        return method if self.policy is not None else method.limit_k(self.k)


@dataclass(frozen=True)
class ScoreFunction:
    """Score function for the selectors of scikit-learn: `SelectKBest(ScoreFunction("bns"), k=100)`.

    A call returns (scores, p-values) if the metric has p-values, the smallest over the classes; otherwise the
    scores.

    Parameters
    ----------
    metric : str, Metric or function of Cells
        A name in `termsift.metrics()`, or a custom metric.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one score per term.
    options : dict, default {}
        Options of the metric.
    scaled : bool, default False
        For real-valued features: a document counts by its value divided by the largest of the column, instead
        of 1 for any value above 0. For metrics that are functions of the cells, without p-values.
        Forman (2003), section 5: "replace the tp and fp counts with scaled sums".

    Raises
    ------
    UnknownNameError
        If there is no metric of this name.
    InvalidInputError
        If `scaled` and the metric is not a function of the cells.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> values, p = ScoreFunction("acc2")(X, [1, 1, 0, 0])
    >>> values
    array([1. , 0.5, 0. ])
    >>> p.round(3)
    array([0.333, 1.   , 1.   ])

    """

    metric: AnyMetric
    reduce: str = "max"
    options: dict[str, Any] = field(default_factory=dict)
    scaled: bool = False

    def __post_init__(self) -> None:
        metric, _ = parse_metric(self.metric)
        if self.scaled and not metric.of_cells:
            message = f"scaled needs a metric that is a function of the cells, which {metric.name} is not"
            raise InvalidInputError(message)

    def __call__(self, X: Any, y: Any) -> Array | tuple[Array, Array]:
        """Return the scores of the columns of X, with exact p-values for unweighted documents."""
        if self.scaled:
            return self._score_scaled_values(X, y)
        counts = count_matrix(X, y)
        values = np.asarray(score(counts, self.metric, reduce=self.reduce, **self.options))
        p = ExactTest(counts).all_p()
        return values if p is None else (values, p.min(axis=1))

    def _score_scaled_values(self, X: Any, y: Any) -> Array:
        """Return the scores of the columns, with sums of scaled values in place of documents."""
        counts = count_matrix(maxabs_scale(X), y)
        metric, options = parse_metric(self.metric)
        # of each value, the scaled part is in the document and the remainder is not
        tp = to_dense(counts.tf).astype(float)
        fp = counts.term_tf[:, None] - tp
        sizes = counts.class_sizes.astype(float)
        cells = Cells(tp, fp, sizes - tp, counts.documents - sizes - fp)
        values = metric.function(cells, **options | self.options)
        check_reduction(self.reduce)
        return np.asarray(REDUCTIONS[self.reduce](values, sizes / counts.documents))


class PositiveNegativeSelector(SelectionMixin, BaseEstimator):
    """Selector of k terms: a share of them positive terms of a class, the others negative terms.

    Zheng, Wu and Srihari (2004), section 4. The policy `PositiveNegative` of compare and `termsift select` is
    the same method.

    Parameters
    ----------
    metric : str or Metric, default "cc"
        The name of a one-sided metric in `termsift.metrics()`: "cc", "or", "sig", ...; or a one-sided Metric.
    k : int, default 50
        Number of terms to keep; of each class if `per_class`.
    ratio : float, tuple of float, "auto" or "size", default "auto"
        The share of positive terms; a tuple has one for each class. "auto" takes the best-scoring value of
        `ratios`, and the largest in case of ties or, over several folds, if the gain over the largest is
        within one standard error. "size" derives the ratio of a class from its share of the documents.
    per_class : bool, default False
        Whether each class has k terms and a ratio of its own, and the terms of all classes are kept.
        Otherwise the classes share k terms and one ratio.
    estimator : classifier, optional
        The classifier that scores a ratio. The default is multinomial naive Bayes with Laplace smoothing.
        MultinomialNB, and LogisticRegression on counts of 0 or 1, are fitted for all ratios at once, provided
        that all settings except alpha and C are scikit-learn's defaults and no term is both positive and
        negative. Any other classifier is cloned and fitted for each ratio, with the class as 1 and the other
        classes as 0.
    scoring : str or scorer, optional
        As in scikit-learn. The default is F1 at the break-even point.
    cv : int or splitter, optional
        Score held-out documents, split as in scikit-learn, with terms ranked without them.
        By default the training documents are scored, the paper's practical scenario; but four folds for a
        ratio that several classes share.
    ratios : (ratios,) array, optional
        The ratios that "auto" tries. The default is 0, 0.05, ..., 1, or 0.25, 0.5, 0.75 and 1 for a ratio
        that several classes share.
    options : dict, optional
        Options of the metric, such as {"smoothing": 0.5}.
    n_jobs : int, optional
        Number of threads, each scoring a class: None means 1, -1 all cores. The result does not depend on it.
    keep_counts : bool, default True
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents.
    scores_ : Scores
        The metric's scores.
    selection_ : (chosen,) array of int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a Selection. Its policy has the ratio, or those of the classes.
    class_selections_ : list of array of int
        The columns of each class if `per_class`, best first; otherwise one array for all classes.
    ratio_ : float, or (classes,) array
        The share of positive terms; one for each class if `per_class` or if they were given.
    ratios_ : (ratios,) array
        The ratios tried, ascending.
    path_scores_ : (ratios,) or (classes, ratios) array, or None
        The mean score of each ratio, if `ratio` is "auto".

    Notes
    -----
    With two classes, the second is the positive class. With more classes, or with several labels, each class
    is compared with the others. If they share the terms, the classes choose in turn, and a ratio is scored by
    the mean over the classes.
    Weights apply to ranking and fitting; in scoring, each document counts once.

    Examples
    --------
    >>> X = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> selector = PositiveNegativeSelector("cc", k=2).fit(X, [1, 1, 0, 0, 0, 0])
    >>> selector.ratio_, selector.selection_
    (0.7, array([0, 1]))

    """

    def __init__(
        self,
        metric: AnyMetric = "cc",
        k: int = 50,
        ratio: float | str | tuple[float, ...] = "auto",
        per_class: bool = False,
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
        self.per_class = per_class
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.ratios = ratios
        self.options = options
        self.n_jobs = n_jobs
        self.keep_counts = keep_counts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, rank, choose the ratio and select.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms.
        y : (documents,) array, or (documents, classes) indicator matrix
            Labels of the documents.
        sample_weight : (documents,) array, optional
            Weights of the documents.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        InvalidInputError
            If a parameter, X, y or a weight is invalid, or the metric is not one-sided.

        """
        self._check_parameters()
        policy = selection.PositiveNegative(self.k, self.ratio, self.per_class)
        documents = validate_documents(self, X, y, sample_weight, reset=True)
        # sorted, so that documents with the same counts have bitwise equal sums
        documents = replace(documents, rows=csr_array(documents.rows).sorted_indices())
        self.counts_ = documents.counts
        method = selection.build_method(self.metric, policy, "max", metric_options(self.options))
        scores = method.scores(self.counts_)
        n_classes = selection.require_one_sided_scores(scores).shape[1]
        is_shared = n_classes > 1 and not self.per_class
        n_threads = 1 if self.n_jobs is None else resolve_n_jobs(self.n_jobs)
        # the ratio of a single class is searched as in the paper
        searched = replace(method, policy=replace(policy, per_class=not is_shared))
        ratios = parse_ratio_grid(self.ratio, self.ratios)
        search = RatioSearch.for_estimator(searched, self.estimator, self.scoring, ratios, n_threads)
        self.ratios_, self.path_scores_ = search.grid, None
        if self.ratio == "auto":
            k = np.array([selection.limit_k(self.k, len(scores))])
            everything = Fold(documents, documents.rows, documents.truth)
            if self.cv is not None:
                folds: Sequence[Fold] = search.split(documents, self.cv)
            else:
                folds = search.inner_folds(everything) if is_shared else [everything]
            (tuned,), (curves,) = search.tune(folds, k)
            self.path_scores_ = curves[0] if len(curves) == 1 else curves
            tuned_policy: Any = tuned.policy
            policy = replace(policy, ratio=tuned_policy.ratio)
            method = replace(method, policy=policy)
        self._fit_result = method.selection(self.counts_)
        positive_shares = policy.positive_shares(scores)
        has_several = isinstance(policy.ratio, tuple) or (self.per_class and n_classes > 1)
        self.ratio_ = np.array(positive_shares) if has_several else positive_shares[0]
        self.class_selections_ = list(method.ranking(self.counts_, self.k).orders)
        return self._drop_unneeded_counts()

    def __sklearn_tags__(self) -> Any:
        return set_term_tags(super().__sklearn_tags__())


def parse_ratio_grid(ratio: object, ratios: Any) -> Array | None:
    """Return the ratios to try, ascending: fixed ones, or those given for "auto"; None for the default."""
    if isinstance(ratio, tuple) or not isinstance(ratio, str):
        return np.unique(np.array(ratio, dtype=float))
    if ratios is None:
        return None
    values = list(ratios) if np.ndim(ratios) == 1 else []
    if not (values and all(selection.is_fraction(value) for value in values)):
        raise InvalidInputError(f"ratios must be numbers between 0 and 1, got {ratios!r}")
    return np.unique(np.array(values, dtype=float))


class GreedyDiscriminationSelector(SelectionMixin, CountsMixin[selection.Selection], BaseEstimator):
    """Selector of the k columns of X that best separate the classes of y, by greedy search.

    Each step chooses the term that makes the divergence of the chosen terms largest: the J divergence for two
    classes, the Jeffreys-Multi-Hypothesis divergence for more. Tang, Kay and He (2016), algorithm 1, exact.

    Parameters
    ----------
    k : int, default 1000
        Number of terms to keep.
    keep_counts : bool, default True
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    ranking_ : (chosen,) array of int
        The kept columns in the order of choice; the same as `selection_`.
    divergences_ : (chosen,) array
        The divergence after each step. It never falls.
    scores_ : Scores
        The divergence that each term adds: a chosen term at its step, any other term if it were chosen next.
    selected_ : Selection
        The chosen terms as a Selection.

    Notes
    -----
    Several labels per document are given as an indicator matrix y. A document then counts in each of its
    classes, and a class is compared with the mixture of the other classes, weighted by size. Documents
    without a label count in no class.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> selector = GreedyDiscriminationSelector(k=2).fit(X, [1, 1, 0, 0])
    >>> selector.ranking_
    array([0, 1])
    >>> selector.divergences_.round(3)
    array([0.346, 0.375])

    """

    def __init__(self, k: int = 1000, keep_counts: bool = True) -> None:
        self.k = k
        self.keep_counts = keep_counts

    @property
    def ranking_(self) -> Array:
        """Indices of the kept columns in the order of choice."""
        return self.selection_

    @property
    def divergences_(self) -> Array:
        """Divergence after each step."""
        return self.selected_.rows["score"].cumsum()

    def _compute(self) -> selection.Selection:
        counts = self._get_counts()
        distributions = selection.ClassDistributions.from_counts(counts)
        ranking = selection.rank_greedily(distributions, counts, selection.limit_k(self.k, len(counts.terms)))
        scores = Scores(selection.term_gains(distributions, ranking), counts, "greedy_discrimination", 2)
        return selection.Selection.from_indices(ranking, scores, selection.TopK(self.k))


class RedundancyAwareSelector(SelectionMixin, BaseEstimator):
    """Selector of k columns of X that separate the classes of y without being redundant.

    Each step chooses the most valuable term given those already chosen, by mutual information. Only the
    presence of a term in a document matters, not how often it occurs. One label per document.

    Parameters
    ----------
    criterion : {"cmim", "jmi", "mrmr"}, default "cmim"
        The value of a term.
        "cmim": its smallest information about the class given a chosen term (Fleuret 2004).
        "jmi": the joint information of the term and each chosen term about the class (Yang and Moody 1999).
        "mrmr": its information about the class minus that about the chosen terms (Peng, Long and Ding 2005).
    k : int, default 1000
        Number of terms to keep.
    pool : int, default 3000
        Number of candidates: the best terms by the metric. If k is larger, further terms follow in the
        metric's order.
    metric : str, Metric or function of Cells, default "ig"
        A name in `termsift.metrics()`, or a custom metric.
    keep_counts : bool, default True
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents.
    scores_ : Scores
        The metric's scores.
    selection_ : (chosen,) array of int
        The kept columns in the order of choice.
    values_ : (chosen in the pool,) array
        The value of each term when it was chosen, in nats.
    selected_ : Selection
        The chosen terms as a Selection.

    Examples
    --------
    The second column duplicates the first.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [1, 1, 1]])
    >>> RedundancyAwareSelector("cmim", k=2).fit(X, [1, 1, 1, 0, 0, 0]).selection_
    array([0, 2])

    """

    def __init__(
        self,
        criterion: str = "cmim",
        k: int = 1000,
        pool: int = 3000,
        metric: AnyMetric = "ig",
        keep_counts: bool = True,
    ) -> None:
        self.criterion = criterion
        self.k = k
        self.pool = pool
        self.metric = metric
        self.keep_counts = keep_counts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, form the pool of candidates, and choose.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms.
        y : (documents,) array, or (documents, classes) indicator matrix
            Labels of the documents.
        sample_weight : (documents,) array, optional
            Weights of the documents.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        InvalidInputError
            If a parameter, X, y or a weight is invalid, or a document has several labels.

        """
        self._check_parameters()
        method = selection.build_method(
            self.metric, selection.RedundancyAware(self.k, self.criterion, self.pool), "max", {}
        )
        documents = validate_documents(self, X, y, sample_weight, reset=True)
        self.counts_ = documents.counts
        self._fit_result, self.values_ = selection.select_non_redundant(documents, method)
        return self._drop_unneeded_counts()

    def __sklearn_tags__(self) -> Any:
        tags = set_term_tags(super().__sklearn_tags__())
        tags.target_tags.multi_output = False
        return tags
