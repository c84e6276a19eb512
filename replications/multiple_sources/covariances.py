"""Covariances of losses inside and between blocks, from many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.values.types import FloatArray


def covariances(
    means: FloatArray, within: FloatArray, sizes: Sequence[int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return unbiased estimates of the variances and covariances of the losses.

    Parameters
    ----------
    means, within : ndarray of float
        (R, S, K) mean and variance (ddof 1) of each block's losses.
    sizes : sequence of int
        (S,) losses in a block.

    Returns
    -------
    tuple of ndarray
        (S, K) variance of a loss and covariance of two of one block, and (S, K, K) covariance of
        two of different blocks; its diagonal is the variance of the block's mean.
    """
    about = means - means.mean(axis=0)
    between = np.einsum("rsk,rsl->skl", about, about) / (len(means) - 1)
    inside = within.mean(axis=0)
    omega = np.einsum("skk->sk", between) - inside / np.asarray(sizes)[:, None]
    return inside + omega, omega, between


def parts(
    sigma2: FloatArray, omega: FloatArray, between: FloatArray, sizes: Sequence[int]
) -> FloatArray:
    """(3, S) what sigma, omega and gamma add to the variance of the mean of the K block means."""
    k, m = sigma2.shape[1], np.asarray(sizes)
    off = between.sum(axis=(1, 2)) - np.einsum("skk->s", between)
    return np.stack(
        [
            sigma2.sum(axis=1) / (k**2 * m),
            (m - 1) * omega.sum(axis=1) / (k**2 * m),
            off / k**2,
        ]
    )


def spread_of_gamma(means: FloatArray) -> FloatArray:
    """(S,) variance over pairs of blocks of their covariance, without the noise of estimating it.

    The covariances of two halves of the data sets have independent noise: the product of their
    deviations from the mean over pairs expects the variance itself, and may be below 0.
    """
    halves = [_off_diagonal(means[which::2]) for which in (0, 1)]
    about = [half - half.mean(axis=1, keepdims=True) for half in halves]
    return np.asarray((about[0] * about[1]).mean(axis=1))


def spread_of_omega(means: FloatArray, within: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """(S,) variance over blocks of the covariance inside them, likewise."""
    halves = [covariances(means[w::2], within[w::2], sizes)[1] for w in (0, 1)]
    about = [half - half.mean(axis=1, keepdims=True) for half in halves]
    return np.asarray((about[0] * about[1]).mean(axis=1))


def _off_diagonal(means: FloatArray) -> FloatArray:
    about = means - means.mean(axis=0)
    between = np.einsum("rsk,rsl->skl", about, about) / max(len(means) - 1, 1)
    first, second = np.triu_indices(means.shape[2], 1)
    return np.asarray(between[:, first, second])


def of_scheme(records: Records, scheme: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a scheme's block means, variances inside blocks and estimates."""
    return (
        records[f"{scheme}_means"],
        records[f"{scheme}_within"],
        records[f"{scheme}_thetas"],
    )
