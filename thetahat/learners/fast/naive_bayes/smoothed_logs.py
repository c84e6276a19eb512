"""Logarithms of smoothed counts, from a lookup table for whole-number counts."""

from __future__ import annotations

import numpy as np

from thetahat.learners.fast.thresholds import MAX_LISTED_LOGARITHMS
from thetahat.values.types import FloatArray


class SmoothedLogs:
    """Logarithms of counts plus a smoothing constant.

    The counts of a training part are small whole numbers that recur often. Looking a logarithm up
    takes a fifth of the time of computing it, and gives the same bits.

    Parameters
    ----------
    smoothing : float
        Smoothing constant, greater than 0.
    largest : int or None
        The largest count if all counts are whole numbers of at least 0; None otherwise.
    """

    def __init__(self, smoothing: float, largest: int | None = None) -> None:
        self.smoothing = smoothing
        self.listed: FloatArray | None = None
        if largest is not None and largest < MAX_LISTED_LOGARITHMS:
            self.listed = np.log(np.arange(largest + 1) + smoothing)

    def of(self, counts: np.ndarray) -> FloatArray:
        """Return the logarithms, in the shape of the counts."""
        if self.listed is None:
            return np.asarray(np.log(counts + self.smoothing))
        return self.listed.take(counts.astype(np.intp, copy=False))
