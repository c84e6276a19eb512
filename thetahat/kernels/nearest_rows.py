"""Compiled loops of a search for near rows: few candidates from many distances, and their order.

Plain functions over numpy arrays, as ``thetahat.kernels.compiling`` takes them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.kernels.compiling import compiled
from thetahat.kernels.sparse_counts import fixed
from thetahat.types import FloatArray, IntArray

MOST_COLUMNS: Final = 128
"""Up to which numpy sums a row in eight sums side by side, as ``rank`` does."""
_SIDE: Final = 8
_LARGEST_GROUP: Final = 32
_ROOM: Final = 64

Singles = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Keys = np.ndarray[tuple[int, ...], np.dtype[np.int32]]
"""The bits of single numbers from 0 on: in the order of the numbers, and quicker to compare."""


def choose(  # noqa: C901, PLR0912, PLR0913 - whole in itself, for numba's sake
    near: Keys, length: int, n_groups: int, bounds: Keys, counts: IntArray, found: IntArray
) -> None:
    """Write the columns of each row's smallest values to (q, most) ``found``, in no order.

    All columns with a value up to ``bounds`` (q,) are written, ``counts`` (q,) of them, ``length``
    or more. The bound is the ``length``-th of the smallest values of ``n_groups`` groups: column g
    is of group g modulo ``n_groups``. Where there may be more such columns than have room,
    ``counts`` is 0.
    """
    n_rows, n = near.shape
    most, size, want = found.shape[1], n // n_groups, length - 1
    n_grouped = n_groups * size
    smallest = np.empty(n_groups, dtype=np.int32)
    parted = np.empty(n_groups, dtype=np.int32)
    for i in range(n_rows):
        row, of_row = near[i], found[i]
        smallest[:] = row[:n_groups]
        for start in range(n_groups, n_grouped, n_groups):
            part = row[start : start + n_groups]
            for g in range(n_groups):
                smallest[g] = min(part[g], smallest[g])
        parted[:] = smallest
        low, high = 0, n_groups - 1
        while low < high:  # Hoare's selection
            pivot = parted[want]
            a, b = low, high
            while a <= b:
                while parted[a] < pivot:
                    a += 1
                while pivot < parted[b]:
                    b -= 1
                if a <= b:
                    parted[a], parted[b] = parted[b], parted[a]
                    a += 1
                    b -= 1
            if b < want:
                low = a
            if want < a:
                high = b
        bound, count = parted[want], 0
        for g in range(n_groups):
            if smallest[g] <= bound:
                if count + size > most:
                    count = 0
                    break
                for j in range(g, n_grouped, n_groups):
                    of_row[count] = j
                    count += row[j] <= bound
        if count + n - n_grouped > most:
            count = 0
        if count > 0:
            for j in range(n_grouped, n):
                of_row[count] = j
                count += row[j] <= bound
        bounds[i], counts[i] = bound, count


def rank(  # noqa: C901, PLR0913 - whole in itself, for numba's sake
    queries: FloatArray,
    rows: FloatArray,
    found: IntArray,
    counts: IntArray,
    nearest: IntArray,
    squares: FloatArray,
) -> None:
    """Write the rows found for each query and their squared distances, the nearest first.

    ``found`` is (q, most), ``counts`` (q,) of them; of rows equally far the lowest comes first. As
    many are written as (q, length) ``nearest`` and ``squares`` have room for, if there are as many.
    A square is summed as numpy sums a row: of eight columns or more, in eight sums side by side.
    """
    p, most, length = rows.shape[1], found.shape[1], nearest.shape[1]
    side, whole = np.zeros(_SIDE), p - p % _SIDE
    keys, other_keys = np.empty(most), np.empty(most)
    places, other_places = np.empty(most, dtype=np.intp), np.empty(most, dtype=np.intp)
    for i in range(len(queries)):
        query, count = queries[i], counts[i]
        for at in range(count):
            row, total = rows[found[i, at]], 0.0
            if whole:
                side[:] = 0.0
                for c in range(0, whole, _SIDE):
                    for s in range(_SIDE):
                        gap = row[c + s] - query[c + s]
                        side[s] += gap * gap
                total = ((side[0] + side[1]) + (side[2] + side[3])) + (
                    (side[4] + side[5]) + (side[6] + side[7])
                )
            for c in range(whole, p):
                gap = row[c] - query[c]
                total += gap * gap
            keys[at], places[at] = total, found[i, at]
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


def take(  # noqa: PLR0913 - the lists, who may be taken, and where to
    lists: IntArray,
    of_lists: FloatArray,
    complete_below: FloatArray,
    queries: IntArray,
    of_part: IntArray,
    inside: np.ndarray,
    rows: IntArray,
    squares: FloatArray,
    unsure: np.ndarray,
) -> None:
    """Write the first of each query's list that are inside to (q, k) ``rows``, and their squares.

    ``lists`` is (n, length), of all n rows, and ``of_lists`` their squares. ``inside`` is (J, n),
    and a query's is that of its ``of_part``. Whether it has too few, or may have others, is written
    to (q,) ``unsure``.
    """
    k = rows.shape[1]
    for at in range(len(queries)):
        i, count = queries[at], 0
        of_row, may_be = lists[i], inside[of_part[at]]
        for place in range(len(of_row)):
            if may_be[of_row[place]]:
                rows[at, count] = of_row[place]
                squares[at, count] = of_lists[i, place]
                count += 1
                if count == k:
                    break
        unsure[at] = count < k or squares[at, k - 1] >= complete_below[i]


def chosen_by_kernel(near: Singles, length: int) -> tuple[IntArray, IntArray, Singles]:
    """Return what ``choose`` writes: (q, most) columns, (q,) how many, and (q,) bounds.

    ``near`` is (q, n), from 0 on, and ``length`` is at most a quarter of n. There are 0 where
    too many columns have values up to the bound.
    """
    n_rows, n = near.shape
    n_groups = n // min(_LARGEST_GROUP, n // (4 * length))
    found = np.zeros((n_rows, 2 * length + _ROOM), dtype=np.intp)
    counts, bounds = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows, dtype=np.float32)
    loop = compiled(choose)
    loop(near.view(np.int32), length, n_groups, bounds.view(np.int32), counts, found)
    return found, counts, bounds


def ranked_by_kernel(
    queries: FloatArray, rows: FloatArray, found: IntArray, counts: IntArray, length: int
) -> tuple[IntArray, FloatArray]:
    """(q, length) rows and squared distances, as ``rank`` writes them."""
    nearest = np.empty((len(queries), length), dtype=np.intp)
    squares = np.empty((len(queries), length))
    compiled(rank)(fixed(queries), fixed(rows), found, counts, nearest, squares)
    return nearest, squares


def taken_by_kernel(  # noqa: PLR0913 - as take
    lists: IntArray,
    of_lists: FloatArray,
    complete_below: FloatArray,
    queries: IntArray,
    of_part: IntArray,
    inside: np.ndarray,
    k: int,
) -> tuple[IntArray, FloatArray, np.ndarray]:
    """(q, k) rows and squares of the first inside of each query's list, and (q,) where unsure."""
    n_queries = len(queries)
    rows, squares = np.zeros((n_queries, k), dtype=np.intp), np.zeros((n_queries, k))
    unsure = np.zeros(n_queries, dtype=np.bool_)
    loop = compiled(take)
    loop(lists, of_lists, complete_below, fixed(queries), of_part, inside, rows, squares, unsure)
    return rows, squares, unsure
