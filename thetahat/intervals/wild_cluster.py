"""Interval by the wild cluster bootstrap, over all patterns of weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from thetahat.distributions import compute_tail_probability
from thetahat.errors import InsufficientData
from thetahat.intervals._symmetric import build_symmetric_interval, get_usable_variance
from thetahat.intervals.base import Interval, IntervalMethod, drop_open_end
from thetahat.registry import HOLDOUT, PARTITIONS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, FloatArray, Target
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances._clusters import refuse_without_clusters
from thetahat.variances.base import VarianceEstimate

_FEWEST, _MOST = 3, 12
_MOST_OF_SIX_POINTS = 6
_SIX_POINTS: Final = tuple(math.sqrt(k / 2) for k in (1, 2, 3)) + tuple(
    -math.sqrt(k / 2) for k in (1, 2, 3)
)
_TIE = 1e-9
_PRECISION = 1e-10  # of the ends, in standard errors
_FURTHEST = 1e6  # standard errors; the test rejects there at every level that patterns can reach


@dataclass(frozen=True, slots=True)
class WildCluster(IntervalMethod):
    r"""Means that the wild cluster bootstrap test does not reject.

    For a mean :math:`\mu`, :math:`S_c = \sum_{i \in c} (e_i - \mu)` is the sum of cluster c, and
    pattern w multiplies it by :math:`w_c`. t is the mean over its CR2 standard error, and
    :math:`t_w` the same of the sums :math:`w_c S_c`. With 6 clusters or more weights are -1 and 1;
    with fewer, or for a level that signs cannot reach, they are Webb's six points
    :math:`\pm\sqrt{k/2}`, k = 1, 2, 3. All patterns are counted, so no random number is drawn.

    Deviations: the standard error is CR2, as that of the interval's variance, and not CR1. The
    ends are the nearest means on both sides of the estimate that are rejected.

    Degenerate cases: as for ``student_t``. More than 12 clusters are refused, because CR2 holds
    there, and so is a level beyond that of the most extreme pattern.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Wild cluster bootstrap interval",
        summary=(
            "The means that a test with random weights on whole clusters does not reject; for 3 to "
            "12 clusters, all patterns of weights counted."
        ),
        formula=(
            r"\Bigl\{\mu : \tfrac12 P_w\bigl(|t_w(\mu)| \ge |t(\mu)|\bigr) > \alpha / 2\Bigr\}, "
            r"\quad t_w(\mu) = \frac{\sum_c w_c S_c(\mu)}"
            r"{\sqrt{\sum_c (w_c S_c - h_c \sum_d w_d S_d)^2 / (1 - h_c)}}"
        ),
        references=("cameron2008", "webb2023"),
        assumptions=(
            "Independent clusters whose sums are distributed symmetrically about the mean. The "
            "target is the error of the trained models."
        ),
        errs=(
            "At its level or above for symmetric losses, and much longer than the t interval with "
            "fewer than six clusters. With six to ten clusters of 2 to 50 instances intervals of "
            "level 95 % covered in 95 to 96 % for normal losses, in 98 to 100 % for differences "
            "and in 94 to 95 % for an error rate of 30 %, where t on cluster_robust covers in 90 "
            "to 92 %; too rarely for squared losses (87 to 91 %) and an error rate of 10 % (83 to "
            "85 %). The p-value need not fall steadily with the distance from the estimate: the "
            "interval ends at the nearest mean that is rejected, and means beyond it may not be. "
            "It leaves out how much results change with other training data."
        ),
        blocks=PARTITIONS | HOLDOUT,
        targets=(Target.THESE_MODELS,),
        by_request_only=True,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has too few clusters or too many, or None if it fits."""
        if (
            reason := explain_wrong_block_kind(self.info, layout)
            or explain_missing_rows(self.info, layout)
            or refuse_without_clusters(self.info, layout)
        ):
            return reason
        n = len(layout.cluster_labels)
        if _FEWEST <= n <= _MOST:
            return None
        return f"{self.info.name} is for {_FEWEST} to {_MOST} clusters, and there are {n}"

    def build(
        self,
        losses: BlockLosses,
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval on the variance of the cluster sums; None on any other."""
        if not variance_method.variance.is_of_cluster_sums:
            return None
        value = get_usable_variance(variance)
        if value is None or self.inapplicable(losses.layout) is not None:
            return None
        cluster = losses.layout.cluster
        assert cluster is not None  # noqa: S101 - it fits
        tail = compute_tail_probability(level, alternative)
        weights = _choose_weights(len(losses.layout.cluster_labels), tail, level)
        error = math.sqrt(value)
        symmetric = build_symmetric_interval(
            self.info.name,
            variance_method.name,
            variance,
            error,
            variance.degrees_of_freedom,
            level,
            alternative,
        )
        if symmetric is None:
            return None
        shifted = (losses.rows - losses.rows[0]) / error
        sums = np.asarray(np.bincount(cluster, weights=shifted - shifted.mean()), dtype=np.float64)
        sizes = np.bincount(cluster).astype(np.float64)

        def is_rejected(distance: float) -> bool:
            return compute_p_value(sums, sizes, distance, weights) <= 2 * tail

        lower = variance.estimate - error * _find_end(lambda distance: is_rejected(-distance))
        upper = variance.estimate + error * _find_end(is_rejected)
        if not (math.isfinite(lower) and math.isfinite(upper)):
            return None
        ends = drop_open_end(lower, upper, alternative)
        details = {**symmetric.details, "n_patterns": 2 * len(weights)}
        return replace(symmetric, lower=ends[0], upper=ends[1], details=details)


def compute_p_value(
    sums: FloatArray, sizes: FloatArray, distance: float, weights: FloatArray
) -> float:
    """Return the two-sided p-value of the mean at a distance above the estimate.

    Parameters
    ----------
    sums, sizes : ndarray of float
        (C,) sums of the deviations from the estimate, and numbers of losses.
    distance : float
        The mean that is tested, less the estimate.
    weights : ndarray of float
        (P, C) patterns, one of each pair that differs in all signs.
    """
    share = sizes / sizes.sum()
    factors = 1 / (1 - share)
    tested = sums - sizes * distance
    totals = weights @ tested
    squares = weights**2 @ (tested**2 * factors)
    squares -= 2 * totals * (weights @ (tested * share * factors))
    squares += totals**2 * float(share**2 @ factors)
    observed = float(tested.sum()) ** 2 / float(sums**2 @ factors)
    return float(np.mean(totals**2 >= observed * squares * (1 - _TIE)))


def _choose_weights(n_clusters: int, tail: float, level: float) -> FloatArray:
    """Return the patterns of signs, or of six points where signs cannot reach the level."""
    if 2.0**-n_clusters <= tail:
        return _list_patterns(n_clusters, (1.0, -1.0))
    if n_clusters <= _MOST_OF_SIX_POINTS and 3 * 6.0**-n_clusters <= tail:
        return _list_patterns(n_clusters, _SIX_POINTS)
    raise InsufficientData(
        f"The patterns of {n_clusters} clusters are too few for a wild_cluster interval of level "
        f"{level:g}. Ask for a lower level, or take the t interval on cluster_robust.",
        loc=("level",),
        value=level,
    )


@lru_cache(maxsize=8)
def _list_patterns(n_clusters: int, points: tuple[float, ...]) -> FloatArray:
    """Return the (P, C) patterns whose first weight is positive; the others mirror them."""
    first = points[: len(points) // 2]
    patterns = np.array(list(itertools.product(first, *[points] * (n_clusters - 1))))
    patterns.flags.writeable = False
    return patterns


def _find_end(is_rejected: Callable[[float], bool]) -> float:
    """Return the smallest distance, in standard errors, from which the test rejects."""
    low, high = 0.0, 1.0
    while not is_rejected(high):
        low, high = high, 2 * high
        if high > _FURTHEST:
            return math.inf
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_rejected(middle) else (middle, high)
    return high
