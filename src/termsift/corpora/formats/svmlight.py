"""Files of svmlight and libsvm, by scikit-learn's reader."""

from __future__ import annotations

import os
import zlib
from typing import Any

from termsift.corpora.corpus import Corpus, by_rows
from termsift.corpora.files import checksum
from termsift.errors import UnreadableFile
from termsift.output import existing


def read_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
) -> Corpus:
    """The matrix with its labels, which are numbers, or lists of them where `multilabel` says so.

    n_features : columns, where the file does not show the last ones
    zero_based : whether columns are counted from 0; "auto" looks for a column 0
    """
    from sklearn.datasets import load_svmlight_file

    source = existing(path)
    try:
        X, y = load_svmlight_file(
            str(source), n_features=n_features, multilabel=multilabel, zero_based=zero_based
        )
    except (ValueError, EOFError, OSError, zlib.error) as error:
        reason = " ".join(str(error).split())
        raise UnreadableFile(f"{source} cannot be read as svmlight: {reason}") from error
    labels = [[whole_label(one) for one in many] if multilabel else whole_label(many) for many in y]
    return Corpus(source.name, labels, str(source), matrix=by_rows(X), checksum=checksum(source))


def whole_label(label: Any) -> int | float:
    """A label as an integer where it is one."""
    return int(label) if float(label).is_integer() else float(label)
