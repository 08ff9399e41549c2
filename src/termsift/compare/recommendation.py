"""Advice of a comparison, in sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift.compare.candidates import ALL
from termsift.compare.documents import describe_representation
from termsift.compare.racing import describe_race
from termsift.compare.results import CandidateResults, RecommendationRule
from termsift.compare.trials import Candidate
from termsift.selection import PositiveNegative, RedundancyAware, describe_false_positives

if TYPE_CHECKING:
    from termsift.compare.comparison import Comparison

DEFAULT_TOLERANCE, DEFAULT_MAX_TERMS = 0.01, 500  # of the rules that are shown in any case
LOSSES = (0.01, 0.02, 0.05)  # that fewer terms may cost
SIGNIFICANCE = 0.05


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


def write_answer(comparison: Comparison) -> list[str]:
    """Return the advice in at most five sentences."""
    sentences = [
        _recommend(comparison),
        _compare_with_best(comparison),
        _compare_with_all_terms(comparison),
        _count_false_positives(comparison),
        _expect(comparison),
    ]
    return [sentence for sentence in sentences if sentence]


def write_details(comparison: Comparison) -> list[str]:
    """Return further findings in sentences."""
    sentences = [
        _cost_of_fewer_terms(comparison),
        _recommend_by_rule(comparison),
        _compare_goals(comparison),
        _compare_methods(comparison),
        describe_race(comparison.results),
        _count_class_wins(comparison),
        _describe_pair(comparison),
        _describe_model(comparison),
    ]
    return [sentence for sentence in sentences if sentence]


def _recommend(comparison: Comparison) -> str:
    r = comparison.results
    split = r.split + (f", {r.repeats} times" if r.repeats > 1 else "")
    scope = (
        "on the training set" if r.is_holdout else "inside each fold" if "fold" in split else "in each split"
    )
    candidate = describe_candidate(r.candidates[r.recommended], comparison.chosen["terms"])
    score = f"{comparison.goal} {_format_score(comparison.chosen)}"
    return f"Use {candidate}: {score} ({split}; terms chosen {scope})."


def describe_candidate(candidate: Candidate, terms: float) -> str:
    """Return a candidate in words."""
    ranker, classifier = candidate.ranker, candidate.classifier.description
    if ranker.features is not None:
        return f"{ranker.description} of all {terms:,.0f} terms, with {classifier}"
    if ranker.uses_all_terms:
        kind = f" ({describe_representation(ranker.representation)})" if ranker.representation else ""
        return f"all {terms:,.0f} terms{kind} with {classifier}"
    return f"{terms:,.0f} terms chosen by {ranker.description}, with {classifier}"


def _compare_with_best(comparison: Comparison) -> str:
    r = comparison.results
    if r.recommended == r.best:
        if r.rule.max_terms is not None and r.rule.tolerance is None:
            return f"This is the best of {r.n_tried:,} candidates."
        limit = "one standard error" if r.rule.tolerance is None else f"{r.rule.tolerance:g}"
        return f"This is the best of {r.n_tried:,} candidates; no smaller model is within {limit}."
    best = describe_candidate(r.candidates[r.best], comparison.best["terms"])
    loss, p = r.means[r.best] - r.means[r.recommended], r.p_value(r.best, r.recommended)
    return (
        f"The best of {r.n_tried:,} candidates is {best}: {_format_score(comparison.best)}; the "
        "recommendation, "
        f"which {r.rule.description}, is {loss:.3f} lower ({_format_significance(p)})."
    )


def _compare_with_all_terms(comparison: Comparison) -> str:
    r = comparison.results
    rankers = r.candidates[r.recommended].ranker, r.candidates[r.best].ranker
    if ALL.name not in r.methods or ALL in rankers:
        return ""
    classifier = r.candidates[r.recommended].classifier
    if classifier not in r.method_classifiers(ALL.name):
        return f"All terms were not tried with {classifier.description} within the budget."
    index = r.best_of_method(ALL.name)
    gain, p = r.means[r.recommended] - r.means[index], r.p_value(r.recommended, index)
    if p >= SIGNIFICANCE:
        verdict = f"not significantly different from the recommendation ({gain:+.3f}, {format_p_value(p)})"
    else:
        direction = "higher" if gain > 0 else "lower"
        verdict = f"the recommendation is {abs(gain):.3f} {direction} (significant, {format_p_value(p)})"
    name = r.candidates[index].classifier.description
    return f"All {r.sizes[index]:,.0f} terms reach {r.means[index]:.3f} at best, with {name}: {verdict}."


def _cost_of_fewer_terms(comparison: Comparison) -> str:
    r, items = comparison.results, []
    size = r.sizes[r.recommended]
    for loss in LOSSES:
        smaller = np.flatnonzero((r.means >= r.means[r.best] - loss) & (r.sizes < size))
        if smaller.size:
            index = min(smaller.tolist(), key=lambda i: (r.sizes[i], -r.means[i]))
            candidate, size = r.candidates[index], r.sizes[index]
            items.append(
                f"{size:,.0f} by {candidate.ranker.description} with {candidate.classifier.description} "
                f"(-{r.means[r.best] - r.means[index]:.3f})"
            )
    return f"Fewer terms, with their loss against the best: {'; '.join(items)}." if items else ""


def _recommend_by_rule(comparison: Comparison) -> str:
    r = comparison.results
    items = [
        f"{name}: {r.sizes[i]:,.0f} ({r.means[i]:.3f}, {r.candidates[i].ranker.name} with "
        f"{r.candidates[i].classifier.name})"
        for name, i in candidates_by_rule(r).items()
        if name != "best"
    ]
    return f"Number of terms by rule: {'; '.join(items)}."


def _compare_goals(comparison: Comparison) -> str:
    r, items = comparison.results, []
    for goal, values in zip(r.goals[1:], r.further_values, strict=True):
        other = replace(r, values=values)
        index, name = other.recommended, goal.description.rstrip(",").replace(", macro-averaged", "")
        score = f"{name} {values[r.recommended].mean():.3f} ± {other.errors[r.recommended]:.3f}"
        if index == r.recommended:
            items.append(f"{score} (would recommend the same)")
        else:
            candidate = describe_candidate(r.candidates[index], r.sizes[index])
            items.append(f"{score} (would recommend {candidate}: {values[index].mean():.3f})")
    return f"Other goals of the recommendation: {'; '.join(items)}." if items else ""


def _compare_methods(comparison: Comparison) -> str:
    names: dict[str, list[str]] = {}
    for row in comparison.methods:
        difference = f" ({row['difference']:+.3f})" if row["verdict"] == "worse" else ""
        names.setdefault(row["verdict"], []).append(row["method"] + difference)
    best = comparison.results.candidates[comparison.results.best]
    headings = {
        "tie": f"Not significantly different from {best.ranker.name} (family-wise 5%)",
        "worse": "significantly worse",
        "dropped": "dropped by racing",
        "untried": f"not tried with {best.classifier.description}, so not tested",
    }
    items = [f"{text}: {join_names(names[key])}" for key, text in headings.items() if key in names]
    sentence = "; ".join(items)
    return f"{sentence[0].upper()}{sentence[1:]}." if items else ""


def _expect(comparison: Comparison) -> str:
    expected = comparison.results.expected
    if expected is None:
        return "Expect a lower score on new data: the candidate was chosen by the same test documents."
    return f"Expected on new data: {expected:.3f} (nested cross-validation)."


def _count_class_wins(comparison: Comparison) -> str:
    n = len(comparison.results.classes)
    if n < 3:
        return ""
    rows = [row for row in comparison.chances if row["chance"] > 0][:4]
    items = [f"{row['method']} in {round(row['chance'] * n)}" for row in rows]
    return f"By class, within 0.01 of the best method: {join_names(items)} of {n} classes."


def _describe_pair(comparison: Comparison) -> str:
    pair = comparison.best_pair
    if pair is None or not pair["wins"]:
        return ""
    n = len(comparison.results.classes)
    count = round(pair["together"] * n)
    classes = f"all {n} classes" if count == n else f"{count} of {n} classes"
    return f"{pair['first']} or {pair['second']} is among the best in {classes}."


def _count_false_positives(comparison: Comparison) -> str:
    method, k = comparison.models[0].candidate.ranker.method, len(comparison.models[0].columns)
    if method is None or isinstance(method.policy, PositiveNegative | RedundancyAware):
        return ""
    selection = method.selection(comparison.counts, k)
    sentence = describe_false_positives(k, selection.expected_false_positives)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def _describe_model(comparison: Comparison) -> str:
    if len(comparison.models) < 2:
        return ""
    model, all_terms = list(comparison.sizes)
    sentence = (
        f"The model has {model['terms']:,} terms and takes {_format_size(model['bytes'])}; "
        f"with all {all_terms['terms']:,} terms it would take {_format_size(all_terms['bytes'])}."
    )
    if "documents_per_second" not in model:
        return sentence
    # two digits are meant
    speeds = [int(float(f"{row['documents_per_second']:.2g}")) for row in (model, all_terms)]
    return (
        f"{sentence} It labels about {speeds[0]:,} documents per second here ({speeds[1]:,} with all terms)."
    )


def _format_score(row: dict[str, Any]) -> str:
    return f"{row['mean']:.3f} ± {row['error']:.3f}"


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


def _format_significance(p: float) -> str:
    return f"{'significant' if p < SIGNIFICANCE else 'not significant'}, {format_p_value(p)}"


def _format_size(size: int) -> str:
    if size < 1_000_000:
        return f"{max(size / 1000, 0.1):.{0 if size >= 10_000 else 1}f} kB"
    return f"{size / 1_000_000:.{0 if size >= 10_000_000 else 1}f} MB"
