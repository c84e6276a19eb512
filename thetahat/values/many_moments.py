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
    """

    sizes: FloatArray
    split_repeat: IntArray
    """Both as in ``Moments``."""
    shifts: FloatArray
    """(p,) a value near the losses of each model or difference."""
    deviations: FloatArray
    centred_squares: FloatArray
    """Both (p, J), a row as in ``Moments``."""
    known: npt.NDArray[np.bool_]
    """(p,) whether the row is known."""

    def __iter__(self) -> Iterator[Moments | None]:
        """Yield the moments of every item."""
        rows = (self.known.tolist(), self.shifts.tolist(), self.deviations, self.centred_squares)
        for known, shift, deviations, squares in zip(*rows, strict=True):
            own = Moments(self.sizes, shift, deviations, squares, self.split_repeat)
            yield own if known else None
