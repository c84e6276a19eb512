"""What changes in a discriminant when a row is left out, for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners.base import OrdinaryFit, OverSplits
from thetahat.learners.fast.discriminants.class_means import (
    Priors,
    compute_posterior,
    find_most_likely,
)
from thetahat.learners.fast.discriminants.class_rows import ClassRows
from thetahat.learners.fast.ordinary_fits import MAX_AMPLIFICATION, MAX_ERROR
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

ILL_CONDITIONED: Final = OrdinaryFit("the training part's covariance matrix is ill-conditioned")
TOO_FEW_ROWS: Final = OrdinaryFit("the training part has too few classes or rows")


@dataclass(frozen=True, slots=True, eq=False)
class _LeftOutChange:
    """The change of a class when one of its rows is left out."""

    at: IntArray
    """(n,) index of the class among those present; arbitrary for a class without weight."""
    stays: FloatArray
    """(n,) weight of the class without the row."""
    moved: FloatArray
    """(n,) shift of the class mean away from the row, in units of their distance."""
    a: FloatArray
    """(n,) factor of the row's products that its class loses."""
    fits: np.ndarray
    """(n,) whether enough weight remains."""


class DiscriminantSplits(OverSplits):
    """What the fast paths of all discriminants share for rows left out one at a time.

    Parameters
    ----------
    make_rows : callable
        Returns all rows.
    priors : {"shares", "equal"}
        As the learner has it.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, make_rows: Callable[[], ClassRows], priors: Priors) -> None:
        self._make_rows, self.priors = make_rows, priors

    @cached_property
    def rows(self) -> ClassRows:
        """All rows."""
        return self._make_rows()

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
        fits = fits & (wrong <= MAX_ERROR) & (lead.ahead > MAX_ERROR)
        return compute_posterior(joint, lead, self.present, len(self.rows.means)), fits
