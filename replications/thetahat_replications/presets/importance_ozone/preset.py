"""Parameters and repetitions of the preset ``importance_ozone``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.batches import estimate_gaussian_ratios
from thetahat_replications.importance.final_risk_tables import compute_findings
from thetahat_replications.importance.penalty_selection import (
    SelectionStudy,
    build_paper_risks,
    check_design,
    draw_equal_folds,
    list_paper_penalties,
)
from thetahat_replications.parameter_checks import require_at_least
from thetahat_replications.presets.importance_ozone.claims import judge_figure_7
from thetahat_replications.presets.importance_ozone.ozone_days import ROLES, load_days


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceOzone:
    """The target risk of the selected penalties, with a source sample from the first days.

    One repetition draws, for each gamma, rows of each class near the first day, with a standard
    deviation of gamma times the number of rows; they are also part of the target, which is all
    rows. The weights are the ratio of two fitted normals.

    The setting is that of section 5 and Figure 7 of the paper.

    Deviations: the paper draws "80 samples without replacement from both classes" and continues
    with "these 80 samples": 80 of each class are drawn, or with ``together`` 80 of both together.
    The gammas, the column of ones and beta within each fold are those of the authors' script; the
    penalties are the paper's. A data set with as many features as components is taken as
    components.

    Parameters
    ----------
    gammas : tuple of float
        Standard deviations of the source sample in time, as shares of the number of rows.
    per_class : int
        Rows of each class in the source sample.
    together : bool
        Whether to draw so many rows of both classes together instead.
    n_components : int
        Principal components of the standardised features.
    n_folds, n_penalties : int
        Of the cross-validation.
    beta_from : {"fold", "all"}
        Where the controlled risk takes its coefficient from.
    constant : bool
        Whether the features get a column of ones, penalised like the others.
    """

    gammas: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    per_class: int = 80
    together: bool = False
    n_components: int = 10
    n_folds: int = 5
    n_penalties: int = 200
    beta_from: Literal["fold", "all"] = "fold"
    constant: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_ozone",
        title="Importance weighting: selection on ozone data (Figure 7)",
        summary=(
            "The target risk of the penalties selected by the weighted and by the controlled risk, "
            "with a source sample from the first days."
        ),
        references=("kouw2019",),
        assumptions="The data set is the population: its rows are in order of time.",
        errs=(
            "The classes are equally large in the source sample but not in the target, so the "
            "labels depend on the features in different ways, which weights cannot correct."
        ),
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        check_design(self)
        require_at_least(self, per_class=2 * self.n_folds, n_components=1)

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study of the data set, or of generated rows."""
        days = load_days(data, seed, self.n_components, self.per_class, together=self.together)
        return SelectionStudy(
            gammas=self.gammas,
            draw=partial(days.draw, count=self.per_class, together=self.together),
            weight_estimators={"gaussian_ratio": _fit_gaussian_ratio},
            compute_findings=lambda records: compute_findings(
                records,
                {"gaussian_ratio": "7"},
                self.gammas,
                judge_panel=judge_figure_7,
                axis="gamma, spread of the source in time",
                cautions=days.cautions(),
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
