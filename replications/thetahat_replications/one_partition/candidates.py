"""The intervals that are compared: each is a variance with degrees of freedom, and a form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from scipy.special import fdtrc, stdtrit

from thetahat.cautions import HEAVY_TAILED_LOSSES
from thetahat.intervals.skewness_corrected import LEAST_DEGREES
from thetahat.values.types import FloatArray
from thetahat_replications.edges.hall_transformation import bound_skewness, invert
from thetahat_replications.edges.simulated_intervals import LEVEL
from thetahat_replications.one_partition.simulation import LossSeries, SampleMoments

_NORMAL_DEGREES: Final = 1e9
DIFFER_BEFORE: Final = 0.01
"""P-value of the F test below which folds differed when the full allowance was recommended."""

VarianceRule: TypeAlias = Callable[[SampleMoments], tuple[FloatArray, FloatArray | float]]
"""Returns the (R,) variances of the mean, and their degrees of freedom."""


def estimate_nadeau_bengio(moments: SampleMoments) -> tuple[FloatArray, float]:
    """Return (1/K + 1/(K-1)) S^2 of the fold means."""
    k = moments.n_folds
    return (1 / k + 1 / (k - 1)) * moments.between, float(k - 1)


def estimate_within(moments: SampleMoments, allowance: float) -> tuple[FloatArray, float]:
    """Return a multiple of the variance within folds, over n; 1 gives Bayle's normal interval."""
    degrees = _NORMAL_DEGREES if allowance == 1 else float(moments.n - moments.n_folds)
    return allowance * moments.within / moments.n, degrees


def estimate_over_instances(
    moments: SampleMoments, allowance: float, for_few: float = 0.0
) -> tuple[FloatArray, float]:
    """Return (allowance + for_few / n) times the variance of all losses, over n."""
    factor = allowance + for_few / moments.n
    return factor * moments.overall / moments.n, float(moments.n - 1)


def estimate_after_test(
    moments: SampleMoments, allowance: float, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the larger of two variances where folds differ by an F test, else that of instances.

    The two are that of instances with an allowance, and Nadeau and Bengio's.
    """
    over_instances, degrees = estimate_over_instances(moments, allowance)
    between, few_degrees = estimate_nadeau_bengio(moments)
    differ = compute_p_value_of_folds(moments) < alpha
    takes_longer = differ & (between > over_instances)
    return (
        np.where(takes_longer, between, over_instances),
        np.where(takes_longer, few_degrees, degrees),
    )


def estimate_with_full_allowance(moments: SampleMoments) -> tuple[FloatArray, FloatArray]:
    """Return ``nadeau_bengio_instances`` or ``nadeau_bengio``, as they were recommended together.

    The second was where the folds differ, and where a few losses are much larger than the others.
    """
    allowance = 1 + moments.n / (moments.n - 1)
    variance, degrees = estimate_after_test(moments, allowance, DIFFER_BEFORE)
    skewness_of_mean = np.abs(moments.skewness) / np.sqrt(moments.n)
    has_tail = (skewness_of_mean >= HEAVY_TAILED_LOSSES.threshold) & ~moments.is_zero_one
    between, few_degrees = estimate_nadeau_bengio(moments)
    return np.where(has_tail, between, variance), np.where(has_tail, few_degrees, degrees)


def estimate_shrunken(
    moments: SampleMoments, allowance: float, prior: float
) -> tuple[FloatArray, FloatArray]:
    """Return the average of both variances, with weights K - 1 and ``prior``.

    The degrees of freedom are those of Welch and Satterthwaite.
    """
    over_instances, degrees = estimate_over_instances(moments, allowance)
    between, few_degrees = estimate_nadeau_bengio(moments)
    weight = few_degrees / (few_degrees + prior)
    return weigh((between, few_degrees), (over_instances, degrees), weight)


def weigh(
    first: tuple[FloatArray, float], second: tuple[FloatArray, float], weight: float
) -> tuple[FloatArray, FloatArray]:
    """Return an average of two variances, the weight being that of the first.

    The degrees of freedom are those of Welch and Satterthwaite.
    """
    parts = weight * first[0], (1 - weight) * second[0]
    variance = parts[0] + parts[1]
    spread = parts[0] ** 2 / first[1] + parts[1] ** 2 / second[1]
    return variance, np.where(spread > 0, variance**2 / np.where(spread > 0, spread, 1.0), 1.0)


def compute_p_value_of_folds(moments: SampleMoments) -> FloatArray:
    """Return the (R,) p-values of the F test that folds do not differ."""
    size = moments.n // moments.n_folds
    ratio = size * moments.between / np.where(moments.within > 0, moments.within, np.inf)
    return np.asarray(fdtrc(moments.n_folds - 1, moments.n - moments.n_folds, ratio))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An interval by name."""

    name: str
    """As the tables name it."""
    rule: VarianceRule
    """Its variance."""
    allows_for_skewness: bool = True
    """Whether the interval of a single model is ``skewness_corrected`` where it can be built. That
    of a difference is always ``student_t``, and the normal one where the degrees are infinite."""

    def build_ends(self, series: LossSeries) -> tuple[FloatArray, FloatArray]:
        """Return the (R,) ends; both are the mean where the variance is 0."""
        moments = series.moments
        variance, degrees = self.rule(moments)
        quantile = np.asarray(stdtrit(degrees, (1 + LEVEL) / 2), dtype=np.float64)
        skewness = moments.skewness / np.sqrt(moments.n)
        if series.is_difference or not self.allows_for_skewness:
            skewness = np.zeros_like(skewness)
        skewness = np.where(np.asarray(degrees) < LEAST_DEGREES, 0.0, skewness)
        skewness = bound_skewness(skewness, quantile)
        error = np.sqrt(variance)
        lower = moments.mean - invert(quantile, skewness) * error
        return lower, moments.mean - invert(-quantile, skewness) * error


BETWEEN_FOLDS: Final = "nadeau_bengio"
FULL_ALLOWANCE: Final = "nadeau_bengio_instances"
CANDIDATES: Final = (
    Candidate(name=BETWEEN_FOLDS, rule=estimate_nadeau_bengio),
    Candidate(name=FULL_ALLOWANCE, rule=estimate_with_full_allowance),
    Candidate(name="nadeau_bengio, t", rule=estimate_nadeau_bengio, allows_for_skewness=False),
    Candidate(
        name="bayle_within, normal",
        rule=partial(estimate_within, allowance=1.0),
        allows_for_skewness=False,
    ),
    Candidate(name="within x 1.75", rule=partial(estimate_within, allowance=1.75)),
    *(
        Candidate(name=f"instances x {a:g}", rule=partial(estimate_over_instances, allowance=a))
        for a in (1.0, 1.25, 1.5, 1.75, 2.0, 2.25)
    ),
    Candidate(
        name="instances x 1.75, t",
        rule=partial(estimate_over_instances, allowance=1.75),
        allows_for_skewness=False,
    ),
    *(
        Candidate(
            name=f"instances x ({a:g} + {b:g}/n)",
            rule=partial(estimate_over_instances, allowance=a, for_few=b),
        )
        for a, b in ((1.5, 20.0), (1.75, 10.0))
    ),
    *(
        Candidate(
            name=f"x {a:g}, nadeau_bengio if folds differ ({alpha:g})",
            rule=partial(estimate_after_test, allowance=a, alpha=alpha),
        )
        for a in (1.5, 1.75)
        for alpha in (0.01, 0.05)
    ),
    *(
        Candidate(
            name=f"x {a:g} shrunken with nadeau_bengio, {prior:g}",
            rule=partial(estimate_shrunken, allowance=a, prior=prior),
        )
        for a in (1.5, 1.75)
        for prior in (10.0, 30.0)
    ),
)
"""Everything that was compared."""
