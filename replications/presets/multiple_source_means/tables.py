"""Statistics, table and figures of the preset ``multiple_source_means``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from replications.presets.multiple_source_means.claims import judge_means
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean
from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyFigure,
    StudyTable,
    TableCell,
    make_table,
    series_of_numbers,
)
from thetahat.cautions import Caution
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray

ESTIMATES: Final = ("cvs", "cvr", "ose")
TITLES: Final = {
    "cvs": "CVS, by source",
    "cvr": "CVR, at random",
    "ose": "error on a new source",
}


@dataclass(frozen=True, slots=True)
class PanelSetting:
    """One point of a panel: K domains with M documents each."""

    n_sources: int
    size: int
    panel: Literal["sources", "size"]


@dataclass(frozen=True, slots=True, eq=False)
class MeansStatistics:
    """Statistics over the draws of domains; ``at`` is the position of a setting."""

    records: Records
    settings: Sequence[PanelSetting]

    def positions(self, panel: str) -> list[int]:
        """Return the positions of a panel's settings."""
        return [s for s, setting in enumerate(self.settings) if setting.panel == panel]

    def mean(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean of an estimate over the draws of domains."""
        return monte_carlo_mean(self.records[f"{name}_mean"][:, at])

    def deviation(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean over draws of domains of the standard deviation over data sets."""
        return monte_carlo_mean(self._deviations(name)[:, at])

    def _deviations(self, name: str) -> FloatArray:
        deviations = self.records.get(f"{name}_sd")
        means = self.records[f"{name}_mean"]
        return np.full(means.shape, math.nan) if deviations is None else deviations

    def bias(self, name: str, at: int) -> MonteCarloNumber:
        """Return the mean of an estimate minus the error on a new source in the same draws."""
        return monte_carlo_mean((self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at])

    def distance_advantage(self, at: int) -> MonteCarloNumber:
        """Return the absolute bias of CVR minus that of CVS; positive if CVS is nearer."""
        distances = {}
        for name in ("cvs", "cvr"):
            errors = (self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at]
            distances[name] = math.copysign(1, errors.mean()) * errors
        return monte_carlo_mean(distances["cvr"] - distances["cvs"])

    def deviation_difference(self, at: int, factor: float = 1.0) -> MonteCarloNumber:
        """Return the standard deviation of CVS minus ``factor`` times that of CVR."""
        cvs, cvr = self._deviations("cvs"), self._deviations("cvr")
        return monte_carlo_mean((cvs - factor * cvr)[:, at])

    def deviation_above_half(self, name: str, first: int, last: int) -> MonteCarloNumber:
        """Return the deviation at the last setting minus half of that at the first."""
        deviations = self._deviations(name)
        return monte_carlo_mean(deviations[:, last] - deviations[:, first] / 2)


def compute_findings(
    records: Records, settings: Sequence[PanelSetting], cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""
    statistics = MeansStatistics(records, settings)
    return StudyFindings(
        tables=(_means_table(statistics),),
        figures=tuple(_figures(statistics)),
        claims=judge_means(statistics),
        cautions=cautions,
    )


def _means_table(statistics: MeansStatistics) -> StudyTable:
    rows = []
    for at, setting in enumerate(statistics.settings):
        row: dict[str, TableCell] = {
            "panel": "K varies" if setting.panel == "sources" else "M varies",
            "n_sources": setting.n_sources,
            "size": setting.size,
        }
        row |= {name: statistics.mean(name, at) for name in ESTIMATES}
        row |= {f"{name}_bias": statistics.bias(name, at) for name in ("cvs", "cvr")}
        row |= {f"{name}_sd": statistics.deviation(name, at) for name in ("cvs", "cvr")}
        rows.append(row)
    return make_table(
        name="means_and_deviations",
        title="Cross-validation by source and at random, and the error on a new source",
        columns={
            "panel": "Panel",
            "n_sources": "Sources K",
            "size": "Documents of each source M",
            "cvs": "Mean of CVS",
            "cvr": "Mean of CVR",
            "ose": "Error on a new source",
            "cvs_bias": "CVS minus that error",
            "cvr_bias": "CVR minus that error",
            "cvs_sd": "Standard deviation of CVS",
            "cvr_sd": "Standard deviation of CVR",
        },
        rows=rows,
        note="Standard errors are over draws of domains; a standard deviation is over data sets "
        "from the same domains.",
    )


def _figures(statistics: MeansStatistics) -> list[StudyFigure]:
    settings, figures = statistics.settings, []
    panels: tuple[tuple[str, str, list[int]], ...] = (
        ("sources", "sources K", [s.n_sources for s in settings if s.panel == "sources"]),
        ("size", "documents of each source M", [s.size for s in settings if s.panel == "size"]),
    )
    for number, names, compute, title, unit in (
        (2, ESTIMATES, statistics.mean, "Means", "error rate"),
        (3, ("cvs", "cvr"), statistics.deviation, "Standard deviations", "standard deviation"),
    ):
        for panel, axis, x in panels:
            series = [
                series_of_numbers(
                    TITLES[name],
                    x,
                    [compute(name, at) for at in statistics.positions(panel)],
                    "dashed" if name == "ose" else "line",
                )
                for name in names
            ]
            figures.append(
                StudyFigure(
                    name=f"figure_{number}_{panel}",
                    title=f"{title} against the number of {axis}",
                    x=FigureAxis(title=axis, scale="log" if panel == "size" else "linear"),
                    y=FigureAxis(title=unit),
                    series=tuple(series),
                    note=f"Figure {number} of the source.",
                )
            )
    return figures
