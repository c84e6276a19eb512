"""Strata of many units, cut into cells, and the number of a resample's draws in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.numerics.bootstrap.binomials import counts_of_kinds
from thetahat.numerics.loops.cells import CELL_BITS
from thetahat.numerics.loops.hashes import STEP, UInt64Array, mix
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import IntArray

_MAX_CELL_SIZE = 2**CELL_BITS
_CELL_STREAM_OFFSET = STEP << np.uint64(63)  # no draw has the counter 2^63


@dataclass(frozen=True, eq=False)
class Cells:
    """Strata of many units, cut into cells of 2^k units, and the number of draws in each cell.

    The largest cells come first; the rest of a stratum is cut into smaller ones, by the binary
    digits of its size. As many units are drawn from a stratum as it has, so that the draws of
    its cells are multinomial, and are counted in the same way as equal units.
    """

    strata: tuple[tuple[int, int], ...]
    """First unit, and the unit after the last, of each stratum."""

    @cached_property
    def sizes_by_stratum(self) -> tuple[IntArray, ...]:
        """The (C_k,) sizes of the cells of each stratum."""
        sizes = []
        for start, stop in self.strata:
            whole, rest = divmod(stop - start, _MAX_CELL_SIZE)
            smaller = [2**k for k in range(CELL_BITS - 1, -1, -1) if rest >> k & 1]
            sizes.append(np.array([_MAX_CELL_SIZE] * whole + smaller, dtype=np.intp))
        return tuple(sizes)

    @cached_property
    def sizes(self) -> IntArray:
        """(C,) sizes of all cells."""
        return np.concatenate(self.sizes_by_stratum)

    @cached_property
    def bounds(self) -> IntArray:
        """(S + 1,) first cell of each stratum."""
        return np.cumsum([0, *map(len, self.sizes_by_stratum)], dtype=np.intp)

    @cached_property
    def starts(self) -> IntArray:
        """(C,) first unit of each cell."""
        parts = [
            start + np.cumsum(sizes) - sizes
            for (start, _), sizes in zip(self.strata, self.sizes_by_stratum, strict=True)
        ]
        return np.concatenate(parts)

    def get_stratum_slice(self, start: int) -> slice:
        """Return the slice of the cells of the stratum that begins at a unit."""
        k = [first for first, _ in self.strata].index(start)
        return slice(int(self.bounds[k]), int(self.bounds[k + 1]))

    @cached_property
    def at_once(self) -> int:
        """Number of resamples in a batch."""
        return max(1, NUMBERS_IN_2_MB // len(self.sizes))

    def held(self, keys: UInt64Array) -> IntArray:
        """Return the (b, C) numbers of draws in each cell for the resamples with these keys."""
        apart = mix(keys + _CELL_STREAM_OFFSET)
        return counts_of_kinds(self.bounds, self.sizes, apart).T.astype(np.intp)
