"""diff: two corpora in any form, each a class of the same counts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from termsift.border.class_names import as_scalar, is_many
from termsift.border.df_limits import why_no_term
from termsift.counting import count
from termsift.counts import Counts, is_counts_file
from termsift.differences.difference import Difference
from termsift.engines.files.word_lists import counts_of_words, is_word_list, word_list_counts
from termsift.engines.memory.frames import frame_documents, is_unread
from termsift.errors import InvalidInput, TermsiftWarning, UnknownName
from termsift.groups import GroupedCounts
from termsift.inputs import is_corpus, is_spark, names_files
from termsift.labels import as_list, is_frame
from termsift.metrics import AnyMetric, Metric, metrics
from termsift.scoring import metric_with_options, score, written_metric
from termsift.selection import analyzer_from

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
        raise UnknownName(
            f"no option named {strange!r}: labels and groups are not read, each corpus is a class"
        )
    both = {first: new, second: old}
    lists = {name: words for name, data in both.items() if (words := words_of(data, reading)) is not None}
    if len(lists) == 2:
        raise InvalidInput("both are lists of words; one of the two must be texts, or counts of texts")
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
        raise InvalidInput(why_no_term(counts.term_df, counts.documents, min_df, max_df))
    scores = score(kept, line, **options)
    if scores.values.ndim == 1:
        raise InvalidInput(
            f"{line.name} does not say which of the two a term speaks for; take g2, lrc or bns"
        )
    return Difference(scores, (first, second), bool(lists), expected)


def two_names(names: Any) -> tuple[Any, Any]:
    """The names of the two corpora, which differ."""
    both = [as_scalar(name) for name in names] if is_many(names) else []
    if len(both) != 2 or str(both[0]) == str(both[1]):
        raise InvalidInput(f"names must be two different ones, got {names!r}")
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
        raise InvalidInput(
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
        raise InvalidInput(f"{line.name} reads documents, and a list of words has none; take one of {known}")
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
