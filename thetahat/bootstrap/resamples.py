"""Which units every resample holds: a function of the seed and the resample's number alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from thetahat.bootstrap.draws import (
    FEWEST_IN_CELLS,
    Cells,
    fill_cell_counts_by_numpy,
    indices_by_numpy,
    mixed,
)
from thetahat.kernels.bootstrap import (
    HALF,
    STEP,
    UInt32Array,
    UInt64Array,
    count_draws,
    draw_indices,
    gather_sums,
)
from thetahat.kernels.cells import add_cell_sums, fill_cell_counts
from thetahat.kernels.compiling import compiled
from thetahat.seeds import stream
from thetahat.types import FloatArray, IntArray

MANY_DRAWS: Final = 2**22
"""Units times resamples from which the compiled loops pay for their compilation."""

_INDICES_AT_ONCE = 2**17  # 512 KB: they stay in the cache from their drawing to their use
_HELD_AT_ONCE = 2**18


class Resamples(Protocol):
    """Resamples of units in strata, by number."""

    @property
    def n_resamples(self) -> int:
        """B."""
        ...

    @property
    def starts(self) -> IntArray:
        """(S + 1,) first unit of each stratum."""
        ...

    def take(self, columns: FloatArray) -> FloatArray:
        """Return the rows of (U, q) columns that ``counts`` counts."""
        ...

    def counts(self, first: int, stop: int) -> FloatArray:
        """(b, U) how often each of the resamples ``first`` to ``stop`` holds each unit."""
        ...


@dataclass(frozen=True, eq=False)
class HashedResamples:
    """Every unit by itself: what resample b draws is a function of (seed, b) alone.

    From a stratum of few units a draw is a hash that is scaled to their number; from one of many,
    the cell of 2^k units that ``Cells`` has counted it in, and there k bits of a hash.

    Parameters
    ----------
    starts : ndarray of int
        (S + 1,) first unit of each stratum.
    seed : int
        Same seed, same resamples, however they are asked for.
    n_resamples : int
        B.
    """

    starts: IntArray
    seed: int
    n_resamples: int

    @cached_property
    def _key(self) -> np.uint64:
        return np.uint64(stream(self.seed, "bootstrap").integers(2**64, dtype=np.uint64))

    @cached_property
    def _is_large(self) -> bool:
        return int(self.starts[-1]) * self.n_resamples >= MANY_DRAWS

    @cached_property
    def _cells(self) -> Cells | None:
        """Of the strata of many units."""
        many = np.flatnonzero(np.diff(self.starts) >= FEWEST_IN_CELLS)
        strata = tuple((int(self.starts[k]), int(self.starts[k + 1])) for k in many)
        return Cells(strata, self.seed) if strata else None

    @cached_property
    def _small(self) -> tuple[IntArray, ...]:
        """(S' + 1,) starts of each run of strata of few units."""
        few = np.concatenate([[False], np.diff(self.starts) < FEWEST_IN_CELLS, [False]])
        edges = np.flatnonzero(np.diff(few))
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return tuple(self.starts[first : stop + 1].astype(np.intp) for first, stop in pairs)

    def take(self, columns: FloatArray) -> FloatArray:
        """Return all rows."""
        return columns

    def counts(self, first: int, stop: int) -> FloatArray:
        """(b, U) how often each resample holds each unit."""
        return self._counts(np.arange(first, stop, dtype=np.intp), 0)

    def counts_again(self, which: IntArray, attempt: int) -> FloatArray:
        """(b, U) the same of other draws in the place of some resamples; attempts count from 1."""
        return self._counts(which, attempt)

    def sums(self, columns: FloatArray, first: int, stop: int) -> FloatArray:
        """(b, q) sums of what each resample draws of few columns, (U, q): without counting."""
        if not self._is_large:
            return self.counts(first, stop) @ columns
        which = np.arange(first, stop, dtype=np.intp)
        keys, sums = self._keys(which, 0), np.zeros((columns.shape[1], len(which)))
        whole = [np.ascontiguousarray(column) for column in columns.T]
        if self._cells is not None:
            cells = self._cells
            step = max(1, _HELD_AT_ONCE // len(cells.sizes))
            for some in _slices(len(which), step):
                held = cells.held(which[some])
                for column, out in zip(whole, sums, strict=True):
                    compiled(add_cell_sums)(
                        column, cells.starts, cells.sizes, held, keys[some], out[some]
                    )
        for starts in self._small:
            step = max(1, _INDICES_AT_ONCE // int(starts[-1] - starts[0]))
            for some in _slices(len(which), step):
                indices = _indices(starts, keys[some])
                for column, out in zip(whole, sums, strict=True):
                    compiled(gather_sums)(column, indices, out[some])
        return sums.T

    def _counts(self, which: IntArray, attempt: int) -> FloatArray:
        keys, cells = self._keys(which, attempt), self._cells
        out = np.empty((len(which), int(self.starts[-1])))
        if cells is not None:
            fill = compiled(fill_cell_counts) if self._is_large else fill_cell_counts_by_numpy
            fill(cells.starts, cells.sizes, cells.held(which, attempt), keys, out)
        for starts in self._small:
            out[:, starts[0] : starts[-1]] = 0.0
            if self._is_large:
                compiled(count_draws)(_indices(starts, keys), out)
            else:
                _add_counts(indices_by_numpy(starts, keys), out)
        return out

    def _keys(self, which: IntArray, attempt: int) -> UInt64Array:
        numbers = which.astype(np.uint64) + np.uint64(1) + (np.uint64(attempt) << HALF)
        return mixed(self._key + STEP * numbers)


def _slices(length: int, step: int) -> Iterator[slice]:
    for low in range(0, length, step):
        yield slice(low, low + step)


def _indices(starts: IntArray, keys: UInt64Array) -> UInt32Array:
    """(b, u) the units that are drawn from strata of few units."""
    indices = np.empty((len(keys), int(starts[-1] - starts[0])), dtype=np.uint32)
    compiled(draw_indices)(starts, keys, indices)
    return indices


def _add_counts(indices: UInt32Array, out: FloatArray) -> None:
    """Add how often each row of ``indices`` (b, u) names each unit, to ``out`` (b, U)."""
    offsets = out.shape[1] * np.arange(len(out), dtype=np.intp)[:, None]
    out += np.bincount((indices + offsets).ravel(), minlength=out.size).reshape(out.shape)
