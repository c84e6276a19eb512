"""The claims of the preset ``importance_ozone``: section 5.3, ozone data."""

from __future__ import annotations

from typing import Final

from thetahat.analyses.studies.claims import ClaimRow
from thetahat_replications.importance.final_risk_claims import (
    PAPER_REPETITIONS,
    SMALL_INCREASE,
    SOURCE,
    PanelClaims,
)

PLACE: Final = "section 5.3, Figure 7"
SUBSETS: Final = (("all", "all data sets"), ("top", "the tenth"))

OF_EACH_GAMMA: Final = (
    ClaimRow(
        sentence="The weighted risk deteriorates on the data sets with large weight variance.",
        reference=SOURCE,
        place=PLACE,
        quantity="deterioration_weighted",
        measured="mean of the tenth minus that of the others, over the others', by the weighted "
        "risk, gamma = {gamma:g}",
        at_least=0.0,
    ),
    *(
        ClaimRow(
            sentence="The final risks by the controlled risk are below those by the weighted one.",
            reference=SOURCE,
            place=PLACE,
            quantity=f"gain_{subset}",
            measured=f"mean of weighted minus controlled, {title}, gamma = {{gamma:g}}",
            at_least=0.0,
        )
        for subset, title in SUBSETS
    ),
)
OF_ALL_GAMMAS: Final = (
    ClaimRow(
        sentence="The controlled risk gives the same final risks on all data sets and on the "
        "tenth, to a hundredth.",
        reference=SOURCE,
        place=PLACE,
        quantity="mean_deterioration_controlled",
        measured="mean of the tenth minus that of the others, over the others', by the controlled "
        "risk, averaged over gamma",
        at_least=-SMALL_INCREASE,
        at_most=SMALL_INCREASE,
    ),
    *(
        ClaimRow(
            sentence="All risks increase slightly as gamma grows.",
            reference=SOURCE,
            place=PLACE,
            quantity=f"rise_{risk}",
            measured=f"mean final risk, {risk}, with gamma = {{last_gamma:g}} minus that with "
            "{first_gamma:g}, over the latter",
            at_least=0.0,
        )
        for risk in ("weighted", "controlled", "target")
    ),
    *(
        ClaimRow(
            sentence="The differences are significant for each gamma, with a largest p-value near "
            "1e-50.",
            reference=SOURCE,
            place=PLACE,
            quantity=f"largest_log_p_{subset}",
            measured=f"largest log10 p of Wilcoxon's test over gamma, {title}, {{weights}}, with "
            "{repetitions} repetitions",
            at_most=-50,
            fewest_repetitions=PAPER_REPETITIONS,
            can_hold_early=True,
        )
        for subset, title in SUBSETS
    ),
)

CLAIMS: Final = PanelClaims(OF_EACH_GAMMA, OF_ALL_GAMMAS)
