"""Variance and standard deviation, from sums of values and of their squares."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.statistics._columns import NOT_ROUNDING, centre_and_scale
from thetahat.statistics._moments import SumsFunctional
from thetahat.values.types import FloatArray


class SpreadFunctional(SumsFunctional):
    """The variance, or its root, of (n,) values."""

    def __init__(self, x: FloatArray, ddof: int, *, root: bool) -> None:
        rows, self._scale = centre_and_scale(x)
        self._ddof, self._root = ddof, root
        super().__init__(np.stack([rows, rows**2], axis=1))

    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        """Return the (...) values from (..., 2) sums."""
        if n <= self._ddof:
            return np.full(sums.shape[:-1], np.nan)
        squares = sums[..., 1]
        left = squares - sums[..., 0] ** 2 / n
        variance = np.where(left > NOT_ROUNDING * squares, left, 0.0) / (n - self._ddof)
        value = np.sqrt(variance) * self._scale if self._root else variance * self._scale**2
        return np.asarray(value)


def check_ddof(ddof: int) -> None:
    """Refuse anything but 0 and 1."""
    if ddof not in (0, 1):
        raise InvalidParameter(f"ddof is 0 or 1, got {ddof!r}.", loc=("ddof",), value=ddof)
