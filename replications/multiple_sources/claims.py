"""The claims of the text on multiple sources about variances and their estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.analyses.studies.claims import StudyClaim
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from replications.multiple_sources.variances_result import VariancesTold

SOURCE: Final = "geras2013"
NEAR: Final = (0.75, 1.25)
"""Between which shares of the truth a mean is called of negligible bias."""


def judged(found: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the numbers that decide the claims, from the statistics of both schemes.

    The orders of estimators are those of ``multiple_source_variances.ESTIMATORS``.
    """
    cvs, cvr = found["cvs_mean_thetas"], found["cvr_mean_thetas"]
    off_cvs, off_cvr = np.abs(found["cvs_bias_thetas"]), np.abs(found["cvr_bias_thetas"])
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma_falls = cvs[-1, 0] / cvs[:, 0]
        truth_falls = found["cvs_truth"][-1] / found["cvs_truth"]
        return {
            "omega_apart": found["cvr_omega"] - found["cvs_omega"],
            "orders": np.log10(found["cvs_sigma2"] / np.abs(found["cvs_omega_k"].mean(axis=1))),
            "gamma_spread_left": found["cvs_spread_gamma"][-1] / found["cvs_spread_gamma"],
            "omega_spread_left": found["cvs_spread_omega"][-1] / found["cvs_spread_omega"],
            "slower": gamma_falls - truth_falls,
            "gamma_share": cvs[:, 0] / found["cvs_truth"],
            "a_nearer": off_cvs[:, 0] - off_cvs[:, 1],
            "b_above_gamma": cvs[:, 2] - cvs[:, 0],
            "b_share": cvs[:, 2] / found["cvs_truth"],
            "5_nearer": off_cvr[:, 1] - off_cvr[:, 3],
            "5_share": cvr[:, 3] / found["cvr_truth"],
        }


def claims(told: VariancesTold) -> tuple[StudyClaim, ...]:
    """Return the text's claims with the figures that decide them."""
    return (*_of_parts(told), *_of_source_estimators(told), *_of_random_estimators(told))


def _claim(  # noqa: PLR0913 - a claim's own fields
    told: VariancesTold,
    text: str,
    name: str,
    at: int,
    *,
    measured: str,
    figure: int,
    bounds: Sequence[float | None],
    place: tuple[int, ...] = (),
) -> StudyClaim:
    return StudyClaim(
        text=text,
        reference=SOURCE,
        place=f"section 6.2, Figure {figure}",
        measured=f"{measured}, M = {told.sizes[at]}",
        figure=told.at(name, at, *place),
        at_least=bounds[0],
        at_most=bounds[1],
    )


def _of_parts(told: VariancesTold) -> list[StudyClaim]:
    first, last = 0, len(told.sizes) - 1
    apart = "omega part of the variance at random less that by source"
    return [
        _claim(
            told,
            "The omega part is much larger at random than by source (as printed).",
            "omega_apart",
            last,
            measured=apart,
            figure=4,
            bounds=(0, None),
        ),
        _claim(
            told,
            "Errors on one block are correlated by source and not at random (the reason given).",
            "omega_apart",
            last,
            measured=apart,
            figure=4,
            bounds=(None, 0),
        ),
        _claim(
            told,
            "The variation of gamma_kl diminishes when M gets larger.",
            "gamma_spread_left",
            first,
            measured=f"variance of gamma_kl with M = {told.sizes[last]} over that",
            figure=5,
            bounds=(None, 0.25),
        ),
        _claim(
            told,
            "The variation of omega_k does not change much with M.",
            "omega_spread_left",
            first,
            measured=f"variance of omega_k with M = {told.sizes[last]} over that",
            figure=5,
            bounds=(0.25, 4),
        ),
        _claim(
            told,
            "The variances of losses are a few orders of magnitude above the covariances.",
            "orders",
            last,
            measured="logarithm (base 10) of mean sigma_k^2 over mean omega_k",
            figure=5,
            bounds=(2, None),
        ),
    ]


def _of_source_estimators(told: VariancesTold) -> list[StudyClaim]:
    first, last = 0, len(told.sizes) - 1
    found = [
        _claim(
            told,
            "theta_gamma does not converge to 0.",
            "slower",
            max(last - 1, 0),
            measured=(
                f"share of theta_gamma left with M = {told.sizes[last]}, less the share of the "
                "variance left, from"
            ),
            figure=6,
            bounds=(0, None),
        ),
        _claim(
            told,
            "theta_gamma grossly overestimates for large M.",
            "gamma_share",
            last,
            measured="mean of theta_gamma over the variance (grossly: 2)",
            figure=6,
            bounds=(2, None),
        ),
        _claim(
            told,
            "theta_A is closer than theta_gamma for large M.",
            "a_nearer",
            last,
            measured="size of the bias of theta_gamma less that of theta_A",
            figure=6,
            bounds=(0, None),
        ),
    ]
    found += [
        _claim(
            told,
            "The bias of theta_A is consistently optimistic.",
            "cvs_bias_thetas",
            at,
            measured="mean of theta_A less the variance",
            figure=6,
            bounds=(None, 0),
            place=(1,),
        )
        for at in range(len(told.sizes))
    ]
    return [
        *found,
        _claim(
            told,
            "For small M, theta_B is not more optimistic than theta_gamma.",
            "b_above_gamma",
            first,
            measured="mean of theta_B less that of theta_gamma",
            figure=6,
            bounds=(0, None),
        ),
        _claim(
            told,
            "For large M, theta_B has a negligible bias.",
            "b_share",
            last,
            measured="mean of theta_B over the variance",
            figure=6,
            bounds=NEAR,
        ),
    ]


def _of_random_estimators(told: VariancesTold) -> list[StudyClaim]:
    found = []
    for at in range(len(told.sizes)):
        found += [
            _claim(
                told,
                "theta_5 has a lower bias than the best estimator before it, theta_3.",
                "5_nearer",
                at,
                measured="size of the bias of theta_3 less that of theta_5",
                figure=6,
                bounds=(0, None),
            ),
            _claim(
                told,
                "theta_5 is almost unbiased, even for small M.",
                "5_share",
                at,
                measured="mean of theta_5 over the variance",
                figure=6,
                bounds=NEAR,
            ),
        ]
    return found
