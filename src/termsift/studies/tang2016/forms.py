"""Other forms of the scores themselves, tried on 20 Newsgroups, where CET is above MD in the main line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from termsift._typing import Array
from termsift.contingency import Block, ratio
from termsift.methods import Method, method_from
from termsift.metrics import Metric
from termsift.metrics.association import chi2_joint, gss
from termsift.metrics.information import cet, two_point_kl
from termsift.metrics.occurrence import shares
from termsift.studies.study import Line, Row
from termsift.studies.tang2016.outcomes import TangOutcomes
from termsift.studies.tang2016.problems import set_fold
from termsift.studies.tang2016.trials import MOST, measure_rows

SET, OF_FORMS = "20-newsgroups", "forms"
SHOWN = np.array([100, 500, 1000, MOST])
CLASSIFIERS = ("NB", "NB of all terms")


def md_both_ways(block: Block) -> Array:
    """A class's part of MD, from p to q and back."""
    p, q = shares(block)
    return block.or_zero(two_point_kl(p, q) + two_point_kl(q, p))


def grouped_shares(block: Block) -> tuple[Array, Array]:
    """What p is of the class, and q of all other classes as if they were one."""
    p, _ = shares(block)
    q = (block.term_tf - block.tf + 1) / (block.length - block.lengths + block.vocabulary)
    return p, q


def md_grouped(block: Block) -> Array:
    """A class's part of MD, the other classes grouped into one."""
    return block.or_zero(two_point_kl(*grouped_shares(block)))


def md_chi2_grouped(block: Block) -> Array:
    """A class's part of MD-chi2, the other classes grouped into one."""
    p, q = grouped_shares(block)
    return block.or_zero((p - q) ** 2 * (1 / q + 1 / (1 - q) + 1 / p + 1 / (1 - p)) / 2)


def md_reversed(block: Block) -> Array:
    """A class's part of MD, from q to p."""
    p, q = shares(block)
    return block.or_zero(two_point_kl(q, p))


def md_unweighted(block: Block) -> Array:
    """A class's part of MD, the other classes mixed in equal parts."""
    p, _ = shares(block)
    q = (p.sum(axis=1, keepdims=True) - p) / (p.shape[1] - 1)
    return block.or_zero(two_point_kl(p, q))


def md_without_pool(block: Block) -> Array:
    """A class's part of MD without the other terms: eq. 31."""
    p, q = shares(block)
    return block.or_zero(p * np.log(p / q))


def md_weighted(block: Block) -> Array:
    """A class's part of MD, times its share of the documents."""
    return block.or_zero(two_point_kl(*shares(block))) * block.class_sizes / block.documents


def md_chi2_of_pearson(block: Block) -> Array:
    """A class's part of MD-chi2 by eq. 37 alone."""
    p, q = shares(block)
    return block.or_zero((p - q) ** 2 * (1 / q + 1 / (1 - q)))


def md_chi2_unsmoothed(block: Block) -> Array:
    """A class's part of MD-chi2 of eq. 2, nothing added to counts; 0 where the term is on one side alone."""
    p = ratio(block.tf, block.lengths)
    others = block.class_sizes.sum() - block.class_sizes
    q = ((p * block.class_sizes).sum(axis=1, keepdims=True) - p * block.class_sizes) / others
    known = (p > 0) & (q > 0)
    parts = 1 / np.where(known, q, 1) + 1 / np.where(known, p, 1)
    return block.or_zero(np.where(known, (p - q) ** 2 * parts / 2, 0))


def cet_of_occurrences(block: Block) -> Array:
    """A class's part of CET, of shares of the text instead of documents."""
    p, _ = shares(block)
    prior = block.class_sizes / block.documents
    return block.or_zero(p * prior * np.log(p / (p * prior).sum(axis=1, keepdims=True)))


def cet_absolute(block: Block) -> Array:
    """CET without its sign."""
    return np.abs(block.of_cells(cet))


def gss_absolute(block: Block) -> Array:
    """GSS without its sign."""
    return np.abs(block.of_cells(gss))


def chi2_joint_smoothed(block: Block) -> Array:
    """A class's part of eq. 9, half a document added to each cell, by the share of the class."""
    scores = block.of_cells(lambda cells: chi2_joint(cells.smoothed(0.5)))
    return scores * block.class_sizes / block.documents


FORMS: dict[str, Callable[[Block], Array]] = {
    form.__name__: form
    for form in (
        md_both_ways, md_grouped, md_reversed, md_unweighted, md_without_pool, md_weighted, md_chi2_grouped,
        md_chi2_of_pearson, md_chi2_unsmoothed, cet_of_occurrences, cet_absolute, gss_absolute,
        chi2_joint_smoothed,
    )
}  # fmt: skip


def read_method(name: str) -> Method:
    """A method by its name in results: of the catalogue, or a form of our own, summed over the classes."""
    if name in FORMS:
        return Method(Metric(name, FORMS[name], needs="tf", of_cells=False, summed=True))
    return method_from(name.replace(" ", ":"))


def form_rows(data_dir: Path | None) -> list[Row]:
    """The accuracy of each form on 20 Newsgroups."""
    fold = set_fold(SET, data_dir, 0)
    return [
        {"set": OF_FORMS, "fold": 0, "method": form, "divergence": 0, "shared": 0} | row
        for form in FORMS
        for classifier in CLASSIFIERS
        for row in measure_rows(classifier, fold, read_method(form).ranking(fold.counts, MOST), SHOWN)
    ]


def form_lines(found: TangOutcomes, forms: TangOutcomes) -> Iterator[Line]:
    """Accuracies in per cent: MD, MD-chi2 and the main line's CET, and the forms below them."""
    known = [(found, SET, method) for method in ("md", "md_chi2", "cet weighted") if SET in found.sets]
    for outcomes, name, method in [*known, *((forms, OF_FORMS, form) for form in FORMS if forms.parts)]:
        yield {"method": method} | {
            f"{classifier}, {size}": round(100 * outcomes.at(size, name, method, classifier), 2)
            for classifier in CLASSIFIERS
            for size in SHOWN.tolist()
        }
