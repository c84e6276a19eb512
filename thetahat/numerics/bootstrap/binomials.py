"""Draws of each kind of unit in a resample.

A multinomial count is a chain of binomial ones: those of the first kind among all draws, those of
the second among what is left, and so on. Binomial counts add up, so that one of m trials is the
sum of one for each hexadecimal digit of m: fifteen tables to a place serve every m. A table is
read by inversion: a number u in [0, 1) gives the first count whose distribution function exceeds
it. The hash is splitmix64, as in ``thetahat.numerics.loops.bootstrap``: place s of kind j has the
counter 16 j + s + 1.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.numerics.loops.hashes import STEP, UInt64Array, mix
from thetahat.values.types import FloatArray, IntArray

_DIGIT_BITS: Final = 4
_MAX_DIGITS: Final = 16
_REACH, _REACH_PER_VARIANCE = 14.0, 84.0
r"""A table goes t = 14 + sqrt(14^2 + 84 V) beyond the mode, V the variance. By Bernstein's
inequality, P(X - mean >= t) <= exp(-t^2 / (2 V + 2 t / 3)) = exp(-42) < 2^-60."""
_UNIT_OF_53_BITS: Final = 2.0**-53
_S11 = np.uint64(11)


def counts_of_kinds(starts: IntArray, members: IntArray, keys: UInt64Array) -> FloatArray:
    """Return (P, b) counts: the number of units of each kind that every resample draws.

    Stratum k has the kinds ``starts[k]`` to ``starts[k + 1]``, ``members`` (P,) units of each; as
    many units are drawn from it as it has. ``starts`` and ``members`` are the kinds. ``keys`` has
    (b,) one for each resample; column b is a function of its key.
    """
    out = np.empty((len(members), len(keys)))
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
    return out


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
    reach = int(_REACH + math.sqrt(_REACH * _REACH + _REACH_PER_VARIANCE * spread)) + 1
    low, high = max(mode - reach, 0), min(mode + reach, trials)
    above = np.arange(mode, high)
    below = np.arange(mode, low, -1)
    up = np.cumprod((trials - above) / (above + 1) * odds)
    down = np.cumprod(below / ((trials - below + 1) * odds))
    sums = np.cumsum(np.concatenate([down[::-1], [1.0], up]))
    return low, sums / sums[-1]


def _draw_uniforms(keys: UInt64Array, kind: int, place: int) -> FloatArray:
    offset = np.uint64(int(STEP) * (_MAX_DIGITS * kind + place + 1) % 2**64)
    return (mix(keys + offset) >> _S11).astype(np.float64) * _UNIT_OF_53_BITS


def _invert(trials: int, members: int, rest: int, uniforms: FloatArray) -> IntArray:
    low, cdf = distribution(trials, members, rest)
    return low + np.searchsorted(cdf, uniforms, side="right")


def _draw_by_digits(
    left: IntArray, members: int, rest: int, keys: UInt64Array, kind: int
) -> IntArray:
    """Return (b,) binomial counts of as many trials as each resample has left."""
    drawn = np.zeros_like(left)
    for place in range(_MAX_DIGITS):
        digits = left >> _DIGIT_BITS * place
        if not digits.any():
            break
        digits &= _MAX_DIGITS - 1
        uniforms = _draw_uniforms(keys, kind, place)
        for digit in np.unique(digits[digits > 0]).tolist():
            which = np.flatnonzero(digits == digit)
            trials = digit << _DIGIT_BITS * place
            drawn[which] += _invert(trials, members, rest, uniforms[which])
    return drawn
