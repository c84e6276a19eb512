"""Logistic regression of every training part, from the optimum of all rows."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from thetahat.learners._discriminant_splits import gap
from thetahat.learners._logistic_model import Standardised, said_of, standardised, target_of
from thetahat.learners._logistic_newton import (
    NEAR,
    Factor,
    Objective,
    curvature_of,
    factor_of,
    minimise,
    shares_of,
)
from thetahat.learners._parts import class_weights
from thetahat.learners.base import OverSplits, Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

NO_WEIGHT: Final = Plain("no row has weight")
FEWER_CLASSES: Final = Plain("the training part has not all classes")
NOT_CONVERGED: Final = Plain("the optimum of all rows was not reached")
FAR: Final = Plain("the training part's optimum is far from that of all rows")
ILL_CONDITIONED: Final = Plain("the training part's likelihood is too flat in a direction")
TIED: Final = Plain("two classes are as likely as one another to the last digits")

LARGEST_AMPLIFICATION: Final = 1e5
"""How much of a rounding error in the gradient may be in a logit."""
_SHORT: Final = 1e-10
"""The last step may move a logit by this; what is left is a fraction of it."""
_MOST_STEPS: Final = 25
_FEW_COLUMNS: Final = 64
"""Coefficients up to which the curvature anew costs less than the steps that it saves."""
_AT_ONCE: Final = 250_000
"""Logits held at a time: two megabytes, which stay near the processor."""
_DIGITS: Final = 1e-9


def logistic_over_splits(  # noqa: PLR0913 - what a learner is handed, and its two choices
    X: FloatArray,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    penalty: float,
    intercept: bool,
) -> OverSplits | Plain:
    """Return what predicts the test part of every split, or why it has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    totals = class_weights(y, w, n_classes)
    present = np.flatnonzero(totals)
    if len(present) < 2:
        return FEWER_CLASSES if w.any() else NO_WEIGHT
    rows = standardised(X, w, penalty=penalty, intercept=intercept)
    target = target_of(y, present)
    objective = Objective(rows.Z, target, w, rows.penalties)
    found, length = minimise(objective, np.zeros((rows.Z.shape[1], target.shape[1])))
    if not length <= NEAR:
        return NOT_CONVERGED
    splits = LogisticSplits(rows, objective, found, y, present, n_classes)
    return OneLeftOut(splits) if len(present) == 2 else splits


class LogisticSplits:
    """Steps from the optimum of all rows to that of a training part.

    The curvature of the part at the optimum of all rows is that of all, less that of the rows
    left out; steps with it shrink the error by a fixed factor, about the share of what is left
    out. With few coefficients it is taken anew after the first step, and two more are enough.
    """

    def __init__(  # noqa: PLR0913 - what is known of all rows
        self,
        rows: Standardised,
        objective: Objective,
        optimum: FloatArray,
        y: np.ndarray,
        present: IntArray,
        n_classes: int,
    ) -> None:
        self.rows, self.objective, self.optimum = rows, objective, optimum
        self.y, self.present, self.n_classes = y, present, n_classes
        self.shares = shares_of(objective.Z @ optimum)
        self.curvature = objective.curvature(self.shares)

    def predict(self, part: Part) -> Predictions | Plain:
        """Go to the optimum of the training part."""
        w = self.objective.w
        totals = class_weights(self.y[part.train], w[part.train], self.n_classes)
        if not (totals[self.present] > 0).all():
            return FEWER_CLASSES
        objective, curvature = self._of_part(part)
        factor = factor_of(curvature)
        if factor is None or not self.amplification(objective, factor) <= LARGEST_AMPLIFICATION:
            return ILL_CONDITIONED
        test = self.objective.Z[part.test]
        found = self._from_optimum(objective, factor, float(np.abs(test).sum(axis=1).max()))
        if found is None:
            return FAR
        logits = test @ found
        both = np.column_stack([np.zeros(len(logits)), logits]) if logits.shape[1] == 1 else logits
        if (gap(both) <= _DIGITS).any():
            return TIED
        return said_of(logits, self.present, self.n_classes)

    def _of_part(self, part: Part) -> tuple[Objective, FloatArray]:
        """Return the objective of a training part, and its curvature at the optimum of all."""
        of_all, out = self.objective, part.left_out
        if out is None or 4 * len(out) > len(of_all.w):
            train = part.train
            few = Objective(
                of_all.Z[train], of_all.target[train], of_all.w[train], of_all.penalties
            )
            return few, few.curvature(self.shares[train])
        w = of_all.w.copy()
        w[out] = 0.0
        left = self.curvature - curvature_of(of_all.Z[out], self.shares[out], of_all.w[out])
        return Objective(of_all.Z, of_all.target, w, of_all.penalties), left

    @staticmethod
    def amplification(objective: Objective, factor: Factor) -> float:
        """Return what may become of rounding in the gradient, in units of the rows' spread."""
        K = objective.target.shape[1]
        largest = np.tile(objective.w.sum() + objective.penalties, K)
        return factor.inverse_length() * float((largest * factor.scale**2).max())

    def _from_optimum(
        self, objective: Objective, factor: Factor, reach: float
    ) -> FloatArray | None:
        """(q, K) coefficients of the part; None where the way is too far.

        ``reach`` is how far a step can move a logit of the test part, in its largest entry.
        """
        B, before = self.optimum, np.inf
        for step_number in range(_MOST_STEPS):
            shares = shares_of(objective.Z @ B)
            step = factor.solve(objective.gradient(B, shares))
            B = B - step
            length = reach * float(np.abs(step).max())
            if length <= _SHORT:
                return B
            is_slow = length > 0.5 * before
            if is_slow or (step_number == 0 and step.size <= _FEW_COLUMNS):
                anew = factor_of(objective.curvature(shares_of(objective.Z @ B)))
                if anew is None:
                    return None
                factor = anew
            before = length
        return None


class OneLeftOut:
    r"""Two classes: the steps of many rows left out at a time, with one factor for all of them.

    .. math:: H_{(i)}^{-1} = H^{-1} + \frac{d_i H^{-1} z_i z_i^T H^{-1}}{1 - d_i z_i^T H^{-1} z_i},
              \quad d_i = w_i p_i (1 - p_i)

    The first step is the approximation of pregibon1981; it is followed by others until nothing
    moves.
    """

    def __init__(self, splits: LogisticSplits) -> None:
        self.splits = splits

    def predict(self, part: Part) -> Predictions | Plain:
        """Go to the optimum of the training part."""
        return self.splits.predict(part)

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Predict each row by the fit on all others; and whether that is good to eight digits."""
        splits, n = self.splits, len(self.splits.y)
        logits, fits = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        counts = np.bincount(splits.y[splits.objective.w > 0], minlength=splits.n_classes)
        if self._factor is not None:
            step = max(1, _AT_ONCE // n)
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                logits[some], fits[some] = self._of(rows[some], self._factor)
        fits &= (counts[splits.y[rows]] > 1) & (np.abs(logits) > _DIGITS)
        return said_of(logits[:, None], splits.present, splits.n_classes), fits

    @cached_property
    def _factor(self) -> Factor | None:
        factor, splits = factor_of(self.splits.curvature), self.splits
        if factor is None or splits.amplification(splits.objective, factor) > LARGEST_AMPLIFICATION:
            return None
        return factor

    def _of(self, rows: IntArray, factor: Factor) -> tuple[FloatArray, np.ndarray]:
        """(m,) logits of rows that are left out, and whether they may be used."""
        of_all, optimum = self.splits.objective, self.splits.optimum
        Z, target, w = of_all.Z, of_all.target[rows, 0], of_all.w[rows]
        z, p = Z[rows], self.splits.shares[rows, 0]
        along = _solved(factor, z)
        lengths = np.vecdot(z, along)
        d = w * p * (1 - p)
        stays = 1 - d * lengths
        fits = stays >= 0.1
        stays[~fits] = 1.0
        reach = np.abs(z).sum(axis=1)
        B = optimum.T + along * (w * (p - target) / stays)[:, None]
        active = np.flatnonzero(fits)
        for _ in range(_MOST_STEPS):
            if not len(active):
                break
            now = B[active]
            wrong = Z @ now.T
            np.negative(wrong, out=wrong)
            np.exp(wrong, out=wrong)
            wrong += 1.0
            np.reciprocal(wrong, out=wrong)
            wrong -= of_all.target
            wrong *= of_all.w[:, None]
            wrong[rows[active], np.arange(len(active))] = 0.0
            gradient = wrong.T @ Z + of_all.penalties * now
            step = _solved(factor, gradient)
            share = np.vecdot(z[active], step) * d[active] / stays[active]
            step += along[active] * share[:, None]
            B[active] = now - step
            active = active[reach[active] * np.abs(step).max(axis=1) > _SHORT]
        fits[active] = False
        return np.vecdot(z, B), fits


def _solved(factor: Factor, gradients: FloatArray) -> FloatArray:
    """(m, q) of (m, q) gradients, each multiplied with the inverse curvature."""
    from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

    found, _ = lapack.dpotrs(factor.lower, (gradients * factor.scale).T, lower=1)
    return np.asarray(found.T * factor.scale)
