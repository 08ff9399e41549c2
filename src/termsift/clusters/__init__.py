"""Words in clusters, by how they are spread over the classes."""

from termsift.clusters.agglomerative import Agglomerative
from termsift.clusters.divisive import Divisive

__all__ = ["Agglomerative", "Divisive"]
