"""Presets of penalties selected by weighted cross-validation, and what their figures differ in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import make_repetition_generator, run_in_blocks
from thetahat.cautions import Caution
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.batches import Problems, estimate_gaussian_ratios, select
from thetahat_replications.batches.coefficients import (
    LossCoefficients,
    control_by_fold,
    control_over_all,
    weight_losses,
)
from thetahat_replications.importance.final_risk_claims import PanelClaims
from thetahat_replications.importance.final_risk_tables import compute_findings
from thetahat_replications.parameter_checks import is_ascending, require_at_least

GRAIN: Final = 50
"""Data sets that are drawn together."""
LOWEST, HIGHEST = 1e-3, 1e6
"""The smallest and the largest penalty of the paper."""

Draw = Callable[[float, np.random.Generator], ShiftedSamples]
"""Takes a gamma and returns ``GRAIN`` data sets."""
EstimateWeights = Callable[[ShiftedSamples, float, np.random.Generator], FloatArray]
"""Returns (R, n) weights of the source rows; NaN for a data set for which they are undefined."""


def fit_gaussian_ratio(drawn: ShiftedSamples, gamma: float, rng: np.random.Generator) -> FloatArray:
    """Return the ratio of two fitted normals at the source rows."""
    del gamma, rng
    return estimate_gaussian_ratios(drawn.source, drawn.target)


GAUSSIAN_RATIO: Final[Mapping[str, EstimateWeights]] = {"gaussian_ratio": fit_gaussian_ratio}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionPreset(ABC):
    """The final target risks of penalties that two risks select, over data sets and gammas.

    Parameters
    ----------
    gammas : tuple of float
        Variances of the source population.
    n_folds, n_penalties : int
        Of the cross-validation.
    """

    gammas: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    n_folds: int = 5
    n_penalties: int = 200

    info: ClassVar[MethodInfo]
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}
    figure: ClassVar[str]
    """The number of the paper's figure."""
    axis: ClassVar[str] = "gamma, variance of the source"
    claims: ClassVar[PanelClaims]

    def __post_init__(self) -> None:
        are_valid = is_ascending(self.gammas) and self.gammas[0] > 0
        require(are_valid, "gammas", self.gammas, "must ascend and be above 0")
        require_at_least(self, n_folds=2, n_penalties=2)
        self.check_parameters()

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise ``InvalidParameter`` for a parameter that is not shared."""

    @abstractmethod
    def prepare_draws(
        self, data: Mapping[str, Data], seed: int
    ) -> tuple[Draw, tuple[Caution, ...]]:
        """Return what draws the samples of one gamma, and cautions about them."""

    @property
    @abstractmethod
    def risks(self) -> Mapping[str, LossCoefficients]:
        """The risks that select penalties: ``weighted`` and ``controlled``."""

    @property
    @abstractmethod
    def has_constant(self) -> bool:
        """Whether the features get a column of ones, penalised like the others."""

    def get_weight_estimators(self) -> Mapping[str, EstimateWeights]:
        """Return the estimators of the weights by name, one panel of the figure each."""
        return GAUSSIAN_RATIO

    def list_penalties(self) -> FloatArray:
        """Return penalties from 1e-3 to 1e6 in equal ratios."""
        return np.geomspace(LOWEST, HIGHEST, self.n_penalties)

    def draw_folds(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return (GRAIN, n) folds of equal sizes, or of sizes that differ by one row."""
        fold = np.tile(np.arange(n) % self.n_folds, (GRAIN, 1))
        return np.asarray(rng.permuted(fold, axis=1))

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study of the data sets that the preset uses, or of generated ones."""
        return SelectionStudy(self, *self.prepare_draws(data, seed), seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSelectionPreset(SelectionPreset):
    """A selection as the paper describes it, with the authors' choices where it says nothing."""

    beta_from: Literal["fold", "all"] = "fold"
    """Where the controlled risk takes its coefficient from."""
    constant: bool = False
    """Whether the features get a column of ones, penalised like the others."""

    def check_parameters(self) -> None:
        """Raise ``InvalidParameter`` for an unknown ``beta_from``."""
        is_known = self.beta_from in {"all", "fold"}
        require(is_known, "beta_from", self.beta_from, "must be all or fold")

    @property
    def risks(self) -> Mapping[str, LossCoefficients]:
        """The weighted risk, and the controlled one with beta estimated as named."""
        controlled = control_by_fold if self.beta_from == "fold" else control_over_all
        return {"weighted": weight_losses, "controlled": controlled}

    @property
    def has_constant(self) -> bool:
        """Whether the features get a column of ones."""
        return self.constant


@dataclass(frozen=True, slots=True, eq=False)
class SelectionStudy:
    """Data sets on which each risk selects a penalty, whose risk on the target is computed."""

    preset: SelectionPreset
    draw: Draw
    """Draws data sets of one population."""
    cautions: tuple[Caution, ...]
    """About the populations."""
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
        return compute_findings(records, self.preset, self.cautions)

    def _draw_block(self, first: int) -> dict[str, FloatArray]:
        rng = make_repetition_generator(self.seed, first)
        record: dict[str, list[FloatArray]] = {}
        for gamma in self.preset.gammas:
            drawn = self.draw(gamma, rng)
            fold = self.preset.draw_folds(drawn.labels.shape[1], rng)
            for name, estimate_weights in self.preset.get_weight_estimators().items():
                weights = estimate_weights(drawn, gamma, rng)
                for key, values in self._select(drawn, fold, weights).items():
                    record.setdefault(f"{name}_{key}", []).append(values)
        return {name: np.stack(values, axis=1) for name, values in record.items()}

    def _select(
        self, drawn: ShiftedSamples, fold: IntArray, weights: FloatArray
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
        selected = select(problems, self.preset.list_penalties(), self.preset.risks)
        with np.errstate(over="ignore"):
            spread = weights.var(axis=1, ddof=1)
        values = {
            **selected.target_risks,
            "weight_variance": spread,
            "from_rows": selected.from_rows,
        }
        return {name: np.where(known, value, np.nan) for name, value in values.items()}

    def _build_columns(self, rows: FloatArray) -> FloatArray:
        if not self.preset.has_constant:
            return rows
        return np.concatenate([rows, np.ones((*rows.shape[:2], 1))], axis=2)
