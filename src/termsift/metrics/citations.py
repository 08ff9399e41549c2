"""Where metrics come from, as BibTeX."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from termsift.metrics._catalogue import Metric, metric_from

KEYWORDS = re.compile(r"\n  keywords = \{(.*?)\},")


def bibtex(metric: str | Metric) -> str:
    """The sources of a metric as BibTeX; empty for your own metric.

    metric : a name or alias in the catalogue, or a Metric

    >>> print(bibtex("ndm").splitlines()[0])
    @article{rehman2017,
    """
    source = metric_from(metric).source
    return "\n\n".join(entry for named, entry in entries() if source and named in source)


@cache
def entries() -> tuple[tuple[str, str], ...]:
    """Each work, by the words that name it as a source in the catalogue."""
    text = files("termsift.metrics").joinpath("sources.bib").read_text(encoding="utf-8")
    found = [(KEYWORDS.search(entry), entry.strip()) for entry in text.split("\n\n")]
    return tuple((words[1], KEYWORDS.sub("", entry)) for words, entry in found if words)
