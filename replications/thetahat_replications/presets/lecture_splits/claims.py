"""The claims of the preset ``lecture_splits``; mu is the share of rows to test on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.claims import ClaimCase, Passage, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics
from thetahat.analyses.studies.result import StudyClaim

SOURCE: Final = "zelezny2011"
COMPLETE_SUBSAMPLING: Final = Passage(SOURCE, "Complete subsampling")
BIAS: Final = Passage(SOURCE, "Bias of the split sample")
NEARLY_EQUAL: Final = 0.01
"""Error rates nearer than this are called equal."""

OF_EACH_SHARE: Final = (
    BIAS.claim(
        "The split sample overestimates the risk of the model fitted on all rows.",
        "bias",
        "bias, mu = {share}, n = {n}",
        at_least=0,
    ),
    BIAS.claim(
        "The split sample is unbiased for the risk of the model that it fitted.",
        "bias_for_fitted",
        "estimate minus the error of the fitted model, mu = {share}, within 0.01, n = {n}",
        within=(-NEARLY_EQUAL, NEARLY_EQUAL),
    ),
    Passage(SOURCE, "Conditional variance of the split sample").claim(
        "The conditional variance is R(f)(1 - R(f)) / (mu |S|) where the learner is saturated.",
        "binomial_ratio",
        "variance over splits over that formula, mu = {share}, n = {n}",
        within=(0.8, 1.25),
    ),
)
"""Judged for each sample size and share."""

OF_NEXT_SHARE: Final = (
    BIAS.claim(
        "The bias grows with mu.",
        "bias_grows",
        "bias with mu = {next_share} minus that with mu = {share}, n = {n}",
        at_least=0,
    ),
)
"""Judged for each share that has a larger one."""

OF_LARGER_SHARES: Final = (
    Passage(SOURCE, "Unconditional variance").claim(
        "The unconditional variance decays with growing mu.",
        "variance_left",
        "variance with mu = {first_share} minus that with mu = {share}, n = {n}",
        at_least=0,
    ),
)
"""Judged for the middle and the largest share."""

OF_COMPLETE_SUBSAMPLING: Final = (
    COMPLETE_SUBSAMPLING.claim(
        "Complete subsampling has the bias of the split sample.",
        "complete_apart",
        "its mean minus that of the split sample, mu = {share}, within 0.01, n = {n}",
        within=(-NEARLY_EQUAL, NEARLY_EQUAL),
    ),
    COMPLETE_SUBSAMPLING.claim(
        "Complete subsampling removes the variance over splits.",
        "complete_saves",
        "variance of the split sample minus that of all splits, mu = {share}, n = {n}",
        at_least=0,
    ),
)
"""Judged for each share, on the smallest sample."""

OF_LEAVE_ONE_OUT: Final = (
    Passage(SOURCE, "Leave-one-out: bias and variance").claim(
        "Leave-one-out has a high variance beside other complete subsampling.",
        "first_above",
        "variance with mu = {first_share} minus that with mu = {share}, n = {n}",
        at_least=0,
    ),
)
"""Judged for the share nearest to 0.3, on the smallest sample."""


def judge_splits(
    statistics: JackknifedStatistics, sizes: Sequence[int], shares: Sequence[float]
) -> tuple[StudyClaim, ...]:
    """Judge all claims, sample size by sample size."""
    claims: list[StudyClaim] = []
    last = len(shares) - 1
    for n in sizes:
        cases = [_build_share_case(statistics, n, shares, at) for at in range(len(shares))]
        for case in cases:
            claims += judge(OF_EACH_SHARE, [case])
            if "next_share" in case.fields:
                claims += judge(OF_NEXT_SHARE, [case])
        claims += judge(OF_LARGER_SHARES, [cases[last // 2], cases[last]])
    smallest = [_build_share_case(statistics, sizes[0], shares, at) for at in range(len(shares))]
    third = min(range(len(shares)), key=lambda at: abs(shares[at] - 0.3))
    claims += judge(OF_COMPLETE_SUBSAMPLING, smallest)
    claims += judge(OF_LEAVE_ONE_OUT, [smallest[third]])
    return tuple(claims)


def _build_share_case(
    statistics: JackknifedStatistics, n: int, shares: Sequence[float], at: int
) -> ClaimCase[str]:
    fields: dict[str, str | float] = {"n": n, "share": shares[at], "first_share": shares[0]}
    if at + 1 < len(shares):
        fields["next_share"] = shares[at + 1]
    return statistics.build_case(at, fields, prefix=f"{n}/")
