"""How often ``not_worse`` is said of skewed losses when the difference is the margin, and power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from thetahat.analyses.losses.comparisons import is_clearly_skewed
from thetahat.analyses.losses.verdict_basis import SkewedBasis, VerdictBasis
from thetahat.intervals.skewness_corrected import LEAST_DEGREES
from thetahat.values.skewness import compute_skewness
from thetahat.values.types import FloatArray, Target
from thetahat_replications.edges.simulated_intervals import SHIFT, compute_power_of_bounds
from thetahat_replications.edges.table import TableRow, format_share

ALPHA: Final = 0.05
SIZES: Final = (5, 10, 20, 50, 200)
NOISE: Final = 0.01

TITLE: Final = "Margins of skewed losses"
ABOUT: Final = f"""
The new model is worse than the old one by exactly the margin on a test set of n instances, so
`not_worse` is false and may be said in at most 5 % of samples. Losses that differ *rarely* are
alike but for a small noise, and in that share of the instances the new model is worse by an
exponential amount. The old rule is the one-sided t test. Today's rule takes the larger p-value of
it and of the one after Hall's transformation, if the skewness of the differences is clear and there
are at least {LEAST_DEGREES} degrees of freedom. Power is how often `not_worse` is said of a
model that is better than the margin by {SHIFT:g} standard deviations of the mean, as a share of the
power of the one-sided normal test that knows the standard deviation.
"""
COLUMNS: Final = "differences | n | old rule | today | power, old rule | power, today"


def _draw_rarely(share: float) -> Callable[[np.random.Generator, tuple[int, int]], FloatArray]:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        large = np.where(rng.random(shape) < share, rng.exponential(1.0, shape), 0.0)
        return large - share + NOISE * rng.standard_normal(shape)

    return draw


DESIGNS: Final[dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "t with 3 degrees": lambda rng, shape: rng.standard_t(3, shape),
    "exponential, worse": lambda rng, shape: rng.exponential(1.0, shape) - 1,
    "exponential, better": lambda rng, shape: 1 - rng.exponential(1.0, shape),
    "lognormal, worse": lambda rng, shape: rng.lognormal(0, 1, shape) - math.exp(0.5),
    "rarely (.2) worse": _draw_rarely(0.2),
    "rarely (.05) worse": _draw_rarely(0.05),
}
"""Differences with a mean of 0, by what they are like."""


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return error rates and power of the old rule and of today's."""
    for number, (name, draw) in enumerate(DESIGNS.items()):
        for n in SIZES:
            rng = np.random.default_rng([seed, number, n])
            samples = draw(rng, (repetitions, n))
            margins = (0.0, SHIFT * float(samples.std()) / math.sqrt(n))
            counts = np.zeros((2, 2))
            for sample in samples:
                old, today = build_bases(sample)
                for i, margin in enumerate(margins):
                    for j, basis in enumerate((old, today)):
                        p = basis.compute_p_value_of_not_worse(margin, higher_is_better=False)
                        counts[i, j] += p < ALPHA
            errs, found = counts / repetitions
            shares = (format_share(each, repetitions) for each in errs)
            yield (name, n, *shares, *(found / compute_power_of_bounds(SHIFT, 1 - ALPHA)))


def build_bases(sample: FloatArray) -> tuple[VerdictBasis, VerdictBasis]:
    """Return what the old rule and today's rest on."""
    n = len(sample)
    plain = VerdictBasis(
        difference=float(sample.mean()),
        standard_error=float(sample.std(ddof=1)) / math.sqrt(n),
        degrees_of_freedom=n - 1.0,
        target=Target.THESE_MODELS,
        method="student_t",
        variance="iid",
    )
    skewness = compute_skewness(sample, n)
    if skewness is None or n - 1 < LEAST_DEGREES or not is_clearly_skewed(skewness, n):
        return plain, plain
    return plain, SkewedBasis.allow_for(plain, skewness)
