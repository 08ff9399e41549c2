"""Difference: what two corpora say more than each other, as tables, sentences and a page."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, TermsiftWarning, UnknownNameError
from termsift._internal.tables import Table, text_table
from termsift._internal.typing import LARGEST, Array, as_terms, exact
from termsift.counts import (
    Counts,
    GroupedCounts,
    as_list,
    as_scalar,
    is_counts_file,
    is_frame,
    is_many,
    why_no_term,
)
from termsift.engines import count, frame_documents, is_corpus, is_spark, is_unread, names_files
from termsift.engines.files import (
    FoundFile,
    WantedColumns,
    csv_layout,
    ending,
    file_batches,
    file_encoding,
    file_format,
    input_file,
    is_pipe,
    told_faults,
    tsv_layout,
)
from termsift.metrics import AnyMetric, Metric, Scores, metric_with_options, metrics, score, written_metric
from termsift.report import report_html
from termsift.text import analyzer_from

COLUMNS = ("effect", "low", "high", "score", "p", "q")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference:
    """Terms used more in one corpus than in the other: scores with each corpus as a class.

    scores : (terms, 2) the scores of the metric for each corpus
    names : names of the new corpus and the old one
    of_words : whether one of them is a word list, for which only occurrences are known
    expected : number of terms expected above the floor by chance

    >>> from termsift import diff
    >>> new, old = ["win a prize now", "win now"], ["see you at lunch", "lunch now"]
    >>> diff(new, old).more().head(1)["term"]
    array(['win'], dtype=object)
    """

    scores: Scores
    names: tuple[Any, Any]
    of_words: bool = False
    expected: float = 1

    @property
    def counts(self) -> Counts:
        """The counts of both corpora, each a class."""
        return self.scores.counts

    def floor(self, name: Any) -> float | None:
        """The score from which terms of a corpus count as above chance; None if unknown."""
        if self.of_words:
            return None
        return self.scores.floor(self.expected, for_class=name, side="for")

    def more(self, n: int | None = 20, **effect: Any) -> Table:
        """The `n` best terms used more in the new corpus than in the old one; all if n is None.

        new, old : documents that contain the term, or its occurrences if the metric counts those
        effect, low, high : as in `Scores.table`; above 0 for terms used more
        keep_parts : False to show only the longest of n-grams that occur in nearly the same documents
        significant : whether the score reaches the floor; None if there is no floor
        """
        return self.table_of(self.names[0], n, effect)

    def less(self, n: int | None = 20, **effect: Any) -> Table:
        """The `n` best terms used more in the old corpus than in the new one."""
        return self.table_of(self.names[1], n, effect)

    def table(self, n: int | None = None, **effect: Any) -> Table:
        """Both tables, one below the other, with a column for the corpus that uses the term more."""
        parts = [(name, self.table_of(name, n, effect)) for name in self.names]
        sides = np.concatenate([np.full(len(part), name, dtype=object) for name, part in parts])
        columns = {key: np.concatenate([part[key] for _, part in parts]) for key in parts[0][1].columns}
        return Table({"more_in": sides} | columns)

    def table_of(self, name: Any, n: int | None, effect: Mapping[str, Any]) -> Table:
        """The terms used more in one corpus than in the other, best first."""
        size = len(self.counts.terms) if n is None else n
        found = self.scores.top(name, size, side="for", **effect)
        rest = {key: found[key] for key in COLUMNS if key in found.columns}
        new, old = self.seen(found["term"])
        floor = self.floor(name)
        above = np.full(len(found), None) if floor is None else (found["score"] >= floor).astype(object)
        return Table({"term": found["term"], "new": new, "old": old, **rest, "significant": above})

    def seen(self, terms: Array) -> tuple[Array, Array]:
        """The number of documents in each corpus that contain the terms, or the number of occurrences."""
        place = {term: row for row, term in enumerate(self.counts.terms)}
        sums = self.counts.tf if self.scores.of == "tf" else self.counts.df
        rows = sums[[place[term] for term in terms]].toarray()
        new, old = (rows[:, self.counts.class_index(name)] for name in self.names)
        return new, old

    @property
    def sentences(self) -> list[str]:
        """What was compared, and how many terms are above chance."""
        new, old = map(self.size_of, self.names)
        head = f"{new} against {old}, by {self.scores.metric}."
        return [head, *(self.sentence_of(name) for name in self.names)]

    def size_of(self, name: Any) -> str:
        """A corpus with its size."""
        c = self.counts.class_index(name)
        if self.scores.of == "tf":
            return f"{name} ({self.counts.tf[:, [c]].sum():,} occurrences)"
        return f"{name} ({self.counts.class_sizes[c]:,} documents)"

    def sentence_of(self, name: Any) -> str:
        """How many terms of a corpus are above chance."""
        floor = self.floor(name)
        if floor is None:
            return f"More in {name}; where chance begins is not known of {self.scores.metric}:"
        signs = self.scores.of_class(name).signs[:, 0]
        above = int(np.count_nonzero((signs > 0) & (self.scores.column(name) >= floor)))
        if not above:
            return f"More in {name}: nothing that is more than chance."
        terms = "1 term" if above == 1 else f"{above:,} terms"
        return f"More in {name}: {terms} above chance (score {floor:.4g}, expected false: {self.expected:g}):"

    def to_html(
        self, title: str | None = None, *, texts: Sequence[str] | None = None, labels: Any = None
    ) -> str:
        """An HTML page about the two corpora, like `ts.report`; given texts, it shows words in context."""
        if self.of_words:
            raise InvalidInputError(
                "a page shows documents, and a list of words has none; compare with texts"
            )
        heading = f"{self.names[0]} against {self.names[1]}" if title is None else title
        options = {"texts": texts, "labels": labels, "metric": self.scores.metric, "classes": self.names}
        return report_html(self.counts, title=heading, **options)

    def __repr__(self) -> str:
        head, *sides = self.sentences
        tables = (self.more(10), self.less(10))
        return "\n\n".join([head, *(format_significant_terms(side, table) for side, table in zip(sides, tables, strict=True))])


def format_significant_terms(sentence: str, table: Table) -> str:
    """A sentence with the terms that are more than chance, or of which that is not known, under it."""
    rows = np.array([above is None or above for above in table["significant"]], dtype=bool)
    if not rows.any():
        return sentence
    columns = {name: column[rows] for name, column in table.columns.items() if name != "significant"}
    return f"{sentence}\n{text_table(Table(columns))}"


TERM, COUNT = "term", "count"
LAYOUTS = {".csv": csv_layout, ".tsv": tsv_layout, ".tab": tsv_layout}


def is_word_list(data: Any, text: Any = None, encoding: str = "utf-8") -> bool:
    """Whether the data is a CSV or TSV file of the columns term and count, and without one of texts."""
    if not isinstance(data, str | os.PathLike):
        return False
    name = os.fspath(data)
    if ending(name) not in LAYOUTS or not os.path.isfile(name) or is_pipe(name):
        return False
    wanted = WantedColumns((TERM,), COUNT, encoding=encoding)
    with input_file(FoundFile(name)) as file, told_faults(file, "CSV"):
        known = replace(file, encoding=file_encoding(file, encoding))
        columns = LAYOUTS[ending(name)](known, wanted).columns
    texts = text if isinstance(text, list | tuple) else [text or "text"]
    return {TERM, COUNT} <= {*columns} and not {*texts} & {*columns}


def word_list_counts(path: str | os.PathLike[str], encoding: str = "utf-8") -> Counts:
    """The counts of a list of words in a file."""
    name = os.fspath(path)
    with closing(listed_words(name, encoding)) as rows:
        return counts_of_words(rows, name)


def listed_words(name: str, encoding: str) -> Generator[tuple[str | None, str | None], None, None]:
    """The terms and counts of a file as they stand there."""
    file, wanted = FoundFile(name), WantedColumns((TERM,), COUNT, encoding=encoding)
    for table in file_batches(file, file_format([file]), wanted):
        yield from zip(table.column("text").to_pylist(), table.column("label").to_pylist(), strict=True)


def counts_of_words(rows: Iterable[tuple[Any, Any]], name: str) -> Counts:
    """Counts of terms and how often each occurs; an error that names the first row that cannot be."""
    seen: dict[str, int] = {}
    places: dict[str, int] = {}
    for row, (term, occurrences) in enumerate(rows, 1):
        if not isinstance(term, str) or not term:
            raise InvalidInputError(f"row {row} of {name} has no term; give each count its term")
        if term in places:
            raise InvalidInputError(
                f"row {row} of {name} repeats the term {term!r} of row {places[term]}; add them up"
            )
        places[term], seen[term] = row, whole_count(occurrences, f"row {row} of {name}")
    terms = sorted(term for term, occurrences in seen.items() if occurrences)
    if not terms:
        raise InvalidInputError(f"{name} has no rows with a count above 0, so there are no words")
    tf = exact(np.array([seen[term] for term in terms], dtype=np.float64))
    tf2, df, one = exact(tf.astype(np.float64) ** 2), np.ones(len(terms), dtype=np.int64), np.array([1])
    table = [csr_array(sums[:, None]) for sums in (df, tf, tf2)]
    return Counts(as_terms(terms), ("all",), 1, one, table[0], table[1], table[2], df, tf, tf2)


def whole_count(count: Any, where: str) -> int:
    """The count of a row of a list, if it is a whole number."""
    if count is None or count == "":
        raise InvalidInputError(f"{where} has no count; give each term its count, or leave the row out")
    text = str(count).strip()
    if isinstance(count, bool) or not (text.isascii() and text.isdecimal()):
        raise InvalidInputError(f"{where} has the count {count!r}; a count is a whole number of at least 0")
    # Python reads no number of thousands of digits
    if len(text.lstrip("0")) > len(f"{LARGEST:.0f}") or int(text) > LARGEST:
        raise InvalidInputError(
            f"{where} has the count {text[:20]}, which is above 2**53; counts are at most that"
        )
    return int(text)


KNOWN = 0.5  # the share of a text that a list of words should know


def diff(
    new: Any,
    old: Any,
    *,
    names: Sequence[Any] = ("new", "old"),
    metric: AnyMetric | None = None,
    expected: float = 1,
    min_df: float = 1,
    max_df: float = 1.0,
    analyzer: Any = None,
    **reading: Any,
) -> Difference:
    """Find the terms that one corpus uses more, or less, than another.

    Parameters
    ----------
    new, old : texts without labels; a file of texts (text= names the column; labels are not read); Counts, or
        the file they were saved to; a data frame with text=; or a Corpus. One of the two may be a word list
        with counts: a CSV or TSV file with the columns term and count, or a dict
    names : names of the two corpora for tables and pages
    metric : as for `ts.score`. The default is g2 of documents, or of occurrences with a word list
    expected : number of terms allowed above the floor by chance
    min_df, max_df : leave out terms in fewer, or in more, documents of both corpora together
    analyzer : how a text becomes terms; by default that of the counts, if one of the two is already counted
    reading : as for `ts.count`: text, header, delimiter, encoding, encoding_errors, format, on_missing,
        n_jobs, memory, progress

    >>> words = {"now": 90, "lunch": 10, "win": 1}
    >>> diff(["win a prize now", "win now"], words, metric="log_ratio").more()["term"]
    array(['win', 'prize'], dtype=object)

    """
    first, second = two_names(names)
    strange = next((name for name in reading if name in ("group", "groups", "label", "labels")), None)
    if strange is not None:
        raise UnknownNameError(
            f"no option named {strange!r}: labels and groups are not read, each corpus is a class"
        )
    both = {first: new, second: old}
    lists = {name: words for name, data in both.items() if (words := words_of(data, reading)) is not None}
    if len(lists) == 2:
        raise InvalidInputError("both are lists of words; one of the two must be texts, or counts of texts")
    known = lists | {name: kept for name, data in both.items() if (kept := kept_counts(data)) is not None}
    own = next((analyzer_from(kept.analyzer) for kept in known.values() if kept.analyzer), None)
    own = own if analyzer is None and callable(own) else analyzer
    for name, data in both.items():
        if name not in known:
            known[name] = text_counts(data, own, reading)
    line, options = usual_metric(metric, bool(lists))
    counts = known[first].as_class(first) + known[second].as_class(second)
    if lists:
        warn_of_unknown_words(counts, second if second in lists else first)
    kept = counts.with_df(min_df, max_df)
    if len(counts.terms) and not len(kept.terms):
        raise InvalidInputError(why_no_term(counts.term_df, counts.documents, min_df, max_df))
    scores = score(kept, line, **options)
    if scores.values.ndim == 1:
        raise InvalidInputError(
            f"{line.name} does not say which of the two a term speaks for; take g2, lrc or bns"
        )
    return Difference(scores, (first, second), bool(lists), expected)


def two_names(names: Any) -> tuple[Any, Any]:
    """The names of the two corpora, which differ."""
    both = [as_scalar(name) for name in names] if is_many(names) else []
    if len(both) != 2 or str(both[0]) == str(both[1]):
        raise InvalidInputError(f"names must be two different ones, got {names!r}")
    return both[0], both[1]


def words_of(data: Any, reading: Mapping[str, Any]) -> Counts | None:
    """The counts of a list of words, where the data is one."""
    if isinstance(data, Mapping):
        return counts_of_words(data.items(), "the dict")
    how = {key: reading[key] for key in ("text", "encoding") if key in reading}
    if not is_word_list(data, **how):
        return None
    return word_list_counts(data, reading.get("encoding", "utf-8"))


def kept_counts(data: Any) -> Counts | None:
    """Counts, or those that were saved to a file."""
    if isinstance(data, Counts | GroupedCounts):
        return data if isinstance(data, Counts) else data.counts
    is_path = isinstance(data, str | os.PathLike)
    return Counts.load(data) if is_path and is_counts_file(data) else None


def text_counts(data: Any, analyzer: Any, reading: Mapping[str, Any]) -> Counts:
    """The counts of texts, whatever their labels."""
    if is_spark(data):
        raise InvalidInputError(
            "a Spark DataFrame is counted first: ts.diff(ts.count(new, ...), ts.count(old, ...))"
        )
    labels, how = None, {"analyzer": analyzer, **reading}
    if is_unread(data):
        data, *_ = frame_documents(data, how.pop("text", None), None, None, (), None)
    if names_files(data, None):
        how["label"] = ""
    elif not is_corpus(data):
        data = data if is_frame(data) else as_list(data)
        labels = ["all"] * len(data)
    counted: Counts = count(data, labels, **how)
    return counted


def usual_metric(metric: AnyMetric | None, of_words: bool) -> tuple[Metric, dict[str, Any]]:
    """The metric with its options, each corpus scored apart; one of occurrences where one is a list."""
    if metric is None:
        return metrics().named("g2"), {"of": "tf"} if of_words else {}
    line, options = metric_with_options(metric)
    if of_words and not needs_words_alone(line, options):
        known = ", ".join(
            written_metric(m, {"of": "tf"} if m.of == "df" else {})
            for m in metrics()
            if needs_words_alone(m, {"of": "tf"})
        )
        raise InvalidInputError(
            f"{line.name} reads documents, and a list of words has none; take one of {known}"
        )
    return line, options | ({"per_class": True} if line.summed else {})


def needs_words_alone(line: Metric, options: Mapping[str, Any]) -> bool:
    """Whether a metric asks for occurrences and nothing else."""
    return line.counted(options) == "tf" and (bool(line.of) or line.name == "log_odds_prior")


def warn_of_unknown_words(counts: Counts, words: Any) -> None:
    """Say so where a list of words knows little of a text: its terms may be written otherwise."""
    listed = counts.class_index(words)
    text = counts.tf[:, [1 - listed]].toarray()[:, 0]
    known = text[counts.df[:, [listed]].toarray()[:, 0] > 0].sum()
    if known < KNOWN * text.sum():
        share = known / max(text.sum(), 1)
        warnings.warn(
            f"{words} has the words of {share:.0%} of the text alone; are they written as terms are, "
            f"in lower case?",
            TermsiftWarning,
            stacklevel=3,
        )
