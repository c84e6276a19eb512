from __future__ import annotations

import pytest

from tests.thetahat.cross_validation.learners_at_fault import Hard, Weightless, zeros
from thetahat.cross_validation import check_learner, check_loss, check_target
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners.majority import Majority
from thetahat.learners.mean import MeanLearner
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses.cost_matrix import CostMatrix
from thetahat.losses.hinge import Hinge
from thetahat.losses.log import Log
from thetahat.losses.poisson_deviance import PoissonDeviance
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.tables.data import Data, build_data


def test_exact_choices_that_fit_are_accepted() -> None:
    check_loss(Squared(), "regression")
    check_loss(Log(), "classification")
    check_learner("m", MeanLearner(), "regression", Squared(), weighted=True)
    check_learner("m", Majority(), "classification", Log(), weighted=False)


def test_invalid_loss_of_another_task_names_those_that_fit() -> None:
    with pytest.raises(
        UnsupportedCombination,
        match=r"'squared' is for regression, but the task is classification\. Choose one of brier, "
        "cost_matrix, hinge, log, logistic, quadratic_margin, zero_one",
    ) as caught:
        check_loss(Squared(), "classification")

    assert (caught.value.loc, caught.value.value) == (("loss",), "squared")


def test_invalid_learner_of_another_task() -> None:
    with pytest.raises(UnsupportedCombination, match=r"'m' \(mean\) is for regression") as caught:
        check_learner("m", MeanLearner(), "classification", ZeroOne(), weighted=False)

    assert caught.value.loc == ("learners", "m")


def test_invalid_weights_for_a_learner_without() -> None:
    learner = Weightless(zeros)

    with pytest.raises(UnsupportedCombination, match=r"'f' \(faulty\) cannot use weights"):
        check_learner("f", learner, "regression", Squared(), weighted=True)


def test_invalid_log_loss_for_a_learner_without_probabilities() -> None:
    learner = Hard(zeros)

    check_learner("f", learner, "classification", ZeroOne(), weighted=False)
    with pytest.raises(UnsupportedCombination, match="'log' needs class probabilities"):
        check_learner("f", learner, "classification", Log(), weighted=False)


def test_invalid_loss_of_decision_values_that_are_not_given() -> None:
    learner = NearestNeighbours()
    with pytest.raises(UnsupportedCombination, match="'hinge' needs decision values") as caught:
        check_learner("m", learner, "classification", Hinge(), weighted=False)
    assert "log odds of a share of 0 or 1 are infinite. Choose" in caught.value.message

    assert caught.value.loc == ("learners", "m")


def test_exact_targets_are_checked_and_classes_bound() -> None:
    def data(y: list[object], task: str) -> Data:
        return build_data({"x": [1.0] * len(y)}, y, task)

    costs = CostMatrix(costs={"b": {"a": 2.0}, "a": {"b": 3.0}})
    bound = check_target(costs, data(["b", "a", "b"], "classification"))
    assert bound == CostMatrix(costs=[[0.0, 3.0], [2.0, 0.0]], classes=["a", "b"])
    counts = PoissonDeviance()
    assert check_target(counts, data([0, 3], "regression")) is counts
    with pytest.raises(InvalidParameter, match="one is -2") as caught:
        check_target(counts, data([1, -2], "regression"))
    assert caught.value.loc == ("y", 1)
