"""What a result has beside the numbers that follow from losses and choices alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimates
from thetahat.corrections import DEFAULT_CORRECTION, adjust
from thetahat.intervals.base import Interval

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.analyses.losses.by_probability import ProbabilitiesOfTable
    from thetahat.analyses.losses.choices import Choices
    from thetahat.analyses.losses.costs import CostsOfTable
    from thetahat.analyses.losses.optional_results import (
        MetricDifference,
        MetricResult,
        ScoreCurves,
        WeightedRisk,
        WeightedRiskDifference,
    )
    from thetahat.analyses.losses.result import NotApplicable
    from thetahat.analyses.runs.summaries import RunParts
    from thetahat.cautions import Caution

ModelPair = tuple[str, str]
"""The names of the models of a comparison, whose difference is the first minus the second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskParts:
    """The importance-weighted risks of models and of differences."""

    models: Mapping[str, Mapping[str, WeightedRisk]] = field(default_factory=dict)
    differences: Mapping[ModelPair, Mapping[str, WeightedRiskDifference]] = field(
        default_factory=dict
    )
    """By model and by pair, the risks by key; a pair without any is left out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricParts:
    """The metrics of models and of differences."""

    models: Mapping[str, Mapping[str, MetricResult]] = field(default_factory=dict)
    differences: Mapping[ModelPair, Mapping[str, MetricDifference]] = field(default_factory=dict)
    """By model and by pair, the metrics by key."""
    score_curves: Mapping[str, ScoreCurves | None] = field(default_factory=dict)
    """By model, how its scores separate two classes."""

    def correct_for(self, n_pairs: int) -> MetricParts:
        """Return the metrics with p-values corrected by Holm for more pairs than are compared.

        The pairs that are not compared count as if nothing was found in them.
        """
        adjusted: dict[ModelPair, dict[str, MetricDifference]] = {
            pair: {} for pair in self.differences
        }
        keys = dict.fromkeys(key for of_pair in self.differences.values() for key in of_pair)
        unseen = [1.0] * (n_pairs - len(self.differences))
        for key in keys:
            p_values = [of_pair[key].p_value for of_pair in self.differences.values()]
            corrected = adjust([*p_values, *unseen], DEFAULT_CORRECTION)
            for (pair, of_pair), p_value in zip(self.differences.items(), corrected, strict=False):
                adjusted[pair][key] = replace(of_pair[key], p_value_adjusted=p_value)
        return replace(self, differences=adjusted)


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
    """The parts of a result that are computed before it is put together."""

    refits: RefitEstimates = field(default_factory=dict)
    """Estimates made by fitting learners again, by model or pair."""
    risks: RiskParts = NO_RISKS
    """Importance-weighted risks."""
    metrics: MetricParts = NO_METRICS
    """Metrics beside the loss."""
    make_risks: Callable[[Choices], RiskParts] | None = None
    make_metrics: Callable[[Choices], MetricParts] | None = None
    """Compute them from the choices, if these are complete only when the best model is known."""
    calibration: Calibration | None = None
    """The measured coverage of the intervals, if the request asks for it."""
    runs: RunParts | None = None
    """The runs of items, if there are several."""
    groups: GroupsOfTable | None = None
    """Groups of the rows, by which models and comparisons are described."""
    costs: CostsOfTable | None = None
    """What the models cost."""
    probabilities: ProbabilitiesOfTable | None = None
    """Predicted probabilities of the rows, and what is asked about them."""
    first_cautions: tuple[Caution, ...] = ()
    cautions: tuple[Caution, ...] = ()
    """Cautions that are listed before and after those about the losses."""
    not_applicable: tuple[NotApplicable, ...] = ()
    """Further methods that were not used."""

    def resolve(self, choices: Choices, n_pairs: int) -> Parts:
        """Return the parts with the risks and metrics of the pairs that the choices compare.

        ``choices`` are the request's, with the model that all others are compared with, and
        ``n_pairs`` is the number of pairs that are corrected for: more than are compared if the
        best model was looked for.
        """
        risks = self.risks if self.make_risks is None else self.make_risks(choices)
        metrics = self.metrics if self.make_metrics is None else self.make_metrics(choices)
        if n_pairs > len(metrics.differences):
            metrics = metrics.correct_for(n_pairs)
        return replace(self, risks=risks, metrics=metrics, make_risks=None, make_metrics=None)

    def calibrate(self, subject: ModelOrPair, interval: Interval) -> Interval:
        """Return the interval of a model or pair, with its coverage if that was measured."""
        return interval if self.calibration is None else self.calibration.add_to(subject, interval)


NO_PARTS: Final = Parts()
