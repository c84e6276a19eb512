"""From a number to a ``VarianceEstimate``: degrees of freedom, cautions, whether it is usable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import Caution, FloatArray, MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate

FEW = 10  # below it a t interval on K - 1 degrees of freedom is wide and hangs on each block
KNOWS_CLUSTERS = frozenset({"cluster_robust", "cluster_bootstrap"})
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
    if k >= FEW:
        return ()
    return (
        Caution(
            "few_blocks",
            f"it rests on {k} block means; with fewer than {FEW} the variance itself is uncertain "
            "and the interval wide",
        ),
    )


def several_repeats(losses: BlockLosses) -> tuple[Caution, ...]:
    """Caution for methods computed per repeat and averaged."""
    r = losses.layout.n_repeats
    if r == 1:
        return ()
    return (
        Caution(
            "variance_of_one_repeat",
            f"the average of {r} values, one per repeat: it speaks of the mean of one repeat, and "
            "the mean over all of them varies less",
        ),
    )


def ignores_training_variance(what: str) -> Caution:
    """Caution for methods that see only how the losses of fitted models spread."""
    return Caution(
        "ignores_training_variance",
        f"{what}: what another training sample would change is not in it, and where the learner "
        "is unstable or the sample small it is far too small for the expected error",
    )


def training_variance_cautions(losses: BlockLosses, what: str) -> tuple[Caution, ...]:
    """Return the caution, but for models that were not trained on any of these instances."""
    return () if losses.layout.has_fixed_models else (ignores_training_variance(what),)


def _of_clusters(info: MethodInfo, losses: BlockLosses) -> tuple[Caution, ...]:
    """Caution of what is made of single losses, where those come in clusters."""
    layout = losses.layout
    if layout.cluster is None or info.needs is not Needs.LOSSES or info.name in KNOWS_CLUSTERS:
        return ()
    return (
        Caution(
            "ignores_clusters",
            f"the instances come in {len(layout.cluster_labels)} clusters, and {info.name} takes "
            "them as independent: it is too small where those of one cluster resemble each other",
        ),
    )


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
        return (
            Caution(
                "negative_variance",
                f"{name} came out as {value:.6g}; it is reported as it is, and no interval or "
                "test is built on it",
            ),
        )
    if value == 0:
        return (
            Caution(
                "zero_variance",
                f"{name} is 0: the losses it looks at do not vary; no interval or test is built "
                "on it",
            ),
        )
    return ()


def _of_signs(name: str, values: FloatArray) -> tuple[Caution, ...]:
    known = values[~np.isnan(values)]
    n = int((known < 0).sum())
    if n == 0:
        return ()
    return (
        Caution(
            "negative_variance",
            f"{n} of the {known.size} values of {name} are negative; they are reported as they are",
        ),
    )
