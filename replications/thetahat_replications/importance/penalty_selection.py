"""The study of penalties selected by weighted cross-validation, for several populations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import make_repetition_generator, run_in_blocks
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import RiskEstimator
from thetahat_replications.batches import LinearRisk, Problems, select

GRAIN: Final = 50
"""Data sets that are drawn together."""

Draw = Callable[[float, np.random.Generator], ShiftedSamples]
"""Takes a gamma and returns ``GRAIN`` data sets."""
DrawFolds = Callable[[int, np.random.Generator], IntArray]
"""Takes the number of source rows and returns the (GRAIN, n) folds of ``GRAIN`` data sets."""
EstimateWeights = Callable[[ShiftedSamples, float, np.random.Generator], FloatArray]
"""Returns (R, n) weights of the source rows; NaN for a data set for which they are undefined."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionStudy:
    """Data sets on which each risk selects a penalty, whose risk on the target is computed."""

    gammas: Sequence[float]
    """The parameters of the populations."""
    draw: Draw
    """Draws data sets of one population."""
    weight_estimators: Mapping[str, EstimateWeights]
    """By name."""
    compute_findings: Callable[[Records], StudyFindings]
    """Returns tables, figures and claims from the records."""
    risks: Mapping[str, RiskEstimator | LinearRisk]
    """The risks that select penalties: ``weighted`` and ``controlled``."""
    penalties: FloatArray
    """(L,) ascending."""
    draw_folds: DrawFolds
    """Draws the folds of the source rows."""
    constant: bool
    """Whether the features get a column of ones, penalised like the others."""
    seed: int
    """The job's seed."""

    @property
    def grain(self) -> int:
        """Data sets that are drawn together."""
        return GRAIN

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw data sets, select penalties, and compute their risks on the target."""
        return run_in_blocks(self._draw_block, GRAIN, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims."""
        return self.compute_findings(records)

    def _draw_block(self, first: int) -> dict[str, FloatArray]:
        rng = make_repetition_generator(self.seed, first)
        record: dict[str, list[FloatArray]] = {}
        for gamma in self.gammas:
            drawn = self.draw(gamma, rng)
            fold = self.draw_folds(drawn.labels.shape[1], rng)
            for name, estimate_weights in self.weight_estimators.items():
                weights = estimate_weights(drawn, gamma, rng)
                for key, values in self._select(drawn, fold, weights).items():
                    record.setdefault(f"{name}_{key}", []).append(values)
        return {name: np.stack(values, axis=1) for name, values in record.items()}

    def _select(
        self, drawn: ShiftedSamples, fold: np.ndarray, weights: FloatArray
    ) -> dict[str, FloatArray]:
        """Return the (R,) final target risks by risk estimator, and the variance of the weights."""
        known = np.asarray(np.isfinite(weights).all(axis=1))
        problems = Problems(
            X=self._build_columns(drawn.source),
            y=drawn.labels,
            weights=np.where(known[:, None], weights, 1.0),
            fold=fold,
            target=self._build_columns(drawn.target),
            target_y=drawn.target_labels,
        )
        selected = select(problems, self.penalties, self.risks)
        with np.errstate(over="ignore"):
            spread = weights.var(axis=1, ddof=1)
        values = {
            **selected.target_risks,
            "weight_variance": spread,
            "from_rows": selected.from_rows,
        }
        return {name: np.where(known, value, np.nan) for name, value in values.items()}

    def _build_columns(self, rows: FloatArray) -> FloatArray:
        if not self.constant:
            return rows
        return np.concatenate([rows, np.ones((*rows.shape[:2], 1))], axis=2)
