"""The claims of the text on importance weighting about variances."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np

from replications.importance.claim import claim
from replications.importance.example_setting import ExampleSetting
from replications.importance.variances import VariancesTold, printed, times
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.jackknife import Statistics, jackknife, number_at
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean
from thetahat.analyses.studies.tables import MonteCarloNumber

NEAR: Final = (0.95, 1.05)
"""What counts as equal, of a ratio."""
ENOUGH: Final = 20_000
"""Repetitions from which a simulated variance decides: with fewer the largest weights have mostly
not been drawn yet, and its error is as much too small as it is itself."""


def _settled(told: VariancesTold, number: MonteCarloNumber) -> MonteCarloNumber:
    """Return a simulated variance, with its error where there are enough repetitions."""
    enough = len(told.records["weighted"]) >= ENOUGH
    return number if enough else MonteCarloNumber(number.value)


def of_weights(told: VariancesTold) -> list[StudyClaim]:
    """Judge section 3.1, Figure 2, and section 3.3, Figure 3."""
    found = [
        claim(
            "The expected value of the importance weights is one.",
            "section 4.1, equation 9",
            f"mean weight over the source, g = {told.scales[at]:g}",
            monte_carlo_mean(told.records["mean_weight"][:, at]),
            *NEAR,
        )
        for at in told.tame
    ]
    for at in told.tame:
        g, simulated = told.scales[at], _settled(told, told.simulated_weight_variance(at))
        known = told.weight_variance(at)
        found.append(
            claim(
                "The weights' variance has the closed form with a root in its denominator.",
                "section 3.1, corrected",
                f"simulated variance over that closed form, g = {g:g}",
                times(simulated, 1 / known),
                *NEAR,
            )
        )
        if not math.isclose(printed(g), known):  # they agree at g = 1
            found.append(
                claim(
                    "The weights' variance has the closed form that is printed.",
                    "section 3.1",
                    f"simulated variance over the printed form, g = {g:g}",
                    times(simulated, 1 / printed(g)),
                    *NEAR,
                )
            )
    return [*found, *_of_growth(told), *_of_large_weights()]


def _of_growth(told: VariancesTold) -> list[StudyClaim]:
    if len(told.finite) < 3:
        return []
    points = [(told.scales[at], math.log(told.weight_variance(at))) for at in told.finite]
    slopes = [(log - last) / (g - before) for (before, last), (g, log) in pairwise(points)]
    bends = min(later - earlier for earlier, later in pairwise(slopes))
    return [
        claim(
            "The weights' variance grows exponentially as g shrinks.",
            "section 3.1, Figure 2",
            "least rise, from step to step of g, of the slope of its logarithm (above 0: faster "
            "than exponentially)",
            MonteCarloNumber(bends, 0.0),
            0.0,
        )
    ]


def _of_large_weights() -> list[StudyClaim]:
    source, target = ExampleSetting(0.7).share_above(10)
    return [
        claim(
            "For g = 0.7 the probability of a weight exceeding 10 is about 0.2.",
            "section 3.3, Figure 3",
            f"P(w > 10) under the {name}, in closed form",
            MonteCarloNumber(value, 0.0),
            0.15,
            0.25,
        )
        for name, value in (("target", target), ("source", source))
    ]


def of_risks(told: VariancesTold) -> list[StudyClaim]:
    """Judge sections 3.2 and 4.1, Figure 4."""
    found: list[StudyClaim] = []
    for at in told.finite:
        g = told.scales[at]
        more = told.variance("weighted", at) - told.variance("target", at)
        less = told.variance("controlled", at) - told.variance("weighted", at)
        found += [
            claim(
                "The importance-weighted risk has a higher sampling variance than the target risk.",
                "section 3.2, equation 7, Figure 4",
                f"sigma_W^2 less sigma_T^2, g = {g:g}, in closed form",
                MonteCarloNumber(more, 0.0),
                0.0,
            ),
            claim(
                "The variance of the controlled risk is never larger than the weighted one's.",
                "section 4.1, equation 13, Figure 4",
                f"sigma_beta^2 less sigma_W^2, g = {g:g}, in closed form",
                MonteCarloNumber(less, 0.0),
                None,
                0.0,
            ),
        ]
    for at in told.tame:
        found += _simulated(told, at)
    return [*found, *_of_divergence(told)]


def _simulated(told: VariancesTold, at: int) -> list[StudyClaim]:
    g = told.scales[at]
    found = [
        claim(
            f"The sampling variance of the {name} risk is as computed.",
            "Figure 4",
            f"simulated variance over the closed form, g = {g:g}",
            times(_settled(told, told.simulated(name, at)), 1 / told.variance(name, at)),
            *NEAR,
        )
        for name in ("target", "weighted", "controlled")
    ]
    kept = 1 - ExampleSetting(g).squared_correlation()
    both = {name: told.records[name][:, at] for name in ("controlled", "weighted")}
    ratio = _settled(told, number_at(*jackknife(_of_both, both), "ratio"))
    return [
        *found,
        claim(
            "The control variate leaves the share 1 - rho^2 of the sampling variance.",
            "section 4.1",
            f"simulated ratio of the variances over 1 - rho^2, g = {g:g}",
            times(ratio, 1 / kept),
            0.9,
            1.1,
        ),
    ]


def _of_both(records: Records) -> Statistics:
    if len(records["weighted"]) < 2:
        return {"ratio": np.asarray(math.nan)}
    controlled, weighted = (records[name].var(ddof=1) for name in ("controlled", "weighted"))
    return {"ratio": np.asarray(controlled / weighted)}


def _of_divergence(told: VariancesTold) -> list[StudyClaim]:
    if len(told.finite) < 2:
        return []
    first, last = told.finite[0], told.finite[-1]
    narrow, wide = told.scales[first], told.scales[last]
    grown = told.variance("controlled", first) / told.variance("controlled", last)
    weighted = told.variance("weighted", first) / told.variance("weighted", last)
    between = f"g = {narrow:g} over that with g = {wide:g}, in closed form"
    return [
        claim(
            "sigma_beta^2 also diverges as g shrinks.",
            "section 4.1, Figure 4",
            f"sigma_beta^2 with {between}",
            MonteCarloNumber(grown, 0.0),
            10.0,
        ),
        claim(
            "It does so at a slower rate than sigma_W^2.",
            "section 4.1, Figure 4",
            f"ratio of the growths of sigma_beta^2 and sigma_W^2, {between}",
            MonteCarloNumber(grown / weighted, 0.0),
            None,
            1.0,
        ),
    ]
