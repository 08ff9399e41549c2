"""Linear classifiers fitted along a ranking: SVM, logistic regression, and weights with the L1 penalty.

Decision values are those of scikit-learn's LinearSVC and LogisticRegression(solver="liblinear"), for each
class against the rest. `linear_coefficients` reads those of any fitted linear classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, sqrt
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from termsift._internal.errors import InvalidInputError
from termsift._internal.matrices import is_sparse
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array, ClassIndex, DocumentStepArray, SizeDocumentClassArray
from termsift.evaluation.classifiers import paths
from termsift.evaluation.splits import Fold

PASSES = 1000  # scikit-learn's default
PATH_PASSES = 5000
MAX_BLOCK = 16  # classes fitted at once: their weights of a term fill two cache lines
MAX_BLOCK_VALUES = 1 << 22  # numbers of a block, for all documents or all terms
L1_TOLERANCE = 1e-3  # largest violation of an optimality condition, as a share of the penalty
L1_ROUNDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Documents that list their terms by rank, so that the best terms are a prefix of every row.

    starts : (documents + 1,) start of each row
    ranks, values : ranks and values of the terms of all rows
    n_terms : number of ranked terms
    """

    starts: Array
    ranks: Array
    values: Array
    n_terms: int

    @classmethod
    def from_columns(cls, order: Array, columns: Any) -> RankedRows:
        """Return the rows of a matrix in column order (CSC)."""
        from termsift.evaluation.classifiers._linear_kernel import csc_to_ranked_rows

        csc = columns.indptr, columns.indices, columns.data
        starts, ranks, values = csc_to_ranked_rows(*csc, np.asarray(order), columns.shape[0])
        return cls(starts, ranks, values, len(order))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def kernel_arrays(self) -> tuple[Array, Array, Array, Array, Array]:
        """Return starts, ends, ranks, values and scales of the rows; `extend_rows` moves the ends."""
        return self.starts, self.starts[:-1].copy(), self.ranks, self.values, np.zeros(len(self))


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss of a linear classifier.

    kernel : name of the kernel of its coordinate descent
    initial_logit : logit of each alpha, as a share of C, at the start
    tolerance : largest difference between gradients at the end of a fit
    """

    kernel: str
    initial_logit: float
    tolerance: float


SQUARED_HINGE = Loss("squared_hinge", initial_logit=-inf, tolerance=0.02)
LOGISTIC = Loss("logistic_dual", initial_logit=-6.9, tolerance=0.05)  # alphas start at a thousandth of C


def linear_decision_values(
    loss: Loss,
    train: RankedRows,
    truth: Array,
    test: RankedRows,
    sizes: Array,
    costs: Array | None = None,
    factors: Array | None = None,
) -> Array:
    """Return (sizes, test documents) decision values with the k best terms, for ascending sizes k.

    Parameters
    ----------
    truth : (training documents,) whether each document is in the class
    costs : (training documents,) C times the weight of each document; by default 1
    factors : (ranked terms,) factors of the columns, applied to rows of unit length

    """
    from termsift.evaluation.classifiers import _linear_kernel as kernel

    fit = getattr(kernel, loss.kernel)
    train_rows, test_rows = train.kernel_arrays(), test.kernel_arrays()
    # ends and scales are shared: lengths are those without factors
    fitted_rows, decided_rows = (
        rows if factors is None else (*rows[:3], rows[3] * factors[rows[2]], rows[4])
        for rows in (train_rows, test_rows)
    )
    y = np.where(truth, 1.0, -1.0)
    costs = np.ones(len(train)) if costs is None else costs
    alpha = costs / (1 + exp(-loss.initial_logit))
    w = np.zeros(train.n_terms)
    decision_values = np.empty((len(sizes), len(test)))
    for out, size in zip(decision_values, np.asarray(sizes).tolist(), strict=True):
        for rows in (train_rows, test_rows):
            kernel.extend_rows(*rows, size)
        # all rows have new scales, so the weights are summed again
        bias = kernel.write_primal_weights(*fitted_rows, alpha, y, w)
        bias = fit(*fitted_rows, y, costs, loss.tolerance, PASSES, alpha, w, bias)
        kernel.write_decision_values(*decided_rows, w, bias, out)
    return decision_values


def one_vs_rest_hinge_values(
    loss: Loss, train: RankedRows, truth: Array, test: RankedRows, sizes: Array, costs: Array
) -> SizeDocumentClassArray:
    """Return (sizes, test documents, classes) decision values of the squared hinge, for ascending sizes.

    They equal `linear_decision_values` of each class, within the tolerance.

    Parameters
    ----------
    truth : (training documents, classes) whether each document is in each class
    costs : (training documents, classes) C times the weight of each document

    """
    from termsift.evaluation.classifiers import _joint_kernel as kernel
    from termsift.evaluation.classifiers._linear_kernel import extend_rows

    decision_values = np.empty((len(sizes), len(test), truth.shape[1]))
    block = int(np.clip(MAX_BLOCK_VALUES // max(len(train), train.n_terms, 1), 1, MAX_BLOCK))
    for start in range(0, truth.shape[1], block):
        columns = slice(start, start + block)
        train_rows, test_rows = train.kernel_arrays(), test.kernel_arrays()
        y, C = np.where(truth[:, columns].T, 1.0, -1.0), np.ascontiguousarray(costs[:, columns].T)
        classes = np.arange(len(y))
        alpha, w, bias = np.zeros(y.shape), np.zeros((len(y), train.n_terms)), np.zeros(len(y))
        out = np.empty((len(test), len(y)))
        for step, size in enumerate(np.asarray(sizes).tolist()):
            for rows in (train_rows, test_rows):
                extend_rows(*rows, size)
            kernel.one_vs_rest_squared_hinge(*train_rows, y, C, loss.tolerance, PASSES, alpha, w, bias, size)
            kernel.write_class_decision_values(*test_rows, w, bias, classes, size, out)
            decision_values[step, :, columns] = out
    return decision_values


def document_costs(C: float, weights: Array, truth: Array, balanced: bool) -> Array:
    """Return (documents,) C times the weight of each document; empty weights are all 1.

    balanced : give the class and the rest the same total weight, as class_weight="balanced" of scikit-learn

    >>> document_costs(1.0, np.zeros(0), np.array([True, False, False, False]), balanced=True)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    costs = weights if weights.size else np.ones(len(truth))
    if balanced:
        totals = np.where(truth, costs[truth].sum(), costs[~truth].sum())
        costs = costs * costs.sum() / (2 * totals)
    return C * costs


def has_log_count_ratios(classifier: Any) -> bool:
    """Check whether a classifier multiplies rows by log-count ratios."""
    return bool(getattr(classifier, "has_log_count_ratios", False))


def log_count_ratios(fold: Fold, c: int) -> Array:
    """Return (terms,) the log of the ratio of smoothed shares of each term in a class and outside.

    Wang and Manning (2012), with the presence of terms and add-one smoothing.
    """
    inside = fold.train.counts.df[:, [c]].toarray().ravel() + 1.0
    outside = fold.train.counts.term_df + 2.0 - inside
    return np.asarray(np.log(inside / inside.sum()) - np.log(outside / outside.sum()))


@dataclass(frozen=True, slots=True)
class Linear(paths.RepresentationNames):
    """Linear classifier of tf-idf rows of unit length.

    base, title : name and description, without the representation
    estimator : scikit-learn's equivalent as a function of C
    balanced : whether a class and the rest have the same total weight
    representation : "binary" for 0/1 features instead of counts, times idf; or the name of a metric whose
        term weights replace idf
    has_log_count_ratios : whether rows of unit length are multiplied by the log-count ratios (NB-SVM)
    """

    base: str
    title: str
    loss: Loss
    C: float
    estimator: Callable[..., Any]
    size_stride: int = 1
    balanced: bool = False
    representation: str = ""
    has_log_count_ratios: bool = False
    representations: ClassVar[tuple[str, ...]] = ("binary", "METRIC")
    cost: ClassVar[int] = 8
    uses_tfidf: ClassVar[bool] = True

    def build_ranked_rows(self, fold: Fold, order: Array) -> tuple[RankedRows, RankedRows]:
        """Return the training and the test documents in the representation of the classifier."""
        if self.representation in ("", paths.BINARY):
            train, test = (fold.binary if self.representation else fold).train_and_test_tfidf
        else:
            train, test = fold.weight_by_metric(self.representation)
        return RankedRows.from_columns(order, train), RankedRows.from_columns(order, test)

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class index to its decision values against the rest, (test, steps)."""
        if len(path.last):
            return paths.fit_each_step(self, fold, path)
        train, test = self.build_ranked_rows(fold, path.first)

        def fit_class(class_index: int) -> Array:
            truth = fold.train.truth[:, class_index]
            costs = document_costs(self.C, fold.train.weights, truth, self.balanced)
            factors = log_count_ratios(fold, class_index)[path.first] if self.has_log_count_ratios else None
            return linear_decision_values(self.loss, train, truth, test, path.sizes, costs, factors).T

        return fit_class

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return one-vs-rest decision values; classes of an SVM with the same terms are fitted together."""
        if ranking.local or self.has_log_count_ratios or self.loss is not SQUARED_HINGE:
            return paths.one_vs_rest_decision_values(self, fold, ranking, sizes, mirrored=True)
        train, test = self.build_ranked_rows(fold, ranking.orders[0][: sizes[-1]])
        truth = fold.train.truth
        decision_values = np.empty((len(sizes), len(fold.truth), fold.n_classes))
        decision_values[:] = np.where(truth.all(axis=0), np.inf, -np.inf)
        classes = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
        if fold.is_mirrored:
            classes = classes[-1:]
        costs = np.empty((len(truth), len(classes)))
        for column, c in enumerate(classes):
            costs[:, column] = document_costs(self.C, fold.train.weights, truth[:, c], self.balanced)
        fitted = one_vs_rest_hinge_values(self.loss, train, truth[:, classes], test, sizes, costs)
        decision_values[:, :, classes] = fitted
        if fold.is_mirrored and len(classes):
            decision_values[:, :, 0] = -decision_values[:, :, 1]
        return decision_values

    confidences = decision_values

    def make_estimator(self) -> Any:
        """Return LinearSVC, or LogisticRegression by liblinear."""
        return self.estimator(C=self.C, **({"class_weight": "balanced"} if self.balanced else {}))


SVM = Linear("svm", "a linear SVM", SQUARED_HINGE, 1.0, LinearSVC)
LIBLINEAR = partial(LogisticRegression, solver="liblinear")
LOGISTIC_REGRESSION = Linear("logistic", "logistic regression", LOGISTIC, 10.0, LIBLINEAR, size_stride=3)
BALANCED = tuple(
    replace(model, base=f"{model.base}_balanced", title=f"{model.title}, classes balanced", balanced=True)
    for model in (SVM, LOGISTIC_REGRESSION)
)
NB_SVM = replace(SVM, base="nbsvm", title="NB-SVM (naive Bayes log-count ratios)", has_log_count_ratios=True)
OFFERED = (SVM, LOGISTIC_REGRESSION, *BALANCED, NB_SVM)


@dataclass(frozen=True, slots=True)
class BinaryLogistic:
    """Logistic regression of 0/1 features: a stored value is a term of the document.

    Minimises sum log(1 + exp(-y f)) + penalty / 2 * w.w + bias_penalty / 2 * bias^2.

    tolerance : largest derivative of the objective at the end of a fit
    bias_penalty : 0 for a free bias, the penalty for the weight of a feature that every document has, `inf`
        for no bias
    """

    penalty: float = 1.0
    tolerance: float = 0.01
    bias_penalty: float = 0.0
    name: ClassVar[str] = "binary logistic"
    description: ClassVar[str] = "logistic regression of 0/1 features"
    cost: ClassVar[int] = 8
    size_stride: ClassVar[int] = 3
    uses_tfidf: ClassVar[bool] = False
    representation: ClassVar[str] = ""
    representations: ClassVar[tuple[str, ...]] = ()

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class index to its decision values against the rest, (test, steps)."""
        train, test, truth = fold.train.columns, fold.test_columns, fold.train.truth
        return lambda c: self.path_decision_values(path, train, truth[:, c], test)

    def path_decision_values(self, path: paths.SelectionPath, train: Any, truth: Array, test: Any) -> Array:
        """Return (test documents, steps) decision values.

        train, test : documents in column order (CSC)
        truth : (training documents,) whether each is in the class
        """
        from termsift.evaluation.classifiers._path_kernel import logistic_path

        decision_values: Array = logistic_path(
            train.indptr, train.indices, np.where(truth, 1.0, -1.0), path.first, path.last, path.sizes,
            path.k, self.penalty, self.bias_penalty, self.tolerance, PATH_PASSES,
            test.indptr, test.indices, test.shape[0],
        )  # fmt: skip
        return decision_values

    decision_values = confidences = paths.one_vs_rest_decision_values

    def make_estimator(self) -> LogisticRegression:
        """Return LogisticRegression, by liblinear if the bias is penalized."""
        if not self.bias_penalty:
            return LogisticRegression(C=1 / self.penalty)
        if self.bias_penalty == inf:
            return LogisticRegression(C=1 / self.penalty, fit_intercept=False)
        return LIBLINEAR(C=1 / self.penalty, intercept_scaling=sqrt(self.penalty / self.bias_penalty))


def l1_weights(columns: Any, truth: Array, C: float = 1.0) -> Array:
    """Return (terms,) weights of a class against the rest with the L1 penalty; most are 0.

    They are those of LogisticRegression(l1_ratio=1, C=C, solver="liblinear"), closer to the optimum.

    columns : documents in column order (CSC)
    truth : (documents,) whether each is in the class
    """
    from termsift.evaluation.classifiers._l1_kernel import fit_l1_logistic

    csc = columns.indptr, columns.indices, columns.data
    return np.asarray(fit_l1_logistic(*csc, np.where(truth, 1.0, -1.0), C, L1_TOLERANCE, L1_ROUNDS))


def normalize_rows(columns: csc_array[Any]) -> csc_array[Any]:
    """Return the documents with rows of unit length."""
    lengths = np.sqrt(np.bincount(columns.indices, columns.data**2, columns.shape[0]))
    lengths[lengths == 0] = 1
    data = columns.data / lengths[columns.indices]
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)


def contrast_log_likelihoods(log_likelihoods: Array) -> Array:
    """Subtract the mean over the classes (last axis); with two classes, take their difference."""
    if log_likelihoods.shape[-1] == 2:
        return mirror(log_likelihoods[..., 1] - log_likelihoods[..., 0])
    return np.asarray(log_likelihoods - log_likelihoods.mean(axis=-1, keepdims=True))


def mirror(values: Array) -> Array:
    """Return (-values, values) along a new last axis: two exclusive classes."""
    return np.stack([-values, values], axis=-1)


def linear_coefficients(classifier: Any) -> tuple[Array, Array]:
    """Return coefficients (features, classes) and intercepts (classes,) of a fitted classifier.

    Those of naive Bayes are log posteriors: their difference for two classes, otherwise centered.

    Raises
    ------
    InvalidInputError : the classifier is not linear

    """
    if isinstance(classifier, OneVsRestClassifier):
        columns = [_binary_coefficients(estimator) for estimator in classifier.estimators_]
        width = next((len(column) for column, _ in columns if len(column)), 0)
        coefficients = np.zeros((width, len(columns)))
        for c, (column, _) in enumerate(columns):
            coefficients[: len(column), c] = column
        intercepts = np.array([intercept for _, intercept in columns])
        if len(columns) == 1 and not classifier.multilabel_:
            return mirror(coefficients[:, 0]), mirror(intercepts[0])
        return coefficients, intercepts
    if isinstance(classifier, MultinomialNB | ComplementNB | BernoulliNB):
        logs = np.asarray(classifier.feature_log_prob_)
        priors = np.asarray(classifier.class_log_prior_)
        if isinstance(classifier, BernoulliNB):
            # an absent term counts too: as an intercept from which the present ones are subtracted
            absent = np.log1p(-np.exp(logs))
            logs, priors = logs - absent, priors + absent.sum(axis=1)
        elif isinstance(classifier, ComplementNB):
            # it ignores the priors unless there is only one class
            priors = np.zeros(len(logs))
        return contrast_log_likelihoods(logs.T), contrast_log_likelihoods(priors)
    weights: Any = getattr(classifier, "coef_", np.zeros((0, 0)))
    coefficients = np.atleast_2d(weights.toarray() if is_sparse(weights) else weights)
    n_classes = len(getattr(classifier, "classes_", ()))
    # a support vector machine of pairs of classes has more rows
    if not coefficients.size or len(coefficients) != (1 if n_classes == 2 else n_classes):
        message = f"{type(classifier).__name__} is not linear, so its decision values are not sums over words"
        raise InvalidInputError(message)
    intercepts = np.broadcast_to(np.ravel(classifier.intercept_), (len(coefficients),))
    if len(coefficients) == 1:
        return mirror(coefficients[0]), mirror(intercepts[0])
    return coefficients.T, intercepts


def _binary_coefficients(estimator: Any) -> tuple[Array, float]:
    """Return coefficients and intercept of a binary classifier; a constant one has no coefficients."""
    if not hasattr(estimator, "coef_") and not hasattr(estimator, "feature_log_prob_"):
        constant = getattr(estimator, "y_", None)
        if constant is None:
            raise InvalidInputError(
                f"{type(estimator).__name__} is not linear, so its decision values are not sums over words"
            )
        return np.zeros(0), 1.0 if np.ravel(constant)[0] else -1.0
    coefficients, intercepts = linear_coefficients(estimator)
    return coefficients[:, -1], float(intercepts[-1])
