"""Draws of each kind of unit in a resample; see ``thetahat.numerics.loops.equal_units``."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from thetahat.numerics.loops.compiling import compiled, is_loaded
from thetahat.numerics.loops.equal_units import (
    DIGIT_BITS,
    MAX_DIGITS,
    REACH,
    REACH_PER_VARIANCE,
    S11,
    UNIT_OF_53_BITS,
    draw_kinds,
)
from thetahat.numerics.loops.hashes import STEP, UInt64Array, mix
from thetahat.values.types import FloatArray, IntArray


def counts_of_kinds(
    starts: IntArray, members: IntArray, keys: UInt64Array, *, many: bool
) -> FloatArray:
    """Return (P, b) counts: the number of units of each kind that every resample draws.

    Stratum k has the kinds ``starts[k]`` to ``starts[k + 1]``, ``members`` (P,) units of each; as
    many units are drawn from it as it has.

    Parameters
    ----------
    starts, members : ndarray of int
        The kinds.
    keys : ndarray of uint64
        (b,) one for each resample; column b is a function of its key.
    many : bool
        Whether to use the compiled loop, which returns the same counts.
    """
    out = np.empty((len(members), len(keys)))
    draw = compiled(draw_kinds) if many or is_loaded() else draw_kinds_by_numpy
    draw(starts, members, keys, out)
    return out


def draw_kinds_by_numpy(
    starts: IntArray, members: IntArray, keys: UInt64Array, out: FloatArray
) -> None:
    """Write the same counts as the compiled ``draw_kinds``, with numpy."""
    for start, stop in pairwise(starts.tolist()):
        rest = int(members[start:stop].sum())
        left = np.full(len(keys), rest, dtype=np.int64)
        for j in range(start, stop - 1):
            some = int(members[j])
            if j == start:
                drawn = _invert(rest, some, rest, _draw_uniforms(keys, j, 0))
            else:
                drawn = _draw_by_digits(left, some, rest, keys, j)
            out[j] = drawn
            left -= drawn
            rest -= some
        out[stop - 1] = left


def distribution(trials: int, members: int, rest: int) -> tuple[int, FloatArray]:
    r"""Return the binomial distribution function of ``trials`` at ``members / rest``.

    From the mode outwards by the ratio of neighbours, summed from below and divided by the total:
    within 1e-13 of the exact one. What is left out at both ends is below 2^-60.

    Returns
    -------
    low : int
        The count of the first entry.
    cdf : ndarray of float
        The last entry is 1.
    """
    share, odds = members / rest, members / (rest - members)
    mode = (trials + 1) * members // rest
    spread = trials * share * (1 - share)
    reach = int(REACH + math.sqrt(REACH * REACH + REACH_PER_VARIANCE * spread)) + 1
    low, high = max(mode - reach, 0), min(mode + reach, trials)
    above = np.arange(mode, high)
    below = np.arange(mode, low, -1)
    up = np.cumprod((trials - above) / (above + 1) * odds)
    down = np.cumprod(below / ((trials - below + 1) * odds))
    sums = np.cumsum(np.concatenate([down[::-1], [1.0], up]))
    return low, sums / sums[-1]


def _draw_uniforms(keys: UInt64Array, kind: int, place: int) -> FloatArray:
    offset = np.uint64(int(STEP) * (MAX_DIGITS * kind + place + 1) % 2**64)
    return (mix(keys + offset) >> S11).astype(np.float64) * UNIT_OF_53_BITS


def _invert(trials: int, members: int, rest: int, uniforms: FloatArray) -> IntArray:
    low, cdf = distribution(trials, members, rest)
    return low + np.searchsorted(cdf, uniforms, side="right")


def _draw_by_digits(
    left: IntArray, members: int, rest: int, keys: UInt64Array, kind: int
) -> IntArray:
    """Return (b,) binomial counts of as many trials as each resample has left."""
    drawn = np.zeros_like(left)
    for place in range(MAX_DIGITS):
        digits = left >> DIGIT_BITS * place
        if not digits.any():
            break
        digits &= MAX_DIGITS - 1
        uniforms = _draw_uniforms(keys, kind, place)
        for digit in np.unique(digits[digits > 0]).tolist():
            which = np.flatnonzero(digits == digit)
            trials = digit << DIGIT_BITS * place
            drawn[which] += _invert(trials, members, rest, uniforms[which])
    return drawn
