"""The claims about Figure 6, judged in the setting of the authors' script."""

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

ABOUT_30: Final = -25
"""The largest logarithm of a p-value that counts as being of the order of 1e-30."""
PLACE: Final = "section 5.3, Figure 6, by the authors' script"

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
OF_ALL_GAMMAS: Final = tuple(
    ClaimRow(
        sentence="The differences are significant for each gamma, with a largest p-value near "
        "1e-30 (1e-25 at most).",
        reference=SOURCE,
        place=PLACE,
        quantity=quantity,
        measured=f"largest log10 p of Wilcoxon's test over gamma, {tenth}, with {{repetitions}} "
        "repetitions",
        at_most=ABOUT_30,
        fewest_repetitions=PAPER_REPETITIONS,
        can_hold_early=True,
    )
    for quantity, tenth in (
        (
            "largest_log_p_of_last",
            "all on the repetitions of the tenth with gamma = {last_gamma:g}, as in the script",
        ),
        ("largest_log_p_top", "each gamma on its own tenth"),
    )
)


def judge_script_figure_6(risks: FinalRisks) -> tuple[StudyClaim, ...]:
    """Judge the claims about Figure 6 in the setting of the script."""
    return (
        *judge(OF_EACH_GAMMA, build_gamma_cases(risks)),
        *judge(OF_ALL_GAMMAS, [AllGammasCase(risks)]),
    )
