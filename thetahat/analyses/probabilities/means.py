"""Calibration in the large: the share of events minus the mean probability."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thetahat.analyses.probabilities.estimates import estimate_mean, estimate_share
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.result import ProbabilityEstimate
from thetahat.cautions import FEW_EVENTS


def estimate_in_the_large(event: BinaryEvent, level: float) -> ProbabilityEstimate:
    """Return the mean of outcome minus probability.

    With few rows of the rarer outcome the paired differences do not show their spread. The interval
    is then put together of Wilson's for the share of events and t for the mean probability, as if
    the two were independent, which is cautious for probabilities that say something.

    Source: newcombe1998 (for putting intervals together).
    """
    paired = estimate_mean(event.outcomes - event.probabilities, event.cluster, level)
    if event.n_rarer >= FEW_EVENTS.threshold or event.n == 1 or event.n_clusters == 1:
        return paired
    everywhere = np.ones(event.n, dtype=np.bool_)
    share = estimate_share(event.outcomes, everywhere, event.cluster, level, "rows")
    mean = estimate_mean(event.probabilities, event.cluster, level)
    assert share.lower is not None and share.upper is not None  # noqa: S101, PT018 - has rows
    assert share.estimate is not None and mean.estimate is not None  # noqa: S101, PT018 - same
    has_spread = mean.lower is not None and mean.upper is not None
    below = mean.estimate - mean.lower if has_spread else 0.0  # type: ignore[operator]
    above = mean.upper - mean.estimate if has_spread else 0.0  # type: ignore[operator]
    difference = share.estimate - mean.estimate
    return replace(
        paired,
        estimate=difference,
        lower=difference - math.hypot(share.estimate - share.lower, above),
        upper=difference + math.hypot(share.upper - share.estimate, below),
        method="wilson_and_t",
        degrees_of_freedom=share.degrees_of_freedom,
        reason=None,
    )
