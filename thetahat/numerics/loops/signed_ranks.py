"""Signed ranks of many differences: sort keys in one pass, rank sums in another."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.values.types import FloatArray

MANY_SIZES: Final = 50_000
"""Smallest number of differences for which compiled loops are used."""

_SIZES_PER_BATCH: Final = 1024  # sizes in the nearest cache

_ONE: Final = np.uint64(1)


def sorted_keys(
    values: FloatArray, a: FloatArray, b: FloatArray, rounding: float
) -> tuple[np.ndarray, float, float]:
    """Return the sorted keys of differences beyond rounding, and the extreme rounding errors.

    Parameters
    ----------
    values : ndarray of float
        (u,) differences, none of them NaN.
    a, b : ndarray of float
        (u,) the larger absolute value, times ``rounding``, bounds each rounding error.
    rounding : float
        As above.

    Returns
    -------
    keys : ndarray of uint64
        (m,) the bits of the size of each difference that is not 0, and in the lowest whether it is
        positive.
    largest, smallest : float
        Rounding of these.
    """
    keys, out = np.empty(len(values), dtype=np.uint64), np.empty(2)
    given = (
        as_read_only(values),
        as_read_only(values.view(np.uint64)),
        as_read_only(a),
        as_read_only(b),
    )
    n = compiled(fill_keys)(*given, rounding, keys, out)
    kept: np.ndarray = keys[:n]
    kept.sort()
    return kept, float(out[0]), float(out[1])


def rank_sums(
    keys: np.ndarray, slack: float, least_slack: float
) -> tuple[float, float, bool] | None:
    """Return the rank sum of the positive values, the sum of squared ranks, and whether ties exist.

    Ranks start from 1; sizes no further apart than the slack share the mean of theirs. None where
    some neighbours are further apart than the least slack and not further than the largest: each
    size's own must then be looked at.

    Parameters
    ----------
    keys : ndarray of uint64
        (n,) ascending: the bits of each size, and in the lowest whether it is positive.
    slack, least_slack : float
        Largest and smallest rounding of a size.
    """
    out, n = np.empty(2), len(keys)
    bits = np.empty(_SIZES_PER_BATCH, dtype=np.uint64)
    ambiguous = compiled(add_ranks)(keys, slack, least_slack, bits, bits.view(np.float64), out)
    squares = n * (n + 1) * (2 * n + 1) / 6 - float(out[1]) / 12
    return None if ambiguous else (float(out[0]), squares, bool(out[1]))


def positive_sums(keys: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return (p,) rank sums R+ of rows without ties, and the smallest gap of each row.

    Parameters
    ----------
    keys : ndarray of uint64
        (p, u) as ``sorted_keys`` gives them, each row in order.
    """
    sums, bits = np.empty((2, len(keys))), np.empty(keys.shape[1], dtype=np.uint64)
    compiled(add_rows)(keys, bits, bits.view(np.float64), sums)
    return sums[0], sums[1]


def fill_keys(  # noqa: PLR0913 - the differences, what they are of, and two results
    values: FloatArray,
    bits: np.ndarray,
    a: FloatArray,
    b: FloatArray,
    rounding: float,
    keys: np.ndarray,
    out: FloatArray,
) -> int:
    """Write keys and extreme rounding errors; return the number of keys.

    Each key is written at the next position, which then advances or not: there is no branch to
    mispredict. The sign bit is shifted out, and says in the lowest whether the value is positive.
    """
    n, largest, smallest = 0, 0.0, np.inf
    for i in range(len(values)):
        slack = max(abs(a[i]), abs(b[i])) * rounding
        keys[n] = (bits[i] << _ONE) | np.uint64(values[i] > 0)
        counts = abs(values[i]) > slack
        n += counts
        largest = max(largest, slack) if counts else largest
        smallest = min(smallest, slack) if counts else smallest
    out[0], out[1] = largest, smallest
    return n


def add_ranks(  # noqa: PLR0913 - the keys, how far apart ties are, room for some, and the sums
    keys: np.ndarray,
    slack: float,
    least_slack: float,
    bits: np.ndarray,
    sizes: FloatArray,
    out: FloatArray,
) -> bool:
    """Write the rank sum and the tie sum of t^3 - t; return whether a gap is ambiguous.

    ``bits`` and ``sizes`` are one stretch of memory. Sums of ranks are of halves, and exact below
    2^52.
    """
    n, at_once = len(keys), len(bits)
    start, count = (
        0,
        np.int64(0),
    )  # of the sizes that are tied so far: the first, and the positive ones
    total = lost = last = 0.0
    for low in range(0, n, at_once):
        part = keys[low : low + at_once]
        for i in range(len(part)):
            bits[i] = part[i] >> _ONE
        for i in range(len(part)):
            gap = sizes[i] - last
            last = sizes[i]
            if gap > slack:
                stop = low + i
                total += (start + stop + 1) / 2 * count
                tied = float(stop - start)
                lost += tied * tied * tied - tied
                start, count = stop, np.int64(0)
            elif gap > least_slack and low + i > 0:
                return True
            count += np.int64(part[i] & _ONE)
    total += (start + n + 1) / 2 * count
    tied = float(n - start)
    out[0], out[1] = total, lost + (tied * tied * tied - tied)
    return False


def add_rows(keys: np.ndarray, bits: np.ndarray, sizes: FloatArray, out: FloatArray) -> None:
    """Write the rows of ``positive_sums``; ``bits`` and ``sizes`` share their memory."""
    for row in range(len(keys)):
        own = keys[row]
        total, least = np.int64(0), np.inf
        for i in range(len(own)):
            bits[i] = own[i] >> _ONE
            total += np.int64(own[i] & _ONE) * (i + 1)
        for i in range(1, len(own)):
            gap = sizes[i] - sizes[i - 1]
            least = min(least, gap)
        out[0, row], out[1, row] = total, least
