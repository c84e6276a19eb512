"""The losses of a test set in the order of time."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.cautions import DEPENDENT_TIMES, Caution
from thetahat.errors import InsufficientData
from thetahat.numerics.long_run_variance import compute_autocovariances
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import FloatArray
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind

FEWEST_TIMES: Final = 10
"""Fewest times of which a dependence is estimated."""
_COVERAGE: Final = {
    30: {0.0: 0.92, 0.2: 0.90, 0.5: 0.83, 0.7: 0.74, 0.9: 0.49},
    100: {0.0: 0.94, 0.2: 0.92, 0.5: 0.88, 0.7: 0.80, 0.9: 0.61},
    400: {0.0: 0.94, 0.2: 0.95, 0.5: 0.90, 0.7: 0.87, 0.9: 0.65},
}
"""Coverage of t intervals of level 0.95 on newey_west, by number of times and correlation of
neighbours in autoregressions (docs/results/edges/order_of_time)."""


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


def check_dependence(losses: BlockLosses, sums: FloatArray) -> tuple[Caution, ...]:
    """Return a caution if intervals covered too rarely in the studied series nearest to this one.

    These are of at most as many times, where some are so few, and of the nearest correlation.
    """
    variance, neighbours = compute_autocovariances(sums, 1)
    if variance == 0:
        return ()
    n_times, correlation = len(sums), float(neighbours / variance)
    n_studied = max((n for n in _COVERAGE if n <= n_times), default=min(_COVERAGE))
    by_correlation = _COVERAGE[n_studied]
    coverage = by_correlation[min(by_correlation, key=lambda studied: abs(studied - correlation))]
    if coverage >= DEPENDENT_TIMES.threshold:
        return ()
    return (
        DEPENDENT_TIMES(
            losses.layout.words,
            correlation=f"{correlation:.2f}",
            n=n_times,
            coverage=format_percent(coverage),
        ),
    )
