"""The units of every resample, as a function of the seed and the resample's number alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from thetahat.numerics.bootstrap.cells import Cells
from thetahat.numerics.bootstrap.draws import fill_cell_counts_by_numpy, indices_by_numpy
from thetahat.numerics.loops.bootstrap import count_draws, draw_indices, gather_sums
from thetahat.numerics.loops.cells import add_cell_sums, count_kinds, fill_cell_counts
from thetahat.numerics.loops.compiling import compiled, is_loaded, uses_loops
from thetahat.numerics.loops.hashes import HALF, STEP, UInt32Array, UInt64Array, mix
from thetahat.numerics.thresholds import (
    MANY_COUNTED_DRAWS,
    MANY_DRAWS,
    MIN_UNITS_FOR_CELLS,
    ROWS_OF_A_KIND,
)
from thetahat.seeds import make_random_stream
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.types import FloatArray, IntArray

MAX_KINDS: Final = 2**16 - 1

_COUNTS_AT_ONCE = 2**16  # 512 KB for one stratum, so that counts stay in the cache


def few_kinds(n_kinds: int, n_rows: int) -> bool:
    """Return whether there are so few kinds that they are counted instead of rows."""
    return n_kinds * ROWS_OF_A_KIND <= n_rows and n_kinds < MAX_KINDS


class Resamples(Protocol):
    """Resamples of units in strata, by number."""

    @property
    def n_resamples(self) -> int:
        """B, the number of resamples."""
        ...

    @property
    def starts(self) -> IntArray:
        """(S + 1,) first unit of each stratum."""
        ...

    def take(self, columns: FloatArray) -> FloatArray:
        """Return the rows of (U, q) columns to which the columns of ``counts`` refer."""
        ...

    def counts(self, first: int, stop: int) -> FloatArray:
        """Return (b, U) numbers of copies of each unit in resamples ``first`` to ``stop``."""
        ...


@dataclass(frozen=True, eq=False)
class HashedResamples:
    """Resamples drawn unit by unit; resample b is a function of (seed, b) alone.

    In a stratum of few units a draw is a hash scaled to their number. In a stratum of many units
    ``Cells`` counts the draws of each cell of 2^k units, and k bits of a hash choose the unit.
    """

    starts: IntArray
    """(S + 1,) first unit of each stratum."""
    seed: int
    """Equal seeds give equal resamples, in whatever order or chunks they are read."""
    n_resamples: int
    """B."""
    _latest: dict[int, IntArray] = field(default_factory=dict)

    @cached_property
    def _key(self) -> np.uint64:
        return np.uint64(
            make_random_stream(self.seed, "bootstrap").integers(2**64, dtype=np.uint64)
        )

    @cached_property
    def _n_draws(self) -> int:
        return int(self.starts[-1]) * self.n_resamples

    @cached_property
    def _is_large(self) -> bool:
        return uses_loops(self._n_draws, MANY_DRAWS)

    @cached_property
    def _uses_loops(self) -> bool:
        """Whether counts come from compiled loops, which draw exactly the same units."""
        return is_loaded() or uses_loops(self._n_draws, MANY_COUNTED_DRAWS)

    @cached_property
    def _cells(self) -> Cells | None:
        """The cells of the strata of many units."""
        many = np.flatnonzero(np.diff(self.starts) >= MIN_UNITS_FOR_CELLS)
        strata = tuple((int(self.starts[k]), int(self.starts[k + 1])) for k in many)
        return Cells(strata) if strata else None

    @cached_property
    def _small(self) -> tuple[IntArray, ...]:
        """The (S' + 1,) starts of each run of strata of few units."""
        few = np.concatenate([[False], np.diff(self.starts) < MIN_UNITS_FOR_CELLS, [False]])
        edges = np.flatnonzero(np.diff(few))
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return tuple(self.starts[first : stop + 1].astype(np.intp) for first, stop in pairs)

    def take(self, columns: FloatArray) -> FloatArray:
        """Return all rows."""
        return columns

    def counts(self, first: int, stop: int) -> FloatArray:
        """Return (b, U) numbers of copies of each unit in each resample."""
        return self.redraw_counts(np.arange(first, stop, dtype=np.intp), 0)

    def redraw_counts(self, which: IntArray, attempt: int) -> FloatArray:
        """Return (b, U) counts of new draws that replace resamples; attempts count from 1."""
        keys, cells = self._derive_keys(which, attempt), self._cells
        out = np.empty((len(which), int(self.starts[-1])))
        if cells is not None:
            fill = compiled(fill_cell_counts) if self._uses_loops else fill_cell_counts_by_numpy
            held = cells.held(keys) if attempt else self._get_draws_in_cells(cells, which)
            fill(cells.starts, cells.sizes, held, keys, 0, out)
        for starts in self._small:
            out[:, starts[0] : starts[-1]] = 0.0
            if self._uses_loops:
                compiled(count_draws)(_draw_indices(starts, keys), out)
            else:
                _add_counts(indices_by_numpy(starts, keys), out)
        return out

    def sums(self, columns: FloatArray, first: int, stop: int) -> FloatArray:
        """Return (b, q) sums of the drawn rows of few (U, q) columns, without counting draws."""
        if not self._is_large:
            return self.counts(first, stop) @ columns
        which = np.arange(first, stop, dtype=np.intp)
        keys, sums = self._derive_keys(which, 0), np.zeros((columns.shape[1], len(which)))
        whole = [np.ascontiguousarray(column) for column in columns.T]
        if self._cells is not None:
            cells = self._cells
            for some in _list_slices(len(which), cells.at_once):
                held = self._get_draws_in_cells(cells, which[some])
                for column, out in zip(whole, sums, strict=True):
                    compiled(add_cell_sums)(
                        column, cells.starts, cells.sizes, held, keys[some], out[some]
                    )
        for starts in self._small:
            step = max(1, NUMBERS_IN_1_MB // _get_length(starts))
            for some in _list_slices(len(which), step):
                indices = _draw_indices(starts, keys[some])
                for column, out in zip(whole, sums, strict=True):
                    compiled(gather_sums)(column, indices, out[some])
        return sums.T

    def counts_by_kind(self, kinds: IntArray, n_kinds: int, first: int, stop: int) -> FloatArray:
        """Return (b, K) numbers of units of each kind in every resample, the sums of ``counts``.

        Uses compiled loops, for large resamples; ``kinds`` (U,) are below K, and K below 2^16.
        """
        which = np.arange(first, stop, dtype=np.intp)
        keys, out = self._derive_keys(which, 0), np.zeros((len(which), n_kinds))
        if self._cells is not None:
            cells, narrow = self._cells, kinds.astype(np.uint16)
            for some in _list_slices(len(which), cells.at_once):
                held = self._get_draws_in_cells(cells, which[some])
                compiled(count_kinds)(
                    narrow, cells.starts, cells.sizes, held, keys[some], out[some]
                )
        for starts in self._small:
            wide, step = kinds.astype(np.uint32), max(1, NUMBERS_IN_1_MB // _get_length(starts))
            for some in _list_slices(len(which), step):
                compiled(count_draws)(wide[_draw_indices(starts, keys[some])], out[some])
        return out

    def sums_by_stratum(self, columns: FloatArray, first: int, stop: int) -> FloatArray:
        """Return (b, S, q) sums of the drawn rows of (U, q) columns by stratum.

        One stratum is counted at a time, in a buffer that stays in the cache.
        """
        which = np.arange(first, stop, dtype=np.intp)
        keys, by_column = self._derive_keys(which, 0), np.ascontiguousarray(columns.T)
        sums = np.empty((len(self.starts) - 1, columns.shape[1], len(which)))
        held = None if self._cells is None else self._get_draws_in_cells(self._cells, which)
        for k, (start, end) in enumerate(pairwise(self.starts.tolist())):
            fill = self._make_filler(start, end, held)
            step = max(1, _COUNTS_AT_ONCE // (end - start))
            counts = np.empty((min(step, len(which)), end - start))
            for some in _list_slices(len(which), step):
                part = counts[: len(keys[some])]
                fill(keys, some, part)
                np.matmul(by_column[:, start:end], part.T, out=sums[k, :, some])
        return sums.transpose(2, 0, 1)

    def _make_filler(
        self, start: int, end: int, held: IntArray | None
    ) -> Callable[[UInt64Array, slice, FloatArray], None]:
        """Return a function that writes the (b, n_k) counts of the units of a stratum."""
        offset = np.uint32(start)
        if held is not None and end - start >= MIN_UNITS_FOR_CELLS:
            starts, sizes, inside, first = self._get_cells_of_stratum(start, held)
            by_cells = compiled(fill_cell_counts) if self._uses_loops else fill_cell_counts_by_numpy
            return lambda keys, some, out: by_cells(
                starts, sizes, inside[some], keys[some], first, out
            )
        bounds = np.array([start, end], dtype=np.intp)

        def one_by_one(keys: UInt64Array, some: slice, out: FloatArray) -> None:
            out[:] = 0.0
            if self._uses_loops:
                compiled(count_draws)(_draw_indices(bounds, keys[some]) - offset, out)
            else:
                _add_counts(indices_by_numpy(bounds, keys[some]) - offset, out)

        return one_by_one

    def _get_cells_of_stratum(
        self, start: int, held: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, int]:
        """Return the cells of a stratum: their starts, sizes, draws and the first cell's number."""
        cells = self._cells
        assert cells is not None  # noqa: S101 - the stratum has many units
        own = cells.get_stratum_slice(start)
        inside = np.ascontiguousarray(held[:, own])
        return cells.starts[own] - start, cells.sizes[own], inside, own.start

    def _get_draws_in_cells(self, cells: Cells, which: IntArray) -> IntArray:
        """Return (b, C) numbers of draws in each cell, for resamples in ascending order.

        They are counted batch by batch, because a batch shares its tables.
        """
        size = cells.at_once
        parts = []
        for at in range(int(which[0]) // size * size, int(which[-1]) + 1, size):
            if at not in self._latest:
                stop = min(at + size, self.n_resamples)
                self._latest.clear()
                self._latest[at] = cells.held(
                    self._derive_keys(np.arange(at, stop, dtype=np.intp), 0)
                )
            parts.append(self._latest[at][which[which // size == at // size] - at])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _derive_keys(self, which: IntArray, attempt: int) -> UInt64Array:
        numbers = which.astype(np.uint64) + np.uint64(1) + (np.uint64(attempt) << HALF)
        return mix(self._key + STEP * numbers)


def _list_slices(length: int, step: int) -> Iterator[slice]:
    for low in range(0, length, step):
        yield slice(low, low + step)


def _get_length(starts: IntArray) -> int:
    return int(starts[-1] - starts[0])


def _draw_indices(starts: IntArray, keys: UInt64Array) -> UInt32Array:
    """Return the (b, u) units that resamples draw from strata of few units."""
    indices = np.empty((len(keys), _get_length(starts)), dtype=np.uint32)
    compiled(draw_indices)(starts, keys, indices)
    return indices


def _add_counts(indices: UInt32Array, out: FloatArray) -> None:
    """Add to ``out`` (b, U) the number of times each row of ``indices`` (b, u) names a unit."""
    offsets = out.shape[1] * np.arange(len(out), dtype=np.intp)[:, None]
    out += np.bincount((indices + offsets).ravel(), minlength=out.size).reshape(out.shape)
