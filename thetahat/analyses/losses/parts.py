"""What a result has beside the numbers that follow from losses and choices alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from thetahat.analyses.losses.refit_estimates import (
    ModelOrPair,
    RefitEstimates,
)
from thetahat.intervals.base import Interval

if TYPE_CHECKING:
    from thetahat.analyses.losses.result import (
        MetricDifference,
        MetricResult,
        NotApplicable,
        ScoreCurves,
        WeightedRisk,
        WeightedRiskDifference,
    )
    from thetahat.cautions import Caution

ModelPair = tuple[str, str]
"""The names of the models of a comparison, whose difference is the first minus the second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskParts:
    """The importance-weighted risks of models and of differences.

    Parameters
    ----------
    models, differences : mapping
        By model and by pair, the risks by key; a pair without any is left out.
    """

    models: Mapping[str, Mapping[str, WeightedRisk]] = field(default_factory=dict)
    differences: Mapping[ModelPair, Mapping[str, WeightedRiskDifference]] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricParts:
    """The metrics of models and of differences.

    Parameters
    ----------
    models, differences : mapping
        By model and by pair, the metrics by key.
    score_curves : mapping
        By model, how its scores separate two classes.
    """

    models: Mapping[str, Mapping[str, MetricResult]] = field(default_factory=dict)
    differences: Mapping[ModelPair, Mapping[str, MetricDifference]] = field(default_factory=dict)
    score_curves: Mapping[str, ScoreCurves | None] = field(default_factory=dict)


NO_RISKS: Final = RiskParts()
NO_METRICS: Final = MetricParts()


class Calibration(Protocol):
    """How often the intervals of a result cover, measured on samples of its data."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The cautions about the evaluation as a whole."""

    def add_to(self, subject: ModelOrPair, interval: Interval) -> Interval:
        """Return the interval of a model or pair with its coverage."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """The parts of a result that are computed before it is put together.

    Parameters
    ----------
    refits : mapping
        Estimates made by fitting learners again, by model or pair.
    risks : RiskParts
        Importance-weighted risks.
    metrics : MetricParts
        Metrics beside the loss.
    calibration : Calibration or None
        The measured coverage of the intervals, if the request asks for it.
    first_cautions, cautions : tuple of Caution
        Cautions that are listed before and after those about the losses.
    not_applicable : tuple of NotApplicable
        Further methods that were not used.
    """

    refits: RefitEstimates = field(default_factory=dict)
    risks: RiskParts = NO_RISKS
    metrics: MetricParts = NO_METRICS
    calibration: Calibration | None = None
    first_cautions: tuple[Caution, ...] = ()
    cautions: tuple[Caution, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()

    def calibrate(self, subject: ModelOrPair, interval: Interval) -> Interval:
        """Return the interval of a model or pair, with its coverage if that was measured."""
        return interval if self.calibration is None else self.calibration.add_to(subject, interval)


NO_PARTS: Final = Parts()
