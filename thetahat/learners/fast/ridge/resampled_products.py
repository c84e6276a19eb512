"""Sums of products over many resamples of the rows, from one matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.learners.fast.thresholds import MAX_PRODUCTS_OF_RESAMPLES
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import FloatArray, IntArray

_WIDTH: Final = 40
"""Resamples that are multiplied at a time, empty ones among them.

The same number always: then what a resample comes to does not depend on how many others there are.
"""


def sums_resamples_together(q: int, n: int) -> bool:
    """Return whether resamples of (q, n) columns are summed together; one costs as much as 40.

    With many rows and columns a single resample takes hardly longer than its share.
    """
    return n * q * (q + 1) // 2 <= MAX_PRODUCTS_OF_RESAMPLES


def sum_products_of_resamples(
    both: FloatArray, w: FloatArray | None, resamples: Sequence[IntArray]
) -> FloatArray:
    r"""Return the sums of products over each of m resamples.

    .. math:: S_b = \sum_i c_{bi} w_i z_i z_i^T

    with c the copies of a row in a resample: the products of every pair of columns are computed
    once for each row, and one matrix product with the counts adds them up for all resamples.

    Parameters
    ----------
    both : ndarray of float
        (q, n) columns.
    w : ndarray of float or None
        (n,) weights; None where all are 1.
    resamples : sequence of ndarray of int
        (m,) row numbers, with repetitions.

    Returns
    -------
    ndarray
        (m, q, q).
    """
    from scipy.linalg import blas  # noqa: PLC0415 - the API need not load it

    (q, n), m = both.shape, len(resamples)
    counts = np.zeros((-(-m // _WIDTH) * _WIDTH, n))
    for own, index in zip(counts, resamples, strict=False):
        own[:] = np.bincount(index, minlength=n)
    if w is not None:
        counts *= w
    first, second = np.triu_indices(q)
    ends = np.cumsum(np.arange(q, 0, -1)).tolist()
    step = max(1, NUMBERS_IN_2_MB // len(first))
    products = np.zeros((len(counts), len(first)))
    pairs = np.empty((len(first), min(step, n)))
    for start in range(0, n, step):
        chunk = both[:, start : start + step]
        if chunk.shape[1] < pairs.shape[1]:
            pairs = np.empty((len(first), chunk.shape[1]))
        for at, end in enumerate(ends):
            np.multiply(chunk[at:], chunk[at], out=pairs[end - (q - at) : end])
        for at in range(0, m, _WIDTH):  # BLAS adds to its argument c in place
            chunk_counts = counts[at : at + _WIDTH, start : start + step]
            target = products[at : at + _WIDTH]
            blas.dgemm(1.0, pairs.T, chunk_counts.T, 1.0, target.T, trans_a=1, overwrite_c=1)
    sums = np.empty((m, q, q))
    sums[:, first, second] = products[:m]
    sums[:, second, first] = products[:m]
    return sums


def product_in_widths(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return the (m, r) product of (m, k) and (k, r); a row's digits do not depend on m."""
    m = len(rows)
    products = np.empty((m, others.shape[1]))
    whole = m - m % _WIDTH
    for at in range(0, whole, _WIDTH):
        np.matmul(rows[at : at + _WIDTH], others, out=products[at : at + _WIDTH])
    if whole < m:
        last = np.zeros((_WIDTH, rows.shape[1]))
        last[: m - whole] = rows[whole:]
        products[whole:] = (last @ others)[: m - whole]
    return products
