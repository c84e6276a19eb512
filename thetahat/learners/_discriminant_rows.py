"""The discriminants when each row alone is left out, for many rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from thetahat.learners._discriminant_splits import DiscriminantSplits, discriminant_splits
from thetahat.learners._discriminant_turned import DIGITS, ROUNDING, gap
from thetahat.learners._discriminants import Priors, Shape, posterior
from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION
from thetahat.learners.base import OverSplits, Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray


def discriminant_over_splits(  # noqa: PLR0913 - what a learner is handed, and its two choices
    X: FloatArray,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    shape: Shape,
    priors: Priors,
) -> OverSplits | Plain:
    """Return what predicts the test part of every split, or why it has to be fitted."""
    splits = discriminant_splits(X, y, weights, n_classes, shape=shape, priors=priors)
    if isinstance(splits, Plain):
        return splits
    return OfProducts(splits) if shape == "full" else OfVariances(splits)


class _OneLeftOut:
    """What the discriminants have in common: a row takes its weight from its own class.

    Parameters
    ----------
    splits : DiscriminantSplits
        What is known of all rows.
    """

    def __init__(self, splits: DiscriminantSplits) -> None:
        self.splits = splits
        rows, sums = splits.rows, splits.rows.all
        self.present = np.flatnonzero(sums.rows > 0)
        place = np.full(len(sums.rows), len(self.present) - 1)  # any will do for a class without
        place[self.present] = np.arange(len(self.present))
        self.at = place[rows.y]
        of_class = sums.weight[self.present][self.at]
        self.stays = of_class - rows.w
        enough = (sums.rows > 1)[rows.y] & (self.stays > of_class / LARGEST_AMPLIFICATION)
        self.fits = enough & (sums.rows.sum() > len(self.present) + 1)
        # How far its class's mean moves away from a row, in units of their distance.
        self.moved = np.divide(rows.w, self.stays, out=np.zeros_like(rows.w), where=enough)
        self.a = self.moved * of_class

    def predict(self, part: Part) -> Predictions | Plain:
        """Subtract the block."""
        return self.splits.predict(part)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Subtract several blocks."""
        return self.splits.predict_all(parts)

    def log_shares(self, rows: IntArray | slice) -> FloatArray | float:
        """(n_rows, C') log shares of the classes without each row; 0 where priors are equal."""
        if self.splits.priors == "equal":
            return 0.0
        weight = self.splits.rows.all.weight[self.present]
        at, w = self.at[rows], self.splits.rows.w[rows]
        of_all = np.log(weight.sum() - w)
        shares = np.log(weight) - of_all[:, None]
        own = np.maximum(self.stays[rows], np.finfo(np.float64).tiny)
        shares[np.arange(len(at)), at] = np.log(own) - of_all
        return np.asarray(shares)

    def said(
        self, joint: FloatArray, wrong: FloatArray, fits: np.ndarray
    ) -> tuple[Predictions, np.ndarray]:
        """Return predictions, and whether each is good to eight digits."""
        fits = fits & (wrong <= DIGITS) & (gap(joint) > DIGITS)
        return posterior(joint, self.present, len(self.splits.rows.means)), fits


class OfProducts(_OneLeftOut):
    r"""Linear discriminants: for one row left out the inverse is known from that of all rows.

    .. math:: S_{(i)}^{-1} = S^{-1} + \frac{a S^{-1} z z^T S^{-1}}{1 - a z^T S^{-1} z}, \quad
              a = w_i W_c / (W_c - w_i)

    with z the row less the mean of its class c. All distances of a row from the means, taken from
    its class's, then follow from :math:`z^T S^{-1} z` and :math:`z^T S^{-1} (m_k - m_c)`.
    """

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Predict each row by the fit on all others; and whether that keeps the digits."""
        joint, wrong, fits = self._all
        return self.said(joint[rows], wrong[rows], fits[rows])

    @cached_property
    def _all(self) -> tuple[FloatArray, FloatArray, np.ndarray]:
        """(n, C') log joint densities, (n,) what they may be wrong by, (n,) whether they fit."""
        rows, present, at = self.splits.rows, self.present, self.at
        n, weight = len(rows.y), rows.all.weight[self.present]
        turned = self.splits.turned
        if turned is None:
            return np.zeros((n, len(present))), np.zeros(n), np.zeros(n, dtype=np.bool_)
        t, m, amplification = turned.T, turned.means[present], turned.condition
        every, moved = np.arange(n), self.moved
        q = np.vecdot(t, t)
        left = 1 - self.a * q
        along = t @ m.T
        along -= along[every, at][:, None]
        apart = m @ m.T
        lengths = np.diag(apart)[:, None] + np.diag(apart) - 2 * apart
        along[every, at] = -moved * q
        squares = lengths[at] + (self.a / left)[:, None] * along**2
        along /= left[:, None]
        squares[every, at] = moved**2 * q / left
        scale = weight.sum() - rows.w
        joint = scale[:, None] * (along - 0.5 * squares)
        joint += self.log_shares(slice(None))
        largest = np.abs(along) @ np.ones(len(m)) + squares @ np.ones(len(m))
        wrong = ROUNDING * amplification / left * scale * largest
        return joint, wrong, self.fits & (amplification <= LARGEST_AMPLIFICATION * left)


class OfVariances(_OneLeftOut):
    """Diagonal and nearest-mean discriminants: each row takes its own square from the variances."""

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Predict each row by the fit on all others; and whether that keeps the digits."""
        splits, all_of = self.splits, self.splits.rows
        z, at, w = all_of.Z[rows], self.at[rows], all_of.w[rows]
        total = all_of.all.squares[self.present].sum(axis=0)
        squares = total - self.a[rows][:, None] * z**2
        if splits.shape == "spherical":
            of_row = squares.sum(axis=1, keepdims=True)
            least = of_row[:, 0] / max(total.sum(), np.finfo(np.float64).tiny)
            inverse = squares.shape[1] / of_row
        else:
            varies = splits.varies
            least = (squares[:, varies] / total[varies]).min(axis=1, initial=1.0)
            inverse = np.zeros_like(squares)
            inverse[:, varies] = 1 / squares[:, varies]
        means, own = all_of.means[self.present], z * (1 + self.moved[rows])[:, None]
        scale = all_of.all.weight[self.present].sum() - w
        joint = np.empty((len(rows), len(means)))
        for k, mean in enumerate(means):
            off = np.where((at == k)[:, None], own, z + (means[at] - mean))
            joint[:, k] = -0.5 * scale * (off * off * inverse).sum(axis=1)
        wrong = ROUNDING / least * (np.abs(joint) @ np.ones(len(means)))
        joint += self.log_shares(rows)
        return self.said(joint, wrong, self.fits[rows] & (least * LARGEST_AMPLIFICATION >= 1))
