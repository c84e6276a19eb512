"""Linear discriminants of every training part, computed in decorrelated rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

import numpy as np
import scipy

from thetahat.learners._training_parts import take_rows
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.discriminants.class_means import compute_posterior, find_most_likely
from thetahat.learners.fast.discriminants.class_rows import ClassRows
from thetahat.learners.fast.discriminants.decorrelated_rows import (
    DecorrelatedRows,
    decorrelate_rows,
    unit_rows,
)
from thetahat.learners.fast.discriminants.leave_one_out import (
    ILL_CONDITIONED,
    TOO_FEW_ROWS,
    DiscriminantSplits,
)
from thetahat.learners.fast.ordinary_fits import (
    MAX_AMPLIFICATION,
    MAX_ERROR,
    MIN_SHARE_LEFT,
    NEGLIGIBLE_CLASS_WEIGHT,
    ROUNDING,
    TIED,
)
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

_LOG_SHARE_OF_ABSENT_CLASS: Final = -1e300
"""Log share of a class that is absent; a number, as it is multiplied with zeros too."""
_MAX_ENTRIES: Final = 4_000_000
"""Largest number of entries of the rows and products of splits that are computed together."""


@dataclass(frozen=True, slots=True, eq=False)
class _PartSums:
    """Sums over K training parts by class; see ``ClassSums``."""

    turned: DecorrelatedRows
    """All rows."""
    tested: FloatArray
    """(p + C, M) the decorrelated rows of the test parts, part after part."""
    lengths: FloatArray
    """(M,) their squared lengths."""
    is_rest: np.ndarray
    """(K,) whether the sums over the left-out rows were subtracted from those over all rows."""
    counts: FloatArray
    """(K, C) number of rows with weight."""
    sums: FloatArray
    """(K, p + C, p + C) weighted sums of products, sums by class, and weights."""


class DecorrelatedSplits(DiscriminantSplits):
    r"""Linear discriminants: the sums over the left-out rows are subtracted, class by class.

    For a single row left out, the inverse is that of all rows with a rank-one update.

    .. math:: S_{(i)}^{-1} = S^{-1} + \frac{a S^{-1} z z^T S^{-1}}{1 - a z^T S^{-1} z}, \quad
              a = w_i W_c / (W_c - w_i)

    with z the row less the mean of its class c. All distances of a row from the means, taken from
    its class's, then follow from :math:`z^T S^{-1} z` and :math:`z^T S^{-1} (m_k - m_c)`.

    Rows are prepared twice if splits with one left-out row and splits with more are predicted: each
    way decorrelates its own copy.
    """

    @cached_property
    def _decorrelated(self) -> tuple[ClassRows, DecorrelatedRows | None]:
        """All rows, decorrelated in place; None if that would lose digits."""
        rows = self._make_rows()
        return rows, decorrelate_rows(rows)

    @cached_property
    def _sums_of_all(self) -> FloatArray:
        """(p + C, p + C) sums of products of all decorrelated rows."""
        rows, _ = self._decorrelated
        return rows.sum_products(rows.both, rows.w)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits from the sums over all rows minus each block."""
        rows, turned = self._decorrelated
        if turned is None:
            return [ILL_CONDITIONED] * len(parts)
        predictions: list[Predictions | OrdinaryFit] = []
        for some in _group_to_fit_memory(parts, len(rows.both)):
            predictions += self._predict(rows, turned, some)
        return predictions

    def _predict(
        self, rows: ClassRows, turned: DecorrelatedRows, parts: Sequence[Part]
    ) -> list[Predictions | OrdinaryFit]:
        sums = self._sum_parts(rows, turned, parts)
        ends = list(accumulate((len(part.test) for part in parts), initial=0))
        lengths = np.maximum.reduceat(sums.lengths, ends[:-1])
        predictions, slopes, levels = self._compute_density_coefficients(rows, sums, lengths)
        n_classes = slopes.shape[2]
        joint = np.empty((n_classes, ends[-1]))
        lines = np.concatenate([slopes, levels], axis=1)
        for line, (a, b) in zip(lines, pairwise(ends), strict=True):
            np.matmul(line.T, sums.tested[:, a:b], out=joint[:, a:b])
        lead = find_most_likely(joint)
        outcomes = compute_posterior(joint, lead, np.arange(n_classes), n_classes)
        is_tied = np.logical_or.reduceat(lead.ahead <= MAX_ERROR, ends[:-1]).tolist()
        return [
            why or (TIED if tied else take_rows(outcomes, slice(a, b)))
            for why, tied, (a, b) in zip(predictions, is_tied, pairwise(ends), strict=True)
        ]

    def _sum_parts(
        self, rows: ClassRows, turned: DecorrelatedRows, parts: Sequence[Part]
    ) -> _PartSums:
        """Return the sums over the training parts, computed from the smaller side of each."""
        summed = [_choose_rows_to_sum(part) for part in parts]
        index = np.concatenate(summed)
        some, w, sizes = np.take(turned.both, index, axis=1), rows.w[index], list(map(len, summed))
        sums = _sum_products(rows, some, w, sizes)
        counts = _count_rows(rows, some, w, sizes, sums)
        is_rest = np.array([one is part.left_out for one, part in zip(summed, parts, strict=True)])
        counts = np.where(is_rest[:, None], rows.n_with_weight - counts, counts)
        np.subtract(self._sums_of_all, sums, out=sums, where=is_rest[:, None, None])
        tests = np.concatenate([part.test for part in parts])
        if not (is_rest.all() and all(part.is_complement for part in parts)):
            some = np.take(turned.both, tests, axis=1)
        return _PartSums(turned, some, turned.lengths[tests], is_rest, counts, sums)

    def _compute_density_coefficients(
        self, rows: ClassRows, sums: _PartSums, lengths: FloatArray
    ) -> tuple[list[OrdinaryFit | None], FloatArray, FloatArray]:
        """Return the coefficients of the linear log densities.

        Parameters
        ----------
        lengths : ndarray of float
            (K,) largest squared length of a test row.

        Returns
        -------
        plain : list of OrdinaryFit or None
            The reason why a part has to be fitted, or None.
        slopes : ndarray
            (K, p, C) coefficients of a decorrelated row.
        levels : ndarray
            (K, C, C) constant for a row of one class and the density of another.
        """
        turned, (n_parts, n_classes) = sums.turned, sums.counts.shape
        p = len(turned.T)
        present = sums.counts > 0
        weight = np.where(present, np.einsum("kcc->kc", sums.sums[:, p:, p:]), 0.0)
        plain = _check_amount(rows, sums, present, weight)
        x = sums.sums[:, p:, :p]
        moved = np.divide(x, weight[:, :, None], out=np.zeros(x.shape), where=present[:, :, None])
        means = turned.means + moved
        products = sums.sums[:, :p, :p] - moved.transpose(0, 2, 1) @ x
        if turned.constant.any():
            np.einsum("kii->ki", products)[:] += turned.constant
        slopes, amplification = np.zeros((n_parts, p, n_classes)), np.ones(n_parts)
        for at in range(n_parts):
            solved = None if plain[at] else _solve_lines(products[at], means[at])
            if solved is None:
                plain[at] = plain[at] or ILL_CONDITIONED
            else:
                slopes[at], amplification[at] = solved
        squares = np.vecdot(means, slopes.transpose(0, 2, 1))
        total = weight.sum(axis=1)
        steepest = np.sqrt(np.where(present, np.square(slopes).sum(axis=1), 0.0).max(axis=1))
        farthest = np.sqrt(lengths) + np.sqrt(np.square(turned.means).sum(axis=1).max())
        # An error of the products meets the solution and what the row becomes in solving.
        size = steepest * (amplification * farthest + steepest)
        is_wrong = ~(ROUNDING * turned.error * size * total <= MAX_ERROR)
        for at in np.flatnonzero(is_wrong).tolist():
            plain[at] = plain[at] or ILL_CONDITIONED
        levels = turned.means @ slopes - 0.5 * squares[:, None]
        levels *= total[:, None, None]
        slopes *= total[:, None, None]
        levels += self._log_priors(weight, present)[:, None]
        return plain, slopes, levels

    def _log_priors(self, weight: FloatArray, present: np.ndarray) -> FloatArray:
        """Return (K, C) log class shares; an absent class gets a value below all others."""
        shares = present.astype(np.float64) if self.priors == "equal" else weight
        total = shares.sum(axis=1, keepdims=True)
        log_shares = np.full(shares.shape, _LOG_SHARE_OF_ABSENT_CLASS)
        np.log(shares / np.where(total > 0, total, 1.0), out=log_shares, where=present)
        return log_shares

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        joint, wrong, fits = self._all
        return self.predictions(np.take(joint, rows, axis=1), wrong[rows], fits[rows])

    @cached_property
    def _all(self) -> tuple[FloatArray, FloatArray, np.ndarray]:
        """Return (C', n) log joint densities, (n,) error bounds and (n,) whether to use them."""
        rows, present, own = self.rows, self.present, self.own
        n, weight = len(rows.y), rows.weight[self.present]
        turned = unit_rows(rows)
        if turned is None:
            return np.zeros((len(present), n)), np.zeros(n), np.zeros(n, dtype=np.bool_)
        t, m, amplification = turned.T, turned.means[present], turned.error
        at, every, moved = own.at, np.arange(n), own.moved
        q = turned.lengths
        left = 1 - own.a * q
        along = m @ t
        along -= along[at, every]
        pair_products = m @ m.T
        lengths = np.diag(pair_products)[:, None] + np.diag(pair_products) - 2 * pair_products
        along[at, every] = -moved * q
        squares = np.square(along)
        squares *= own.a / left
        squares += np.take(lengths, at, axis=1)
        along /= left
        squares[at, every] = moved**2 * q / left
        scale = weight.sum() - rows.w
        largest = np.abs(along).sum(axis=0) + squares.sum(axis=0)
        wrong = ROUNDING * amplification / left * scale * largest
        squares *= -0.5
        squares += along
        squares *= scale
        squares += self.log_shares(slice(None))
        return squares, wrong, own.fits & (amplification <= MAX_AMPLIFICATION * left)


def _group_to_fit_memory(parts: Sequence[Part], q: int) -> Iterator[list[Part]]:
    """Yield as many parts at a time as fit into the memory limit."""
    held: list[Part] = []
    n_held = 0
    for part in parts:
        held.append(part)
        n_held += len(_choose_rows_to_sum(part)) + len(part.test) + q
        if n_held * q > _MAX_ENTRIES:
            yield held
            held, n_held = [], 0
    if held:
        yield held


def _sum_products(
    rows: ClassRows, some: FloatArray, w: FloatArray, sizes: Sequence[int]
) -> FloatArray:
    """Return the (K, q, q) weighted sums of products of (q, M) rows, part after part."""
    sums = np.empty((len(sizes), len(some), len(some)))
    for at, (a, b) in enumerate(pairwise(accumulate(sizes, initial=0))):
        of_part: FloatArray = some[:, a:b]
        np.matmul(of_part * w[a:b] if rows.is_weighted else of_part, of_part.T, out=sums[at])
    return sums


def _count_rows(
    rows: ClassRows, some: FloatArray, w: FloatArray, sizes: Sequence[int], sums: FloatArray
) -> FloatArray:
    """Return the (K, C) number of rows with positive weight."""
    p = len(rows.Z)
    if not rows.is_weighted:
        return np.array(np.einsum("kcc->kc", sums[:, p:, p:]))
    seen = np.cumsum(some[p:] * (w > 0), axis=1)[:, np.cumsum(sizes) - 1]
    return np.asarray(np.diff(seen, axis=1, prepend=0.0).T)


def _choose_rows_to_sum(part: Part) -> IntArray:
    """Return the rows to sum over for a part: the left-out rows if they are fewer."""
    if part.left_out is None or len(part.left_out) > part.n_train:
        return part.train
    return part.left_out


def _check_amount(
    rows: ClassRows, sums: _PartSums, present: np.ndarray, weight: FloatArray
) -> list[OrdinaryFit | None]:
    """Return the reason for parts with too little data for the fast path."""
    light = (weight < MIN_SHARE_LEFT * rows.weight) & present & sums.is_rest[:, None]
    n_present = present.sum(axis=1)
    too_few = (n_present < 2) | (sums.counts.sum(axis=1) <= n_present)
    if not (light.any() or too_few.any()):
        return [None] * len(present)
    is_light = light.any(axis=1)
    pairs = zip(is_light.tolist(), too_few.tolist(), strict=True)
    return [
        NEGLIGIBLE_CLASS_WEIGHT if light else TOO_FEW_ROWS if few else None for light, few in pairs
    ]


def _solve_lines(products: FloatArray, means: FloatArray) -> tuple[FloatArray, float] | None:
    """Return (p, C) slopes and the norm of the inverse; None if the norm is too large."""
    # The matrix is symmetric.
    factor, failed = scipy.linalg.lapack.dpotrf(products.T, lower=1, overwrite_a=1)
    if failed:
        return None
    amplification = 1 / scipy.linalg.lapack.dpocon(factor, 1.0, uplo="L")[0]
    if not amplification <= MAX_AMPLIFICATION:
        return None
    slopes, _ = scipy.linalg.lapack.dpotrs(factor, means.T, lower=1)
    return slopes, float(amplification)
