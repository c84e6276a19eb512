"""Coefficient of determination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._confusion import compute_ratios
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray

_ROUNDING = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class RSquared(Metric):
    r"""One minus the squared errors over the squared deviations from the mean of the test rows.

    With V the mean squared deviation from :math:`\bar y`, which is the minimum of V over all
    centres and so drops out of its derivative, the influence function is

    .. math:: \mathrm{IF}_i = \frac{(1 - R^2)(y_i - \bar y)^2 - (y_i - f_i)^2}{V}.

    The definition with the mean of the test rows is that of pedregosa2011.

    Degenerate cases: undefined where the targets do not vary; there is no smallest value.

    Parameters
    ----------
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Coefficient of determination",
        summary=(
            "One minus the squared errors over the squared deviations from the mean of the test "
            "rows: 1 is perfect, 0 is as good as predicting that mean, and it can be far below 0."
        ),
        formula=r"1 - \frac{\sum_i (y_i - f_i)^2}{\sum_i (y_i - \bar y)^2}",
        references=("hampel1974", "pedregosa2011"),
        errs=(
            "The mean over small folds is too low, because each fold is compared with its own "
            "mean. The normal interval is too short with heavy tails and in small samples. The "
            "recommended one covers in .94 to .96 of normal samples of 10 rows or more, and with "
            "skewed targets, or errors that spread with them, in .89 to .93 below 60 rows."
        ),
    )
    undefined_if: ClassVar[str] = "the targets do not vary"
    task: ClassVar[str] = "regression"
    value_range: ClassVar[tuple[float, float]] = (-np.inf, 1.0)

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the coefficient on those rows."""
        truth = np.asarray(judged.truth, dtype=np.float64)
        return _Explained(truth, (truth - judged.output) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Explained(WeightedMetric):
    """(m,) targets and squared errors."""

    truth: FloatArray
    squared_errors: FloatArray

    def value(self) -> float:
        """Return the coefficient; NaN where the targets do not vary."""
        about = self.truth - self.truth.mean()
        spread = float(about @ about)
        if np.ptp(self.truth) <= _ROUNDING * float(np.abs(self.truth).max()):
            return float("nan")
        return 1 - float(self.squared_errors.sum()) / spread

    def influence(self) -> FloatArray:
        """Return (m,) values of the influence function."""
        squares = (self.truth - self.truth.mean()) ** 2
        left = self.squared_errors.sum() / squares.sum()
        return np.asarray((left * squares - self.squared_errors) / squares.mean())

    def leave_out(self, unit: IntArray, n_units: int) -> FloatArray:
        """Return (U,) coefficients without each unit."""
        about = self.truth - self.truth.mean()
        counts, sums, squares, errors = (
            np.asarray(np.bincount(unit, weights=values, minlength=n_units), dtype=np.float64)
            for values in (np.ones(len(about)), about, about**2, self.squared_errors)
        )
        left = len(about) - counts
        spread = squares.sum() - squares - compute_ratios(sums**2, left)
        spread[spread <= _ROUNDING * left * float(np.abs(about).max()) ** 2] = 0.0
        return np.asarray(1 - compute_ratios(errors.sum() - errors, spread))

    def resampled(self, counts: FloatArray, *, many: bool = False) -> FloatArray:  # noqa: ARG002 - numpy does
        """Return (B,) coefficients under (B, m) weights."""
        about = self.truth - self.truth.mean()  # so that the sums below cancel little
        total = counts.sum(axis=1)
        means = compute_ratios(counts @ about, total)
        spread = counts @ about**2 - total * means**2
        # what rounding leaves of a resample whose targets are all equal is no spread
        spread[spread <= _ROUNDING * total * float(np.abs(about).max()) ** 2] = 0.0
        return np.asarray(1 - compute_ratios(counts @ self.squared_errors, spread))
