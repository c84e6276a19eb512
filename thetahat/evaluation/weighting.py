"""Importance-weighted risks of one model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from thetahat.block_losses import BlockLosses
from thetahat.evaluation.choices import Choices
from thetahat.evaluation.plain import plain, told
from thetahat.risks import RISKS
from thetahat.risks.base import RiskEstimate
from thetahat.types import Alternative, Caution, FloatArray, IntArray


def risks_told(losses: BlockLosses, weights: FloatArray, choices: Choices) -> dict[str, Any]:
    """Return every risk with its variance and normal interval, by wire name.

    Over several repeats an instance enters once, with its mean loss and mean weight, where
    instances are named; where they are not, its rows count as so many instances, which makes the
    variance too small and is said in a caution.
    """
    values, own, fold, cautions = _terms(losses, weights)
    found: dict[str, Any] = {}
    for name, kind in RISKS.items():
        risk = kind().estimate(values, own, fold)
        found[name] = {
            "estimate": plain(risk.estimate),
            "variance": plain(risk.variance),
            "standard_error": plain(math.sqrt(risk.variance)),
            "target": risk.target.value,
            "beta": plain(risk.beta),
            "bias": plain(risk.bias),
            "interval": _interval(risk, choices),
            "cautions": told((*risk.cautions, *cautions)),
        }
    return found


def _terms(
    losses: BlockLosses, weights: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None, tuple[Caution, ...]]:
    layout = losses.layout
    if layout.has_one_row_each:
        return losses.rows, weights, layout.split_of_row(), ()
    if layout.instance is not None:
        by_instance = BlockLosses(layout, values=np.asarray(weights, dtype=np.float64))
        return losses.instance_means(), by_instance.instance_means(), None, ()
    caution = Caution(
        "repeats_counted_as_instances",
        "rows of several repeats or of subsamples cannot be matched without an instance column; "
        "they count as independent, and the variance is too small",
    )
    return losses.rows, weights, None, (caution,)


def _interval(risk: RiskEstimate, choices: Choices) -> dict[str, Any]:
    two_sided = choices.alternative is Alternative.TWO_SIDED
    tail = choices.alpha / 2 if two_sided else choices.alpha
    reach = -float(ndtri(tail)) * math.sqrt(risk.variance)
    lower = None if choices.alternative is Alternative.LESS else risk.estimate - reach
    upper = None if choices.alternative is Alternative.GREATER else risk.estimate + reach
    return {
        "method": "normal",
        "target": risk.target.value,
        "level": choices.level,
        "alternative": choices.alternative.value,
        "lower": plain(lower),
        "upper": plain(upper),
    }
