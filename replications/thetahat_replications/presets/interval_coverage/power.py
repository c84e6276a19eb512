"""Length and power of the intervals of a cell, as shares of those of the ideal interval.

The ideal interval is normal about the estimate and knows the standard deviation of its error.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtri

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.monte_carlo import (
    divide,
    estimate_deviation,
    estimate_mean,
    multiply_by_known,
)
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.record_reader import RecordedTruth, RecordReader
from thetahat.analyses.studies.truths import AT_N, PREDICTED, get_truth_for_target
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import SHIFT, find_exclusions
from thetahat_replications.presets.interval_coverage.cell_selection import Row

LENGTH: Final = "length"
"""Column with the average width over that of the ideal interval."""
POWER: Final = "power"
"""Column with the power as a share of the ideal interval's."""
COLUMNS: Final = {LENGTH: "Width over the ideal", POWER: "Power as a share of the ideal"}
ABOUT: Final = (
    "The ideal interval is the normal one about the estimate that knows the standard deviation of "
    f"its error. Power is how often an interval excludes a value that is {SHIFT:g} such standard "
    "deviations from its target, on average of both sides and without values that are impossible; "
    "a sample without an interval excludes none."
)
Ends: TypeAlias = tuple[FloatArray, FloatArray]


def find_truth(reader: RecordReader, about: tuple[str, str], target: str) -> RecordedTruth | None:
    """Return the truth that judges the intervals of a subject for a target.

    Where the target's own truth is unknown it is the expected error of learning from all rows.
    """
    return reader.truth(*about, get_truth_for_target(target)) or reader.truth(*about, AT_N)


def measure_row(
    reader: RecordReader,
    row: Row,
    level: float,
    value_range: tuple[float, float],
    *,
    is_difference: bool = False,
) -> dict[str, MonteCarloNumber]:
    """Return length and power of the interval of a row of ``list_interval_rows``.

    It is empty where the truth or the estimate is unknown.

    Parameters
    ----------
    value_range : tuple of float
        Smallest and largest possible loss or metric.
    is_difference : bool
        Whether the row is about the difference of two such values.
    """
    names = ("estimator", "subject", "interval", "target", "mean")
    estimator, subject, method, target, mean = (str(row[name]) for name in names)
    truth = None if target == PREDICTED else find_truth(reader, (estimator, subject), target)
    estimates = reader.records.get(make_record_name(estimator, subject, record_names.MEAN, mean))
    if truth is None or estimates is None:
        return {}
    place = (estimator, subject, record_names.INTERVALS, method, target, mean)
    return measure_interval(
        estimates,
        (reader.at(*place, "lower"), reader.at(*place, "upper")),
        truth.values,
        level,
        value_range,
        is_difference=is_difference,
        clusters=reader.clusters,
    )


def measure_interval(  # noqa: PLR0913 - what is drawn, and what is known of it
    estimates: FloatArray,
    ends: Ends,
    truths: FloatArray,
    level: float,
    value_range: tuple[float, float],
    *,
    is_difference: bool = False,
    clusters: IntArray | None = None,
) -> dict[str, MonteCarloNumber]:
    """Return length and power of an interval; empty where the estimate has no error.

    Parameters
    ----------
    estimates, truths : ndarray of float
        (R,) estimates and what they are compared with; samples without one are left out.
    ends : tuple of ndarray of float
        (R,) lower and upper ends, NaN where there is no interval.
    value_range : tuple of float
        Smallest and largest possible loss or metric.
    is_difference : bool
        Whether the interval is about the difference of two such values.
    clusters : ndarray of int or None
        (R,) codes of samples that are dependent.
    """
    known = np.isfinite(estimates) & np.isfinite(truths)
    deviation = estimate_deviation((estimates - truths)[known])
    if not deviation.value:
        return {}
    lower, upper = ((end - truths)[known] for end in ends)
    width = upper - lower
    ideal = multiply_by_known(deviation, 2 * float(ndtri((1 + level) / 2)))
    least, largest = value_range
    if is_difference:
        least, largest = least - largest, largest - least
    typical = float(truths[known].mean())
    possible = (least - typical, largest - typical)
    exclusions = find_exclusions(lower, upper, deviation.value, possible=possible, level=level)
    return {
        LENGTH: divide(estimate_mean(np.where(np.isfinite(width), width, np.nan)), ideal),
        POWER: estimate_mean(exclusions, None if clusters is None else clusters[known]),
    }
