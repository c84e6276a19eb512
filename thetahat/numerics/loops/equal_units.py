"""Compiled loop of the bootstrap of repeated values: counts of each distinct value.

A multinomial count is a chain of binomial ones: those of the first kind among all draws, those of
the second among what is left, and so on. Binomial counts add up, so that one of m trials is the
sum of one for each hexadecimal digit of m: fifteen tables to a place serve every m. A table is
read by inversion: a number u in [0, 1) gives the first count whose distribution function exceeds
it, which a guide finds in a step or two.

The function is plain Python over numpy arrays, whole in itself, as
``thetahat.numerics.loops.compiling``
takes it. The hash is splitmix64, as in ``thetahat.numerics.loops.bootstrap``: place s of kind j
has the
counter 16 j + s + 1.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.hashes import STEP, UInt64Array, mix
from thetahat.values.types import FloatArray, IntArray

DIGIT_BITS: Final = 4
MAX_DIGITS: Final = 16
REACH, REACH_PER_VARIANCE = 14.0, 84.0
r"""A table goes t = 14 + sqrt(14^2 + 84 V) beyond the mode, V the variance. By Bernstein's
inequality, P(X - mean >= t) <= exp(-t^2 / (2 V + 2 t / 3)) = exp(-42) < 2^-60."""
UNIT_OF_53_BITS: Final = 2.0**-53
S11, ONE = np.uint64(11), np.uint64(1)
LAST_DIGIT = np.int64(MAX_DIGITS - 1)


def draw_kinds(  # noqa: C901, PLR0912, PLR0915 - whole in itself, for numba's sake
    starts: IntArray, members: IntArray, keys: UInt64Array, out: FloatArray
) -> None:
    """Write to ``out`` (P, b) the number of units of each kind that each resample draws.

    Stratum k has the kinds ``starts[k]`` to ``starts[k + 1]``, ``members`` (P,) units of each; as
    many units are drawn from it as it has. Column b depends on ``keys[b]`` alone.
    """
    n_drawn = len(keys)
    drawn = np.empty(n_drawn, dtype=np.int64)
    left = np.empty(n_drawn, dtype=np.int64)
    digits = np.empty(n_drawn, dtype=np.uint8)
    uniforms = np.empty(n_drawn)
    used = np.empty(MAX_DIGITS, dtype=np.bool_)
    lows = np.empty(MAX_DIGITS, dtype=np.int64)
    for s in range(len(starts) - 1):
        rest = members[starts[s] : starts[s + 1]].sum()
        total = rest
        left[:] = total
        for j in range(starts[s], starts[s + 1] - 1):
            share = members[j] / rest
            odds = members[j] / (rest - members[j])
            drawn[:] = 0
            unit, place = 1, 0
            while unit <= total:
                # all draws of the first kind have the same number of trials: one table, one digit
                is_first = j == starts[s]
                if is_first:
                    unit, digits[:] = total, 1
                else:
                    shift = np.int64(DIGIT_BITS * place)
                    for b in range(n_drawn):
                        digits[b] = (left[b] >> shift) & LAST_DIGIT
                used[:] = False
                for b in range(n_drawn):
                    used[digits[b]] = True
                most = 1
                for digit in range(1, MAX_DIGITS):
                    if used[digit]:
                        most = digit
                spread = most * unit * share * (1 - share)
                reach = int(REACH + np.sqrt(REACH * REACH + REACH_PER_VARIANCE * spread)) + 2
                width = min(2 * reach, most * unit) + 1
                n_cells = 1
                while n_cells < 2 * width:
                    n_cells *= 2
                cdf = np.empty((most + 1, width))
                guide = np.empty((most + 1, n_cells), dtype=np.int32)
                for digit in range(1, most + 1):
                    if not used[digit]:
                        continue
                    n = digit * unit
                    mode = (n + 1) * members[j] // rest
                    spread = n * share * (1 - share)
                    reach = int(REACH + np.sqrt(REACH * REACH + REACH_PER_VARIANCE * spread)) + 1
                    low, high = max(mode - reach, 0), min(mode + reach, n)
                    row = cdf[digit]
                    value = 1.0
                    row[mode - low] = value
                    for k in range(mode, high):
                        value *= (n - k) / (k + 1) * odds
                        row[k + 1 - low] = value
                    value = 1.0
                    for k in range(mode, low, -1):
                        value *= k / ((n - k + 1) * odds)
                        row[k - 1 - low] = value
                    value = 0.0
                    for k in range(high - low + 1):
                        value += row[k]
                        row[k] = value
                    cell = 0
                    for k in range(high - low + 1):
                        row[k] /= value
                        upto = row[k] * n_cells
                        while cell < upto:
                            guide[digit, cell] = k
                            cell += 1
                    lows[digit] = low
                offset = STEP * np.uint64(MAX_DIGITS * j + place + 1)
                for b in range(n_drawn):
                    uniforms[b] = np.float64(mix(keys[b] + offset) >> S11) * UNIT_OF_53_BITS
                flat, near = cdf.reshape(-1), guide.reshape(-1)
                for b in range(n_drawn):
                    own = np.uint64(digits[b])
                    if own > 0:
                        u, first = uniforms[b], own * np.uint64(width)
                        cell_of_u = own * np.uint64(n_cells) + np.uint64(np.int64(u * n_cells))
                        at = first + np.uint64(near[cell_of_u])
                        # nearly always at most one step, so that the branch is well predicted
                        at += np.uint64(flat[at] <= u)
                        while flat[at] <= u:
                            at += ONE
                        drawn[b] += lows[own] + np.int64(at - first)
                if is_first:
                    break
                unit *= MAX_DIGITS
                place += 1
            for b in range(n_drawn):
                out[j, b] = drawn[b]
                left[b] -= drawn[b]
            rest -= members[j]
        for b in range(n_drawn):
            out[starts[s + 1] - 1, b] = left[b]
