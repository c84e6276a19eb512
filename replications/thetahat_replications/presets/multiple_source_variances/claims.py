"""The claims of the preset ``multiple_source_variances``; M is the documents of each source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies.claims import Passage, judge
from thetahat.analyses.studies.jackknife import JackknifedStatistics
from thetahat.analyses.studies.result import StudyClaim
from thetahat.values.types import FloatArray

SOURCE: Final = "geras2013"
SECTION_5: Final = Passage(SOURCE, "section 5")
SHOWN_SIZE: Final = 100
"""The smallest M whose variations of the covariances exceed the errors of 1000 data sets."""
MANY_DOCUMENTS: Final = 1000
"""Values of M from which on M is called large."""
FIGURE_4: Final = Passage(SOURCE, "section 6.2, Figure 4")
FIGURE_5: Final = Passage(SOURCE, "section 6.2, Figure 5")
FIGURE_6: Final = Passage(SOURCE, "section 6.2, Figure 6")
RATIO_NEAR_ONE: Final = (0.75, 1.25)
"""Shares of the true variance between which the bias of a mean estimate is called negligible."""


def compute_claim_statistics(statistics: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the (sizes,) quantities of the claims from the statistics of both schemes.

    The estimators are in the order of ``multiple_source_variances.preset.ESTIMATORS``.
    """
    cvs, cvr = statistics["cvs_mean_thetas"], statistics["cvr_mean_thetas"]
    cvs_bias = np.abs(statistics["cvs_bias_thetas"])
    cvr_bias = np.abs(statistics["cvr_bias_thetas"])
    sigma2, omega_k = statistics["cvs_sigma2"], statistics["cvs_omega_k"]
    omega = statistics["cvr_omega_k"].mean(axis=1)
    gamma = statistics["cvr_gamma_kl"].mean(axis=1)
    spread_gamma, spread_omega = statistics["cvs_spread_gamma"], statistics["cvs_spread_omega"]
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma_left = cvs[-1, 0] / cvs[:, 0]
        truth_left = statistics["cvs_truth"][-1] / statistics["cvs_truth"]
        b_share = cvs[:, 2] / statistics["cvs_truth"]
        return {
            "omega_apart": statistics["cvr_omega"] - statistics["cvs_omega"],
            "orders": np.log10(sigma2 / np.abs(omega_k.mean(axis=1))),
            "gamma_spread_lost": spread_gamma - 4 * spread_gamma[-1],
            "omega_spread_kept": spread_omega[-1] - spread_omega / 4,
            "omega_spread_not_grown": 4 * spread_omega - spread_omega[-1],
            "omega_above_gamma": omega - gamma,
            "omega_near_gamma": 3 * gamma - omega,
            "slower": gamma_left - truth_left,
            "gamma_share": cvs[:, 0] / statistics["cvs_truth"],
            "a_nearer": cvs_bias[:, 0] - cvs_bias[:, 1],
            "a_bias": statistics["cvs_bias_thetas"][:, 1],
            "b_above_gamma": cvs[:, 2] - cvs[:, 0],
            "b_share": b_share,
            "b_share_kept": b_share[-1] - b_share,
            "5_nearer": cvr_bias[:, 1] - cvr_bias[:, 3],
            "5_share": cvr[:, 3] / statistics["cvr_truth"],
        }


PARTS_AT_LARGEST_SIZE: Final = (
    FIGURE_4.claim(
        "The omega part is much larger at random than by source (as printed).",
        "omega_apart",
        "omega part of the variance at random minus that by source, M = {size}",
        at_least=0,
    ),
    FIGURE_4.claim(
        "Errors on one block are correlated by source and not at random (the reason given).",
        "omega_apart",
        "omega part of the variance at random minus that by source, M = {size}",
        at_most=0,
    ),
)
SPREADS_AT_SHOWN_SIZE: Final = (
    FIGURE_5.claim(
        "The variation of gamma_kl diminishes when M gets larger: to a quarter or less.",
        "gamma_spread_lost",
        "variance of gamma_kl with M = {size} minus four times that with M = {largest_size}",
        at_least=0,
    ),
    FIGURE_5.claim(
        "The variation of omega_k does not change much with M: it does not fall to less "
        "than a quarter.",
        "omega_spread_kept",
        "variance of omega_k with M = {largest_size} minus a quarter of that with M = {size}",
        at_least=0,
    ),
    FIGURE_5.claim(
        "The variation of omega_k does not change much with M: it does not grow to more "
        "than four times.",
        "omega_spread_not_grown",
        "four times the variance of omega_k with M = {size} minus that with M = {largest_size}",
        at_least=0,
    ),
)
"""Judged as differences from ``SHOWN_SIZE`` on. With fewer documents the variations are smaller
than the errors of 1000 data sets, and a ratio to them is noise."""

SIZE_OF_GAMMA_AND_OMEGA: Final = (
    SECTION_5.claim(
        "Typically omega > gamma, the reason for theta_5.",
        "omega_above_gamma",
        "omega minus gamma, cross-validation at random, M = {size}",
        at_least=0,
    ),
    SECTION_5.claim(
        "omega and gamma are of similar magnitude, the reason for theta_5: omega is at "
        "most three times gamma.",
        "omega_near_gamma",
        "three times gamma minus omega, cross-validation at random, M = {size}",
        at_least=0,
    ),
)
"""Judged for each M. The bias of theta_5 is omega - 2 gamma, and that of theta_3 is -gamma: where
omega is more than three times gamma, theta_5 has the larger bias."""
COVARIANCES_AT_LARGEST_SIZE: Final = (
    FIGURE_5.claim(
        "The variances of losses are a few orders of magnitude above the covariances.",
        "orders",
        "logarithm (base 10) of mean sigma_k^2 over mean omega_k, M = {size}",
        at_least=2,
    ),
)
GAMMA_AT_NEXT_TO_LARGEST_SIZE: Final = (
    FIGURE_6.claim(
        "theta_gamma does not converge to 0.",
        "slower",
        "share of theta_gamma left with M = {largest_size}, minus the share of the "
        "variance left, from, M = {size}",
        at_least=0,
    ),
)
GAMMA_AND_A_AT_LARGEST_SIZE: Final = (
    FIGURE_6.claim(
        "theta_gamma grossly overestimates for large M.",
        "gamma_share",
        "mean of theta_gamma over the variance (grossly: 2), M = {size}",
        at_least=2,
    ),
    FIGURE_6.claim(
        "theta_A is closer than theta_gamma for large M.",
        "a_nearer",
        "absolute bias of theta_gamma minus that of theta_A, M = {size}",
        at_least=0,
    ),
)
A_AT_EACH_SIZE: Final = (
    FIGURE_6.claim(
        "The bias of theta_A is consistently optimistic.",
        "a_bias",
        "mean of theta_A minus the variance, M = {size}",
        at_most=0,
    ),
)
B_AT_SMALLEST_SIZE: Final = (
    FIGURE_6.claim(
        "For small M, theta_B is not more optimistic than theta_gamma.",
        "b_above_gamma",
        "mean of theta_B minus that of theta_gamma, M = {size}",
        at_least=0,
    ),
)
B_AT_LARGE_SIZES: Final = (
    FIGURE_6.claim(
        "For large M, theta_B has a negligible bias.",
        "b_share",
        "mean of theta_B over the variance, M = {size}",
        within=RATIO_NEAR_ONE,
    ),
)
B_BEFORE_LARGEST_SIZE: Final = (
    FIGURE_6.claim(
        "For large M, theta_B has a negligible bias: its share of the variance does not "
        "fall with M.",
        "b_share_kept",
        "mean of theta_B over the variance, M = {largest_size}, minus the same, M = {size}",
        at_least=0,
    ),
)
RANDOM_AT_EACH_SIZE: Final = (
    FIGURE_6.claim(
        "theta_5 has a lower bias than the best estimator before it, theta_3.",
        "5_nearer",
        "absolute bias of theta_3 minus that of theta_5, M = {size}",
        at_least=0,
    ),
    FIGURE_6.claim(
        "theta_5 is almost unbiased, even for small M.",
        "5_share",
        "mean of theta_5 over the variance, M = {size}",
        within=RATIO_NEAR_ONE,
    ),
)


def judge_variances(
    statistics: JackknifedStatistics, sizes: Sequence[int]
) -> tuple[StudyClaim, ...]:
    """Judge all claims, in the order of the source's figures."""
    cases = [
        statistics.build_case(at, {"size": size, "largest_size": sizes[-1]})
        for at, size in enumerate(sizes)
    ]
    smallest, largest = cases[:1], cases[-1:]
    shown = [case for case, size in zip(cases[:-1], sizes, strict=False) if size >= SHOWN_SIZE][:1]
    large = [case for case, size in zip(cases, sizes, strict=True) if size >= MANY_DOCUMENTS]
    before_largest = large[:-1][-1:]
    next_to_largest = cases[max(len(sizes) - 2, 0) :][:1]
    return (
        *judge(PARTS_AT_LARGEST_SIZE, largest),
        *judge(SPREADS_AT_SHOWN_SIZE, shown),
        *judge(SIZE_OF_GAMMA_AND_OMEGA, cases),
        *judge(COVARIANCES_AT_LARGEST_SIZE, largest),
        *judge(GAMMA_AT_NEXT_TO_LARGEST_SIZE, next_to_largest),
        *judge(GAMMA_AND_A_AT_LARGEST_SIZE, largest),
        *judge(A_AT_EACH_SIZE, cases),
        *judge(B_AT_SMALLEST_SIZE, smallest),
        *judge(B_AT_LARGE_SIZES, large),
        *judge(B_BEFORE_LARGEST_SIZE, before_largest),
        *judge(RANDOM_AT_EACH_SIZE, cases),
    )
