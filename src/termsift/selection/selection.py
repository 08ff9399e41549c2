"""What the JSON of a selection holds, checked: it is data, and nothing in it is run."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from termsift._internal.errors import InvalidInputError, UnknownNameError, UnreadableFileError
from termsift._internal.files import replacing
from termsift._internal.tables import Table
from termsift._internal.typing import LARGEST, Array, as_terms, exact
from termsift.metrics import Scores
from termsift.selection.policies import POLICIES, Policy, expected_in_choice, parse_policy
from termsift.text import Analyzer, analyzer_from

FORMAT = 1


def read_selection(source: str | os.PathLike[str]) -> tuple[Any, ...]:
    """What a text or a file says of a selection: its name, rows, indices, metric, policy and analyzer."""
    name, text = json_text(source)
    try:
        what = json.loads(text)
    # Python's reader gives up on deep nesting and on numbers of thousands of digits
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{name} is not a selection that termsift wrote: it is no JSON") from error
    version = what.get("termsift.selection") if isinstance(what, dict) else None
    if not (isinstance(version, int) and version >= 1):
        raise UnreadableFileError(f"{name} is not a selection that termsift wrote")
    if version > FORMAT:
        raise UnreadableFileError(f"{name} has format {version} and this termsift reads {FORMAT}; upgrade it")
    try:
        return name, *selection_fields(what)
    except InvalidInputError as error:
        raise UnreadableFileError(f"{name} is not a selection that termsift wrote: {error}") from error


def json_text(source: str | os.PathLike[str]) -> tuple[str, str]:
    """What the text is called, and the text: as it is given, or of a file."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return "the text", source
    try:
        # a text that is no JSON may be too long to be a path
        if not os.path.isfile(source):
            raise UnreadableFileError(f"there is no file {source}")
        return str(source), Path(source).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{source} is not a selection that termsift wrote: it is no UTF-8"
        ) from error


def selection_fields(what: dict[str, Any]) -> tuple[Any, ...]:
    """Rows, indices, and as texts the metric, the policy and the analyzer."""
    size = len(values_of(what, "term", is_text))
    columns: dict[str, Array] = {"rank": np.arange(1, size + 1), "term": as_terms(what["term"])}
    columns["df"] = exact(np.array(values_of(what, "df", is_count, size), dtype=np.float64))
    if "class" in what:
        columns["class"] = as_terms(values_of(what, "class", is_scalar, size))
    columns["score"] = np.array(values_of(what, "score", is_score, size), dtype=np.float64)
    indices = np.array(values_of(what, "index", is_place, size), dtype=np.intp)
    if len(set(what["term"])) < size or len(set(what["index"])) < size:
        raise InvalidInputError("a term is chosen twice")
    metric, policy = (text_of(what, name) for name in ("metric", "policy"))
    analyzer = None if what.get("analyzer", "") is None else text_of(what, "analyzer")
    return Table(columns), indices, metric, policy, analyzer


def values_of(
    what: dict[str, Any], name: str, fits: Callable[[Any], bool], size: int | None = None
) -> list[Any]:
    """A list of the JSON, as long as all others, whose values are all as they should be."""
    values = what.get(name)
    if not isinstance(values, list) or (size is not None and len(values) != size):
        raise InvalidInputError(f"{name!r} is no list of a value for each term")
    strange = [value for value in values if not fits(value)]
    if strange:
        raise InvalidInputError(f"{name!r} holds {str(strange[0])[:100]!r}")
    return values


def text_of(what: dict[str, Any], name: str) -> str:
    """A text of the JSON."""
    value = what.get(name)
    if not isinstance(value, str):
        raise InvalidInputError(f"{name!r} is no text")
    return value


def is_text(value: object) -> bool:
    """Whether a value of JSON is a text."""
    return isinstance(value, str)


def is_scalar(value: object) -> bool:
    """Whether a value of JSON is one that a class can be called."""
    return isinstance(value, str | int | float)


def is_whole(value: object) -> bool:
    """Whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_score(value: object) -> bool:
    """Whether a value of JSON is a number that a float can be; a metric of one's own may say infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= LARGEST if isinstance(value, int) else value == value


def is_count(value: object) -> bool:
    """Whether a value of JSON is a number of documents, or a sum of weights."""
    return is_score(value) and 0 <= value <= LARGEST  # type: ignore[operator]


def is_place(value: object) -> bool:
    """Whether a value of JSON is the index of a term."""
    return is_whole(value) and is_count(value)


SHOWN = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Sequence[str]):
    """The chosen terms, best first: a sequence of strings that equals a list of the same terms.

    rows : a row per chosen term: rank, term, df, score; and the class with the highest score for the term,
        if classes are scored separately
    indices : (chosen,) index of each term among the counted terms
    metric : the metric's name, with its options
    policy : the policy that chose the terms
    analyzer : the analyzer that found the terms: an Analyzer, the name of another one, or None
    scores : the Scores the terms were chosen by; None for a selection read from JSON

    >>> from termsift import count

    >>> from termsift import select

    >>> from termsift import TopK
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
    def of(cls, indices: Array, scores: Scores, policy: Policy) -> Selection:
        """A Selection from the indices of the chosen terms and their scores."""
        analyzer = analyzer_from(scores.counts.analyzer)
        return cls(chosen_rows(indices, scores), indices, scores.metric, policy, analyzer, scores)

    @property
    def terms(self) -> list[str]:
        """The chosen terms, best first."""
        return list(self.rows["term"])

    @property
    def expected_by_chance(self) -> float | None:
        """Number of the chosen terms expected by chance alone: as many as reach the score of the last one.

        None if chance is unknown, as in `Scores.floor`; for a selection read from JSON; and for policies that
        do not choose in the order of scores. Computed on access.
        """
        return None if self.scores is None else expected_in_choice(self.policy, self.scores, self.indices)

    @property
    def chance_words(self) -> str:
        """The number of terms expected by chance, as a sentence; empty if unknown."""
        return describe_false_positives(len(self), self.expected_by_chance)

    def table(self) -> Table:
        """A row per chosen term: rank, term, df, score, and the class with the highest score, if known."""
        return self.rows

    def to_vectorizer(self, vectorizer: Any = None) -> Any:
        """A scikit-learn vectorizer for the chosen terms, best first. It seldom needs termsift: see Returns.

        Parameters
        ----------
        vectorizer : optional
            The fitted vectorizer that found the terms. By default, the analyzer's settings are used.

        Returns
        -------
        CountVectorizer with the settings of the vectorizer. For a TfidfVectorizer, a fitted TfidfVectorizer
        with the same values as the original followed by the selection; if it scales rows to unit length
        (norm="l2" or "l1"), which needs all its terms, a Pipeline of the original and the chosen columns.
        For an Analyzer that CountVectorizer cannot express (stems, text of HTML, ...), a TermVectorizer.

        """
        return plain_vectorizer(self.terms, vectorizer, self.analyzer)

    def to_spark(self, text: str = "text", output: str = "features") -> Any:
        """A Spark ML PipelineModel that counts the chosen terms in a text column, without termsift."""
        from termsift.engines.spark import vectorizer

        return vectorizer(self.terms, analyzer=self.analyzer, text=text, output=output)  # type: ignore[arg-type]

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The selection as JSON, which holds data and no code; also written to a file if a path is given."""
        if type(self.policy).__name__ not in POLICIES:
            raise InvalidInputError(
                f"{self.policy!r} is no policy of termsift's, so that no file can name it"
            )
        columns = {name: column.tolist() for name, column in self.rows.columns.items() if name != "rank"}
        analyzer = None if self.analyzer is None else str(self.analyzer)
        head = {"termsift.selection": FORMAT, "metric": self.metric, "policy": repr(self.policy)}
        what = head | {"analyzer": analyzer, "index": self.indices.tolist()} | columns
        text = json.dumps(what, ensure_ascii=False, indent=1, default=str) + "\n"
        # half a surrogate pair, which UTF-8 cannot write, is escaped
        text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
        if path is not None:
            with replacing(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Selection:
        """Read the output of `to_json`: the text, or the path of the file. Else raises UnreadableFileError."""
        name, rows, indices, metric, written, analyzer = read_selection(source)
        try:
            policy = parse_policy(written)
        except (InvalidInputError, UnknownNameError) as error:
            raise UnreadableFileError(f"{name} is not a selection that termsift wrote: {error}") from error
        return cls(rows, indices, metric, policy, analyzer_from(analyzer))

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        found: Any = self.rows["term"][place]
        return list(found) if isinstance(place, slice) else str(found)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Selection | list | tuple):
            return self.terms == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.terms))

    def __repr__(self) -> str:
        shown = ", ".join(repr(term) for term in self.terms[:SHOWN])
        more = f", ... {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""
        return f"Selection([{shown}{more}], {self.metric}, {self.policy!r})"

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


def chosen_rows(indices: Array, scores: Scores) -> Table:
    """A row per chosen term; where each class has scores, the largest and its class."""
    values = scores.values[indices]
    columns = {"rank": np.arange(1, len(indices) + 1), "term": scores.terms[indices]}
    columns["df"] = scores.counts.term_df[indices]
    if values.ndim == 2 and values.shape[1]:
        columns["class"] = as_terms(scores.classes)[values.argmax(axis=1)]
    largest = values if values.ndim == 1 else values.max(axis=1, initial=-np.inf)
    return Table(columns | {"score": largest})


def describe_false_positives(chosen: int, expected: float | None) -> str:
    """How many of some chosen terms are what chance would give, in words.

    >>> describe_false_positives(1000, 12.3)
    'of these 1,000 terms about 12 are what chance would give'
    """
    if expected is None or not chosen:
        return ""
    if expected >= chosen:
        return f"of these {chosen:,} terms chance would give as many"
    about = (
        "fewer than 1 is" if expected < 0.5 else f"about {expected:,.0f} {'is' if expected < 1.5 else 'are'}"
    )
    return f"of these {chosen:,} terms {about} what chance would give"


def plain_vectorizer(terms: Sequence[str], vectorizer: Any, analyzer: Analyzer | str | None = None) -> Any:
    """scikit-learn's vectorizer of some terms, like one that is fitted, or else like an analyzer."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    if not terms:
        raise InvalidInputError("no terms were chosen, so there is nothing to count")
    free = {"vocabulary": list(map(str, terms)), "min_df": 1, "max_df": 1.0, "max_features": None}
    if isinstance(vectorizer, TfidfVectorizer):
        return weighted_vectorizer(vectorizer, free)
    if vectorizer is not None:
        own, known = vectorizer.get_params(), CountVectorizer().get_params()
        return CountVectorizer(**{name: value for name, value in own.items() if name in known} | free)
    settings = analyzer.settings if isinstance(analyzer, Analyzer) else None
    if isinstance(analyzer, Analyzer) and settings is None:
        from termsift.estimators import TermVectorizer

        return TermVectorizer(analyzer=analyzer, vocabulary=free["vocabulary"])
    if analyzer is not None and settings is None:
        raise InvalidInputError(
            f"the terms were found by {analyzer}, which no plain CountVectorizer follows: pass the vectorizer"
        )
    return CountVectorizer(**(settings or {}) | free)


def weighted_vectorizer(vectorizer: Any, free: dict[str, Any]) -> Any:
    """A TfidfVectorizer of some terms that gives the numbers of one of more terms."""
    from scipy.sparse import csr_matrix
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    place = {str(name): i for i, name in enumerate(vectorizer.get_feature_names_out())}
    strange = next((term for term in free["vocabulary"] if term not in place), None)
    if strange is not None:
        raise InvalidInputError(
            f"the vectorizer does not know the term {strange!r}; pass the one that found it"
        )
    columns = [place[term] for term in free["vocabulary"]]
    if vectorizer.norm is None:
        own = type(vectorizer)(**vectorizer.get_params() | free | {"use_idf": True})
        own.idf_ = vectorizer.idf_[columns] if vectorizer.use_idf else np.ones(len(columns))
        return own
    # the length of a row is that of all terms, so they are weighted before the chosen ones are taken
    taken = ColumnTransformer(
        [("chosen", "passthrough", columns)], sparse_threshold=1.0, verbose_feature_names_out=False
    )
    taken.fit(csr_matrix((1, len(place))))
    return Pipeline([("weigh", copy.copy(vectorizer)), ("choose", taken)])
