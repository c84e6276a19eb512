"""Hall's interval for a mean of skewed losses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals._symmetric import build_symmetric_interval, get_usable_variance
from thetahat.intervals.base import Interval, IntervalMethod, drop_open_end
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, SUBSAMPLES, MethodInfo
from thetahat.traits import IntervalForm, IntervalTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.clusters import compute_imbalance
from thetahat.values.layout import Layout
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances.base import VarianceEstimate

LEAST_DEGREES: Final = 4
"""Fewest degrees of freedom with which the interval is built. Of normal losses, whose skewness is
nothing but noise, it is 1.19 times as long as the t interval with 4 degrees, and would be 1.26 and
1.41 times as long with 3 and 2 (edges/skewed_losses)."""
STEEPEST: Final = 0.99
"""Largest :math:`g|q| + g^2/6`. At 1 the inverse of the transformation is vertical, and beyond it
an end lies up to 4.2 standard errors times the quantile away; up to here it is at most 2.5 times.
The coverage of squared normal losses falls by .006 with 8 losses, .004 with 10 and at most .002
with 15 or more, and that of exponential losses by at most .002 (edges/skewed_losses)."""
LARGEST_IMBALANCE: Final = 1.1
"""Imbalance of clusters up to which the ends are those of Hall alone. With 1.05 they cover normal
losses as often as t, with 1.2 by up to .006 less often, with 1.8 by .01 to .03 and with 2.4 by .02
to .04: the few clusters that decide say little about skewness (edges/skewed_clusters)."""


@dataclass(frozen=True, slots=True)
class SkewnessCorrected(IntervalMethod):
    r"""Quantiles of t that allow for skewed losses, times the standard error.

    :math:`\hat\gamma / \sqrt n` is the skewness of the mean of n instances, with
    :math:`\hat\gamma` the third central moment of the losses over the 3/2 power of the second
    (both with divisor n), and u the quantile after Hall's transformation is undone. The interval
    is longer on the side of the rare large losses, where a symmetric interval stops too early.

    Deviations: the source has normal quantiles; t quantiles are used where the variance has
    degrees of freedom. The source has the mean of n independent values; over folds and random
    draws the standard error is that of the variance estimate, which allows for what folds have in
    common, and n is the number of instances, each counted once. Where instances come in clusters,
    n is the number of clusters, and the values are the sums over clusters of the losses'
    deviations from their mean, whose squares make up the cluster-robust variance. Differences of
    two models, which are nearly symmetric where the models are about as good, keep symmetric
    intervals. The source has no bound for g; beyond ``STEEPEST`` the expansion means nothing, and
    a g of that size takes its place. Where clusters are of unequal size (an imbalance above
    ``LARGEST_IMBALANCE``), each end is the farther one of this interval and of ``student_t``. With
    fewer than ``LEAST_DEGREES`` degrees of freedom there is no interval, and ``student_t`` is
    recommended instead.

    Degenerate cases: as for ``student_t``; losses without skewness give its interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Skewness-corrected interval (Hall)",
        summary=(
            "The mean plus and minus t or normal quantiles times the standard error, with the "
            "quantiles changed by the skewness of the losses, so that the interval is longer on "
            "the side of the rare large losses."
        ),
        formula=(
            r"\left[\hat\mu - u(t_{\nu, 1-\alpha/2}) \sqrt{\hat\theta},\ "
            r"\hat\mu - u(-t_{\nu, 1-\alpha/2}) \sqrt{\hat\theta}\right], \quad "
            r"u(q) = \frac{3}{g} \Bigl(\sqrt[3]{1 + g (q - g/6)} - 1\Bigr), \quad "
            r"g = \hat\gamma / \sqrt n, \quad |g|\, q + g^2 / 6 \le 0.99"
        ),
        references=("hall1992",),
        assumptions=(
            "Independent instances or independent clusters of instances, and losses with a third "
            "moment."
        ),
        errs=(
            "Close to its level for squared losses of normal errors, where the t interval is too "
            "short. Too short where the losses have no third moment, though by less than the t "
            "interval: for squared errors from a t distribution with three degrees of freedom, 85 "
            "to 90 % covered at level 0.95. Slightly too short for losses with symmetric heavy "
            "tails. With ten clusters too short, by about half as much as the t interval; in "
            "clusters of unequal size intervals of level 95 % covered squared losses in 88 to 95 %."
        ),
        blocks=FOLDS | HOLDOUT | SOURCES | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.THESE_MODELS),
        interval=IntervalTraits(form=IntervalForm.SKEWED, only_for_models=True),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has neither independent instances nor clusters, or None."""
        reason = explain_wrong_block_kind(self.info, layout)
        reason = reason or explain_missing_rows(self.info, layout)
        if reason is None and layout.kind is BlockKind.SOURCE and layout.cluster is None:
            return (
                f"{self.info.name} over {layout.words.blocks} needs the cluster of every instance "
                "in the field cluster"
            )
        return reason

    def build(
        self,
        losses: BlockLosses,
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval on a variance with which its coverage was studied, else return None.

        Return None, too, with fewer than ``LEAST_DEGREES`` degrees of freedom. Studied variances
        are the variances that rank it among the recommended intervals of such blocks. Where
        instances come in clusters, the variance must allow for them.
        """
        layout = losses.layout
        if not is_studied(variance_method, layout) or self.inapplicable(layout) is not None:
            return None
        if (value := get_usable_variance(variance)) is None:
            return None
        error, degrees = math.sqrt(value), variance.degrees_of_freedom
        skewness = compute_skewness_of_mean(losses)
        if (degrees is not None and degrees < LEAST_DEGREES) or skewness is None:
            return None
        symmetric = build_symmetric_interval(
            self.info.name, variance_method.name, variance, error, degrees, level, alternative
        )
        if symmetric is None:
            return None
        quantile = compute_upper_quantile(compute_tail_probability(level, alternative), degrees)
        used = bound_skewness(skewness, quantile)
        lower = variance.estimate - invert_transformation(quantile, used) * error
        upper = variance.estimate - invert_transformation(-quantile, used) * error
        if _has_unequal_clusters(layout):
            lower = min(lower, variance.estimate - quantile * error)
            upper = max(upper, variance.estimate + quantile * error)
        if not (math.isfinite(lower) and math.isfinite(upper)):
            return None
        ends = drop_open_end(lower, upper, alternative)
        details = {**symmetric.details, "skewness_of_mean": skewness}
        if used != skewness:
            details["skewness_used"] = used
        return replace(symmetric, lower=ends[0], upper=ends[1], details=details)

    def explain_unbuilt(
        self,
        losses: BlockLosses,
        level: float,  # noqa: ARG002 - the reason does not depend on it
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> str | None:
        """Return that there are too few degrees of freedom; None where the losses do not vary."""
        if self.inapplicable(losses.layout) or compute_skewness_of_mean(losses) is None:
            return None
        return (
            f"the variances on which {self.info.name} was studied are 0 or have fewer than "
            f"{LEAST_DEGREES} degrees of freedom, too few for a skewness"
        )


def is_studied(variance_method: MethodInfo, layout: Layout) -> bool:
    """Return whether the coverage on such a variance was studied."""
    places = variance_method.recommended
    if not any(place.skewed is not None and layout.kind in place.blocks for place in places):
        return False
    if layout.is_set_in_time:
        return False
    return variance_method.variance.knows_clusters is (layout.cluster is not None)


def _has_unequal_clusters(layout: Layout) -> bool:
    cluster = layout.cluster
    return cluster is not None and compute_imbalance(np.bincount(cluster)) > LARGEST_IMBALANCE


def bound_skewness(skewness: float, quantile: float) -> float:
    """Return g, or the g of its sign at which both ends are as far away as they may be."""
    q = abs(quantile)
    largest = 2 * STEEPEST / (q + math.sqrt(q * q + 2 * STEEPEST / 3))
    return math.copysign(min(abs(skewness), largest), skewness)


def transform(t: float, skewness: float) -> float:
    """Return Hall's transformation of a statistic, which rises with it everywhere."""
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


def invert_transformation(quantile: float, skewness: float) -> float:
    """Return the u that Hall's transformation maps to the quantile.

    The cube root minus one is computed as ``(r^3 - 1) / (r^2 + r + 1)``, which loses no digits
    where the skewness is near 0.
    """
    shifted = quantile - skewness / 6
    root = math.cbrt(1 + skewness * shifted)
    return 3 * shifted / (root * root + root + 1)
