"""Losses along a grid: a fit at a time gives what one decomposition does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.analyses.importance_weighting.shifts import shift
from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.fits import (
    compute_fold_losses,
    compute_target_losses,
    fit_ridge_to_source,
)
from thetahat.analyses.importance_weighting.sign_classifiers import SignClassifier
from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, LearnerFailed
from thetahat.learners import LEARNERS
from thetahat.learners.ridge import LinearModel, Ridge
from thetahat.losses.quadratic_margin import QuadraticMargin
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

PENALTIES = (1e-3, 1.0, 1e4)
WEIGHTS = np.random.default_rng(5).gamma(0.7, size=24)


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """Ridge under another name, so that no path of penalties is seen; it warns."""

    ridge: Ridge

    info = Ridge.info
    tasks = Ridge.tasks
    takes_weights = True

    def fit(self, *args: Any, **named: Any) -> Warning_:
        return Warning_(self.ridge.fit(*args, **named))


@dataclass(frozen=True, slots=True)
class Warning_:  # noqa: N801 - not to be taken for the built-in one
    model: LinearModel
    cautions = (Caution("slow", "it was slow"),)

    def predict(self, features: Any) -> Any:
        return self.model.predict(features)


def ridges(*, signs: bool, slow: bool, intercept: bool = False) -> LearnerWithGrid:
    inner: list[Any] = [Ridge(penalty=p, intercept=intercept) for p in PENALTIES]
    if slow:
        inner = [OneAtATime(learner) for learner in inner]
    learners = [SignClassifier(learner) for learner in inner] if signs else inner
    return LearnerWithGrid(
        name="r", learners=tuple(learners), parameter="penalty", values=PENALTIES
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_naive_a_fit_at_a_time(task: str, intercept: bool, weights: FloatArray | None) -> None:  # noqa: FBT001 - a parameter
    sample, signs = shift(task=task), task == "classification"
    loss: Any = QuadraticMargin() if signs else Squared()
    fast = ridges(signs=signs, slow=False, intercept=intercept)
    slow = ridges(signs=signs, slow=True, intercept=intercept)

    for k in range(4):
        fold_losses = compute_fold_losses(fast, sample, loss, weights, k, 1)
        other = compute_fold_losses(slow, sample, loss, weights, k, 1)
        assert_allclose(fold_losses.losses, other.losses, rtol=1e-10, atol=1e-12)
    on_target = compute_target_losses(fast, sample, loss, weights, 1)
    slowly = compute_target_losses(slow, sample, loss, weights, 1)
    assert_allclose(on_target.losses, slowly.losses, rtol=1e-9, atol=1e-12)
    assert on_target.losses.shape == (15, 3)
    assert on_target.cautions == ()
    assert [c.code for c in slowly.cautions] == ["slow"]


@pytest.mark.parametrize("slow", [False, True])
def test_exact_stretches_of_a_grid_are_its_columns(slow: bool) -> None:  # noqa: FBT001 - a parameter
    sample, candidate = shift(), ridges(signs=True, slow=slow)
    loss = QuadraticMargin()
    whole = compute_fold_losses(candidate, sample, loss, WEIGHTS, 2, 1).losses
    last = compute_fold_losses(candidate, sample, loss, WEIGHTS, 2, 1, start=1).losses
    target = compute_target_losses(candidate, sample, loss, WEIGHTS, 1, start=1, stop=2).losses

    assert_array_equal(last, whole[:, 1:])
    assert_allclose(
        target,
        compute_target_losses(candidate, sample, loss, WEIGHTS, 1).losses[:, 1:2],
        rtol=1e-13,
    )


def test_exact_the_second_class_is_predicted_above_zero() -> None:
    sample, candidate = shift(), ridges(signs=True, slow=False)
    margin = compute_fold_losses(candidate, sample, QuadraticMargin(), None, 0, 1).losses
    wrong = compute_fold_losses(candidate, sample, ZeroOne(), None, 0, 1).losses

    # on the wrong side of 0 the squared distance from the sign is above 1
    assert_array_equal(wrong, (margin > 1).astype(np.float64))


def test_exact_a_model_of_signs_tells_what_its_learner_tells() -> None:
    learner = SignClassifier(Ridge())

    assert learner.info is Ridge.info
    assert learner.tasks == {"classification"}
    assert learner.takes_weights
    assert learner.gives_scores
    assert not learner.gives_probabilities


def test_degenerate_a_training_part_without_weight() -> None:
    sample, weights = shift(), np.where(np.arange(24) % 4 == 1, 1.0, 0.0)
    plain = compute_fold_losses(
        ridges(signs=True, slow=False), sample, QuadraticMargin(), weights, 1, 1
    )

    assert_array_equal(plain.losses, np.ones((6, 3)))
    assert [c.code for c in plain.cautions] == ["no_weight_to_learn_from"]
    with pytest.raises(InsufficientData, match="fold 1: all weights of the training part"):
        compute_fold_losses(
            ridges(signs=True, slow=False, intercept=True),
            sample,
            QuadraticMargin(),
            weights,
            1,
            1,
        )
    with pytest.raises(InsufficientData, match=r"penalty = 0\.001: Learner 'r'.* All weights"):
        compute_fold_losses(ridges(signs=True, slow=True), sample, QuadraticMargin(), weights, 1, 1)


@dataclass(frozen=True, slots=True)
class Beyond:
    """A loss that leaves the range of numbers."""

    info: ClassVar[MethodInfo] = Squared.info
    task: ClassVar[str | None] = None
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def losses(self, y_true: Any, predictions: Any) -> FloatArray:
        del predictions
        return np.full(len(y_true), np.inf)


def test_invalid_losses_that_are_not_finite() -> None:
    sample = shift()
    with pytest.raises(LearnerFailed, match=r"penalty = 0\.001, block 2: the loss of row 2"):
        compute_fold_losses(ridges(signs=True, slow=False), sample, Beyond(), None, 2, 1)
    with pytest.raises(LearnerFailed, match=r"'r' with penalty = 1\.0"):
        compute_fold_losses(ridges(signs=True, slow=False), sample, Beyond(), None, 2, 1, start=1)


def test_invalid_a_learner_without_a_grid_fails_in_its_own_words() -> None:
    sample = shift()
    alone = LearnerWithGrid(name="one", learners=(SignClassifier(OneAtATime(Ridge())),))
    with pytest.raises(LearnerFailed, match=r"^Learner 'one', repeat 0, block 2"):
        compute_fold_losses(alone, sample, Beyond(), None, 2, 1)


def test_exact_candidates_know_their_values() -> None:
    ridge = ridges(signs=True, slow=False)
    plain = LearnerWithGrid(name="m", learners=(LEARNERS["majority"](),))
    mixed = LearnerWithGrid(name="x", learners=(1, 2), parameter="C", values=("a", None))
    inverse = LearnerWithGrid(name="x", learners=(1, 2, 3), parameter="C", values=(1, 2, 0.5))
    both = LearnerWithGrid(
        name="b",
        learners=(Ridge(intercept=True), Ridge(intercept=False)),
        parameter="intercept",
        values=(True, False),
    )

    assert_array_equal(ridge.rank(), PENALTIES)
    assert [ridge.is_at_edge(j) for j in range(3)] == [True, False, True]
    assert [inverse.is_at_edge(j) for j in range(3)] == [False, True, True]
    assert_array_equal(inverse.rank(), [-1, -2, -0.5])
    assert_array_equal(mixed.rank(), [0, 0])
    assert not mixed.is_at_edge(0)
    assert ridge.get_value(1) == 1.0
    assert plain.get_value(0) is None
    assert plain.describe_candidate(0) == "'m'"
    path = ridge.get_ridge_path()
    assert path is not None
    assert_array_equal(path[0], PENALTIES)
    assert path[1] is False
    assert plain.get_ridge_path() is None
    assert both.get_ridge_path() is None
    assert both.rank().tolist() == [0, 0]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_exact_the_coefficients_are_those_of_the_fits_on_the_target(
    task: str,
    *,
    intercept: bool,
) -> None:
    sample, signs = shift(task=task), task == "classification"
    loss: Any = QuadraticMargin() if signs else Squared()
    candidate = ridges(signs=signs, slow=False, intercept=intercept)
    coefficients = fit_ridge_to_source(candidate, sample, WEIGHTS)
    assert coefficients is not None
    assert sample.target_y is not None
    predictions = sample.target.complete_matrix() @ coefficients[0] + coefficients[1]
    truth = np.where(sample.target_y == 1, 1, -1) if signs else sample.target_y
    on_target = compute_target_losses(candidate, sample, loss, WEIGHTS, 1).losses

    assert_allclose((predictions - truth[:, None]) ** 2, on_target, rtol=1e-9, atol=1e-12)
    assert fit_ridge_to_source(candidate, sample, None) is not None
    assert fit_ridge_to_source(ridges(signs=signs, slow=True), sample, None) is None
