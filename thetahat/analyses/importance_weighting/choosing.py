"""Which value of a grid has the least risk."""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray

EQUAL = 1e-12
"""Risks that differ by less than this, relative to the least, differ by rounding."""


def least(curve: FloatArray, rank: FloatArray | None = None) -> int:
    """Return the place of the least risk; of equal risks the one of the highest rank.

    Parameters
    ----------
    curve : ndarray of float
        (L,) finite risks.
    rank : ndarray of float or None
        (L,) what decides between equal risks, such as the penalty: the larger wins, and of equal
        ranks the first. None takes the last of the equal ones, as in an ascending grid.
    """
    lowest = float(curve.min())
    equal = np.flatnonzero(curve <= lowest + EQUAL * abs(lowest))
    if rank is None:
        return int(equal[-1])
    return int(equal[np.argmax(rank[equal])])
