"""The claims of the preset ``importance_ozone``: section 5.3, ozone data."""

from __future__ import annotations

from typing import Final

from thetahat.analyses.studies.claims import Passage
from thetahat_replications.importance.final_risk_claims import (
    PAPER_REPETITIONS,
    SMALL_INCREASE,
    SOURCE,
    PanelClaims,
)

PLACE: Final = Passage(SOURCE, "section 5.3, Figure 7")
SUBSETS: Final = (("all", "all data sets"), ("top", "the tenth"))

OF_EACH_GAMMA: Final = (
    PLACE.claim(
        "The weighted risk deteriorates on the data sets with large weight variance.",
        "deterioration_weighted",
        "mean of the tenth minus that of the others, over the others', by the weighted "
        "risk, gamma = {gamma:g}",
        at_least=0.0,
    ),
    *(
        PLACE.claim(
            "The final risks by the controlled risk are below those by the weighted one.",
            f"gain_{subset}",
            f"mean of weighted minus controlled, {title}, gamma = {{gamma:g}}",
            at_least=0.0,
        )
        for subset, title in SUBSETS
    ),
)
OF_ALL_GAMMAS: Final = (
    PLACE.claim(
        "The controlled risk gives the same final risks on all data sets and on the "
        "tenth, to a hundredth.",
        "mean_deterioration_controlled",
        "mean of the tenth minus that of the others, over the others', by the controlled "
        "risk, averaged over gamma",
        within=(-SMALL_INCREASE, SMALL_INCREASE),
    ),
    *(
        PLACE.claim(
            "All risks increase slightly as gamma grows.",
            f"rise_{risk}",
            f"mean final risk, {risk}, with gamma = {{last_gamma:g}} minus that with "
            "{first_gamma:g}, over the latter",
            at_least=0.0,
        )
        for risk in ("weighted", "controlled", "target")
    ),
    *(
        PLACE.claim(
            "The differences are significant for each gamma, with a largest p-value near 1e-50.",
            f"largest_log_p_{subset}",
            f"largest log10 p of Wilcoxon's test over gamma, {title}, {{weights}}, with "
            "{repetitions} repetitions",
            at_most=-50,
            fewest_repetitions=PAPER_REPETITIONS,
            can_hold_early=True,
        )
        for subset, title in SUBSETS
    ),
)

CLAIMS: Final = PanelClaims(OF_EACH_GAMMA, OF_ALL_GAMMAS)
