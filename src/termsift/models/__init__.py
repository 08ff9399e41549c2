"""Models as data: prediction, explanation, evaluation, calibration, files, and scikit-learn pipelines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from termsift.models.calibration import NO_LINK as NO_LINK
from termsift.models.calibration import PLATT as PLATT
from termsift.models.calibration import SIGMOID as SIGMOID
from termsift.models.calibration import SOFTMAX as SOFTMAX
from termsift.models.calibration import Calibration as Calibration
from termsift.models.calibration import fit_calibration as fit_calibration
from termsift.models.explanation import Explanation as Explanation
from termsift.models.explanation import explanation_table as explanation_table
from termsift.models.model import Model as Model
from termsift.models.model import load_model as load_model
from termsift.models.prediction import check_extension as check_extension
from termsift.models.prediction import format_rows as format_rows
from termsift.models.prediction import iter_texts as iter_texts
from termsift.models.prediction import predict_tables as predict_tables
from termsift.models.prediction import write_tables as write_tables
from termsift.models.steps import ALL_TERMS as ALL_TERMS
from termsift.models.steps import BINARY as BINARY
from termsift.models.steps import CLASS_TERMS as CLASS_TERMS
from termsift.models.steps import FEATURES as FEATURES
from termsift.models.steps import LOG as LOG
from termsift.models.steps import NO_NORM as NO_NORM
from termsift.models.steps import Steps as Steps
from termsift.models.storage import check_model_path as check_model_path

if TYPE_CHECKING:
    from termsift.models.evaluate import Evaluation as Evaluation
    from termsift.models.pages import render_explanation_page as render_explanation_page
    from termsift.models.sklearn_models import build_linear_map as build_linear_map
    from termsift.models.sklearn_models import build_one_vs_rest as build_one_vs_rest
    from termsift.models.sklearn_models import explain as explain

# imported when they are first used: what they import takes longer than a model takes to label a file
_LAZY = {
    **dict.fromkeys(("build_linear_map", "build_one_vs_rest", "explain"), "sklearn_models"),
    "Evaluation": "evaluate",
    "render_explanation_page": "pages",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'termsift.models' has no attribute {name!r}")
    return getattr(import_module(f"termsift.models.{_LAZY[name]}"), name)
