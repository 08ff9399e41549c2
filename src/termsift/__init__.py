"""termsift finds the terms that tell classes of text apart.

An engine turns a corpus into counts; a metric turns counts into scores;
a policy turns scores into a selection.

>>> import termsift as ts
>>> counts = ts.count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
>>> ts.select(counts, "bns", ts.TopK(2))
Selection(['lunch', 'prize'], bns, TopK(k=2))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termsift import corpora as corpora
    from termsift import evaluation as evaluation
    from termsift import report as report
    from termsift import selection as selection
    from termsift._internal.errors import EngineError as EngineError
    from termsift._internal.errors import InvalidInputError as InvalidInputError
    from termsift._internal.errors import TermsiftError as TermsiftError
    from termsift._internal.errors import TermsiftWarning as TermsiftWarning
    from termsift._internal.errors import UnknownNameError as UnknownNameError
    from termsift._internal.errors import UnreadableFileError as UnreadableFileError
    from termsift._internal.tables import Table as Table
    from termsift.analysis import Difference as Difference
    from termsift.analysis import audit as audit
    from termsift.analysis import diff as diff
    from termsift.compare import Benchmark as Benchmark
    from termsift.compare import benchmark as benchmark
    from termsift.compare import compare as compare
    from termsift.counts import Counts as Counts
    from termsift.counts import GroupedCounts as GroupedCounts
    from termsift.engines import count as count
    from termsift.engines import score as score
    from termsift.engines import spark as spark
    from termsift.estimators import ClassWeightExtractor as ClassWeightExtractor
    from termsift.estimators import GreedyDiscriminationSelector as GreedyDiscriminationSelector
    from termsift.estimators import PositiveNegativeSelector as PositiveNegativeSelector
    from termsift.estimators import RedundancyAwareSelector as RedundancyAwareSelector
    from termsift.estimators import ScoreFunction as ScoreFunction
    from termsift.estimators import TermSelector as TermSelector
    from termsift.estimators import TermVectorizer as TermVectorizer
    from termsift.estimators import TermWeighter as TermWeighter
    from termsift.estimators import WordClusterExtractor as WordClusterExtractor
    from termsift.metrics import Jackknife as Jackknife
    from termsift.metrics import Metric as Metric
    from termsift.metrics import Scores as Scores
    from termsift.metrics import dispersion as dispersion
    from termsift.metrics import jackknife as jackknife
    from termsift.metrics import metrics as metrics
    from termsift.models import Model as Model
    from termsift.models import explain as explain
    from termsift.models import load_model as load_model
    from termsift.selection import DivisiveClustering as DivisiveClustering
    from termsift.selection import FalseDiscovery as FalseDiscovery
    from termsift.selection import Method as Method
    from termsift.selection import Percentile as Percentile
    from termsift.selection import PerClass as PerClass
    from termsift.selection import PositiveNegative as PositiveNegative
    from termsift.selection import RedundancyAware as RedundancyAware
    from termsift.selection import RoundRobin as RoundRobin
    from termsift.selection import Selection as Selection
    from termsift.selection import Significant as Significant
    from termsift.selection import Threshold as Threshold
    from termsift.selection import TopK as TopK
    from termsift.selection import select as select
    from termsift.text import Analyzer as Analyzer

__version__ = "0.2.0"

# The package of each public name, which is imported when it is first used: `import termsift` loads nothing.
_NAMES = {
    name: package
    for package, names in {
        "_internal.errors": "EngineError InvalidInputError TermsiftError TermsiftWarning UnknownNameError "
        "UnreadableFileError",
        "_internal.tables": "Table",
        "analysis": "Difference audit concordance diff keyness",
        "compare": "Benchmark benchmark",
        "counts": "Counts GroupedCounts",
        "engines": "count score",
        "estimators": "ClassWeightExtractor GreedyDiscriminationSelector PositiveNegativeSelector "
        "RedundancyAwareSelector ScoreFunction TermSelector TermVectorizer TermWeighter "
        "WordClusterExtractor",
        "metrics": "Jackknife Metric Scores dispersion jackknife",
        "models": "Model explain load_model",
        "selection": "Significant Threshold DivisiveClustering FalseDiscovery Method PerClass Percentile "
        "PositiveNegative RedundancyAware RoundRobin Selection TopK select",
        "text": "Analyzer",
    }.items()
    for name in names.split()
}
_PACKAGES = {
    name: name for name in ("compare", "corpora", "evaluation", "metrics", "report", "selection")
} | {"spark": "engines.spark"}
# The documented names of these packages; the other names of their interfaces are for termsift itself.
PACKAGE_NAMES = {
    package: tuple(names.split())
    for package, names in {
        "compare": "Comparison compare",
        "corpora": "Corpus load names read_folder table",
        "evaluation": "Average BreakEven Confusion TestResult accuracy best_pairs best_sizes break_even "
        "break_even_counts break_even_f1 corrected_resampled_t f1 f_beta holm method_differences paired_t "
        "pair_wins precision recall residual_wins shared_break_even_counts wilcoxon win_rates",
        "metrics": "AnyMetric Metric as_metric bibtex metrics",
        "report": "Findings landscape notebook_html report_html roc_space save_chart",
        "selection": "TopTwoTerms compare_top_two_terms divergences greedy_ranking jmh_divergence "
        "kl_divergence",
        "spark": "read session top vectorizer",
    }.items()
}

__all__ = ["__version__", *_NAMES, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"termsift.{_PACKAGES[name]}")
    if name not in _NAMES:
        raise AttributeError(f"module 'termsift' has no attribute {name!r}")
    value = getattr(import_module(f"termsift.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
