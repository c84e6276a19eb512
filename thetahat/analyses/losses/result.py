"""The types of an evaluation's result: models, comparisons, tests, verdicts.

``thetahat.values.json_values.to_json`` writes them, with the names of the fields as keys. An
``Interval`` and a ``VarianceEstimate`` are written as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from thetahat.analyses.groups.result import ModelGroups, PairGroups
from thetahat.analyses.losses.cost_result import CostOfModel, CostOfPair, CostSummary
from thetahat.analyses.losses.judge_result import JudgeResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.probabilities.result import ModelProbabilities, PairProbabilities
from thetahat.analyses.runs.result import RunsOfModel, RunsOfPair
from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.numerics.fieller import RatioShape
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.coverage import ExpectedSize
from thetahat.values.json_values import JsonValue, to_json
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.types import Alternative, Better, FloatArray, Label, MeanKind, Target
from thetahat.variances.base import VarianceEstimate
from thetahat_presentation.shown_result import ShownResult

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
    NO_GROUP_WORSE = "no_group_worse"


class GateOutcome(StrEnum):
    """The answer of a gate."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


# Models ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means:
    """The means of one model's losses."""

    macro: float
    """Average of the block means."""
    pooled: float
    """Average over all instances."""
    blocks: FloatArray | None = None
    """(K,) mean of each block, in the order of ``block_labels``; with repeats the average over
    them. Only if ``blocks`` are included."""
    splits: FloatArray | None = None
    """(J,) mean of each split, where there are several repeats and ``blocks`` are included."""


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
class SeedsOfModel:
    """What the random numbers of a learner add to the variance of its mean loss."""

    seeds: int
    """Number of trainings on each split; 1 for a learner that draws no random numbers."""
    draws: bool
    """Whether the learner may draw random numbers."""
    variance: float | None = None
    """Variance of the mean loss between trainings, if each split had one; left out for a learner
    that is trained once."""
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
class ModelResult:
    """The estimates of one model's error."""

    mean: Means
    """Means of its losses."""
    n: int
    """Number of test instances."""
    blocks: int
    """Number of blocks in one partition."""
    recommended: Mapping[Target, Interval]
    """The recommended interval of each target."""
    prediction: Interval | None = None
    """Prediction interval for the mean loss on one new source, if the data allow one."""
    variances: Mapping[str, VarianceEstimate] | None = None
    """Estimated variances of the mean loss, by method; only if ``variances`` are included."""
    intervals: tuple[Interval, ...] | None = None
    """Every interval about the mean loss; only if ``intervals`` are included."""
    estimates: Mapping[str, ErrorEstimate] | None = None
    """Estimates of the error that are not the mean of the losses, by method, where the request
    names such methods."""
    risks: Mapping[str, WeightedRisk] | None = None
    """Importance-weighted risks by estimator, where there are weights."""
    metrics: Mapping[str, MetricResult] | None = None
    """Metrics by name, where the request names any."""
    score_curves: ScoreCurves | None = None
    """How the scores separate two classes, where a metric of scores is requested and
    ``score_curves`` are included."""
    runs: RunsOfModel | None = None
    """The runs of the items, where items have several."""
    judge: JudgeResult | None = None
    """What the grades of a judge added to the labels, where the request has them."""
    groups: Mapping[str, ModelGroups] | None = None
    """The model by groups of rows, by the columns that ``group_by`` names."""
    cost: CostOfModel | None = None
    """What the model costs, where the request says so."""
    seeds: SeedsOfModel | None = None
    """What the random numbers of the learner add, where it is trained several times on a split."""
    probabilities: ModelProbabilities | None = None
    """Whether its predicted probabilities come true, where the request asks for it."""


# Comparisons -------------------------------------------------------------------------------------


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
class TestResult:
    """The outcome of one paired test."""

    __test__ = False  # tells pytest that this is no test class

    statistic: float | None
    """The test statistic; None where it is infinite or undefined, and for Bayesian tests."""
    degrees_of_freedom: DegreesOfFreedom
    """Degrees of freedom, for F of numerator and denominator; None where the reference distribution
    has none."""
    p_value: float | None
    """The p-value; None where the test has none, and for Bayesian tests."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    target: Target
    """The difference that is tested."""
    unit: str
    """What is paired: ``block``, ``instance`` or ``cluster``."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    """Further numbers of the test."""
    expected_size: ExpectedSize | None = None
    """How often it rejected a true null hypothesis in the studied design nearest to this one; left
    out where none is like it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAlternative:
    """Another kind of data to add, with the number needed or the reason why it does not suffice."""

    unit: PlanUnit
    """What is added: ``sources``, ``instances`` or ``repeats``."""
    additional: int | None = None
    """Number of units to add."""
    total: int | None = None
    """Number of units with those that are there."""
    reason: str | None = None
    """Why more of them do not suffice; the numbers are then None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The smallest experiment that has the requested power against the assumed difference."""

    unit: PlanUnit
    """What is added: ``sources``, ``instances`` or ``repeats``."""
    additional: int
    """Number of units to add."""
    total: int
    """Number of units with those that are there."""
    power: float
    """Probability of finding the assumed difference."""
    assumed_difference: float
    """The true difference that the plan assumes."""
    assumes: Literal["margin", "observed"]
    """The source of that difference: ``margin`` or ``observed``."""
    alternatives: tuple[PlanAlternative, ...]
    """The other units that could be added."""
    sentence: str
    """The plan in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference that data like these detect with the requested power."""

    difference: float
    """The smallest detectable difference, above 0."""
    power: float
    """Probability of finding it."""
    alpha: float
    """Level of the test."""
    power_at_margin: float | None
    """Probability of finding a difference as large as the margin; None without a margin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on two models."""

    decision: Decision
    """The first of the statements that hold."""
    also: tuple[Decision, ...]
    """The other statements that hold."""
    p_value: float | None
    """Two-sided p-value of no difference."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    reason: str
    """The verdict in words."""
    p_value_equivalent: float | None = None
    """p-value of a difference of at least the margin, by two one-sided tests; None without a
    margin."""
    p_value_equivalent_adjusted: float | None = None
    """That p-value corrected over the pairs; None for a single pair or without a margin."""
    p_value_not_worse: float | None = None
    """One-sided p-value of a being worse than b by at least the margin; None without a margin."""
    p_value_not_worse_adjusted: float | None = None
    """That p-value corrected over the pairs; None for a single pair or without a margin."""
    margin: float | None
    """Largest difference that does not matter, in units of the loss."""
    target: Target | None
    """The quantity that the verdict is about; None where no interval could be built."""
    method: str | None
    """The interval that it rests on, or ``sign`` where all differences are equal."""
    variance: str | None
    """The variance that this interval rests on."""
    plan: Plan | None
    """How much more data an undecided verdict needs."""
    plan_reason: str | None
    """Why there is no plan."""
    detectable: Detectable | None
    """The smallest difference that data like these detect with the requested power."""
    expected_size: ExpectedSize | None = None
    """How often the verdict's own test called equal models different in the studied design nearest
    to this one; left out where none is like it."""
    expected_size_missing: str | None = None
    """Why there is no ``expected_size``, here and in the tests of the pair: which of their numbers
    no studied design comes near."""


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
    """p-value of no difference."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    alternative: Alternative
    """Alternative of the interval and the test, in the units of the metric."""
    higher_is_better: bool
    """Whether larger values are better."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""


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
    sentence: str
    """The counts and the win rate in words."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two models side by side."""

    a: str
    """Name of the first model."""
    b: str
    """Name of the second model."""
    difference: float
    """Macro mean of a minus macro mean of b."""
    difference_pooled: float
    """Pooled mean of a minus pooled mean of b."""
    interval: Interval | None
    """The interval that the verdict rests on, corrected over the pairs as its p-value is; None
    where none could be built."""
    recommended: Mapping[Target, Interval] | None = None
    """The recommended interval of each target; only if ``intervals`` are included."""
    intervals: tuple[Interval, ...] | None = None
    """Every interval about the difference; only if ``intervals`` are included."""
    variances: Mapping[str, VarianceEstimate] | None = None
    """Estimated variances of the difference, by method; only if ``variances`` are included."""
    effect_size: EffectSize | None = None
    """The difference relative to the spread of the paired differences; only if ``effect_sizes``
    are included."""
    tests: Mapping[str, TestResult] | None = None
    """Outcomes of the paired tests, by method; only if ``tests`` are included."""
    cautions: tuple[Caution, ...]
    """Cautions about the difference as a whole."""
    verdict: Verdict
    """Which of the two is better, if the data show it."""
    other_verdicts: Mapping[Target, Verdict] | None = None
    """The verdicts for the other question that sources answer: these sources, or a new one."""
    risks: Mapping[str, WeightedRiskDifference] | None = None
    """Differences of the importance-weighted risks, where there are weights."""
    metrics: Mapping[str, MetricDifference] | None = None
    """Differences of the metrics by name, where the request names any."""
    relative: RelativeDifference | None = None
    """The ratio of the means, if the request asks for it."""
    wins: WinRate | None = None
    """The counts of units by the better model, if the request asks for them."""
    number_needed: NumberNeeded | None = None
    """1 over the difference of two error rates, if the request asks for it."""
    runs: RunsOfPair | None = None
    """What the runs of the items add to the difference, where items have several."""
    judge: JudgeResult | None = None
    """What the grades of a judge added to the labels, where the request has them."""
    groups: Mapping[str, PairGroups] | None = None
    """The two models by groups of rows, by the columns that ``group_by`` names."""
    cost: CostOfPair | None = None
    """What the first model costs beside the second, where the request has costs."""
    probabilities: PairProbabilities | None = None
    """Which model has the better probabilities, where the request asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Whether a model meets the requirement of a gate."""

    outcome: GateOutcome
    """``pass``, ``fail`` or ``undecided``: the answer that a pipeline acts on."""
    undecided: bool
    """Whether the data show neither the requirement nor its opposite. The outcome is then the
    request's ``undecided``, but never ``pass`` if one of the models has no losses."""
    model: str
    """The model that has to meet the requirement."""
    against: str
    """The model that it is compared with."""
    require: Requirement
    """What had to be shown."""
    margin: float | None
    """Largest difference that does not matter, in units of the loss."""
    difference: float | None
    """Mean of the model minus mean of the other; None where one could not be evaluated."""
    lower: float | None
    """Lower end of the interval of the difference that the verdict rests on; None where it is open
    or there is no interval."""
    upper: float | None
    """Upper end of that interval; None where it is open or there is no interval."""
    level: float
    """Confidence level of the interval."""
    target: Target | None
    """What the interval is about."""
    sentence: str
    """The outcome in words, with the numbers."""
    groups_failed: tuple[Mapping[str, Label | None], ...] | None = None
    """Groups in which the model is shown to be worse by more than the margin; only of
    ``no_group_worse``."""
    groups_undecided: tuple[Mapping[str, Label | None], ...] | None = None
    """Groups in which neither this nor its opposite is shown; only of ``no_group_worse``."""
    groups_too_small: tuple[Mapping[str, Label | None], ...] | None = None
    """Those of them that have too few rows to say; only of ``no_group_worse``."""
    cheaper_by: float | None = None
    """By what share the model had to be cheaper, if the gate says so."""
    cost: CostOfPair | None = None
    """What the model costs beside the other; only with ``cheaper_by``."""


# All models --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusResult:
    """The outcome of one test of all models at once."""

    statistic: float | None
    """The test statistic; None where it is infinite or undefined."""
    degrees_of_freedom: DegreesOfFreedom
    """Degrees of freedom, for F of numerator and denominator; None where the reference distribution
    has none."""
    p_value: float
    """p-value of no difference between any models."""
    target: Target
    """The differences that are tested."""
    unit: str
    """What the rows are: ``block``, ``instance`` or ``cluster``."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    details: Mapping[str, JsonValue] = field(metadata={"inline": True})
    """Further numbers of the test."""
    expected_size: ExpectedSize | None = None
    """How often it rejected with three equal models in the studied design nearest to this one; left
    out where none is like it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHocPair:
    """One pair of models after a test of all models."""

    a: str
    """Name of the first model."""
    b: str
    """Name of the second model."""
    z: float | None
    """Difference of their scores divided by its standard error; None where that is 0."""
    p_value: float
    """Two-sided p-value of the pair."""
    p_value_adjusted: float
    """The p-value corrected over the pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalDifferenceDiagram:
    """What a critical difference diagram draws."""

    score: str
    """Name of the models' scores, such as ``mean_ranks``."""
    values: Mapping[str, float]
    """Score of each model; smaller is better."""
    alpha: float
    """Level of the pairs' tests."""
    critical_difference: float | None
    """Smallest difference of scores at which two models differ; None where the correction has
    none."""
    groups: tuple[tuple[str, ...], ...]
    """Largest runs of neighbouring models of which no two differ, the best model's first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHocOmnibusResult(OmnibusResult):
    """The outcome of a test of all models that also compares the pairs."""

    pairs: tuple[PostHocPair, ...]
    """Every pair of models, or every model with the control."""
    alpha: float
    """Level of the pairs' tests."""
    correction: str
    """How their p-values are corrected."""
    tied_with: str
    """The model with the best score, or the control."""
    tied: tuple[tuple[str, ...], ...]
    """One group: that model and those that do not differ from it."""
    diagram: CriticalDifferenceDiagram
    """What a critical difference diagram draws."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOfModel:
    """The ranks that a model can have among all models, if the statements on pairs are true."""

    best: int
    """Smallest rank: 1 plus the number of models that are shown to be better."""
    worst: int
    """Largest rank: the number of models minus that of those that are shown to be worse."""
    ties: int
    """Number of models that are not shown to be better or worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRanking:
    """What the data show of the order of the models, all at once at the level of the intervals."""

    compared_with: str
    """The model that the others are compared with here: the control, or else the best one."""
    is_best: bool
    """Whether that is the best model of these data, and not a control."""
    target: Target | None
    """The question that is answered; None where no interval could be built."""
    better: tuple[str, ...]
    """Models that are shown to be better than that model."""
    tied: tuple[str, ...]
    """Models that are not shown to be better or worse than that model, the best first, without
    itself."""
    worse: tuple[str, ...]
    """Models that are shown to be worse than that model, the best first."""
    correction: str
    """How the comparisons are corrected."""
    n_pairs: int
    """Number of pairs that are corrected for: all pairs of models if the best one was looked for
    in these data."""
    smallest_gap: float | None
    """The difference from that model which data like these show with the probability ``power``:
    the median over the other models. None where no interval could be built."""
    power: float
    """That probability."""
    ranks: Mapping[str, RankOfModel] | None = None
    """Ranks by model, the best first; left out with a control, and with a correction that does not
    bound the chance of any false statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A method that was not used, though the request did not rule it out."""

    name: str
    """Name of the method."""
    reason: str
    """Why it was not used."""
    family: str
    """``variances``, ``intervals``, ``tests`` or ``omnibus``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodUsed:
    """A method that a result was made with, and its parameters."""

    family: str
    """What kind of method it is, such as ``variances``."""
    name: str
    """Name of the method."""
    params: Mapping[str, JsonValue]
    """All its parameters."""
    key: str | None = field(default=None, metadata={"wire": "as"})
    """Its key in the result (the request's ``as``), where that is not the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """One model in a summary."""

    name: str
    """Name of the model."""
    estimate: float
    """Its mean loss or score: the centre of the recommended interval, or the macro mean of every
    model if one has no such interval."""
    lower: float | None
    """Lower end of that interval; None if it is open or there is no interval."""
    upper: float | None
    """Upper end of that interval; None if it is open or there is no interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSummary:
    """One comparison in a summary."""

    a: str
    """Name of the first model."""
    b: str
    """Name of the second model."""
    difference: float
    """The difference a minus b: the centre of the recommended interval, or the difference of macro
    means."""
    lower: float | None
    """Lower end of that interval; None if it is open or there is no interval."""
    upper: float | None
    """Upper end of that interval; None if it is open or there is no interval."""
    decision: Decision
    """The verdict."""
    p_value: float | None
    """Two-sided p-value of no difference, corrected over the pairs if there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The part of a result that a table of evaluations shows."""

    best_model: str
    """The model with the lowest mean loss (or the highest mean score)."""
    target: Target
    """The quantity that the intervals of the models are about."""
    better: Better
    """``lower`` where the values are losses, ``higher`` where they are scores."""
    level: float
    """Confidence level of the intervals."""
    margin: float | None = None
    """Largest difference that does not matter, where the request has one."""
    correction: str | None = None
    """How p-values are corrected for the number of pairs, where there are several."""
    sentences: tuple[str, ...]
    """The best model and every verdict in words; of very many comparisons the most relevant."""
    models: tuple[ModelSummary, ...]
    """The best models, the best one first; at most twenty."""
    comparisons: tuple[ComparisonSummary, ...]
    """At most twenty comparisons in the order of the result; those with the best model are
    preferred."""
    decisions: Mapping[Decision, int]
    """Number of comparisons with each decision."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EvaluationResult(ShownResult):
    """The result of an evaluation: every model, every comparison, and all models at once.

    ``repr`` has the models and the verdict, ``print`` the findings.
    """

    summary: Summary
    """The best model, the verdicts in words and the main intervals."""
    models: Mapping[str, ModelResult]
    """The results of the models by name."""
    include: tuple[ResultPart, ...]
    """The parts that the result has beside the main ones."""
    comparisons: tuple[Comparison, ...]
    """Every pair of models, or every model with the control or with the best one."""
    ranking: ModelRanking | None = None
    """What the data show of the order of three models or more."""
    omnibus: Mapping[str, OmnibusResult | PostHocOmnibusResult] | None = None
    """Tests of all models at once, by method; only if ``omnibus`` is included."""
    covariance: BlockCovariance | None = None
    """Second moments of the block means; only if ``covariance`` is included."""
    block_labels: tuple[Label, ...] | None = None
    """Labels of the blocks, in order of first appearance; only if ``blocks`` are included."""
    left_out: LeftOut | None = None
    """Rows of the data or losses that are left out because the request asks for that."""
    unit: BlockNoun
    """What one block is called, and several: the request's ``unit``, or source or fold."""
    not_applicable: tuple[NotApplicable, ...]
    """Methods of the included parts that were not used, with the reason."""
    cautions: tuple[Caution, ...]
    """Cautions about the evaluation as a whole."""
    gate: GateResult | None = None
    """Whether a model meets the requirement of the request's gate."""
    cost: CostSummary | None = None
    """Quality against cost, where the request says what models cost."""
    methods: tuple[MethodUsed, ...] = field(metadata={"omit": True})
    """Variances, intervals and tests that were used, with their parameters. Left out of the JSON,
    where the provenance of the result has them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, with the field names of the service."""
        encoded: dict[str, Any] = to_json(self)
        return encoded
