"""Leave-one-out predictions of the discriminants for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Final

import numpy as np

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.discriminants.class_means import (
    Priors,
    Shape,
    compute_posterior,
    find_most_likely,
)
from thetahat.learners.fast.discriminants.class_rows import ClassRows, class_rows
from thetahat.learners.fast.discriminants.decorrelated import DIGITS, ROUNDING, DecorrelatedSplits
from thetahat.learners.fast.discriminants.decorrelated_rows import unit_rows
from thetahat.learners.fast.discriminants.over_splits import DiscriminantSplits
from thetahat.learners.fast.ridge.rows import MAX_AMPLIFICATION
from thetahat.losses.base import Predictions
from thetahat.tables.features import Columns
from thetahat.values.types import FloatArray, IntArray

NO_WEIGHT: Final = OrdinaryFit("no row has weight")


SINGULAR: Final = OrdinaryFit("there are at least as many features as rows")


def discriminant_over_splits(  # noqa: PLR0913 - what a learner is handed, and its two choices
    columns: Columns,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    shape: Shape,
    priors: Priors,
) -> OverSplits | OrdinaryFit:
    """Return the fast path for all splits, or the reason why each split has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    if not w.any():
        return NO_WEIGHT
    if shape == "full":
        if len(columns) >= len(y):
            return SINGULAR
        make_rows = partial(class_rows, columns, y, w, n_classes)
        return CovarianceLeaveOneOut(make_rows, priors)
    return VarianceLeaveOneOut(
        DiscriminantSplits(class_rows(columns, y, w, n_classes), shape, priors)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _LeftOutChange:
    """The change of a class when one of its rows is left out.

    Parameters
    ----------
    at : ndarray of int
        (n,) index of the class among those present; arbitrary for a class without weight.
    stays : ndarray of float
        (n,) weight of the class without the row.
    moved : ndarray of float
        (n,) shift of the class mean away from the row, in units of their distance.
    a : ndarray of float
        (n,) factor of the row's products that its class loses.
    fits : ndarray of bool
        (n,) whether enough weight remains.
    """

    at: IntArray
    stays: FloatArray
    moved: FloatArray
    a: FloatArray
    fits: np.ndarray


class _LeaveOneOut(OverSplits):
    """Leave-one-out quantities that all discriminants share."""

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, rows: Callable[[], ClassRows], priors: Priors) -> None:
        self._rows, self.priors = rows, priors

    @cached_property
    def rows(self) -> ClassRows:
        """The rows of the training part and of the test part."""
        return self._rows()

    @cached_property
    def present(self) -> IntArray:
        """(C',) codes of the classes with weight."""
        return np.flatnonzero(self.rows.n_with_weight > 0)

    @cached_property
    def own(self) -> _LeftOutChange:
        """The change of its class when a row is left out."""
        rows, n_rows, present = self.rows, self.rows.n_with_weight, self.present
        place = np.full(len(n_rows), len(present) - 1)
        place[present] = np.arange(len(present))
        at = place[rows.y]
        of_class = rows.weight[present][at]
        stays = of_class - rows.w
        enough = (n_rows > 1)[rows.y] & (stays > of_class / MAX_AMPLIFICATION)
        moved = np.divide(rows.w, stays, out=np.zeros_like(rows.w), where=enough)
        fits = enough & (n_rows.sum() > len(present) + 1)
        return _LeftOutChange(at, stays, moved, moved * of_class, fits)

    def log_shares(self, rows: IntArray | slice) -> FloatArray | float:
        """Return (C', n_rows) log priors without each row; 0 if priors are equal."""
        if self.priors == "equal":
            return 0.0
        weight = self.rows.weight[self.present]
        at, w = self.own.at[rows], self.rows.w[rows]
        of_all = np.log(weight.sum() - w)
        shares = np.log(weight)[:, None] - of_all
        own = np.maximum(self.own.stays[rows], np.finfo(np.float64).tiny)
        shares[at, np.arange(len(at))] = np.log(own) - of_all
        return np.asarray(shares)

    def predictions(
        self, joint: FloatArray, wrong: FloatArray, fits: np.ndarray
    ) -> tuple[Predictions, np.ndarray]:
        """Return predictions from (C', n_rows) log densities, and whether each has 8 digits."""
        lead = find_most_likely(joint)
        fits = fits & (wrong <= DIGITS) & (lead.ahead > DIGITS)
        return compute_posterior(joint, lead, self.present, len(self.rows.means)), fits


class CovarianceLeaveOneOut(_LeaveOneOut):
    r"""Linear discriminants: the inverse without a row by a rank-one update of that of all rows.

    .. math:: S_{(i)}^{-1} = S^{-1} + \frac{a S^{-1} z z^T S^{-1}}{1 - a z^T S^{-1} z}, \quad
              a = w_i W_c / (W_c - w_i)

    with z the row less the mean of its class c. All distances of a row from the means, taken from
    its class's, then follow from :math:`z^T S^{-1} z` and :math:`z^T S^{-1} (m_k - m_c)`.

    Rows are prepared twice if splits with one left-out row and splits with more are predicted: each
    way decorrelates its own copy.

    Parameters
    ----------
    make_rows : callable
        Returns all rows.
    priors : {"shares", "equal"}
        As the learner has it.
    """

    def __init__(self, make_rows: Callable[[], ClassRows], priors: Priors) -> None:
        super().__init__(make_rows, priors)
        self.splits = DecorrelatedSplits(make_rows, priors)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits from the sums over all rows minus each block."""
        return self.splits.predict_all(parts)

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


class VarianceLeaveOneOut(_LeaveOneOut):
    """Diagonal and nearest-mean discriminants: the variances without a row's own square.

    Parameters
    ----------
    splits : DiscriminantSplits
        Predicts splits with any left-out rows.
    """

    def __init__(self, splits: DiscriminantSplits) -> None:
        super().__init__(lambda: splits.rows, splits.priors)
        self.splits = splits

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the sums over all rows minus the left-out block."""
        return self.splits.predict(part)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits from the sums over all rows minus each block."""
        return self.splits.predict_all(parts)

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        splits, all_of = self.splits, self.rows
        z, at, w = all_of.centre_on_class(rows), self.own.at[rows], all_of.w[rows]
        total = splits.total
        squares = total - self.own.a[rows][:, None] * z**2
        if splits.shape == "spherical":
            of_row = squares.sum(axis=1, keepdims=True)
            least = of_row[:, 0] / max(total.sum(), np.finfo(np.float64).tiny)
            inverse = squares.shape[1] / of_row
        else:
            varies = splits.varies
            least = (squares[:, varies] / total[varies]).min(axis=1, initial=1.0)
            inverse = np.zeros_like(squares)
            inverse[:, varies] = 1 / squares[:, varies]
        means, own = all_of.means[self.present], z * (1 + self.own.moved[rows])[:, None]
        scale = all_of.weight[self.present].sum() - w
        joint = np.empty((len(means), len(rows)))
        for k, mean in enumerate(means):
            off = np.where((at == k)[:, None], own, z + (means[at] - mean))
            joint[k] = -0.5 * scale * (off * off * inverse).sum(axis=1)
        wrong = ROUNDING / least * np.abs(joint).sum(axis=0)
        joint += self.log_shares(rows)
        return self.predictions(
            joint, wrong, self.own.fits[rows] & (least * MAX_AMPLIFICATION >= 1)
        )
