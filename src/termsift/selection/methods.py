"""Methods: a metric and a policy as one value, which prints and parses as it is written.

bns            each term by the class that values it most
bns:mean       by the mean over the classes; likewise bns:weighted and bns:sum
bns:round_robin      the classes take turns, each takes its best term not taken yet (Forman 2004)
bns:per_class      each class has terms of its own, and is told from the rest by them alone
cc:combined       terms for a class and terms against it, in a ratio that is found by judging (Zheng 2004)
bns:significant     the terms that chance alone would not lift so high, but for one
ig:cmim        each term for what it adds to those before it, as documents say; likewise ig:jmi and ig:mrmr
gu(printed=True):round_robin, cc:PositiveNegative(ratio=0.8)      with options of the metric, with any policy
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeAlias

from termsift._internal.errors import InvalidInputError, unknown
from termsift._internal.expressions import check_k
from termsift._internal.ranking import Ranking
from termsift.counts import Counts, contrast
from termsift.metrics import (
    AnyMetric,
    Metric,
    Scores,
    check_options,
    metric_from,
    metric_with_options,
    metrics,
    reduction_name,
    score,
    written_metric,
)
from termsift.selection.policies import POLICIES, SUFFIX_POLICIES, Policy, RoundRobin, TopK, as_policy, parse_policy
from termsift.selection.selection import Selection


@dataclass(frozen=True, slots=True, repr=False)
class Method:
    """A way to choose terms: a metric with its options, and a policy.

    metric : a metric, or its name
    policy : a policy, or an expression for one
    options : options of the metric

    >>> print(Method("ngl", "RoundRobin"))
    cc:round_robin
    """

    metric: Metric
    policy: Policy = field(default=SUFFIX_POLICIES["max"])
    options: Mapping[str, Any] | tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_from(self.metric))
        check_options(self.metric, dict(self.options))
        object.__setattr__(self, "policy", as_policy(self.policy))
        object.__setattr__(self, "options", tuple(sorted(dict(self.options).items())))

    @property
    def mark(self) -> str | None:
        """The suffix for the policy after the metric's name, whatever its k; None if there is none."""
        own: Any = self.policy
        ways: dict[str, Any] = {way: known for way, known in SUFFIX_POLICIES.items() if type(known) is type(own)}
        sized = {"k": own.k} if has_field(own, "k") else {}
        return next((way for way, known in ways.items() if replace(known, **sized) == own), None)

    def check(self, single: bool) -> None:
        """Raise an error if the metric does not fit the policy or, unless `single`, needs single labels."""
        one_sided = self.metric.sided == 1 or dict(self.options).get("signed")
        if getattr(self.policy, "reads_signs", False) and not one_sided:
            known = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
            what = f"{self} needs a one-sided metric, and {self.metric.name} is not; one-sided: {known}"
            raise InvalidInputError(what)
        if not single and (self.metric.single_label or getattr(self.policy, "single_label", False)):
            raise InvalidInputError(
                f"{self} needs exactly one label per document; these have several, or none"
            )

    def scores(self, counts: Counts, for_class: object = None) -> Scores:
        """The scores in the form the policy reads: per class, or one per term."""
        options, by_class = dict(self.options), self.policy.by_class
        if by_class and self.metric.summed:
            options.setdefault("per_class", True)
        if for_class is None:
            how = None if by_class else getattr(self.policy, "reduce", "max")
            return score(counts, self.metric, reduce=how, **options)
        own = score(counts, self.metric, **options).of_class(for_class)
        return own if by_class else replace(own, values=own.values[:, 0])

    def ranking(self, counts: Counts, k: int) -> Ranking:
        """The k best terms in order, or all if there are fewer; one list for all classes or one per class."""
        k = min(k, len(counts.terms))
        policy = self.of_at_most(k).policy if k else self.policy
        scores = self.scores(counts)
        # a policy of one's own need not know of rankings
        found = policy.ranking(scores) if hasattr(policy, "ranking") else Ranking((policy.choose(scores),))
        return found if found.local else Ranking((found.orders[0][:k],))

    def selection(self, counts: Counts, k: int | None = None, for_class: object = None) -> Selection:
        """The chosen terms, at most k, for all classes or for a single one."""
        policy = self.policy if k is None else self.of_at_most(k).policy
        scores = self.scores(counts, for_class)
        return Selection.of(policy.choose(scores), scores, policy)

    def of_at_most(self, k: int) -> Method:
        """The method limited to k terms, if its policy has a k."""
        if not has_field(self.policy, "k"):
            return self
        check_k(k)
        own: int | None = self.policy.k  # type: ignore[attr-defined]
        return replace(self, policy=replace(self.policy, k=k if own is None else min(k, own)))  # type: ignore[type-var]

    def __str__(self) -> str:
        metric = written_metric(self.metric, dict(self.options))
        if self.mark is None or SUFFIX_POLICIES[self.mark] != self.policy:
            return f"{metric}:{self.policy!r}"
        return metric if self.mark == "max" else f"{metric}:{self.mark}"

    __repr__ = __str__


def select(
    counts: Counts,
    metric: AnyMethod,
    policy: Policy | str | None = None,
    *,
    reduce: str = "max",
    for_class: Any = None,
    against: Any = None,
    **options: Any,
) -> Selection:
    """Select terms with a metric and a policy, in order.

    Parameters
    ----------
    metric : str, Metric, function of Cells, or Method
        A name or alias in `termsift.metrics()`, or your own; or a complete method: "bns:RoundRobin(100)".
    policy : policy or str, optional
        The default is the method's own policy.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}
        How the scores of the classes are combined, for policies that read one score per term.
    for_class : optional
        Select for this class only, or for a list of classes taken as one.
    against : optional
        The class, or classes, to compare with. The default is all other classes.
    **options
        Options of the metric, such as smoothing=0.5.

    counts : as returned by `ts.count`

    >>> from termsift import count

    >>> from termsift import TopK
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> select(counts, "chi2", TopK(2))
    Selection(['lunch', 'prize'], chi2, TopK(k=2))

    """
    method = build_method(metric, policy, reduce, options)
    if for_class is not None or against is not None:
        counts, for_class = contrast(counts, for_class, against)
    return method.selection(counts, for_class=for_class)


def build_method(
    metric: AnyMethod, policy: Policy | str | None, reduce: str, options: Mapping[str, Any]
) -> Method:
    """The method of what is given apart: a metric or a whole method, a policy, a reduction, options."""
    if not isinstance(options, Mapping):
        raise InvalidInputError(f"options of a metric are a dict of names and values, got {options!r}")
    given = parse_method(metric)
    if policy is not None and given.policy != SUFFIX_POLICIES["max"]:
        raise InvalidInputError(
            f"{given} has a policy of its own; leave out {policy!r}, or name the metric alone"
        )
    chooser = given.policy if policy is None else as_policy(policy)
    return Method(given.metric, with_reduction(chooser, reduce), dict(given.options) | dict(options))


AnyMethod: TypeAlias = Method | AnyMetric


def parse_method(value: AnyMethod) -> Method:
    """A method: itself, as it is written, of a metric, or of a function of Cells.

    >>> parse_method("gu(printed=True):round_robin").policy
    RoundRobin()
    """
    if isinstance(value, Method):
        return value
    if not isinstance(value, str):
        if not (isinstance(value, Metric) or callable(value)):
            raise InvalidInputError(f"a metric is named as in termsift.metrics(), got {value!r}")
        return Method(metric_from(value))
    written, way = split_way(value)
    metric, options = metric_with_options(written)
    return Method(metric, policy_of_way(way, metric.name), options)


def split_way(text: str) -> tuple[str, str]:
    """A metric with its options, and what is written behind the colon; a colon may be part of an option.

    >>> split_way("gu(printed=True):round_robin"), split_way("bns")
    (('gu(printed=True)', 'turns'), ('bns', ''))
    """
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ":" and depth == 0:
            return text[:place], text[place + 1 :]
    return text, ""


def policy_of_way(way: str, metric: str) -> Policy:
    """The policy of a mark such as 'turns', or of an expression such as 'RoundRobin(100)'."""
    if not way or way in SUFFIX_POLICIES:
        return SUFFIX_POLICIES[way or "max"]
    if "(" in way or way in POLICIES:
        return parse_policy(way)
    raise unknown(f"way to use {metric}", way, SUFFIX_POLICIES)


def with_reduction(policy: Policy, reduce: str) -> Policy:
    """The policy, by another reduction than the largest score, where it reads one score per term."""
    how = reduction_name(reduce)
    if how == "max" or policy.by_class:
        return policy
    if how == "round_robin" and isinstance(policy, TopK):
        return RoundRobin(policy.k)
    if not has_field(policy, "reduce"):
        raise InvalidInputError(f"{policy!r} takes no reduce, got {reduce!r}")
    return replace(policy, reduce=how)  # type: ignore[type-var]


def has_field(policy: object, name: str) -> bool:
    """Whether a policy is a value with a field of that name."""
    return is_dataclass(policy) and name in {own.name for own in fields(policy)}
