"""Which units every resample holds: a function of the seed and the resample's number alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

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
    count_draws,
    draw_indices,
    gather_sums,
)
from thetahat.kernels.compiling import compiled
from thetahat.seeds import stream
from thetahat.types import FloatArray, IntArray

MANY_DRAWS: Final = 2**22
"""Units times resamples from which the compiled loops pay for their compilation."""

_AT_ONCE = 1024  # resamples that share one generator of multinomial counts, of few kinds
_COUNTS_AT_ONCE = 2**16
_FEW_VALUES = 16  # up to which a look-up beats sorting


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
    """Every unit by itself: unit i of resample b is a hash of (seed, b, i).

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

    def take(self, columns: FloatArray) -> FloatArray:
        """Return all rows."""
        return columns

    def indices(self, first: int, stop: int) -> UInt32Array:
        """(b, U) the units that the resamples ``first`` to ``stop`` draw."""
        return self._drawn(np.arange(first + 1, stop + 1, dtype=np.uint64))

    def _drawn(self, numbers: UInt64Array) -> UInt32Array:
        keys = mixed(self._key + STEP * numbers)
        if not self._is_large:
            return indices_by_numpy(self.starts, keys)
        out = np.empty((len(numbers), int(self.starts[-1])), dtype=np.uint32)
        compiled(draw_indices)(self.starts, keys, out)
        return out

    def counts(self, first: int, stop: int) -> FloatArray:
        """(b, U) how often each resample holds each unit."""
        return self._counted(self.indices(first, stop))

    def counts_again(self, which: IntArray, attempt: int) -> FloatArray:
        """(b, U) the same of other draws in the place of some resamples; attempts count from 1."""
        numbers = which.astype(np.uint64) + np.uint64(1) + (np.uint64(attempt) << HALF)
        return self._counted(self._drawn(numbers))

    def _counted(self, indices: UInt32Array) -> FloatArray:
        shape = indices.shape
        if not self._is_large:
            offsets = shape[1] * np.arange(shape[0], dtype=np.intp)[:, None]
            flat = np.bincount((indices + offsets).ravel(), minlength=shape[0] * shape[1])
            return flat.reshape(shape).astype(np.float64)
        out = np.zeros(shape)
        compiled(count_draws)(indices, out)
        return out

    def sums(self, columns: FloatArray, first: int, stop: int) -> FloatArray:
        """(b, q) sums of what each resample draws of few columns, (U, q): without counting."""
        indices = self.indices(first, stop)
        if not self._is_large:
            return np.asarray(columns[indices].sum(axis=1))
        whole = self.starts[[0, -1]]
        sums = [np.empty((stop - first, 1)) for _ in columns.T]
        for column, out in zip(columns.T, sums, strict=True):
            compiled(gather_sums)(np.ascontiguousarray(column), whole, indices, out)
        return np.concatenate(sums, axis=1)


@dataclass(frozen=True, eq=False)
class MergedResamples:
    """Units that are alike counted together: one multinomial count for each kind of unit.

    The counts have exactly the distribution that drawing unit by unit gives.

    Parameters
    ----------
    starts : ndarray of int
        (S + 1,) first kind of each stratum.
    members : ndarray of int
        (P,) how many units are of each kind.
    examples : ndarray of int
        (P,) one unit of each kind.
    seed, n_resamples : int
        As in ``HashedResamples``.
    """

    starts: IntArray
    members: IntArray
    examples: IntArray
    seed: int
    n_resamples: int

    def take(self, columns: FloatArray) -> FloatArray:
        """Return one row for each kind of unit."""
        return columns[self.examples]

    def counts(self, first: int, stop: int) -> FloatArray:
        """(b, P) how often each resample holds each kind of unit."""
        at_once = self._at_once
        whole = range(first // at_once, -(-stop // at_once))
        drawn = np.concatenate([self._batch(number) for number in whole])
        skipped = first - whole.start * at_once
        return drawn[skipped : skipped + stop - first]

    @property
    def _at_once(self) -> int:
        return max(1, min(_AT_ONCE, _COUNTS_AT_ONCE // len(self.members)))

    def _batch(self, number: int) -> FloatArray:
        rng = stream(self.seed, "bootstrap/kinds", number)
        parts = []
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            members = self.members[start:stop]
            total = int(members.sum())
            parts.append(rng.multinomial(total, members / total, size=self._at_once))
        return np.concatenate(parts, axis=1).astype(np.float64)


def merged_or_hashed(rows: FloatArray, starts: IntArray, seed: int, n_resamples: int) -> Resamples:
    """Return resamples of the units whose (U, q) values are given, merged where many are alike.

    Merged where there are at most U / 64 kinds: a multinomial count takes as long as some dozens
    of draws.
    """
    most = len(rows) // 64
    kinds = _kinds(rows, starts, most)
    if kinds is None:
        return HashedResamples(starts, seed, n_resamples)
    members = np.bincount(kinds)
    examples = np.empty(len(members), dtype=np.intp)
    examples[kinds[::-1]] = np.arange(len(kinds) - 1, -1, -1)  # the first of each is written last
    # kinds are numbered by stratum first, so that those of one stratum stand together
    stratum = np.searchsorted(starts, examples, side="right") - 1
    bounds = np.searchsorted(stratum, np.arange(len(starts)))
    return MergedResamples(bounds.astype(np.intp), members, examples, seed, n_resamples)


def _kinds(rows: FloatArray, starts: IntArray, most: int) -> IntArray | None:
    """(U,) number of each unit's kind, in the order of the strata; None where there are many."""
    if len(starts) - 1 > most:
        return None
    kinds = np.repeat(np.arange(len(starts) - 1, dtype=np.intp), np.diff(starts))
    for column in rows.T:
        if len(np.unique(column[: 2 * most + 1])) > most:
            return None
        values, which = _values(column)
        if len(values) > most:
            return None
        kinds = _numbered(kinds * len(values) + which)
        if kinds.max() >= most:
            return None
    return kinds


def _values(column: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the values of a column in order, and which of them each unit has."""
    values = np.unique(column[: 2 * _FEW_VALUES])
    if len(values) <= _FEW_VALUES:
        which = np.minimum(np.searchsorted(values, column), len(values) - 1)
        if (values[which] == column).all():
            return values, which
    values, which = np.unique(column, return_inverse=True)
    return values, which


def _numbered(codes: IntArray) -> IntArray:
    """Return the codes numbered from 0 without a gap, in their order."""
    if codes.max() > 4 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    present = np.bincount(codes) > 0
    return np.asarray((np.cumsum(present) - 1)[codes])


def mixed(x: UInt64Array) -> UInt64Array:
    """Return splitmix64's mix of each number."""
    x = (x ^ (x >> S30)) * FIRST_FACTOR
    x = (x ^ (x >> S27)) * SECOND_FACTOR
    return x ^ (x >> S31)


def indices_by_numpy(starts: IntArray, keys: UInt64Array) -> UInt32Array:
    """Return (b, U) the same units as the compiled ``draw_indices``, by whole arrays."""
    sizes = np.diff(starts)
    pairs = (sizes + 1) // 2
    start, size, n_pairs = (np.repeat(a, sizes) for a in (starts[:-1], sizes, pairs))
    place = np.arange(starts[-1]) - start
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
