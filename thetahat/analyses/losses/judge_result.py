"""The types of the part of a result about a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thetahat.cautions import Caution
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.types import Sampled


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeEstimate:
    """An estimate with its t interval."""

    estimate: float
    """The estimate."""
    standard_error: float | None = None
    """Its standard error, where it has one."""
    degrees_of_freedom: float | None = None
    """Degrees of freedom of the interval."""
    lower: float | None = None
    """Lower end of the two-sided interval; None where nothing varies."""
    upper: float | None = None
    """Upper end of the interval."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such an interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAlone:
    """What the judge says without people."""

    estimate: float
    """Mean grade of all rows."""
    bias: JudgeEstimate
    """Mean of grade minus label over the labelled rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How far 0/1 grades agree with labels, on the labelled rows."""

    observed: float
    """Share of the rows with equal grade and label."""
    kappa: JudgeEstimate | None
    """Cohen's kappa, with an interval on the scale of Fisher's z; None where labels and grades have
    one value only."""
    sensitivity: JudgeEstimate | None
    """Share of grades 1 among labels 1, with Wilson's interval, in clusters by their design
    effect."""
    specificity: JudgeEstimate | None
    """Share of grades 0 among labels 0, with Wilson's interval, in clusters by their design
    effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    """How many labels a wished precision needs."""

    half_width: float
    """The half width of the interval."""
    labels: int | None
    """Labels in all, of the same number of rows; None if all rows would not do."""
    additional: int | None
    """Labels beside those there are; 0 if they are enough already."""
    sentence: str
    """The plan in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeResult:
    """What a judge added to the labels."""

    sampled: Sampled
    """How the labelled rows were found among all rows."""
    labelled: int
    """Number of rows with a label."""
    unlabelled: int
    """Number of rows that only the judge graded."""
    is_used: bool
    """Whether recommended intervals use the grades; if not, they are those of the labels alone."""
    weight: float | None = field(default=None, metadata={"wire": "lambda"})
    """The weight of the judge, from 0 (labels alone) to 1; left out where strata have their own."""
    weight_by_stratum: Mapping[str, float] | None = field(
        default=None, metadata={"wire": "lambda_by_stratum"}
    )
    """The weight of the judge in each stratum."""
    prediction_powered: JudgeEstimate | None = None
    """The estimate from labels and grades, whether it is recommended or not; left out where the
    labelled rows were chosen or every row has a label."""
    labels_only: JudgeEstimate
    """The estimate from the labels alone."""
    judge_only: JudgeAlone
    """The judge without people, and its bias."""
    effective_labels: float | None = None
    """The number of labels that alone would give the variance of labels and grades; left out where
    the labels do not vary or grades are not used."""
    correlation: float | None = None
    """Correlation of labels and grades over the labelled rows; left out where one does not vary."""
    agreement: JudgeAgreement | None = None
    """Agreement of 0/1 labels and grades; left out for other values and for differences."""
    plan: LabelPlan | None = None
    """Labels for the requested half width."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the judge and the labels."""
    sentence: str
    """The part in words."""
