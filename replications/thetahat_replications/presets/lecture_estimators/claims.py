"""The claims of the preset ``lecture_estimators``, judged for each classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.claims import Passage, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics
from thetahat.analyses.studies.result import StudyClaim
from thetahat_replications.lectures.classifiers import TITLES

LECTURE: Final = "zelezny2011"
MOLINARO: Final = "molinaro2005"
BIAS_AND_VARIANCE: Final = Passage(LECTURE, "Bias and variance")
LEAVE_ONE_OUT_OR_TEN: Final = Passage(MOLINARO, "Leave-one-out vs. 10-fold")

CLAIMS: Final = (
    BIAS_AND_VARIANCE.claim(
        "The bias of cross-validation falls with the number of folds.",
        "two_fold/bias_above",
        "bias of 2-fold, p = 0.5 minus that of 5-fold, p = 0.2, {classifier}",
        at_least=0,
    ),
    BIAS_AND_VARIANCE.claim(
        "The bias of cross-validation falls with the number of folds.",
        "five_fold/bias_above",
        "bias of 5-fold, p = 0.2 minus that of 10-fold, p = 0.1, {classifier}",
        at_least=0,
    ),
    BIAS_AND_VARIANCE.claim(
        "The bias of cross-validation falls with the number of folds.",
        "ten_fold/bias_above",
        "bias of 10-fold, p = 0.1 minus that of leave-one-out, {classifier}",
        at_least=0,
    ),
    BIAS_AND_VARIANCE.claim(
        "The split sample overestimates the risk of the model fitted on all rows.",
        "split_third/bias",
        "bias of the split with a third to test on, {classifier}",
        at_least=0,
    ),
    BIAS_AND_VARIANCE.claim(
        "The split sample is unbiased for the risk of the model that it fitted, to 0.01.",
        "fitted_on_fewer",
        "estimate minus the true error of the classifier fitted on two thirds, {classifier}",
        within=(-0.01, 0.01),
    ),
    BIAS_AND_VARIANCE.claim(
        "The bias of the split sample grows with the share to test on.",
        "halves_above",
        "bias with a half to test on minus that with a third, {classifier}",
        at_least=0,
    ),
    LEAVE_ONE_OUT_OR_TEN.claim(
        "Leave-one-out has a smaller error than 10-fold.",
        "one_out/mse",
        "mean squared error of 10-fold minus that of leave-one-out, {classifier}",
        at_least=0,
    ),
    LEAVE_ONE_OUT_OR_TEN.claim(
        "The deviation of 10-fold is comparable to that of leave-one-out.",
        "one_out/sd",
        "standard deviation of 10-fold over that of leave-one-out, {classifier}",
        within=(0.8, 1.25),
    ),
    LEAVE_ONE_OUT_OR_TEN.claim(
        "A split varies more than 10-fold.",
        "split/sd",
        "standard deviation of the split with a third to test on minus that of 10-fold, "
        "{classifier}",
        at_least=0,
    ),
    LEAVE_ONE_OUT_OR_TEN.claim(
        ".632+ varies less than any cross-validation.",
        "plus/sd",
        "least standard deviation of the cross-validations minus that of .632+, {classifier}",
        at_least=0,
    ),
)


def judge_classifiers(
    statistics: JackknifedStatistics, classifiers: Sequence[str]
) -> tuple[StudyClaim, ...]:
    """Judge the claims for each classifier."""
    cases = [
        statistics.build_case(at, {"classifier": TITLES[name]})
        for at, name in enumerate(classifiers)
    ]
    return judge(CLAIMS, cases)
