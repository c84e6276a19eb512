"""The claims of the preset ``lecture_folds``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from thetahat.analyses.studies.claims import Passage, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics
from thetahat.analyses.studies.result import StudyClaim

LECTURE: Final = "zelezny2011"
PLACE: Final = Passage(LECTURE, "cross-validation: variance and bias")
SECOND_LECTURE: Final = "gutierrez_osuna"
HOW_MANY: Final = Passage(SECOND_LECTURE, "How many folds are needed?")

OF_NEXT_FOLDS: Final = (
    PLACE.claim(
        "The bias decays with the number of folds, to its least in leave-one-out.",
        "random/bias_falls",
        "bias with {folds} folds minus that with {more_folds}",
        at_least=0,
    ),
)
"""Judged for each number of folds that has a larger one."""

OF_LEAVE_ONE_OUT: Final = (
    PLACE.claim(
        "Leave-one-out has a bias above 0.", "random/bias", "bias of leave-one-out", at_least=0
    ),
)

OF_EACH_FOLDS: Final = (
    PLACE.claim(
        "Repeating cross-validation lowers its variance.",
        "saved",
        "variance with one partition minus that with {repeats}, {folds} folds",
        at_least=0,
    ),
    PLACE.claim(
        "Stratification lowers the bias.",
        "stratified_gain",
        "absolute bias minus that of stratified folds, {folds} folds",
        at_least=0,
    ),
    PLACE.claim(
        "Stratification lowers the variance.",
        "stratified_variance",
        "variance minus that of stratified folds, {folds} folds",
        at_least=0,
    ),
)
"""Judged for each number of folds except leave-one-out."""

OF_TEN_FOLDS: Final = (
    Passage("hastie2009", "zelezny2011, Leave-one-out vs. 10-fold").claim(
        "Leave-one-out has a larger absolute error than 10-fold on simulated data.",
        "absolute_above",
        "mean absolute error of leave-one-out minus that of 10-fold",
        at_least=0,
    ),
    Passage("molinaro2005", "cross-validation: variance").claim(
        "The variance of 10-fold cross-validation is comparable to leave-one-out's.",
        "over_leave_one_out",
        "variance of 10-fold over that of leave-one-out",
        within=(0.8, 1.25),
    ),
)


OF_ALL_FOLDS: Final = (
    HOW_MANY.claim(
        "With a large number of folds the bias of the estimate is small, with a small "
        "number large.",
        "bias_above_largest",
        "bias with {fewest} folds minus that of leave-one-out",
        at_least=0,
    ),
    HOW_MANY.claim(
        "With a large number of folds the variance of the estimate is large, with a small "
        "number small.",
        "above_fewest",
        "variance of leave-one-out minus that with {fewest} folds, one partition",
        at_least=0,
    ),
)
"""Judged once, for the fewest folds and leave-one-out."""


def judge_folds(
    statistics: JackknifedStatistics, counts: Sequence[int], repeats: int
) -> tuple[StudyClaim, ...]:
    """Judge all claims; ``counts`` are the numbers of folds, the last being leave-one-out."""
    cases = [
        statistics.build_case(at, {"folds": folds, "more_folds": more, "repeats": repeats})
        for at, (folds, more) in enumerate(pairwise(counts))
    ]
    leave_one_out = statistics.build_case(len(counts) - 1, {"fewest": counts[0]})
    return (
        *judge(OF_NEXT_FOLDS, cases),
        *judge(OF_LEAVE_ONE_OUT, [leave_one_out]),
        *judge(OF_ALL_FOLDS, [leave_one_out]),
        *judge(OF_EACH_FOLDS, cases),
        *judge(OF_TEN_FOLDS, [case for case in cases if case.fields["folds"] == 10]),
    )
