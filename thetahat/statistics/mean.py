"""Arithmetic mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import NOT_ROUNDING, choose_shift, require_one_column
from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics.base import Sample, Statistic
from thetahat.values.types import FloatArray


class _MeanFunctional(SumsFunctional):
    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        return np.asarray(sums[..., 0] * (len(self.columns) / n) if n else sums[..., 0] + np.nan)

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return (b,) n/(n-1) times the sums of squares about the mean of each resample."""
        n = len(self.columns)
        if n < 2:
            return np.full(len(counts), np.nan)
        centre = float(self.columns.mean())
        rows = self.columns[:, 0] - centre
        squares = counts @ rows**2
        left = squares - (counts @ rows) ** 2 / n
        return np.asarray(np.where(left > NOT_ROUNDING * squares, left, 0.0) * (n / (n - 1)))


@dataclass(frozen=True, slots=True)
class MeanStatistic(Statistic):
    """Arithmetic mean of a sample.

    Its bootstrap bias is 0 except for chance, and its bootstrap variance is :math:`(n-1)/n` times
    :math:`s^2/n`. Chapters 2 and 6 of the source.

    Degenerate cases: a single value has no spread, and the variance is 0 with a caution.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Mean of a sample",
        summary="The arithmetic mean.",
        formula=r"\bar x = \frac1n \sum_i x_i",
        references=("efron1993",),
        assumptions=(
            "Independent values of one distribution with a finite variance; without one the "
            "bootstrap of the mean fails."
        ),
        errs="Its bootstrap variance is too small by a factor (n - 1)/n.",
        blocks=EVERY_BLOCK_KIND,
        is_default=True,
    )

    def build_functional(self, sample: Sample, *, fast: bool) -> SumsFunctional:
        """Return the mean on that sample as a function of row counts."""
        del fast
        x = require_one_column("mean", sample)
        shift = choose_shift(x)
        return _MeanFunctional((x - shift)[:, None], shift, len(x))
