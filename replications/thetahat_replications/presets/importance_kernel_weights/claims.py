"""The claims of the preset ``importance_kernel_weights``: section 5.4."""

from __future__ import annotations

from typing import Final

from thetahat.analyses.studies.claims import ClaimRow, judge
from thetahat.analyses.studies.result import StudyClaim
from thetahat_replications.importance.final_risk_claims import (
    SOURCE,
    build_gamma_cases,
    list_claims_about_tenth,
)
from thetahat_replications.importance.final_risks import FinalRisks

PLACE: Final = "section 5.4, Figure 8"

OF_EACH_GAMMA: Final = (
    ClaimRow(
        sentence="The control variate gives better final risks also over all data sets.",
        reference=SOURCE,
        place=PLACE,
        quantity="gain_all",
        measured="mean of weighted minus controlled, {weights}, gamma = {gamma:g}",
        at_least=0.0,
    ),
    *list_claims_about_tenth(PLACE),
)


def judge_figure_8(risks: FinalRisks) -> tuple[StudyClaim, ...]:
    """Judge the claims about Figure 8, for one estimator of the weights."""
    return judge(OF_EACH_GAMMA, build_gamma_cases(risks))
