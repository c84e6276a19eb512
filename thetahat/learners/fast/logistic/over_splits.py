"""Logistic regression of every training part, started from the optimum of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.learners._training_parts import class_weights, take_rows
from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.discriminants.class_means import gap
from thetahat.learners.fast.logistic.all_rows_optimum import Optimum
from thetahat.learners.fast.logistic.gradient_steps import (
    LogitMetric,
    descend_by_gradients,
    minimise_by_gradients,
)
from thetahat.learners.fast.logistic.model import Standardised, build_predictions
from thetahat.learners.fast.logistic.newton import Factor, Objective, compute_curvature, factorise
from thetahat.learners.fast.logistic.training_parts import WIDTH, TrainingPartObjectives, descended
from thetahat.learners.fast.ordinary_fits import MAX_ERROR, TIED
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

NOT_CONVERGED: Final = OrdinaryFit("the optimum of all rows was not reached")
MISSING_CLASSES: Final = OrdinaryFit("the training part has not all classes")
FAR_OPTIMUM: Final = OrdinaryFit("the training part's optimum is far from that of all rows")
ILL_CONDITIONED: Final = OrdinaryFit("the training part's likelihood is too flat in a direction")

MAX_AMPLIFICATION: Final = 1e5
"""Largest amplification of a rounding error of the gradient in a logit."""


class LogisticSplits(OverSplits):
    """Predicts splits by Newton steps from the optimum of all rows.

    The curvature of the part at the optimum of all rows is that of all rows minus that of the
    left-out rows. The optima of parts with few left-out rows are computed together.

    Parameters
    ----------
    rows, objective : Standardised, Objective
        All rows.
    optimum : Optimum
        The optimum of all rows.
    y, present, n_classes : ndarray of int, ndarray of int, int
        (n,) class codes, those that have weight, and the number of all classes.
    by_gradients : bool
        Whether training parts are solved from gradients alone, without their curvature.
    """

    def __init__(  # noqa: PLR0913 - what is known of all rows
        self,
        rows: Standardised,
        objective: Objective,
        optimum: Optimum,
        y: np.ndarray,
        present: IntArray,
        n_classes: int,
        *,
        by_gradients: bool,
    ) -> None:
        self.rows, self.objective = rows, objective
        self.y, self.present, self.n_classes = y, present, n_classes
        self.optimum, self.shares = optimum.coefficients, optimum.shares
        self.by_gradients, self._known_curvature = by_gradients, optimum.curvature
        self.totals = class_weights(y, objective.w, n_classes)
        self.counts = np.bincount(y[objective.w > 0], minlength=n_classes)

    @cached_property
    def curvature(self) -> FloatArray:
        """(K q, K q) second derivative of the objective at the optimum of all rows."""
        known = self._known_curvature
        return self.objective.curvature(self.shares) if known is None else known

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits from the optima of their training parts."""
        part_coefficients = self.optima(parts)
        K, pairs = self.optimum.shape[1], list(zip(parts, part_coefficients, strict=True))
        logits = {
            at: self.objective.Z[part.test] @ B.reshape(K, -1).T
            for at, (part, B) in enumerate(pairs)
            if not isinstance(B, OrdinaryFit)
        }
        predictions: list[Predictions | OrdinaryFit] = [
            B if isinstance(B, OrdinaryFit) else TIED for B in part_coefficients
        ]
        if not logits:
            return predictions
        all_logits = np.concatenate(list(logits.values()))
        both = np.column_stack([np.zeros(len(all_logits)), all_logits]) if K == 1 else all_logits
        is_tied = gap(both) <= MAX_ERROR
        together = build_predictions(all_logits, self.present, self.n_classes)
        end = 0
        for at, of_part in logits.items():
            some = slice(end, end + len(of_part))
            end = some.stop
            if not is_tied[some].any():
                predictions[at] = take_rows(together, some)
        return predictions

    def optima(self, parts: Sequence[Part]) -> list[FloatArray | OrdinaryFit]:
        """Return the (K q,) coefficients of each part, or the reason why they were not computed."""
        part_coefficients: list[FloatArray | OrdinaryFit] = [FAR_OPTIMUM] * len(parts)
        together: list[tuple[int, IntArray, Factor | None]] = []
        for at, part in enumerate(parts):
            ready = self._prepare_part(part)
            if isinstance(ready, OrdinaryFit):
                part_coefficients[at] = ready
            elif part.left_out is not None and self._is_few(part.left_out):
                together.append((at, part.left_out, ready[1]))
            else:
                part_coefficients[at] = self._solve_alone(part, *ready)
        step = max(1, WIDTH // self.optimum.shape[1])
        for first in range(0, len(together), step):
            places, outs, factors = zip(*together[first : first + step], strict=True)
            some = TrainingPartObjectives(self.objective, outs)
            B, arrived = self._solve_together(some, factors, [parts[at] for at in places])
            for at, of_part, is_there in zip(places, B, arrived, strict=True):
                part_coefficients[at] = of_part if is_there else FAR_OPTIMUM
        return part_coefficients

    def _solve_together(
        self,
        some: TrainingPartObjectives,
        factors: Sequence[Factor | None],
        parts: Sequence[Part],
    ) -> tuple[FloatArray, np.ndarray]:
        """Return the (m, K q) coefficients of parts, and whether each reached its optimum."""
        known = [factor for factor in factors if factor is not None]
        starts = np.tile(self.optimum.T.reshape(-1), (len(parts), 1))
        if len(known) < len(factors):
            return descend_by_gradients(some.gradient, starts, self._metric)
        reach = np.array([self._bound_logit_change(part) for part in parts])
        return descended(some.gradient, known, starts, reach, some.refactorise)

    @cached_property
    def _metric(self) -> LogitMetric:
        return LogitMetric(self.objective, self.shares, self.objective.Z)

    def _solve_alone(
        self, part: Part, objective: Objective, factor: Factor | None
    ) -> FloatArray | OrdinaryFit:
        """Return the (K q,) coefficients of one training part."""
        if factor is None:
            best = minimise_by_gradients(objective, self.optimum, self.objective.Z[part.test])
            return FAR_OPTIMUM if best is None else best.T.reshape(-1)
        start = self.optimum.T.reshape(1, -1)
        reach = np.array([self._bound_logit_change(part)])
        B, arrived = descended(
            objective.flat_gradient, [factor], start, reach, lambda _, B: objective.flat_factor(B)
        )
        return B[0] if arrived[0] else FAR_OPTIMUM

    def _is_few(self, left_out: IntArray) -> bool:
        return len(left_out) > 0 and 4 * len(left_out) <= len(self.y)

    def _bound_logit_change(self, part: Part) -> float:
        """Return the largest change of a logit of the test part that a step can cause."""
        return float(np.abs(self.objective.Z[part.test]).sum(axis=1).max())

    def _prepare_part(self, part: Part) -> tuple[Objective, Factor | None] | OrdinaryFit:
        """Return the objective of a training part and the factor of a curvature near its optimum.

        Where gradients are enough the factor is None. For a part with few left-out rows only the
        weight of the objective is used.
        """
        of_all, out = self.objective, part.left_out
        if out is not None and self._is_few(out):
            w = of_all.w[out]
            totals = self.totals - class_weights(self.y[out], w, self.n_classes)
            counts = np.bincount(self.y[out][w > 0], minlength=self.n_classes)
            totals[counts == self.counts] = 0.0
            objective = of_all
        else:
            train = part.train
            objective = Objective(
                of_all.Z[train], of_all.target[train], of_all.w[train], of_all.penalties
            )
            totals = class_weights(self.y[train], objective.w, self.n_classes)
        if not (totals[self.present] > 0).all():
            return MISSING_CLASSES
        if self.by_gradients:
            return objective, None
        if objective is of_all and out is not None:
            curvature = self.curvature - compute_curvature(of_all.Z[out], self.shares[out], w)
        else:
            curvature = objective.curvature(self.shares[part.train])
        factor = factorise(curvature)
        if factor is None or not self.amplification(totals.sum(), factor) <= MAX_AMPLIFICATION:
            return ILL_CONDITIONED
        return objective, factor

    def amplification(self, weight: float, factor: Factor) -> float:
        """Return the factor by which rounding errors of the gradient can grow."""
        largest = np.tile(weight + self.objective.penalties, self.optimum.shape[1])
        return factor.inverse_length() * float((largest * factor.scale**2).max())
