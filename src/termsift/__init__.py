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
    from termsift import discrimination as discrimination
    from termsift import evaluation as evaluation
    from termsift import report as report
    from termsift import studies as studies
    from termsift.audit import audit as audit
    from termsift.clusters import Agglomerative as Agglomerative
    from termsift.clusters import Divisive as Divisive
    from termsift.compare import compare as compare
    from termsift.counting import count as count
    from termsift.counts import Counts as Counts
    from termsift.differences import Difference as Difference
    from termsift.differences import diff as diff
    from termsift.engines import spark as spark
    from termsift.errors import EngineFailure as EngineFailure
    from termsift.errors import InvalidInput as InvalidInput
    from termsift.errors import TermsiftError as TermsiftError
    from termsift.errors import TermsiftWarning as TermsiftWarning
    from termsift.errors import UnknownName as UnknownName
    from termsift.errors import UnreadableFile as UnreadableFile
    from termsift.estimators import ClassWeightExtractor as ClassWeightExtractor
    from termsift.estimators import GreedyDiscriminationSelector as GreedyDiscriminationSelector
    from termsift.estimators import PositiveNegativeSelector as PositiveNegativeSelector
    from termsift.estimators import RedundancyAwareSelector as RedundancyAwareSelector
    from termsift.estimators import ScoreFunction as ScoreFunction
    from termsift.estimators import TermSelector as TermSelector
    from termsift.estimators import TermVectorizer as TermVectorizer
    from termsift.estimators import TermWeighter as TermWeighter
    from termsift.estimators import WordClusterExtractor as WordClusterExtractor
    from termsift.experiment.shuffling import score as score
    from termsift.group_intervals import Jackknife as Jackknife
    from termsift.group_intervals import jackknife as jackknife
    from termsift.groups import GroupedCounts as GroupedCounts
    from termsift.methods import Method as Method
    from termsift.methods import select as select
    from termsift.metrics import Metric as Metric
    from termsift.metrics import metrics as metrics
    from termsift.models import SavedModel as SavedModel
    from termsift.models import load_model as load_model
    from termsift.policies import AboveChance as AboveChance
    from termsift.policies import AtLeast as AtLeast
    from termsift.policies import FalseDiscovery as FalseDiscovery
    from termsift.policies import Percentile as Percentile
    from termsift.policies import PerClass as PerClass
    from termsift.policies import PositiveNegative as PositiveNegative
    from termsift.policies import RedundancyAware as RedundancyAware
    from termsift.policies import RoundRobin as RoundRobin
    from termsift.policies import SignWeighted as SignWeighted
    from termsift.policies import TopK as TopK
    from termsift.scores import Scores as Scores
    from termsift.selection import Selection as Selection
    from termsift.tables import Table as Table
    from termsift.text import Analyzer as Analyzer

__version__ = "0.2.0"

# Where each public name lives. A name is imported when first used, so that `import termsift` costs nothing.
_HOMES = {
    name: home
    for home, names in {
        "clusters": "Agglomerative Divisive",
        "counting": "count",
        "counts": "Counts",
        "differences": "Difference diff",
        "errors": "EngineFailure InvalidInput TermsiftError TermsiftWarning UnknownName UnreadableFile",
        "estimators": "ClassWeightExtractor GreedyDiscriminationSelector PositiveNegativeSelector "
        "RedundancyAwareSelector ScoreFunction TermSelector TermVectorizer TermWeighter WordClusterExtractor",
        "experiment.shuffling": "score",
        "group_intervals": "Jackknife jackknife",
        "groups": "GroupedCounts",
        "methods": "Method select",
        "metrics": "Metric",
        "models": "SavedModel load_model",
        "policies": "AboveChance AtLeast FalseDiscovery PerClass Percentile PositiveNegative RedundancyAware "
        "RoundRobin SignWeighted TopK",
        "scores": "Scores",
        "selection": "Selection",
        "tables": "Table",
        "text": "Analyzer",
    }.items()
    for name in names.split()
}
_NAMED = ("audit", "compare", "corpora", "discrimination", "evaluation", "metrics", "report", "studies")
_ROOMS = {name: name for name in _NAMED} | {"spark": "engines.spark"}

__all__ = ["__version__", *_HOMES, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"termsift.{_ROOMS[name]}")
    home = import_module(f"termsift.{_HOMES.get(name, 'policies')}") if not name.startswith("_") else None
    if home is None or not (name in _HOMES or name in home.POLICIES):
        raise AttributeError(f"module 'termsift' has no attribute {name!r}")
    value = getattr(home, name) if name in _HOMES else home.POLICIES[name]
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
