"""Selection as a Spark ML pipeline, which a cluster applies without termsift."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from termsift._internal.errors import InvalidInputError
from termsift.engines.spark.counting import quote_column
from termsift.text import DEFAULT_ANALYZER, Analyzer, find_true_runs, java_word_pattern, parse_run


def vectorizer(
    terms: Iterable[str], *, analyzer: Analyzer | None = None, text: str = "text", output: str = "features"
) -> Any:
    """Build a Spark ML PipelineModel that counts the chosen terms in a text column.

    The patterns for tokens match the same characters as in Python. Lowercase is Java's, which may use a
    different version of Unicode than Python.

    Parameters
    ----------
    terms : iterable of str
        Chosen terms, for example from `ts.select`; term i is entry i of the vectors.
    analyzer : Analyzer, optional
        Analyzer that the terms were counted with, for its words, stop words and n-grams (default: that of
        `ts.count`).
    text : str, default "text"
        Input column.
    output : str, default "features"
        Output column.

    Returns
    -------
    pyspark.ml.PipelineModel

    Raises
    ------
    InvalidInputError
        If there are no terms, or if Spark ML does not support the analyzer.

    Examples
    --------
    >>> vectorizer(['free', 'prize'], text='body').transform(frame)  # doctest: +SKIP

    """
    analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
    chosen = list(terms)
    if not chosen:
        raise InvalidInputError("terms is empty; pass at least one term")
    is_plain = isinstance(analyzer, Analyzer) and analyzer.analyzer == "word" and not analyzer.html
    changes = ("stemmer", "segmenter", "normalize", "strip_accents")
    if (
        not is_plain
        or any(getattr(analyzer, name) is not None for name in changes)
        or (analyzer.words == "sklearn" and parse_run(analyzer.token_pattern) is None)
    ):
        raise InvalidInputError(
            f"Spark ML does not support {analyzer}: its words must come from a words= mode or from a "
            "token_pattern that is a run of one character class, without stemmer, segmenter, html, normalize "
            "and strip_accents"
        )
    from pyspark.ml import PipelineModel
    from pyspark.ml.feature import CountVectorizerModel

    stages, last = build_token_stages(analyzer, text, f"{output}_tokens")
    count = CountVectorizerModel.from_vocabulary(chosen, inputCol=last, outputCol=output)
    return PipelineModel([*stages, count])


def build_token_stages(analyzer: Analyzer, text: str, output: str) -> tuple[list[Any], str]:
    """Return the stages from texts to terms, and the last output column."""
    from pyspark.ml.feature import StopWordsRemover

    words = build_run_stage if analyzer.words == "sklearn" else build_word_stage
    stages: list[Any] = [words(analyzer, text, output)]
    if analyzer.stop_words:
        remover = StopWordsRemover(inputCol=output, outputCol=f"{output}_kept", caseSensitive=True)
        stages.append(remover.setStopWords(list(analyzer.stop_words)))
        output += "_kept"
    return add_ngram_stages(stages, *analyzer.ngram_range, output)


def build_run_stage(analyzer: Analyzer, text: str, output: str) -> Any:
    """Return the stage that matches runs of one character class."""
    from pyspark.ml.feature import RegexTokenizer

    run = parse_run(analyzer.token_pattern)
    assert run is not None
    # explicit ranges, because the character classes of Java differ
    ranges = "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in find_true_runs(run.member))
    pattern = f"[{ranges}]{{{max(run.min_length, analyzer.min_length)},}}"
    tokenizer = RegexTokenizer(inputCol=text, outputCol=output, pattern=pattern, gaps=False)
    return tokenizer.setToLowercase(analyzer.lowercase)


def build_word_stage(analyzer: Analyzer, text: str, output: str) -> Any:
    """Return the stage that matches words of every script by a capturing group, unlike RegexTokenizer."""
    from pyspark.ml.feature import SQLTransformer

    pattern = java_word_pattern(analyzer.words, bool(analyzer.hashtags))
    given = f"LOWER({quote_column(text)})" if analyzer.lowercase else quote_column(text)
    found = f"REGEXP_EXTRACT_ALL({given}, r'{pattern}', 1)"
    kept = f"FILTER({found}, word -> LENGTH(word) >= {int(analyzer.min_length)})"
    return SQLTransformer(statement=f"SELECT *, {kept} AS {quote_column(output)} FROM __THIS__")


def add_ngram_stages(stages: list[Any], low: int, high: int, tokens: str) -> tuple[list[Any], str]:
    """Return the stages with those for n-grams, and the last output column."""
    if (low, high) == (1, 1):
        return stages, tokens
    from pyspark.ml.feature import NGram, SQLTransformer

    columns = {n: tokens if n == 1 else f"{tokens}_{n}" for n in range(low, high + 1)}
    stages += [NGram(n=n, inputCol=tokens, outputCol=name) for n, name in columns.items() if n > 1]
    joined, output = ", ".join(f"`{name}`" for name in columns.values()), f"{tokens}_all"
    stages.append(SQLTransformer(statement=f"SELECT *, CONCAT({joined}) AS `{output}` FROM __THIS__"))
    return stages, output
