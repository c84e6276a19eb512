"""Correlation of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import NOT_ROUNDING, centre_and_scale, require_two_columns
from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics.base import AcceptedSamples, Sample, Statistic
from thetahat.values.types import FloatArray


class _CorrelationFunctional(SumsFunctional):
    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        a, b = centre_and_scale(x)[0], centre_and_scale(y)[0]
        super().__init__(np.stack([a, b, a * a, b * b, a * b], axis=1))

    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        a, b, aa, bb, ab = (sums[..., j] for j in range(5))
        left_a, left_b = aa - a * a / n, bb - b * b / n
        defined = (left_a > NOT_ROUNDING * aa) & (left_b > NOT_ROUNDING * bb)
        below = np.sqrt(np.where(defined, left_a, 1.0)) * np.sqrt(np.where(defined, left_b, 1.0))
        r = (ab - a * b / n) / below
        r = np.where(np.abs(r) > 1 - NOT_ROUNDING, np.sign(r), r)  # off 1 by rounding alone
        return np.asarray(np.where(defined, r, np.nan))


@dataclass(frozen=True, slots=True)
class Correlation(Statistic):
    """Pearson's correlation; pairs are resampled together.

    Section 6.3 of the source, whose law school data are an example.

    Degenerate cases: a resample in which x or y is one value many times has no correlation; it is
    drawn again, and the result says how many were. Values that differ from 1 by rounding are 1.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Correlation of two columns",
        summary="Pearson's correlation of pairs, which are resampled together.",
        formula=(
            r"\frac{\sum_i (x_i - \bar x)(y_i - \bar y)}"
            r"{\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}"
        ),
        references=("efron1993",),
        assumptions="Independent pairs of one distribution.",
        errs=(
            "Its normal and basic intervals may pass 1, and are too short with few pairs. "
            "Resamples in which a column does not vary are drawn again, which leaves out the most "
            "extreme ones."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    @property
    def takes(self) -> AcceptedSamples:
        """Rows of x and y."""
        return "pairs"

    def undefined(self) -> str:
        """Return when a resample has no value, as the end of a sentence."""
        return "x or y is one value many times"

    def build_functional(self, sample: Sample, *, fast: bool) -> SumsFunctional:
        """Return the correlation on that sample as a function of row counts."""
        del fast
        x, y = require_two_columns("correlation", sample, 3)
        for name, values in (("x", x), ("y", y)):
            if values.min() == values.max():
                raise InvalidParameter(
                    f"{name} is constant, and a correlation needs both to vary.",
                    loc=(name,),
                    value=float(values[0]),
                )
        return _CorrelationFunctional(x, y)
