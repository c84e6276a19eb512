"""Losses and weights for the tests of weighted risks."""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray
from thetahat.weighted_risks.base import RiskEstimate


def draw_losses_and_weights(seed: int, n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Draw positive losses, and weights of which few are large."""
    rng = np.random.default_rng(seed)
    return rng.gamma(2.0, size=n), rng.gamma(0.7, size=n)


def codes(estimate: RiskEstimate) -> list[str]:
    """Return the codes of the cautions of an estimate."""
    return [caution.code for caution in estimate.cautions]
