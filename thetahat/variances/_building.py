"""Functions that build a ``VarianceEstimate`` from its value, with the mean and the cautions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from thetahat.cautions import (
    FEW_BLOCKS,
    IGNORES_CLUSTERS,
    IGNORES_TIME,
    IGNORES_TRAINING_VARIANCE,
    NEGATIVE_VARIANCE,
    VARIANCE_OF_ONE_REPEAT,
    ZERO_VARIANCE,
    Caution,
)
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.json_values import JsonValue
from thetahat.values.number_text import format_number, name_method
from thetahat.values.types import FloatArray, MeanKind, Needs, Target
from thetahat.values.words import Words
from thetahat.variances._clusters import cuts_clusters
from thetahat.variances.base import VarianceEstimate

TRAINING_IGNORED: Final = IGNORES_TRAINING_VARIANCE(subject="The variance")
"""The caution for variances that leave out how much results change with other training data."""


def build_estimate(  # noqa: PLR0913 - one argument per field that a method may set
    info: MethodInfo,
    losses: BlockLosses,
    value: float,
    degrees_of_freedom: float | None,
    *,
    target: Target | None = None,
    carries_intervals: bool = True,
    cautions: tuple[Caution, ...] = (),
    details: Mapping[str, JsonValue] | None = None,
) -> VarianceEstimate:
    """Return the estimate of a scalar variance, with cautions about its sign and the data.

    A value that is no larger than the rounding error of the block means counts as zero.
    """
    value = 0.0 if abs(value) <= _bound_rounding_error(losses) else value
    return VarianceEstimate(
        value=value,
        target=info.targets[0] if target is None else target,
        mean=_get_mean_kind(info),
        estimate=get_mean_loss(info, losses),
        degrees_of_freedom=degrees_of_freedom,
        usable=carries_intervals and value > 0,
        cautions=(
            *_judge_sign(info.name, value, losses.layout.words),
            *cautions,
            *_build_cluster_caution(info, losses),
            *_build_time_caution(info, losses),
        ),
        details=details or {},
    )


def build_estimate_between_blocks(
    info: MethodInfo, losses: BlockLosses, value: float, *cautions: Caution
) -> VarianceEstimate:
    """Return the estimate of a variance that uses the spread between blocks, of K - 1 degrees."""
    return build_estimate(
        info,
        losses,
        value,
        count_degrees_between_blocks(losses),
        cautions=(*check_few_blocks(losses), *cautions, *check_several_repeats(losses)),
    )


def build_estimates(
    info: MethodInfo, losses: BlockLosses, values: FloatArray, caution: Caution
) -> VarianceEstimate:
    """Return the estimate of one variance per source or per pair; none carries an interval."""
    return VarianceEstimate(
        value=values,
        target=info.targets[0],
        mean=_get_mean_kind(info),
        estimate=get_mean_loss(info, losses),
        degrees_of_freedom=None,
        usable=False,
        cautions=(*_judge_signs(info.name, values), caution, *check_several_repeats(losses)),
        details={"sources": list(losses.layout.block_labels)},
    )


def get_mean_loss(info: MethodInfo, losses: BlockLosses) -> float:
    """Return the mean loss whose variance the method estimates."""
    moments = losses.moments
    return moments.macro_mean if _get_mean_kind(info) is MeanKind.MACRO else moments.pooled_mean


def count_degrees_between_blocks(losses: BlockLosses) -> float:
    """Return K - 1 for the smallest repeat."""
    return float(min(part.n_blocks for part in losses.moments.yield_repeats()) - 1)


def count_degrees_within_blocks(losses: BlockLosses) -> float:
    """Return N - K for the smallest repeat."""
    return min(part.n_losses - part.n_blocks for part in losses.moments.yield_repeats())


def check_few_blocks(losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution about few block means, if there are few."""
    k = int(count_degrees_between_blocks(losses)) + 1
    if k >= FEW_BLOCKS.threshold:
        return ()
    return (FEW_BLOCKS(subject="The variance", n=k, units=losses.layout.words.blocks),)


def check_several_repeats(losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution that the value is an average over repeats, if there are several."""
    r = losses.layout.n_repeats
    if r == 1:
        return ()
    return (VARIANCE_OF_ONE_REPEAT(n_repeats=r),)


def check_training_ignored(losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution for variances of trained models; none if they were trained elsewhere."""
    return () if losses.layout.has_fixed_models else (TRAINING_IGNORED,)


def _build_cluster_caution(info: MethodInfo, losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution that losses of one cluster were taken as independent, if they were.

    A method that uses block means treats the blocks as independent, which they are not if clusters
    are divided between blocks.
    """
    layout = losses.layout
    if layout.cluster is None or info.variance.knows_clusters:
        return ()
    if info.needs is not Needs.LOSSES and not cuts_clusters(layout):
        return ()  # each block holds whole clusters, so the spread of block means includes theirs
    n_clusters = len(layout.cluster_labels)
    return (IGNORES_CLUSTERS(layout.words, n_clusters=n_clusters, method=name_method(info.name)),)


def _build_time_caution(info: MethodInfo, losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution that rows in the order of time were taken as independent, if they were.

    The spread of block means has the dependence of the rows of a block in it.
    """
    if losses.layout.time is None or info.variance.knows_time or info.needs is not Needs.LOSSES:
        return ()
    return (IGNORES_TIME(losses.layout.words, method=name_method(info.name)),)


def _get_mean_kind(info: MethodInfo) -> MeanKind:
    return MeanKind.MACRO if info.mean is None else info.mean


def _bound_rounding_error(losses: BlockLosses) -> float:
    """Return the largest variance that rounding errors of the block means can produce."""
    return losses.rounding_of_means**2


def _judge_sign(name: str, value: float, words: Words) -> tuple[Caution, ...]:
    if value < 0:
        return (NEGATIVE_VARIANCE(subject=f"The variance {name_method(name)}", variance=value),)
    if value == 0:
        return (
            ZERO_VARIANCE(
                reason=f"the {words.values} that {name_method(name)} uses do not vary",
                consequence="No interval or test is built on it.",
            ),
        )
    return ()


def _judge_signs(name: str, values: FloatArray) -> tuple[Caution, ...]:
    known = values[~np.isnan(values)]
    n = int((known < 0).sum())
    if n == 0:
        return ()
    return (
        NEGATIVE_VARIANCE(
            subject=f"{n} of the {known.size} values of {name_method(name)}",
            variance=f"the smallest is {format_number(known.min())}",
        ),
    )
