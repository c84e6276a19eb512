"""Every name on the list, built with its defaults and fitted."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from tests.thetahat.pipelines.tables import built, codes, fit_predict, numbers, values
from thetahat.pipelines import build_step, read_step_spec
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    SELECTORS,
    STRING_TRANSFORMERS,
    TRANSFORMERS,
    VECTORISERS,
    WIDTHS,
    load_class,
    make_title,
)
from thetahat.pipelines.excluded_classes import EXCLUDED
from thetahat.pipelines.parameter_limits import (
    MAX_LENGTHS,
    MAX_VALUES,
    NO_LISTS,
    REFUSED_CLASS_PARAMETERS,
    REFUSED_PARAMETERS,
)

TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_exact_every_classifier_is_the_class_itself_fitted_with_the_drawn_random_state(
    name: str,
) -> None:
    features = numbers()
    y = codes(features)
    predictions = fit_predict(built(name), features, y, TRAIN, TEST, seed=5)
    cls = load_class(name)
    drawn = int(np.random.default_rng(5).integers(2**32 - 1))
    estimator = cls(random_state=drawn) if "random_state" in cls().get_params() else cls()
    X = features.matrix()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(X[TRAIN], y[TRAIN])
    np.testing.assert_array_equal(predictions.output, estimator.predict(X[TEST]))
    assert predictions.output.dtype.kind == "i"
    assert predictions.classes == (0, 1)
    learner = built(name)
    assert (predictions.probabilities is not None) == getattr(learner, "gives_probabilities")  # noqa: B009 - no part of the protocol
    assert (predictions.scores is not None) == getattr(learner, "gives_scores")  # noqa: B009 - as above
    if predictions.probabilities is not None:
        np.testing.assert_array_equal(predictions.probabilities, estimator.predict_proba(X[TEST]))
    if predictions.scores is not None:
        if hasattr(estimator, "decision_function"):
            expected = estimator.decision_function(X[TEST])
        else:
            expected = np.diff(estimator.predict_joint_log_proba(X[TEST]))[:, 0]
        np.testing.assert_array_equal(predictions.scores, expected)


@pytest.mark.parametrize("name", REGRESSORS)
def test_exact_every_regressor_is_the_class_itself_fitted_with_the_drawn_random_state(
    name: str,
) -> None:
    features = numbers()
    y = values(features)
    learner = built(name, "regression")
    predictions = fit_predict(learner, features, y, TRAIN, TEST, seed=5, n_classes=0)
    cls = load_class(name)
    drawn = int(np.random.default_rng(5).integers(2**32 - 1))
    estimator = cls(random_state=drawn) if "random_state" in cls().get_params() else cls()
    X = features.matrix()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(X[TRAIN], y[TRAIN])
    np.testing.assert_array_equal(predictions.output, np.ravel(estimator.predict(X[TEST])))
    assert predictions.output.shape == (15,)
    assert predictions.probabilities is None
    assert predictions.scores is None
    assert not getattr(learner, "gives_probabilities")  # noqa: B009 - no part of the protocol


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_property_every_transformer_learns_and_repeats_itself(name: str, task: str) -> None:
    features = numbers()
    y = codes(features) if task == "classification" else values(features)
    step = build_step(read_step_spec({"name": name, "columns": ["a", "b"]}), task)
    part = features.with_columns(("a", "b"), features.columns[:2]).rows(TRAIN)
    (fitted_step, made), (_, again) = (
        step.fit_transform(part, y[TRAIN], task=task, rng=np.random.default_rng(3))
        for _ in range(2)
    )
    assert made.n == len(TRAIN)
    for column, same in zip(made.columns, again.columns, strict=True):
        np.testing.assert_array_equal(column, same)
    transformed = fitted_step.transform(part)
    assert transformed.names == made.names
    # NMF solves a problem anew for each part and stops at a relative change of 1e-4.
    rtol, atol = (0.0, 5e-3) if name == "NMF" else (1e-9, 1e-9)
    for column, same in zip(made.columns, transformed.columns, strict=True):
        np.testing.assert_allclose(same, column, rtol=rtol, atol=atol)


def test_exact_titles_are_words() -> None:
    assert make_title("LogisticRegression") == "Logistic regression"
    assert make_title("GaussianNB") == "Gaussian NB"
    assert make_title("MLPClassifier") == "MLP classifier"


def test_exact_the_tables_name_classes_and_parameters_that_exist() -> None:
    names = {*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS, *VECTORISERS}
    parameters = {name: set(load_class(name)().get_params()) for name in names}
    every = set().union(*parameters.values())
    assert SELECTORS | STRING_TRANSFORMERS | set(WIDTHS) <= set(TRANSFORMERS)
    assert set(MAX_VALUES) | set(MAX_LENGTHS) | NO_LISTS <= every
    assert all(parameter in parameters[name] for name, parameter in REFUSED_CLASS_PARAMETERS)
    assert set(REFUSED_PARAMETERS) <= every
    with pytest.raises(KeyError):
        load_class("VotingClassifier")


@pytest.mark.parametrize("kind", ["classifier", "regressor", "transformer"])
def test_against_sklearn_every_class_is_on_the_list_or_left_out_for_a_reason(kind: str) -> None:
    from sklearn.utils import all_estimators

    listed = {*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS, *VECTORISERS}
    installed = {name for name, _ in all_estimators(type_filter=kind)}
    assert installed <= listed | set(EXCLUDED)


def test_exact_nothing_is_listed_and_left_out_or_left_out_and_not_there() -> None:
    from sklearn.utils import all_estimators

    listed = {*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS, *VECTORISERS}
    assert not listed & set(EXCLUDED)
    assert set(EXCLUDED) <= {name for name, _ in all_estimators()}
    assert all(len(reason) > 20 for reason in EXCLUDED.values())


def test_exact_importing_pipelines_does_not_import_scikit_learn() -> None:
    script = (
        "import sys; from thetahat.pipelines import build, read_learner_spec, describe_learners\n"
        "from thetahat.pipelines.allowed_classes import CLASSIFIERS, get_learner_tasks\n"
        "assert all(get_learner_tasks(name) for name in CLASSIFIERS)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'sklearn', 'joblib', 'pandas'}, loaded\n"
        "assert 'scipy.stats' not in sys.modules\n"
    )
    ran = subprocess.run(  # the script is the literal above
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
