"""Saved models: files, predictions, explanations, evaluation and calibration."""

from __future__ import annotations

from termsift.models.decision_values import (
    Calibration,
    class_decision_values,
    fit_calibration,
    is_binary_one_vs_rest,
)
from termsift.models.explanation import explanation_table
from termsift.models.model import Model, load_model
from termsift.models.pages import render_explanation_page
from termsift.models.prediction import (
    check_extension,
    iter_texts,
    make_csv_writer,
    make_json_writer,
    open_table_writer,
)
from termsift.models.storage import (
    MODEL_FILES,
    PIPELINE_FILE,
    SELECTION_FILE,
    TRUSTED_TYPES,
    build_model_files,
    serialize_pipeline,
)

__all__ = [
    "MODEL_FILES",
    "PIPELINE_FILE",
    "SELECTION_FILE",
    "TRUSTED_TYPES",
    "Calibration",
    "Model",
    "build_model_files",
    "check_extension",
    "class_decision_values",
    "explanation_table",
    "fit_calibration",
    "is_binary_one_vs_rest",
    "iter_texts",
    "load_model",
    "make_csv_writer",
    "make_json_writer",
    "open_table_writer",
    "render_explanation_page",
    "serialize_pipeline",
]
