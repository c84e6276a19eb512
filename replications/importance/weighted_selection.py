"""Repetitions of weighted cross-validation over penalties, for one population after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from replications.batches import Problems, select
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import repetition_generator, run_in_blocks
from thetahat.errors import InvalidParameter
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted

GRAIN: Final = 50
LOWEST, HIGHEST = 1e-3, 1e6

Draw = Callable[[float, np.random.Generator], ShiftedSamples]
"""Takes a gamma, and gives ``GRAIN`` data sets."""
Weigh = Callable[[ShiftedSamples, float, np.random.Generator], FloatArray]
"""Gives (R, n) weights of the source rows; NaN for a data set that has none."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionStudy:
    """Data sets on which each risk selects a penalty, and what the target says of it.

    Parameters
    ----------
    gammas : sequence of float
        Populations, by their gamma.
    draw : callable
        Draws data sets of one population.
    weighings : mapping of str to callable
        Estimators of the weights, by name.
    tell : callable
        Makes findings of the records.
    n_folds, n_penalties : int
        Folds at random, and penalties from 1e-3 to 1e6 by equal factors.
    beta_from : str
        Of the controlled risk.
    constant : bool
        Whether features get a column of ones, penalised as the others are.
    seed : int
        The job's.
    """

    gammas: Sequence[float]
    draw: Draw
    weighings: Mapping[str, Weigh]
    tell: Callable[[Records], StudyFindings]
    n_folds: int
    n_penalties: int
    beta_from: Literal["all", "fold"]
    constant: bool
    seed: int

    @property
    def grain(self) -> int:
        """Data sets that are done together."""
        return GRAIN

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw, weigh, select, and take the final target risks."""
        return run_in_blocks(self._block, GRAIN, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate the final target risks, and judge the text's claims."""
        return self.tell(records)

    def _block(self, first: int) -> dict[str, FloatArray]:
        rng = repetition_generator(self.seed, first)
        found: dict[str, list[FloatArray]] = {}
        for gamma in self.gammas:
            drawn = self.draw(gamma, rng)
            fold = np.tile(np.arange(drawn.labels.shape[1]) % self.n_folds, (GRAIN, 1))
            fold = rng.permuted(fold, axis=1)
            for name, weigh in self.weighings.items():
                for key, values in self._one(drawn, fold, weigh(drawn, gamma, rng)).items():
                    found.setdefault(f"{name}_{key}", []).append(values)
        return {name: np.stack(values, axis=1) for name, values in found.items()}

    def _one(
        self, drawn: ShiftedSamples, fold: np.ndarray, weights: FloatArray
    ) -> dict[str, FloatArray]:
        known = np.asarray(np.isfinite(weights).all(axis=1))
        problems = Problems(
            X=self._columns(drawn.source),
            y=drawn.labels,
            weights=np.where(known[:, None], weights, 1.0),
            fold=fold,
            target=self._columns(drawn.target),
            target_y=drawn.target_labels,
        )
        risks: dict[str, RiskEstimator] = {
            "weighted": Weighted(),
            "controlled": Controlled(beta_from=self.beta_from),
        }
        penalties = np.geomspace(LOWEST, HIGHEST, self.n_penalties)
        selected = select(problems, penalties, risks)
        with np.errstate(over="ignore"):
            spread = weights.var(axis=1, ddof=1)
        told = {**selected.target_risks, "weight_variance": spread, "from_rows": selected.plain}
        return {name: np.where(known, values, np.nan) for name, values in told.items()}

    def _columns(self, rows: FloatArray) -> FloatArray:
        if not self.constant:
            return rows
        return np.concatenate([rows, np.ones((*rows.shape[:2], 1))], axis=2)


def check_design(preset: object) -> None:
    """Refuse gammas that do not ascend, and designs that have nothing to select."""
    gammas = getattr(preset, "gammas")  # noqa: B009 - presets share these fields, and no base
    if not gammas or min(gammas) <= 0 or tuple(sorted(set(gammas))) != tuple(gammas):
        raise InvalidParameter(
            f"gammas must ascend and be above 0, got {list(gammas)}",
            loc=("gammas",),
            value=list(gammas),
        )
    for name, least in (("n_folds", 2), ("n_penalties", 2)):
        value = getattr(preset, name)
        if value < least:
            raise InvalidParameter(
                f"{name} must be {least} or more, got {value}", loc=(name,), value=value
            )
    if getattr(preset, "beta_from") not in {"all", "fold"}:  # noqa: B009 - likewise
        raise InvalidParameter("beta_from must be all or fold", loc=("beta_from",))
