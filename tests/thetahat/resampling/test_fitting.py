from __future__ import annotations

import pytest

from tests.thetahat.resampling.learners_at_fault import Hard, Weightless, zeros
from thetahat.errors import UnsupportedCombination
from thetahat.learners.majority import Majority
from thetahat.learners.mean import Mean
from thetahat.losses.log import Log
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.resampling import check_learner, check_loss


def test_golden_what_fits_passes() -> None:
    check_loss(Squared(), "regression")
    check_loss(Log(), "classification")
    check_learner("m", Mean(), "regression", Squared(), weighted=True)
    check_learner("m", Majority(), "classification", Log(), weighted=False)


def test_invalid_loss_of_another_task_names_those_that_fit() -> None:
    with pytest.raises(
        UnsupportedCombination,
        match="'squared' is for regression, and the task is classification; log, zero_one fit",
    ) as caught:
        check_loss(Squared(), "classification")

    assert (caught.value.loc, caught.value.value) == (("loss",), "squared")


def test_invalid_learner_of_another_task() -> None:
    with pytest.raises(UnsupportedCombination, match=r"'m' \(mean\) is for regression") as caught:
        check_learner("m", Mean(), "classification", ZeroOne(), weighted=False)

    assert caught.value.loc == ("learners", "m")


def test_invalid_weights_for_a_learner_without() -> None:
    learner = Weightless(zeros)

    with pytest.raises(UnsupportedCombination, match=r"'f' \(faulty\) takes no weights"):
        check_learner("f", learner, "regression", Squared(), weighted=True)


def test_invalid_log_loss_for_a_learner_without_probabilities() -> None:
    learner = Hard(zeros)

    check_learner("f", learner, "classification", ZeroOne(), weighted=False)
    with pytest.raises(UnsupportedCombination, match="'log' needs class probabilities"):
        check_learner("f", learner, "classification", Log(), weighted=False)
