"""What `termsift select` chooses: by counts, or by the documents where counts do not say enough."""

from __future__ import annotations

from collections.abc import Sequence

import termsift as ts
from termsift.cli.data import Reading, check_engine, counts_of, documents_of, set_against, within_limits
from termsift.cli.options.auto_stop_words import chosen_analyzer
from termsift.errors import InvalidInput
from termsift.methods import Method
from termsift.policies import RedundancyAware
from termsift.selection import Selection


def chosen_terms(
    data: Sequence[str], reading: Reading, method: Method, class_: list[str], against: list[str]
) -> Selection:
    """The terms that a method chooses of a file, of saved counts, or of a corpus by name."""
    if len(class_) > 1 and not against:
        raise InvalidInput(f"terms are chosen for one class, got {len(class_)}; set them --against others")
    if isinstance(method.policy, RedundancyAware):
        if against:
            raise InvalidInput(f"{method} reads documents, and tells a class from all others; no --against")
        return documents_selection(data, reading, method, class_[0] if class_ else None)
    counts, names = set_against(counts_of(data, reading), class_, against)
    return method.selection(within_limits(counts, reading.terms), for_class=names[0] if names else None)


def documents_selection(
    data: Sequence[str], reading: Reading, method: Method, for_class: str | None
) -> Selection:
    """The terms that a method chooses which asks what terms occur together; the documents are held."""
    from termsift.compare.reading import compared_documents
    from termsift.redundancy import redundancy_choice

    check_engine(reading)
    if reading.engine == "spark":
        raise InvalidInput(f"{method} reads documents on this machine; leave out --engine spark")
    given = documents_of(data, reading)
    options = reading.terms
    analyzer = chosen_analyzer(options, lambda own: ts.count(given.data, given.labels, analyzer=own))
    limits = {"min_df": options.min_df, "max_df": options.max_df}
    documents = compared_documents(given, analyzer=analyzer, **limits, n_jobs=reading.jobs)
    return redundancy_choice(documents, method, for_class)[0]
