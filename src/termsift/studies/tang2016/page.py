"""The filters of page.md: methods and sets by the names they have there, and shares of sizes."""

from __future__ import annotations

from collections.abc import Mapping

from termsift.studies.pages import Rows
from termsift.studies.tang2016.methods import method_name


def named_methods(rows: Rows) -> Rows:
    """Rows with methods as the paper names them; some are of no method."""
    return [row | {"method": row["method"] and method_name(row["method"])} for row in rows]


def titled_sets(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """Rows with the titles of their sets."""
    return [row | {"set": titles[row["set"]]} for row in rows]


def above_by_set(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """At how many sizes MD and MD-chi2 are above each other method, in the order of titles."""
    both = {(r["set"], r["other"]): f"{float(r['md']):.0%}, {float(r['md_chi2']):.0%}" for r in rows}
    others = list(dict.fromkeys(row["other"] for row in rows))
    return [
        {"MD, MD-chi2 above": title} | {method_name(other): both[name, other] for other in others}
        for name, title in titles.items()
    ]


def accuracies_shown(rows: Rows, *sizes: str) -> Rows:
    """Accuracies by method, with two digits at each size."""
    return [row | {size: f"{float(row[size]):.2f}" for size in sizes} for row in named_methods(rows)]


def accuracy_list(rows: Rows, *methods: str) -> str:
    """Methods, each with its accuracy in per cent."""
    found = {row["method"]: 100 * float(row["accuracy"]) for row in rows}
    return ", ".join(f"{method_name(method)} {found[method]:.2f}" for method in methods)


TANG_FILTERS = (named_methods, titled_sets, above_by_set, accuracies_shown, accuracy_list)
