"""How often an interval covers, measured on samples of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thetahat.values.monte_carlo_number import MonteCarloNumber


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCoverage:
    """How often an interval covered the truth on samples of the data.

    Parameters
    ----------
    coverage : MonteCarloNumber
        Share of the samples in which the interval covered its own target.
    truth_below, truth_above : MonteCarloNumber
        Share of the samples in which the target was below the interval, or above it.
    width : MonteCarloNumber
        Average width of the interval, in units of the loss.
    covers : mapping of str to MonteCarloNumber
        Share of the samples in which the interval covered each other quantity that is known there.
    """

    coverage: MonteCarloNumber
    truth_below: MonteCarloNumber
    truth_above: MonteCarloNumber
    width: MonteCarloNumber
    covers: Mapping[str, MonteCarloNumber]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCalibration:
    """The result of calibrating one interval, whose field is written into the interval.

    Parameters
    ----------
    calibration : MeasuredCoverage or None
        How often the interval covered on samples of the data; null if no sample has its target.
        The field is left out if the request asks for no calibration.
    """

    calibration: MeasuredCoverage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCoverage:
    """How often the recommended interval covered its target in the studied design nearest to this.

    Parameters
    ----------
    level : float
        Level of the studied interval, which has two sides. An interval of another level, or with
        one side, has the coverage of the same method with this level.
    coverage : float
        Share of simulated samples in which the studied interval covered, averaged over the
        learners and populations of the design.
    standard_error : float
        Standard error of that share from the number of samples.
    least, largest : float
        The smallest and the largest share among the learners and populations.
    design : str
        The studied design, in words.
    table : str
        Path of the page on which the service shows the whole table.
    """

    level: float
    coverage: float
    standard_error: float
    least: float
    largest: float
    design: str
    table: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedSize:
    """How often a test at 0.05 rejected a true null hypothesis in the nearest studied design.

    Parameters
    ----------
    size : float
        Share of simulated samples in which it rejected, averaged over the populations of the
        design; 0.05 is what it should be, and less is cautious.
    standard_error : float
        Standard error of that share from the number of samples.
    least, largest : float
        The smallest and the largest share among the populations.
    design : str
        The studied design, in words.
    table : str
        Path of the page on which the service shows the whole table.
    """

    size: float
    standard_error: float
    least: float
    largest: float
    design: str
    table: str
