"""The preset of penalties selected by weighted cross-validation, and what its figures differ in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal

import numpy as np

from thetahat.cautions import Caution
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted
from thetahat_replications.batches import LinearRisk, estimate_gaussian_ratios
from thetahat_replications.importance.final_risk_claims import PanelClaims
from thetahat_replications.importance.final_risk_tables import compute_findings
from thetahat_replications.importance.penalty_selection import (
    GRAIN,
    Draw,
    EstimateWeights,
    SelectionStudy,
)
from thetahat_replications.parameter_checks import is_ascending, require_at_least

LOWEST, HIGHEST = 1e-3, 1e6
"""The smallest and the largest penalty of the paper."""


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

    @abstractmethod
    def build_risks(self) -> Mapping[str, RiskEstimator | LinearRisk]:
        """Return the risks that select penalties: ``weighted`` and ``controlled``."""

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
        draw, cautions = self.prepare_draws(data, seed)
        weight_estimators = self.get_weight_estimators()
        return SelectionStudy(
            gammas=self.gammas,
            draw=draw,
            weight_estimators=weight_estimators,
            compute_findings=partial(
                compute_findings,
                panels=tuple(weight_estimators),
                gammas=self.gammas,
                figure=self.figure,
                claims=self.claims,
                axis=self.axis,
                cautions=cautions,
            ),
            risks=self.build_risks(),
            penalties=self.list_penalties(),
            draw_folds=self.draw_folds,
            constant=self.has_constant,
            seed=seed,
        )


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

    def build_risks(self) -> Mapping[str, RiskEstimator | LinearRisk]:
        """Return the weighted risk, and the controlled one with beta estimated as named."""
        return {"weighted": Weighted(), "controlled": Controlled(beta_from=self.beta_from)}

    @property
    def has_constant(self) -> bool:
        """Whether the features get a column of ones."""
        return self.constant
