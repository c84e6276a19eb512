"""How often an interval covers, measured on samples of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thetahat.values.monte_carlo_number import MonteCarloNumber


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCoverage:
    """How often an interval covered the truth on samples of the data."""

    coverage: MonteCarloNumber
    """Share of the samples in which the interval covered its own target."""
    truth_below: MonteCarloNumber
    """Share of the samples in which the target was below the interval."""
    truth_above: MonteCarloNumber
    """Share of the samples in which the target was above the interval."""
    width: MonteCarloNumber
    """Average width of the interval, in units of the loss."""
    covers: Mapping[str, MonteCarloNumber]
    """Share of the samples in which the interval covered each other quantity that is known
    there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCalibration:
    """The result of calibrating one interval, whose field is written into the interval."""

    calibration: MeasuredCoverage | None
    """How often the interval covered on samples of the data; null if no sample has its target. The
    field is left out if the request asks for no calibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCoverage:
    """How often the recommended interval covered its target in the nearest studied design."""

    level: float
    """Level of the studied interval, which has two sides. An interval of another level, or with one
    side, has the coverage of the same method with this level."""
    coverage: float
    """Share of simulated samples in which the studied interval covered, averaged over the learners
    and populations of the design."""
    standard_error: float
    """Standard error of that share from the number of samples."""
    least: float
    """The smallest share among the learners and populations."""
    largest: float
    """The largest share among the learners and populations."""
    design: str
    """The studied design, in words."""
    table: str
    """Path of the page on which the service shows the whole table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedSize:
    """How often a test at 0.05 rejected a true null hypothesis in the nearest studied design."""

    size: float
    """Share of simulated samples in which it rejected, averaged over the populations of the design;
    0.05 is what it should be, and less is cautious."""
    standard_error: float
    """Standard error of that share from the number of samples."""
    least: float
    """The smallest share among the populations."""
    largest: float
    """The largest share among the populations."""
    design: str
    """The studied design, in words."""
    table: str
    """Path of the page on which the service shows the whole table."""
