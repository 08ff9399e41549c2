"""Saved models: what is in their folder, what they say of documents, why, and how well."""

from __future__ import annotations

from termsift.models.decision_values import Calibration, class_margins, fitted_calibration, is_mirrored
from termsift.models.explanation import explanation_table
from termsift.models.model import Model, load_model
from termsift.models.pages import explanation_page
from termsift.models.prediction import check_ending, csv_writer, json_writer, table_writer, unlabelled_texts
from termsift.models.storage import FILES, OWN_TYPES, PIPELINE, SELECTION, folder_contents, pipeline_bytes

__all__ = [
    "FILES",
    "OWN_TYPES",
    "PIPELINE",
    "SELECTION",
    "Calibration",
    "Model",
    "check_ending",
    "class_margins",
    "csv_writer",
    "explanation_page",
    "explanation_table",
    "fitted_calibration",
    "folder_contents",
    "is_mirrored",
    "json_writer",
    "load_model",
    "pipeline_bytes",
    "table_writer",
    "unlabelled_texts",
]
