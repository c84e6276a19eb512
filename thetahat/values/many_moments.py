"""The moments of many models or differences over the same splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from thetahat.values.moments import Moments
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ManyMoments(Sequence[Moments | None]):
    """The moments of p models or differences over the same splits, as arrays.

    An item is built as ``Moments`` on access; it is None where the row is not known.

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

    def __len__(self) -> int:
        """Return p, the number of models or differences."""
        return len(self.known)

    @overload
    def __getitem__(self, index: int) -> Moments | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[Moments | None]: ...
    def __getitem__(self, index: int | slice) -> Moments | list[Moments | None] | None:
        """Return the moments of one item, or of a slice."""
        if isinstance(index, slice):
            return list(self)[index]
        if not self.known[index]:
            return None
        own = self.deviations[index], self.centred_squares[index]
        return Moments(self.sizes, float(self.shifts[index]), *own, self.split_repeat)

    def __iter__(self) -> Iterator[Moments | None]:
        """Yield the moments of every item."""
        rows = (self.known.tolist(), self.shifts.tolist(), self.deviations, self.centred_squares)
        for known, shift, deviations, squares in zip(*rows, strict=True):
            own = Moments(self.sizes, shift, deviations, squares, self.split_repeat)
            yield own if known else None
