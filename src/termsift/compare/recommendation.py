"""Advice of a comparison, in sentences, and warnings about pitfalls of its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.errors import quote_names
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import as_term_array
from termsift.analysis import find_class_name_leaks, find_leaking_tokens
from termsift.compare.candidates import ALL
from termsift.compare.documents import describe_representation
from termsift.compare.racing import describe_race
from termsift.compare.results import SIGNIFICANCE, CandidateResults, RecommendationRule
from termsift.engines import Documents, find_duplicate_pairs
from termsift.evaluation import Split, best_pairs, residual_wins
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
    n_tested = int(is_tested.sum())
    remedy = "so scores are optimistic; --drop-duplicates (drop_duplicates=True) removes them"
    limit = "so no classifier can label all of them; check the labels"
    for marked, alike, kind, consequence in (
        (is_duplicate, agree, "", remedy),
        (is_contradicted, ~agree, " with a different label", limit),
    ):
        count = int(marked.sum())
        if count > TOLERATED_DUPLICATES * n_tested:
            example = "{} and {}".format(*pairs[across & alike][0].tolist())
            yield (
                f"{count:,} of {n_tested:,} documents ({count / n_tested:.0%}) have a duplicate or "
                f"near-duplicate {split.duplicate_location}{kind}, such as {example} (counted from 0), "
                f"{consequence}."
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
    """Format the summary as a table, with the rule, the split and the expected score below."""
    r, rows = comparison.results, list(comparison.summary)
    mark = "recommended, saved" if is_saved else "recommended"
    columns = {
        "candidate": [row["candidate"].replace("recommended", mark) for row in rows],
        "features": [row["features"] for row in rows],
        "classifier": [row["classifier"] for row in rows],
        "terms": [f"{row['terms']:,}" for row in rows],
        r.goal.name: [f"{row['mean']:.3f} ± {row['error']:.3f}" for row in rows],
        "difference": ["", *(f"{row['difference']:+.3f}" for row in rows[1:])],
        "p": ["" if np.isnan(row["p"]) else format_p_value(row["p"])[2:].lstrip("= ") for row in rows],
        "docs/s": ["" if np.isnan(row["documents_per_second"]) else _format_speed(row) for row in rows],
    }
    # cells of numbers are right-aligned
    for name in ("terms", "difference", "docs/s"):
        width = max(map(len, [name, *columns[name]]))
        columns[name] = [cell.rjust(width) for cell in columns[name]]
    table = format_table(Table({name: as_term_array(cells) for name, cells in columns.items()}))
    repeats = f", {r.repeats} times" if r.repeats > 1 else ""
    notes = [f"{r.n_tried:,} candidates; {r.split}{repeats}; ± standard error; differences from the best."]
    if r.beats_guessing:
        limit = "one standard error" if r.rule.tolerance is None else f"{r.rule.tolerance:g}"
        rule = f"the fewest terms within {limit} of the best"
        if r.rule.max_terms is not None:
            size = f"with at most {r.rule.max_terms:,} terms"
            rule = f"the best {size}" if r.rule.tolerance is None else f"{rule} {size}"
        expected = r.nested_score()
        score = "lower, because the candidate was chosen on the same test documents."
        if expected is not None:
            score = f"{r.goal.name} {expected:.3f} (nested cross-validation)."
        rule = "the best" if r.rule.tolerance == 0 else rule
        notes += [f"Recommended: {rule}.", f"Expected on new data: {score}"]
    return "\n".join([table, *notes])


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
        f"{r.guess_values[r.best_guess].mean():.3f} for the guess ({r.split}). The texts do not predict the "
        "labels; there is no recommendation."
    )


def write_answer(comparison: Comparison) -> list[str]:
    """Return the advice in at most five sentences."""
    r, model = comparison.results, comparison.models[0]
    if not r.beats_guessing:
        return [_write_no_advice(comparison)]
    split = r.split + (f", {r.repeats} times" if r.repeats > 1 else "")
    scope = "inside each fold" if "fold" in split else "in each split"
    if r.is_holdout:
        scope = "on the training set"
    score = f"{r.goal.description} {r.means[r.recommended]:.3f} ± {r.errors[r.recommended]:.3f}"
    significance, method = "", model.candidate.ranker.method
    # these policies take terms for other reasons than their score alone
    if method is not None and not isinstance(method.policy, PositiveNegative | RedundancyAware):
        k = len(model.columns)
        selection = method.selection(comparison.documents.counts, k)
        significance = describe_significance(k, selection.n_significant)
    expected = r.nested_score()
    sentences = [
        f"Use {describe_candidate(r, r.recommended)}: {score} ({split}; terms chosen {scope}).",
        _compare_with_best(r),
        _compare_with_all_terms(r),
        significance and f"{significance[0].upper()}{significance[1:]}.",
        "Expect a lower score on new data: the candidate was chosen on the same test documents."
        if expected is None
        else f"Expected on new data: {expected:.3f} (nested cross-validation).",
    ]
    return [sentence for sentence in sentences if sentence]


def write_details(comparison: Comparison) -> list[str]:
    """Return further findings in sentences."""
    r = comparison.results
    by_rule = [
        f"{name}: {r.sizes[i]:,.0f} ({r.means[i]:.3f}, {r.candidates[i].ranker.name} with "
        f"{r.candidates[i].classifier.name})"
        for name, i in candidates_by_rule(r).items()
        if name != "best"
    ]
    sentences = [
        f"Number of terms by rule: {'; '.join(by_rule)}.",
        _compare_goals(r),
        _compare_methods(comparison),
        describe_race(r),
        *_compare_by_class(comparison),
        _describe_model(comparison),
    ]
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


def _compare_with_best(r: CandidateResults) -> str:
    tolerance, max_terms = r.rule.tolerance, r.rule.max_terms
    limit = "one standard error" if tolerance is None else f"{tolerance:g}"
    has_only_max_terms = max_terms is not None and tolerance is None
    if r.recommended == r.best:
        clause = "" if has_only_max_terms else f"; no smaller model is within {limit}"
        return f"This is the best of {r.n_tried:,} candidates{clause}."
    group = "" if max_terms is None else f" of the candidates with at most {max_terms:,} terms"
    rule = f"has the fewest terms within {limit} of the best{group}"
    if has_only_max_terms:
        rule = f"is the best{group}"
    loss, p = r.means[r.best] - r.means[r.recommended], r.p_value(r.best, r.recommended)
    significance = "significant" if p < SIGNIFICANCE else "not significant"
    score = f"{r.means[r.best]:.3f} ± {r.errors[r.best]:.3f}"
    return (
        f"The best of {r.n_tried:,} candidates is {describe_candidate(r, r.best)}: {score}; the "
        f"recommendation, which {rule}, is {loss:.3f} lower ({significance}, {format_p_value(p)})."
    )


def _compare_with_all_terms(r: CandidateResults) -> str:
    rankers = r.candidates[r.recommended].ranker, r.candidates[r.best].ranker
    is_tried = bool(r.method_candidates(ALL.name)) and r.find_dropped_best(ALL.name) is None
    if not is_tried or ALL in rankers:
        return ""
    classifier = r.candidates[r.recommended].classifier
    if classifier not in r.method_classifiers(ALL.name):
        return f"The baseline of all terms was not tried with {classifier.description} within the budget."
    index = r.best_of_method(ALL.name)
    gain, p = r.means[r.recommended] - r.means[index], r.p_value(r.recommended, index)
    if p >= SIGNIFICANCE:
        verdict = f"not significantly different from the recommendation ({gain:+.3f}, {format_p_value(p)})"
    else:
        direction = "higher" if gain > 0 else "lower"
        verdict = f"the recommendation is {abs(gain):.3f} {direction} (significant, {format_p_value(p)})"
    name = r.candidates[index].classifier.description
    return f"All {r.sizes[index]:,.0f} terms reach {r.means[index]:.3f} at best, with {name}: {verdict}."


def _compare_goals(r: CandidateResults) -> str:
    items = []
    for goal, values in zip(r.goals[1:], r.further_values, strict=True):
        by_goal = replace(r, values=values)
        index, name = by_goal.recommended, goal.description.rstrip(",").replace(", macro-averaged", "")
        score = f"{name} {by_goal.means[r.recommended]:.3f} ± {by_goal.errors[r.recommended]:.3f}"
        if index == r.recommended:
            items.append(f"{score} (would recommend the same)")
        else:
            candidate = describe_candidate(r, index)
            items.append(f"{score} (would recommend {candidate}: {by_goal.means[index]:.3f})")
    return f"Other goals of the recommendation: {'; '.join(items)}." if items else ""


def _compare_methods(comparison: Comparison) -> str:
    names: dict[str, list[str]] = {}
    for row in comparison.methods:
        difference = f" ({row['difference']:+.3f})" if row["verdict"] == "worse" else ""
        names.setdefault(row["verdict"], []).append(row["method"] + difference)
    best = comparison.results.candidates[comparison.results.best_of_grid]
    headings = {
        "tie": f"Not significantly different from {best.ranker.name} (family-wise 5%)",
        "worse": "significantly worse",
        "dropped": "dropped by racing",
        "untried": f"not tried with {best.classifier.description}, so not tested",
    }
    items = [f"{text}: {join_names(names[key])}" for key, text in headings.items() if key in names]
    sentence = "; ".join(items)
    return f"{sentence[0].upper()}{sentence[1:]}." if items else ""


def _compare_by_class(comparison: Comparison) -> list[str]:
    """Describe which methods win most classes, and the pair that together wins most."""
    n = len(comparison.results.classes)
    if n < 3:
        return []
    chances = comparison.chances
    rows = [row for row in chances if row["chance"] > 0][:4]
    items = [f"{row['method']} in {round(row['chance'] * n)}" for row in rows]
    sentences = [f"By class, within 0.01 of the best method: {join_names(items)} of {n} classes."]
    if len(comparison.results.methods) < 2:
        return sentences
    by_class = comparison.by_class
    pair = next(iter(best_pairs(by_class, WIN_TOLERANCE, problem="class", value="mean")))
    first, second = pair["method"], pair["other"]
    share = {row["method"]: row["chance"] for row in chances}
    if share[second] > share[first]:
        first, second = second, first
    # the second method must win classes in which the first one fails
    wins = residual_wins(by_class, first, WIN_TOLERANCE, problem="class", value="mean")
    row = next(row for row in wins if row["method"] == second)
    if row["wins"]:
        count = round(row["together"] * n)
        classes = f"all {n} classes" if count == n else f"{count} of {n} classes"
        sentences.append(f"{first} or {second} is among the best in {classes}.")
    return sentences


def _describe_model(comparison: Comparison) -> str:
    if not comparison.models[1:] or not comparison.models[1].candidate.ranker.uses_all_terms:
        return ""
    model, all_terms = list(comparison.sizes)[:2]
    # two digits, because the measurement is no more accurate
    speeds = [int(float(f"{row['documents_per_second']:.2g}")) for row in (model, all_terms)]
    return (
        f"The model has {model['terms']:,} terms and takes {_format_size(model['bytes'])}; "
        f"with all {all_terms['terms']:,} terms it would take {_format_size(all_terms['bytes'])}. "
        f"It labels about {speeds[0]:,} documents per second here ({speeds[1]:,} with all terms)."
    )


def join_names(names: list[str]) -> str:
    """Join names as in a sentence.

    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def format_p_value(p: float) -> str:
    """Format a p-value.

    >>> format_p_value(0.0304), format_p_value(1e-9)
    ('p = 0.03', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _format_size(size: int) -> str:
    if size < 1_000_000:
        return f"{max(size / 1000, 0.1):.{0 if size >= 10_000 else 1}f} kB"
    return f"{size / 1_000_000:.{0 if size >= 10_000_000 else 1}f} MB"
