"""How large a difference is beside its spread, and how often it points one way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaln

from thetahat.paired_tests._signed_ranks import of_sorted, sort_keys
from thetahat.values.types import FloatArray

_ROUNDING = 8 * float(np.finfo(np.float64).eps)


def further_sizes(differences: FloatArray, cohen_d: float | None) -> dict[str, Any]:
    r"""Effect sizes beside Cohen's d, of (n,) paired differences a minus b of losses.

    .. math::

        g = d \, \frac{\Gamma(\nu/2)}{\sqrt{\nu/2}\,\Gamma((\nu - 1)/2)}, \qquad
        P = \frac{n_- + n_0/2}{n}, \qquad
        r = \frac{R_+ - R_-}{R_+ + R_-}

    ``hedges_g`` is d without the bias of few units, :math:`\nu = n - 1`.
    ``probability_of_superiority`` is the share of units where a has the smaller loss, ties in
    halves: above .5 a is ahead. ``rank_biserial`` has the rank sums of the signed-rank test in it,
    without zeros: as the difference itself, it is negative where a is ahead.

    Source: hedges1981 for g, grissom1994 for P, kerby2014 for r.

    Deviations: a difference within 8 units in the last place of the largest counts as 0, and
    sizes that are as close as that share a rank.

    Degenerate cases: g is None where d is, and for fewer than three units; r is None where no
    unit has a difference, and P is then .5.
    """
    n, tolerance = len(differences), _ROUNDING * float(np.abs(differences).max())
    present = differences[np.abs(differences) > tolerance]
    ahead = int((present < 0).sum()) + (n - len(present)) / 2
    return {
        "hedges_g": None if cohen_d is None or n < 3 else cohen_d * _unbiasing(n - 1),
        "probability_of_superiority": ahead / n,
        "rank_biserial": _rank_biserial(present, tolerance),
    }


def _unbiasing(degrees: int) -> float:
    half = degrees / 2
    return math.exp(float(gammaln(half)) - float(gammaln(half - 0.5))) / math.sqrt(half)


def _rank_biserial(present: FloatArray, tolerance: float) -> float | None:
    if len(present) == 0:
        return None
    keys = sort_keys(present)
    keys.sort()
    ranks = of_sorted(keys, present, np.array([tolerance]), 0, "wilcox")
    return (ranks.positive - ranks.negative) / (ranks.positive + ranks.negative)
