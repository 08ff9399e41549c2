"""Advice of a comparison, as sentences and a table, and warnings about pitfalls of its data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.errors import quote_names
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import as_term_array
from termsift.analysis import find_class_name_leaks, find_leaking_tokens
from termsift.compare.documents import describe_representation
from termsift.compare.racing import describe_race
from termsift.compare.results import CandidateResults, RecommendationRule
from termsift.engines import Documents, find_duplicate_pairs
from termsift.evaluation import Split
from termsift.selection import PositiveNegative, RedundancyAware, describe_significance

if TYPE_CHECKING:
    from termsift.compare.comparison import Comparison

TOLERATED_DUPLICATES = 0.01  # share of the test documents
MAX_LEAKS_LISTED = 4
DEFAULT_TOLERANCE, DEFAULT_MAX_TERMS = 0.01, 500  # of the rules that are shown in any case
WIN_TOLERANCE = 0.01  # a method wins a class if it is within this of the best


def find_pitfalls(documents: Documents, split: Split) -> Iterator[str]:
    """Yield a sentence per problem, with its size and its remedy."""
    yield from _warn_of_small_classes(documents, split)
    yield from warn_of_duplicates(documents, split)
    yield from _warn_of_leaks(documents)
    n_empty = int(np.count_nonzero(np.diff(documents.rows.indptr) == 0))
    if n_empty:
        yield f"{n_empty:,} {'document has' if n_empty == 1 else 'documents have'} no terms."


def _warn_of_small_classes(documents: Documents, split: Split) -> Iterator[str]:
    """Warn of classes that are missing in the training or test set of some fold."""
    labels = documents.labels
    if split.is_stratified:
        sizes = np.diff(labels.starts)
        incomplete = (sizes > 0) & (sizes < split.runs)
        reason, remedy = f"fewer documents than folds ({split.runs})", "use fewer folds"
    else:
        complete = np.ones(len(labels.classes), dtype=bool)
        for division in split.divisions(0):
            for indices in (division.train, division.test):
                complete &= documents.truth[indices].any(axis=0)
        incomplete = documents.truth.any(axis=0) & ~complete
        reason, remedy = "no documents in some training or test set", "change the split"
    small = [labels.classes[c] for c in np.flatnonzero(incomplete)]
    if small:
        have = "class has" if len(small) == 1 else "classes have"
        yield (
            f"{len(small)} {have} {reason}: {quote_names(small, 5)}. Scores of such classes are unreliable; "
            f"collect more documents, merge classes, or {remedy}."
        )


def warn_of_duplicates(documents: Documents, split: Split) -> Iterator[str]:
    """Warn if test documents have duplicates in the training set of their fold, in the first round."""
    pairs = find_duplicate_pairs(documents.rows)
    across = np.zeros(len(pairs), dtype=bool)
    agree = (documents.truth[pairs[:, 0]] == documents.truth[pairs[:, 1]]).all(axis=1)
    is_duplicate, is_contradicted, is_tested = np.zeros((3, len(documents)), dtype=bool)
    for division in split.divisions(0):
        in_train, in_test = np.zeros((2, len(documents)), dtype=bool)
        in_train[division.train] = in_test[division.test] = True
        is_tested |= in_test
        # either document of a pair may be the one in the test set
        for first, second in (pairs.T, pairs.T[::-1]):
            leaks = in_train[first] & in_test[second]
            across |= leaks
            is_duplicate[second[leaks & agree]] = True
            is_contradicted[second[leaks & ~agree]] = True
    # no classifier labels identical texts with different labels well, so those do not raise scores
    is_duplicate[pairs[~agree]] = False
    n_tested = int(is_tested.sum())
    remedy = "so scores are too high; --drop-duplicates (drop_duplicates=True) removes them"
    limit = "so no classifier can label all of them; check the labels"
    for marked, alike, kind, consequence in (
        (is_duplicate, agree, "", remedy),
        (is_contradicted, ~agree, " with a different label", limit),
    ):
        count = int(marked.sum())
        if count > TOLERATED_DUPLICATES * n_tested:
            is_example = across & alike & marked[pairs].any(axis=1)
            example = "{} and {}".format(*(pairs[is_example][0] + 1).tolist())
            yield (
                f"{count / n_tested:.0%} of the documents ({count:,} of {n_tested:,}) have a duplicate or "
                f"near-duplicate {split.duplicate_location}{kind}, such as documents {example} (counted from "
                f"1), {consequence}."
            )


def _warn_of_leaks(documents: Documents) -> Iterator[str]:
    """Warn of tokens that reveal the label, those that cover most of a class first."""
    counts, by_class = documents.counts, find_class_name_leaks(documents)
    leaks = []
    for c in range(len(counts.classes)):
        leaks += [by_class[c]] if c in by_class else find_leaking_tokens(counts, c)
    if not leaks:
        return
    leaks.sort(key=lambda leak: -leak.inside / leak.size)
    examples = [
        f"{leak.words!r} is in {leak.inside:,} of {leak.size:,} documents of {leak.name!r} and in "
        f"{leak.outside:,} {'other' if leak.outside == 1 else 'others'}"
        for leak in leaks[:MAX_LEAKS_LISTED]
    ]
    if len(leaks) > MAX_LEAKS_LISTED:
        examples.append(f"{len(leaks) - MAX_LEAKS_LISTED} more")
    yield (f"Single tokens reveal labels: {'; '.join(examples)}. Remove them if new documents lack them.")


def pareto_candidates(results: CandidateResults) -> list[int]:
    """Return the candidates that none with at most as many terms beats, by number of terms."""
    order = np.lexsort((-results.means, np.round(results.sizes, 6)))
    indices: list[int] = []
    for index in order.tolist():
        if not indices or results.means[index] > results.means[indices[-1]] + 1e-12:
            indices.append(index)
    return indices


def candidates_by_rule(results: CandidateResults) -> dict[str, int]:
    """Return the candidate that each rule recommends, by a description of the rule."""
    rule = results.rule
    tolerance = DEFAULT_TOLERANCE if rule.tolerance is None else rule.tolerance
    max_terms = DEFAULT_MAX_TERMS if rule.max_terms is None else rule.max_terms
    rules = {
        "one standard error": RecommendationRule(),
        f"within {tolerance:g}": RecommendationRule(tolerance=tolerance),
    }
    if results.sizes.min() <= max_terms:
        rules[f"at most {max_terms:,} terms"] = RecommendationRule(max_terms=max_terms)
    return {"best": results.best} | {
        name: replace(results, rule=rule).recommended for name, rule in rules.items()
    }


def format_summary(comparison: Comparison, *, is_saved: bool = False) -> str:
    """Format the answer: its sentences, and the summary as a table with the meaning of its names."""
    r, rows = comparison.results, list(comparison.summary)
    mark = "recommended, saved" if is_saved and r.beats_guessing else "recommended"
    columns = {
        "candidate": [row["candidate"].replace("recommended", mark) for row in rows],
        "features": [row["features"] for row in rows],
        "classifier": [row["classifier"] for row in rows],
        "terms": [f"{row['terms']:,}" for row in rows],
        r.goal.name: [f"{row['mean']:.3f} ± {row['error']:.3f}" for row in rows],
        **{goal.name: [f"{row[goal.name]:.3f}".replace("nan", "") for row in rows] for goal in r.goals[1:]},
        "difference": ["", *(f"{row['difference']:+.3f}" for row in rows[1:])],
        "p": ["" if np.isnan(row["p"]) else format_p_value(row["p"])[2:].lstrip("= ") for row in rows],
        "docs/s": ["" if np.isnan(row["documents_per_second"]) else _format_speed(row) for row in rows],
    }
    # cells of numbers are right-aligned
    for name in ("terms", "difference", "docs/s"):
        width = max(map(len, [name, *columns[name]]))
        columns[name] = [cell.rjust(width) for cell in columns[name]]
    table = format_table(Table({name: as_term_array(cells) for name, cells in columns.items()}))
    candidates = [r.candidates[i] for i in dict.fromkeys((r.best, r.recommended)) if r.beats_guessing]
    named: Iterable[Any] = chain.from_iterable((c.ranker, c.classifier) for c in candidates)
    # the label of the row of all terms explains both of its names
    names = dict.fromkeys(f"{x.name} is {x.description}" for x in named if x.name not in ("all", "svm"))
    notes = ["± standard error; differences from the best; docs/s: documents labelled per CPU second."]
    notes += [f"{'; '.join(names)}."] if names else []
    return "\n".join([*comparison.answer, "", table, *notes])


def _format_speed(row: dict[str, Any]) -> str:
    """Format documents per second with two digits, because the measurement is no more accurate."""
    return f"{float(format(row['documents_per_second'], '.2g')):,.0f}"


def describe_guess(comparison: Comparison) -> str:
    """Describe the better guess."""
    if comparison.results.best_guess:
        return "random labels by frequency"
    labels = comparison.documents.labels
    if not labels.is_single_label:
        return "each label as in most documents"
    return f"always {labels.classes[int(np.argmax(np.diff(labels.starts)))]!r}"


def _write_no_advice(comparison: Comparison) -> str:
    """Write that no candidate is better than guessing."""
    r, goal = comparison.results, comparison.results.goal.description.rstrip(",")
    guess = "guessing labels at random" if r.best_guess else f"answering {describe_guess(comparison)}"
    return (
        f"No candidate is significantly better than {guess}: {goal} {r.means[r.best]:.3f} ± "
        f"{r.errors[r.best]:.3f} for the best of {r.n_tried:,} candidates, "
        f"{r.guess_values[r.best_guess].mean():.3f} for the guess ({_describe_split(r)}). There is no "
        "recommendation: the texts do not predict the labels, or there are too few documents to show it."
    )


def write_answer(comparison: Comparison) -> list[str]:
    """Return what to use and why, and its score on new data."""
    r = comparison.results
    if not r.beats_guessing:
        return [_write_no_advice(comparison)]
    score = f"{r.goal.description} {r.means[r.recommended]:.3f} ± {r.errors[r.recommended]:.3f}"
    scope = "inside each fold" if "fold" in r.split else "in each split"
    if r.is_holdout:
        scope = "on the training set"
    expected = r.nested_score()
    outlook = "Expect less on new data: the candidate was chosen on the same test documents."
    if expected is not None:
        outlook = f"Expected on new data: {expected:.3f} (nested cross-validation)."
    return [
        f"Use {describe_candidate(r, r.recommended)}: {_describe_rule(r)}.",
        f"{score[0].upper()}{score[1:]} ({_describe_split(r)}; terms chosen {scope}). {outlook}",
    ]


def _describe_split(r: CandidateResults) -> str:
    return r.split + (f", {r.repeats} times" if r.repeats > 1 else "")


def _describe_rule(r: CandidateResults) -> str:
    """Describe why a candidate is recommended."""
    total = f"{r.n_tried:,} candidates"
    if r.rule.max_terms is not None:
        total = f"the candidates with at most {r.rule.max_terms:,} terms"
    if r.rule.tolerance == 0 or (r.rule.max_terms is not None and r.rule.tolerance is None):
        return f"the best of {total}"
    limit = "one standard error" if r.rule.tolerance is None else f"{r.rule.tolerance:g}"
    if r.recommended == r.best:
        return f"the best of {total}; none with fewer terms is within {limit}"
    return f"the fewest terms within {limit} of the best of {total}"


def write_details(comparison: Comparison) -> list[str]:
    """Return further findings in sentences."""
    r, model = comparison.results, comparison.models[0]
    sentences, method = [describe_race(r)], model.candidate.ranker.method
    # these policies take terms for other reasons than their score alone
    if method is not None and not isinstance(method.policy, PositiveNegative | RedundancyAware):
        k = len(model.columns)
        text = describe_significance(k, method.selection(comparison.documents.counts, k).n_significant)
        sentences.append(f"{text[0].upper()}{text[1:]}." if text else "")
    return [sentence for sentence in sentences if sentence]


def describe_candidate(r: CandidateResults, index: int) -> str:
    """Describe a candidate: its number of terms, method and classifier."""
    ranker, classifier = r.candidates[index].ranker, r.candidates[index].classifier.description
    terms = r.sizes[index]
    if ranker.features is not None:
        return f"{ranker.description} of all {terms:,.0f} terms, with {classifier}"
    if ranker.uses_all_terms:
        kind = f" ({describe_representation(ranker.representation)})" if ranker.representation else ""
        return f"all {terms:,.0f} terms{kind} with {classifier}"
    return f"{terms:,.0f} terms chosen by {ranker.description}, with {classifier}"


def format_p_value(p: float) -> str:
    """Format a p-value.

    >>> format_p_value(0.0304), format_p_value(1e-9)
    ('p = 0.03', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
