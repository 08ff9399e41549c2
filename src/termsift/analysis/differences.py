"""Keyness: terms that are over- or under-represented in a target corpus against a reference."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import termsift.engines.files as files
from termsift._internal.errors import InvalidInputError, TermsiftWarning, UnknownNameError
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import MAX_EXACT, Array, as_term_array, to_exact_dtype
from termsift.counts import (
    Counts,
    as_counts,
    as_list,
    as_scalar,
    explain_empty_vocabulary,
    is_collection,
    is_frame,
    to_narwhals,
)
from termsift.engines import (
    count,
    is_corpus,
    is_path_input,
    is_spark,
    is_unloaded_frame,
    load_frame_documents,
)
from termsift.metrics import EXPECTED, AnyMetric, Metric, Scores, format_metric, metrics, parse_metric, score
from termsift.report import report_html
from termsift.text import parse_analyzer

STATISTICS = ("score", "effect", "low", "high", "p", "q")
TERM, COUNT = "term", "count"  # columns of a word list
LAYOUTS = {".csv": files.detect_csv_layout, ".tsv": files.detect_tsv_layout, ".tab": files.detect_tsv_layout}
MIN_COVERAGE = 0.5  # share of the occurrences in a text that a word list should cover


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference:
    """Terms that are over- or under-represented in a target corpus against a reference.

    Attributes
    ----------
    scores : Scores
        The scores of the metric, with each corpus as a class: (terms, 2).
    names : tuple
        Names of the target and of the reference.
    has_word_list : bool
        Whether one of them is a word list, which has occurrences but no documents.
    expected : float
        Expected number of false positives among the significant terms.

    Examples
    --------
    >>> from termsift import diff
    >>> target, reference = ["win a prize now", "win now"] * 3, ["see you at lunch", "lunch now"] * 3
    >>> diff(target, reference).more().head(1)["term"]
    array(['win'], dtype=object)

    """

    scores: Scores
    names: tuple[Any, Any]
    has_word_list: bool = False
    expected: float = EXPECTED

    @property
    def counts(self) -> Counts:
        """Counts of both corpora, each a class."""
        return self.scores.counts

    def alpha(self) -> float | None:
        """Return the significance threshold: terms with p <= alpha are significant, in either direction.

        Returns
        -------
        float or None
            As `Scores.alpha`; None if it is unknown, as for word lists.

        """
        return None if self.has_word_list else self.scores.alpha(self.expected, self.names[0])

    def more(self, n: int | None = 20, *, keep_insignificant: bool = False, **effect: Any) -> Table:
        """Return the `n` best significant terms over-represented in the target.

        Parameters
        ----------
        n : int or None, default 20
            Maximum number of terms; None means all.
        keep_insignificant : bool, default False
            True to list terms that are not significant too. All are listed if significance is unknown.
        **effect
            Options of `Scores.top`: effect, level, adjust, and keep_nested=False to show only the longest of
            n-grams that occur in nearly the same documents.

        Returns
        -------
        Table
            target, reference : documents with the term, or its occurrences if the metric counts those.
            target_per_million, reference_per_million : rates, if the metric counts occurrences.
            target_share, reference_share : shares of the documents with the term, except for word lists.
            effect, low, high : as in `Scores.table`; positive for over-represented terms.
            significant : whether p <= alpha; None if that is unknown.

        Examples
        --------
        >>> from termsift import diff
        >>> target, reference = ["win a prize now", "win now"] * 3, ["see you at lunch", "lunch now"] * 3
        >>> diff(target, reference).more(1)["target_share"]
        array([1.])

        """
        return self._direction_table(self.names[0], n, effect, keep_insignificant)

    def less(self, n: int | None = 20, *, keep_insignificant: bool = False, **effect: Any) -> Table:
        """Return the `n` best significant terms over-represented in the reference.

        Parameters
        ----------
        n : int or None, default 20
            Maximum number of terms; None means all.
        keep_insignificant : bool, default False
            True to list terms that are not significant too.
        **effect
            Options of `Scores.top`, as in `more`.

        Returns
        -------
        Table
            Columns as in `more`.

        """
        return self._direction_table(self.names[1], n, effect, keep_insignificant)

    def table(self, n: int | None = None, *, keep_insignificant: bool = False, **effect: Any) -> Table:
        """Return the tables of `more` and `less`, one below the other.

        Parameters
        ----------
        n : int, optional
            Maximum number of terms in each direction; all by default.
        keep_insignificant : bool, default False
            True to list terms that are not significant too.
        **effect
            Options of `Scores.top`, as in `more`.

        Returns
        -------
        Table
            Columns as in `more`, after more_in: the corpus in which the term is over-represented.

        """
        tables = [self._direction_table(name, n, effect, keep_insignificant) for name in self.names]
        corpus = [
            np.full(len(table), name, dtype=object) for name, table in zip(self.names, tables, strict=True)
        ]
        columns = {key: np.concatenate([table[key] for table in tables]) for key in tables[0].columns}
        return Table({"more_in": np.concatenate(corpus)} | columns)

    def count_significant(self, name: Any) -> int | None:
        """Return how many terms are significantly over-represented in a corpus; None if that is unknown."""
        significant = None if self.alpha() is None else self.scores.significant(self.expected, name)
        if significant is None:
            return None
        return int(np.count_nonzero(significant & (self.scores.of_class(name).signs[:, 0] > 0)))

    def count_omitted_insignificant(self, corpus_name: Any, table: Table) -> int:
        """Return how many terms that are not significant score higher than the last one of a table."""
        significant = None if self.has_word_list else self.scores.significant(self.expected, corpus_name)
        if significant is None or not len(table) or not all(table["significant"]):
            return 0
        is_omitted = ~significant & (self.scores.of_class(corpus_name).signs[:, 0] > 0)
        return int(np.count_nonzero(self.scores.column(corpus_name)[is_omitted] > table["score"].min()))

    def _direction_table(
        self, corpus_name: Any, n: int | None, effect: Mapping[str, Any], keep_insignificant: bool
    ) -> Table:
        """Return the terms over-represented in one corpus, best first."""
        size = len(self.counts.terms) if n is None else n
        alpha = self.alpha()
        expected = None if keep_insignificant or alpha is None else self.expected
        top = self.scores.top(corpus_name, size, direction="positive", expected=expected, **effect)
        row_by_term = {term: row for row, term in enumerate(self.counts.terms)}
        rows = [row_by_term[term] for term in top["term"]]
        of_occurrences = self.scores.of == "tf"
        tables = [("per_million", 1e6, self.counts.tf, self.counts.tf.sum(axis=0))] if of_occurrences else []
        # a word list has no documents
        if not self.has_word_list:
            tables.append(("share", 1.0, self.counts.df, self.counts.class_sizes))
        columns, rates = {"term": top["term"]}, {}
        for rate, scale, sums, totals in tables:
            frequencies = sums[rows].toarray()
            for role, corpus in zip(("target", "reference"), self.names, strict=True):
                c = self.counts.class_index(corpus)
                columns.setdefault(role, frequencies[:, c])
                rates[f"{role}_{rate}"] = scale * frequencies[:, c] / max(totals[c], 1)
        statistics = {key: top[key] for key in STATISTICS if key in top.columns}
        if self.has_word_list:
            statistics = {key: values for key, values in statistics.items() if key not in ("p", "q")}
        significant = np.full(len(top), None) if alpha is None else (top["p"] <= alpha).astype(object)
        return Table(columns | rates | statistics | {"significant": significant})

    @property
    def sentences(self) -> list[str]:
        """Description of the comparison, and the number of significant terms in each direction."""
        sizes = []
        for name in self.names:
            c = self.counts.class_index(name)
            if self.scores.of == "tf":
                sizes.append(f"{name} ({self.counts.tf[:, [c]].sum():,} occurrences)")
            else:
                sizes.append(f"{name} ({self.counts.class_sizes[c]:,} documents)")
        heading = f"{sizes[0]} against {sizes[1]}, ranked by {self.scores.metric}."
        return [heading, *(self._describe_direction(name) for name in self.names)]

    def _describe_direction(self, corpus_name: Any) -> str:
        """Return a sentence with the number of significant terms over-represented in one corpus."""
        alpha, n_terms = self.alpha(), self.count_significant(corpus_name)
        if alpha is None or n_terms is None:
            reason = "a word list has no documents" if self.has_word_list else "the documents are weighted"
            return f"More frequent in {corpus_name} (significance is unknown: {reason}):"
        if not n_terms:
            return f"No term is significantly more frequent in {corpus_name}."
        terms = "1 term is" if n_terms == 1 else f"{n_terms:,} terms are"
        return (
            f"{terms} significantly more frequent in {corpus_name} "
            f"(exact test of documents: p at most {alpha:.2g}, expected false positives: {self.expected:g}):"
        )

    def to_html(
        self, title: str | None = None, *, texts: Sequence[str] | None = None, labels: Any = None
    ) -> str:
        """Return an HTML page about the two corpora, like `ts.report`.

        Parameters
        ----------
        title : str, optional
            Heading of the page; by default the names of the corpora.
        texts : sequence of str, optional
            Texts of both corpora, for words in context.
        labels : array-like, optional
            Name of the corpus of each text.

        Returns
        -------
        str
            The page.

        Raises
        ------
        InvalidInputError
            If one of the corpora is a word list, which has no documents.

        """
        if self.has_word_list:
            raise InvalidInputError("a report needs documents, but a word list has none; compare with texts")
        heading = f"{self.names[0]} against {self.names[1]}" if title is None else title
        options = {"texts": texts, "labels": labels, "metric": self.scores.metric, "classes": self.names}
        return report_html(self.counts, title=heading, **options)

    def __repr__(self) -> str:
        heading, more, less = self.sentences
        tables = format_significant_terms(more, self.more(10)), format_significant_terms(less, self.less(10))
        return "\n\n".join([heading, *tables])


def format_significant_terms(sentence: str, table: Table) -> str:
    """Return a sentence followed by a table of terms, if there are any."""
    if not len(table):
        return sentence
    is_known = not all(value is None or value for value in table["significant"])
    columns: dict[str, Array] = {}
    for name, column in table.columns.items():
        if name.endswith("_share"):
            columns[name.replace("_share", " %")] = np.array([float(f"{100 * x:.3g}") for x in column])
        elif name != "significant":
            columns[name.replace("_", " ")] = column
        elif is_known:
            columns[name] = np.where(column.astype(bool), "yes", "no").astype(object)
    return f"{sentence}\n{format_table(Table(columns))}"


def diff(
    target: Any,
    reference: Any,
    *,
    names: Sequence[Any] = ("target", "reference"),
    metric: AnyMetric | None = None,
    expected: float = EXPECTED,
    min_df: float = 1,
    max_df: float = 1.0,
    analyzer: Any = None,
    **reading: Any,
) -> Difference:
    """Find the terms that are over- or under-represented in a target corpus against a reference.

    Parameters
    ----------
    target, reference : texts, path, Counts, data frame, Corpus or word list
        Texts without labels; a file of texts (text= names the column; labels are not read); Counts, or the
        file they were saved to; a data frame with text=; or a Corpus. One of the two may be a word list with
        counts: a CSV or TSV file with the columns term and count, or a dict.
    names : sequence of two names, default ("target", "reference")
        Names of the two corpora for tables and pages.
    metric : str, Metric or function of Cells, optional
        As for `ts.score`. The default is g2 of documents, or of occurrences with a word list.
    expected : float, default 1
        Expected number of false positives among the significant terms.
    min_df, max_df : int or float, default 1 and 1.0
        Omit terms in fewer, or in more, documents of both corpora together.
    analyzer : Analyzer or function, optional
        How a text becomes terms; by default that of the counts, if one of the two is already counted.
    **reading
        As for `ts.count`: text, header, delimiter, encoding, encoding_errors, format, on_missing, n_jobs,
        memory, progress.

    Returns
    -------
    Difference
        Over- and under-represented terms as tables, sentences and a page.

    Raises
    ------
    InvalidInputError
        If both corpora are word lists, the metric does not suit them, or no term is within the limits.
    UnknownNameError
        If a metric or option does not exist.
    UnreadableFileError
        If a file cannot be read.

    Warns
    -----
    TermsiftWarning
        If a word list covers less than half of the text.

    Examples
    --------
    >>> words = {"now": 90, "lunch": 10, "win": 1}
    >>> diff(["win a prize now", "win now"], words, metric="log_ratio").more()["term"]
    array(['win', 'prize'], dtype=object)

    """
    target_name, reference_name = check_corpus_names(names)
    unsupported = next((name for name in reading if name in ("group", "groups", "label", "labels")), None)
    if unsupported is not None:
        raise UnknownNameError(
            f"no option named {unsupported!r}: diff ignores labels and groups; each corpus is one class"
        )
    corpora = {target_name: target, reference_name: reference}
    counts: dict[Any, Counts] = {}
    word_lists = []
    for name, data in corpora.items():
        if (list_counts := load_word_list(data, reading)) is not None:
            counts[name] = list_counts
            word_lists.append(name)
        elif isinstance(known := as_counts(data), Counts):
            counts[name] = known
    if len(word_lists) == 2:
        raise InvalidInputError("both corpora are word lists; at least one must be texts or counts of texts")
    if analyzer is None:
        analyzer = find_saved_analyzer(counts.values())
    for name, data in corpora.items():
        if name not in counts:
            counts[name] = count_texts(data, analyzer, reading)
    keyness_metric, options = parse_keyness_metric(metric, bool(word_lists))
    both_counts = counts[target_name].as_class(target_name) + counts[reference_name].as_class(reference_name)
    if word_lists:
        warn_of_low_coverage(both_counts, word_lists[0])
    selected = both_counts.with_df(min_df, max_df)
    if len(both_counts.terms) and not len(selected.terms):
        reason = explain_empty_vocabulary(both_counts.term_df, both_counts.documents, min_df, max_df)
        raise InvalidInputError(reason)
    scores = score(selected, keyness_metric, **options)
    if scores.values.ndim == 1:
        raise InvalidInputError(
            f"{keyness_metric.name} does not score the two corpora separately; use g2, lrc or bns"
        )
    return Difference(scores, (target_name, reference_name), bool(word_lists), expected)


def check_corpus_names(names: Sequence[Any]) -> tuple[Any, Any]:
    """Return the names of the target and the reference."""
    names_list = [as_scalar(name) for name in names] if is_collection(names) else []
    if len(names_list) != 2 or str(names_list[0]) == str(names_list[1]):
        raise InvalidInputError(f"names must be two different names, got {names!r}")
    return names_list[0], names_list[1]


def find_saved_analyzer(corpora: Iterable[Any]) -> Any:
    """Return the analyzer of the first corpus that is counted, so that texts are tokenized like it."""
    names = (data.analyzer for data in corpora if isinstance(data, Counts) and data.analyzer)
    analyzer = next(map(parse_analyzer, names), None)
    return analyzer if callable(analyzer) else None


def count_texts(data: Any, analyzer: Any, reading: Mapping[str, Any]) -> Counts:
    """Count texts, ignoring their labels."""
    if is_spark(data):
        raise InvalidInputError(
            "count a Spark DataFrame first: ts.diff(ts.count(target, ...), ts.count(reference, ...))"
        )
    labels, options = None, {"analyzer": analyzer, **reading}
    # a frame that is not in memory has no length
    if is_unloaded_frame(data):
        data, *_ = load_frame_documents(data, options.pop("text", None), None, None, (), None)
    if is_path_input(data, None):
        options["label"] = ""
    elif not is_corpus(data):
        kind = to_narwhals(data).schema.get("text") if is_frame(data) else None
        # without a column of texts, a data frame holds counts
        if kind is not None and not kind.is_numeric():
            options.setdefault("text", "text")
        data = data if is_frame(data) else as_list(data)
        labels = ["all"] * len(data)
    counts: Counts = count(data, labels, **options)
    return counts


def parse_keyness_metric(metric: AnyMetric | None, has_word_list: bool) -> tuple[Metric, dict[str, Any]]:
    """Return the metric and its options, which score each corpus separately and fit a word list, if any."""
    if metric is None:
        return metrics()["g2"], {"of": "tf"} if has_word_list else {}
    parsed, options = parse_metric(metric)
    if has_word_list and not needs_only_occurrences(parsed, options):
        choices = ", ".join(
            format_metric(choice, {"of": "tf"} if choice.of == "df" else {})
            for choice in metrics()
            if needs_only_occurrences(choice, {"of": "tf"})
        )
        raise InvalidInputError(
            f"{parsed.name} needs documents, but a word list has none; use one of {choices}"
        )
    return parsed, options | ({"per_class": True} if parsed.summed else {})


def needs_only_occurrences(metric: Metric, options: Mapping[str, Any]) -> bool:
    """Return whether a metric needs occurrences and no documents."""
    return metric.count_type(options) == "tf" and (bool(metric.of) or metric.name == "log_odds_prior")


def warn_of_low_coverage(counts: Counts, word_list_name: Any) -> None:
    """Warn if a word list covers less than half of the text."""
    list_column = counts.class_index(word_list_name)
    occurrences = counts.tf[:, [1 - list_column]].toarray()[:, 0]
    covered = occurrences[counts.df[:, [list_column]].toarray()[:, 0] > 0].sum()
    if covered < MIN_COVERAGE * occurrences.sum():
        share = covered / max(occurrences.sum(), 1)
        warnings.warn(
            f"the word list {word_list_name} covers only {share:.0%} of the text; "
            "write its words like the terms, e.g. in lowercase",
            TermsiftWarning,
            stacklevel=3,
        )


def load_word_list(data: Any, reading: Mapping[str, Any]) -> Counts | None:
    """Return the counts of a word list, given as a dict or a file; None for other data."""
    if isinstance(data, Mapping):
        return build_word_list_counts(data.items(), "the dict")
    text, encoding = reading.get("text"), reading.get("encoding", "utf-8")
    return read_word_list_file(data, encoding) if is_word_list_file(data, text, encoding) else None


def is_word_list_file(data: Any, text: Any = None, encoding: str = "utf-8") -> bool:
    """Return whether the data is a CSV or TSV file with columns term and count and without a text column."""
    if not isinstance(data, str | os.PathLike):
        return False
    name = os.fspath(data)
    if files.format_extension(name) not in LAYOUTS or not os.path.isfile(name) or files.is_pipe(name):
        return False
    spec = files.ColumnSpec((TERM,), COUNT, encoding=encoding)
    with files.open_input_file(files.SourceFile(name)) as file, files.wrap_read_errors(file, "CSV"):
        decoded = replace(file, encoding=files.detect_encoding(file, encoding))
        columns = LAYOUTS[files.format_extension(name)](decoded, spec).columns
    text_columns = text if isinstance(text, list | tuple) else [text or "text"]
    return {TERM, COUNT} <= {*columns} and not {*text_columns} & {*columns}


def read_word_list_file(path: str | os.PathLike[str], encoding: str = "utf-8") -> Counts:
    """Return the counts of a word list in a file."""
    name = os.fspath(path)
    # closed explicitly, so that the file is closed if a row is invalid
    with closing(iter_word_list(name, encoding)) as rows:
        return build_word_list_counts(rows, name)


def iter_word_list(name: str, encoding: str) -> Generator[tuple[Any, Any], None, None]:
    """Yield the terms and counts in a file."""
    file, spec = files.SourceFile(name), files.ColumnSpec((TERM,), COUNT, encoding=encoding)
    for table in files.iter_file_batches(file, files.infer_common_format([file]), spec):
        yield from zip(table.column("text").to_pylist(), table.column("label").to_pylist(), strict=True)


def build_word_list_counts(term_counts: Iterable[tuple[Any, Any]], name: str) -> Counts:
    """Return the counts of terms with their occurrences; `name` is the source in messages."""
    occurrences_by_term: dict[str, int] = {}
    row_by_term: dict[str, int] = {}
    for row, (term, occurrences) in enumerate(term_counts, 1):
        if not isinstance(term, str) or not term:
            raise InvalidInputError(f"row {row} of {name} has no term; add a term or remove the row")
        if term in row_by_term:
            raise InvalidInputError(
                f"row {row} of {name} repeats the term {term!r} of row {row_by_term[term]}; merge these rows"
            )
        row_by_term[term] = row
        occurrences_by_term[term] = parse_count(occurrences, f"row {row} of {name}")
    terms = sorted(term for term, occurrences in occurrences_by_term.items() if occurrences)
    if not terms:
        raise InvalidInputError(f"{name} has no words with a count above 0")
    tf = to_exact_dtype(np.array([occurrences_by_term[term] for term in terms], dtype=np.float64))
    tf2, df = to_exact_dtype(tf.astype(np.float64) ** 2), np.ones(len(terms), dtype=np.int64)
    # a word list counts as one document
    by_class = [csr_array(sums[:, None]) for sums in (df, tf, tf2)]
    sums = by_class[0], by_class[1], by_class[2], df, tf, tf2
    return Counts(as_term_array(terms), ("all",), 1, np.array([1]), *sums)


def parse_count(value: Any, source: str) -> int:
    """Return a count of a word list as an integer; `source` is its row in messages."""
    if value is None or value == "":
        raise InvalidInputError(f"{source} has no count; add a count or remove the row")
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()):
        raise InvalidInputError(f"{source} has the count {value!r}; counts are whole numbers of at least 0")
    # int() rejects numbers with thousands of digits
    if len(text.lstrip("0")) > len(f"{MAX_EXACT:.0f}") or int(text) > MAX_EXACT:
        raise InvalidInputError(f"{source} has the count {text[:20]}, above the maximum of 2**53")
    return int(text)
