"""Saved models: what is in their folder, what they say of documents, why, and how well."""

from termsift.models.loading import load_model
from termsift.models.saved_model import SavedModel

__all__ = ["SavedModel", "load_model"]
