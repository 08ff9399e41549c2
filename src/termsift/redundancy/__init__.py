"""Terms that do not say the same: each is chosen for what it adds to those chosen before it.

Counts do not hold which terms occur together, so documents are read.
"""

from termsift.redundancy.choosing import redundancy_choice

__all__ = ["redundancy_choice"]
