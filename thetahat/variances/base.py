"""The interface of variance estimators, and the estimate that they return."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.numerics.bootstrap import Replicates, SharedResamples
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, MeanKind, Needs, Target, UnitName
from thetahat.variances._applicability import (
    explain_missing_block_variance,
    explain_missing_blocks,
    explain_missing_rows,
    explain_wrong_block_kind,
)

MULTIPLE: Final = "multiple_of_independent"
"""Detail of an estimate: by what the variance of independent losses was multiplied, where that
depends on the losses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceEstimate:
    """An estimate of the variance of a mean loss; part of results."""

    value: float | FloatArray = field(metadata={"dimensions": (1, 2), "nullable": True})
    """Squared units of the loss; the variance of the *estimate*, never of one instance. An array
    for the estimators that give one per source (K,) or per pair of sources (K, K)."""
    target: Target
    """The error that the mean estimates."""
    mean: MeanKind
    """Which mean the variance belongs to."""
    estimate: float
    """That mean, in units of the loss."""
    standard_error: float | None = field(init=False)
    """Root of the value; None where that is an array, negative or NaN."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval and the t test that use it; None means normal."""
    usable: bool
    """Whether an interval or a test may be built on it, which needs a positive number."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the variance."""
    details: Mapping[str, Any] = field(default_factory=dict, metadata={"inline": True})
    """Further fields for the result, as plain JSON values."""

    def __post_init__(self) -> None:
        is_square = not isinstance(self.value, np.ndarray) and self.value >= 0
        root = math.sqrt(self.value) if is_square else None
        object.__setattr__(self, "standard_error", root)
        object.__setattr__(self, "cautions", tuple(dict.fromkeys(self.cautions)))


class VarianceEstimator(Protocol):
    """The interface of variance estimators; the fields of the dataclass are their parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        ...

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the mean loss."""
        ...


class BlockVariance:
    """Base class of variances that need two blocks or more in every repeat.

    Each block needs two instances too, unless the method uses nothing but block means
    (``info.needs``).
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        reason = explain_wrong_block_kind(self.info, layout)
        if self.info.needs is Needs.LOSSES:
            reason = (
                reason
                or explain_missing_rows(self.info, layout)
                or explain_missing_block_variance(self.info, layout)
            )
        return reason or explain_missing_blocks(self.info, layout)


class ResampledVariance(ABC):
    """Base class of variances that are computed from bootstrap replicates."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    unit: ClassVar[UnitName]
    n_resamples: int | None

    @abstractmethod
    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout cannot be resampled, or None if it can."""

    @abstractmethod
    def estimate_from_replicates(
        self, losses: BlockLosses, replicates: Replicates
    ) -> VarianceEstimate:
        """Estimate the variance of the mean loss from its replicates."""

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance from resamples drawn with seed 0, for use outside an evaluation."""
        shared = SharedResamples({"": losses}, seed=0)
        return self.estimate_from_replicates(
            losses, shared.of_model("", self.n_resamples, self.unit)
        )
