"""The moments of many models or differences over the same splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetahat.values.moments import Moments
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ManyMoments:
    """The moments of p models or differences over the same splits, as arrays.

    Its items are built as ``Moments``, one after the other; they are None where a row is not known.

    Parameters
    ----------
    sizes, split_repeat : ndarray
        As in ``Moments``.
    shifts : ndarray of float
        (p,) a value near the losses of each model or difference.
    deviations, centred_squares : ndarray of float
        (p, J), a row as in ``Moments``.
    known : ndarray of bool
        (p,) whether the row is known.
    """

    sizes: FloatArray
    split_repeat: IntArray
    shifts: FloatArray
    deviations: FloatArray
    centred_squares: FloatArray
    known: npt.NDArray[np.bool_]

    def __iter__(self) -> Iterator[Moments | None]:
        """Yield the moments of every item."""
        rows = (self.known.tolist(), self.shifts.tolist(), self.deviations, self.centred_squares)
        for known, shift, deviations, squares in zip(*rows, strict=True):
            own = Moments(self.sizes, shift, deviations, squares, self.split_repeat)
            yield own if known else None
