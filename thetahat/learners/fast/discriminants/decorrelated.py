"""Linear discriminants of every training part, computed in decorrelated rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from thetahat.learners._training_parts import take_rows
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.discriminants.class_means import (
    compute_posterior,
    find_most_likely,
)
from thetahat.learners.fast.discriminants.class_rows import MIN_SHARE_LEFT, ClassRows
from thetahat.learners.fast.discriminants.decorrelated_rows import unit_rows
from thetahat.learners.fast.discriminants.decorrelated_sums import (
    PartSums,
    Sums,
    rows_to_sum,
)
from thetahat.learners.fast.discriminants.leave_one_out import (
    DIGITS,
    ROUNDING,
    DiscriminantSplits,
)
from thetahat.learners.fast.ridge.rows import MAX_AMPLIFICATION
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

ILL_CONDITIONED: Final = OrdinaryFit("the training part's covariance matrix is ill-conditioned")
NEGLIGIBLE_CLASS_WEIGHT: Final = OrdinaryFit("hardly any weight of a class is in the training part")
TOO_FEW_ROWS: Final = OrdinaryFit("the training part has too few classes or rows")
TIED: Final = OrdinaryFit("two classes are equally likely up to rounding")

_LOG_SHARE_OF_ABSENT_CLASS: Final = -1e300
"""Log share of a class that is absent; a number, as it is multiplied with zeros too."""
_MAX_ENTRIES: Final = 4_000_000
"""Largest number of entries of the rows and products of splits that are computed together."""


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
    def _sums(self) -> PartSums:
        return PartSums(self._make_rows())

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict the test parts of several splits."""
        predictions: list[Predictions | OrdinaryFit] = []
        sums = self._sums
        for some in _group_to_fit_memory(parts, len(sums.rows.both)):
            predictions += self._predict(sums.rows, sums.over(some), some)
        return predictions

    def _predict(
        self, rows: ClassRows, sums: Sums | None, parts: Sequence[Part]
    ) -> list[Predictions | OrdinaryFit]:
        if sums is None:
            return [ILL_CONDITIONED] * len(parts)
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
        is_tied = np.logical_or.reduceat(lead.ahead <= DIGITS, ends[:-1]).tolist()
        return [
            why or (TIED if tied else take_rows(outcomes, slice(a, b)))
            for why, tied, (a, b) in zip(predictions, is_tied, pairwise(ends), strict=True)
        ]

    def _compute_density_coefficients(
        self, rows: ClassRows, sums: Sums, lengths: FloatArray
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
        from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

        for at in range(n_parts):
            solved = None if plain[at] else _solve_lines(lapack, products[at], means[at])
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
        is_wrong = ~(ROUNDING * turned.error * size * total <= DIGITS)
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
        n_held += len(rows_to_sum(part)) + len(part.test) + q
        if n_held * q > _MAX_ENTRIES:
            yield held
            held, n_held = [], 0
    if held:
        yield held


def _check_amount(
    rows: ClassRows, sums: Sums, present: np.ndarray, weight: FloatArray
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


def _solve_lines(
    lapack: Any, products: FloatArray, means: FloatArray
) -> tuple[FloatArray, float] | None:
    """Return (p, C) slopes and the norm of the inverse; None if the norm is too large."""
    factor, failed = lapack.dpotrf(products.T, lower=1, overwrite_a=1)  # it is symmetric
    if failed:
        return None
    amplification = 1 / lapack.dpocon(factor, 1.0, uplo="L")[0]
    if not amplification <= MAX_AMPLIFICATION:
        return None
    slopes, _ = lapack.dpotrs(factor, means.T, lower=1)
    return slopes, float(amplification)
