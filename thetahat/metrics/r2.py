"""Coefficient of determination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._confusion import ratios
from thetahat.metrics.base import Judged, Statistic, check_resamples
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.types import FloatArray, IntArray, Label, MeanKind, Needs, Target

_ROUNDING = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class RSquared:
    r"""One minus the squared errors over those of the test rows' own mean.

    .. math:: R^2 = 1 - \frac UV, \quad U = \frac1n \sum_i (y_i - f_i)^2, \quad
        V = \frac1n \sum_i (y_i - \bar y)^2

    The mean of the rows drops out of the derivative of V, being its minimum, so

    .. math:: \mathrm{IF}_i = \frac{(1 - R^2)(y_i - \bar y)^2 - (y_i - f_i)^2}{V}.

    Parameters
    ----------
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, 1000 where there are at most 100 000
        rows.

    Assumptions: instances (or clusters, or sources) are independent and the models given. The
    mean is that of the test rows, so a block's value depends on the spread of its own targets:
    the mean over small folds is too low, and random folds are read by the pooled value.

    Source: hampel1974, pedregosa2011 (the definition, with the test rows' mean).

    Degenerate cases: undefined where the targets do not vary; it has no smallest value.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="r2",
        title="Coefficient of determination",
        summary=(
            "One minus the squared errors over those of the test rows' own mean: 1 is perfect, 0 "
            "no better than that mean, and it may be far below."
        ),
        formula=r"1 - \frac{\sum_i (y_i - f_i)^2}{\sum_i (y_i - \bar y)^2}",
        references=("hampel1974", "pedregosa2011"),
        assumptions=(
            "Independent instances, clusters or sources; the fitted models are given. Random folds "
            "are read by the pooled value."
        ),
        errs=(
            "The mean over small folds is too low; with heavy tails the normal interval is too "
            "short."
        ),
        needs=Needs.PREDICTIONS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.THESE_MODELS, Target.THESE_SOURCES, Target.NEW_SOURCE),
    )
    task: ClassVar[str] = "regression"
    uses: ClassVar[str] = "output"
    higher_is_better: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (-np.inf, 1.0)
    fold_mean: ClassVar[MeanKind] = MeanKind.POOLED

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def statistic(self, judged: Judged) -> Statistic:
        """Return the coefficient on those rows."""
        truth = np.asarray(judged.truth, dtype=np.float64)
        return _Explained(truth, (truth - judged.output) ** 2)

    def check(self, classes: tuple[Label, ...]) -> None:
        """Fit: there are no classes."""

    def undefined(self) -> str:
        """Say when it has no value."""
        return "the targets do not vary"

    def strata(self, judged: Judged) -> IntArray | None:  # noqa: ARG002 - it has none
        """Return None."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Explained:
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

    def fold_influence(self) -> FloatArray | None:
        """Return None: it has none of its own."""
        return None

    def resampled(self, counts: FloatArray, *, many: bool = False) -> FloatArray:  # noqa: ARG002 - numpy does
        """Return (B,) coefficients under (B, m) weights."""
        about = self.truth - self.truth.mean()  # so that the sums below cancel little
        total = counts.sum(axis=1)
        means = ratios(counts @ about, total)
        spread = counts @ about**2 - total * means**2
        # what rounding leaves of a resample whose targets are all equal is no spread
        spread[spread <= _ROUNDING * total * float(np.abs(about).max()) ** 2] = 0.0
        return np.asarray(1 - ratios(counts @ self.squared_errors, spread))


METHOD = RSquared
