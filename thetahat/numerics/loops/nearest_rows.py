"""Compiled loops of a nearest-row search: selecting few candidates and sorting them.

Plain functions over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.values.types import FloatArray, IntArray

_NUMBERS_IN_BLOCK: Final = 128
"""Numbers that numpy sums in eight interleaved sums; it halves a longer row and adds the halves."""
COLUMNS_PER_SUM: Final = 16_384
"""Columns whose squared differences are summed as numpy sums a row; these sums are then added one
after the other, so that a search in wide data can read some columns at a time."""
_SIDE: Final = 8
_MAX_GROUP_SIZE: Final = 32

Float32Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Int32Array = np.ndarray[tuple[int, ...], np.dtype[np.int32]]
"""Type of the bits of non-negative floats, which sort like the floats and compare faster."""


def find_smallest(near: Int32Array, smallest: Int32Array) -> None:
    """Write the smallest value of each of G groups of a row's columns to (q, G) ``smallest``.

    Column j is of group j modulo G; the last columns, which fill no round of groups, are of none.
    """
    n_groups = smallest.shape[1]
    for i in range(len(near)):
        row, of_row = near[i], smallest[i]
        of_row[:] = row[:n_groups]
        for start in range(n_groups, len(row) - n_groups + 1, n_groups):
            part = row[start : start + n_groups]
            for g in range(n_groups):
                of_row[g] = min(part[g], of_row[g])


def find_near(
    near: Int32Array,
    smallest: Int32Array,
    limits: Int32Array,
    counts: IntArray,
    candidates: IntArray,
) -> None:
    """Write the columns of each row with values up to (q,) ``limits`` to (q, most) ``candidates``.

    They are in no order, ``counts`` (q,) of them; ``smallest`` is as ``find_smallest`` has it.
    Where there may be more than have room, ``counts`` is 0.
    """
    most, n_groups = candidates.shape[1], smallest.shape[1]
    for i in range(len(near)):
        row, of_row, limit, count = near[i], candidates[i], limits[i], 0
        n_grouped = len(row) - len(row) % n_groups
        for g in range(n_groups):
            if smallest[i, g] <= limit:
                if count + n_grouped // n_groups > most:
                    count = most + 1
                    break
                for j in range(g, n_grouped, n_groups):
                    of_row[count] = j
                    count += row[j] <= limit
        if count + len(row) - n_grouped > most:
            count = 0
        else:
            for j in range(n_grouped, len(row)):
                of_row[count] = j
                count += row[j] <= limit
        counts[i] = count


def rank(  # noqa: C901, PLR0912, PLR0913 - whole in itself, for numba's sake
    queries: FloatArray,
    rows: FloatArray,
    block_ends: IntArray,
    n_additions: IntArray,
    candidates: IntArray,
    counts: IntArray,
    nearest: IntArray,
    squares: FloatArray,
) -> None:
    """Write the candidates of each query and their squared distances, nearest first.

    ``candidates`` (q, most) has ``counts`` (q,) entries in use; among rows at equal distance the
    lowest row number comes first. ``nearest`` and ``squares`` are (q, length) and are filled as far
    as there are candidates. A square is summed in the order in which numpy sums a row: blocks of
    columns that end at ``block_ends`` (m,), with eight columns or more in eight interleaved sums;
    after block j the last two sums are added ``n_additions[j]`` times.
    """
    most, length = candidates.shape[1], nearest.shape[1]
    side, sums = np.zeros(_SIDE), np.zeros(len(block_ends) + 1)
    keys, other_keys = np.empty(most), np.empty(most)
    places, other_places = np.empty(most, dtype=np.intp), np.empty(most, dtype=np.intp)
    for i in range(len(queries)):
        query, count = queries[i], counts[i]
        for at in range(count):
            row, n_sums, first = rows[candidates[i, at]], 0, 0
            for block in range(len(block_ends)):
                end, total = block_ends[block], 0.0
                whole = end - (end - first) % _SIDE
                if whole > first:
                    side[:] = 0.0
                    for c in range(first, whole, _SIDE):
                        for s in range(_SIDE):
                            gap = row[c + s] - query[c + s]
                            side[s] += gap * gap
                    total = ((side[0] + side[1]) + (side[2] + side[3])) + (
                        (side[4] + side[5]) + (side[6] + side[7])
                    )
                for c in range(whole, end):
                    gap = row[c] - query[c]
                    total += gap * gap
                sums[n_sums] = total
                for _ in range(n_additions[block]):
                    n_sums -= 1
                    sums[n_sums] += sums[n_sums + 1]
                n_sums += 1
                first = end
            keys[at], places[at] = sums[0], candidates[i, at]
        width = 1
        while width < count:  # stretches in order are merged two by two
            for start in range(0, count, 2 * width):
                a, middle = start, min(start + width, count)
                b, stop = middle, min(start + 2 * width, count)
                for at in range(start, stop):
                    if a < middle and (
                        b >= stop
                        or keys[a] < keys[b]
                        or (keys[a] == keys[b] and places[a] < places[b])
                    ):
                        other_keys[at], other_places[at] = keys[a], places[a]
                        a += 1
                    else:
                        other_keys[at], other_places[at] = keys[b], places[b]
                        b += 1
            keys, other_keys = other_keys, keys
            places, other_places = other_places, places
            width *= 2
        nearest[i] = places[:length]
        squares[i] = keys[:length]


def smallest_by_kernel(near: Float32Array, length: int) -> tuple[Float32Array, Float32Array]:
    """Return (q, G) smallest values of column groups, and (q,) bounds that ``length`` columns meet.

    ``near`` is (q, n), from 0 on, and ``length`` is at most a quarter of n.
    """
    n_rows, n = near.shape
    n_groups = n // min(_MAX_GROUP_SIZE, n // (4 * length))
    smallest = np.empty((n_rows, n_groups), dtype=np.float32)
    compiled(find_smallest)(near.view(np.int32), smallest.view(np.int32))
    return smallest, np.partition(smallest, length - 1, axis=1)[:, length - 1].copy()


def near_by_kernel(
    near: Float32Array, smallest: Float32Array, limits: Float32Array, candidates: IntArray
) -> IntArray:
    """Return the (q,) number of columns up to the limits, which are written to ``candidates``.

    There are 0 where there may be more than have room.
    """
    counts = np.zeros(len(near), dtype=np.intp)
    keys = (part.view(np.int32) for part in (near, smallest, limits))
    compiled(find_near)(*keys, counts, candidates)
    return counts


def ranked_by_kernel(
    queries: FloatArray, rows: FloatArray, candidates: IntArray, counts: IntArray, length: int
) -> tuple[IntArray, FloatArray]:
    """Return (q, length) rows and squared distances, nearest first."""
    nearest = np.empty((len(queries), length), dtype=np.intp)
    squares = np.empty((len(queries), length))
    points = as_read_only(queries), as_read_only(rows)
    order = _list_blocks(rows.shape[1])
    compiled(rank)(*points, *order, candidates, counts, nearest, squares)
    return nearest, squares


@cache
def _list_blocks(n_columns: int) -> tuple[IntArray, IntArray]:
    """Return the ends of the blocks that are summed at once, and the additions after each."""
    ends: list[int] = []
    additions: list[int] = []

    def halve(first: int, end: int) -> None:
        n = end - first
        if n <= _NUMBERS_IN_BLOCK:
            ends.append(end)
            additions.append(0)
            return
        middle = first + n // 2 - n // 2 % _SIDE
        halve(first, middle)
        halve(middle, end)
        additions[-1] += 1

    for first in range(0, n_columns, COLUMNS_PER_SUM):
        halve(first, min(first + COLUMNS_PER_SUM, n_columns))
        additions[-1] += first > 0
    return np.array(ends, dtype=np.intp), np.array(additions, dtype=np.intp)
