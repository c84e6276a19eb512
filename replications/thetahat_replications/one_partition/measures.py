"""Coverage, length and power of an interval over the samples of one design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Final, TypeAlias

import numpy as np

from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import NORMAL, measure_power
from thetahat_replications.edges.table import Table, TableRow
from thetahat_replications.one_partition.simulation import LossSeries, SampleMoments

SUMMARY_COLUMNS: Final = (
    "of",
    "variance",
    "designs",
    "coverage",
    "least",
    "lowest tenth",
    "share below .93",
    "length",
    "median",
    "power",
    "share in the goal",
)
"""The columns of a table of averages over designs; a ``DesignSummary`` has all but three."""
OF_SERIES: Final = {"model": False, "difference": True}
"""Whether series are differences, by what the tables call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a candidate reaches in one design."""

    coverage: float
    """Share of the samples with an interval in which it covers the target."""
    length: float
    """Its mean length over that of the ideal interval, 3.92 standard deviations of the mean."""
    power: float
    """Share of the samples in which it excludes a value that lies three standard deviations from
    the target on either side, over that share of the ideal interval; no interval excludes none."""
    built: float
    """Share of the samples in which there is an interval."""

    def __str__(self) -> str:
        return f"{self.coverage:.3f} / {self.length:.2f} / {self.power:.2f}"


def measure_interval(moments: SampleMoments, ends: tuple[FloatArray, FloatArray]) -> Measures:
    """Return what intervals with these (R,) ends reach about the samples' mean."""
    return measure(*ends, float(moments.mean.mean()), float(moments.mean.std(ddof=1)))


def measure(lower: FloatArray, upper: FloatArray, target: float, true_sd: float) -> Measures:
    """Return what intervals with these (R,) ends reach; there is none where both are the same."""
    is_built = upper > lower
    n_built = max(int(is_built.sum()), 1)
    covers = is_built & (lower <= target) & (upper >= target)
    return Measures(
        coverage=float(covers.sum()) / n_built,
        length=float((upper - lower).sum()) / n_built / (2 * NORMAL * true_sd),
        power=measure_power(lower - target, upper - target, true_sd),
        built=float(is_built.mean()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSummary:
    """What a candidate reaches over designs, in the order of the columns."""

    coverage: float
    least: float
    tenth: float
    too_rare: float
    length: float
    median_length: float
    power: float
    within_goal: float


def summarise(measures: Sequence[Measures]) -> DesignSummary:
    """Return averages and quantiles over designs."""
    coverage = np.array([m.coverage for m in measures])
    length = np.array([m.length for m in measures])
    return DesignSummary(
        coverage=float(coverage.mean()),
        least=float(coverage.min()),
        tenth=float(np.quantile(coverage, 0.1)),
        too_rare=float(np.mean(coverage < 0.93)),
        length=float(length.mean()),
        median_length=float(np.median(length)),
        power=float(np.mean([m.power for m in measures])),
        within_goal=float(np.mean((coverage >= 0.94) & (coverage <= 0.97) & (length <= 1.2))),
    )


MeasuredSeries: TypeAlias = tuple[LossSeries, Mapping[str, Measures]]
"""A series, with what each candidate reaches by its name."""


def build_summary(
    title: str, about: str, measured: Sequence[MeasuredSeries], candidates: Iterable[str]
) -> Table:
    """Return the table of averages over designs, by candidate."""
    rows: list[TableRow] = []
    for of, is_difference in OF_SERIES.items():
        chosen = [
            measures for series, measures in measured if series.is_difference is is_difference
        ]
        for name in candidates:
            summary = summarise([measures[name] for measures in chosen])
            rows.append((of, name, len(chosen), *astuple(summary)))
    return Table(title=title, about=about, columns=SUMMARY_COLUMNS, rows=tuple(rows))
