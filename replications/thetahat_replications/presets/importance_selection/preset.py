"""Parameters and repetitions of the preset ``importance_selection``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.batches import estimate_gaussian_ratios
from thetahat_replications.importance.final_risk_tables import compute_findings
from thetahat_replications.importance.gaussian_setting import (
    check_sample_sizes,
    compute_true_weights,
    draw_samples,
)
from thetahat_replications.importance.penalty_selection import (
    SelectionStudy,
    build_paper_risks,
    check_design,
    draw_equal_folds,
    list_paper_penalties,
)
from thetahat_replications.presets.importance_selection.claims import judge_figure_6


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceSelection:
    """The target risk of the penalties selected by the weighted and by the controlled risk.

    One repetition draws, for each gamma, 50 source and 1000 target rows. The weights are the ratio
    of two fitted normals. Cross-validation of the weighted ridge classifier has five folds and 200
    penalties. The penalties selected by the two risks, and the one selected with the target labels,
    are fitted on all source rows and judged by the target labels.

    The setting is that of section 5 and Figure 6 of the paper.

    Deviations: gamma is a variance, as in the paper's two-dimensional setting, so the generator's
    scale is sqrt(gamma). Rows are drawn directly, not by rejection. Beta is estimated within each
    fold, as in the authors' script; the paper does not say. That script also adds a column of ones
    to the features, which the paper does not mention: ``constant`` adds it. The range of gamma is
    ours.

    Parameters
    ----------
    gammas : tuple of float
        Variances of the source population.
    weights : {"gaussian_ratio", "true"}
        The ratio of fitted normals, or the true density ratio.
    n_source, n_target : int
        Rows of each sample.
    n_folds, n_penalties : int
        Of the cross-validation.
    beta_from : {"fold", "all"}
        Where the controlled risk takes its coefficient from.
    constant : bool
        Whether the features get a column of ones, penalised like the others.
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
            "The target risk of the penalties selected by the weighted and by the controlled risk, "
            "over all data sets and over the tenth with the largest weight variance."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as it is defined.",
        errs="The tenth is chosen by the data sets' own weights, as in the paper.",
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_design(self)
        check_sample_sizes(self.n_source, self.n_target, self.n_folds)
        is_known = self.weights in {"gaussian_ratio", "true"}
        require(is_known, "weights", self.weights, "must be gaussian_ratio or true")

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study; it uses no data sets."""
        del data
        estimators = {"gaussian_ratio": _fit_gaussian_ratio, "true": compute_true_weights}
        return SelectionStudy(
            gammas=self.gammas,
            draw=partial(draw_samples, n_source=self.n_source, n_target=self.n_target),
            weight_estimators={self.weights: estimators[self.weights]},
            compute_findings=lambda records: compute_findings(
                records, {self.weights: "6"}, self.gammas, judge_panel=judge_figure_6
            ),
            risks=build_paper_risks(self.beta_from),
            penalties=list_paper_penalties(self.n_penalties),
            draw_folds=partial(draw_equal_folds, n_folds=self.n_folds),
            constant=self.constant,
            seed=seed,
        )


def _fit_gaussian_ratio(
    drawn: ShiftedSamples, gamma: float, rng: np.random.Generator
) -> FloatArray:
    del gamma, rng
    return estimate_gaussian_ratios(drawn.source, drawn.target)
