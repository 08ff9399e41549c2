"""Selection: the chosen terms with their scores, as a sequence, a table, JSON or a vectorizer."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, overload

import numpy as np

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import atomic_write
from termsift._internal.saved import (
    check_format_version,
    check_list,
    check_terms,
    parse_json,
    translate_invalid_data,
)
from termsift._internal.tables import Table
from termsift._internal.typing import MAX_EXACT, Array, as_term_array, to_exact_dtype
from termsift.metrics import Scores
from termsift.selection.policies import POLICIES, parse_policy
from termsift.selection.policy_base import Policy
from termsift.text import Analyzer, parse_analyzer

FORMAT = 2  # version of the JSON format
MAX_PRINTED = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Sequence[str]):
    """Chosen terms, best first: a sequence of strings that equals a list of the same terms.

    Attributes
    ----------
    rows : Table
        A row per chosen term: rank, term, df, score; and the class with the highest score for the term, if
        classes are scored separately.
    indices : ndarray of int, shape (n_chosen,)
        Index of each term among the counted terms.
    metric : str
        The metric's name, with its options.
    policy : policy
        The policy that chose the terms.
    analyzer : Analyzer, str or None
        The analyzer of the counts, or the name of a user-defined one.
    scores : Scores or None
        The scores that the terms were chosen by; None for a selection loaded from JSON.

    Examples
    --------
    >>> from termsift import TopK, count, select
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> chosen = select(counts, "bns", TopK(2))
    >>> chosen
    Selection(['lunch', 'prize'], bns, TopK(k=2))
    >>> chosen == ["lunch", "prize"], chosen[0], len(chosen)
    (True, 'lunch', 2)
    >>> chosen.to_vectorizer().transform(["a prize lunch, a lunch"]).toarray()
    array([[2, 1]])

    """

    rows: Table
    indices: Array
    metric: str
    policy: Policy
    analyzer: Analyzer | str | None = None
    scores: Scores | None = None

    @classmethod
    def from_indices(cls, indices: Array, scores: Scores, policy: Policy) -> Selection:
        """Create a selection from the indices of the chosen terms and the scores of all terms.

        Parameters
        ----------
        indices : ndarray of int
            Indices of the chosen terms, best first.
        scores : Scores
            Scores of all terms.
        policy : policy
            The policy that chose the terms.

        Returns
        -------
        Selection
            The chosen terms with their scores.

        """
        values = scores.values[indices]
        columns = {"rank": np.arange(1, len(indices) + 1), "term": scores.terms[indices]}
        columns["df"] = scores.counts.term_df[indices]
        if values.ndim == 2 and values.shape[1]:
            columns["class"] = as_term_array(scores.classes)[values.argmax(axis=1)]
        columns["score"] = values if values.ndim == 1 else values.max(axis=1, initial=-np.inf)
        analyzer = parse_analyzer(scores.counts.analyzer)
        return cls(Table(columns), indices, scores.metric, policy, analyzer, scores)

    @property
    def terms(self) -> list[str]:
        """Chosen terms, best first."""
        return list(self.rows["term"])

    @property
    def n_significant(self) -> int | None:
        """Number of chosen terms that are significant for some class, with one false positive expected.

        Computed on access. None for weighted documents, and for a selection loaded from JSON.
        """
        significant = None if self.scores is None else self.scores.significant(1)
        return None if significant is None else int(significant[self.indices].any(axis=1).sum())

    def table(self) -> Table:
        """Return a row per chosen term: rank, term, df, score, and the class with the highest score.

        Returns
        -------
        Table
            The attribute `rows`.

        """
        return self.rows

    def to_vectorizer(self, vectorizer: Any = None) -> Any:
        """Return a scikit-learn vectorizer for the chosen terms, best first.

        Parameters
        ----------
        vectorizer : CountVectorizer or TfidfVectorizer, optional
            The fitted vectorizer that produced the terms (default: use the analyzer's settings).

        Returns
        -------
        CountVectorizer, TfidfVectorizer, Pipeline or TermVectorizer
            CountVectorizer with the settings of the vectorizer. For a TfidfVectorizer, a fitted
            TfidfVectorizer with the same values as the original followed by the selection; if it scales rows
            to unit length (norm="l2" or "l1"), which needs all its terms, a Pipeline of the original and the
            chosen columns. For an Analyzer that CountVectorizer cannot express (stems, text of HTML, ...), a
            TermVectorizer. Only the last needs termsift.

        Raises
        ------
        InvalidInputError
            If no terms were selected, the vectorizer lacks one of them, or the analyzer is user-defined and
            no vectorizer is given.

        """
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

        if not len(self):
            raise InvalidInputError("no terms were selected, so the vectorizer would have no columns")
        vocabulary = {"vocabulary": list(map(str, self)), "min_df": 1, "max_df": 1.0, "max_features": None}
        if isinstance(vectorizer, TfidfVectorizer):
            return _reduce_tfidf_vectorizer(vectorizer, vocabulary)
        if vectorizer is not None:
            names = CountVectorizer().get_params()
            settings = {name: value for name, value in vectorizer.get_params().items() if name in names}
            return CountVectorizer(**settings | vocabulary)
        if self.analyzer is None:
            return CountVectorizer(**vocabulary)
        if not isinstance(self.analyzer, Analyzer):
            raise InvalidInputError(
                f"CountVectorizer cannot reproduce the analyzer {self.analyzer}; pass the fitted vectorizer"
            )
        if self.analyzer.vectorizer_options is not None:
            return CountVectorizer(**self.analyzer.vectorizer_options | vocabulary)
        # imported here, because estimators are a layer above selections
        from termsift.estimators import TermVectorizer

        return TermVectorizer(analyzer=self.analyzer, vocabulary=vocabulary["vocabulary"])

    def to_spark(self, text: str = "text", output: str = "features") -> Any:
        """Return a Spark ML PipelineModel that counts the chosen terms in a text column, without termsift.

        Parameters
        ----------
        text : str, default "text"
            Name of the text column.
        output : str, default "features"
            Name of the new column of vectors.

        Returns
        -------
        pyspark.ml.PipelineModel
            Fitted pipeline with one feature per chosen term, best first.

        """
        from termsift.engines.spark import vectorizer

        return vectorizer(self.terms, analyzer=self.analyzer, text=text, output=output)  # type: ignore[arg-type]

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the selection as JSON (data, no code); write it to a file if a path is given.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        str
            The JSON text.

        Raises
        ------
        InvalidInputError
            If the policy is user-defined.

        """
        if type(self.policy).__name__ not in POLICIES:
            raise InvalidInputError(f"{self.policy!r} is not a policy of termsift; only those can be saved")
        columns = {name: column.tolist() for name, column in self.rows.columns.items() if name != "rank"}
        analyzer = None if self.analyzer is None else str(self.analyzer)
        head = {"termsift.selection": FORMAT, "metric": self.metric, "policy": repr(self.policy)}
        content = head | {"analyzer": analyzer, "index": self.indices.tolist()} | columns
        text = json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n"
        # lone surrogates cannot be encoded as UTF-8, so they are escaped
        text = re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
        if path is not None:
            with atomic_write(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Selection:
        """Load the output of `to_json`.

        Parameters
        ----------
        source : str or path
            The JSON text, or the path of the file.

        Returns
        -------
        Selection
            The saved selection, without `scores`.

        Raises
        ------
        UnreadableFileError
            If the file is missing or its content is not a selection.

        """
        is_json = isinstance(source, str) and source.lstrip().startswith("{")
        name = "the text" if is_json else str(source)
        failure = f"{name} is not a selection saved by termsift"
        # isfile, unlike open, accepts text that is too long for a path
        if not is_json and not os.path.isfile(source):
            raise UnreadableFileError(f"there is no file {source}")
        raw = str(source) if is_json else Path(source).read_bytes()
        content = parse_json(raw, failure, allow_non_finite=True)
        remedy = "select and save the terms again"
        check_format_version(content.get("termsift.selection"), FORMAT, name, failure, remedy)
        with translate_invalid_data(failure):
            return _parse_content(content)

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        terms: Any = self.rows["term"][index]
        return list(terms) if isinstance(index, slice) else str(terms)

    def __eq__(self, value: object) -> bool:
        if isinstance(value, Selection | list | tuple):
            return self.terms == list(value)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.terms))

    def __repr__(self) -> str:
        printed = ", ".join(repr(term) for term in self.terms[:MAX_PRINTED])
        suffix = f", ... {len(self) - MAX_PRINTED:,} more" if len(self) > MAX_PRINTED else ""
        return f"Selection([{printed}{suffix}], {self.metric}, {self.policy!r})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.rows._repr_html_()}"


def describe_significance(n_terms: int, n_significant: int | None) -> str:
    """Describe how many of the chosen terms are significant; empty if unknown.

    >>> describe_significance(1000, 820)
    '820 of these 1,000 terms are significant'
    """
    if n_significant is None or not n_terms:
        return ""
    if n_significant == n_terms:
        all_terms = f"all of these {n_terms:,} terms are significant"
        return "this term is significant" if n_terms == 1 else all_terms
    number = f"{n_significant:,}" if n_significant else "none"
    return f"{number} of these {n_terms:,} terms {'is' if n_significant == 1 else 'are'} significant"


def _parse_content(content: dict[str, Any]) -> Selection:
    """Validate the JSON of a selection and return the selection."""

    def values(name: str, is_valid: Callable[[Any], bool], size: int | None = None) -> list[Any]:
        return check_list(content.get(name), name, is_valid, size)

    terms = check_terms(values("term", lambda value: isinstance(value, str)))
    size = len(terms)
    columns: dict[str, Array] = {"rank": np.arange(1, size + 1), "term": terms}
    columns["df"] = to_exact_dtype(np.array(values("df", _is_nonnegative, size), dtype=np.float64))
    if "class" in content:
        classes = values("class", lambda value: isinstance(value, str | int | float), size)
        columns["class"] = as_term_array(classes)
    columns["score"] = np.array(values("score", _is_score, size), dtype=np.float64)
    indices = values("index", lambda value: isinstance(value, int) and _is_nonnegative(value), size)
    if len(set(indices)) < size:
        raise InvalidInputError("an index is repeated")
    for name in ("metric", "policy", "analyzer"):
        is_null_analyzer = name == "analyzer" and name in content and content[name] is None
        if not is_null_analyzer and not isinstance(content.get(name), str):
            raise InvalidInputError(f"{name!r} must be a string")
    policy, analyzer = parse_policy(content["policy"]), parse_analyzer(content["analyzer"])
    return Selection(Table(columns), np.array(indices, dtype=np.intp), content["metric"], policy, analyzer)


def _is_score(value: object) -> bool:
    """Return whether a value fits into a float; infinity is allowed for user-defined metrics, NaN is not."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= MAX_EXACT if isinstance(value, int) else value == value


def _is_nonnegative(value: object) -> bool:
    """Return whether a value is a number of documents, or a sum of weights."""
    return _is_score(value) and 0 <= value <= MAX_EXACT  # type: ignore[operator]


def _reduce_tfidf_vectorizer(vectorizer: Any, vocabulary: dict[str, Any]) -> Any:
    """Return a TfidfVectorizer of some terms with the values of the fitted vectorizer of all terms."""
    from scipy.sparse import csr_matrix
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    column = {str(name): i for i, name in enumerate(vectorizer.get_feature_names_out())}
    unknown = next((term for term in vocabulary["vocabulary"] if term not in column), None)
    if unknown is not None:
        raise InvalidInputError(
            f"the vectorizer does not have the term {unknown!r}; pass the vectorizer that produced the terms"
        )
    columns = [column[term] for term in vocabulary["vocabulary"]]
    if vectorizer.norm is None:
        # with use_idf=False the idf is 1, which a fitted idf_ expresses as well
        reduced = type(vectorizer)(**vectorizer.get_params() | vocabulary | {"use_idf": True})
        reduced.idf_ = vectorizer.idf_[columns] if vectorizer.use_idf else np.ones(len(columns))
        return reduced
    # the norm of a row depends on all terms, so weighting comes before the choice of columns
    chooser = ColumnTransformer(
        [("chosen", "passthrough", columns)], sparse_threshold=1.0, verbose_feature_names_out=False
    )
    chooser.fit(csr_matrix((1, len(column))))
    return Pipeline([("weigh", copy.copy(vectorizer)), ("choose", chooser)])
