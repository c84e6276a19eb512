"""The claims of the preset ``lecture_estimators``, judged for each classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.claims import ClaimRow, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics, StatisticsCase
from thetahat.analyses.studies.result import StudyClaim
from thetahat_replications.lectures.classifiers import TITLES

LECTURE: Final = "zelezny2011"
MOLINARO: Final = "molinaro2005"
BIAS_AND_VARIANCE: Final = "Bias and variance"
LEAVE_ONE_OUT_OR_TEN: Final = "Leave-one-out vs. 10-fold"

CLAIMS: Final = (
    ClaimRow(
        sentence="The bias of cross-validation falls with the number of folds.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="two_fold/bias_above",
        measured="bias of 2-fold, p = 0.5 minus that of 5-fold, p = 0.2, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The bias of cross-validation falls with the number of folds.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="five_fold/bias_above",
        measured="bias of 5-fold, p = 0.2 minus that of 10-fold, p = 0.1, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The bias of cross-validation falls with the number of folds.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="ten_fold/bias_above",
        measured="bias of 10-fold, p = 0.1 minus that of leave-one-out, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The split sample overestimates the risk of the model fitted on all rows.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="split_third/bias",
        measured="bias of the split with a third to test on, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The split sample is unbiased for the risk of the model that it fitted, to 0.01.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="fitted_on_fewer",
        measured="estimate minus the true error of the classifier fitted on two thirds, "
        "{classifier}",
        at_least=-0.01,
        at_most=0.01,
    ),
    ClaimRow(
        sentence="The bias of the split sample grows with the share to test on.",
        reference=LECTURE,
        place=BIAS_AND_VARIANCE,
        quantity="halves_above",
        measured="bias with a half to test on minus that with a third, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="Leave-one-out has a smaller error than 10-fold.",
        reference=MOLINARO,
        place=LEAVE_ONE_OUT_OR_TEN,
        quantity="one_out/mse",
        measured="mean squared error of 10-fold minus that of leave-one-out, {classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The deviation of 10-fold is comparable to that of leave-one-out.",
        reference=MOLINARO,
        place=LEAVE_ONE_OUT_OR_TEN,
        quantity="one_out/sd",
        measured="standard deviation of 10-fold over that of leave-one-out, {classifier}",
        at_least=0.8,
        at_most=1.25,
    ),
    ClaimRow(
        sentence="A split varies more than 10-fold.",
        reference=MOLINARO,
        place=LEAVE_ONE_OUT_OR_TEN,
        quantity="split/sd",
        measured="standard deviation of the split with a third to test on minus that of 10-fold, "
        "{classifier}",
        at_least=0,
    ),
    ClaimRow(
        sentence=".632+ varies less than any cross-validation.",
        reference=MOLINARO,
        place=LEAVE_ONE_OUT_OR_TEN,
        quantity="plus/sd",
        measured="least standard deviation of the cross-validations minus that of .632+, "
        "{classifier}",
        at_least=0,
    ),
)


def judge_classifiers(
    statistics: JackknifedStatistics, classifiers: Sequence[str]
) -> tuple[StudyClaim, ...]:
    """Judge the claims for each classifier."""
    cases = [
        StatisticsCase(statistics, at, {"classifier": TITLES[name]})
        for at, name in enumerate(classifiers)
    ]
    return judge(CLAIMS, cases)
