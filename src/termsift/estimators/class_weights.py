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
    """Turn X into one feature per class: each occurrence of a term gives the class its share of the term.

    X' = X T with T[i, j] = tf(i, j) / tf(i), the occurrences of term i in documents of class j among all of
    them: Jiang and Lee, equations 4 to 7. There is nothing to choose.

    A term that no document fitted has weight 0 for every class, so it adds nothing.
    With several labels per document its occurrences count for each of its classes, so the weights of a term
    can add up to more than 1; documents without a label count in tf(i) alone.

    Parameters
    ----------
    keep_counts : bool
        Whether `counts_` stays after fitting.

    Attributes
    ----------
    counts_ : Counts
        What was counted; `partial_fit` adds to it.
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
        """X T: (documents, classes), dense, since a document has a share in most classes."""
        X = checked_matrix(self, X)
        rows, weights = csr_array(X), self.weights_
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        features = np.empty((rows.shape[0], weights.shape[1]), dtype=dtype)
        width = max(1, DENSE // max(1, weights.shape[0]))
        for c in range(0, weights.shape[1], width):
            features[:, c : c + width] = rows @ weights[:, c : c + width].toarray().astype(dtype)
        return features

    def contributions(self, X: Any) -> csr_array[Any]:
        """What each term of one document gives to each feature: (terms, classes), the sum of which is X'.

        Multiplied by the coefficients of a linear classifier, (features, outputs), it is what each term gives
        to each output.
        """
        counts = self._document(X)
        shares = self.weights_
        return csr_array(
            (shares.data * np.repeat(counts, np.diff(shares.indptr)), shares.indices, shares.indptr),
            shape=shares.shape,
        )

    def explain(self, X: Any, name: Any = None, n: int = 10, *, input_features: Any = None) -> Table:
        """The terms of one document that give most to a class: term, class, count, weight, contribution.

        name : the class; without it, that of the largest feature
        input_features : the names of X's columns, where they came without

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
