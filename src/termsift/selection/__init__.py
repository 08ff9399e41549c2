"""Selection of terms: policies, methods, selections, greedy discrimination, redundancy, word clusters."""

from __future__ import annotations

from termsift.selection.clusters import DivisiveClustering as DivisiveClustering
from termsift.selection.clusters import Profiles as Profiles
from termsift.selection.clusters import class_profiles as class_profiles
from termsift.selection.discrimination import ClassDistributions as ClassDistributions
from termsift.selection.discrimination import TopTwoTerms as TopTwoTerms
from termsift.selection.discrimination import compare_top_two_terms as compare_top_two_terms
from termsift.selection.discrimination import divergences as divergences
from termsift.selection.discrimination import greedy_ranking as greedy_ranking
from termsift.selection.discrimination import jmh_divergence as jmh_divergence
from termsift.selection.discrimination import kl_divergence as kl_divergence
from termsift.selection.discrimination import rank_greedily as rank_greedily
from termsift.selection.discrimination import term_gains as term_gains
from termsift.selection.methods import AnyMethod as AnyMethod
from termsift.selection.methods import Method as Method
from termsift.selection.methods import build_method as build_method
from termsift.selection.methods import list_methods as list_methods
from termsift.selection.methods import needs_documents as needs_documents
from termsift.selection.methods import parse_method as parse_method
from termsift.selection.methods import select as select
from termsift.selection.methods import tabulate_class_terms as tabulate_class_terms
from termsift.selection.policies import FalseDiscovery as FalseDiscovery
from termsift.selection.policies import Percentile as Percentile
from termsift.selection.policies import PerClass as PerClass
from termsift.selection.policies import PositiveNegative as PositiveNegative
from termsift.selection.policies import RedundancyAware as RedundancyAware
from termsift.selection.policies import RoundRobin as RoundRobin
from termsift.selection.policies import Significant as Significant
from termsift.selection.policies import Threshold as Threshold
from termsift.selection.policies import TopK as TopK
from termsift.selection.policies import parse_policy as parse_policy
from termsift.selection.policies import positive_class_slice as positive_class_slice
from termsift.selection.policies import positive_negative_rankings as positive_negative_rankings
from termsift.selection.policies import require_one_sided_scores as require_one_sided_scores
from termsift.selection.policy_base import Policy as Policy
from termsift.selection.policy_base import is_fraction as is_fraction
from termsift.selection.policy_base import limit_k as limit_k
from termsift.selection.redundancy import select_non_redundant as select_non_redundant
from termsift.selection.selection import Selection as Selection
from termsift.selection.selection import describe_significance as describe_significance
