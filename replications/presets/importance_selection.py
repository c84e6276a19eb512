"""Figure 6 of the text on importance weighting: selection in the synthetic setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from replications.batches import gaussian_ratios
from replications.importance.final_risks_result import findings
from replications.importance.selection_claims import of_figure_6
from replications.importance.weighted_selection import GRAIN, SelectionStudy, check_design
from thetahat.errors import InvalidParameter
from thetahat.generators.gaussian_shift import GaussianShift, ShiftedSamples
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceSelection:
    """Which penalty the weighted and the controlled risk select, and its risk on the target.

    One repetition draws, for each gamma, 50 source and 1000 target rows; the weights are the ratio
    of two fitted normals; five folds and 200 penalties of the weighted ridge classifier; the
    penalties that the two risks select, and the one that the labelled target selects, are fitted
    on all source rows and judged by the target labels.

    Source: kouw2019, section 5, Figure 6.

    Deviations: gamma is a variance here, as in the text's two dimensions, so the generator's scale
    is sqrt(gamma). Rows are drawn directly, not by rejection. Beta is estimated inside each fold,
    as the authors' script does and the text does not say. That script also gives the features a
    column of ones, which the text does not have: ``constant`` does. The range of gamma is ours.

    Parameters
    ----------
    gammas : tuple of float
        Variances of the source.
    weights : {"gaussian_ratio", "true"}
        Fitted normals, or the true ratio.
    n_source, n_target : int
        Rows of each sample.
    n_folds, n_penalties : int
        Of the cross-validation.
    beta_from : {"fold", "all"}
        Where the controlled risk takes its coefficient from.
    constant : bool
        Whether features get a column of ones, penalised as the others are.
    """

    gammas: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    weights: Literal["gaussian_ratio", "true"] = "gaussian_ratio"
    n_source: int = 50
    n_target: int = 1000
    n_folds: int = 5
    n_penalties: int = 200
    beta_from: Literal["fold", "all"] = "fold"
    constant: bool = False

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_selection",
        title="Importance weighting: selection in two dimensions (Figure 6)",
        summary=(
            "The target risk of the penalties that the weighted and the controlled risk select, "
            "over all data sets and over the tenth with the largest weight variance."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as it is defined.",
        errs="The tenth is chosen by the data sets' own weights, as in the text.",
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_design(self)
        check_sizes(self.n_source, self.n_target, self.n_folds)
        if self.weights not in {"gaussian_ratio", "true"}:
            raise InvalidParameter(
                "weights must be gaussian_ratio or true", loc=("weights",), value=self.weights
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study; no data are looked at."""
        del data
        weigh = {"gaussian_ratio": _fitted, "true": _true}[self.weights]
        return SelectionStudy(
            gammas=self.gammas,
            draw=partial(draw_shifted, n_source=self.n_source, n_target=self.n_target),
            weighings={self.weights: weigh},
            tell=lambda records: findings(
                records, {self.weights: "6"}, self.gammas, claims=of_figure_6
            ),
            n_folds=self.n_folds,
            n_penalties=self.n_penalties,
            beta_from=self.beta_from,
            constant=self.constant,
            seed=seed,
        )


def check_sizes(n_source: int, n_target: int, n_folds: int) -> None:
    """Refuse samples that are too small for the folds or for a covariance."""
    for name, value, least in (("n_source", n_source, 2 * n_folds), ("n_target", n_target, 6)):
        if value < least:
            raise InvalidParameter(
                f"{name} must be {least} or more, got {value}", loc=(name,), value=value
            )


def draw_shifted(
    gamma: float, rng: np.random.Generator, *, n_source: int, n_target: int
) -> ShiftedSamples:
    """Draw the text's two-dimensional setting; its gamma is a variance."""
    setting = GaussianShift(n_features=2, scale=math.sqrt(gamma))
    return setting.draw_many(rng, GRAIN, n_source, n_target)


def _fitted(drawn: ShiftedSamples, gamma: float, rng: np.random.Generator) -> FloatArray:
    del gamma, rng
    return gaussian_ratios(drawn.source, drawn.target)


def _true(drawn: ShiftedSamples, gamma: float, rng: np.random.Generator) -> FloatArray:
    del rng
    return GaussianShift(n_features=2, scale=math.sqrt(gamma)).weights(drawn.source)


METHOD = ImportanceSelection
