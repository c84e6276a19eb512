"""The types of an evaluation's result: models, comparisons, tests, verdicts.

``thetahat.values.json_values.to_json`` writes them, with the names of the fields as keys. An
``Interval`` and a ``VarianceEstimate`` are written as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.coverage import ExpectedSize
from thetahat.values.json_values import JsonValue, to_json
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.types import Better, FloatArray, Label, Target
from thetahat.variances.base import VarianceEstimate
from thetahat_presentation.shown_result import ShownResult

if TYPE_CHECKING:
    from thetahat.analyses.groups.result import ModelGroups, PairGroups
    from thetahat.analyses.losses.cost_result import CostOfModel, CostOfPair, CostSummary
    from thetahat.analyses.losses.judge_result import JudgeResult
    from thetahat.analyses.losses.optional_results import (
        BlockCovariance,
        EffectSize,
        ErrorEstimate,
        MetricDifference,
        MetricResult,
        NumberNeeded,
        RelativeDifference,
        ScoreCurves,
        SeedVariance,
        WeightedRisk,
        WeightedRiskDifference,
        WinRate,
    )
    from thetahat.analyses.probabilities.result import ModelProbabilities, PairProbabilities
    from thetahat.analyses.runs.result import RunsOfModel, RunsOfPair

OPTIONAL_PARTS: Final = (
    "thetahat.analyses.groups.result",
    "thetahat.analyses.losses.cost_result",
    "thetahat.analyses.losses.judge_result",
    "thetahat.analyses.losses.optional_results",
    "thetahat.analyses.probabilities.result",
    "thetahat.analyses.runs.result",
)
"""The modules of parts that few results have, which only such a result imports. Who resolves the
annotations here needs their names."""

PlanUnit = Literal["sources", "instances", "repeats"]

CostUndecided = Literal["few_rows", "few_dear_rows"]
"""Why it is open which cost is lower though the whole set of ratios is on one side: rows that were
not seen, or few dear ones among those that were, could change it."""

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
    seeds: SeedVariance | None = None
    """What the random numbers of the learner add, where it is trained several times on a split."""
    probabilities: ModelProbabilities | None = None
    """Whether its predicted probabilities come true, where the request asks for it."""


# Comparisons -------------------------------------------------------------------------------------


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
    seeds: SeedVariance | None = None
    """What the random numbers of the learners add to the variance of the difference, where the
    request asks for several seeds."""


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
    """What is shown or not, in words, with the numbers."""
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
    cost_undecided: CostUndecided | None = None
    """``few_rows`` or ``few_dear_rows``: why nothing is said of the cost though the whole set of
    ratios is on one side; left out where it is not, or where something is said."""

    def __str__(self) -> str:
        """Return the outcome with the sentence."""
        return f"Gate: {self.outcome.value}. {self.sentence}"


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
    the median of ``detectable`` over the verdicts on the other models. None where none has it."""
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
    n_models: int | None = None
    """Number of models, where it is more than that."""
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
