"""Statistics, tables and the figure of the preset ``bootstrap_estimates``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.jackknife import jackknife
from thetahat.analyses.studies.monte_carlo import estimate_share
from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series,
    make_series_of_numbers,
    make_table,
)
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray
from thetahat_replications.presets.bootstrap_estimates.claims import judge_statistic
from thetahat_replications.presets.interval_coverage.power import ABOUT, POWER, measure_interval

INTERVALS: Final = ("normal", "percentile", "basic", "bca")
POSSIBLE: Final[Mapping[str, tuple[float, float]]] = {
    "variance": (0.0, np.inf),
    "standard_deviation": (0.0, np.inf),
    "correlation": (-1.0, 1.0),
}
"""The values that a statistic can have; all others can have any."""
COLUMNS: Final = {
    "bias": "Bias",
    "bootstrap_bias": "Mean bootstrap estimate of the bias",
    "bias_apart": "That estimate minus the bias",
    "variance": "Variance",
    "bootstrap_variance": "Mean bootstrap estimate of the variance",
    "variance_ratio": "That estimate over the variance",
    "corrected_bias": "Bias after the correction",
    "bias_saved": "Reduction of the absolute bias by the correction",
    "mse_added": "Mean squared error added by the correction",
}
"""The statistics of a sample statistic's records, in the order of ``_compute_statistics``."""


class BootstrapStatistics:
    """The columns of each sample statistic with their Monte-Carlo errors."""

    def __init__(self, records: Records, truths: Mapping[str, float]) -> None:
        self.records, self.truths = records, truths

        def compute(subset: Records) -> dict[str, FloatArray]:
            return {
                name: _compute_statistics(subset, name, truth) for name, truth in truths.items()
            }

        self.jackknifed = jackknife(compute, records)

    def get_number(self, statistic: str, column: str) -> MonteCarloNumber:
        """Return one of ``COLUMNS`` for a sample statistic."""
        return self.jackknifed.get_number(statistic, list(COLUMNS).index(column))

    def coverage(self, statistic: str, interval: str) -> MonteCarloNumber:
        """Return the share of the defined intervals that cover the true value."""
        ends = self.records[f"{statistic}/ends"][:, INTERVALS.index(interval)]
        truth = self.truths[statistic]
        covers = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        return estimate_share(covers, np.asarray(np.isfinite(ends).all(axis=1)))

    def power(self, statistic: str, interval: str, level: float) -> MonteCarloNumber | None:
        """Return how often the interval excludes a value that is far from the true one.

        It is a share of the ideal interval's; None where the statistic does not vary.
        """
        ends = self.records[f"{statistic}/ends"][:, INTERVALS.index(interval)]
        values = self.records[f"{statistic}/value"]
        measured = measure_interval(
            values,
            (ends[:, 0], ends[:, 1]),
            np.full(len(values), self.truths[statistic]),
            level,
            POSSIBLE.get(statistic, (-np.inf, np.inf)),
        )
        return measured.get(POWER)


def _compute_statistics(records: Records, name: str, truth: float) -> FloatArray:
    value, bias = records[f"{name}/value"], records[f"{name}/bias"]
    first, second = records[f"{name}/plain"].mean(axis=0)
    true_bias, variance = first, second - first**2
    bootstrap_variance = np.nanmean(records[f"{name}/variance"])
    corrected = value - bias
    corrected_bias = true_bias - bias.mean()
    return np.array(
        [
            true_bias,
            bias.mean(),
            bias.mean() - true_bias,
            variance,
            bootstrap_variance,
            bootstrap_variance / variance if variance > 0 else np.nan,
            corrected_bias,
            abs(true_bias) - abs(corrected_bias),
            ((corrected - truth) ** 2).mean() - ((value - truth) ** 2).mean(),
        ]
    )


def compute_findings(
    records: Records, truths: Mapping[str, float], n: int, level: float
) -> StudyFindings:
    """Return tables, figure and claims from the records of all repetitions."""
    statistics = BootstrapStatistics(records, truths)
    return StudyFindings(
        tables=(_build_estimates_table(statistics, n), _build_coverage_table(statistics, level)),
        figures=(_build_coverage_figure(statistics, level),),
        claims=tuple(
            claim
            for name in truths
            for claim in judge_statistic(
                name, {column: statistics.get_number(name, column) for column in COLUMNS}
            )
        ),
    )


def _build_estimates_table(statistics: BootstrapStatistics, n: int) -> StudyTable:
    rows: list[dict[str, TableCell]] = []
    for name, truth in statistics.truths.items():
        row: dict[str, TableCell] = {"statistic": name, "truth": truth}
        rows.append(row | {column: statistics.get_number(name, column) for column in COLUMNS})
    return make_table(
        name="estimates",
        title=f"Bias and variance, and their bootstrap estimates, n = {n}",
        columns={"statistic": "Statistic", "truth": "True value", **COLUMNS},
        rows=rows,
    )


def _build_coverage_table(statistics: BootstrapStatistics, level: float) -> StudyTable:
    rows: list[dict[str, TableCell]] = [
        {
            "statistic": name,
            **{each: statistics.coverage(name, each) for each in INTERVALS},
            **{f"{each}_power": statistics.power(name, each, level) for each in INTERVALS},
        }
        for name in statistics.truths
    ]
    return make_table(
        name="coverage",
        title=f"Coverage and power of the bootstrap intervals with level {level:g}",
        columns={
            "statistic": "Statistic",
            **{each: each for each in INTERVALS},
            **{f"{each}_power": f"{each}, power" for each in INTERVALS},
        },
        rows=rows,
        note=f"Coverages are shares of the samples in which the interval is defined. {ABOUT}",
    )


def _build_coverage_figure(statistics: BootstrapStatistics, level: float) -> StudyFigure:
    names = list(statistics.truths)
    places = list(range(len(names)))
    series = [
        make_series_of_numbers(
            each, places, [statistics.coverage(name, each) for name in names], "points"
        )
        for each in INTERVALS
    ]
    nominal = make_series("nominal", places, [level] * len(names), style="dashed")
    return StudyFigure(
        name="coverage",
        title="Coverage of bootstrap intervals",
        x=FigureAxis(title="statistic", labels=tuple(names)),
        y=FigureAxis(title="share of samples"),
        series=(*series, nominal),
    )
