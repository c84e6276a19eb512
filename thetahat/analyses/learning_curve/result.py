"""The types of a learning curve in a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thetahat.analyses.losses.result import Decision, EffectSize, ModelResult, NotApplicable
from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRows:
    """The number of rows that a learner was fitted to: mean, smallest and largest over the splits.

    Parameters
    ----------
    mean : float
        Average over the splits.
    smallest, largest : int
        Number of rows in the smallest and in the largest training part.
    """

    mean: float
    smallest: int
    largest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A learner at one training size.

    Parameters
    ----------
    size : str
        Label of the size.
    n_train : TrainingRows
        Rows that the learner was fitted to.
    model : ModelResult
        Losses and metrics of the learner at this size; its fields are fields of this object.
    """

    size: str
    n_train: TrainingRows
    model: ModelResult = field(metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepVerdict:
    """The verdict on two successive sizes of one learner.

    Parameters
    ----------
    decision : Decision
        The first of the statements that hold: ``better`` means that the larger size is better.
    also : tuple of Decision
        The other statements that hold.
    p_value : float or None
        Two-sided p-value of no difference.
    reason : str
        The verdict in words.
    """

    decision: Decision
    also: tuple[Decision, ...]
    p_value: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStep:
    """The change of the error from one size to the next.

    Parameters
    ----------
    smaller : str
        Label of the smaller size.
    larger : str
        Label of the next size.
    difference : float
        Mean loss at the larger size minus that at the smaller one; negative where more rows help.
    interval : Interval or None
        The interval that the verdict rests on; None where none could be built.
    effect_size : EffectSize
        The difference relative to the spread of the losses.
    verdict : StepVerdict
        Whether the larger size is better, if the data show it.
    cautions : tuple of Caution
        Cautions about the difference as a whole.
    """

    smaller: str = field(metadata={"wire": "from"})
    larger: str = field(metadata={"wire": "to"})
    difference: float
    interval: Interval | None
    effect_size: EffectSize
    verdict: StepVerdict
    cautions: tuple[Caution, ...]


class SaturationDecision(StrEnum):
    """Whether more rows would still help a learner."""

    SATURATED = "saturated"
    NOT_SATURATED = "not_saturated"
    NO_IMPROVEMENT_SEEN = "no_improvement_seen"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLoss:
    """The loss of learning from fewer rows: one size compared with the largest.

    Parameters
    ----------
    size : str
        Label of the size.
    n_train : int
        Rows in the largest training part of this size.
    test_share : float
        Share of all rows that may be kept for testing if this size is enough.
    difference : float
        Mean loss at this size minus that at the largest size.
    upper : float or None
        One-sided upper end of the difference, which is the smallest margin at which this size
        would be enough; None where the variance of the difference is not known.
    """

    size: str
    n_train: int
    test_share: float
    difference: float
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """Whether more rows would still help a learner, and the test share that follows.

    Parameters
    ----------
    decision : SaturationDecision
        ``saturated``: a smaller part loses no more than the margin. ``not_saturated``: the largest
        size is better than the one before it. ``no_improvement_seen``: the request has no margin
        and no difference was seen, which does not show that there is none. ``undecided`` otherwise.
    margin : float or None
        Largest loss that does not matter.
    from_size : str or None
        Label of the smallest size that is enough; None unless saturated.
    n_train : int or None
        Rows in the largest training part of that size; None unless saturated.
    test_share : float or None
        Share of all rows that may be kept for testing; None unless saturated.
    sizes : tuple of SizeLoss
        Every size against the largest, the largest itself last.
    reason : str
        The decision in words.
    """

    decision: SaturationDecision
    margin: float | None
    from_size: str | None
    n_train: int | None
    test_share: float | None
    sizes: tuple[SizeLoss, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawEstimate:
    """An estimate from a power law, with a two-sided t interval.

    Parameters
    ----------
    estimate : float
        The estimate.
    standard_error : float
        Its standard error.
    lower, upper : float
        Ends of the interval.
    """

    estimate: float
    standard_error: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawPrediction(PowerLawEstimate):
    """The error that a power law predicts for a training size.

    Parameters
    ----------
    n : int
        Number of rows to learn from.
    """

    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawResult:
    """A power law that was fitted to the mean losses of a curve.

    Parameters
    ----------
    formula : str
        The law, ``a + b n^-c``, with n the number of rows to learn from.
    a : PowerLawEstimate
        The error with an unlimited number of rows.
    b : float
        The factor of ``n^-c``, the part of the error that falls with more rows.
    c : PowerLawEstimate
        The exponent: how fast the error falls with more rows.
    excess : PowerLawEstimate
        The part of the error at the largest size that more rows could still remove.
    at_all_rows : PowerLawPrediction
        The error with all rows to learn from.
    at_twice_as_many : PowerLawPrediction
        The error with twice as many rows.
    residual : float
        Root mean square distance of the mean losses from the law, in units of the loss.
    level : float
        Confidence level of the intervals.
    degrees_of_freedom : float
        Degrees of freedom of the t intervals.
    """

    formula: str
    a: PowerLawEstimate
    b: float
    c: PowerLawEstimate
    excess: PowerLawEstimate
    at_all_rows: PowerLawPrediction
    at_twice_as_many: PowerLawPrediction
    residual: float
    level: float
    degrees_of_freedom: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnLaw:
    """Points of a power law, to be drawn as a line.

    Parameters
    ----------
    x : ndarray of float
        Training sizes.
    y : tuple of float
        The error of the law at these sizes.
    """

    x: FloatArray
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnMetric:
    """A metric at the sizes of a curve, to be drawn.

    Parameters
    ----------
    y : tuple of float
        Its value at each size; null where it is undefined.
    lower, upper : tuple of float or None
        Ends of the recommended interval at each size; None where there is none.
    """

    y: tuple[float, ...] = field(metadata={"nullable": True})
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFigure:
    """The numbers of a drawing of a learning curve.

    Parameters
    ----------
    x : tuple of float
        Average number of rows to learn from, size by size.
    y : tuple of float
        Mean loss at each size (macro).
    lower, upper : tuple of float or None
        Ends of the recommended interval at each size; None where there is none.
    law : DrawnLaw or None
        The power law as a line; None where none was fitted.
    metrics : mapping of str to DrawnMetric or None
        Metrics by name, where the request names any.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    law: DrawnLaw | None
    metrics: Mapping[str, DrawnMetric] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The learning curve of one learner.

    Parameters
    ----------
    points : tuple of CurvePoint
        The sizes at which the learner ran, the smallest first.
    steps : tuple of CurveStep
        The change from each size to the next.
    saturation : Saturation
        Whether more rows would still help.
    power_law : PowerLawResult or None
        A power law through the points; None where the points do not determine one.
    figure : CurveFigure
        The numbers of a drawing.
    not_applicable : tuple of NotApplicable
        Methods that were not used, with the reason.
    cautions : tuple of Caution
        Cautions about the curve as a whole.
    """

    points: tuple[CurvePoint, ...]
    steps: tuple[CurveStep, ...]
    saturation: Saturation
    power_law: PowerLawResult | None
    figure: CurveFigure
    not_applicable: tuple[NotApplicable, ...]
    cautions: tuple[Caution, ...]
