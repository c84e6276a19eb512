"""Hall's interval for a mean of skewed losses, as it was and with a bounded skewness."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
from scipy import stats

from thetahat.cautions import HEAVY_TAILED_LOSSES
from thetahat.intervals.skewness_corrected import LEAST_DEGREES, STEEPEST
from thetahat.values.types import FloatArray
from thetahat_replications.edges.hall_transformation import bound_skewness, invert
from thetahat_replications.edges.simulated_intervals import iterate_designs, measure_power
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
FAR: Final = 5.0
"""Ratio of the longer to the shorter side from which an interval is counted as lopsided."""

Sampler = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
LOSSES: Final[Mapping[str, tuple[Sampler, float]]] = {
    "normal": (lambda g, s: g.standard_normal(s), 0.0),
    "squared normal": (lambda g, s: g.chisquare(1, s), 1.0),
    "exponential": (lambda g, s: g.exponential(size=s), 1.0),
    "uniform": (lambda g, s: g.random(s), 0.5),
    "beta (2, 5)": (lambda g, s: g.beta(2, 5, s), 2 / 7),
}
"""Distributions of losses, with their means."""

TITLE: Final = "Intervals for few skewed losses"
ABOUT: Final = f"""
Intervals of level {LEVEL:g} for the mean of n independent losses, with the standard error of the
mean and n - 1 degrees of freedom. The old rule is Hall's transformation with the skewness as it is;
the new one bounds it, so that g|q| + g^2/6 is at most {STEEPEST:g}, and is the t interval below
{LEAST_DEGREES} degrees of freedom. Columns: how often an interval covers; its mean length over that
of the t interval; its power, which is how often it excludes a value three standard deviations from
the mean, as a share of that of an interval that knows the standard deviation (above 1 where an
interval is too short on one side); the largest distance of an end in units of the t interval's; the
share of samples in which one side is more than {FAR:g} times the other; the share in which the
skewness of the mean reaches {HEAVY_TAILED_LOSSES.threshold:g}, where `heavy_tailed_losses` is said
from 20 losses on.
"""


COLUMNS: Final = (
    "losses | n | t covers | old rule covers | new rule covers | bound at any n covers | "
    "old length | new length | length with the bound at any n | t power | old power | new power | "
    "power with the bound at any n | "
    "old farthest end | new farthest end | old lopsided | new lopsided | skewed"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length, power and lopsidedness of the old and the new rule."""
    for name, (draw, mean), n, rng in iterate_designs(LOSSES, SIZES, seed):
        yield (name, n, *_judge(draw(rng, (repetitions, n)), mean))


def _judge(losses: FloatArray, mean: float) -> tuple[str | float, ...]:
    repetitions, n = losses.shape
    estimate = losses.mean(axis=1)
    centred = losses - estimate[:, None]
    second = (centred**2).mean(axis=1)
    g = (centred**3).mean(axis=1) / second**1.5 / math.sqrt(n)
    q = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
    t = (estimate - mean) / np.sqrt(second / (n - 1))
    bounded = bound_skewness(g, q)
    new = bounded if n - 1 >= LEAST_DEGREES else np.zeros(repetitions)
    below = {name: invert(q, used) for name, used in (("old", g), ("new", new), ("any", bounded))}
    above = {name: -invert(-q, used) for name, used in (("old", g), ("new", new), ("any", bounded))}
    covers = {name: float(((-above[name] <= t) & (t <= below[name])).mean()) for name in below}
    length = {name: float((below[name] + above[name]).mean()) / (2 * q) for name in below}
    scale = np.sqrt(second / (n - 1))
    power = {
        name: measure_power(
            (t - below[name]) * scale, (t + above[name]) * scale, float(estimate.std())
        )
        for name in below
    }
    t_power = measure_power((t - q) * scale, (t + q) * scale, float(estimate.std()))
    farthest = {name: float(np.maximum(below[name], above[name]).max()) / q for name in below}
    ratio = {
        name: np.maximum(below[name] / above[name], above[name] / below[name]) for name in below
    }
    lopsided = {name: float((ratio[name] > FAR).mean()) for name in below}
    return (
        format_share(float((np.abs(t) <= q).mean()), repetitions),
        *(format_share(covers[name], repetitions) for name in ("old", "new", "any")),
        *(length[name] for name in ("old", "new", "any")),
        t_power,
        *(power[name] for name in ("old", "new", "any")),
        *(farthest[name] for name in ("old", "new")),
        *(lopsided[name] for name in ("old", "new")),
        float((np.abs(g) >= HEAVY_TAILED_LOSSES.threshold).mean()),
    )
