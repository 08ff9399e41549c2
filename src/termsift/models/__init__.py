"""Models as data: prediction, explanation, evaluation, calibration, files, and scikit-learn pipelines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from termsift.models.calibration import (
    NO_LINK,
    PLATT,
    SIGMOID,
    SOFTMAX,
    Calibration,
    fit_calibration,
)
from termsift.models.explanation import Explanation, explanation_table
from termsift.models.model import Model, load_model
from termsift.models.prediction import (
    check_extension,
    iter_texts,
    make_csv_writer,
    make_json_writer,
    open_table_writer,
)
from termsift.models.steps import ALL_TERMS, BINARY, CLASS_TERMS, FEATURES, LOG, NO_NORM, Steps
from termsift.models.storage import check_model_path

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation as Evaluation
    from termsift.models.pages import render_explanation_page as render_explanation_page
    from termsift.models.sklearn_models import build_linear_map as build_linear_map
    from termsift.models.sklearn_models import build_one_vs_rest as build_one_vs_rest
    from termsift.models.sklearn_models import center_classes as center_classes
    from termsift.models.sklearn_models import explain as explain
    from termsift.models.sklearn_models import linear_coefficients as linear_coefficients

# imported when they are first used: what they import takes longer than a model takes to label a file
_LAZY = {
    **dict.fromkeys(
        ("build_linear_map", "build_one_vs_rest", "center_classes", "explain", "linear_coefficients"),
        "sklearn_models",
    ),
    "Evaluation": "evaluate",
    "render_explanation_page": "pages",
}

__all__ = [
    "ALL_TERMS",
    "BINARY",
    "CLASS_TERMS",
    "FEATURES",
    "LOG",
    "NO_LINK",
    "NO_NORM",
    "PLATT",
    "SIGMOID",
    "SOFTMAX",
    "Calibration",
    "Evaluation",
    "Explanation",
    "Model",
    "Steps",
    "build_linear_map",
    "build_one_vs_rest",
    "center_classes",
    "check_extension",
    "check_model_path",
    "explain",
    "explanation_table",
    "fit_calibration",
    "iter_texts",
    "linear_coefficients",
    "load_model",
    "make_csv_writer",
    "make_json_writer",
    "open_table_writer",
    "render_explanation_page",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'termsift.models' has no attribute {name!r}")
    return getattr(import_module(f"termsift.models.{_LAZY[name]}"), name)
