r"""Calibration errors of bins.

The expected calibration error is :math:`\sum_b |\sum_{i \in b} (p_i - y_i)| / n`. Its plug-in
estimate is above 0 for calibrated probabilities, too. The debiased squared error takes the variance
of the shares of events off: :math:`\sum_b \frac{n_b}{n} [(\bar p_b - \bar y_b)^2 - \bar y_b (1 -
\bar y_b) / (n_b - 1)]`.

Source: guo2017, kumar2019.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.analyses.probabilities.options import EQUAL_WIDTH
from thetahat.values.types import FloatArray, IntArray

DEBIASED_BINS: Final = 15
"""Bins of equal count of the debiased squared error, as in kumar2019."""


def assign_equal_width(p: FloatArray, n_bins: int) -> IntArray:
    """Return the (n,) bin of each probability; bins are closed on the right, the first on both."""
    return np.searchsorted(np.arange(1, n_bins) / n_bins, p, side="left")


def assign_equal_count(p: FloatArray, n_bins: int) -> IntArray:
    """Return the (n,) bin of each probability: those with equal ones are in one bin.

    Sorted probabilities are cut into parts of about equal size; an edge is midway between the last
    of a part and the first of the next, and a row is in the first bin whose edge it does not
    exceed.
    """
    parts = [part for part in np.array_split(np.sort(p), n_bins) if len(part)]
    edges = [(a[-1] + b[0]) / 2 for a, b in pairwise(parts)]
    return np.searchsorted(np.asarray(edges), p, side="left")


def assign_bins(p: FloatArray, n_bins: int, binning: str) -> IntArray:
    """Return the (n,) bin of each probability."""
    assign = assign_equal_width if binning == EQUAL_WIDTH else assign_equal_count
    return assign(p, n_bins)


def compute_binned_error(
    bins: IntArray, sizes: FloatArray, p: FloatArray, sums: FloatArray
) -> float:
    """Return the expected calibration error from (m,) levels of probabilities and their bins.

    Source: guo2017.
    """
    gaps = np.bincount(bins, weights=sizes * p - sums)
    return float(np.abs(gaps).sum() / sizes.sum())


def compute_debiased_error(p: FloatArray, y: FloatArray) -> float:
    """Return the debiased squared error; bins of a single row count 0.

    Source: kumar2019.
    """
    bins = assign_equal_count(p, DEBIASED_BINS)
    n = np.bincount(bins).astype(np.float64)
    kept = n > 1
    n = n[kept]
    bar_p = np.bincount(bins, weights=p)[kept] / n
    bar_y = np.bincount(bins, weights=y)[kept] / n
    squares = (bar_p - bar_y) ** 2 - bar_y * (1 - bar_y) / (n - 1)
    return float((n * squares).sum() / len(p))
