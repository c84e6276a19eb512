"""From a number to a ``VarianceEstimate``: degrees of freedom, cautions, whether it is usable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thetahat.cautions import (
    FEW_BLOCKS,
    IGNORES_CLUSTERS,
    IGNORES_TRAINING_VARIANCE,
    NEGATIVE_VARIANCE,
    VARIANCE_OF_ONE_REPEAT,
    ZERO_VARIANCE,
    Caution,
)
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import FloatArray, MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate

ONE_FITTED_MODEL = "a holdout tests one fitted model, so no training variance is seen"
_EPS = float(np.finfo(np.float64).eps)


def conclude(  # noqa: PLR0913 - one argument per field that a method may set
    info: MethodInfo,
    losses: BlockLosses,
    value: float,
    degrees_of_freedom: float | None,
    *,
    target: Target | None = None,
    fit_for_intervals: bool = True,
    cautions: tuple[Caution, ...] = (),
    details: Mapping[str, Any] | None = None,
) -> VarianceEstimate:
    """Wrap a scalar variance; what its sign and the shape of the data say becomes cautions.

    A value that is nothing but the rounding of the block means counts as zero.
    """
    value = 0.0 if abs(value) <= _rounding_of(losses) else value
    return VarianceEstimate(
        value=value,
        target=info.targets[0] if target is None else target,
        mean=_mean_of(info),
        estimate=estimate_of(info, losses),
        degrees_of_freedom=degrees_of_freedom,
        usable=fit_for_intervals and value > 0,
        cautions=(*_of_sign(info.name, value), *cautions, *_of_clusters(info, losses)),
        details=details or {},
    )


def conclude_many(
    info: MethodInfo, losses: BlockLosses, values: FloatArray, caution: Caution
) -> VarianceEstimate:
    """Wrap one variance per source or per pair; none of them carries an interval."""
    return VarianceEstimate(
        value=values,
        target=info.targets[0],
        mean=_mean_of(info),
        estimate=estimate_of(info, losses),
        degrees_of_freedom=None,
        usable=False,
        cautions=(*_of_signs(info.name, values), caution, *several_repeats(losses)),
        details={"sources": list(losses.layout.block_labels)},
    )


def estimate_of(info: MethodInfo, losses: BlockLosses) -> float:
    """Return the mean that the method's variance belongs to."""
    moments = losses.moments
    return moments.macro_mean if _mean_of(info) is MeanKind.MACRO else moments.pooled_mean


def between_degrees(losses: BlockLosses) -> float:
    """K - 1, of the smallest repeat."""
    return float(min(part.n_blocks for part in losses.moments.by_repeat()) - 1)


def within_degrees(losses: BlockLosses) -> float:
    """N - K, of the smallest repeat."""
    return min(part.n_losses - part.n_blocks for part in losses.moments.by_repeat())


def few_blocks(losses: BlockLosses) -> tuple[Caution, ...]:
    """Caution for methods that rest on K block means."""
    k = int(between_degrees(losses)) + 1
    if k >= FEW_BLOCKS.threshold:
        return ()
    return (FEW_BLOCKS(subject="The variance", n=k, unit="block"),)


def several_repeats(losses: BlockLosses) -> tuple[Caution, ...]:
    """Caution for methods computed per repeat and averaged."""
    r = losses.layout.n_repeats
    if r == 1:
        return ()
    return (VARIANCE_OF_ONE_REPEAT(n_repeats=r),)


def ignores_training_variance(what: str) -> Caution:
    """Caution for methods that see only how the losses of fitted models spread."""
    return IGNORES_TRAINING_VARIANCE(subject=what)


def training_variance_cautions(losses: BlockLosses, what: str) -> tuple[Caution, ...]:
    """Return the caution, but for models that were not trained on any of these instances."""
    return () if losses.layout.has_fixed_models else (ignores_training_variance(what),)


def _of_clusters(info: MethodInfo, losses: BlockLosses) -> tuple[Caution, ...]:
    """Caution of what is made of single losses, where those come in clusters."""
    layout = losses.layout
    if layout.cluster is None or info.needs is not Needs.LOSSES or info.variance.knows_clusters:
        return ()
    return (IGNORES_CLUSTERS(n_clusters=len(layout.cluster_labels), method=info.name),)


def _mean_of(info: MethodInfo) -> MeanKind:
    return MeanKind.MACRO if info.mean is None else info.mean


def _rounding_of(losses: BlockLosses) -> float:
    """Return a variance below which block means differ by their last bits alone.

    Scores come rounded in proportion to their size; means of rows are rounded in proportion to
    the distances that they were summed over.
    """
    moments = losses.moments
    if moments.centred_squares is None:
        return float((2 * _EPS * np.abs(moments.means).max()) ** 2)
    spread = np.sqrt((moments.centred_squares / moments.sizes).max())
    return float((4 * _EPS * (np.abs(moments.deviations).max() + spread)) ** 2)


def _of_sign(name: str, value: float) -> tuple[Caution, ...]:
    if value < 0:
        return (NEGATIVE_VARIANCE(subject=f"The variance {name}", value=f"{value:.6g}"),)
    if value == 0:
        return (
            ZERO_VARIANCE(
                reason=f"the losses that {name} looks at do not vary",
                consequence="No interval or test is built on it.",
            ),
        )
    return ()


def _of_signs(name: str, values: FloatArray) -> tuple[Caution, ...]:
    known = values[~np.isnan(values)]
    n = int((known < 0).sum())
    if n == 0:
        return ()
    return (
        NEGATIVE_VARIANCE(
            subject=f"{n} of the {known.size} values of {name}",
            value=f"the smallest is {known.min():.6g}",
        ),
    )
