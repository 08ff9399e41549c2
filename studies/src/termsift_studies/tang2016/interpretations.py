"""Interpretations of the paper, and other forms of the scores, tried on 20 Newsgroups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.ranking import Ranking
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import Block
from termsift.evaluation import Fold
from termsift.metrics import Metric, bernoulli_kl, cet, naive_bayes_rates
from termsift.selection import Method, parse_method
from termsift_studies.study import Line, Lines, Row, build_tables, count_verdicts, find_failing_statements
from termsift_studies.tang2016.statements import (
    REUTERS,
    TangOutcomes,
    comparisons,
    md_statements,
    tang_outcomes,
)
from termsift_studies.tang2016.trials import (
    INTERPRETATIONS,
    MAIN,
    MOST,
    PROPOSED,
    SIZES,
    all_terms_rows,
    likeness,
    measure_rows,
    set_fold,
)

SET, OF_FORMS = "20-newsgroups", "forms"
SHOWN = np.array([100, 500, 1000, MOST])
CLASSIFIERS = ("NB", "NB of all terms")


def md_both_ways(block: Block) -> Array:
    """Return the contribution of each class to MD, from p to q and back."""
    p, q = naive_bayes_rates(block)
    return block.zero_undefined(bernoulli_kl(p, q) + bernoulli_kl(q, p))


def shares_against_group(block: Block) -> tuple[Array, Array]:
    """Return p of the class, and q of all other classes as a single class."""
    p, _ = naive_bayes_rates(block)
    # Laplace smoothing of the text of all other classes together
    q = (block.term_tf - block.tf + 1) / (block.length - block.lengths + block.vocabulary)
    return p, q


def md_grouped(block: Block) -> Array:
    """Return the contribution of each class to MD, with the other classes as a single class."""
    return block.zero_undefined(bernoulli_kl(*shares_against_group(block)))


def md_chi2_grouped(block: Block) -> Array:
    """Return the contribution of each class to MD-chi2, with the other classes as a single class."""
    p, q = shares_against_group(block)
    return block.zero_undefined((p - q) ** 2 * (1 / q + 1 / (1 - q) + 1 / p + 1 / (1 - p)) / 2)


def md_reversed(block: Block) -> Array:
    """Return the contribution of each class to MD, from q to p."""
    p, q = naive_bayes_rates(block)
    return block.zero_undefined(bernoulli_kl(q, p))


def md_without_pool(block: Block) -> Array:
    """Return the contribution of each class to MD without the other terms: eq. 31."""
    p, q = naive_bayes_rates(block)
    return block.zero_undefined(p * np.log(p / q))


def md_chi2_of_pearson(block: Block) -> Array:
    """Return the contribution of each class to MD-chi2 by eq. 37 alone."""
    p, q = naive_bayes_rates(block)
    return block.zero_undefined((p - q) ** 2 * (1 / q + 1 / (1 - q)))


def cet_of_occurrences(block: Block) -> Array:
    """Return the contribution of each class to CET, from shares of the text instead of documents."""
    p, _ = naive_bayes_rates(block)
    prior = block.class_sizes / block.documents
    return block.zero_undefined(p * prior * np.log(p / (p * prior).sum(axis=1, keepdims=True)))


def cet_absolute(block: Block) -> Array:
    """Return the absolute value of CET."""
    return np.abs(block.map_cells(cet))


FORMS: dict[str, Callable[[Block], Array]] = {
    form.__name__: form
    for form in (
        md_both_ways, md_grouped, md_reversed, md_without_pool, md_chi2_grouped, md_chi2_of_pearson,
        cet_of_occurrences, cet_absolute,
    )
}  # fmt: skip


def parse_study_method(name: str) -> Method:
    """Return a method by its name in results, from the catalogue or FORMS, summed over the classes."""
    if name in FORMS:
        return Method(Metric(name, FORMS[name], needs="tf", of_cells=False, summed=True))
    return parse_method(name.replace(" ", ":"))


def form_rows(data_dir: Path | None) -> list[Row]:
    """Return the accuracy of each form on 20 Newsgroups."""
    fold = set_fold(SET, data_dir, 0)
    return [
        {"set": OF_FORMS, "fold": 0, "method": form, "divergence": 0, "shared": 0} | row
        for form in FORMS
        for classifier in CLASSIFIERS
        for row in measure_rows(
            classifier, fold, parse_study_method(form).ranking(fold.train.counts, MOST), SHOWN
        )
    ]


def tabulate_forms(outcomes: TangOutcomes, forms: TangOutcomes) -> Iterator[Line]:
    """Tabulate accuracies in per cent of MD, MD-chi2 and the main interpretation's CET, then of the forms."""
    known_methods = [
        (outcomes, SET, method) for method in ("md", "md_chi2", "cet weighted") if SET in outcomes.sets
    ]
    for outcomes, name, method in [
        *known_methods,
        *((forms, OF_FORMS, form) for form in FORMS if forms.measures),
    ]:
        yield {"method": method} | {
            f"{classifier}, {size}": round(100 * outcomes.at(size, name, method, classifier), 2)
            for classifier in CLASSIFIERS
            for size in SHOWN.tolist()
        }


MAIN_LABEL = "main interpretation"
SOURCES = ("df", "cet sum", "chi2_joint weighted", "gss max")
COLUMNS = ("set", "fold", "classifier", "method", "size", "accuracy", "f1", "divergence", "shared")
SETS = ("20-newsgroups", *reversed(REUTERS), "tdt2-10", "alt-comp")


@dataclass(frozen=True, slots=True)
class TangInterpretation:
    """Interpretation of the paper.

    support : the words of the paper for it, with where they stand
    baselines : the four other methods
    proposed : methods used for MD and MD-chi2
    bayes, svm : the classifiers
    """

    support: str = ""
    baselines: tuple[str, ...] = INTERPRETATIONS[MAIN]
    proposed: tuple[str, str] = PROPOSED
    bayes: str = "NB"
    svm: str = "SVM"

    @property
    def methods(self) -> tuple[str, ...]:
        """All six methods."""
        return *self.baselines, *self.proposed


PRIORS = '5.2: "weighted by the class prior"'
PRINTED_CHI2 = "equation 9 as it is printed"
TEXTBOOK = '2.3: "Chi-square statistic is proposed in [17]"'
SOURCED = f'{PRINTED_CHI2}; 2.3: "in [17]", "In [27]", "in [29]"'
ALL_TERMS = '2.2: "and have β1 = 1 and β2 = M"'
TF_IDF = '2.1: "inverse document frequency (tf-idf)"'
TRIED = {
    MAIN_LABEL: TangInterpretation(f"{PRINTED_CHI2}; {PRIORS}"),
    "textbook chi2, weighted": TangInterpretation(f"{TEXTBOOK}; {PRIORS}", INTERPRETATIONS["weighted"]),
    "textbook chi2, largest": TangInterpretation(
        f"{TEXTBOOK}; silent of the maximum", INTERPRETATIONS["max"]
    ),
    "largest": TangInterpretation(
        f"{PRINTED_CHI2}; silent of the maximum", ("df", "cet max", "chi2_joint max", "gss max")
    ),
    "sum": TangInterpretation(
        f"{PRINTED_CHI2}; silent of the sum", ("df", "cet sum", "chi2_joint sum", "gss max")
    ),
    "as their sources": TangInterpretation(SOURCED, SOURCES),
    "round-robin over classes": TangInterpretation(
        '2.3: "between the term t_k and the category c_i"',
        ("df", "cet round_robin", "chi2_joint round_robin", "gss round_robin"),
    ),
    "NB of all terms": TangInterpretation(ALL_TERMS, bayes="NB of all terms"),
    "NB with a pool": TangInterpretation(
        '4.1: "the pool of all the remaining M - 1 features"', bayes="NB with a pool"
    ),
    "each class apart": TangInterpretation(
        '5.2: "binary classifiers are built for each individual class"', bayes="NB of each class"
    ),
    "SVM of counts": TangInterpretation(
        '2.1: "the number of occurrences of a particular term"', svm="SVM of counts"
    ),
    "SVM of tf-idf": TangInterpretation(TF_IDF, svm="SVM of tf-idf"),
    "MD both ways": TangInterpretation(
        '3.2: "the JMH divergence is the sum of multiple J-divergences"', proposed=("md_both_ways", "md_chi2")
    ),
    "MD, classes grouped": TangInterpretation(
        'algorithm 3: "the one grouping all remaining N - 1 classes"',
        proposed=("md_grouped", "md_chi2_grouped"),
    ),
    "NB of all terms, SVM of tf-idf": TangInterpretation(
        f"{ALL_TERMS}; {TF_IDF}", bayes="NB of all terms", svm="SVM of tf-idf"
    ),
    "NB of all terms, SVM of tf-idf, as their sources": TangInterpretation(
        f"{ALL_TERMS}; {TF_IDF}; {SOURCED}", SOURCES, bayes="NB of all terms", svm="SVM of tf-idf"
    ),
}
BAYES = tuple(dict.fromkeys(interpretation.bayes for interpretation in TRIED.values()))
# found after all others were run; it has a study of its own
NORMALIZED = " of normalized documents"
LATER = {
    "MD of normalized documents": TangInterpretation(
        '2.2: "the common assumption that the document length is constant"',
        proposed=(f"md{NORMALIZED}", f"md_chi2{NORMALIZED}"),
    )
}


def rank_by_method(name: str, fold: Fold) -> Ranking:
    """Return the ranking by a method, of counts or of documents scaled to the mean length."""
    counts = fold.train.counts
    if name.endswith(NORMALIZED):
        lengths = np.asarray(fold.train.rows.sum(axis=1)).ravel()
        rows = csr_array(fold.train.rows.multiply((lengths.mean() / np.maximum(lengths, 1))[:, None]))
        counts = replace(fold.train, rows=rows).counts
    return parse_study_method(name.removesuffix(NORMALIZED)).ranking(counts, MOST)


def required_classifiers(name: str, tried: Mapping[str, TangInterpretation] = TRIED) -> dict[str, list[str]]:
    """Return the methods that interpretations need on a set, with their classifiers (SVM only on Reuters)."""
    pairs = [
        (method, classifier)
        for case in tried.values()
        for method in case.methods
        for classifier in ((case.bayes, case.svm) if name in REUTERS else (case.bayes,))
    ]
    methods = dict.fromkeys(method for method, _ in pairs)
    return {method: list(dict.fromkeys(c for m, c in pairs if m == method)) for method in methods}


def interpretation_rows(
    name: str, data_dir: Path | None, fold_number: int, tried: Mapping[str, TangInterpretation] = TRIED
) -> list[Row]:
    """Return the rows of a fold that the interpretations need."""
    fold = set_fold(name, data_dir, fold_number)
    common = {"set": name, "fold": fold_number}
    md = parse_study_method("md").ranking(fold.train.counts, MOST)
    chosen = [
        {"method": method} | row
        for method, classifiers in required_classifiers(name, tried).items()
        for row in ranking_rows(fold, rank_by_method(method, fold), md, classifiers)
    ]
    return [common | row for row in (*all_terms_rows(fold, BAYES), *chosen)]


def ranking_rows(fold: Fold, ranking: Ranking, md: Ranking, classifiers: list[str]) -> Iterator[Row]:
    """Yield the rows of a ranking with some classifiers and its divergence."""
    similarities = likeness(fold.train.counts, ranking, md)
    for classifier in classifiers:
        for row in measure_rows(classifier, fold, ranking, SIZES[classifier.split()[0]]):
            yield row | similarities[row["size"]]


def interpretation_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of the verdicts in each interpretation."""
    outcomes = tang_outcomes([row for row in rows if row["set"] != OF_FORMS])
    forms = tang_outcomes([row for row in rows if row["set"] == OF_FORMS])
    statements = [
        {"interpretation": name} | row
        for name, case in TRIED.items()
        for row in check_interpretation(outcomes, case)
    ]
    return build_tables({
        "summary": tabulate_summary(statements),
        "statements": statements,
        "failing": find_failing_statements(statements, MAIN_LABEL),
        "f1": tabulate_f1(outcomes),
        "forms": tabulate_forms(outcomes, forms),
    })  # fmt: skip


def later_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of the verdicts in the later interpretation."""
    ((name, case),) = LATER.items()
    checked = check_interpretation(tang_outcomes(rows), case)
    statements = [{"interpretation": name} | row for row in checked]
    return build_tables({"summary": tabulate_summary(statements, LATER), "statements": statements})


def check_interpretation(outcomes: TangOutcomes, case: TangInterpretation) -> Lines:
    """Check the statements under an interpretation."""
    names = dict.fromkeys(case.methods)
    renamed = {method: method for method in names} | dict(zip(case.proposed, PROPOSED, strict=True))
    renamed_outcomes = outcomes.rename({case.bayes: "NB", case.svm: "SVM"}, renamed)
    return [
        *comparisons(renamed_outcomes, case.baselines),
        *md_statements(renamed_outcomes),
    ]


def tabulate_summary(statements: Lines, tried: Mapping[str, TangInterpretation] = TRIED) -> Iterator[Line]:
    """Tabulate the number of statements that hold in each interpretation, and its support in the paper."""
    for name, case in tried.items():
        checked = [row for row in statements if row["interpretation"] == name]
        counts = count_verdicts(checked)
        labels = {"interpretation": name, "stands in": case.support, "statements": sum(counts.values())}
        yield labels | counts


def tabulate_f1(outcomes: TangOutcomes) -> Iterator[Line]:
    """Tabulate F1 by decisions between classes and by a binary classifier per class."""
    for name in (candidate for candidate in SETS if candidate in outcomes.sets):
        for method in TRIED["each class apart"].methods:
            yield {"set": name, "method": method} | {
                f"{classifier}, {size} terms": round(
                    100 * outcomes.at(size, name, method, classifier, "f1"), 2
                )
                for size in (100, 1000)
                for classifier in ("NB", "NB of each class")
            }
