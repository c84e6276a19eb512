"""Effect sizes of paired differences: Cohen's d, Hedges' g, superiority and rank correlation."""

from __future__ import annotations

import math

import numpy as np

from thetahat.analyses.losses.optional_results import EffectSize
from thetahat.paired_tests._signed_ranks import rank_values
from thetahat.special_functions import gammaln
from thetahat.values.types import FloatArray

_ROUNDING = 8 * float(np.finfo(np.float64).eps)


def compute_effect_size(
    unit: str, differences: FloatArray, *, higher_is_better: bool = False
) -> EffectSize:
    r"""Return the effect sizes of (n,) paired differences, a minus b.

    .. math::

        d = \frac{\bar x}{s}, \qquad
        g = d \, \frac{\Gamma(\nu/2)}{\sqrt{\nu/2}\,\Gamma((\nu - 1)/2)}, \qquad
        P = \frac{n_a + n_0/2}{n}, \qquad
        r = \frac{R_+ - R_-}{R_+ + R_-}

    ``value`` is Cohen's d, the mean of the differences over their standard deviation (ddof 1), and
    ``hedges_g`` is d without the bias of few units, :math:`\nu = n - 1`.
    ``probability_of_superiority`` is the share of units where a is better, :math:`n_a` of n; a tie
    counts one half. ``rank_biserial`` uses the rank sums of the signed-rank test without zeros and
    has the sign of the difference.

    Source: hedges1981 for g, grissom1994 for P, kerby2014 for r.

    Deviations: a difference within 8 units in the last place of the largest counts as 0, and
    sizes that are as close as that share a rank.

    Degenerate cases: d is None where the differences do not vary, or there is one; g is None where
    d is, and for fewer than three units; r is None where no unit has a difference, and P is then
    .5.
    """
    d = compute_cohen_d(differences)
    n, tolerance = len(differences), _ROUNDING * float(np.abs(differences).max())
    present = differences[np.abs(differences) > tolerance]
    a_is_better = present > 0 if higher_is_better else present < 0
    ahead = int(a_is_better.sum()) + (n - len(present)) / 2
    return EffectSize(
        name="cohen_d",
        value=d,
        unit=unit,
        n=n,
        hedges_g=None if d is None or n < 3 else d * _compute_unbiasing_factor(n - 1),
        probability_of_superiority=ahead / n,
        rank_biserial=_rank_biserial(present, tolerance),
    )


def compute_cohen_d(differences: FloatArray) -> float | None:
    """Return the mean over the standard deviation (ddof 1); None if the values do not vary."""
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    constant = float(differences.max() - differences.min()) == 0
    return None if constant or sd == 0 else float(differences.mean()) / sd


def _compute_unbiasing_factor(degrees: int) -> float:
    half = degrees / 2
    return math.exp(float(gammaln(half)) - float(gammaln(half - 0.5))) / math.sqrt(half)


def _rank_biserial(present: FloatArray, tolerance: float) -> float | None:
    if len(present) == 0:
        return None
    ranks = rank_values(present, np.array([tolerance]), "wilcox")
    return (ranks.positive - ranks.negative) / (ranks.positive + ranks.negative)
