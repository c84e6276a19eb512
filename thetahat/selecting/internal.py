"""The internal estimate of one candidate: what it is chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InternalEstimate:
    r"""The mean loss of a candidate over internal splits, with its standard error.

    .. math:: \hat R = \frac1J \sum_j E_j, \qquad
        s^2 = \frac{1}{J (J - 1)} \sum_j (E_j - \hat R)^2

    with :math:`E_j` the mean loss of split j; for one split (a validation set) the standard error
    is that of the mean over its n rows.

    Parameters
    ----------
    means : ndarray of float
        (J,) mean loss of each split, in units of the loss.
    within : float
        Variance (ddof 1) of the losses of the first split over their number.

    Assumptions: the splits vary as independent ones would. They share training rows, so the
    error is somewhat too small; for repeated or overlapping splits it is far too small.

    Source: breiman1984 (the error used in choosing the smallest tree within one of it).
    """

    means: FloatArray
    within: float

    @property
    def mean(self) -> float:
        """The average of the splits' means."""
        return float(self.means.mean())

    @property
    def standard_error(self) -> float | None:
        """In units of the loss; None for one split of one row."""
        J = len(self.means)
        if J > 1:
            return float(self.means.std(ddof=1) / np.sqrt(J))
        return None if np.isnan(self.within) else float(np.sqrt(self.within))


def internal_estimate(losses: Sequence[FloatArray]) -> InternalEstimate:
    """Return the estimate from the (n_j,) losses of each split."""
    first = losses[0]
    within = float(first.var(ddof=1) / len(first)) if len(first) > 1 else float("nan")
    return InternalEstimate(means=np.array([part.mean() for part in losses]), within=within)
