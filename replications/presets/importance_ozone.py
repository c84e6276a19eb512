"""Figure 7 of the text on importance weighting: selection on the ozone data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from replications.batches import gaussian_ratios
from replications.importance.final_risks_result import findings
from replications.importance.ozone import ROLES, days_of
from replications.importance.selection_claims import of_figure_7
from replications.importance.weighted_selection import SelectionStudy, check_design
from thetahat.errors import InvalidParameter
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceOzone:
    """Which penalty the two risks select where the source is local in time.

    One repetition draws, for each gamma, rows of each class, near the start date with a standard
    deviation of gamma times all rows; they stay in the target, which is all rows. Weights are the
    ratio of two fitted normals.

    Source: kouw2019, section 5, Figure 7.

    Deviations: the text draws "80 samples without replacement from both classes" and goes on with
    "these 80 samples": 80 of each are taken, and with ``together`` 80 of both together. Gammas,
    the column of ones and beta inside each fold are those of the authors' script; the penalties
    are the text's. Rows of a data set with as many features as components are taken as components.

    Parameters
    ----------
    gammas : tuple of float
        Standard deviations of the source in time, as shares of all rows.
    per_class : int
        Rows of each class in the source.
    together : bool
        Draw so many rows of both classes together, as they come.
    n_components : int
        Principal components of the standardised features.
    n_folds, n_penalties : int
        Of the cross-validation.
    beta_from : {"fold", "all"}
        Where the controlled risk takes its coefficient from.
    constant : bool
        Whether features get a column of ones, penalised as the others are.
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
            "The target risk of the penalties that the weighted and the controlled risk select, "
            "where the source is local in time."
        ),
        references=("kouw2019",),
        assumptions="The data set is the population: its rows are in order of time.",
        errs=(
            "With as many of each class in the source and not in the target, labels do not arise "
            "in the same way in both: weights by features alone cannot make up for that."
        ),
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        check_design(self)
        for name, least in (("per_class", 2 * self.n_folds), ("n_components", 1)):
            value = getattr(self, name)
            if value < least:
                raise InvalidParameter(
                    f"{name} must be {least} or more, got {value}", loc=(name,), value=value
                )

    def plan(self, data: Mapping[str, Data], seed: int) -> SelectionStudy:
        """Return the study of these data."""
        days = days_of(data, seed, self.n_components, self.per_class, together=self.together)
        return SelectionStudy(
            gammas=self.gammas,
            draw=partial(days.draw, count=self.per_class, together=self.together),
            weighings={"gaussian_ratio": _fitted},
            tell=lambda records: findings(
                records,
                {"gaussian_ratio": "7"},
                self.gammas,
                claims=of_figure_7,
                axis="gamma, spread of the source in time",
                cautions=days.cautions(),
            ),
            n_folds=self.n_folds,
            n_penalties=self.n_penalties,
            beta_from=self.beta_from,
            constant=self.constant,
            seed=seed,
        )


def _fitted(drawn: ShiftedSamples, gamma: float, rng: np.random.Generator) -> FloatArray:
    del gamma, rng
    return gaussian_ratios(drawn.source, drawn.target)


METHOD = ImportanceOzone
