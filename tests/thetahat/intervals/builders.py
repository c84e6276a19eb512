"""Variances and losses for tests of intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


def holdout_of(
    values: Sequence[float] | FloatArray, *, cluster: Sequence[int] | None = None
) -> BlockLosses:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values), dtype=np.intp), cluster=cluster)
    return BlockLosses(layout, values=np.asarray(values, dtype=np.float64))


def sources_of(*rows: Sequence[float]) -> BlockLosses:
    block = [k for k, row in enumerate(rows) for _ in row]
    values = np.array([e for row in rows for e in row], dtype=np.float64)
    return BlockLosses(build_layout(BlockKind.SOURCE, block), values=values)


def some_variance(
    value: float | FloatArray = 4.0,
    *,
    degrees: float | None = 3.0,
    usable: bool = True,
    estimate: float = 10.0,
    target: Target = Target.THESE_SOURCES,
) -> VarianceEstimate:
    return VarianceEstimate(
        value=value,
        target=target,
        mean=MeanKind.MACRO,
        estimate=estimate,
        degrees_of_freedom=degrees,
        usable=usable,
        cautions=(Caution("of_the_variance", "what the variance says"),),
    )


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    assert interval.lower is not None
    assert interval.upper is not None
    return interval.lower, interval.upper


def codes(interval: Interval | None) -> list[str]:
    assert interval is not None
    return [caution.code for caution in interval.cautions]
