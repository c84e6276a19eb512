"""The types of those parts of a result that it has only where the request asks for them.

A process whose results have none of these parts does not import them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.numerics.fieller import RatioShape
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Alternative, FloatArray, Label, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEstimate:
    """An estimate of a model's error that is not the mean of the losses, such as .632."""

    estimate: float
    """The estimated error, in units of the loss."""
    variance: float | FloatArray
    """Variance of the estimate."""
    target: Target
    """The error that is estimated."""
    mean: MeanKind
    """The mean of the losses that the estimate takes the place of."""
    standard_error: float | None
    """Root of the variance; None where that is negative or unknown."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval on the variance; None means normal."""
    usable: bool
    """Whether an interval may be built on the variance."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    """Further numbers of the method."""
    intervals: tuple[Interval, ...]
    """The intervals about this estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalInterval:
    """A normal interval about a weighted risk."""

    method: str
    """Always ``normal``."""
    target: Target
    """The quantity that the interval is to cover."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: Alternative
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end, in units of the loss; None if it is open."""
    upper: float | None
    """Upper end, in units of the loss; None if it is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRisk:
    """The weighted risk in one source."""

    source: Label
    """Label of the source."""
    n: int
    """Number of its rows."""
    estimate: float
    """Mean of its weighted losses."""
    variance: float = field(metadata={"nullable": True})
    """Variance of the estimate; NaN for one row."""
    interval: NormalInterval | None
    """The interval about the risk; None for one row, or if one row has nearly all the weight."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRisk:
    """An importance-weighted risk of one model."""

    estimate: float
    """Estimated mean loss under the target distribution."""
    variance: float
    """Variance of the estimate."""
    standard_error: float
    """Root of the variance."""
    target: Target
    """The population whose mean loss is estimated."""
    beta: tuple[float, ...]
    """Coefficients of the control variates; empty where there are none."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalInterval | None
    """The interval about the estimate; None with fewer than two effective rows."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    by_source: tuple[SourceRisk, ...] | None = None
    """The risk in each source, where sources are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRiskDifference:
    """The difference of two models' weighted risks in one source."""

    source: Label
    """Label of the source."""
    n: int
    """Number of its rows."""
    difference: float
    """Risk of a minus risk of b."""
    variance: float = field(metadata={"nullable": True})
    """Variance of the difference; NaN for one row."""
    interval: NormalInterval | None
    """The interval about the difference; None for one row, or if one row has nearly all the
    weight."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRiskDifference:
    """The difference of two models' importance-weighted risks."""

    difference: float
    """Risk of a minus risk of b, under the target distribution."""
    variance: float
    """Variance of the difference."""
    standard_error: float
    """Root of the variance."""
    target: Target
    """The population whose mean losses are compared."""
    beta: tuple[float, ...]
    """Coefficients of the control variates; empty where there are none."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalInterval | None
    """The interval about the difference; None with fewer than two effective rows."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    by_source: tuple[SourceRiskDifference, ...] | None = None
    """The difference in each source, where sources are known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricMeans:
    """The values of a metric of one model."""

    pooled: float
    """The metric over all instances of a repeat, averaged over repeats; NaN where it is
    undefined."""
    macro: float
    """Average of the splits that have a value; NaN where it is undefined."""
    blocks: FloatArray | None = None
    """(K,) value of each block, in the order of ``block_labels``; NaN where it is undefined. Only
    if ``blocks`` are included."""
    splits: FloatArray | None = None
    """(J,) value of each split, where there are several repeats and ``blocks`` are included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """A metric of one model."""

    estimate: MetricMeans
    """The metric over all instances and over blocks."""
    mean: MeanKind
    """Which of the two means ``variance`` belongs to."""
    variance: float | None
    """The variance by the recommended method for ``target``; None where there is none."""
    standard_error: float | None
    """Root of the variance."""
    method: str | None
    """Name of that variance."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval on the variance; None means normal."""
    target: Target
    """The quantity that the variance and its interval are about."""
    recommended: Mapping[Target, Interval]
    """The recommended interval of each target."""
    intervals: tuple[Interval, ...] | None = None
    """Every interval about the metric; only if ``intervals`` are included."""
    variances: Mapping[str, VarianceEstimate] | None = None
    """Estimated variances of the metric, by method; only if ``variances`` are included."""
    higher_is_better: bool
    """Whether larger values are better."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    """Further numbers of the metric."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocCurve:
    """The points of a receiver operating characteristic, from (0, 0) to (1, 1)."""

    false_positive_rate: FloatArray
    """(m,) share of the negative rows whose score is at least the threshold."""
    true_positive_rate: FloatArray
    """(m,) share of the positive rows whose score is at least the threshold."""
    positives: int
    """Number of rows of the positive class."""
    negatives: int
    """Number of rows of the negative class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Rows with similar predicted probabilities, and how many of them are positive."""

    n: int
    """Number of rows."""
    mean_score: float
    """Average predicted probability."""
    share: float
    """Share of the rows that are positive."""
    lower: float
    """Lower end of Wilson's interval for that share, which takes the rows as independent."""
    upper: float
    """Upper end of that interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCurves:
    """How the scores of one model separate two classes, over the rows of the first repeat."""

    positive_class: Label
    """The class that high scores indicate."""
    level: float
    """Confidence level of the intervals."""
    roc: RocCurve
    """The receiver operating characteristic, at most 101 of its points."""
    reliability: tuple[ReliabilityBin, ...] | None
    """Ten groups of rows of about the same size; None if the scores are not between 0 and 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedPlan:
    """What more trainings or more data would do to the standard error of the mean."""

    seeds: int
    """Number of trainings on each split."""
    times_data: int
    """How many times as much data."""
    standard_error: float
    """Standard error of the mean loss that is then to be expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedVariance:
    """What random numbers of learners add to the variance of a mean loss, or of a difference."""

    seeds: int
    """Number of trainings on each split; 1 for learners that draw no random numbers."""
    draws: bool
    """Whether the learner, or one of the two, may draw random numbers."""
    variance: float | None = None
    """Variance of the mean loss, or of the difference, between trainings, if each split had one;
    left out for learners that are trained once."""
    degrees_of_freedom: int | None = None
    """Degrees of freedom of that variance: seeds minus one, for each split."""
    share: float | None = None
    """Share of the variance of the mean, as its interval has it, that is left to seeds: the
    variance between trainings over their number. It may exceed 1 where the interval is about
    something else; left out without an interval."""
    plans: tuple[SeedPlan, ...] | None = None
    """The standard error with twice the seeds, and with twice the data; left out without a
    share."""
    sentence: str
    """Seeds or data: what to have more of, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize:
    """How large a difference is relative to the spread of the paired differences."""

    name: str
    """Always ``cohen_d``."""
    value: float | None
    """Mean of the paired differences over their standard deviation; None where they do not vary."""
    unit: str
    """What is paired: ``block`` or ``instance``."""
    n: int
    """Number of pairs of units."""
    hedges_g: float | None
    """``value`` corrected for its bias with few units."""
    probability_of_superiority: float
    """Share of the units where a is better; a tie counts one half."""
    rank_biserial: float | None
    """Difference of the signed-rank sums over their total, in [-1, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """The difference of two models' metric."""

    difference: float
    """Metric of a minus metric of b, by the mean that ``mean`` names."""
    difference_pooled: float
    """Difference of the pooled values; NaN where one is undefined."""
    difference_macro: float
    """Difference of the macro means; NaN where one is undefined."""
    mean: MeanKind
    """The mean, ``macro`` or ``pooled``, whose difference ``difference`` is."""
    variance: float | None
    """The variance by the recommended method for ``target``; None where there is none."""
    standard_error: float | None
    """Root of the variance."""
    method: str | None
    """Name of that variance."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval and the t test on the variance; None means normal."""
    target: Target
    """The quantity that the variance, the interval and the test are about."""
    interval: Interval | None
    """The recommended interval for that target."""
    recommended: Mapping[Target, Interval] | None = None
    """The recommended interval of each target; only if ``intervals`` are included."""
    intervals: tuple[Interval, ...] | None = None
    """Every interval about the difference; only if ``intervals`` are included."""
    statistic: float | None
    """Difference over standard error; None where that is 0 or unknown."""
    p_value: float | None
    """p-value of no difference, at which the interval ends at 0 where it is ``square_and_add``.
    None without a variance, or with one of 0 unless both are equal."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    alternative: Alternative
    """Alternative of the interval and the test, in the units of the metric."""
    higher_is_better: bool
    """Whether larger values are better."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""


@dataclass(frozen=True, slots=True)
class LogRatio:
    """The interval of the log ratio of two means, by the delta method.

    It rests on the variance, the degrees of freedom and the level of Fieller's set, which is
    recommended. Where that set has no end, this one is finite, and covers too rarely: the mean of b
    could be 0, and its logarithm is then far from normal (edges/relative_differences).
    """

    lower: float
    """Lower end, as a ratio."""
    upper: float
    """Upper end, as a ratio."""
    standard_error: float
    """Standard error of the logarithm of the ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeDifference:
    """How much larger or smaller the mean of a is than that of b, as a share of the latter."""

    mean_a: float
    """Mean of the first model."""
    mean_b: float
    """Mean of the second model."""
    mean: MeanKind
    """Which means they are, ``macro`` or ``pooled``."""
    ratio: float | None
    """Mean of a over mean of b; None where the mean of b could be 0, or means could be negative."""
    change: float | None
    """The ratio minus 1: -0.12 is 12 % less. None as the ratio."""
    method: Literal["fieller"]
    """How the set of ratios is found."""
    shape: RatioShape | None
    """``interval``; ``two_rays`` where the mean of b could be 0: the ratios up to ``lower`` and
    from ``upper`` on; ``everything`` where no ratio is excluded. None where there is no set."""
    lower: float | None
    """Lower end of the set of ratios."""
    upper: float | None
    """Upper end of the set of ratios."""
    g: float | None
    """Squared relative error of the mean of b; from 1 on that mean could be 0."""
    log_ratio: LogRatio | None = None
    """The interval of the log ratio; left out where there is no set, or a mean is 0."""
    level: float
    """Confidence level of the two-sided set."""
    simultaneous_pairs: int | None
    """Number of pairs whose sets hold all at once at this level; None where it holds by itself."""
    variance: str | None
    """The variance that the set rests on; None where there is no set."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t distribution; None means normal."""
    sentence: str
    """The relative difference in words, or why there is none."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such a set had the true ratio in the nearest studied design, be it an interval or
    not."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """On how many units each of two models is better; of trained models, not of learners."""

    unit: str
    """``instance`` or ``block``."""
    a: int
    """Units on which a is better."""
    b: int
    """Units on which b is better."""
    ties: int
    """Units on which they are equal, up to rounding."""
    win_rate: float
    """Share of the units on which a is better; a tie counts one half."""
    standard_error: float | None
    """Standard error of the share by its variance over units or clusters; None without spread."""
    method: Literal["score", "score_clusters"] | None
    """The interval: Tango's score interval for the share of wins minus that of losses, or its form
    for units in clusters. None where there is none."""
    lower: float | None
    """Lower end of the win rate."""
    upper: float | None
    """Upper end of the win rate."""
    level: float
    """Confidence level of the two-sided interval."""
    simultaneous_pairs: int | None
    """Number of pairs whose intervals hold all at once at this level; None where it holds by
    itself."""
    p_value: float | None
    """Two-sided p-value of the exact sign test without the ties; None with clusters."""
    p_value_adjusted: float | None
    """The p-value for all pairs at once: where it is not below 1 - ``level``, the interval contains
    one half. None where the interval holds by itself."""
    sentence: str
    """The counts and the win rate in words."""
    reason: str | None = None
    """Why there is no interval, or no p-value."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such an interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberNeeded:
    """For how many units there is one error fewer with the better model."""

    better: str | None
    """The model with fewer errors; None where both have as many."""
    estimate: float | None
    """1 over the difference of the error rates; None where that is 0."""
    lower: float | None
    """Least number for one error fewer with ``better``, by the interval of the difference."""
    upper: float | None
    """Largest such number; None where the difference could be 0."""
    lower_reverse: float | None
    """Least number for one error more with ``better``, where the interval has differences of the
    other sign; all numbers from there on are then possible, too."""
    level: float | None
    """Confidence level of the interval; None where there is none."""
    sentence: str
    """The number in words, or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecondMoments:
    """Second moments of one model's block means."""

    blocks: tuple[Label, ...]
    """(K,) labels of the blocks."""
    mean: FloatArray
    """(K,) mean loss of each block."""
    within_variance: FloatArray = field(metadata={"nullable": True})
    """(K,) variance of the losses inside each block; NaN where it is undefined."""
    moments: FloatArray = field(metadata={"dimensions": 2, "nullable": True})
    """(K, K) products of block means; on the diagonal without the variance inside the block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCovariance:
    """The second moments of all models' block means."""

    models: Mapping[str, SecondMoments]
    """Second moments by model; empty where they are left out."""
    reason: str | None = None
    """Why they are left out."""
    repeat: int | None = None
    """The repeat that is shown, where there are several."""
