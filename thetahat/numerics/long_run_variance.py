r"""The variance of the mean of values in the order of time, which depend on their neighbours.

:math:`\hat\gamma_j` is the autocovariance at lag j with divisor n. Source: lazarus2018,
newey1987, politis2004.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

LONG_REACH: Final = 1.3
"""Weights reach 0 at this multiple of the root of n, the rule of lazarus2018."""


def choose_lags(n: int) -> int:
    """Return the number of lags of the Newey-West variance of n values."""
    return int(4 * (n / 100) ** (2 / 9))


def choose_long_lags(n: int) -> int:
    """Return the number of lags of the Newey-West variance with the small-sample form."""
    return math.ceil(LONG_REACH * math.sqrt(n)) - 1


def compute_small_sample_form(n: int, weights: FloatArray) -> tuple[float, float]:
    r"""Return by what the weighted sum falls short, and its degrees of freedom.

    The sum of ``add_autocovariances`` is a quadratic form :math:`x^T A x / n` with
    :math:`A = C W C`, where C subtracts the mean and W has the weight of each pair of places. Of n
    independent normal values of variance 1 it has the mean :math:`\mathrm{tr}(A) / n`, and as many
    degrees of freedom, by its first two moments, as
    :math:`\mathrm{tr}(A)^2 / \mathrm{tr}(A^2)`. Without lags they are (n - 1) / n and n - 1.
    """
    lags = len(weights)
    place = np.arange(n)
    ends = np.concatenate([[0.0], np.cumsum(weights)])
    of_rows = 1 + ends[np.minimum(place, lags)] + ends[np.minimum(place[::-1], lags)]
    mean = float(of_rows.sum()) / n
    squares = n + 2 * float(weights**2 @ (n - np.arange(1, lags + 1)))
    trace = n - mean
    trace_of_square = squares - 2 * float(of_rows @ of_rows) / n + mean**2
    return trace / n, trace**2 / trace_of_square


def compute_autocovariances(values: FloatArray, lags: int) -> FloatArray:
    """Return the (lags + 1,) autocovariances of the (n,) values from lag 0 on, with divisor n."""
    centred = values - values.mean()
    n = len(values)
    return np.array([float(centred[j:] @ centred[: n - j]) for j in range(lags + 1)]) / n


def make_bartlett_weights(lags: int) -> FloatArray:
    """Return the (lags,) weights of Newey and West from lag 1 on."""
    return 1 - np.arange(1, lags + 1) / (lags + 1)


def add_autocovariances(autocovariances: FloatArray, weights: FloatArray) -> float:
    r"""Return :math:`\hat\gamma_0 + 2 \sum_j w_j \hat\gamma_j`, n times the mean's variance."""
    lags = len(weights)
    return float(autocovariances[0] + 2 * (weights @ autocovariances[1 : lags + 1]))


def choose_block_length(values: FloatArray) -> float:
    r"""Return the length of circular blocks with the least error of the variance of the mean.

    :math:`b = (3 G^2 n / (2 g^2))^{1/3}` with
    :math:`g = \sum_k \lambda(k/m) \hat\gamma_k` and
    :math:`G = \sum_k \lambda(k/m) |k| \hat\gamma_k`, the flat-top :math:`\lambda`, and m twice
    the first lag from which on five or more autocorrelations stay below
    :math:`2 \sqrt{\log_{10}(n) / n}`; at most :math:`\min(3 \sqrt n, n/3)`.

    Source: politis2004, with the constant of its correction of 2009. The paper takes the lag before
    the small autocorrelations; this one is that of the package arch, which gives the same lengths.
    """
    n = len(values)
    patience = max(5, int(math.log10(n)))
    most = min(math.ceil(math.sqrt(n)) + patience, n - 2)
    gamma = compute_autocovariances(values, most)
    centred = values - values.mean()
    squares = np.cumsum(centred**2)
    total = squares[-1]
    lag = np.arange(most + 1)
    # of the correlation of two overlapping parts, each with the squares of its own part
    scale = np.sqrt((total - squares[lag]) * squares[n - 2 - lag])
    small = np.abs(gamma) * n < 2 * math.sqrt(math.log10(n) / n) * scale
    bandwidth = most
    for start in range(1, most - patience + 1):
        if small[start : start + patience].all():
            bandwidth = min(2 * start, most)
            break
    k = np.arange(1, bandwidth + 1)
    flat_top = np.minimum(1.0, 2 * (1 - k / bandwidth))
    slope = 2 * float(flat_top @ (k * gamma[1 : bandwidth + 1]))
    level = float(gamma[0] + 2 * (flat_top @ gamma[1 : bandwidth + 1]))
    longest = math.ceil(min(3 * math.sqrt(n), n / 3))
    if level == 0:
        return float(longest)
    return min(float(longest), float((1.5 * slope**2 / level**2 * n) ** (1 / 3)))


def compute_block_bootstrap_variance(values: FloatArray, length: int) -> float:
    """Return the exact variance of the mean over circular block bootstrap samples of n values.

    Blocks of ``length`` neighbours begin at random places of the circle of the values; the last
    block of a sample is cut to the rest. The variance over all samples is a sum over its blocks,
    so that none has to be drawn.
    """
    n = len(values)
    centred = values - values.mean()
    ends = np.concatenate([[0.0], np.cumsum(np.concatenate([centred, centred]))])

    def average_square(size: int) -> float:
        return float(np.mean((ends[size : size + n] - ends[:n]) ** 2))

    whole, rest = divmod(n, length)
    return (whole * average_square(length) + (average_square(rest) if rest else 0.0)) / n**2
