"""Functions of texts on Spark: Arrow batches of documents become a column of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import check_kept_columns
from termsift.engines.spark.counting import check_columns_exist, quote_column, text_column_sql
from termsift.engines.spark.partition import exempt_modules_from_gc
from termsift.engines.spark.sessions import ignore_pandas_warning, translate_spark_errors

TEXT = "termsift text"


@dataclass(frozen=True, slots=True)
class TextMapper:
    """Function from Arrow batches, whose last column are the texts, to batches with the results instead.

    function : from texts to a result for each; a missing text has a missing result
    """

    function: Callable[[list[str]], list[Any]]
    name: str
    kind: Any

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield a batch for each batch."""
        exempt_modules_from_gc()
        for batch in batches:
            *kept, texts = batch.columns
            *names, _ = batch.schema.names
            values = texts.to_pylist()
            results = iter(self.function([text for text in values if text is not None]))
            column = pa.array([None if text is None else next(results) for text in values], self.kind)
            yield pa.RecordBatch.from_arrays([*kept, column], [*names, self.name])


def map_texts(
    frame: Any,
    text: Any,
    keep: Iterable[str],
    function: Callable[[list[str]], list[Any]],
    name: str,
    *,
    has_lists: bool,
) -> Any:
    """Return a DataFrame of some columns, and of the results of a function of the texts.

    Parameters
    ----------
    frame : Spark DataFrame, classic or Connect
    text : column of texts, or several that are joined
    keep : columns to copy
    function : from texts to strings, or to lists of strings; it is sent to the workers
    name : column of the results
    has_lists : whether results are lists

    """
    from pyspark.sql.types import ArrayType, StringType, StructField, StructType

    if not hasattr(frame, "mapInArrow"):
        raise InvalidInputError(f"expected a Spark DataFrame, got {type(frame).__name__}")
    keep = check_kept_columns(keep, (name,))
    with translate_spark_errors():
        texts = list(text) if isinstance(text, list | tuple) else [text]
        types = check_columns_exist(frame, [*texts, *keep])
        expression = f"{text_column_sql(texts, types)} AS {quote_column(TEXT)}"
        joined = frame.selectExpr(*map(quote_column, keep), expression)
        fields = joined.schema.fields[:-1]
        kind = ArrayType(StringType()) if has_lists else StringType()
        mapper = TextMapper(function, name, pa.list_(pa.string()) if has_lists else pa.string())
        with ignore_pandas_warning():
            return joined.mapInArrow(mapper, StructType([*fields, StructField(name, kind)]))
