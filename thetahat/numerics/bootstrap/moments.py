"""Resampled means of all models at once, with the standard error of each resample's mean."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from thetahat.numerics.bootstrap.resamples import HashedResamples, Resamples
from thetahat.numerics.bootstrap.units import Units
from thetahat.numerics.thresholds import MANY_STRATA, MAX_COLUMNS_TO_GATHER
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.types import FloatArray, IntArray

_ROUNDING = 64 * float(np.finfo(np.float64).eps)


class ResampledMeans(NamedTuple):
    """The means of m models in B resamples, with standard errors."""

    deviations: FloatArray
    """(B, m) each resample's mean minus the mean of the data."""
    errors: FloatArray | None
    """(B, m) standard error of each resample's mean, from the resample itself."""
    pair_errors: FloatArray
    """(B, P) standard errors of each pair's difference."""


def resampled_means(
    resamples: Resamples,
    units: Units,
    residuals: FloatArray,
    pairs: IntArray,
    *,
    with_errors: bool,
) -> ResampledMeans:
    r"""Draw all resamples once and reduce them for all models together.

    With :math:`r_u` the residuals and :math:`c_u` how often a resample holds unit u, its mean is
    off by :math:`\frac1S \sum_k \sum_{u \in k} c_u r_u / n_k`, and by
    :math:`\sum c_u r_u / \sum c_u m_u` where units have sizes. A pair's difference needs no
    resample of its own: it is the difference of two columns.

    Parameters
    ----------
    resamples : Resamples
        Of the units.
    units : Units
        Their strata and sizes.
    residuals : ndarray of float
        (U, m), of ``Units.means_and_residuals``.
    pairs : ndarray of int
        (P, 2) models whose difference gets standard errors.
    with_errors : bool
        Whether the models get standard errors too.
    """
    n, m = resamples.n_resamples, residuals.shape[1]
    deviations = np.empty((n, m))
    errors = np.empty((n, m)) if with_errors else None
    pair_errors = np.empty((n, len(pairs)))
    if not with_errors and not len(pairs) and units.sizes is None:
        weighted = residuals / units.to_units(units.n_strata * units.in_stratum)[:, None]
        for part, sums in _sum_columns(resamples, weighted):
            deviations[part] = sums
        return ResampledMeans(deviations, None, pair_errors)
    reduce = _reduce_by_stratum if units.sizes is None else _reduce_ratios
    for part, means, squares, pair_squares in reduce(resamples, units, residuals, pairs):
        deviations[part] = means
        pair_errors[part] = np.sqrt(pair_squares)
        if errors is not None:
            errors[part] = np.sqrt(squares)
    return ResampledMeans(deviations, errors, pair_errors)


_Chunk = tuple[slice, FloatArray, FloatArray, FloatArray]


def _sum_columns(resamples: Resamples, columns: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the sums of (U, q) columns, chunk by chunk of resamples."""
    if isinstance(resamples, HashedResamples) and columns.shape[1] <= MAX_COLUMNS_TO_GATHER:
        whole = slice(0, resamples.n_resamples)
        yield whole, resamples.sums(columns, whole.start, whole.stop)
        return
    taken = resamples.take(columns)
    for part in _list_chunks(resamples, taken.shape[1] + len(taken)):
        yield part, resamples.counts(part.start, part.stop) @ taken


def _list_chunks(resamples: Resamples, width: int) -> Iterator[slice]:
    step = max(1, NUMBERS_IN_1_MB // width)
    for first in range(0, resamples.n_resamples, step):
        yield slice(first, min(first + step, resamples.n_resamples))


def _reduce_by_stratum(
    resamples: Resamples, units: Units, residuals: FloatArray, pairs: IntArray
) -> Iterator[_Chunk]:
    r"""Units that count alike.

    .. math:: \frac1{S^2} \sum_k \frac1{n_k (n_k - 1)}
        \Bigl(\sum_{u \in k} c_u r_u^2 - \frac1{n_k} \bigl(\sum_{u \in k} c_u r_u\bigr)^2\Bigr)

    is the variance of each resample's mean.
    """
    rows = resamples.take(residuals)
    m, n_k = rows.shape[1], units.in_stratum.astype(np.float64)
    share = 1 / (units.n_strata * n_k)
    scale = share**2 * n_k / np.maximum(n_k - 1, 1)
    kinds = np.diff(resamples.starts)
    squares = np.hstack([rows, rows[:, pairs[:, 0]] - rows[:, pairs[:, 1]]]) ** 2
    squares *= np.repeat(scale, kinds)[:, None]
    columns = np.hstack([rows, squares])
    for part, by_stratum in _sum_by_stratum(resamples, columns):
        yield part, *_reduce(by_stratum, m, pairs, share, scale / n_k)


def _reduce(
    by_stratum: FloatArray, m: int, pairs: IntArray, share: FloatArray, scale: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (b, m) means, (b, m) squares and (b, P) of the pairs, from (b, S, q) sums."""
    if by_stratum.shape[1] >= MANY_STRATA:
        sums, total = by_stratum[..., :m], by_stratum[..., m:].sum(axis=1)
        both = np.concatenate([sums, sums[..., pairs[:, 0]] - sums[..., pairs[:, 1]]], axis=2)
        means, less = share @ sums, scale @ both**2
    else:  # resamples are the last axis, in memory too, because it is by far the longest
        every = by_stratum.transpose(1, 2, 0)
        sums, total = every[:, :m], every[:, m:].sum(axis=0).T
        both = np.concatenate([sums, sums[:, pairs[:, 0]] - sums[:, pairs[:, 1]]], axis=1)
        means, less = np.tensordot(share, sums, 1).T, np.tensordot(scale, both**2, 1).T
    squares = _zero_rounding(total - less, total)
    return means, squares[:, :m], squares[:, m:]


def _sum_by_stratum(
    resamples: Resamples, columns: FloatArray
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield (b, S, q) sums of the drawn rows of (U, q) columns, chunk by chunk of resamples."""
    starts, q = resamples.starts, columns.shape[1]
    if isinstance(resamples, HashedResamples) and len(starts) <= MANY_STRATA:
        for part in _list_chunks(resamples, len(starts) * q):
            yield part, resamples.sums_by_stratum(columns, part.start, part.stop)
        return
    for part in _list_chunks(resamples, len(columns) + len(starts) * q):
        counts = resamples.counts(part.start, part.stop)
        if len(starts) > MANY_STRATA:
            every = counts[:, :, None] * columns
            yield part, np.add.reduceat(every, starts[:-1], axis=1)
            continue
        sums = np.empty((len(starts) - 1, q, len(counts)))
        for k, (start, stop) in enumerate(pairwise(starts)):
            np.matmul(columns[start:stop].T, counts[:, start:stop].T, out=sums[k])
        yield part, sums.transpose(2, 0, 1)


def _reduce_ratios(
    resamples: Resamples, units: Units, residuals: FloatArray, pairs: IntArray
) -> Iterator[_Chunk]:
    r"""Units with sizes.

    .. math:: \frac{C}{C-1} \frac{\sum_u c_u (r_u - \delta m_u)^2}{(\sum_u c_u m_u)^2}, \qquad
        \delta = \frac{\sum_u c_u r_u}{\sum_u c_u m_u}

    is the variance of each resample's mean, the cluster-robust one.
    """
    assert units.sizes is not None  # noqa: S101 - what the caller chose by
    m = residuals.shape[1]
    rows, sizes = resamples.take(residuals), resamples.take(units.sizes[:, None])
    differences = rows[:, pairs[:, 0]] - rows[:, pairs[:, 1]]
    every = np.hstack([rows, differences])
    columns = np.hstack([every, sizes, every**2, every * sizes, sizes**2])
    q, scale = every.shape[1], units.n_units / (units.n_units - 1)
    for part in _list_chunks(resamples, len(rows) + 4 * q):
        sums = resamples.counts(part.start, part.stop) @ columns
        total = sums[:, q : q + 1]
        delta = sums[:, :q] / total
        square, cross, size = np.split(sums[:, q + 1 :], [q, 2 * q], axis=1)
        left = square - 2 * delta * cross + delta**2 * size
        variances = scale * _zero_rounding(left, square) / total**2
        yield part, delta[:, :m], variances[:, :m], variances[:, m:]


def _zero_rounding(values: FloatArray, terms: FloatArray) -> FloatArray:
    """Return the values, with 0 for those that are only the rounding of larger terms."""
    return np.where(values > _ROUNDING * terms, values, 0.0)
