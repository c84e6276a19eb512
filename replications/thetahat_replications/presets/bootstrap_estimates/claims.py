"""The claims of the preset ``bootstrap_estimates``, judged for each sample statistic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from thetahat.analyses.studies.claims import ClaimCase, Passage, RelativeBound, judge
from thetahat.analyses.studies.result import StudyClaim
from thetahat.values.monte_carlo_number import MonteCarloNumber

LECTURE: Final = "gutierrez_osuna"
LECTURE_ON_BOOTSTRAP: Final = Passage(LECTURE, "Bias and variance estimates with the bootstrap")
BOOK: Final = "efron1993"
CHAPTER_10: Final = Passage(BOOK, "chapter 10")

CLAIMS: Final = (
    LECTURE_ON_BOOTSTRAP.claim(
        "The bootstrap gives the variance of the estimate.",
        "variance_ratio",
        "mean bootstrap variance over the variance, {statistic}",
        within=(0.75, 1.25),
    ),
    LECTURE_ON_BOOTSTRAP.claim(
        "The bootstrap gives the bias of the estimate.",
        "bias_apart",
        "mean bootstrap bias minus the bias, {statistic}, within 0.05 standard deviations",
        at_least=RelativeBound("deviation", times=-0.05),
        at_most=RelativeBound("deviation", times=0.05),
    ),
    CHAPTER_10.claim(
        "Subtracting the estimated bias gives an estimate with less bias.",
        "bias_saved",
        "absolute bias minus that of the corrected value, {statistic}",
        at_least=0,
    ),
    CHAPTER_10.claim(
        "The correction can be dangerous: it may add more error than it saves.",
        "mse_added",
        "mean squared error added by the correction, {statistic}",
        at_least=0,
    ),
)


def judge_statistic(
    statistic: str, numbers: Mapping[str, MonteCarloNumber]
) -> tuple[StudyClaim, ...]:
    """Judge the claims for one sample statistic from its columns in the table of estimates."""
    deviation = float(np.sqrt(numbers["variance"].value or 0.0))
    fields: dict[str, str | float] = {"statistic": statistic, "deviation": deviation}
    return judge(CLAIMS, [ClaimCase(numbers.__getitem__, fields)])
