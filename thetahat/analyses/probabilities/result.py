"""The parts of a result that are about predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thetahat.cautions import Caution
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.types import FloatArray, IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityEstimate:
    """A number about probabilities, with its interval."""

    estimate: float | None
    """The estimate; None where it does not exist."""
    standard_error: float | None
    """Its standard error, which allows for clusters; None where there is none."""
    level: float
    """Confidence level of the interval, which holds by itself."""
    lower: float | None
    """Lower end; None where there is no interval."""
    upper: float | None
    """Upper end; None where there is no interval."""
    method: str | None
    """How the interval is built: ``student_t``, ``skewness_corrected``, ``wilson``,
    ``wilson_clusters``, ``wilson_and_t``, ``tango``, ``tango_clusters``, ``wald``,
    ``profile_likelihood`` or ``bootstrap``."""
    degrees_of_freedom: float | None = None
    """Degrees of freedom of its quantile; None means normal."""
    n: int | None = None
    """Rows that it is computed from, where these are not all rows."""
    clusters: int | None = None
    """Clusters of these rows; None without clusters."""
    reason: str | None = None
    """Why there is no estimate or no interval."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such an interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """The logistic regression of the outcome on the logit of its probability.

    Calibrated probabilities have a slope of 1 and intercepts of 0. A slope below 1 says that
    probabilities are too extreme.
    """

    slope: ProbabilityEstimate
    """Change of the true logit with the predicted one."""
    intercept: ProbabilityEstimate
    """The true logit where the predicted one is 0."""
    intercept_slope_one: ProbabilityEstimate
    """The shift of all logits with a slope of 1: above 0 if probabilities are too low."""
    model_standard_errors: Mapping[str, float] | None
    """Standard errors if the regression were exactly right, by coefficient; None without a fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """A score and its parts: score = miscalibration - discrimination + uncertainty."""

    score: float | None
    """Mean score of the probabilities; None where it is infinite."""
    miscalibration: float | None
    """What recalibration by isotonic regression would gain; positive in every sample."""
    discrimination: float
    """What recalibrated probabilities gain over the same one for all rows."""
    uncertainty: float
    """Score of the share of events as the probability of every row."""
    p_value: float | None
    """Share of the samples of calibrated probabilities with at least this miscalibration."""
    expected_miscalibration: float | None
    """Mean miscalibration in these samples: what calibrated probabilities would have."""
    reason: str | None = None
    """Why a number is missing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationCurve:
    """The isotonic regression of the outcome on its probability, at most 200 of its points."""

    predicted: FloatArray
    """Probabilities, ascending: the first and last of each step, and some between."""
    recalibrated: FloatArray
    """The share of events there."""
    n: IntArray
    """Rows with exactly that probability."""
    lower: FloatArray | None
    """Lower end of the band in which the curve of calibrated probabilities lies at each point."""
    upper: FloatArray | None
    """Upper end of that band."""
    reason: str | None = None
    """Why there is no band."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalTest:
    """A statistic that is about normal if the probabilities are calibrated."""

    statistic: float | None
    """The statistic z."""
    p_value: float | None
    """Its two-sided p-value."""
    reason: str | None = None
    """Why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedErrors:
    """Calibration errors of bins of probabilities, for comparison with other reports."""

    n_bins: int
    """Bins of the expected calibration error."""
    binning: str
    """``equal_width`` or ``equal_count``."""
    expected_calibration_error: float
    """Mean absolute difference of the mean probability and the share of events over bins. It is
    above 0 for calibrated probabilities, too."""
    if_calibrated: float | None
    """Its mean in samples of calibrated probabilities."""
    p_value: float | None
    """Share of these samples with at least this error."""
    debiased_squared_error: float
    """Mean squared difference over 15 bins of equal count, without its bias; it may be below 0."""
    debiased_error: float
    """Root of that, and 0 where it is below 0."""
    reason: str | None = None
    """Why numbers of calibrated probabilities are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRates:
    """What follows if the event is predicted from a probability on."""

    threshold: float
    """The probability; rows with exactly this one are positive, too."""
    positive: int
    """Rows from the threshold on."""
    sensitivity: ProbabilityEstimate
    """Share of the events that are positive."""
    specificity: ProbabilityEstimate
    """Share of the other rows that are negative."""
    ppv: ProbabilityEstimate
    """Positive predictive value: share of the positive rows that are events."""
    npv: ProbabilityEstimate
    """Negative predictive value: share of the negative rows that are no events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProbabilities:
    """The probabilities of one event."""

    event: Label | None
    """The class whose probability it is; None if it is that the most probable class is right."""
    n: int
    """Rows."""
    clusters: int | None
    """Clusters of the rows; None without clusters."""
    events: int
    """Rows on which the event happened."""
    mean_probability: float
    """Mean of its probabilities."""
    rate: float
    """Share of the rows on which it happened."""
    in_the_large: ProbabilityEstimate
    """Share of the events minus mean probability: above 0 if probabilities are too low."""
    recalibration: Recalibration | None = None
    """Slope and intercept; left out with ``slope`` false."""
    parts: Mapping[str, ScoreParts]
    """The scores ``brier`` and ``log`` with their parts."""
    curve: CalibrationCurve
    """The share of events by probability."""
    spiegelhalter: NormalTest
    """Spiegelhalter's z: the Brier score against its expectation under calibration."""
    binned: BinnedErrors | None = None
    """Errors of bins, where ``bins`` are requested."""
    thresholds: tuple[ThresholdRates, ...] = ()
    """Rates at the thresholds of the request."""
    resamples: int
    """Samples of calibrated probabilities that were drawn; 0 where rows are in clusters."""
    sentence: str
    """What the numbers say."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProbabilities(EventProbabilities):
    """The probabilities of one model."""

    by_class: Mapping[str, EventProbabilities] | None = None
    """Each class against the rest, where the request has ``each_class``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDifferences:
    """Differences of a score of two models and of its parts, a minus b; lower is better."""

    score: ProbabilityEstimate
    """Difference of the scores."""
    miscalibration: ProbabilityEstimate
    """Difference of the miscalibrations: below 0 if a is better calibrated."""
    discrimination: ProbabilityEstimate
    """Difference of the discriminations: above 0 if a discriminates better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdDifferences:
    """Differences of the rates of two models at one threshold, a minus b."""

    threshold: float
    """The probability from which on the event is predicted."""
    sensitivity: ProbabilityEstimate
    """Difference of the shares of events that are positive."""
    specificity: ProbabilityEstimate
    """Difference of the shares of the other rows that are negative."""
    ppv: ProbabilityEstimate
    """Difference of the positive predictive values."""
    npv: ProbabilityEstimate
    """Difference of the negative predictive values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairProbabilities:
    """The probabilities of two models on the same rows."""

    parts: Mapping[str, PartDifferences]
    """Differences of the scores ``brier`` and ``log`` and of their parts."""
    thresholds: tuple[ThresholdDifferences, ...] = ()
    """Differences at the thresholds of the request."""
    resamples: int
    """Resamples of rows, or of clusters, that the intervals of the parts rest on."""
    sentence: str
    """Which model has the better probabilities, and why, if the data show it."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about these numbers."""
