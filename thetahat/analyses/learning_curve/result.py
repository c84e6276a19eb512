"""The types of a learning curve in a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thetahat.analyses.losses.optional_results import EffectSize
from thetahat.analyses.losses.result import Decision, ModelResult, NotApplicable
from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRows:
    """Number of rows that a learner was fitted to: mean, smallest and largest over the splits."""

    mean: float
    """Average over the splits."""
    smallest: int
    """Number of rows in the smallest training part."""
    largest: int
    """Number of rows in the largest training part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A learner at one training size."""

    size: str
    """Label of the size."""
    n_train: TrainingRows
    """Rows that the learner was fitted to."""
    model: ModelResult = field(metadata={"inline": True})
    """Losses and metrics of the learner at this size; its fields are fields of this object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepVerdict:
    """The verdict on two successive sizes of one learner."""

    decision: Decision
    """The first of the statements that hold: ``better`` means that the larger size is better."""
    also: tuple[Decision, ...]
    """The other statements that hold."""
    p_value: float | None
    """Two-sided p-value of no difference."""
    reason: str
    """The verdict in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStep:
    """The change of the error from one size to the next."""

    smaller: str = field(metadata={"wire": "from"})
    """Label of the smaller size."""
    larger: str = field(metadata={"wire": "to"})
    """Label of the next size."""
    difference: float
    """Mean loss at the larger size minus that at the smaller one; negative where more rows help."""
    interval: Interval | None
    """The interval that the verdict rests on; None where none could be built."""
    effect_size: EffectSize
    """The difference relative to the spread of the losses."""
    verdict: StepVerdict
    """Whether the larger size is better, if the data show it."""
    cautions: tuple[Caution, ...]
    """Cautions about the difference as a whole."""


class SaturationDecision(StrEnum):
    """Whether more rows would still help a learner."""

    SATURATED = "saturated"
    NOT_SATURATED = "not_saturated"
    NO_IMPROVEMENT_SEEN = "no_improvement_seen"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLoss:
    """The loss of learning from fewer rows: one size compared with the largest."""

    size: str
    """Label of the size."""
    n_train: int
    """Rows in the largest training part of this size."""
    test_share: float
    """Share of all rows that may be kept for testing if this size is enough."""
    difference: float
    """Mean loss at this size minus that at the largest size."""
    upper: float | None
    """One-sided upper end of the difference, which is the smallest margin at which this size would
    be enough; None where the variance of the difference is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """Whether more rows would still help a learner, and the test share that follows."""

    decision: SaturationDecision
    """``saturated``: a smaller part loses no more than the margin. ``not_saturated``: the largest
    size is better than the one before it. ``no_improvement_seen``: the request has no margin and no
    difference was seen, which does not show that there is none. ``undecided`` otherwise."""
    margin: float | None
    """Largest loss that does not matter."""
    from_size: str | None
    """Label of the smallest size that is enough; None unless saturated."""
    n_train: int | None
    """Rows in the largest training part of that size; None unless saturated."""
    test_share: float | None
    """Share of all rows that may be kept for testing; None unless saturated."""
    sizes: tuple[SizeLoss, ...]
    """Every size against the largest, the largest itself last."""
    reason: str
    """The decision in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawEstimate:
    """An estimate from a power law, with a two-sided t interval."""

    estimate: float
    """The estimate."""
    standard_error: float
    """Its standard error."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawPrediction(PowerLawEstimate):
    """The error that a power law predicts for a training size."""

    n: int
    """Number of rows to learn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawResult:
    """A power law that was fitted to the mean losses of a curve."""

    formula: str
    """The law, ``a + b n^-c``, with n the number of rows to learn from."""
    a: PowerLawEstimate
    """The error with an unlimited number of rows."""
    b: float
    """The factor of ``n^-c``, the part of the error that falls with more rows."""
    c: PowerLawEstimate
    """The exponent: how fast the error falls with more rows."""
    excess: PowerLawEstimate
    """The part of the error at the largest size that more rows could still remove."""
    at_all_rows: PowerLawPrediction
    """The error with all rows to learn from."""
    at_twice_as_many: PowerLawPrediction
    """The error with twice as many rows."""
    residual: float
    """Root mean square distance of the mean losses from the law, in units of the loss."""
    level: float
    """Confidence level of the intervals."""
    degrees_of_freedom: float
    """Degrees of freedom of the t intervals."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnLaw:
    """Points of a power law, to be drawn as a line."""

    x: FloatArray
    """Training sizes."""
    y: tuple[float, ...]
    """The error of the law at these sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnMetric:
    """A metric at the sizes of a curve, to be drawn."""

    y: tuple[float, ...] = field(metadata={"nullable": True})
    """Its value at each size; null where it is undefined."""
    lower: tuple[float | None, ...]
    """Lower end of the recommended interval at each size; None where there is none."""
    upper: tuple[float | None, ...]
    """Upper end of the recommended interval at each size; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFigure:
    """The numbers of a drawing of a learning curve."""

    x: tuple[float, ...]
    """Average number of rows to learn from, size by size."""
    y: tuple[float, ...]
    """Mean loss at each size (macro)."""
    lower: tuple[float | None, ...]
    """Lower end of the recommended interval at each size; None where there is none."""
    upper: tuple[float | None, ...]
    """Upper end of the recommended interval at each size; None where there is none."""
    law: DrawnLaw | None
    """The power law as a line; None where none was fitted."""
    metrics: Mapping[str, DrawnMetric] | None = None
    """Metrics by name, where the request names any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The learning curve of one learner."""

    points: tuple[CurvePoint, ...]
    """The sizes at which the learner ran, the smallest first."""
    steps: tuple[CurveStep, ...]
    """The change from each size to the next."""
    saturation: Saturation
    """Whether more rows would still help."""
    power_law: PowerLawResult | None
    """A power law through the points; None where the points do not determine one."""
    figure: CurveFigure
    """The numbers of a drawing."""
    not_applicable: tuple[NotApplicable, ...]
    """Methods that were not used, with the reason."""
    cautions: tuple[Caution, ...]
    """Cautions about the curve as a whole."""
