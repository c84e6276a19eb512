"""The claims of the preset ``importance_variances``; g is the standard deviation of the source."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Final

from thetahat.analyses.studies.claims import ClaimCase, Passage, judge
from thetahat.analyses.studies.result import StudyClaim
from thetahat.values.monte_carlo_number import MonteCarloNumber, make_exact
from thetahat_replications.importance.example_setting import ExampleSetting
from thetahat_replications.presets.importance_variances.variances import (
    SHARE_CONSTANT,
    ExampleVariances,
    compute_shares_above,
    evaluate_printed_weight_variance,
)

SOURCE: Final = "kouw2019"
SECTION_4_1: Final = Passage(SOURCE, "section 4.1, Figure 4")
FIGURE_4: Final = Passage(SOURCE, "Figure 4")
EQUAL: Final = (1 - 1e-6, 1 + 1e-6)
"""Ratios between these are called equal; the errors of the numerical integrals are below 1e-9."""
ABOUT_A_FIFTH: Final = (0.15, 0.25)
"""Probabilities that round to the 0.2 of the paper."""

OF_QUADRATURE: Final = (
    Passage(SOURCE, "section 4.1, equation 9").claim(
        "The expected value of the importance weights is one.",
        "mean_weight",
        "mean weight over the source by quadrature, g = {g:g}",
        within=EQUAL,
    ),
    Passage(SOURCE, "section 3.1, corrected").claim(
        "The weights' variance has the closed form with a root in its denominator.",
        "weight_variance_ratio",
        "variance by quadrature over that closed form, g = {g:g}",
        within=EQUAL,
    ),
    Passage(SOURCE, "section 3.1").claim(
        "The weights' variance has the closed form that is printed.",
        "printed_variance_ratio",
        "variance by quadrature over the printed form, g = {g:g}",
        within=EQUAL,
    ),
)
"""Judged for each g with finite variances; the printed form not at g = 1, where both agree."""

OF_GROWTH: Final = (
    Passage(SOURCE, "section 3.1, Figure 2").claim(
        "The weights' variance grows exponentially as g shrinks.",
        "least_change_of_log_slope",
        "least rise, from step to step of g, of the slope of its logarithm (above 0: "
        "faster than exponentially)",
        at_least=0.0,
    ),
)
OF_LARGE_WEIGHTS: Final = (
    Passage(SOURCE, "Figure 3, as the authors' script computes it").claim(
        "For g = 0.7 the probability of a weight exceeding 10 is about 0.2.",
        "share_above_10_centred",
        "P(w > 10) for x from N(0, g²), in closed form",
        within=ABOUT_A_FIFTH,
    ),
    Passage(SOURCE, "section 3.3").claim(
        "For g = 0.7 the probability of a weight exceeding 10 is about 0.2.",
        "share_above_10_source",
        "P(w > 10) for x from the source N(-1, g²), in closed form",
        within=ABOUT_A_FIFTH,
    ),
)
"""The source is where rows are drawn. The authors' script integrates under N(0, g²) instead."""

OF_CLOSED_FORMS: Final = (
    Passage(SOURCE, "section 3.2, equation 7, Figure 4").claim(
        "The importance-weighted risk has a higher sampling variance than the target risk.",
        "weighted_above_target",
        "σ_W² minus σ_T², g = {g:g}, in closed form",
        at_least=0.0,
    ),
    Passage(SOURCE, "section 4.1, equation 13, Figure 4").claim(
        "The variance of the controlled risk is never larger than the weighted one's.",
        "controlled_above_weighted",
        "σ_β² minus σ_W², g = {g:g}, in closed form",
        at_most=0.0,
    ),
)
"""Judged for each g with finite variances."""

OF_VARIANCES: Final = (
    *(
        FIGURE_4.claim(
            f"The sampling variance of the {risk} risk is as computed.",
            f"{risk}_variance_ratio",
            "variance by quadrature over the closed form, g = {g:g}",
            within=EQUAL,
        )
        for risk in ("target", "weighted", "controlled")
    ),
    Passage(SOURCE, "section 4.1").claim(
        "The control variate leaves the share 1 - rho^2 of the sampling variance.",
        "variance_left_ratio",
        "ratio of the variances by quadrature over 1 - rho^2, g = {g:g}",
        within=EQUAL,
    ),
)
"""Judged for each g with finite variances."""

OF_DIVERGENCE: Final = (
    SECTION_4_1.claim(
        "σ_β² also diverges as g shrinks.",
        "growth_of_controlled",
        "σ_β² with g = {least_g:g} over that with g = {largest_g:g}, in closed form",
        at_least=10.0,
    ),
    SECTION_4_1.claim(
        "It does so at a slower rate than σ_W².",
        "growth_of_controlled_over_weighted",
        "ratio of the growths of σ_β² and σ_W², g = {least_g:g} over that "
        "with g = {largest_g:g}, in closed form",
        at_most=1.0,
    ),
)


def _compute_at_scale(v: ExampleVariances, at: int, quantity: str) -> MonteCarloNumber | None:
    """Return a quantity; None for the printed variance if it is the right one (at g = 1)."""
    g, known, integrals = v.scales[at], v.weight_variance(at), v.quadrature(at)
    if quantity == "mean_weight":
        return make_exact(integrals.mean_weight())
    if quantity == "weight_variance_ratio":
        return make_exact(integrals.weight_variance() / known)
    if quantity == "printed_variance_ratio":
        printed = evaluate_printed_weight_variance(g)
        if math.isclose(printed, known):
            return None
        return make_exact(integrals.weight_variance() / printed)
    if quantity == "weighted_above_target":
        return make_exact(v.variance("weighted", at) - v.variance("target", at))
    if quantity == "controlled_above_weighted":
        return make_exact(v.variance("controlled", at) - v.variance("weighted", at))
    if quantity == "variance_left_ratio":
        left = 1 - ExampleSetting(g).squared_correlation()
        ratio = integrals.variance("controlled") / integrals.variance("weighted")
        return make_exact(ratio / left)
    risk = quantity.removesuffix("_variance_ratio")
    return make_exact(integrals.variance(risk) / v.variance(risk, at))


def _compute_of_all_scales(v: ExampleVariances, quantity: str) -> MonteCarloNumber | None:
    """Return a quantity; None if there are too few g with finite variances for it."""
    if quantity.startswith("share_above_10"):
        of = quantity.removeprefix("share_above_10_")
        return make_exact(compute_shares_above(0.7, SHARE_CONSTANT)[of])
    if quantity == "least_change_of_log_slope":
        return _find_least_change_of_log_slope(v)
    if len(v.finite) < 2:
        return None
    first, last = v.finite[0], v.finite[-1]
    grown, of_weighted = (
        v.variance(risk, first) / v.variance(risk, last) for risk in ("controlled", "weighted")
    )
    return make_exact(grown if quantity == "growth_of_controlled" else grown / of_weighted)


def _find_least_change_of_log_slope(v: ExampleVariances) -> MonteCarloNumber | None:
    if len(v.finite) < 3:
        return None
    points = [(v.scales[at], math.log(v.weight_variance(at))) for at in v.finite]
    slopes = [(log - last) / (g - before) for (before, last), (g, log) in pairwise(points)]
    return make_exact(min(later - earlier for earlier, later in pairwise(slopes)))


def judge_variances(variances: ExampleVariances) -> tuple[StudyClaim, ...]:
    """Judge all claims: those about the weights first, then those about the risks."""
    scales = [variances.scales[at] for at in variances.finite]
    finite = [
        ClaimCase(partial(_compute_at_scale, variances, at), {"g": g})
        for at, g in zip(variances.finite, scales, strict=True)
    ]
    ends = {"least_g": scales[0], "largest_g": scales[-1]} if scales else {}
    together = [ClaimCase(partial(_compute_of_all_scales, variances), ends)]
    return (
        *judge(OF_QUADRATURE, finite),
        *judge(OF_GROWTH, together),
        *judge(OF_LARGE_WEIGHTS, together),
        *judge(OF_CLOSED_FORMS, finite),
        *judge(OF_VARIANCES, finite),
        *judge(OF_DIVERGENCE, together),
    )
