"""The claims of the preset ``lecture_folds``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from thetahat.analyses.studies.claims import ClaimRow, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics, StatisticsCase
from thetahat.analyses.studies.result import StudyClaim

LECTURE: Final = "zelezny2011"
PLACE: Final = "cross-validation: variance and bias"
SECOND_LECTURE: Final = "gutierrez_osuna"
HOW_MANY: Final = "How many folds are needed?"

OF_NEXT_FOLDS: Final = (
    ClaimRow(
        sentence="The bias decays with the number of folds, to its least in leave-one-out.",
        reference=LECTURE,
        place=PLACE,
        quantity="random/bias_falls",
        measured="bias with {folds} folds minus that with {more_folds}",
        at_least=0,
    ),
)
"""Judged for each number of folds that has a larger one."""

OF_LEAVE_ONE_OUT: Final = (
    ClaimRow(
        sentence="Leave-one-out has a bias above 0.",
        reference=LECTURE,
        place=PLACE,
        quantity="random/bias",
        measured="bias of leave-one-out",
        at_least=0,
    ),
)

OF_EACH_FOLDS: Final = (
    ClaimRow(
        sentence="Repeating cross-validation lowers its variance.",
        reference=LECTURE,
        place=PLACE,
        quantity="saved",
        measured="variance with one partition minus that with {repeats}, {folds} folds",
        at_least=0,
    ),
    ClaimRow(
        sentence="Stratification lowers the bias.",
        reference=LECTURE,
        place=PLACE,
        quantity="stratified_gain",
        measured="absolute bias minus that of stratified folds, {folds} folds",
        at_least=0,
    ),
    ClaimRow(
        sentence="Stratification lowers the variance.",
        reference=LECTURE,
        place=PLACE,
        quantity="stratified_variance",
        measured="variance minus that of stratified folds, {folds} folds",
        at_least=0,
    ),
)
"""Judged for each number of folds except leave-one-out."""

OF_TEN_FOLDS: Final = (
    ClaimRow(
        sentence="Leave-one-out has a larger absolute error than 10-fold on simulated data.",
        reference="hastie2009",
        place="zelezny2011, Leave-one-out vs. 10-fold",
        quantity="absolute_above",
        measured="mean absolute error of leave-one-out minus that of 10-fold",
        at_least=0,
    ),
    ClaimRow(
        sentence="The variance of 10-fold cross-validation is comparable to leave-one-out's.",
        reference="molinaro2005",
        place="cross-validation: variance",
        quantity="over_leave_one_out",
        measured="variance of 10-fold over that of leave-one-out",
        at_least=0.8,
        at_most=1.25,
    ),
)


OF_ALL_FOLDS: Final = (
    ClaimRow(
        sentence="With a large number of folds the bias of the estimate is small, with a small "
        "number large.",
        reference=SECOND_LECTURE,
        place=HOW_MANY,
        quantity="bias_above_largest",
        measured="bias with {fewest} folds minus that of leave-one-out",
        at_least=0,
    ),
    ClaimRow(
        sentence="With a large number of folds the variance of the estimate is large, with a small "
        "number small.",
        reference=SECOND_LECTURE,
        place=HOW_MANY,
        quantity="above_fewest",
        measured="variance of leave-one-out minus that with {fewest} folds, one partition",
        at_least=0,
    ),
)
"""Judged once, for the fewest folds and leave-one-out."""


def judge_folds(
    statistics: JackknifedStatistics, counts: Sequence[int], repeats: int
) -> tuple[StudyClaim, ...]:
    """Judge all claims; ``counts`` are the numbers of folds, the last being leave-one-out."""
    cases = [
        StatisticsCase(statistics, at, {"folds": folds, "more_folds": more, "repeats": repeats})
        for at, (folds, more) in enumerate(pairwise(counts))
    ]
    leave_one_out = StatisticsCase(statistics, len(counts) - 1, {"fewest": counts[0]})
    return (
        *judge(OF_NEXT_FOLDS, cases),
        *judge(OF_LEAVE_ONE_OUT, [leave_one_out]),
        *judge(OF_ALL_FOLDS, [leave_one_out]),
        *judge(OF_EACH_FOLDS, cases),
        *judge(OF_TEN_FOLDS, [case for case in cases if case.fields["folds"] == 10]),
    )
