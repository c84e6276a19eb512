"""Covariances of losses within and between blocks, estimated from many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.values.types import FloatArray


def estimate_covariances(
    means: FloatArray, within: FloatArray, sizes: Sequence[int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return unbiased estimates of the variances and covariances of the losses.

    Parameters
    ----------
    means, within : ndarray of float
        (R, S, K) mean and variance (ddof 1) of the losses of each block.
    sizes : sequence of int
        (S,) losses in a block.

    Returns
    -------
    tuple of ndarray
        (S, K) variance of a loss, (S, K) covariance of two losses of one block, and (S, K, K)
        covariance of two losses of different blocks, with the variances of the block means on its
        diagonal.
    """
    about = means - means.mean(axis=0)
    between = np.einsum("rsk,rsl->skl", about, about) / (len(means) - 1)
    inside = within.mean(axis=0)
    omega = np.einsum("skk->sk", between) - inside / np.asarray(sizes)[:, None]
    return inside + omega, omega, between


def decompose_variance(
    sigma2: FloatArray, omega: FloatArray, between: FloatArray, sizes: Sequence[int]
) -> FloatArray:
    """Return the (3, S) parts of sigma, omega and gamma in the variance of the mean block mean."""
    k, m = sigma2.shape[1], np.asarray(sizes)
    off = between.sum(axis=(1, 2)) - np.einsum("skk->s", between)
    return np.stack(
        [
            sigma2.sum(axis=1) / (k**2 * m),
            (m - 1) * omega.sum(axis=1) / (k**2 * m),
            off / k**2,
        ]
    )


def estimate_spread_of_gamma(means: FloatArray, half: np.ndarray) -> FloatArray:
    """Return the (S,) variances of the covariances between blocks over pairs, free of noise.

    The covariances of two halves of the data sets have independent estimation noise, so the
    expected product of their deviations from the mean over pairs is the variance itself. It may be
    below 0. ``half`` is (R,) 0 or 1 for each data set. It belongs to the data set: if a jackknife
    leaves some out, the others stay in their halves.
    """
    halves = [_compute_pair_covariances(means[half == which]) for which in (0, 1)]
    deviations = [half - half.mean(axis=1, keepdims=True) for half in halves]
    return np.asarray((deviations[0] * deviations[1]).mean(axis=1))


def estimate_spread_of_omega(
    means: FloatArray, within: FloatArray, sizes: Sequence[int], half: np.ndarray
) -> FloatArray:
    """Return the (S,) variances of the covariances within blocks over blocks, free of noise.

    ``half`` is as in ``estimate_spread_of_gamma``.
    """
    halves = [
        estimate_covariances(means[half == which], within[half == which], sizes)[1]
        for which in (0, 1)
    ]
    deviations = [half - half.mean(axis=1, keepdims=True) for half in halves]
    return np.asarray((deviations[0] * deviations[1]).mean(axis=1))


def _compute_pair_covariances(means: FloatArray) -> FloatArray:
    about = means - means.mean(axis=0)
    between = np.einsum("rsk,rsl->skl", about, about) / max(len(means) - 1, 1)
    first, second = np.triu_indices(means.shape[2], 1)
    return np.asarray(between[:, first, second])
