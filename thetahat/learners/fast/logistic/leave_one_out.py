"""Leave-one-out predictions of logistic regression for many rows at once."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners.fast.logistic.model import build_predictions
from thetahat.learners.fast.logistic.newton import Factor, factorise
from thetahat.learners.fast.logistic.over_splits import MAX_AMPLIFICATION, LogisticSplits
from thetahat.learners.fast.logistic.training_parts import MAX_LAST_STEP, convert_to_probabilities
from thetahat.learners.fast.ordinary_fits import MAX_ERROR
from thetahat.losses.base import Predictions
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import FloatArray, IntArray

_MAX_STEPS: Final = 25


class LogisticLeaveOneOut(LogisticSplits):
    r"""Newton steps for many left-out rows of two classes with one common factorisation.

    .. math:: H_{(i)}^{-1} = H^{-1} + \frac{d_i H^{-1} z_i z_i^T H^{-1}}{1 - d_i z_i^T H^{-1} z_i},
              \quad d_i = w_i p_i (1 - p_i)

    The first step is the approximation of pregibon1981; further steps follow until convergence.
    """

    leaves_rows_out: ClassVar[bool] = True

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each is accurate to 8 digits."""
        logits, fits = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        if self._factor is not None:
            step = max(1, NUMBERS_IN_2_MB // len(self.y))
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                logits[some], fits[some] = self._compute_logits(rows[some], self._factor)
        fits &= (self.counts[self.y[rows]] > 1) & (np.abs(logits) > MAX_ERROR)
        return build_predictions(logits[:, None], self.present, self.n_classes), fits

    @cached_property
    def _factor(self) -> Factor | None:
        factor = factorise(self.curvature)
        if factor is None:
            return None
        is_lost = self.amplification(self.objective.w.sum(), factor) > MAX_AMPLIFICATION
        return None if is_lost else factor

    def _compute_logits(self, rows: IntArray, factor: Factor) -> tuple[FloatArray, np.ndarray]:
        """Return the (m,) leave-one-out logits, and whether they may be used."""
        of_all, optimum = self.objective, self.optimum
        Z, target, w = of_all.Z, of_all.target[rows, 0], of_all.w[rows]
        z, p = Z[rows], self.shares[rows, 0]
        along = factor.solve_flat(z)
        lengths = np.vecdot(z, along)
        d = w * p * (1 - p)
        stays = 1 - d * lengths
        fits = stays >= 0.1
        stays[~fits] = 1.0
        reach = np.abs(z).sum(axis=1)
        B = optimum.T + along * (w * (p - target) / stays)[:, None]
        active = np.flatnonzero(fits)
        for _ in range(_MAX_STEPS):
            if not len(active):
                break
            now = B[active]
            wrong = Z @ now.T
            convert_to_probabilities(wrong[:, None])
            wrong -= of_all.target
            wrong *= of_all.w[:, None]
            wrong[rows[active], np.arange(len(active))] = 0.0
            gradient = wrong.T @ Z + of_all.penalties * now
            step = factor.solve_flat(gradient)
            share = np.vecdot(z[active], step) * d[active] / stays[active]
            step += along[active] * share[:, None]
            B[active] = now - step
            active = active[reach[active] * np.abs(step).max(axis=1) > MAX_LAST_STEP]
        fits[active] = False
        return np.vecdot(z, B), fits
