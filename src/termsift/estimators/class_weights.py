"""ClassWeightExtractor: one feature per class, the sum of what each word says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin

from termsift._typing import Array, as_terms
from termsift.border.class_names import class_place
from termsift.contingency import ratio
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.estimators.fitting import CountsMixin
from termsift.estimators.validation import checked_matrix, input_names
from termsift.ranking import best
from termsift.tables import Table

# entries of T that are laid out at once: with rows that have no gaps a product is some times faster
DENSE = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """The shares that classes have in terms, the classes, and in how many documents each term is."""

    weights: csr_array[Any]
    classes: tuple[Any, ...]
    term_df: Array


class ClassWeightExtractor(CountsMixin[ClassShares], TransformerMixin, BaseEstimator):
    """Turn X into one feature per class: each occurrence of a term adds the class's share of that term.

    X' = X T with T[i, j] = tf(i, j) / tf(i), the share of the occurrences of term i that are in documents of
    class j: Jiang and Lee, equations 4 to 7. There is nothing to tune.

    A term that is not in the training documents has weight 0 for every class, so it adds nothing.
    A document with several labels counts for each of its classes, so the weights of a term can add up to
    more than 1. Documents without a label count in tf(i) only.

    Parameters
    ----------
    keep_counts : bool
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    weights_ : (terms, classes), sparse
        T, each entry between 0 and 1.
    classes_ : (classes,)

    >>> X = np.array([[2, 0, 1], [0, 1, 1]])
    >>> extractor = ClassWeightExtractor().fit(X, ["ham", "spam"])
    >>> extractor.transform([[1, 1, 2]])
    array([[2., 2.]])
    >>> extractor.get_feature_names_out()
    array(['ham', 'spam'], dtype=object)

    """

    def __init__(self, keep_counts: bool = True) -> None:
        self.keep_counts = keep_counts

    @property
    def weights_(self) -> csr_array[Any]:
        """T, (terms, classes)."""
        return self._learned.weights

    @property
    def classes_(self) -> Array:
        """The classes, in the order of the features."""
        return np.array(self._learned.classes)

    def transform(self, X: Any) -> Array:
        """X T: (documents, classes), dense, because a document has a share in most classes."""
        X = checked_matrix(self, X)
        rows, weights = csr_array(X), self.weights_
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        features = np.empty((rows.shape[0], weights.shape[1]), dtype=dtype)
        width = max(1, DENSE // max(1, weights.shape[0]))
        for c in range(0, weights.shape[1], width):
            features[:, c : c + width] = rows @ weights[:, c : c + width].toarray().astype(dtype)
        return features

    def contributions(self, X: Any) -> csr_array[Any]:
        """The contribution of each term of one document to each feature: (terms, classes), summing to X'.

        Multiplied by the coefficients of a linear classifier, (features, outputs), it gives the contribution
        of each term to each output.
        """
        counts = self._document(X)
        shares = self.weights_
        return csr_array(
            (shares.data * np.repeat(counts, np.diff(shares.indptr)), shares.indices, shares.indptr),
            shape=shares.shape,
        )

    def explain(self, X: Any, name: Any = None, n: int = 10, *, input_features: Any = None) -> Table:
        """The terms of a document that contribute most to a class: term, class, count, weight, contribution.

        name : the class; by default the one with the largest feature
        input_features : the names of the columns of X, if X had none

        >>> X = np.array([[2, 0, 1], [0, 1, 1]])
        >>> extractor = ClassWeightExtractor().fit(X, ["ham", "spam"])
        >>> extractor.explain([[1, 0, 1]], input_features=["lunch", "prize", "today"])
        term   class  count  weight  contribution
        lunch  ham        1       1             1
        today  ham        1     0.5           0.5
        """
        counts, terms = self._document(X), as_terms(input_names(self, input_features))
        features = self.contributions(X).sum(axis=0)
        learned = self._learned
        c = int(features.argmax()) if name is None else class_place(learned.classes, name)
        weights = self.weights_[:, [c]].toarray()[:, 0]
        given = weights * counts
        order = best(given, learned.term_df, terms, min(n, int(np.count_nonzero(given))))
        return Table(
            {
                "term": terms[order],
                "class": as_terms([learned.classes[c]] * len(order)),
                "count": counts[order],
                "weight": weights[order],
                "contribution": given[order],
            }
        )

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The classes, as text."""
        input_names(self, input_features)
        return as_terms(map(str, self._learned.classes))

    def _document(self, X: Any) -> Array:
        rows = csr_array(checked_matrix(self, X))
        if rows.shape[0] != 1:
            raise InvalidInput(f"give one document, a row of counts, got {rows.shape[0]} rows")
        counts: Array = rows.toarray()[0]
        return counts

    def _learn(self) -> ClassShares:
        counts = self._known_counts
        return ClassShares(class_shares(counts), counts.classes, counts.term_df)


def class_shares(counts: Counts) -> csr_array[Any]:
    """(terms, classes): the occurrences in a class among all of a term; 0 for a term that never occurs."""
    totals = np.repeat(counts.term_tf, np.diff(counts.tf.indptr))
    shares = ratio(counts.tf.data, totals)
    return csr_array((shares, counts.tf.indices, counts.tf.indptr), shape=counts.tf.shape)
