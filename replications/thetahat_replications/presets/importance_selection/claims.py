"""The claims of the preset ``importance_selection``: section 5.3, two-dimensional setting."""

from __future__ import annotations

from typing import Final

from thetahat.analyses.studies.claims import ClaimRow, judge
from thetahat.analyses.studies.result import StudyClaim
from thetahat_replications.importance.final_risk_claims import (
    PAPER_REPETITIONS,
    SMALL_INCREASE,
    SOURCE,
    AllGammasCase,
    build_gamma_cases,
    list_claims_about_tenth,
)
from thetahat_replications.importance.final_risks import FinalRisks

PLACE: Final = "section 5.3, Figure 6"
ABOUT_30: Final = -25
"""The largest logarithm of a p-value that counts as being of the order of 1e-30."""

OF_EACH_GAMMA: Final = (
    ClaimRow(
        sentence="On all data sets there is nearly no difference between the two risks: a "
        "hundredth of their mean at most.",
        reference=SOURCE,
        place=PLACE,
        quantity="relative_gain_all",
        measured="mean final risk by the weighted minus that by the controlled risk, over the "
        "mean, gamma = {gamma:g}",
        at_least=-SMALL_INCREASE,
        at_most=SMALL_INCREASE,
    ),
    *list_claims_about_tenth(PLACE),
)
OF_ALL_GAMMAS: Final = (
    ClaimRow(
        sentence="The error bars are too small to see: a hundredth of the mean at most.",
        reference=SOURCE,
        place=PLACE,
        quantity="largest_relative_error",
        measured="largest standard error over its mean, weighted risk in the tenth, {weights}",
        at_most=SMALL_INCREASE,
    ),
    ClaimRow(
        sentence="The differences are significant for each gamma, with a largest p-value near "
        "1e-30 (1e-25 at most).",
        reference=SOURCE,
        place=PLACE,
        quantity="largest_log_p_top",
        measured="largest log10 p of Wilcoxon's test over gamma, the tenth, {weights}, with "
        "{repetitions} repetitions",
        at_most=ABOUT_30,
        fewest_repetitions=PAPER_REPETITIONS,
        can_hold_early=True,
    ),
)


def judge_figure_6(risks: FinalRisks) -> tuple[StudyClaim, ...]:
    """Judge the claims about Figure 6."""
    return (
        *judge(OF_EACH_GAMMA, build_gamma_cases(risks)),
        *judge(OF_ALL_GAMMAS, [AllGammasCase(risks)]),
    )
