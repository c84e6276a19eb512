"""The study of penalties selected by weighted cross-validation, for several populations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import make_repetition_generator, run_in_blocks
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted
from thetahat_replications.batches import LinearRisk, Problems, select
from thetahat_replications.parameter_checks import is_ascending, require_at_least

GRAIN: Final = 50
"""Data sets that are drawn together."""
LOWEST, HIGHEST = 1e-3, 1e6
"""The smallest and the largest penalty."""

Draw = Callable[[float, np.random.Generator], ShiftedSamples]
"""Takes a gamma and returns ``GRAIN`` data sets."""
DrawFolds = Callable[[int, np.random.Generator], IntArray]
"""Takes the number of source rows and returns the (GRAIN, n) folds of ``GRAIN`` data sets."""
EstimateWeights = Callable[[ShiftedSamples, float, np.random.Generator], FloatArray]
"""Returns (R, n) weights of the source rows; NaN for a data set for which they are undefined."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionStudy:
    """Data sets on which each risk selects a penalty, whose risk on the target is computed.

    Parameters
    ----------
    gammas : sequence of float
        The parameters of the populations.
    draw : callable
        Draws data sets of one population.
    weight_estimators : mapping of str to callable
        By name.
    compute_findings : callable
        Returns tables, figures and claims from the records.
    risks : mapping of str to RiskEstimator or LinearRisk
        The risks that select penalties: ``weighted`` and ``controlled``.
    penalties : ndarray of float
        (L,) ascending.
    draw_folds : callable
        Draws the folds of the source rows.
    constant : bool
        Whether the features get a column of ones, penalised like the others.
    seed : int
        The job's seed.
    """

    gammas: Sequence[float]
    draw: Draw
    weight_estimators: Mapping[str, EstimateWeights]
    compute_findings: Callable[[Records], StudyFindings]
    risks: Mapping[str, RiskEstimator | LinearRisk]
    penalties: FloatArray
    draw_folds: DrawFolds
    constant: bool
    seed: int

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


def draw_equal_folds(n: int, rng: np.random.Generator, *, n_folds: int) -> IntArray:
    """Return (GRAIN, n) folds of equal sizes, or of sizes that differ by one row."""
    fold = np.tile(np.arange(n) % n_folds, (GRAIN, 1))
    return np.asarray(rng.permuted(fold, axis=1))


def list_paper_penalties(n_penalties: int) -> FloatArray:
    """Return penalties from 1e-3 to 1e6 in equal ratios."""
    return np.geomspace(LOWEST, HIGHEST, n_penalties)


def build_paper_risks(beta_from: Literal["all", "fold"]) -> dict[str, RiskEstimator | LinearRisk]:
    """Return the weighted risk, and the controlled one with beta estimated as named."""
    return {"weighted": Weighted(), "controlled": Controlled(beta_from=beta_from)}


def check_design(preset: object) -> None:
    """Raise ``InvalidParameter`` if a parameter that the presets share is not usable."""
    gammas = getattr(preset, "gammas")  # noqa: B009 - presets share these fields, but no base class
    are_valid = is_ascending(gammas) and gammas[0] > 0
    require(are_valid, "gammas", gammas, "must ascend and be above 0")
    require_at_least(preset, n_folds=2, n_penalties=2)
    beta_from = getattr(preset, "beta_from")  # noqa: B009 - likewise
    require(beta_from in {"all", "fold"}, "beta_from", beta_from, "must be all or fold")
