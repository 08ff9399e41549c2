"""scikit-learn pipelines: models exported as such, and explanations of linear pipelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, LabelBinarizer, Normalizer
from sklearn.svm import LinearSVC

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, as_term_array
from termsift.evaluation.classifiers import linear_coefficients
from termsift.models import calibration as links
from termsift.models.explanation import Contributions, Explanation, explain_text
from termsift.models.steps import ALL_TERMS, BINARY, CLASS_TERMS, FEATURES, LOG
from termsift.text import Analyzer

if TYPE_CHECKING:
    from termsift.models.model import Model

TOLERANCE = 1e-6  # of sums that are equal up to rounding


def build_pipeline(model: Model) -> Pipeline:
    """Return a model as a fitted pipeline of scikit-learn."""
    rows = csr_array((1, len(model.terms)))
    steps: list[tuple[str, Any]] = []
    if model.analyzer is not None:
        steps.append(("count", build_vectorizer(model)))
    if model.steps.transform == BINARY:
        steps.append(("binary", Binarizer().fit(rows)))
    if model.steps.norm == CLASS_TERMS:
        return Pipeline([*steps, ("classify", _build_per_class_classifier(model))])
    if model.steps.transform == LOG or model.steps.weights is not None or model.steps.norm == ALL_TERMS:
        steps.append(("weigh", _build_weighting(model, model.steps.weights)))
    if model.steps.features is not None:
        steps.append(("map", build_linear_map(model.steps.features)))
    if model.steps.norm == FEATURES:
        steps.append(("scale", Normalizer()))
    return Pipeline([*steps, ("classify", _build_classifier(model))])


def build_vectorizer(model: Model) -> CountVectorizer:
    """Return the vectorizer of a model's terms; an error if CountVectorizer lacks an option."""
    analyzer = model.require_analyzer()
    if analyzer.analyzer != "word" or model.plain_words:
        analyzer = replace(analyzer, words="sklearn", hashtags=False)
    if analyzer.vectorizer_options is None:
        names = ("stemmer", "segmenter", "html", "normalize", "min_length")
        used = [name for name in names if getattr(analyzer, name) != getattr(Analyzer(), name)]
        raise InvalidInputError(
            f"this model cannot be exported, because CountVectorizer has no {' and no '.join(used)}; "
            "use it with termsift"
        )
    vectorizer = CountVectorizer(
        **analyzer.vectorizer_options, vocabulary=[str(term) for term in model.terms]
    )
    # the vocabulary is fixed; fitting only validates it
    vectorizer.fit([])
    # an object id by which scikit-learn remembers that stop words were checked; it differs between runs
    vars(vectorizer).pop("_stop_words_id", None)
    return vectorizer


def _build_weighting(model: Model, weights: Array | None) -> TfidfTransformer:
    norm = "l2" if model.steps.norm in (ALL_TERMS, CLASS_TERMS) else None
    is_log = model.steps.transform == LOG
    weighting = TfidfTransformer(norm=norm, use_idf=weights is not None, sublinear_tf=is_log)
    weighting.fit(csr_array((1, len(model.terms))))
    if weights is not None:
        weighting.idf_ = weights
    return weighting


def build_linear_map(features: csr_array[Any]) -> TruncatedSVD:
    """Return a linear map (terms, features) as a TruncatedSVD with given components."""
    mapping = TruncatedSVD(n_components=features.shape[1])
    mapping.components_ = features.T.toarray()
    mapping.n_features_in_ = features.shape[0]
    return mapping


def _build_per_class_classifier(model: Model) -> OneVsRestClassifier:
    """Return a one-vs-rest classifier whose classes weigh the terms of others by 0."""
    assert model.steps.class_terms is not None
    masks = model.steps.class_terms.toarray()
    weights = np.ones(len(model.terms)) if model.steps.weights is None else model.steps.weights
    pipelines = []
    for mask, row, intercept in zip(masks.T, model.coefficients.T, model.intercepts, strict=True):
        linear = _build_linear(model, row[None], np.array([intercept]), [0, 1])
        pipelines.append(Pipeline([("weigh", _build_weighting(model, weights * mask)), ("classify", linear)]))
    return build_one_vs_rest(pipelines, model.classes, model.is_multilabel)


def _build_classifier(model: Model) -> Any:
    """Return the linear classifier of a model."""
    n_classes = len(model.classes)
    is_mirrored = n_classes == 2 and (
        np.array_equal(model.coefficients[:, 0], -model.coefficients[:, 1])
        and model.intercepts[0] == -model.intercepts[1]
    )
    if not model.is_multilabel and is_mirrored:
        return _build_linear(model, model.coefficients[:, 1:].T, model.intercepts[1:], model.classes)
    if not model.is_multilabel and n_classes > 2 and model.link != links.SIGMOID:
        return _build_linear(model, model.coefficients.T, model.intercepts, model.classes)
    columns = zip(model.coefficients.T, model.intercepts, strict=True)
    estimators = [_build_linear(model, row[None], np.array([b]), [0, 1]) for row, b in columns]
    return build_one_vs_rest(estimators, model.classes, model.is_multilabel)


def _build_linear(model: Model, coefficients: Array, intercepts: Array, classes: Sequence[Any]) -> Any:
    """Return a linear classifier with given coefficients: with probabilities, if the model has a link."""
    linear: Any = LinearSVC()
    if model.link == links.SOFTMAX:
        linear = LogisticRegression()
    elif model.link == links.SIGMOID:
        linear = LogisticRegression(solver="liblinear")
    linear.classes_, linear.n_features_in_ = np.array(classes), coefficients.shape[1]
    # copied, because arrays of a loaded model cannot be changed
    linear.coef_, linear.intercept_ = np.array(coefficients, order="C"), np.array(intercepts)
    return linear


def build_one_vs_rest(
    estimators: Sequence[Any], classes: Sequence[Any], is_multilabel: bool
) -> OneVsRestClassifier:
    """Return fitted binary classifiers, one per class, as a OneVsRestClassifier.

    With several labels per document, `classes_` are the names of the columns.
    """
    binarizer = LabelBinarizer(sparse_output=True)
    # of two classes, too, the one with the larger decision value is chosen
    binarizer.y_type_ = "multilabel-indicator" if is_multilabel else "multiclass"
    binarizer.classes_, binarizer.sparse_input_ = np.array(classes), False
    combined = OneVsRestClassifier(LinearSVC())
    combined.estimators_, combined.label_binarizer_ = list(estimators), binarizer
    # an attribute since scikit-learn 1.9, before a property of the binarizer
    vars(combined)["classes_"] = binarizer.classes_
    return combined


def explain(pipeline: Any, data: Any, name: Any = None, *, reference: Any = None) -> list[Explanation]:
    """Explain predictions of a linear scikit-learn text pipeline.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline or Model
        A fitted CountVectorizer, TfidfVectorizer or TermVectorizer; steps that weigh or select terms; and a
        linear classifier or naive Bayes, also one-vs-rest.
    data : str or iterable of str
        A text, or several texts.
    name : object, optional
        Class to explain (default: the class with the largest decision value).
    reference : object, optional
        Another class, to explain why `name` is preferred to it.

    Returns
    -------
    list of Explanation
        One explanation per text; `to_html()` shows the text with highlighted words.

    Raises
    ------
    InvalidInputError
        If the decision values of the pipeline are not sums over words.
    UnknownNameError
        If a class is unknown.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> texts = ["free prize", "win a prize", "lunch at noon", "see you at noon"]
    >>> pipeline = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, ["spam", "spam", "ham", "ham"])
    >>> (why,) = explain(pipeline, "a prize at noon, a prize")
    >>> why.name, why.words["term"].tolist()[0]
    ('spam', 'prize')

    """
    from termsift.models.model import Model, as_texts

    if isinstance(pipeline, Model):
        return pipeline.explain(data, name, reference=reference)
    if not isinstance(pipeline, Pipeline) or len(pipeline.steps) < 2:
        raise InvalidInputError(f"expected a pipeline of a vectorizer and a classifier, got {pipeline!r}")
    vectorizer, classifier = pipeline.steps[0][1], pipeline.steps[-1][1]
    if not isinstance(vectorizer, CountVectorizer):
        raise InvalidInputError(
            f"the first step must be a CountVectorizer, TfidfVectorizer or TermVectorizer, got {vectorizer!r}"
        )
    terms = as_term_array(vectorizer.get_feature_names_out().tolist())
    coefficients, intercepts = linear_coefficients(classifier)
    classes = tuple(np.asarray(classifier.classes_).tolist())
    analyze = vectorizer.build_analyzer()
    explanations = []
    for text in [data] if isinstance(data, str) else as_texts(data):
        row, columns = _transform_text_with_columns(pipeline, text)
        values = row.data[:, None] * coefficients[row.indices]
        counts = csr_array(CountVectorizer.transform(vectorizer, [text])).toarray()[0]
        found = columns[row.indices]
        result = Contributions(found, counts[found], values, intercepts)
        _check_sums(classifier, row, result)
        predicted = pipeline.predict([text])[0]
        labels = (predicted,) if np.ndim(predicted) == 0 else np.array(classes, object)[predicted > 0]
        names = tuple(np.asarray(labels).tolist())
        explanations.append(explain_text(text, result, terms, classes, names, analyze, name, reference))
    return explanations


def _transform_text_with_columns(pipeline: Pipeline, text: str) -> tuple[csr_array[Any], Array]:
    """Return the features of a text before the classifier, and the column of each in the vocabulary."""
    row = csr_array(pipeline.steps[0][1].transform([text]))
    columns = np.arange(row.shape[1])
    for _, step in pipeline.steps[1:-1]:
        if step is None or step == "passthrough":
            continue
        before, row = row, csr_array(step.transform(row))
        if hasattr(step, "get_support"):
            columns = columns[step.get_support(indices=True)]
        # other steps may weigh terms, but not turn them into other features
        elif row.shape != before.shape or not np.isin(row.indices[row.data != 0], before.indices).all():
            raise InvalidInputError(
                f"this pipeline cannot be explained: the features of {type(step).__name__} are not terms"
            )
    row.eliminate_zeros()
    return row, columns


def _check_sums(classifier: Any, row: csr_array[Any], result: Contributions) -> None:
    """Check that contributions and intercepts add up to the decision values of a classifier."""
    if isinstance(classifier, OneVsRestClassifier) or not hasattr(classifier, "decision_function"):
        return
    expected = np.asarray(classifier.decision_function(row))
    expected = np.array([-expected[0], expected[0]]) if expected.ndim == 1 else expected[0]
    if not np.allclose(result.decision_values, expected, rtol=TOLERANCE, atol=TOLERANCE):
        raise InvalidInputError(
            f"this pipeline cannot be explained: the decision values of {type(classifier).__name__} are not "
            "sums over words"
        )
