"""Files of svmlight and libsvm, by scikit-learn's reader."""

from __future__ import annotations

import io
import math
import os
import zlib
from pathlib import Path
from typing import Any

from termsift.border.archives import OPENERS, unpacked
from termsift.corpora.corpus import Corpus, by_rows, each
from termsift.corpora.files import checksum
from termsift.errors import UnreadableFile
from termsift.output import existing

# columns of a file that is small: a hashing vectorizer may have many more of them than a file has words
COLUMNS = 1 << 22


def read_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
) -> Corpus:
    r"""Read an svmlight file: a matrix and its labels, which are numbers, or lists of them if `multilabel`.

    n_features : number of columns, if the last ones do not occur in the file
    zero_based : whether columns are numbered from 0; "auto" looks for a column 0
    path : the file
    multilabel : whether a row may have several labels

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "mail.svm").write_text("1 1:2\n0 2:1\n")
    ...     read_svmlight(Path(folder) / "mail.svm").labels
    [1, 0]
    """
    from sklearn.datasets import load_svmlight_file

    source = existing(path)
    file = io.BytesIO(unpacked(source, "")) if source.suffix in OPENERS else str(source)
    try:
        X, y = load_svmlight_file(file, n_features=n_features, multilabel=multilabel, zero_based=zero_based)
    except (ValueError, EOFError, OSError, OverflowError, zlib.error) as error:
        raise UnreadableFile(f"{source} cannot be read as svmlight: {error}") from error
    if n_features is None:
        check_columns(X.shape[1], source)
    labels = [[whole_label(one) for one in many] if multilabel else whole_label(many) for many in y]
    if not all(math.isfinite(one) for labels_of_one in labels for one in each(labels_of_one)):
        raise UnreadableFile(f"{source} has a label that is infinite, or no number")
    return Corpus(source.name, labels, str(source), matrix=by_rows(X, source), checksum=checksum(source))


def check_columns(columns: int, source: Path) -> None:
    """An error for more columns than a file can fill: one damaged index would take all memory."""
    most = max(COLUMNS, source.stat().st_size)
    if columns > most:
        raise UnreadableFile(
            f"{source} has an index of {columns:,}, more than a file of its size can fill; "
            f"if it is right, give n_features"
        )


def whole_label(label: Any) -> int | float:
    """A label as an integer where it is one."""
    return int(label) if float(label).is_integer() else float(label)
