"""Methods: a metric and a policy as one value, which prints as the text it is parsed from.

bns                            each term by its best class
bns:mean                       by the mean over the classes; likewise bns:weighted and bns:sum
bns:round_robin                the classes choose in turn, each its best term not yet chosen (Forman 2004)
bns:per_class                  separate terms for each class, k of them
cc:combined                    positive and negative terms, one ratio found by cross-validation
cc:combined_per_class          k terms and a ratio for each class (Zheng 2004)
bns:significant                terms above the significance threshold (one expected false positive)
ig:cmim                        each term by its value given those before it; likewise ig:jmi and ig:mrmr
gu(printed=True):round_robin   options of the metric
cc:PositiveNegative(ratio=0.8) any policy
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.errors import (
    InvalidInputError,
    TermsiftError,
    closest_name,
    unknown_name_error,
)
from termsift._internal.ranking import Ranking
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, check_positive_integer
from termsift.counts import Counts, as_counts, contrast_classes
from termsift.metrics import (
    AnyMetric,
    Metric,
    Scores,
    as_metric,
    check_metric_options,
    check_reduction,
    format_metric,
    metrics,
    parse_metric,
    score,
)
from termsift.selection.policies import (
    POLICIES,
    SUFFIX_POLICIES,
    PerClass,
    PositiveNegative,
    RedundancyAware,
    parse_policy,
)
from termsift.selection.policy_base import Policy
from termsift.selection.selection import Selection

# methods of compare, select and benchmark that are not a metric with a policy
DOCUMENT_METHODS = {
    "greedy": "k terms, each chosen for what it adds to the divergence of those before it (tang2016)",
    "l1": "terms with a weight in an L1 logistic regression",
    "sklearn_chi2": "k best terms of scikit-learn's SelectKBest(chi2)",
    "all": "all terms",
    "class_weights": "a feature for each class, from all terms weighted by their share in it (jiang-lee)",
    "divisive": "clusters of words as features, such as divisive(100) (Dhillon, Mallela and Kumar 2003)",
}


@dataclass(frozen=True, slots=True, repr=False)
class Method:
    """Method of selecting terms: a metric with its options, and a policy.

    Parameters
    ----------
    metric : Metric or str
        A metric, or its name.
    policy : policy or str, default TopK()
        A policy, or an expression such as "RoundRobin(100)".
    options : mapping, optional
        Options of the metric.

    Raises
    ------
    InvalidInputError
        If the policy is not valid.
    UnknownNameError
        If the metric, the policy or an option is unknown.

    Examples
    --------
    >>> print(Method("ngl", "RoundRobin"))
    cc:round_robin

    """

    metric: Metric
    policy: Policy = field(default=SUFFIX_POLICIES["max"])
    options: Mapping[str, Any] | tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", as_metric(self.metric))
        check_metric_options(self.metric, dict(self.options))
        object.__setattr__(self, "policy", parse_policy(self.policy))
        # sorted and hashable, so that equal methods are equal keys
        object.__setattr__(self, "options", tuple(sorted(dict(self.options).items())))

    @property
    def suffix(self) -> str | None:
        """Suffix of the policy after the metric's name, for any k; None if there is none."""
        policy: Any = self.policy
        # the suffix is the same for all k
        size = {"k": policy.k} if hasattr(policy, "k") else {}
        for suffix, suffix_policy in SUFFIX_POLICIES.items():
            if type(suffix_policy) is type(policy) and replace(suffix_policy, **size) == policy:  # type: ignore[type-var]
                return suffix
        return None

    def check(self, single_label: bool) -> None:
        """Raise an error if the metric does not fit the policy or the labels.

        Parameters
        ----------
        single_label : bool
            Whether each document has exactly one label.

        Raises
        ------
        InvalidInputError
            If the policy needs a one-sided metric, or if the method needs exactly one label per document.

        """
        is_one_sided = self.metric.sided == 1 or dict(self.options).get("signed")
        if getattr(self.policy, "reads_signs", False) and not is_one_sided:
            names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
            message = f"{self} needs a one-sided metric, but {self.metric.name} is not; use one of: {names}"
            raise InvalidInputError(message)
        if not single_label and (self.metric.single_label or getattr(self.policy, "single_label", False)):
            raise InvalidInputError(
                f"{self} needs exactly one label per document; some documents have several labels or none"
            )

    def scores(self, counts: Counts, for_class: object = None) -> Scores:
        """Return the scores in the form that the policy needs: per class, or one per term.

        Parameters
        ----------
        counts : Counts
            As returned by `ts.count`.
        for_class : object, optional
            Score for this class only.

        Returns
        -------
        Scores
            Scores of all terms.

        """
        options, by_class = dict(self.options), self.policy.by_class
        # a metric that is a sum over the classes is split into its summands
        if by_class and self.metric.summed:
            options.setdefault("per_class", True)
        if for_class is None:
            reduction = None if by_class else getattr(self.policy, "reduce", "max")
            return score(counts, self.metric, reduce=reduction, **options)
        class_scores = score(counts, self.metric, **options).of_class(for_class)
        return class_scores if by_class else replace(class_scores, values=class_scores.values[:, 0])

    def ranking(self, counts: Counts, k: int) -> Ranking:
        """Return the k best terms in order, or all if there are fewer; for all classes or for each class.

        Parameters
        ----------
        counts : Counts
            As returned by `ts.count`.
        k : int
            Number of terms.

        Returns
        -------
        Ranking
            Indices of the terms, one list for all classes or one per class.

        """
        k = min(k, len(counts.terms))
        policy = self.limit_k(k).policy if k else self.policy
        scores = self.scores(counts)
        # a user-defined policy may lack `ranking`
        if not hasattr(policy, "ranking"):
            return Ranking((policy.choose(scores)[:k],))
        ranking = policy.ranking(scores)
        return ranking if ranking.local else Ranking((ranking.orders[0][:k],))

    def selection(self, counts: Counts, k: int | None = None, for_class: object = None) -> Selection:
        """Return the chosen terms, for all classes or for a single class.

        Parameters
        ----------
        counts : Counts
            As returned by `ts.count`.
        k : int, optional
            Maximum number of terms (default: as in the policy).
        for_class : object, optional
            Select for this class only.

        Returns
        -------
        Selection
            The chosen terms, best first.

        """
        policy = self.policy if k is None else self.limit_k(k).policy
        scores = self.scores(counts, for_class)
        return Selection.from_indices(policy.choose(scores), scores, policy)

    def class_terms(self, counts: Counts) -> Table | None:
        """Return the terms of each class, if the policy chooses separate terms for each class.

        Parameters
        ----------
        counts : Counts
            As returned by `ts.count`.

        Returns
        -------
        Table or None
            Columns class, term and, for positive and negative terms, the ratio of the class; None for other
            policies.

        """
        policy: Any = self.policy
        if not (isinstance(policy, PerClass) or getattr(policy, "per_class", False)):
            return None
        scores = self.scores(counts)
        ranking = policy.ranking(scores)
        ratios = policy.positive_shares(scores) if isinstance(policy, PositiveNegative) else None
        return tabulate_class_terms(ranking, counts.terms, counts.classes, ratios) if ranking.local else None

    def limit_k(self, k: int) -> Method:
        """Return the method limited to k terms, if its policy has a k.

        Parameters
        ----------
        k : int
            Maximum number of terms; a smaller k of the policy stays.

        Returns
        -------
        Method
            The limited method, or the same method if its policy has no k.

        Raises
        ------
        InvalidInputError
            If `k` is not a positive integer.

        """
        policy: Any = self.policy
        if "k" not in getattr(policy, "__dataclass_fields__", ()):
            return self
        check_positive_integer(k)
        return replace(self, policy=replace(policy, k=k if policy.k is None else min(k, policy.k)))

    def __str__(self) -> str:
        metric, suffix = format_metric(self.metric, dict(self.options)), self.suffix
        if suffix is None or SUFFIX_POLICIES[suffix] != self.policy:
            return f"{metric}:{self.policy!r}"
        return metric if suffix == "max" else f"{metric}:{suffix}"

    __repr__ = __str__


AnyMethod: TypeAlias = Method | AnyMetric


def select(
    counts: Any,
    metric: AnyMethod,
    policy: Policy | str | None = None,
    *,
    k: int | None = None,
    reduce: str = "max",
    for_class: Any = None,
    reference: Any = None,
    **options: Any,
) -> Selection:
    """Select terms with a metric and a policy, in order.

    Parameters
    ----------
    counts : Counts, path, data frame or Corpus
        As returned by `ts.count`; or saved counts, or documents with their labels, which are counted first.
    metric : str, Metric, function of Cells, or Method
        A name or alias in `termsift.metrics()`, or a user-defined metric; or a complete method:
        "bns:RoundRobin(100)".
    policy : policy or str, optional
        Rule that chooses the terms (default: the policy of the method).
    k : int, optional
        Maximum number of terms, for policies with a number of terms.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined, for policies that need one score per term.
    for_class : object or list, optional
        Select for this class only, or for a list of classes treated as one.
    reference : object or list, optional
        Class or classes to compare with (default: all other classes).
    **options
        Options of the metric, such as smoothing=0.5.

    Returns
    -------
    Selection
        The chosen terms, best first.

    Raises
    ------
    InvalidInputError
        If the metric does not fit the policy or the counts, or `policy` is given and the method has one.
    UnknownNameError
        If a metric, policy, option or class is unknown.

    Examples
    --------
    >>> from termsift import TopK, count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> select(counts, "chi2", k=2)
    Selection(['lunch', 'prize'], chi2, TopK(k=2))
    >>> select(counts, "chi2", TopK(2)).terms == select(counts, "chi2", k=2).terms
    True

    """
    counts = as_counts(counts)
    if not isinstance(counts, Counts):
        from termsift.engines import count  # takes long to import

        counts = count(counts)
    method = build_method(metric, policy, reduce, options)
    if k is not None:
        if "k" not in getattr(method.policy, "__dataclass_fields__", ()):
            raise InvalidInputError(f"{method.policy!r} has no number of terms; omit k={k!r}")
        method = method.limit_k(k)
    if for_class is not None or reference is not None:
        counts, for_class = contrast_classes(counts, for_class, reference)
    return method.selection(counts, for_class=for_class)


def build_method(
    metric: AnyMethod, policy: Policy | str | None, reduce: str, options: Mapping[str, Any]
) -> Method:
    """Combine a metric or method, a policy, a reduction and options into a method."""
    method = parse_method(metric)
    if policy is not None and method.policy != SUFFIX_POLICIES["max"]:
        raise InvalidInputError(f"{method} already has a policy; omit {policy!r}, or give only the metric")
    new_policy: Any = method.policy if policy is None else parse_policy(policy)
    check_reduction(reduce)
    if reduce != "max" and not new_policy.by_class:
        if "reduce" not in getattr(new_policy, "__dataclass_fields__", ()):
            raise InvalidInputError(f"{new_policy!r} does not combine classes; omit reduce={reduce!r}")
        new_policy = replace(new_policy, reduce=reduce)
    return Method(method.metric, new_policy, dict(method.options) | dict(options))


def parse_method(value: AnyMethod) -> Method:
    """Return a method, given as such, as text, as a metric or as a function of Cells.

    >>> parse_method("gu(printed=True):round_robin").policy
    RoundRobin()
    """
    if isinstance(value, Method):
        return value
    if not isinstance(value, str):
        if not (isinstance(value, Metric) or callable(value)):
            raise InvalidInputError(f"metric must be a name, a Metric or a function, got {value!r}")
        return Method(as_metric(value))
    # the suffix follows the first colon outside parentheses
    colon, depth = 0, 0
    while colon < len(value) and (depth or value[colon] != ":"):
        depth += (value[colon] == "(") - (value[colon] == ")")
        colon += 1
    try:
        metric, options = parse_metric(value[:colon])
    except TermsiftError:
        name = value[:colon].partition("(")[0].strip()
        if name in DOCUMENT_METHODS:
            message = f"{name} is not a metric of counts; use compare, or `termsift select` with a file"
            raise InvalidInputError(message) from None
        names = [name for metric in metrics() for name in (metric.name, *metric.aliases)]
        if closest_name(name, [*names, *DOCUMENT_METHODS]) in DOCUMENT_METHODS:
            raise unknown_name_error("method", name, DOCUMENT_METHODS) from None
        raise
    suffix = value[colon + 1 :]
    if not suffix or suffix in SUFFIX_POLICIES:
        policy = SUFFIX_POLICIES[suffix or "max"]
    elif "(" in suffix or suffix in POLICIES:
        policy = parse_policy(suffix)
    else:
        raise unknown_name_error(f"suffix of {metric.name}", suffix, SUFFIX_POLICIES)
    return Method(metric, policy, options)


def needs_documents(metric: str, policy: Any = None) -> bool:
    """Return whether counts are not enough for a method, given as text.

    policy : policy, if the text is only a metric

    >>> needs_documents("greedy"), needs_documents("cc:combined"), needs_documents("bns")
    (True, True, False)
    """
    base = metric.rpartition("@")[0] or metric
    if base.partition("(")[0].strip() in DOCUMENT_METHODS:
        return True
    policy = parse_method(base).policy if policy is None else policy
    is_searched = isinstance(policy, PositiveNegative) and policy.ratio == "auto"
    return is_searched or isinstance(policy, RedundancyAware)


def tabulate_class_terms(
    ranking: Ranking, terms: Array, classes: Iterable[Any], ratios: Any, size: int | None = None
) -> Table:
    """Return the first terms of each class of a local ranking: class, term and, if given, ratio."""
    orders = [order[:size] for order in ranking.orders]
    lengths = [len(order) for order in orders]
    columns = {
        "class": np.repeat(as_term_array(list(map(str, classes))), lengths),
        "term": as_term_array(list(map(str, terms[np.concatenate(orders)]))),
    }
    return Table(columns if ratios is None else columns | {"ratio": np.repeat(ratios, lengths)})


def list_methods() -> Table:
    """Return the suffixes of metrics and the methods of documents, each with a description."""
    rows = [(f"METRIC:{suffix}", repr(policy)) for suffix, policy in SUFFIX_POLICIES.items()]
    names, descriptions = zip(*rows, *DOCUMENT_METHODS.items(), strict=True)
    return Table({"method": as_term_array(list(names)), "description": as_term_array(list(descriptions))})
