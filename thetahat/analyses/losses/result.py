"""The types of an evaluation's result: models, comparisons, tests, verdicts.

``thetahat.values.json_values.to_json`` writes them, with the names of the fields as keys. An
``Interval`` and a ``VarianceEstimate`` are written as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.coverage import ExpectedCoverage, ExpectedSize, IntervalCalibration
from thetahat.values.json_values import JsonValue
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.types import Alternative, Better, FloatArray, Label, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

DetailLevel = Literal["full", "brief"]
PlanUnit = Literal["sources", "instances", "repeats"]
DegreesOfFreedom = float | tuple[float, ...] | None
"""One number, or numerator and denominator of F; None where the distribution has none."""


class Decision(StrEnum):
    """The answer of a verdict on models a and b."""

    EQUIVALENT = "equivalent"
    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not_worse"
    UNDECIDED = "undecided"


class Requirement(StrEnum):
    """What a gate requires of a model compared with another one."""

    BETTER = "better"
    NOT_WORSE = "not_worse"
    EQUIVALENT = "equivalent"


class GateOutcome(StrEnum):
    """The answer of a gate."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


# Models ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means:
    """The means of one model's losses.

    Parameters
    ----------
    macro : float
        Average of the block means.
    pooled : float
        Average over all instances.
    blocks : ndarray of float
        (K,) mean of each block, in the order of ``block_labels``; with repeats the average over
        them.
    splits : ndarray of float or None
        (J,) mean of each split, where there are several repeats.
    """

    macro: float
    pooled: float
    blocks: FloatArray
    splits: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEstimate:
    """An estimate of a model's error that is not the mean of the losses, such as .632.

    Parameters
    ----------
    estimate : float
        The estimated error, in units of the loss.
    variance : float or ndarray
        Variance of the estimate.
    target : Target
        The error that is estimated.
    mean : MeanKind
        The mean of the losses that the estimate takes the place of.
    standard_error : float or None
        Root of the variance; None where that is negative or unknown.
    degrees_of_freedom : float or None
        Degrees of freedom of the t interval on the variance; None means normal.
    usable : bool
        Whether an interval may be built on the variance.
    cautions : tuple of Caution
        Cautions about these numbers.
    details : mapping
        Further numbers of the method.
    intervals : tuple of Interval
        The intervals about this estimate.
    """

    estimate: float
    variance: float | FloatArray
    target: Target
    mean: MeanKind
    standard_error: float | None
    degrees_of_freedom: float | None
    usable: bool
    cautions: tuple[Caution, ...]
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalInterval:
    """A normal interval about a weighted risk.

    Parameters
    ----------
    method : str
        Always ``normal``.
    target : Target
        The quantity that the interval is to cover.
    level : float
        Confidence level, in (0, 1).
    alternative : Alternative
        ``two_sided``; ``less`` has no lower end, ``greater`` no upper end.
    lower, upper : float or None
        Ends, in units of the loss; an open end is None.
    """

    method: str
    target: Target
    level: float
    alternative: Alternative
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRisk:
    """The weighted risk in one source.

    Parameters
    ----------
    source : str, int or float
        Label of the source.
    n : int
        Number of its rows.
    estimate : float
        Mean of its weighted losses.
    variance : float
        Variance of the estimate; NaN for one row.
    interval : NormalInterval or None
        The interval about the risk; None for one row, or if one row has nearly all the weight.
    cautions : tuple of Caution
        Cautions about these numbers.
    """

    source: Label
    n: int
    estimate: float
    variance: float = field(metadata={"nullable": True})
    interval: NormalInterval | None
    cautions: tuple[Caution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRisk:
    """An importance-weighted risk of one model.

    Parameters
    ----------
    estimate : float
        Estimated mean loss under the target distribution.
    variance : float
        Variance of the estimate.
    standard_error : float
        Root of the variance.
    target : Target
        The population whose mean loss is estimated.
    beta : tuple of float
        Coefficients of the control variates; empty where there are none.
    bias : float or None
        Estimated bias, where the estimator has one.
    interval : NormalInterval or None
        The interval about the estimate; None with fewer than two effective rows.
    cautions : tuple of Caution
        Cautions about these numbers.
    by_source : tuple of SourceRisk or None
        The risk in each source, where sources are known.
    """

    estimate: float
    variance: float
    standard_error: float
    target: Target
    beta: tuple[float, ...]
    bias: float | None
    interval: NormalInterval | None
    cautions: tuple[Caution, ...]
    by_source: tuple[SourceRisk, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRiskDifference:
    """The difference of two models' weighted risks in one source.

    Parameters
    ----------
    source : str, int or float
        Label of the source.
    n : int
        Number of its rows.
    difference : float
        Risk of a minus risk of b.
    variance : float
        Variance of the difference; NaN for one row.
    interval : NormalInterval or None
        The interval about the difference; None for one row, or if one row has nearly all the
        weight.
    cautions : tuple of Caution
        Cautions about these numbers.
    """

    source: Label
    n: int
    difference: float
    variance: float = field(metadata={"nullable": True})
    interval: NormalInterval | None
    cautions: tuple[Caution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRiskDifference:
    """The difference of two models' importance-weighted risks.

    Parameters
    ----------
    difference : float
        Risk of a minus risk of b, under the target distribution.
    variance : float
        Variance of the difference.
    standard_error : float
        Root of the variance.
    target : Target
        The population whose mean losses are compared.
    beta : tuple of float
        Coefficients of the control variates; empty where there are none.
    bias : float or None
        Estimated bias, where the estimator has one.
    interval : NormalInterval or None
        The interval about the difference; None with fewer than two effective rows.
    cautions : tuple of Caution
        Cautions about these numbers.
    by_source : tuple of SourceRiskDifference or None
        The difference in each source, where sources are known.
    """

    difference: float
    variance: float
    standard_error: float
    target: Target
    beta: tuple[float, ...]
    bias: float | None
    interval: NormalInterval | None
    cautions: tuple[Caution, ...]
    by_source: tuple[SourceRiskDifference, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricMeans:
    """The values of a metric of one model.

    Parameters
    ----------
    pooled : float
        The metric over all instances of a repeat, averaged over repeats; NaN where it is undefined.
    macro : float
        Average of the splits that have a value; NaN where it is undefined.
    blocks : ndarray of float
        (K,) value of each block, in the order of ``block_labels``; NaN where it is undefined.
    splits : ndarray of float or None
        (J,) value of each split, where there are several repeats.
    """

    pooled: float
    macro: float
    blocks: FloatArray
    splits: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """A metric of one model.

    Parameters
    ----------
    estimate : MetricMeans
        The metric over all instances and over blocks.
    mean : MeanKind
        Which of the two means ``variance`` belongs to.
    variance : float or None
        The variance by the recommended method for ``target``; None where there is none.
    standard_error : float or None
        Root of the variance.
    method : str or None
        Name of that variance.
    degrees_of_freedom : float or None
        Degrees of freedom of the t interval on the variance; None means normal.
    target : Target
        The quantity that the variance and its interval are about.
    recommended : mapping of Target to Interval
        The recommended interval of each target.
    intervals : tuple of Interval or None
        Every interval about the metric; left out in brief.
    variances : mapping of str to VarianceEstimate or None
        Estimated variances of the metric, by method; left out in brief.
    higher_is_better : bool
        Whether larger values are better.
    cautions : tuple of Caution
        Cautions about these numbers.
    details : mapping
        Further numbers of the metric.
    """

    estimate: MetricMeans
    mean: MeanKind
    variance: float | None
    standard_error: float | None
    method: str | None
    degrees_of_freedom: float | None
    target: Target
    recommended: Mapping[Target, Interval]
    intervals: tuple[Interval, ...] | None = None
    variances: Mapping[str, VarianceEstimate] | None = None
    higher_is_better: bool
    cautions: tuple[Caution, ...]
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocCurve:
    """The points of a receiver operating characteristic, from (0, 0) to (1, 1).

    Parameters
    ----------
    false_positive_rate : ndarray of float
        (m,) share of the negative rows whose score is at least the threshold.
    true_positive_rate : ndarray of float
        (m,) share of the positive rows whose score is at least the threshold.
    positives, negatives : int
        Number of rows of each class.
    """

    false_positive_rate: FloatArray
    true_positive_rate: FloatArray
    positives: int
    negatives: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Rows with similar predicted probabilities, and how many of them are positive.

    Parameters
    ----------
    n : int
        Number of rows.
    mean_score : float
        Average predicted probability.
    share : float
        Share of the rows that are positive.
    lower, upper : float
        Ends of Wilson's interval for that share, which takes the rows as independent.
    """

    n: int
    mean_score: float
    share: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCurves:
    """How the scores of one model separate two classes, over the rows of the first repeat.

    Parameters
    ----------
    positive_class : label
        The class that high scores indicate.
    level : float
        Confidence level of the intervals.
    roc : RocCurve
        The receiver operating characteristic, at most 101 of its points.
    reliability : tuple of ReliabilityBin or None
        Ten groups of rows of about the same size; None if the scores are not between 0 and 1.
    """

    positive_class: Label
    level: float
    roc: RocCurve
    reliability: tuple[ReliabilityBin, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult:
    """The estimates of one model's error.

    Parameters
    ----------
    mean : Means
        Means of its losses.
    n : int
        Number of test instances.
    blocks : int
        Number of blocks in one partition.
    recommended : mapping of Target to Interval
        The recommended interval of each target.
    prediction : Interval or None
        Prediction interval for the mean loss on one new source, if the data allow one.
    variances : mapping of str to VarianceEstimate or None
        Estimated variances of the mean loss, by method; in brief only where the request names
        variances.
    intervals : tuple of Interval or None
        Every interval about the mean loss; in brief only where the request names intervals.
    estimates : mapping of str to ErrorEstimate or None
        Estimates of the error that are not the mean of the losses, by method, where the request
        names such methods.
    risks : mapping of str to WeightedRisk or None
        Importance-weighted risks by estimator, where there are weights.
    metrics : mapping of str to MetricResult or None
        Metrics by name, where the request names any.
    score_curves : ScoreCurves or None
        How the scores separate two classes, where a metric of scores is requested.
    """

    mean: Means
    n: int
    blocks: int
    recommended: Mapping[Target, Interval]
    prediction: Interval | None = None
    variances: Mapping[str, VarianceEstimate] | None = None
    intervals: tuple[Interval, ...] | None = None
    estimates: Mapping[str, ErrorEstimate] | None = None
    risks: Mapping[str, WeightedRisk] | None = None
    metrics: Mapping[str, MetricResult] | None = None
    score_curves: ScoreCurves | None = None


# Comparisons -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefEffectSize:
    """The effect size of a comparison in brief.

    Parameters
    ----------
    name : str
        Always ``cohen_d``.
    value : float or None
        Mean of the paired differences over their standard deviation; None where they do not vary.
    """

    name: str
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize(BriefEffectSize):
    """How large a difference is relative to the spread of the paired differences.

    Parameters
    ----------
    unit : str
        What is paired: ``block`` or ``instance``.
    n : int
        Number of pairs of units.
    hedges_g : float or None
        ``value`` corrected for its bias with few units.
    probability_of_superiority : float
        Share of the units where a is better; a tie counts one half.
    rank_biserial : float or None
        Difference of the signed-rank sums over their total, in [-1, 1].
    """

    unit: str
    n: int
    hedges_g: float | None
    probability_of_superiority: float
    rank_biserial: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """The outcome of one paired test.

    Parameters
    ----------
    statistic : float or None
        The test statistic; None where it is infinite or undefined, and for Bayesian tests.
    degrees_of_freedom : float, tuple of float or None
        Degrees of freedom, for F of numerator and denominator; None where the reference
        distribution has none.
    p_value : float or None
        The p-value; None where the test has none, and for Bayesian tests.
    p_value_adjusted : float or None
        The p-value corrected over the pairs; None for a single pair.
    target : Target
        The difference that is tested.
    unit : str
        What is paired: ``block``, ``instance`` or ``cluster``.
    cautions : tuple of Caution
        Cautions about these numbers.
    details : mapping
        Further numbers of the test.
    expected_size : ExpectedSize or None
        How often it rejected a true null hypothesis in the studied design nearest to this one;
        left out where none is like it.
    """

    __test__ = False  # tells pytest that this is no test class

    statistic: float | None
    degrees_of_freedom: DegreesOfFreedom
    p_value: float | None
    p_value_adjusted: float | None
    target: Target
    unit: str
    cautions: tuple[Caution, ...]
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    expected_size: ExpectedSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefTestResult:
    """The numbers of a paired test in a comparison in brief.

    Parameters
    ----------
    statistic : float or None
        The test statistic; None where it is infinite or undefined.
    p_value : float or None
        The p-value; None where the test has none.
    p_value_adjusted : float or None
        The p-value corrected over the pairs; None for a single pair.
    degrees_of_freedom : float, tuple of float or None
        Degrees of freedom; left out where the reference distribution has none.
    """

    statistic: float | None
    p_value: float | None
    p_value_adjusted: float | None
    degrees_of_freedom: DegreesOfFreedom = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefBayesianResult:
    """The posterior probabilities of a Bayesian test in a comparison in brief.

    Parameters
    ----------
    p_left : float
        Probability that the difference is below the region of practical equivalence.
    p_rope : float
        Probability that the difference is inside this region.
    p_right : float
        Probability that the difference is above this region.
    """

    p_left: float
    p_rope: float
    p_right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAlternative:
    """Another kind of data to add, with the number needed or the reason why it does not suffice.

    Parameters
    ----------
    unit : str
        What is added: ``sources``, ``instances`` or ``repeats``.
    additional : int or None
        Number of units to add.
    total : int or None
        Number of units with those that are there.
    reason : str or None
        Why more of them do not suffice; the numbers are then None.
    """

    unit: PlanUnit
    additional: int | None = None
    total: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The smallest experiment that has the requested power against the assumed difference.

    Parameters
    ----------
    unit : str
        What is added: ``sources``, ``instances`` or ``repeats``.
    additional : int
        Number of units to add.
    total : int
        Number of units with those that are there.
    power : float
        Probability of finding the assumed difference.
    assumed_difference : float
        The true difference that the plan assumes.
    assumes : str
        The source of that difference: ``margin`` or ``observed``.
    alternatives : tuple of PlanAlternative
        The other units that could be added.
    sentence : str
        The plan in words.
    """

    unit: PlanUnit
    additional: int
    total: int
    power: float
    assumed_difference: float
    assumes: Literal["margin", "observed"]
    alternatives: tuple[PlanAlternative, ...]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference that data like these detect with the requested power.

    Parameters
    ----------
    difference : float
        The smallest detectable difference, above 0.
    power : float
        Probability of finding it.
    alpha : float
        Level of the test.
    power_at_margin : float or None
        Probability of finding a difference as large as the margin; None without a margin.
    """

    difference: float
    power: float
    alpha: float
    power_at_margin: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefVerdict:
    """The verdict on two models, without its interval and plan.

    Parameters
    ----------
    decision : Decision
        The first of the statements that hold.
    also : tuple of Decision
        The other statements that hold.
    p_value : float or None
        Two-sided p-value of no difference.
    p_value_adjusted : float or None
        The p-value corrected over the pairs; None for a single pair.
    reason : str
        The verdict in words.
    p_value_equivalent : float or None
        p-value of a difference of at least the margin, by two one-sided tests; None without a
        margin.
    p_value_equivalent_adjusted : float or None
        That p-value corrected over the pairs; None for a single pair or without a margin.
    p_value_not_worse : float or None
        One-sided p-value of a being worse than b by at least the margin; None without a margin.
    p_value_not_worse_adjusted : float or None
        That p-value corrected over the pairs; None for a single pair or without a margin.
    """

    decision: Decision
    also: tuple[Decision, ...]
    p_value: float | None
    p_value_adjusted: float | None
    reason: str
    p_value_equivalent: float | None = None
    p_value_equivalent_adjusted: float | None = None
    p_value_not_worse: float | None = None
    p_value_not_worse_adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(BriefVerdict):
    """The verdict on two models.

    Parameters
    ----------
    margin : float or None
        Largest difference that does not matter, in units of the loss.
    target : Target or None
        The quantity that the verdict is about; None where no interval could be built.
    method : str or None
        The interval that it rests on, or ``sign`` where all differences are equal.
    variance : str or None
        The variance that this interval rests on.
    plan : Plan or None
        How much more data an undecided verdict needs.
    plan_reason : str or None
        Why there is no plan.
    detectable : Detectable or None
        The smallest difference that data like these detect with the requested power.
    expected_size : ExpectedSize or None
        How often the verdict's own test called equal models different in the studied design nearest
        to this one; left out where none is like it.
    """

    margin: float | None
    target: Target | None
    method: str | None
    variance: str | None
    plan: Plan | None
    plan_reason: str | None
    detectable: Detectable | None
    expected_size: ExpectedSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """The difference of two models' metric.

    Parameters
    ----------
    difference : float
        Metric of a minus metric of b, by the mean that ``mean`` names.
    difference_pooled : float
        Difference of the pooled values; NaN where one is undefined.
    difference_macro : float
        Difference of the macro means; NaN where one is undefined.
    mean : MeanKind
        The mean, ``macro`` or ``pooled``, whose difference ``difference`` is.
    variance : float or None
        The variance by the recommended method for ``target``; None where there is none.
    standard_error : float or None
        Root of the variance.
    method : str or None
        Name of that variance.
    degrees_of_freedom : float or None
        Degrees of freedom of the t interval and the t test on the variance; None means normal.
    target : Target
        The quantity that the variance, the interval and the test are about.
    interval : Interval or None
        The recommended interval for that target.
    recommended : mapping of Target to Interval
        The recommended interval of each target.
    intervals : tuple of Interval
        Every interval about the difference.
    statistic : float or None
        Difference over standard error; None where that is 0 or unknown.
    p_value : float or None
        p-value of no difference.
    p_value_adjusted : float or None
        The p-value corrected over the pairs; None for a single pair.
    alternative : Alternative
        Alternative of the interval and the test, in the units of the metric.
    higher_is_better : bool
        Whether larger values are better.
    cautions : tuple of Caution
        Cautions about these numbers.
    """

    difference: float
    difference_pooled: float
    difference_macro: float
    mean: MeanKind
    variance: float | None
    standard_error: float | None
    method: str | None
    degrees_of_freedom: float | None
    target: Target
    interval: Interval | None
    recommended: Mapping[Target, Interval]
    intervals: tuple[Interval, ...]
    statistic: float | None
    p_value: float | None
    p_value_adjusted: float | None
    alternative: Alternative
    higher_is_better: bool
    cautions: tuple[Caution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefMetricDifference:
    """The difference of two models' metric in a comparison in brief.

    Parameters
    ----------
    difference : float
        Metric of a minus metric of b.
    standard_error : float or None
        Standard error of the difference; None where no interval could be built.
    lower, upper : float or None
        Ends of the recommended interval; an open end is None.
    statistic : float or None
        Difference over standard error.
    p_value : float or None
        p-value of no difference.
    p_value_adjusted : float or None
        The p-value corrected over the pairs; None for a single pair.
    """

    difference: float
    standard_error: float | None
    lower: float | None
    upper: float | None
    statistic: float | None
    p_value: float | None
    p_value_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two models side by side.

    Parameters
    ----------
    a, b : str
        Names of the models.
    difference : float
        Macro mean of a minus macro mean of b.
    difference_pooled : float
        Pooled mean of a minus pooled mean of b.
    interval : Interval or None
        The interval that the verdict rests on; None where none could be built.
    recommended : mapping of Target to Interval
        The recommended interval of each target.
    intervals : tuple of Interval
        Every interval about the difference.
    variances : mapping of str to VarianceEstimate
        Estimated variances of the difference, by method.
    effect_size : EffectSize
        The difference relative to the spread of the paired differences.
    tests : mapping of str to TestResult
        Outcomes of the paired tests, by method.
    cautions : tuple of Caution
        Cautions about the difference as a whole.
    verdict : Verdict
        Which of the two is better, if the data show it.
    risks : mapping of str to WeightedRiskDifference or None
        Differences of the importance-weighted risks, where there are weights.
    metrics : mapping of str to MetricDifference or None
        Differences of the metrics by name, where the request names any.
    """

    a: str
    b: str
    difference: float
    difference_pooled: float
    interval: Interval | None
    recommended: Mapping[Target, Interval]
    intervals: tuple[Interval, ...]
    variances: Mapping[str, VarianceEstimate]
    effect_size: EffectSize
    tests: Mapping[str, TestResult]
    cautions: tuple[Caution, ...]
    verdict: Verdict
    risks: Mapping[str, WeightedRiskDifference] | None = None
    metrics: Mapping[str, MetricDifference] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefInterval:
    """The interval of a comparison in brief; level and alternative are those of the request.

    Parameters
    ----------
    method, variance : str
        The interval's method and the variance it rests on, if any.
    target : Target
        The quantity that the interval is to cover.
    mean : MeanKind
        The mean that the interval is about, ``macro`` or ``pooled``.
    estimate : float
        The difference of that mean, a minus b.
    standard_error : float or None
        Standard error of the difference, in units of the loss.
    lower, upper : float or None
        Ends; an open end is None.
    degrees_of_freedom : float or None
        Degrees of freedom of the t interval; None means normal.
    details : mapping
        Further numbers of the method.
    expected_coverage_share : float or None
        Share of samples of the nearest studied design in which such an interval covered; the design
        is in ``comparison_coverages``. Left out where no such design was studied.
    measured : IntervalCalibration or None
        How often the interval covers on samples of the data, if the request asks for it.
    """

    method: str
    target: Target
    variance: str | None
    mean: MeanKind
    estimate: float
    standard_error: float | None
    lower: float | None
    upper: float | None
    degrees_of_freedom: float | None
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    expected_coverage_share: float | None = None
    measured: IntervalCalibration | None = field(default=None, metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class CautionPlace:
    """A caution of one comparison in brief; its sentence is among ``comparison_cautions``.

    Parameters
    ----------
    where : str
        The part that it is about: ``pair``, ``interval``, ``tests.METHOD``, ``metrics.NAME``.
    code : str
        The caution's code.
    """

    where: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefComparison:
    """Two models side by side, in brief.

    Parameters
    ----------
    a, b : str
        Names of the models.
    difference : float
        Macro mean of a minus macro mean of b.
    difference_pooled : float
        Pooled mean of a minus pooled mean of b.
    interval : BriefInterval or None
        The interval that the verdict rests on; None where none could be built.
    effect_size : BriefEffectSize
        The difference relative to the spread of the paired differences.
    tests : mapping of str to BriefTestResult or BriefBayesianResult
        Numbers of the paired tests, by method.
    cautions : tuple of CautionPlace
        Cautions of this comparison that not all of them share.
    verdict : BriefVerdict
        Which of the two is better, if the data show it.
    intervals : tuple of Interval or None
        Every interval about the difference, where the request names intervals.
    variances : mapping of str to VarianceEstimate or None
        Estimated variances of the difference, where the request names variances.
    metrics : mapping of str to BriefMetricDifference or None
        Differences of the metrics by name, where the request names any.
    """

    a: str
    b: str
    difference: float
    difference_pooled: float
    interval: BriefInterval | None
    effect_size: BriefEffectSize
    tests: Mapping[str, BriefTestResult | BriefBayesianResult]
    cautions: tuple[CautionPlace, ...]
    verdict: BriefVerdict
    intervals: tuple[Interval, ...] | None = None
    variances: Mapping[str, VarianceEstimate] | None = None
    metrics: Mapping[str, BriefMetricDifference] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTest:
    """What is the same for one test in every comparison in brief.

    Parameters
    ----------
    target : Target
        The difference that is tested.
    unit : str
        What is paired: ``block``, ``instance`` or ``cluster``.
    expected_size : ExpectedSize or None
        How often the test called equal models different in the nearest studied design; left out
        where none was studied.
    """

    target: Target
    unit: str
    expected_size: ExpectedSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCaution:
    """A caution of several comparisons in brief, written once.

    Parameters
    ----------
    where : str
        The part of a comparison that it is about.
    code : str
        The caution's code.
    message : str
        Its sentence in the first comparison that has it.
    pairs : int
        Number of comparisons that have it.
    """

    where: str
    code: str
    message: str
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Whether a model meets the requirement of a gate.

    Parameters
    ----------
    outcome : GateOutcome
        ``pass``, ``fail`` or ``undecided``: the answer that a pipeline acts on.
    undecided : bool
        Whether the data show neither the requirement nor its opposite. The outcome is then the
        request's ``undecided``, but never ``pass`` if one of the models has no losses.
    model, against : str
        The model, and the one that it is compared with.
    require : Requirement
        What had to be shown.
    margin : float or None
        Largest difference that does not matter, in units of the loss.
    difference : float or None
        Mean of the model minus mean of the other; None where one could not be evaluated.
    lower, upper : float or None
        Ends of the interval of the difference that the verdict rests on; None where an end is open
        or there is no interval.
    level : float
        Confidence level of the interval.
    target : Target or None
        What the interval is about.
    sentence : str
        The outcome in words, with the numbers.
    """

    outcome: GateOutcome
    undecided: bool
    model: str
    against: str
    require: Requirement
    margin: float | None
    difference: float | None
    lower: float | None
    upper: float | None
    level: float
    target: Target | None
    sentence: str


# All models --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusResult:
    """The outcome of one test of all models at once.

    Parameters
    ----------
    statistic : float or None
        The test statistic; None where it is infinite or undefined.
    degrees_of_freedom : float, tuple of float or None
        Degrees of freedom, for F of numerator and denominator; None where the reference
        distribution has none.
    p_value : float
        p-value of no difference between any models.
    target : Target
        The differences that are tested.
    unit : str
        What the rows are: ``block``, ``instance`` or ``cluster``.
    cautions : tuple of Caution
        Cautions about these numbers.
    details : mapping
        Further numbers of the test.
    expected_size : ExpectedSize or None
        How often it rejected with three equal models in the studied design nearest to this one;
        left out where none is like it.
    """

    statistic: float | None
    degrees_of_freedom: DegreesOfFreedom
    p_value: float
    target: Target
    unit: str
    cautions: tuple[Caution, ...]
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    expected_size: ExpectedSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHocPair:
    """One pair of models after a test of all models.

    Parameters
    ----------
    a, b : str
        Names of the models.
    z : float or None
        Difference of their scores divided by its standard error; None where that is 0.
    p_value : float
        Two-sided p-value of the pair.
    p_value_adjusted : float
        The p-value corrected over the pairs.
    """

    a: str
    b: str
    z: float | None
    p_value: float
    p_value_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostHocColumns:
    """All pairs of models after a test of all models, as columns.

    Parameters
    ----------
    order : str
        The order of the pairs, in words.
    z : tuple of float or None
        (m,) differences of scores over their standard error.
    p_value : ndarray of float
        (m,) two-sided p-values.
    p_value_adjusted : ndarray of float
        (m,) p-values corrected over the pairs.
    """

    order: str
    z: tuple[float | None, ...]
    p_value: FloatArray
    p_value_adjusted: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalDifferenceDiagram:
    """What a critical difference diagram draws.

    Parameters
    ----------
    score : str
        Name of the models' scores, such as ``mean_ranks``.
    values : mapping of str to float
        Score of each model; smaller is better.
    alpha : float
        Level of the pairs' tests.
    critical_difference : float or None
        Smallest difference of scores at which two models differ; None where the correction has
        none.
    groups : tuple of tuple of str
        Largest runs of neighbouring models of which no two differ, the best model's first.
    """

    score: str
    values: Mapping[str, float]
    alpha: float
    critical_difference: float | None
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHocOmnibusResult(OmnibusResult):
    """The outcome of a test of all models that also compares the pairs.

    Parameters
    ----------
    pairs : tuple of PostHocPair or None
        None where comparisons are in brief.
    pair_columns : PostHocColumns or None
        The pairs as columns, where comparisons are in brief.
    alpha : float
        Level of the pairs' tests.
    correction : str
        How their p-values are corrected.
    tied_with : str
        The model with the best score, or the control.
    tied : tuple of tuple of str
        One group: that model and those that do not differ from it.
    diagram : CriticalDifferenceDiagram
        What a critical difference diagram draws.
    """

    pairs: tuple[PostHocPair, ...] | None
    pair_columns: PostHocColumns | None = None
    alpha: float
    correction: str
    tied_with: str
    tied: tuple[tuple[str, ...], ...]
    diagram: CriticalDifferenceDiagram


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecondMoments:
    """Second moments of one model's block means.

    Parameters
    ----------
    blocks : tuple of label
        (K,) labels of the blocks.
    mean : ndarray of float
        (K,) mean loss of each block.
    within_variance : ndarray of float
        (K,) variance of the losses inside each block; NaN where it is undefined.
    moments : ndarray of float
        (K, K) products of block means; on the diagonal without the variance inside the block.
    """

    blocks: tuple[Label, ...]
    mean: FloatArray
    within_variance: FloatArray = field(metadata={"nullable": True})
    moments: FloatArray = field(metadata={"dimensions": 2, "nullable": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockCovariance:
    """The second moments of all models' block means.

    Parameters
    ----------
    models : mapping of str to SecondMoments
        Second moments by model; empty where they are left out.
    reason : str or None
        Why they are left out.
    repeat : int or None
        The repeat that is shown, where there are several.
    """

    models: Mapping[str, SecondMoments]
    reason: str | None = None
    repeat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A method that was not used, though the request did not rule it out.

    Parameters
    ----------
    name : str
        Name of the method.
    reason : str
        Why it was not used.
    family : str
        ``variances``, ``intervals``, ``tests`` or ``omnibus``.
    """

    name: str
    reason: str
    family: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodUsed:
    """A method that a result was made with, and its parameters.

    Parameters
    ----------
    family : str
        What kind of method it is, such as ``variances``.
    name : str
        Name of the method.
    params : mapping
        All its parameters.
    key : str or None
        Its key in the result (the request's ``as``), where that is not the name.
    """

    family: str
    name: str
    params: Mapping[str, JsonValue]
    key: str | None = field(default=None, metadata={"wire": "as"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """One model in a summary.

    Parameters
    ----------
    name : str
        Name of the model.
    estimate : float
        Its mean loss or score: the centre of the recommended interval, or the macro mean of every
        model if one has no such interval.
    lower, upper : float or None
        Ends of that interval; None where an end is open or there is no interval.
    """

    name: str
    estimate: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSummary:
    """One comparison in a summary.

    Parameters
    ----------
    a, b : str
        Names of the models.
    difference : float
        The difference a minus b: the centre of the recommended interval, or the difference of macro
        means.
    lower, upper : float or None
        Ends of that interval; None where an end is open or there is no interval.
    decision : Decision
        The verdict.
    p_value : float or None
        Two-sided p-value of no difference, not corrected over the pairs.
    """

    a: str
    b: str
    difference: float
    lower: float | None
    upper: float | None
    decision: Decision
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The part of a result that a table of evaluations shows.

    Parameters
    ----------
    best_model : str
        The model with the lowest mean loss (or the highest mean score).
    target : Target
        The quantity that the intervals of the models are about.
    better : str
        ``lower`` where the values are losses, ``higher`` where they are scores.
    level : float
        Confidence level of the intervals.
    margin : float or None
        Largest difference that does not matter, where the request has one.
    sentences : tuple of str
        The best model and every verdict in words; of very many comparisons the most relevant.
    models : tuple of ModelSummary
        The best models, the best one first; at most twenty.
    comparisons : tuple of ComparisonSummary
        At most twenty comparisons in the order of the result; those with the best model are
        preferred.
    decisions : mapping of Decision to int
        Number of comparisons with each decision.
    """

    best_model: str
    target: Target
    better: Better
    level: float
    margin: float | None = None
    sentences: tuple[str, ...]
    models: tuple[ModelSummary, ...]
    comparisons: tuple[ComparisonSummary, ...]
    decisions: Mapping[Decision, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """The result of an evaluation: every model, every comparison, and all models at once.

    Parameters
    ----------
    summary : Summary
        The best model, the verdicts in words and the main intervals.
    models : mapping of str to ModelResult
        The results of the models by name.
    detail : str
        Amount of detail of each model and comparison: ``full`` or ``brief``.
    comparisons : tuple of Comparison or BriefComparison
        Every pair of models, or every model with the control.
    comparison_tests : mapping of str to SharedTest or None
        What is the same for a test in every comparison in brief, by method.
    comparison_cautions : tuple of SharedCaution or None
        The cautions of comparisons in brief, each once.
    comparison_coverages : tuple of ExpectedCoverage or None
        Every coverage that is the ``expected_coverage_share`` of a brief comparison's interval,
        once, with its design.
    omnibus : mapping of str to OmnibusResult
        Tests of all models at once, by method.
    covariance : BlockCovariance
        Second moments of the block means.
    block_labels : tuple of label
        Labels of the blocks, in order of first appearance.
    left_out : LeftOut or None
        Rows of the data or losses that are left out because the request asks for that.
    unit : BlockNoun
        What one block is called, and several: the request's ``unit``, or source or fold.
    not_applicable : tuple of NotApplicable
        Methods that were not used, with the reason.
    cautions : tuple of Caution
        Cautions about the evaluation as a whole.
    gate : GateResult or None
        Whether a model meets the requirement of the request's gate.
    methods : tuple of MethodUsed
        Variances, intervals and tests that were used, with their parameters. Left out of the JSON,
        where the provenance of the result has them.
    """

    summary: Summary
    models: Mapping[str, ModelResult]
    detail: DetailLevel
    comparisons: tuple[Comparison, ...] | tuple[BriefComparison, ...]
    comparison_tests: Mapping[str, SharedTest] | None = None
    comparison_cautions: tuple[SharedCaution, ...] | None = None
    comparison_coverages: tuple[ExpectedCoverage, ...] | None = None
    omnibus: Mapping[str, OmnibusResult | PostHocOmnibusResult]
    covariance: BlockCovariance
    block_labels: tuple[Label, ...]
    left_out: LeftOut | None = None
    unit: BlockNoun
    not_applicable: tuple[NotApplicable, ...]
    cautions: tuple[Caution, ...]
    gate: GateResult | None = None
    methods: tuple[MethodUsed, ...] = field(metadata={"omit": True})
