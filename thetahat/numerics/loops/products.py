"""Sums and sums of products of a few models' losses, block by block, in one pass over them.

Losses are taken relative to a given one of their block and model. Some hundred rows of all models
are read at a time, and stay in a near cache until all their products are added: the losses
themselves come from memory once, whatever the order of the blocks' rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled_with_reordered_sums
from thetahat.numerics.thresholds import MAX_MODELS_OF_PRODUCTS
from thetahat.values.types import FloatArray, IntArray

_LOSSES_COPIED = 2**13  # losses that are copied in the order of their rows: 64 KB
_LOSSES_OF_RUNS, _ROWS_OF_RUNS = (
    2**14,
    2**11,
)  # losses that need no copy, in the second cache: 128 KB
_READ = 2**15  # losses in the next one, whose blocks' rows lie among each other: 256 KB
_ROWS_OF_A_BLOCK = 64  # of a few in one piece the loops would be mostly starts and ends


def block_products(
    models: Sequence[FloatArray], order: IntArray | None, starts: IntArray, about: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (J, m) sums and (J, m, m) sums of products of losses minus ``about``.

    Whole numbers give exact sums.

    Parameters
    ----------
    models : sequence of ndarray of float
        (m,) of (n,) losses, at most ``MAX_MODELS_OF_PRODUCTS``.
    order : ndarray of int or None
        (n,) rows sorted by block; None where they are so already.
    starts : ndarray of int
        (J + 1,) first of each block, among the sorted rows.
    about : ndarray of float
        (J, m) value that is subtracted from each loss.
    """
    m, k = len(models), len(starts) - 1
    even = m + m % 2
    sums, products = np.zeros((k, even)), np.zeros((k, even, even))
    # always the same type, so that the loop is compiled once
    seen = [as_read_only(losses) for losses in models]
    padded = tuple(seen + seen[:1] * (MAX_MODELS_OF_PRODUCTS - m))
    if order is None:
        about = np.column_stack([about, about[:, : even - m]])
        at_once = min(_LOSSES_OF_RUNS // m, _ROWS_OF_RUNS)
        compiled_with_reordered_sums(of_runs)(padded, at_once, starts, about, sums, products)
    else:
        at_once = max(_READ // m, _ROWS_OF_A_BLOCK * k)
        held = np.zeros((even, min(max(_LOSSES_COPIED // m, 256), 1024)))
        loop = compiled_with_reordered_sums(of_blocks)
        loop(padded, as_read_only(order), at_once, starts, about, held, sums, products)
    lower = np.tril(products)[:, :m, :m]
    return sums[:, :m], lower + np.tril(lower, -1).transpose(0, 2, 1)


def of_blocks(  # noqa: PLR0913 - a compiled loop calls no others
    models: tuple[FloatArray, ...],
    order: IntArray,
    at_once: int,
    starts: IntArray,
    about: FloatArray,
    held: FloatArray,
    sums: FloatArray,
    products: FloatArray,
) -> None:
    """Add to the sums, and to the 2 x 2 tiles on and below the diagonal of the products.

    ``held`` has an even number of rows, all 0.
    """
    m, w = about.shape[1], held.shape[1]
    reached = starts[:-1].copy()
    for high in range(at_once, starts[-1] + at_once, at_once):
        for k in range(len(reached)):
            low = stop = reached[k]
            while stop < starts[k + 1] and order[stop] < high:
                stop += 1
            reached[k] = stop
            own = products[k]
            for start in range(low, stop, w):
                n = min(w, stop - start)
                for p in range(m):
                    h, least, total = held[p], about[k, p], 0.0
                    losses, rows = models[p], order[start : start + n]
                    for i in range(n):
                        x = losses[rows[i]] - least
                        h[i] = x
                        total += x
                    sums[k, p] += total
                for p in range(0, len(held), 2):
                    x0, x1 = held[p], held[p + 1]
                    for q in range(0, p + 1, 2):
                        y0, y1 = held[q], held[q + 1]
                        a = b = c = d = 0.0
                        for i in range(n):
                            a += x0[i] * y0[i]
                            b += x0[i] * y1[i]
                            c += x1[i] * y0[i]
                            d += x1[i] * y1[i]
                        own[p, q] += a
                        own[p, q + 1] += b
                        own[p + 1, q] += c
                        own[p + 1, q + 1] += d


def of_runs(  # noqa: C901, PLR0913, PLR0915 - a compiled loop calls no others
    models: tuple[FloatArray, ...],
    at_once: int,
    starts: IntArray,
    about: FloatArray,
    sums: FloatArray,
    products: FloatArray,
) -> None:
    """Add what ``of_blocks`` adds where the rows of each block are consecutive.

    Four models at a time are multiplied with each other and with two others, straight from where
    their losses stand. ``at_once`` rows of all models are read at a time, so many that they stay
    in the second cache until all their products are added.
    ``about`` and both results are of an even number of models.
    """
    m = about.shape[1]
    for k in range(len(starts) - 1):
        least, total, own = about[k], sums[k], products[k]
        for low in range(starts[k], starts[k + 1], at_once):
            high = min(low + at_once, starts[k + 1])
            for p in range(0, m - 3, 4):
                x0, x1 = models[p][low:high], models[p + 1][low:high]
                x2, x3 = models[p + 2][low:high], models[p + 3][low:high]
                l0, l1, l2, l3 = least[p], least[p + 1], least[p + 2], least[p + 3]
                s0 = s1 = s2 = s3 = 0.0
                a = b = c = d = e = f = g = h = s = t = 0.0
                for i in range(high - low):
                    v0, v1, v2, v3 = x0[i] - l0, x1[i] - l1, x2[i] - l2, x3[i] - l3
                    s0 += v0
                    s1 += v1
                    s2 += v2
                    s3 += v3
                    a += v0 * v0
                    b += v0 * v1
                    c += v1 * v1
                    d += v0 * v2
                    e += v1 * v2
                    f += v2 * v2
                    g += v0 * v3
                    h += v1 * v3
                    s += v2 * v3
                    t += v3 * v3
                total[p] += s0
                total[p + 1] += s1
                total[p + 2] += s2
                total[p + 3] += s3
                own[p, p] += a
                own[p + 1, p] += b
                own[p + 1, p + 1] += c
                own[p + 2, p] += d
                own[p + 2, p + 1] += e
                own[p + 2, p + 2] += f
                own[p + 3, p] += g
                own[p + 3, p + 1] += h
                own[p + 3, p + 2] += s
                own[p + 3, p + 3] += t
                for q in range(0, p, 2):
                    y0, y1 = models[q][low:high], models[q + 1][low:high]
                    e0, e1 = least[q], least[q + 1]
                    a = b = c = d = e = f = g = h = 0.0
                    for i in range(high - low):
                        w0, w1 = y0[i] - e0, y1[i] - e1
                        v0, v1, v2, v3 = x0[i] - l0, x1[i] - l1, x2[i] - l2, x3[i] - l3
                        a += v0 * w0
                        b += v0 * w1
                        c += v1 * w0
                        d += v1 * w1
                        e += v2 * w0
                        f += v2 * w1
                        g += v3 * w0
                        h += v3 * w1
                    own[p, q] += a
                    own[p, q + 1] += b
                    own[p + 1, q] += c
                    own[p + 1, q + 1] += d
                    own[p + 2, q] += e
                    own[p + 2, q + 1] += f
                    own[p + 3, q] += g
                    own[p + 3, q + 1] += h
            for p in range(m // 4 * 4, m, 2):  # the last two, where they are not four
                x0, x1 = models[p][low:high], models[p + 1][low:high]
                l0, l1 = least[p], least[p + 1]
                s0 = s1 = 0.0
                for i in range(high - low):
                    s0 += x0[i] - l0
                    s1 += x1[i] - l1
                total[p] += s0
                total[p + 1] += s1
                for q in range(0, p + 1, 2):
                    y0, y1 = models[q][low:high], models[q + 1][low:high]
                    e0, e1 = least[q], least[q + 1]
                    a = b = c = d = 0.0
                    for i in range(high - low):
                        v0, v1, w0, w1 = x0[i] - l0, x1[i] - l1, y0[i] - e0, y1[i] - e1
                        a += v0 * w0
                        b += v0 * w1
                        c += v1 * w0
                        d += v1 * w1
                    own[p, q] += a
                    own[p, q + 1] += b
                    own[p + 1, q] += c
                    own[p + 1, q + 1] += d
