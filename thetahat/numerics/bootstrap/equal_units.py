"""Equal units, counted together instead of drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from thetahat.numerics.bootstrap.binomials import counts_of_kinds
from thetahat.numerics.bootstrap.resamples import HashedResamples, Resamples
from thetahat.numerics.loops.hashes import STEP, mix
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray, IntArray

_COUNTS_AT_ONCE = 2**20  # 8 MB; each batch computes its own tables


@dataclass(frozen=True, eq=False)
class MergedResamples:
    """Resamples in which equal units are counted together: one count for each kind of unit.

    The counts have exactly the distribution of draws unit by unit.
    """

    starts: IntArray
    """(S + 1,) first kind of each stratum."""
    members: IntArray
    """(P,) number of units of each kind."""
    examples: IntArray
    """(P,) one unit of each kind."""
    seed: int
    n_resamples: int
    """Both as in ``HashedResamples``."""
    _latest: dict[int, FloatArray] = field(default_factory=dict)

    def take(self, columns: FloatArray) -> FloatArray:
        """Return one row for each kind of unit."""
        return columns[self.examples]

    def counts(self, first: int, stop: int) -> FloatArray:
        """Return the (b, P) numbers of units of each kind in each resample."""
        size = max(1, _COUNTS_AT_ONCE // len(self.members))
        bounds = range(first // size * size, stop, size)
        parts = [
            self._count_batch(at, size)[:, max(first - at, 0) : max(stop - at, 0)] for at in bounds
        ]
        return (parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)).T

    @cached_property
    def _key(self) -> np.uint64:
        rng = make_random_stream(self.seed, "bootstrap/kinds")
        return np.uint64(rng.integers(2**64, dtype=np.uint64))

    def _count_batch(self, at: int, size: int) -> FloatArray:
        """Return the (P, b) counts of a batch from ``at`` on, which mostly holds the next reads."""
        counts = self._latest.get(at)
        if counts is None:
            stop = min(at + size, self.n_resamples)
            keys = mix(self._key + STEP * np.arange(at + 1, stop + 1, dtype=np.uint64))
            counts = counts_of_kinds(self.starts, self.members, keys)
            self._latest.clear()
            self._latest[at] = counts
        return counts


def merged_or_hashed(rows: FloatArray, starts: IntArray, seed: int, n_resamples: int) -> Resamples:
    """Return resamples of units with these (U, q) values, with equal units merged if many.

    Merged where there are at most U / 64 kinds: a multinomial count takes as long as some dozens
    of draws.
    """
    most = len(rows) // 64
    kinds = _number_unit_kinds(rows, starts, most)
    if kinds is None:
        return HashedResamples(starts, seed, n_resamples)
    members = np.bincount(kinds)
    examples = _find_examples(kinds, len(members))
    # kinds are numbered by stratum first, so that those of one stratum are consecutive
    stratum = np.searchsorted(starts, examples, side="right") - 1
    bounds = np.searchsorted(stratum, np.arange(len(starts)))
    return MergedResamples(bounds.astype(np.intp), members, examples, seed, n_resamples)


def _find_examples(kinds: IntArray, n_kinds: int) -> IntArray:
    """Return the (P,) first units of each kind."""
    examples = np.empty(n_kinds, dtype=np.intp)
    examples[kinds[::-1]] = np.arange(len(kinds) - 1, -1, -1)  # the first of each is written last
    return examples


def _number_unit_kinds(rows: FloatArray, starts: IntArray, most: int) -> IntArray | None:
    """Return the (U,) kinds of the units, numbered by stratum; None if there are many."""
    n_strata = len(starts) - 1
    if n_strata > most:
        return None
    kinds = (
        None if n_strata == 1 else np.repeat(np.arange(n_strata, dtype=np.intp), np.diff(starts))
    )
    for column in rows.T:
        if len(np.unique(column[: 2 * most + 1])) > most:
            return None
        values, which = np.unique(column, return_inverse=True)
        if len(values) > most:
            return None
        kinds = which if kinds is None else _renumber(kinds * len(values) + which)
        if kinds.max() >= most:
            return None
    return kinds


def _renumber(codes: IntArray) -> IntArray:
    """Return the codes renumbered from 0 without gaps, in the same order."""
    if codes.max() > 4 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    present = np.bincount(codes) > 0
    return codes if present.all() else np.asarray((np.cumsum(present) - 1)[codes])
