"""Power and sample size of the test of an area under the ROC curve against one half."""

from __future__ import annotations

import math

from thetahat import special_functions as special
from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import check_level

_CHANCE = 0.0792
"""0.0099 x 8: the variance below, where the area is one half."""


def estimate_power(positives: float, negatives: float, area: float, level: float) -> float:
    r"""Return the power of the two-sided test of an area against one half.

    .. math::
        z_\beta = \frac{\sqrt{n_d}\,(A - \tfrac12)
        - z_{\alpha/2} \sqrt{0.0792\,(1 + 1/\kappa)}}{\sqrt V}, \quad
        V = 0.0099\, e^{-a^2/2} \Bigl( (5 a^2 + 8) + \frac{a^2 + 8}{\kappa} \Bigr), \quad
        a = 1.414\, \Phi^{-1}(A)

    with :math:`n_d` positives, :math:`\kappa` negatives for each, and the power
    :math:`\Phi(z_\beta)`. Binormal scores are assumed; an area below one half is as far from
    chance as its mirror image.

    Source: obuchowski2004, in the form (and with the rounded constants) of the R package pROC.

    Parameters
    ----------
    positives, negatives : float
        Numbers of instances, above 0.
    area : float
        Above 0 and below 1.
    level : float
        Confidence level, 1 - alpha, in (0, 1).
    """
    away, alpha = _check_area_and_level(area, level)
    if not (positives > 0 and negatives > 0):
        raise InvalidParameter("There must be positives and negatives.", loc=("area",), value=area)
    ratio = negatives / positives
    reach = -float(special.ndtri(alpha / 2)) * math.sqrt(_CHANCE * (1 + 1 / ratio))
    shift = math.sqrt(positives) * (away - 0.5) - reach
    return float(special.ndtr(shift / math.sqrt(_compute_variance(away, ratio))))


def compute_needed_positives(power: float, area: float, level: float, ratio: float) -> float | None:
    """Return the number of positives with which the test has the power, not rounded.

    There are ``ratio`` negatives for each positive. None if the area is one half, which no number
    of rows distinguishes from chance.
    """
    away, alpha = _check_area_and_level(area, level)
    if not 0 < power < 1:
        raise InvalidParameter("power must be in (0, 1).", loc=("power",), value=power)
    if not ratio > 0:
        raise InvalidParameter("ratio must be above 0.", loc=("ratio",), value=ratio)
    if away == 0.5:
        return None
    reach = -float(special.ndtri(alpha / 2)) * math.sqrt(_CHANCE * (1 + 1 / ratio))
    root = reach + float(special.ndtri(power)) * math.sqrt(_compute_variance(away, ratio))
    return (max(root, 0.0) / (away - 0.5)) ** 2


def _compute_variance(area: float, ratio: float) -> float:
    a = 1.414 * float(special.ndtri(area))
    return 0.0099 * math.exp(-(a**2) / 2) * ((5 * a**2 + 8) + (a**2 + 8) / ratio)


def _check_area_and_level(area: float, level: float) -> tuple[float, float]:
    if not 0 < area < 1:
        raise InvalidParameter("area must be in (0, 1).", loc=("area",), value=area)
    check_level(level)
    return max(area, 1 - area), 1 - level
