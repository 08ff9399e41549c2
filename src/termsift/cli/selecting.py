"""What `termsift select` chooses: by counts, or by the documents where counts do not say enough."""

from __future__ import annotations

from termsift.cli.data import Reading, at_least, check_engine, counts_of, documents_of
from termsift.errors import InvalidInput
from termsift.methods import Method
from termsift.policies import RedundancyAware
from termsift.selection import Selection


def chosen_terms(
    data: str, reading: Reading, min_df: int, method: Method, for_class: str | None
) -> Selection:
    """The terms that a method chooses of a file, of saved counts, or of a corpus by name."""
    if isinstance(method.policy, RedundancyAware):
        return documents_selection(data, reading, min_df, method, for_class)
    return method.selection(at_least(counts_of(data, reading, min_df), min_df), for_class=for_class)


def documents_selection(
    data: str, reading: Reading, min_df: int, method: Method, for_class: str | None
) -> Selection:
    """The terms that a method chooses which asks what terms occur together; the documents are held."""
    from termsift.compare.reading import compared_documents
    from termsift.redundancy import redundancy_choice

    check_engine(reading)
    if reading.engine == "spark":
        raise InvalidInput(f"{method} reads documents on this machine; leave out --engine spark")
    given = documents_of(data, reading)
    documents = compared_documents(given, min_df=min_df, n_jobs=reading.jobs)
    return redundancy_choice(documents, method, for_class)[0]
