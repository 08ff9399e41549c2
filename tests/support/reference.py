"""Every metric once more: plain, slow, and from the documents themselves.

Written from the formula sheet, the papers and the libraries that already hold a formula, never from
termsift's own code. A document is {term: count}, with its zeros; its labels are a set of classes.

A reference of a class is f(documents, labels, term, klass, **options); that of a term alone has no klass.

The formulas of the 2x2 table are in `reference_cells`, the others in `reference_documents`.
"""

import math
from collections.abc import Callable, Hashable

from reference_cells import OF_CELLS, chi2, chi2_member, dfs, g2, gini, ig, ig_member
from reference_documents import (
    OF_DOCUMENTS,
    Documents,
    Labels,
    chi2_all,
    classes,
    containing,
    df,
    ig_all,
    igm,
    length,
    md,
    md_chi2,
    members,
    occurrences,
    others,
)
from reference_effects import bic, log_ratio, lrc, percent_diff, rate_difference, simple_maths

Reference = Callable[..., float]


def cells(documents: Documents, labels: Labels, term: str, klass: Hashable) -> tuple[int, int, int, int]:
    """A, B, C, D of the sheet."""
    inside, outside = members(documents, labels, klass), others(documents, labels, klass)
    a, b = containing(inside, term), containing(outside, term)
    return a, b, len(inside) - a, len(outside) - b


def token_cells(
    documents: Documents, labels: Labels, term: str, klass: Hashable
) -> tuple[int, int, int, int]:
    """The same of occurrences."""
    inside, outside = members(documents, labels, klass), others(documents, labels, klass)
    a, b = occurrences(inside, term), occurrences(outside, term)
    return a, b, length(inside) - a, length(outside) - b


def of_either(formula: Reference, of: str) -> Reference:
    """A formula of (A, B, C, D), of documents or of occurrences, 0 where the table says nothing."""
    tables = {"df": cells, "tf": token_cells}

    def counted(
        documents: Documents, labels: Labels, term: str, klass: Hashable, of: str = of, **options: object
    ) -> float:
        table = tables[of](documents, labels, term, klass)
        return 0.0 if says_nothing(*table) else float(formula(*table, **options))

    return counted


def says_nothing(a: int, b: int, c: int, d: int) -> bool:
    """Whether the term is in no document, or the class holds none or all of them: the score is 0."""
    return a + b == 0 or a + c == 0 or b + d == 0


def of_documents(formula: Reference) -> Reference:
    """A formula of (documents, labels, term, klass), 0 where the table says nothing."""

    def reference(
        documents: Documents, labels: Labels, term: str, klass: Hashable, **options: object
    ) -> float:
        if says_nothing(*cells(documents, labels, term, klass)):
            return 0.0
        return float(formula(documents, labels, term, klass, **options))

    return reference


def of_cells(formula: Reference) -> Reference:
    """A formula of (A, B, C, D) as one of the documents, 0 where the table says nothing."""

    def counted(documents: Documents, labels: Labels, term: str, klass: Hashable, **options: object) -> float:
        return formula(*cells(documents, labels, term, klass), **options)

    return of_documents(counted)


def summed(part: Reference) -> Reference:
    """The sum over the classes of a reference of a class."""

    def total(documents: Documents, labels: Labels, term: str, **options: object) -> float:
        return math.fsum(part(documents, labels, term, klass, **options) for klass in classes(labels))

    return total


def adjusted_lrc(
    documents: Documents,
    labels: Labels,
    term: str,
    klass: Hashable,
    of: str = "tf",
    level: float = 0.95,
    adjust: str = "bonferroni",
) -> float:
    """The conservative log ratio with the error of the interval shared by all terms, as in R."""
    error = (1 - level) / (len(documents[0]) if adjust == "bonferroni" else 1)
    return of_either(lrc, of)(documents, labels, term, klass, level=1 - error)


# What per_class=True gives of a metric that sums over the classes.
PARTS: dict[str, Reference] = {
    "ig_all": of_cells(ig_member),
    "chi2_all": of_cells(chi2_member),
    "md": of_documents(md),
    "md_chi2": of_documents(md_chi2),
    "dfs": of_cells(dfs),
    "gini": of_cells(gini),
}
OF_TERM: dict[str, Reference] = {
    "df": df,
    "ig_all": ig_all,
    "chi2_all": chi2_all,
    "md": summed(PARTS["md"]),
    "md_chi2": summed(PARTS["md_chi2"]),
    "dfs": summed(PARTS["dfs"]),
    "gini": summed(PARTS["gini"]),
    "igm": igm,
}
OF_CLASS: dict[str, Reference] = {
    **{name: of_cells(formula) for name, formula in OF_CELLS.items()},
    **{name: of_documents(formula) for name, formula in OF_DOCUMENTS.items()},
    "chi2": of_either(chi2, "df"),
    "g2": of_either(g2, "df"),
    "ig": of_either(ig, "df"),
    "bic": of_either(bic, "df"),
    "log_ratio": of_either(log_ratio, "tf"),
    "lrc": adjusted_lrc,
    "percent_diff": of_either(percent_diff, "tf"),
    "simple_maths": of_either(simple_maths, "tf"),
    "rate_difference": of_cells(rate_difference),
}
REFERENCES: dict[str, Reference] = OF_CLASS | OF_TERM
