"""The internal estimate of one candidate, by which it is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InternalEstimate:
    r"""The error of a candidate over internal splits, with its standard error.

    .. math:: \hat R = \frac1J \sum_j E_j, \qquad
        s^2 = \frac{1}{J (J - 1)} \sum_j (E_j - \hat R)^2

    with :math:`E_j` the mean loss of split j, or its metric. For one split (a validation set) the
    standard error comes from its n rows. Splits without a value are left out, such as those with
    one class for an AUC. A metric over the rows of all splits together replaces both (``pooled``).

    Assumptions: the splits vary like independent samples. They share training rows, so the
    standard error is somewhat too small; for repeated or overlapping splits it is far too small.

    Source: breiman1984 (the standard error used to choose the smallest tree within one of it).
    """

    means: FloatArray
    """(J,) mean loss, or metric, of each split; NaN where there is none."""
    within: float
    """Variance of the mean loss, or metric, of the first split, from its rows; NaN where it is not
    known."""
    pooled: tuple[float, float] | None = None
    """The metric over the rows of all splits and its standard error, which may be NaN."""

    @property
    def mean(self) -> float:
        """The number by which the candidate is chosen; NaN where no split has a value."""
        if self.pooled is not None:
            return self.pooled[0]
        known = self.means[~np.isnan(self.means)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean; None if it is unknown, as for one split of one row."""
        if self.pooled is not None:
            return None if np.isnan(self.pooled[1]) else self.pooled[1]
        known = self.means[~np.isnan(self.means)]
        if len(known) > 1:
            return float(known.std(ddof=1) / np.sqrt(len(known)))
        return None if np.isnan(self.within) else float(np.sqrt(self.within))


def estimate_from_losses(losses: Sequence[FloatArray]) -> InternalEstimate:
    """Return the estimate from the (n_j,) losses of each split."""
    means = np.array([of_split.mean() for of_split in losses])
    return InternalEstimate(means=means, within=estimate_variance_of_mean(losses[0]))


def estimate_variance_of_mean(losses: FloatArray) -> float:
    """Return the variance (ddof 1) of the mean of the losses; NaN for one loss."""
    return float(losses.var(ddof=1) / len(losses)) if len(losses) > 1 else float("nan")
