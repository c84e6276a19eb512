"""Percentile intervals from replicates of an estimate of error."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.intervals._ends import open_end, tail_of
from thetahat.intervals.base import Interval
from thetahat.registry import MethodInfo
from thetahat.values.types import Alternative, Caution, FloatArray, MeanKind, Target

FEW: Final = 100  # replicates below which the 2.5 % points rest on two or three of them

COVERS_TOO_SELDOM: Final = Caution(
    "covers_too_seldom",
    "in the largest benchmark (schulz2024) intervals of this kind covered in about half of all "
    "cases where 95 % were meant: it is given for comparison, and not to rest a decision on",
)

COVERAGE_DISAGREES: Final = Caution(
    "coverage_disagrees",
    "in the largest benchmark (schulz2024) the interval of this name covered in about half of all "
    "cases where 95 % were meant; as it is made here, with no copy of a tested instance learnt "
    "from, it covered in 96 % (preset interval_coverage, 50 rows): more is to be known before it "
    "is recommended",
)


def percentile_interval(  # noqa: PLR0913 - what an interval is made of
    info: MethodInfo,
    estimate: float,
    replicates: FloatArray,
    shift: float,
    level: float,
    alternative: Alternative,
    cautions: tuple[Caution, ...] = (),
) -> Interval | None:
    """Return the quantiles of the replicates, less the shift; None where they do not vary.

    Quantiles are interpolated between replicates (type 7). The standard error is the standard
    deviation (ddof 1) of the replicates.
    """
    # equal replicates may differ by the rounding of their sums
    if np.ptp(replicates) <= 1e-13 * np.abs(replicates).max():
        return None
    tail = tail_of(level, alternative)
    lower, upper = np.quantile(replicates, [tail, 1 - tail]) - shift
    ends = open_end(float(lower), float(upper), alternative)
    return Interval(
        method=info.name,
        variance=None,
        target=Target.THESE_SOURCES,
        mean=MeanKind.POOLED,
        estimate=estimate,
        standard_error=float(replicates.std(ddof=1)),
        level=level,
        alternative=alternative,
        lower=ends[0],
        upper=ends[1],
        degrees_of_freedom=None,
        cautions=(*cautions, *_of_few(len(replicates))),
    )


def _of_few(n: int) -> tuple[Caution, ...]:
    if n >= FEW:
        return ()
    return (
        Caution(
            "few_resamples",
            f"its ends are quantiles of {n} replicates; with fewer than {FEW} they hang on the "
            "few that are outermost",
        ),
    )
