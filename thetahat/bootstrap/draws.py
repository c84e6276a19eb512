"""How units are drawn from strata: by numpy, and how many draws fall in each cell of many units."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.kernels.bootstrap import (
    FIRST_FACTOR,
    HALF,
    LOW,
    RANGE,
    S27,
    S30,
    S31,
    SECOND_FACTOR,
    STEP,
    UInt32Array,
    UInt64Array,
)
from thetahat.kernels.cells import CELL_BITS, DRAWS_OF_A_WORD
from thetahat.seeds import stream
from thetahat.types import FloatArray, IntArray

FEWEST_IN_CELLS: Final = 2**CELL_BITS
"""Units of a stratum from which it is cut into cells; below, it is small enough for the cache."""

_AT_ONCE = 1024  # resamples that share one generator
_COUNTS_AT_ONCE = 2**16


def mixed(x: UInt64Array) -> UInt64Array:
    """Return splitmix64's mix of each number."""
    x = (x ^ (x >> S30)) * FIRST_FACTOR
    x = (x ^ (x >> S27)) * SECOND_FACTOR
    return x ^ (x >> S31)


def indices_by_numpy(starts: IntArray, keys: UInt64Array) -> UInt32Array:
    """Return (b, U) the same units as the compiled ``draw_indices``, by whole arrays.

    U is the number of units from ``starts[0]`` on.
    """
    sizes = np.diff(starts)
    pairs = (sizes + 1) // 2
    start, size, n_pairs = (np.repeat(a, sizes) for a in (starts[:-1], sizes, pairs))
    place = np.arange(starts[0], starts[-1]) - start
    half = (place >= n_pairs).astype(np.uint64)
    counter = (start + place - n_pairs * (place >= n_pairs) + 1).astype(np.uint64)
    hashes = mixed(keys[:, None] + STEP * counter)
    bound = size.astype(np.uint64)
    products = np.where(half == 1, hashes >> HALF, hashes & LOW) * bound
    unfair = RANGE % bound
    if ((products & LOW) >= unfair).all():  # nearly always
        return (start.astype(np.uint64) + (products >> HALF)).astype(np.uint32)
    again = hashes ^ (FIRST_FACTOR * (half + np.uint64(1)))
    while (bad := (products & LOW) < unfair).any():
        again = np.where(bad, mixed(again + STEP), again)
        products = np.where(bad, (again >> HALF) * bound, products)
    return (start.astype(np.uint64) + (products >> HALF)).astype(np.uint32)


def fill_cell_counts_by_numpy(
    starts: IntArray, sizes: IntArray, held: IntArray, keys: UInt64Array, out: FloatArray
) -> None:
    """Fill in the same counts as the compiled ``fill_cell_counts``, by whole arrays."""
    shifts = np.uint64(CELL_BITS) * np.arange(DRAWS_OF_A_WORD, dtype=np.uint64)
    for c, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        n_words = -(-int(held[:, c].max()) // DRAWS_OF_A_WORD)
        counters = (np.uint64(c + 1) << HALF) + np.arange(1, n_words + 1, dtype=np.uint64)
        hashes = mixed(keys[:, None] + STEP * counters)
        places = (hashes[:, :, None] >> shifts).reshape(len(keys), -1) & np.uint64(size - 1)
        places += np.uint64(size) * np.arange(len(keys), dtype=np.uint64)[:, None]
        drawn = places[np.arange(places.shape[1]) < held[:, [c]]].astype(np.intp)
        counts = np.bincount(drawn, minlength=len(keys) * size)
        out[:, start : start + size] = counts.reshape(len(keys), size)


@dataclass(frozen=True, eq=False)
class Cells:
    """Strata of many units, cut into cells of 2^k units, and how many draws fall in each.

    The largest cells come first; what is left of a stratum is cut into smaller ones, as its size
    is written in binary. As many units are drawn from a stratum as it has, so that the draws of
    its cells are multinomial. Those of some resamples, always the same ones, share a generator.

    Parameters
    ----------
    strata : tuple of tuple of int
        First unit, and the unit after the last, of each stratum.
    seed : int
        Same seed, same draws.
    """

    strata: tuple[tuple[int, int], ...]
    seed: int
    _latest: dict[tuple[int, int], IntArray] = field(default_factory=dict)

    @cached_property
    def sizes_by_stratum(self) -> tuple[IntArray, ...]:
        """(C_k,) sizes of the cells of each stratum."""
        found = []
        for start, stop in self.strata:
            whole, rest = divmod(stop - start, FEWEST_IN_CELLS)
            smaller = [2**k for k in range(CELL_BITS - 1, -1, -1) if rest >> k & 1]
            found.append(np.array([FEWEST_IN_CELLS] * whole + smaller, dtype=np.intp))
        return tuple(found)

    @cached_property
    def sizes(self) -> IntArray:
        """(C,) sizes of all cells."""
        return np.concatenate(self.sizes_by_stratum)

    @cached_property
    def starts(self) -> IntArray:
        """(C,) first unit of each cell."""
        parts = [
            start + np.cumsum(sizes) - sizes
            for (start, _), sizes in zip(self.strata, self.sizes_by_stratum, strict=True)
        ]
        return np.concatenate(parts)

    def held(self, which: IntArray, attempt: int = 0) -> IntArray:
        """(b, C) how many draws of some resamples, by ascending number, fall in each cell."""
        numbers = range(int(which[0]) // self._at_once, int(which[-1]) // self._at_once + 1)
        if len(numbers) == 1:
            return self._rows(which, attempt, numbers[0])
        bounds = np.searchsorted(which, [number * self._at_once for number in numbers[1:]])
        parts = zip(numbers, np.split(which, bounds), strict=True)
        found = [self._rows(part, attempt, number) for number, part in parts if len(part)]
        return np.concatenate(found)

    def _rows(self, which: IntArray, attempt: int, number: int) -> IntArray:
        return self._batch(attempt, number)[which - number * self._at_once]

    @cached_property
    def _at_once(self) -> int:
        return max(1, min(_AT_ONCE, _COUNTS_AT_ONCE // len(self.sizes)))

    def _batch(self, attempt: int, number: int) -> IntArray:
        found = self._latest.get((attempt, number))
        if found is None:
            rng = stream(self.seed, "bootstrap/cells", attempt, number)
            parts = [
                rng.multinomial(sizes.sum(), sizes / sizes.sum(), size=self._at_once)
                for sizes in self.sizes_by_stratum
            ]
            found = np.concatenate(parts, axis=1)
            self._latest.clear()  # chunks come in order, and the next ones are of this batch
            self._latest[attempt, number] = found
        return found
