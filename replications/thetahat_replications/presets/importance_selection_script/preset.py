"""Parameters and repetitions of the preset ``importance_selection_script``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat.weighted_risks.weighted import Weighted
from thetahat_replications.batches import estimate_gaussian_ratios
from thetahat_replications.importance.final_risk_tables import compute_findings
from thetahat_replications.importance.gaussian_setting import check_sample_sizes
from thetahat_replications.importance.penalty_selection import SelectionStudy
from thetahat_replications.importance.script_setting import (
    TransposedControl,
    draw_independent_folds,
    draw_script_samples,
)
from thetahat_replications.parameter_checks import is_ascending, require_at_least
from thetahat_replications.presets.importance_selection_script.claims import judge_script_figure_6

LOWEST, HIGHEST = 1.0, 1e3
"""The smallest and the largest penalty of the script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceSelectionScript:
    r"""Figure 6 as the authors' published script computes it, which the paper does not describe.

    Like ``importance_selection``, with what the script has instead of the paper's text:

    - source and target samples have as many rows of each class;
    - the posterior of class 1 is :math:`\Phi(-2 x_1) \Phi(-2 x_2)`, and rejection sampling cuts the
      densities of the classes off at 1.2 of the two peaks that they reach;
    - the features get a column of ones;
    - the penalties are 201 from 1 to 1000;
    - the fold of each row is drawn independently, so that folds have different sizes;
    - a factor of beta is transposed: each row has a beta of its own, proportional to its weight;
    - the p-values of all gammas are of the repetitions whose weights vary most with the last gamma.
      The data sets of different gammas are independent, so for every other gamma this is a tenth
      at random.

    The script is that of section 5 and Figure 6 of the paper.

    Deviations: the oracle averages over the fits of all folds; the script keeps those of the last.
    Where the weights of a fold do not vary, beta is 0; the script divides by zero.

    Parameters
    ----------
    gammas : tuple of float
        Variances of the source population.
    n_source, n_target : int
        Rows of each sample.
    n_folds, n_penalties : int
        Of the cross-validation.
    """

    gammas: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    n_source: int = 50
    n_target: int = 1000
    n_folds: int = 5
    n_penalties: int = 201

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_selection_script",
        title="Importance weighting: selection as the authors' script has it (Figure 6)",
        summary=(
            "The target risk of the penalties selected by the weighted risk and by the controlled "
            "risk of the authors' script, in the setting of that script."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as the script defines it.",
        errs=(
            "The script's controlled risk is not the paper's: it does not estimate the target risk "
            "without bias, because its beta is proportional to each row's weight."
        ),
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        are_valid = is_ascending(self.gammas) and self.gammas[0] > 0
        require(are_valid, "gammas", self.gammas, "must ascend and be above 0")
        require_at_least(self, n_folds=2, n_penalties=2)
        check_sample_sizes(self.n_source, self.n_target, self.n_folds)

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study; it uses no data sets."""
        del data
        return SelectionStudy(
            gammas=self.gammas,
            draw=partial(draw_script_samples, n_source=self.n_source, n_target=self.n_target),
            weight_estimators={"gaussian_ratio": _fit_gaussian_ratio},
            compute_findings=lambda records: compute_findings(
                records,
                {"gaussian_ratio": "6"},
                self.gammas,
                judge_panel=judge_script_figure_6,
            ),
            risks={"weighted": Weighted(), "controlled": TransposedControl()},
            penalties=np.geomspace(LOWEST, HIGHEST, self.n_penalties),
            draw_folds=partial(draw_independent_folds, n_folds=self.n_folds),
            constant=True,
            seed=seed,
        )


def _fit_gaussian_ratio(
    drawn: ShiftedSamples, gamma: float, rng: np.random.Generator
) -> FloatArray:
    del gamma, rng
    return estimate_gaussian_ratios(drawn.source, drawn.target)
