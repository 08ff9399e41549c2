"""A selection as a pipeline of Spark ML, so that a cluster applies what it chose, without termsift."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from termsift.errors import InvalidInput
from termsift.text import Analyzer
from termsift.text.characters import spans
from termsift.text.runs import run_of


def vectorizer(
    terms: Iterable[str], *, analyzer: Analyzer | None = None, text: str = "text", output: str = "features"
) -> Any:
    """A PipelineModel of Spark ML that counts the chosen terms of a column of texts.

    Parameters
    ----------
    terms : the chosen terms, such as `ts.select` gives; term i is entry i of the vectors
    analyzer : the one the terms were counted with: a run of characters, with stop words and n-grams
    text, output : the columns

    The tokens are found by a RegexTokenizer with the very characters Python's pattern has; lower case is
    Java's, which may know another version of Unicode than Python's.

    """
    analyzer = Analyzer() if analyzer is None else analyzer
    chosen = list(terms)
    if not chosen:
        raise InvalidInput("there are no terms to count")
    check_stages(analyzer)
    from pyspark.ml import PipelineModel
    from pyspark.ml.feature import CountVectorizerModel

    stages, last = token_stages(analyzer, text, f"{output}_tokens")
    count = CountVectorizerModel.from_vocabulary(chosen, inputCol=last, outputCol=output)
    return PipelineModel([*stages, count])


def check_stages(analyzer: Any) -> None:
    """An error for an analyzer that stages of Spark ML cannot follow."""
    is_followed = isinstance(analyzer, Analyzer) and analyzer.is_compiled and analyzer.analyzer == "word"
    if not is_followed or analyzer.strip_accents is not None:
        raise InvalidInput(
            f"Spark ML cannot follow {analyzer}: it needs words that are runs of one kind of characters, "
            "without stemmer and with their accents"
        )


def token_stages(analyzer: Analyzer, text: str, output: str) -> tuple[list[Any], str]:
    """The stages from texts to terms, and the column of the last."""
    from pyspark.ml.feature import RegexTokenizer, StopWordsRemover

    stages: list[Any] = [
        RegexTokenizer(
            inputCol=text,
            outputCol=output,
            pattern=java_pattern(analyzer),
            gaps=False,
            toLowercase=analyzer.lowercase,
        )
    ]
    if analyzer.stop_words:
        words = list(analyzer.stop_words)
        kept = f"{output}_kept"
        stages.append(StopWordsRemover(inputCol=output, outputCol=kept, stopWords=words, caseSensitive=True))
        output = kept
    return n_gram_stages(stages, *analyzer.ngram_range, output)


def n_gram_stages(stages: list[Any], low: int, high: int, tokens: str) -> tuple[list[Any], str]:
    """The stages with those that make n-grams, and the column of the last."""
    if (low, high) == (1, 1):
        return stages, tokens
    from pyspark.ml.feature import NGram, SQLTransformer

    columns = {n: tokens if n == 1 else f"{tokens}_{n}" for n in range(low, high + 1)}
    stages += [NGram(n=n, inputCol=tokens, outputCol=name) for n, name in columns.items() if n > 1]
    joined, output = ", ".join(f"`{name}`" for name in columns.values()), f"{tokens}_all"
    stages.append(SQLTransformer(statement=f"SELECT *, CONCAT({joined}) AS `{output}` FROM __THIS__"))
    return stages, output


def java_pattern(analyzer: Analyzer) -> str:
    """The token pattern as Java writes it: the characters one by one, since its classes are not Python's."""
    run = run_of(analyzer.token_pattern)
    if run is None:
        raise AssertionError(f"no run: {analyzer}")
    ranges = "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in spans(run.member))
    return f"[{ranges}]{{{run.least},}}"
