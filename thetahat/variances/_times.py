"""The losses of a test set in the order of time."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.cautions import DEPENDENT_TIMES, Caution
from thetahat.errors import InsufficientData
from thetahat.numerics.long_run_variance import compute_autocovariances
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import (
    INTERVAL_NOT_STUDIED,
    NOT_STUDIED,
    StudiedInterval,
    read_studied_intervals,
)
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number, format_percent, name_method
from thetahat.values.types import FloatArray
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind

FEWEST_TIMES: Final = 10
"""Fewest times of which a dependence is estimated."""
TIMES: Final = "times"
_FILE: Final = "time_coverage.json"
_FARTHEST_CORRELATION: Final = 0.15
"""Largest difference to a studied correlation of neighbours; those between 0 and .9 are within it.
"""


def explain_unfit_times(info: MethodInfo, layout: Layout, reach: int | None) -> str | None:
    """Return why a layout has no order of time that the method can use; None if it has one.

    ``reach`` is how many neighbours the method takes together; None where it chooses.
    """
    if reason := explain_wrong_block_kind(info, layout) or explain_missing_rows(info, layout):
        return reason
    if layout.time is None:
        return f"{info.name} needs the time of every instance in the field time"
    n_times = len(layout.time_labels)
    if n_times < FEWEST_TIMES:
        return f"{info.name} needs at least {FEWEST_TIMES} different times, and there are {n_times}"
    if reach is not None and reach >= n_times:
        return f"{info.name} reaches over {reach} times, and there are {n_times}"
    return None


def sum_deviations_by_time(losses: BlockLosses) -> FloatArray:
    """Return (T,) sums of the deviations of the losses at each time, in the order of time.

    They are multiplied by T / n, so that the mean of T such numbers has the variance of the mean
    loss.
    """
    layout = losses.layout
    if layout.time is None:
        raise InsufficientData("The time of every instance is not known.", loc=("time",))
    shifted = losses.rows - losses.rows[0]  # a large mean loss then costs no digits
    n_times = len(layout.time_labels)
    sums = np.bincount(layout.time, weights=shifted - shifted.mean(), minlength=n_times)
    return np.asarray(sums * (n_times / layout.n_rows))


def check_dependence(losses: BlockLosses, sums: FloatArray, variance: str) -> tuple[Caution, ...]:
    """Return a caution if intervals on a variance covered too rarely in the nearest series."""
    correlation = _correlate(sums)
    if correlation is None:
        return ()
    coverage = _find_studied(variance, len(sums), correlation).expected.coverage
    if coverage >= DEPENDENT_TIMES.threshold:
        return ()
    return (
        DEPENDENT_TIMES(
            losses.layout.words,
            method=name_method(variance),
            correlation=f"{correlation:.2f}",
            n=len(sums),
            coverage=format_percent(round(coverage, 2)),
        ),
    )


def find_time_coverage(
    losses: BlockLosses, variance: str
) -> tuple[ExpectedCoverage | None, str | None]:
    """Return how often t intervals on a variance covered in the nearest series, or why not known.

    The series is that of the caution ``dependent_times``.
    """
    if not read_studied_intervals(__package__, _FILE, variance):
        return None, INTERVAL_NOT_STUDIED
    sums = sum_deviations_by_time(losses)
    correlation = _correlate(sums)
    if correlation is None:
        return None, NOT_STUDIED
    nearest = _find_studied(variance, len(sums), correlation)
    if abs(correlation - float(nearest.data)) > _FARTHEST_CORRELATION:
        return None, (
            f"{NOT_STUDIED[:-1]}: its neighbours have a correlation of "
            f"{format_number(round(correlation, 2))}, and those of the nearest study "
            f"{format_number(float(nearest.data))}."
        )
    missing = nearest.explain_distance({TIMES: len(sums)})
    return (None, missing) if missing else (nearest.expected, None)


def _correlate(sums: FloatArray) -> float | None:
    """Return the correlation of neighbours; None where nothing varies."""
    variance, neighbours = compute_autocovariances(sums, 1)
    return None if variance == 0 else float(neighbours / variance)


def _find_studied(variance: str, n_times: int, correlation: float) -> StudiedInterval:
    """Return the studied series of the nearest correlation.

    It has at most as many times, unless that is too far away and a longer one is not.
    """
    studied = read_studied_intervals(__package__, _FILE, variance)
    data = min({each.data for each in studied}, key=lambda text: abs(float(text) - correlation))
    alike = sorted(
        (each for each in studied if each.data == data), key=lambda each: each.numbers[TIMES]
    )
    near = [each for each in alike if each.explain_distance({TIMES: n_times}) is None]
    shorter = [each for each in near or alike if each.numbers[TIMES] <= n_times]
    return shorter[-1] if shorter else (near or alike)[0]
