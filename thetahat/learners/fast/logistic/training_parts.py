"""Finding the optima of many training parts at once from nearby starting points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from thetahat.learners.fast.logistic.newton import Factor, Objective
from thetahat.learners.fast.logistic.step_memory import StepMemory
from thetahat.values.types import FloatArray, IntArray

WIDTH: Final = 16
"""Columns of coefficients that are multiplied with the rows at a time, empty ones among them.

The same number always: then what a column becomes does not depend on how many others there are.
"""
MAX_LAST_STEP: Final = 1e-10
"""Largest change of a logit by the last step; the remaining error is a fraction of it."""
_MAX_STEPS: Final = 25
_ROWS_PER_BATCH: Final = 1024
"""Rows of a block, which is still in the cache when it is multiplied the second time."""

RenewRows = Callable[[int, FloatArray], Factor | None]
"""Takes a part and (K q,) coefficients and returns the factor of the curvature there."""


class TrainingPartObjectives:
    """The objectives of m training parts: that of all rows minus the left-out rows.

    Parameters
    ----------
    objective : Objective
        That of all rows.
    left_out : sequence of ndarray of int
        (m,) the rows that are not in each part; m times K is at most ``WIDTH`` rounded up to K.
    """

    def __init__(self, objective: Objective, left_out: Sequence[IntArray]) -> None:
        self.objective, self.left_out = objective, left_out
        self.n_classes = objective.target.shape[1]
        self.is_weighted = bool((objective.w != 1).any())
        rows = np.concatenate(left_out)
        parts = np.repeat(np.arange(len(left_out)), [len(out) for out in left_out])
        order = np.argsort(rows, kind="stable")
        rows, parts = rows[order], parts[order]
        starts = np.arange(0, len(objective.w), _ROWS_PER_BATCH)
        ends = np.searchsorted(rows, [*starts, len(objective.w)])
        self.blocks = [
            (slice(start, start + _ROWS_PER_BATCH), parts[a:b], rows[a:b] - start)
            for start, a, b in zip(starts.tolist(), ends[:-1], ends[1:], strict=True)
        ]

    def gradient(self, B: FloatArray) -> FloatArray:
        """Return the (m, K q) derivatives of the parts, in one pass over the rows."""
        of_all, K = self.objective, self.n_classes
        q = of_all.Z.shape[1]
        live = len(B) * K
        columns = np.zeros((max(WIDTH, live), q))
        columns[:live] = B.reshape(live, q)
        gradients = np.zeros_like(columns)
        for block, parts, rows in self.blocks:
            Z = of_all.Z[block]
            every = columns @ Z.T
            wrong = every[:live].reshape(len(B), K, len(Z))
            convert_to_probabilities(wrong)
            wrong -= of_all.target[block].T
            if self.is_weighted:
                wrong *= of_all.w[block]
            wrong[parts, :, rows] = 0.0
            gradients += every @ Z
        gradients[:live] += of_all.penalties * columns[:live]
        return np.asarray(gradients[:live].reshape(len(B), -1))

    def refactorise(self, part: int, B: FloatArray) -> Factor | None:
        """Return the factor of the curvature of one part at (K q,) coefficients."""
        of_all = self.objective
        w = of_all.w.copy()
        w[self.left_out[part]] = 0.0
        return Objective(of_all.Z, of_all.target, w, of_all.penalties).flat_factor(B)


def convert_to_probabilities(logits: FloatArray) -> None:
    """Replace (m, K, n) logits by class probabilities, in place."""
    if logits.shape[1] == 1:
        np.negative(logits, out=logits)
        np.exp(logits, out=logits)
        logits += 1.0
        np.reciprocal(logits, out=logits)
        return
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)


def descended(
    gradient: Callable[[FloatArray], FloatArray],
    factors: Sequence[Factor],
    start: FloatArray,
    reach: FloatArray,
    renew: RenewRows,
) -> tuple[FloatArray, np.ndarray]:
    """Return (m, K q) coefficients of m parts, and (m,) whether each reached its optimum.

    Quasi-Newton steps from a nearby curvature and the previous steps. The result of a part does not
    depend on the others: a part that has converged is not changed.

    Parameters
    ----------
    factors : sequence of Factor
        (m,) of a curvature near each optimum.
    start : ndarray of float
        (m, K q) starting points.
    reach : ndarray of float
        (m,) largest change of a requested logit by a unit step.
    """
    B, memory, known = start.copy(), StepMemory(), list(factors)

    def solve(gradients: FloatArray) -> FloatArray:
        pairs = zip(known, gradients, strict=True)
        return np.stack([factor.solve_flat(one) for factor, one in pairs])

    goes_on, arrived = np.ones(len(B), dtype=np.bool_), np.zeros(len(B), dtype=np.bool_)
    before, old = np.full(len(B), np.inf), None
    moved = np.zeros_like(B)
    for _ in range(_MAX_STEPS):
        new = gradient(B)
        if old is not None:
            memory.add(moved, new - old)
        moved, old = -memory.compute_steps(new, solve), new
        moved[~goes_on] = 0.0
        B += moved
        lengths = reach * np.abs(moved).max(axis=1)
        short = goes_on & (lengths <= MAX_LAST_STEP)
        arrived |= short
        goes_on &= ~short
        for part in np.flatnonzero(goes_on & (lengths > 0.5 * before)):
            factor = renew(int(part), B[part])
            if factor is None:
                goes_on[part] = False
            else:
                known[part] = factor
                memory.forget(int(part))
        if not goes_on.any():
            break
        before = lengths
    return B, arrived
