"""The settings of the preset ``multiple_source_means``, and its statistics in each of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import estimate_mean
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class PanelSetting:
    """One point of a panel: K domains with M documents each."""

    n_sources: int
    size: int
    panel: Literal["sources", "size"]


def average_blocks(records: Records, count: int) -> Records:
    """Return the means over blocks of ``count`` repetitions, each with a turn of every domain.

    An incomplete last block is left out. With fewer than two blocks the repetitions are returned.
    """
    averages = {}
    for name, values in records.items():
        n_blocks = len(values) // count
        if n_blocks < 2:
            return records
        whole = values[: n_blocks * count]
        averages[name] = whole.reshape(n_blocks, count, -1).mean(axis=1)
    return averages


@dataclass(frozen=True, slots=True, eq=False)
class MeansStatistics:
    """Statistics over blocks of draws of domains; ``at`` is the position of a setting."""

    records: Records
    settings: Sequence[PanelSetting]

    def positions(self, panel: str) -> list[int]:
        """Return the positions of a panel's settings."""
        return [s for s, setting in enumerate(self.settings) if setting.panel == panel]

    def mean(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean of an estimate over the draws of domains."""
        return estimate_mean(self.records[f"{name}_mean"][:, at])

    def deviation(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean over draws of domains of the standard deviation over data sets."""
        return estimate_mean(self._read_deviations(name)[:, at])

    def _read_deviations(self, name: str) -> FloatArray:
        deviations = self.records.get(f"{name}_sd")
        means = self.records[f"{name}_mean"]
        return np.full(means.shape, math.nan) if deviations is None else deviations

    def bias(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean of an estimate minus the error on a new source in the same draws."""
        return estimate_mean((self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at])

    def distance_advantage(self, at: int) -> MonteCarloNumber:
        """Return the absolute bias of CVR minus that of CVS; positive if CVS is nearer."""
        distances = {}
        for name in ("cvs", "cvr"):
            errors = (self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at]
            distances[name] = math.copysign(1, errors.mean()) * errors
        return estimate_mean(distances["cvr"] - distances["cvs"])

    def deviation_difference(self, at: int, factor: float = 1.0) -> MonteCarloNumber:
        """Return the standard deviation of CVS minus ``factor`` times that of CVR."""
        cvs, cvr = self._read_deviations("cvs"), self._read_deviations("cvr")
        return estimate_mean((cvs - factor * cvr)[:, at])

    def deviation_above_half(self, name: str, first: int, last: int) -> MonteCarloNumber:
        """Return the deviation at the last setting minus half of that at the first."""
        deviations = self._read_deviations(name)
        return estimate_mean(deviations[:, last] - deviations[:, first] / 2)
