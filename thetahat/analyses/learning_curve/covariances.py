"""The mean losses of one learner at all sizes, and their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import BlockKind, FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MeansOfSizes:
    r"""The mean losses of one learner at all sizes, with their covariance.

    .. math:: \Sigma = \Bigl(\frac1J + \rho\Bigr) \hat{\operatorname{cov}}(\text{split means})

    with the sample covariance (ddof 1) over the J splits, and :math:`\rho = n_2/n_1` where splits
    are repeated or overlap (the corrected resampled variance, with the sizes of the scheme), 0
    for one partition. For a holdout the covariance over the rows divided by their number.

    Assumptions: as ``theta_3`` for one partition; the corrected variance is a heuristic.

    Source: nadeau2003 (the corrected resampled variance).
    """

    sizes: FloatArray
    means: FloatArray
    """(S,) average number of training rows, and mean loss (macro)."""
    covariance: FloatArray
    """(S, S) covariance of the means."""
    degrees_of_freedom: float
    """J - 1; for a holdout, the number of test rows minus 1."""


def estimate_means(sizes: Sequence[float], losses: Sequence[BlockLosses]) -> MeansOfSizes:
    """Return the means and their covariance; losses share one layout and are in order of size."""
    layout = losses[0].layout
    if layout.kind is BlockKind.HOLDOUT:
        values = np.array([size_losses.rows for size_losses in losses])
        factor = 1 / values.shape[1]
    else:
        values = np.array([size_losses.moments.means for size_losses in losses])
        factor = 1 / values.shape[1]
        if layout.n_repeats > 1 or layout.kind is BlockKind.SUBSAMPLES:
            factor += layout.test_to_train_ratio or 0.0
    n_units = values.shape[1]
    covariance = np.cov(values) if n_units > 1 else np.zeros((len(losses), len(losses)))
    return MeansOfSizes(
        sizes=np.asarray(sizes, dtype=np.float64),
        means=np.array([size_losses.moments.macro_mean for size_losses in losses]),
        covariance=factor * np.atleast_2d(covariance),
        degrees_of_freedom=float(max(n_units - 1, 1)),
    )
