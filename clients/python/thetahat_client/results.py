"""The types of results, by kind of evaluation, and of the other answers of the service.

`make client-types` writes this file from the types of the service; do not edit it. A field of
type ``NotRequired`` is in a result only if the evaluation has it. A number that is not finite is
written as null.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict, final

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
"""Any JSON value."""


@final
class AdviceDict(TypedDict):
    """The advised scheme, interval and test for these data, and the precision to expect."""

    request: dict[str, JsonValue]
    """A fragment of a request of POST /v1/evaluations, to which data, task and learners are
    added."""
    scheme: AdvisedSchemeDict
    """How rows are divided."""
    interval: NotRequired[AdvisedIntervalDict]
    """The interval of a model's mean loss; left out where none can be built."""
    test: NotRequired[AdvisedTestDict]
    """How two models are compared; left out for a single model."""
    precision: NotRequired[AdvisedPrecisionDict]
    """What precision to expect; left out where no interval can be built."""
    alternatives: list[AlternativeSchemeDict]
    """Other schemes that fit."""
    cautions: list[str]
    """What limits the answer."""


@final
class AdviceReasonDict(TypedDict):
    """Why something is advised."""

    reason: str
    """One or two sentences."""
    sources: list[str]
    """Publications, or the path of the page on which the service shows the study."""


@final
class AdvisedIntervalDict(TypedDict):
    """The interval that the result will recommend."""

    method: str
    """Wire name of the interval."""
    variance: str | None
    """Wire name of the variance that it rests on; None if it rests on none."""
    target: TargetValue
    """What it is about."""
    expected_coverage: NotRequired[ExpectedCoverageDict]
    """How often it covered in the nearest studied design; left out where none is like this one."""
    reasons: list[AdviceReasonDict]
    """Why this interval."""


@final
class AdvisedPrecisionDict(TypedDict):
    """The precision to expect."""

    half_width: float
    """Half the width of the interval of one model's mean loss, in units of the loss."""
    half_width_of_difference: NotRequired[float]
    """The same for the difference of two models; left out for a single model."""
    detectable_difference: NotRequired[float]
    """The smallest true difference that is found with the requested power, with the correction for
    all pairs of models; left out for a single model."""
    power_at_margin: NotRequired[float]
    """The chance to find a difference as large as the margin; left out without a margin."""
    loss_spread: float
    """Standard deviation of one model's losses that was assumed."""
    reasons: list[AdviceReasonDict]
    """How these numbers were computed and what they assume."""


@final
class AdvisedSchemeDict(TypedDict):
    """The scheme."""

    name: str
    """Wire name."""
    parameters: dict[str, JsonValue]
    """Its parameters."""
    folds: int
    """Test parts of one partition."""
    repeats: int
    """How often the rows are partitioned or drawn."""
    n_fits: int
    """Trained models, over all learners."""
    seconds: NotRequired[float]
    """Time of these fits, by the time of one; left out where that is not known."""
    columns: dict[str, str]
    """What ``columns`` of the request must name for this scheme, by role."""
    reasons: list[AdviceReasonDict]
    """Why this scheme, and why so many folds and repeats."""


@final
class AdvisedTestDict(TypedDict):
    """The test that decides between two models."""

    method: str
    """Wire name of the interval of the difference, on which the verdict rests."""
    variance: str | None
    """Wire name of its variance; None if it rests on none."""
    expected_size: NotRequired[ExpectedSizeDict]
    """How often the verdict called equal models different in the nearest studied design; left out
    where none is like this one."""
    alternative: NotRequired[str]
    """The paired test that had the largest power there among those that kept their level; left out
    where none did."""
    alternative_size: NotRequired[ExpectedSizeDict]
    """How often that test called equal models different."""
    reasons: list[AdviceReasonDict]
    """Why this test."""


@final
class AgreementEstimateDict(TypedDict):
    """A coefficient of agreement or a rate, with its interval."""

    estimate: float | None
    """The coefficient; null where it is not defined, with the reason."""
    standard_error: NotRequired[float]
    """Its standard error; left out for rates with Wilson's interval."""
    degrees_of_freedom: NotRequired[float]
    """Items, or clusters, less one."""
    lower: NotRequired[float]
    """Lower end of the two-sided interval."""
    upper: NotRequired[float]
    """Upper end of the interval."""
    n: int
    """Number of items that it rests on."""
    reason: NotRequired[str]
    """Why there is no estimate, or no interval."""


AlternativeValue: TypeAlias = Literal["two_sided", "less", "greater"]
"""The alternative of a test or interval; a difference is a minus b. A request's ``less`` asks
whether a is better, and ``greater`` whether b is. Where higher values are better, the interval and
the test are those of the other side: ``mirror``."""


@final
class AlternativeSchemeDict(TypedDict):
    """Another scheme that fits the situation."""

    name: str
    """Wire name."""
    parameters: dict[str, JsonValue]
    """Its parameters."""
    reason: AdviceReasonDict
    """The reason for it."""


@final
class BatchOutcomeDict(TypedDict):
    """What became of one item of a batch."""

    index: int
    """Position of the item in the batch, from 0."""
    status: int
    """The status that POST /v1/evaluations would have: 202, or that of the problem."""
    replayed: bool
    """Whether an earlier request with the same idempotency key made the evaluation."""
    evaluation: EvaluationReadDict | None
    """The evaluation; null if refused."""
    problem: ProblemDocumentDict | None
    """Why the item was refused; null if it was accepted. Paths begin with items, the position and
    request."""


@final
class BcaIntervalDict(TypedDict):
    """A bias-corrected and accelerated interval."""

    method: str
    """The interval's name."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: AlternativeValue
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end; None if it is open or undefined."""
    upper: float | None
    """Upper end; None if it is open or undefined."""
    cautions: list[str]
    """Cautions about the interval."""
    acceleration: float | None
    """The acceleration, from the jackknife; None where that is undefined."""


@final
class BestLearnerDict(TypedDict):
    """The learner with the smallest risk."""

    selected_learner: str
    """Name of the learner."""
    selected: bool | int | float | str | None | list[bool | int | float | str | None]
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    estimate: float
    """The estimated risk there."""
    variance: float
    """Variance of the estimate."""
    standard_error: float
    """Root of the variance."""
    target: TargetValue
    """The population whose risk is estimated."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalIntervalDict | None
    """The interval about the estimate; None if one row has about all the weight."""
    cautions: list[str]
    """Cautions about these numbers."""
    refit: NotRequired[RefitCoefficientsDict]
    """The model with that value, for learners that have coefficients."""
    by_source: NotRequired[list[SourceRiskDict]]
    """The risk in each source, where sources are known."""
    target_risk: NotRequired[float]
    """Mean loss on the target."""
    target_risk_variance: NotRequired[float | None]
    """Variance of that mean; None for a single target row."""
    target_risk_interval: NotRequired[NormalIntervalDict | None]
    """The interval about that mean; None for a single target row."""
    regret: NotRequired[float]
    """Mean loss on the target minus the smallest mean loss along the grid."""


@final
class BestOracleDict(TypedDict):
    """The learner with the smallest mean loss on the labelled target."""

    selected_learner: str
    """Name of the learner."""
    selected: bool | int | float | str | None | list[bool | int | float | str | None]
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    curve: list[float]
    """(L,) mean loss on the target at each value."""
    cautions: list[str]
    """Cautions about these numbers."""
    target_risk: float
    """Mean loss on the target."""
    target_risk_variance: float | None
    """Variance of that mean; None for a single target row."""
    target_risk_interval: NormalIntervalDict | None
    """The interval about that mean; None for a single target row."""
    regret: NotRequired[float]
    """Mean loss on the target minus the smallest mean loss along the grid."""


@final
class BiasVarianceDict(TypedDict):
    """Expected loss of a learner, split in squared bias and variance over its fits."""

    n_instances: int
    """Number of instances that two fits or more predict."""
    fewest_fits: int
    """Smallest number of fits that predict one of them."""
    expected_loss: float
    """Mean loss of these instances, each with the same weight."""
    bias_squared: float
    """Mean squared bias plus noise; it may be negative by chance."""
    variance: float
    """Mean variance of the predictions."""


@final
class BlockCovarianceDict(TypedDict):
    """The second moments of all models' block means."""

    models: dict[str, SecondMomentsDict]
    """Second moments by model; empty where they are left out."""
    reason: NotRequired[str]
    """Why they are left out."""
    repeat: NotRequired[int]
    """The repeat that is shown, where there are several."""


@final
class BlockNounDict(TypedDict):
    """The noun for one block, and its plural."""

    singular: str
    """The noun, such as ``school``; source or fold if the request has none."""
    plural: str
    """Its plural, such as ``schools``."""


@final
class BootstrapResultDict(TypedDict):
    """A statistic of a sample, with its bias, variance and intervals."""

    kind: Literal["bootstrap"]
    """``bootstrap``."""
    not_applicable: list[NotApplicableDict]
    """Intervals and tests that do not fit the statistic, with the reason."""
    tests: NotRequired[dict[str, TwoSampleOutcomeDict]]
    """Tests that two independent samples have the same mean, by name."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""
    statistic: str
    """Name of the statistic."""
    n: int | list[int]
    """Number of values of the sample; of two samples the number of each."""
    n_resamples: int
    """Number of resamples."""
    estimate: NotRequired[float]
    """The statistic of the sample."""
    replicates_mean: NotRequired[float]
    """Mean of the statistic over the resamples."""
    bias: NotRequired[float]
    """That mean minus the estimate."""
    variance: NotRequired[float | None]
    """Variance of the statistic over the resamples (ddof 1); None of a single resample."""
    standard_error: NotRequired[float | None]
    """Root of the variance."""
    bias_corrected: NotRequired[float]
    """The estimate minus the bias."""
    drawn_again: int
    """Number of draws that had no value and were drawn again."""
    intervals: NotRequired[list[BcaIntervalDict | StudentisedIntervalDict | StatisticIntervalDict]]
    """Intervals about the statistic."""
    replicates: NotRequired[list[float] | None]
    """(B,) the statistic of each resample, where there are at most 10000."""
    cautions: list[str]
    """What to know before using the numbers."""
    components: NotRequired[list[ComponentEstimateDict]]
    """Every component; of a symmetric matrix those on and above the diagonal."""
    covariance_of_components: NotRequired[list[list[float]]]
    """(q, q) covariance matrix of the q components over the resamples (ddof 1), in their order."""


@final
class CalibrationSummaryDict(TypedDict):
    """How the coverage of the intervals was measured on samples of the data."""

    repetitions: int
    """Number of samples that were drawn."""
    share: float
    """Share of the rows, or of the rows of each source, in a sample."""
    rows: int
    """Number of rows in a sample."""
    truth_from: str
    """What the truth is computed from."""
    new_source: NewSourceCalibrationDict | None
    """How intervals for a new source were measured; null if no whole sources were drawn."""
    cautions: list[str]
    """Cautions about the measured coverage."""
    note: str
    """How the samples differ from the data."""


@final
class CandidateSpecDict(TypedDict):
    """A learner as the request describes it."""

    name: str
    """Name of the learner."""
    params: dict[str, JsonValue]
    """Parameters of the learner, with the values of the grid."""
    prepare: list[str | dict[str, JsonValue]]
    """The preparation steps before the learner."""


@final
class CautionDict(TypedDict):
    """A warning about a number in a result."""

    code: str
    """Stable machine-readable name of the caution."""
    message: str
    """One or two sentences with the values of this case."""
    severity: SeverityValue
    """``info``, ``warning`` or ``serious``."""
    advice: str
    """What to do about it; empty where there is nothing to do."""


@final
class ChoiceComparisonDict(TypedDict):
    """The choices of two risks for one learner, first minus second."""

    a: str
    """The first risk."""
    b: str
    """The second risk."""
    selected: SelectedPairDict
    """The values that they select."""
    same_choice: bool
    """Whether both risks select the same value."""
    under: dict[str, WeightedRiskDifferenceDict]
    """The difference of the two choices, under each risk."""
    estimates: RiskPairDict
    """The difference of the two risks at each of the two values."""
    target_risk: NotRequired[MeanDifferenceDict]
    """The difference of the mean losses on a labelled target."""


@final
class ChosenCandidateDict(TypedDict):
    """The candidate that is chosen in the end."""

    name: str
    """Name of the candidate."""
    spec: CandidateSpecDict
    """The learner, ready for another request."""
    rule: Literal["least", "one_standard_error"]
    """The rule of the choice: ``least`` or ``one_standard_error``."""
    by: str
    """The number that the choice is made by: ``error``, the mean loss, or the name of a metric."""
    higher_is_better: bool
    """Whether the candidate with the largest value is best."""
    least: str
    """The candidate with the best internal value, which ``one_standard_error`` need not choose."""
    tied: list[str]
    """Candidates with the same value as ``least``."""
    chosen_on: Literal["all rows", "the training and validation rows"]
    """The rows that the choice rests on."""
    internal: InternalResultDict
    """Internal error, or metric, of the chosen candidate."""


@final
class ComparisonDict(TypedDict):
    """Two models side by side."""

    a: str
    """Name of the first model."""
    b: str
    """Name of the second model."""
    difference: float
    """Macro mean of a minus macro mean of b."""
    difference_pooled: float
    """Pooled mean of a minus pooled mean of b."""
    interval: IntervalDict | None
    """The interval that the verdict rests on, corrected over the pairs as its p-value is; None
    where none could be built."""
    recommended: NotRequired[dict[str, IntervalDict]]
    """The recommended interval of each target; only if ``intervals`` are included."""
    intervals: NotRequired[list[IntervalDict]]
    """Every interval about the difference; only if ``intervals`` are included."""
    variances: NotRequired[dict[str, VarianceEstimateDict]]
    """Estimated variances of the difference, by method; only if ``variances`` are included."""
    effect_size: NotRequired[EffectSizeDict]
    """The difference relative to the spread of the paired differences; only if ``effect_sizes`` are
    included."""
    tests: NotRequired[dict[str, TestResultDict]]
    """Outcomes of the paired tests, by method; only if ``tests`` are included."""
    cautions: list[str]
    """Cautions about the difference as a whole."""
    verdict: VerdictDict
    """Which of the two is better, if the data show it."""
    other_verdicts: NotRequired[dict[str, VerdictDict]]
    """The verdicts for the other question that sources answer: these sources, or a new one."""
    risks: NotRequired[dict[str, WeightedRiskDifferenceDict]]
    """Differences of the importance-weighted risks, where there are weights."""
    metrics: NotRequired[dict[str, MetricDifferenceDict]]
    """Differences of the metrics by name, where the request names any."""
    relative: NotRequired[RelativeDifferenceDict]
    """The ratio of the means, if the request asks for it."""
    wins: NotRequired[WinRateDict]
    """The counts of units by the better model, if the request asks for them."""
    number_needed: NotRequired[NumberNeededDict]
    """1 over the difference of two error rates, if the request asks for it."""
    runs: NotRequired[RunsOfPairDict]
    """What the runs of the items add to the difference, where items have several."""
    judge: NotRequired[JudgeResultDict]
    """What the grades of a judge added to the labels, where the request has them."""
    groups: NotRequired[dict[str, PairGroupsDict]]
    """The two models by groups of rows, by the columns that ``group_by`` names."""


@final
class ComparisonSummaryDict(TypedDict):
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
    decision: DecisionValue
    """The verdict."""
    p_value: float | None
    """Two-sided p-value of no difference, corrected over the pairs if there are several."""


@final
class ComponentEstimateDict(TypedDict):
    """One component of a vector or a matrix, and what its resamples show of its distribution."""

    name: str
    """Name of the component: of a column, or of two columns with a comma between."""
    columns: list[str]
    """The columns that it is about: one, or the row and the column of a matrix."""
    estimate: float
    """The component of the sample."""
    replicates_mean: float
    """Mean of the component over the resamples."""
    bias: float
    """That mean minus the estimate."""
    variance: float | None
    """Variance of the component over the resamples (ddof 1)."""
    standard_error: float | None
    """Root of the variance."""
    bias_corrected: float
    """The estimate minus the bias."""
    intervals: list[BcaIntervalDict | StudentisedIntervalDict | StatisticIntervalDict]
    """Intervals about the component."""


@final
class CriticalDifferenceDiagramDict(TypedDict):
    """What a critical difference diagram draws."""

    score: str
    """Name of the models' scores, such as ``mean_ranks``."""
    values: dict[str, float]
    """Score of each model; smaller is better."""
    alpha: float
    """Level of the pairs' tests."""
    critical_difference: float | None
    """Smallest difference of scores at which two models differ; None where the correction has
    none."""
    groups: list[list[str]]
    """Largest runs of neighbouring models of which no two differ, the best model's first."""


class EvaluationResultDict(TypedDict):
    """The result of an evaluation: every model, every comparison, and all models at once."""

    summary: SummaryDict
    """The best model, the verdicts in words and the main intervals."""
    models: dict[str, ModelResultDict]
    """The results of the models by name."""
    include: list[ResultPartValue]
    """The parts that the result has beside the main ones."""
    comparisons: list[ComparisonDict]
    """Every pair of models, or every model with the control or with the best one."""
    ranking: NotRequired[ModelRankingDict]
    """What the data show of the order of three models or more."""
    omnibus: NotRequired[dict[str, OmnibusResultDict | PostHocOmnibusResultDict]]
    """Tests of all models at once, by method; only if ``omnibus`` is included."""
    covariance: NotRequired[BlockCovarianceDict]
    """Second moments of the block means; only if ``covariance`` is included."""
    block_labels: NotRequired[list[str | int | float]]
    """Labels of the blocks, in order of first appearance; only if ``blocks`` are included."""
    left_out: NotRequired[LeftOutDict]
    """Rows of the data or losses that are left out because the request asks for that."""
    unit: BlockNounDict
    """What one block is called, and several: the request's ``unit``, or source or fold."""
    not_applicable: list[NotApplicableDict]
    """Methods of the included parts that were not used, with the reason."""
    cautions: list[str]
    """Cautions about the evaluation as a whole."""
    gate: NotRequired[GateResultDict]
    """Whether a model meets the requirement of the request's gate."""


@final
class CrossValidationResultDict(EvaluationResultDict):
    """The result of a cross-validation."""

    kind: Literal["cross_validation"]
    """``cross_validation``."""
    weights: NotRequired[UsedWeightsDict]
    """The importance weights of the rows, if the request has a target sample."""
    calibration: NotRequired[CalibrationSummaryDict]
    """How the coverage of the intervals was measured, if the request asks for it."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""
    failures: dict[str, LearnerFailureDict]
    """Learners that failed, with the reason."""
    learners: dict[str, LearnerFitsDict]
    """How the splits of each learner were predicted."""
    bias_variance: NotRequired[dict[str, BiasVarianceDict]]
    """Squared bias and variance by learner, if several fits predict an instance and the loss is
    squared or zero-one."""


@final
class CurveDict(TypedDict):
    """The learning curve of one learner."""

    points: list[CurvePointDict]
    """The sizes at which the learner ran, the smallest first."""
    steps: list[CurveStepDict]
    """The change from each size to the next."""
    saturation: SaturationDict
    """Whether more rows would still help."""
    power_law: PowerLawResultDict | None
    """A power law through the points; None where the points do not determine one."""
    figure: CurveFigureDict
    """The numbers of a drawing."""
    not_applicable: list[NotApplicableDict]
    """Methods that were not used, with the reason."""
    cautions: list[str]
    """Cautions about the curve as a whole."""


@final
class CurveFigureDict(TypedDict):
    """The numbers of a drawing of a learning curve."""

    x: list[float]
    """Average number of rows to learn from, size by size."""
    y: list[float]
    """Mean loss at each size (macro)."""
    lower: list[float | None]
    """Lower end of the recommended interval at each size; None where there is none."""
    upper: list[float | None]
    """Upper end of the recommended interval at each size; None where there is none."""
    law: DrawnLawDict | None
    """The power law as a line; None where none was fitted."""
    metrics: NotRequired[dict[str, DrawnMetricDict]]
    """Metrics by name, where the request names any."""


@final
class CurveIntervalsDict(TypedDict):
    """Normal intervals about a risk along a grid."""

    method: str
    """Always ``normal``."""
    level: float
    """Confidence level, in (0, 1)."""
    lower: list[float]
    """(L,) lower ends."""
    upper: list[float]
    """(L,) upper ends."""


class ModelResultDict(TypedDict):
    """The estimates of one model's error."""

    mean: MeansDict
    """Means of its losses."""
    n: int
    """Number of test instances."""
    blocks: int
    """Number of blocks in one partition."""
    recommended: dict[str, IntervalDict]
    """The recommended interval of each target."""
    prediction: NotRequired[IntervalDict]
    """Prediction interval for the mean loss on one new source, if the data allow one."""
    variances: NotRequired[dict[str, VarianceEstimateDict]]
    """Estimated variances of the mean loss, by method; only if ``variances`` are included."""
    intervals: NotRequired[list[IntervalDict]]
    """Every interval about the mean loss; only if ``intervals`` are included."""
    estimates: NotRequired[dict[str, ErrorEstimateDict]]
    """Estimates of the error that are not the mean of the losses, by method, where the request
    names such methods."""
    risks: NotRequired[dict[str, WeightedRiskDict]]
    """Importance-weighted risks by estimator, where there are weights."""
    metrics: NotRequired[dict[str, MetricResultDict]]
    """Metrics by name, where the request names any."""
    score_curves: NotRequired[ScoreCurvesDict]
    """How the scores separate two classes, where a metric of scores is requested and
    ``score_curves`` are included."""
    runs: NotRequired[RunsOfModelDict]
    """The runs of the items, where items have several."""
    judge: NotRequired[JudgeResultDict]
    """What the grades of a judge added to the labels, where the request has them."""
    groups: NotRequired[dict[str, ModelGroupsDict]]
    """The model by groups of rows, by the columns that ``group_by`` names."""


@final
class CurvePointDict(ModelResultDict):
    """A learner at one training size."""

    size: str
    """Label of the size."""
    n_train: TrainingRowsDict
    """Rows that the learner was fitted to."""


CurveStepDict = TypedDict(
    "CurveStepDict",
    {
        # Label of the smaller size.
        "from": 'str',
        # Label of the next size.
        "to": 'str',
        # Mean loss at the larger size minus that at the smaller one; negative where more rows help.
        "difference": 'float',
        # The interval that the verdict rests on; None where none could be built.
        "interval": 'IntervalDict | None',
        # The difference relative to the spread of the losses.
        "effect_size": 'EffectSizeDict',
        # Whether the larger size is better, if the data show it.
        "verdict": 'StepVerdictDict',
        # Cautions about the difference as a whole.
        "cautions": 'list[str]',
    },
)
"""The change of the error from one size to the next."""


class DatasetColumnDict(TypedDict):
    """One column."""

    name: str
    """Name of the column."""
    type: Literal["number", "integer", "boolean", "string", "sparse", "matrix"]
    """Type of the values; sparse is a group of sparse columns, and matrix an array of numbers with
    many columns, which is one feature by this name."""


@final
class DatasetLinksDict(TypedDict):
    """Paths of a data set and of what is known of its content."""

    self: str
    """Path of the data set."""
    preview: str
    """Path of its first rows."""
    understood: str
    """Path of the roles of its columns, and of the questions."""


@final
class DatasetPreviewDict(TypedDict):
    """The first rows of a data set."""

    id: str
    """Id of the data set."""
    media_type: str
    """Format of the file."""
    columns: list[PreviewColumnDict]
    """Columns, in the order of the file."""
    rows: list[list[str | float | bool | None | dict[str, float | None]]]
    """Values by row; missing and infinite ones are null."""
    understood: dict[str, JsonValue]
    """Properties of the file."""


@final
class DatasetReadDict(TypedDict):
    """An uploaded file."""

    id: str
    """Id of the data set."""
    name: str | None
    """Name from the upload."""
    sha256: str
    """SHA-256 of the file, in hexadecimal."""
    media_type: str
    """Format of the file."""
    bytes: int
    """Size of the file."""
    rows: int
    """Number of rows."""
    columns: list[DatasetColumnDict]
    """Columns, in the order of the file."""
    understood: dict[str, JsonValue]
    """Properties of the file, such as delimiter, encoding and row groups."""
    created_at: str
    """The time of the upload."""
    links: DatasetLinksDict
    """Related paths."""


@final
class DatasetUnderstandingDict(TypedDict):
    """How the file of a data set is understood."""

    id: str
    """Id of the data set."""
    rows: int
    """Number of rows."""
    columns: list[UnderstoodColumnReadDict]
    """The first columns of the file."""
    columns_left_out: int
    """Number of further columns."""
    kind: Literal["losses", "predictions", "cross_validation"]
    """The kind of evaluation that the file seems to be for."""
    kind_reason: str
    """Why, as a sentence."""
    questions: list[str]
    """Sentences on which questions the file can answer, which it cannot, and what would be
    needed."""


DecisionValue: TypeAlias = Literal["equivalent", "better", "worse", "not_worse", "undecided"]
"""The answer of a verdict on models a and b."""


@final
class DeliveryReadDict(TypedDict):
    """A message to a webhook."""

    id: str
    """Id of the delivery, which is its header webhook-id."""
    evaluation_id: str | None
    """The evaluation that has ended; null for a series."""
    series_id: str | None
    """The series that is decided; null for an evaluation."""
    event_type: WebhookEventValue
    """What has happened."""
    state: DeliveryStateValue
    """pending: waits for an attempt; delivered: the receiver answered 2xx; dead: every attempt
    failed."""
    attempts: int
    """Attempts so far."""
    created_at: str
    """The time of the event."""
    last_attempt_at: str | None
    """The time of the last attempt; null before the first."""
    next_attempt_at: str | None
    """The time of the next attempt; null if there is none."""
    last_status: int | None
    """HTTP status of the last answer; null without an answer."""
    last_error: str | None
    """Why the last attempt failed; null if it did not."""


DeliveryStateValue: TypeAlias = Literal["pending", "delivered", "dead"]
"""The state of a message to a webhook."""


@final
class DetectableDict(TypedDict):
    """The smallest difference that data like these detect with the requested power."""

    difference: float
    """The smallest detectable difference, above 0."""
    power: float
    """Probability of finding it."""
    alpha: float
    """Level of the test."""
    power_at_margin: float | None
    """Probability of finding a difference as large as the margin; None without a margin."""


@final
class DiagnosticsDict(TypedDict):
    """Numbers that show whether weights can be trusted."""

    mean: float
    """Should be near 1: the density ratio has mean 1 over the source."""
    variance: float
    """Sample variance (ddof 1)."""
    largest: float
    """The largest weight."""
    effective_sample_size: float
    """(sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good."""
    share_above_10: float
    """Share of the source rows whose weight is above 10."""
    share_zero: float
    """Share of the source rows whose weight is zero."""
    largest_share: float
    """Largest weight over the sum of the weights."""
    coverage: float
    """Share of the target rows that have a source row near them; see ``measure_coverage``."""
    cautions: list[str]
    """Cautions that follow from these numbers."""


@final
class DrawnLawDict(TypedDict):
    """Points of a power law, to be drawn as a line."""

    x: list[float]
    """Training sizes."""
    y: list[float]
    """The error of the law at these sizes."""


@final
class DrawnMetricDict(TypedDict):
    """A metric at the sizes of a curve, to be drawn."""

    y: list[float | None]
    """Its value at each size; null where it is undefined."""
    lower: list[float | None]
    """Lower end of the recommended interval at each size; None where there is none."""
    upper: list[float | None]
    """Upper end of the recommended interval at each size; None where there is none."""


@final
class EffectSizeDict(TypedDict):
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


class ErrorEstimateDict(TypedDict):
    """An estimate of a model's error that is not the mean of the losses, such as .632. It may have
    further fields, which depend on the method."""

    estimate: float
    """The estimated error, in units of the loss."""
    variance: float | list[float]
    """Variance of the estimate."""
    target: TargetValue
    """The error that is estimated."""
    mean: MeanKindValue
    """The mean of the losses that the estimate takes the place of."""
    standard_error: float | None
    """Root of the variance; None where that is negative or unknown."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval on the variance; None means normal."""
    usable: bool
    """Whether an interval may be built on the variance."""
    cautions: list[str]
    """Cautions about these numbers."""
    intervals: list[IntervalDict]
    """The intervals about this estimate."""


@final
class EstimatedWeightsDict(TypedDict):
    """Importance weights of the source rows, and how far they can be trusted."""

    method: str
    """The estimator of the weights."""
    values: list[float]
    """(n,) weight of each source row."""
    n: int
    """Number of source rows."""
    n_target: int
    """Number of target rows."""
    n_features: int
    """Number of features."""
    details: dict[str, JsonValue]
    """Further numbers of the estimator, such as the width of a kernel."""
    cautions: list[str]
    """Cautions about the weights."""
    mean: float
    """Should be near 1: the density ratio has mean 1 over the source."""
    variance: float
    """Sample variance (ddof 1)."""
    largest: float
    """The largest weight."""
    effective_sample_size: float
    """(sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good."""
    share_above_10: float
    """Share of the source rows whose weight is above 10."""
    share_zero: float
    """Share of the source rows whose weight is zero."""
    largest_share: float
    """Largest weight over the sum of the weights."""
    coverage: float
    """Share of the target rows that have a source row near them; see ``measure_coverage``."""


@final
class EvaluationLinksDict(TypedDict):
    """Paths of an evaluation and of what belongs to it."""

    self: str
    """Path of the evaluation."""
    request: str
    """Path of its request."""
    result: str
    """Path of its result."""
    losses: str
    """Path of its losses."""
    figures: str
    """Path of its figures."""
    report: str
    """Path of its report as HTML."""
    report_pdf: str
    """Path of its report as PDF."""
    bundle: str
    """Path of its bundle, for thetahat verify."""
    notebook: str
    """Path of its notebook, which computes the result again."""
    sign_offs: str
    """Path of its sign-offs."""
    cancel: str
    """Path for a POST request that cancels it."""
    events: str
    """Path of the stream of its events."""


@final
class EvaluationProgressDict(TypedDict):
    """How much of an evaluation is done."""

    done: int
    """Finished units of work."""
    total: int | None
    """All units of work; null until they are known."""
    unit: str
    """The unit of the counts, such as splits or repetitions."""


class EvaluationReadDict(TypedDict):
    """An evaluation: a job with its status and progress."""

    id: str
    """Id of the evaluation."""
    kind: str
    """Kind of the evaluation, as in the request."""
    name: str | None
    """Name from the request."""
    status: EvaluationStatusValue
    """The status of the evaluation."""
    labels: dict[str, str]
    """Labels from the request."""
    seed: int
    """Seed of all random draws."""
    created_at: str
    """The time of the submission."""
    started_at: str | None
    """The time at which a worker began; null before."""
    finished_at: str | None
    """The time at which it ended; null before."""
    progress: EvaluationProgressDict
    """Finished and total units of work."""
    learners: dict[str, LearnerProgressDict]
    """Progress by learner, while an evaluation with learners runs; else empty."""
    seconds_left: float | None
    """Estimated seconds until the end, from the finished chunks; null if unknown."""
    summary: dict[str, JsonValue] | None
    """The summary of the result; null until there is one, or if the kind has none."""
    verdict: OverallVerdictValue | None
    """The decision on the best model and those that it is compared with, mixed if it is not the
    same for all; null without a comparison."""
    gate: GateOutcomeValue | None
    """The outcome of the request's gate; null without one."""
    sign_off: SignOffDecisionValue | None
    """The decision of the newest sign-off; null if nobody has signed the result."""
    error: dict[str, JsonValue] | None
    """The reason of a failure, as a problem document without status; else null."""
    links: EvaluationLinksDict
    """Related paths."""


EvaluationStatusValue: TypeAlias = Literal["queued", "running", "succeeded", "failed", "cancelled"]
"""The status of an evaluation, as clients see it."""


@final
class ExpectedCoverageDict(TypedDict):
    """How often the recommended interval covered its target in the nearest studied design."""

    level: float
    """Level of the studied interval, which has two sides. An interval of another level, or with one
    side, has the coverage of the same method with this level."""
    coverage: float
    """Share of simulated samples in which the studied interval covered, averaged over the learners
    and populations of the design."""
    standard_error: float
    """Standard error of that share from the number of samples."""
    least: float
    """The smallest share among the learners and populations."""
    largest: float
    """The largest share among the learners and populations."""
    design: str
    """The studied design, in words."""
    table: str
    """Path of the page on which the service shows the whole table."""


@final
class ExpectedReadDict(TypedDict):
    """What was expected before the first batch."""

    difference: float
    """Mean difference, or mean minus the reference."""
    standard_deviation: float
    """Standard deviation of single units."""
    batch_units: int
    """Rows, or clusters, in a batch."""


@final
class ExpectedSizeDict(TypedDict):
    """How often a test at 0.05 rejected a true null hypothesis in the nearest studied design."""

    size: float
    """Share of simulated samples in which it rejected, averaged over the populations of the design;
    0.05 is what it should be, and less is cautious."""
    standard_error: float
    """Standard error of that share from the number of samples."""
    least: float
    """The smallest share among the populations."""
    largest: float
    """The largest share among the populations."""
    design: str
    """The studied design, in words."""
    table: str
    """Path of the page on which the service shows the whole table."""


@final
class ExternalCandidateDict(TypedDict):
    """One candidate under the external splits."""

    wins: int
    """Number of external splits in which it was chosen."""
    internal: list[float | None] | None
    """(J,) internal error, or metric, in each split; None where there are very many numbers."""
    external: list[float | None] | None
    """(J,) error, or metric, on each test part; None where there are very many numbers."""


@final
class ExternalResultDict(TypedDict):
    """The choices inside the external training parts, and their errors on the test parts."""

    wins: dict[str, int]
    """Number of splits in which each candidate was chosen."""
    splits: list[ExternalSplitDict]
    """Every external split."""
    candidates: dict[str, ExternalCandidateDict]
    """Every candidate by name."""


@final
class ExternalSplitDict(TypedDict):
    """The choice inside the training part of one external split, and its error on the test part."""

    repeat: int
    """Number of the repeat."""
    block: str | int | float
    """Label of the block that is the test part."""
    winner: str
    """The chosen candidate."""
    least: str
    """The candidate with the best internal value."""
    tied: list[str]
    """Candidates with the same value as ``least``."""
    internal: float | None
    """Internal error, or metric, of the winner; NaN where it is undefined."""
    internal_standard_error: float | None
    """Standard error of ``internal``; None where it is not known."""
    external: float | None
    """Error, or metric, of the winner on the test part; NaN where it is undefined."""
    n_train: int
    """Rows of the training part."""
    n_test: int
    """Rows of the test part."""


@final
class FaultyCellReadDict(TypedDict):
    """A cell of a column of numbers that is no number."""

    row: int
    """Its row, from 0."""
    value: str
    """Its text."""


@final
class FigureAxisDict(TypedDict):
    """An axis of a figure."""

    title: str
    """The axis label, with units where there are any."""
    scale: Literal["linear", "log"]
    """``linear`` or ``log``."""
    labels: list[str]
    """The names of the categories at 0, 1, ...; empty for a numerical axis."""


@final
class FigureLinksDict(TypedDict):
    """Paths of one figure by format."""

    svg: str
    """The figure as SVG."""
    png: str
    """The figure as PNG."""
    pdf: str
    """The figure as PDF."""
    json: str
    """The figure as a Vega-Lite specification."""


@final
class FigureReadDict(TypedDict):
    """A figure of a result; its numbers are those of the result."""

    name: str
    """Name, unique in the result."""
    title: str
    """What it shows, in a few words."""
    caption: str
    """How to read it, what its bars are, and how many numbers they rest on."""
    alt: str
    """What is seen, for those who do not see it."""
    about: list[str]
    """The models that it is about; empty if all of them."""
    links: FigureLinksDict
    """Where it is drawn."""


@final
class FigureSeriesDict(TypedDict):
    """A set of points that a figure draws together."""

    name: str
    """The entry in the legend."""
    x: list[float | None]
    """Horizontal coordinates; null leaves a gap."""
    y: list[float | None]
    """Vertical coordinates, one for each of ``x``; null leaves a gap."""
    error: list[float | None] | None
    """Half the length of each error bar: one Monte-Carlo standard error, unless the figure's note
    says otherwise. Null if there are no error bars."""
    style: Literal["line", "dashed", "points", "bars"]
    """``line``, ``dashed`` (a reference line), ``points`` or ``bars``."""
    quantity: NotRequired[str]
    """What the series shows, if another series of the figure shows it too: series of one quantity
    have one colour."""
    labels: NotRequired[list[str]]
    """The name of each point, if the points are different things."""


@final
class FinishedEvaluationDict(EvaluationReadDict):
    """An evaluation that ended while the client waited, with its result."""

    result: AnyResult | None
    """The result; null unless the evaluation succeeded."""


GateOutcomeValue: TypeAlias = Literal["pass", "fail", "undecided"]
"""The answer of a gate."""


@final
class GateResultDict(TypedDict):
    """Whether a model meets the requirement of a gate."""

    outcome: GateOutcomeValue
    """``pass``, ``fail`` or ``undecided``: the answer that a pipeline acts on."""
    undecided: bool
    """Whether the data show neither the requirement nor its opposite. The outcome is then the
    request's ``undecided``, but never ``pass`` if one of the models has no losses."""
    model: str
    """The model that has to meet the requirement."""
    against: str
    """The model that it is compared with."""
    require: RequirementValue
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
    target: TargetValue | None
    """What the interval is about."""
    sentence: str
    """The outcome in words, with the numbers."""
    groups_failed: NotRequired[list[dict[str, str | int | float | None]]]
    """Groups in which the model is shown to be worse by more than the margin; only of
    ``no_group_worse``."""
    groups_undecided: NotRequired[list[dict[str, str | int | float | None]]]
    """Groups in which neither this nor its opposite is shown; only of ``no_group_worse``."""
    groups_too_small: NotRequired[list[dict[str, str | int | float | None]]]
    """Those of them that have too few rows to say; only of ``no_group_worse``."""


@final
class GridProfileDict(TypedDict):
    """The internal error along each parameter of a grid."""

    parameters: dict[str, ParameterProfileDict]
    """The profile of each parameter, by its name."""
    least: str | None
    """The best candidate of the grid; None where none ran."""
    n_candidates: int
    """Number of candidates of the grid."""


@final
class GridValuesDict(TypedDict):
    """The grid of a learner."""

    parameter: str | None
    """The parameter that varies."""
    values: list[bool | int | float | str | None | list[bool | int | float | str | None]]
    """(L,) its values."""


GroupDecisionValue: TypeAlias = Literal["better", "worse", "equivalent", "not_worse", "undecided"]
"""The answer on models a and b in one group."""


@final
class GroupDifferenceDict(TypedDict):
    """Two models in one group."""

    group: dict[str, str | int | float | None]
    """The value of each column; null is a missing value."""
    n: int
    """Number of its instances; 0 where all were left out."""
    clusters: int | None
    """Number of clusters that they come from; None without clusters."""
    difference: float | None
    """Mean of a minus mean of b; None without instances."""
    interval: IntervalDict | None
    """The interval of the difference, which holds together with those of the other groups."""
    worse_by_at_most: float | None
    """a is worse than b by less than this, at the level of the request for this group alone: a gate
    passes if it is below the margin in every group. Below 0, a is better."""
    worse_by_at_least: float | None
    """a is worse than b by more than this, at the level of the request for all groups of all
    columns together: a gate fails if it is above the margin in a group."""
    decision: GroupDecisionValue
    """What the interval shows."""
    too_few: bool
    """Whether the group has too few rows to say: undecided with fewer than ten, no interval, or one
    that reaches further than the margin from its middle."""
    reason: NotRequired[str]
    """Why there is no interval."""


@final
class GroupGapDict(TypedDict):
    """The gap between two groups, or of one from the mean of all rows."""

    group: dict[str, str | int | float | None]
    """The first group."""
    against: dict[str, str | int | float | None] | None
    """The group whose mean is subtracted; None for all rows, which contain the first group."""
    estimate: float
    """Mean of the first minus mean of the second."""
    standard_error: float | None
    """Its standard error."""
    degrees_of_freedom: float | None
    """Degrees of freedom by Welch and Satterthwaite; None means normal."""
    method: Literal["joint_t", "hybrid_score"]
    """``joint_t``: t quantiles of the probability at which all gaps hold together. Of two error
    rates Newcombe's ``hybrid_score``, from Wilson's intervals of that probability."""
    lower: float
    """Lower end of the interval, which holds together with those of the other gaps."""
    upper: float
    """Upper end."""


@final
class GroupGapsDict(TypedDict):
    """Gaps whose intervals hold together."""

    level: float
    """Level at which all of them hold."""
    critical_value: float | None
    """Quantile of the largest standardised gap, from their joint normal distribution."""
    items: list[GroupGapDict]
    """The gaps."""
    largest: GroupGapDict | None
    """The largest one. Of groups that are equal it is above 0 as well, so read its interval."""
    reason: NotRequired[str]
    """Why there are none."""


@final
class GroupMeanDict(TypedDict):
    """One model in one group."""

    group: dict[str, str | int | float | None]
    """The value of each column; null is a missing value, whose rows are a group of their own."""
    n: int
    """Number of its instances; 0 where all were left out."""
    clusters: int | None
    """Number of clusters that they come from; None without clusters."""
    share: float
    """Its share of all instances."""
    mean: float | None
    """Mean over its instances; None without any."""
    interval: IntervalDict | None
    """The interval of the mean, which holds together with those of the other groups."""
    bound: float | None
    """End on the side of worse values of a one-sided interval, which holds together with those of
    the other groups."""
    too_few: bool
    """Whether the group has too few rows to say: fewer than ten, no interval, or one that reaches
    further than the margin."""
    reason: NotRequired[str]
    """Why there is no interval."""
    metrics: NotRequired[dict[str, GroupMetricDict]]
    """Metrics in this group, where the request names any."""
    cautions: list[str]
    """Cautions about these numbers."""


@final
class GroupMetricDict(TypedDict):
    """A metric of one model in one group."""

    estimate: float | None
    """The metric over the rows of the group; None where it is undefined."""
    interval: IntervalDict | None
    """Its interval, which holds together with those of the other groups; None where there is
    none."""
    reason: NotRequired[str]
    """Why there is no value or no interval."""


@final
class GroupTestDict(TypedDict):
    """A test that all groups have the same mean, or the same difference of two models."""

    name: Literal["welch", "wald", "wald_f"] | None
    """Welch's F, Wald's chi-squared, or Wald's F over clusters; None where there is no test."""
    statistic: float | None
    """The test statistic."""
    degrees_of_freedom: float | list[float] | None
    """Of chi-squared, or of numerator and denominator of F."""
    p_value: float | None
    """p-value of equal groups."""
    reason: NotRequired[str]
    """Why there is no test."""


@final
class ImportanceWeightingResultDict(TypedDict):
    """The result of an importance-weighted selection."""

    kind: Literal["importance_weighting"]
    """``importance_weighting``."""
    weights: SelectionWeightsDict
    """The importance weights of the source rows."""
    n_folds: int
    """Number of folds of the cross-validation."""
    fold_labels: list[str | int | float]
    """Labels of the folds."""
    features: list[str]
    """Names of the features."""
    failures: dict[str, LearnerFailureDict]
    """Learners that failed, with the reason."""
    cautions: list[str]
    """Cautions about the selection."""
    left_out: NotRequired[LeftOutOfSamplesDict]
    """Incomplete rows that are left out of the samples. Weights are those of the other rows, in
    order; ``instance`` in the losses has their numbers."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""
    grid: NotRequired[GridValuesDict | None]
    """None for a learner without a grid."""
    risks: dict[str, RiskAlongGridDict] | dict[str, BestLearnerDict]
    """Every risk along the grid."""
    oracle: OracleDict | None | BestOracleDict
    """The best value for a labelled target; None where the target has no labels."""
    comparisons: list[ChoiceComparisonDict] | list[LearnerComparisonDict]
    """The choices of each pair of risks."""
    learners: NotRequired[dict[str, LearnerSelectionDict]]
    """Every learner by itself."""


@final
class InstanceDifferenceReadDict(TypedDict):
    """The losses or scores of two models on one instance."""

    instance: str | int
    """Label of the instance, or the number of its row, from 1."""
    block: str | int
    """The block that it is in; the first of several."""
    cluster: str | int | None
    """The cluster that it is in; null without clusters."""
    a: float
    """Loss or score of the first model, on average over repeats."""
    b: float
    """The same of the second model."""
    difference: float
    """The first minus the second."""


@final
class InstanceDifferencesReadDict(TypedDict):
    """A page of the instances on which two models differ, the largest difference first."""

    a: str
    """The first model."""
    b: str
    """The second model."""
    better: Literal["lower", "higher"]
    """lower for losses, higher for scores."""
    total: int
    """Instances that fit the search."""
    items: list[InstanceDifferenceReadDict]
    """The instances, the largest difference in size first."""
    next: int | None
    """Pass as ?offset= for the next page; null on the last."""


@final
class InternalResultDict(TypedDict):
    """The internal error of a candidate, or its metric."""

    mean: float | None
    """The number by which candidates are chosen; NaN where it is undefined."""
    standard_error: float | None
    """Standard error of the mean, in its units; None where it is not known."""
    splits: list[float | None] | None
    """(J,) mean loss, or metric, of each internal split, NaN where it is undefined; None where
    there are very many."""


class IntervalDict(TypedDict):
    """A confidence or prediction interval, as in results. It may have further fields, which depend
    on the method."""

    method: str
    """Wire name of the interval, or the request's ``as`` key."""
    variance: str | None
    """Wire name of the variance that it rests on, or the request's ``as`` key; None where none is
    used."""
    target: TargetValue
    """The error that the interval is about."""
    mean: MeanKindValue
    """The mean that is the centre of the interval."""
    estimate: float
    """That mean, in units of the loss."""
    standard_error: float | None
    """In units of the loss."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: AlternativeValue
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end, in units of the loss; None if it is open."""
    upper: float | None
    """Upper end, in units of the loss; None if it is open."""
    degrees_of_freedom: float | None
    """None means normal."""
    simultaneous_pairs: NotRequired[int]
    """Number of pairs of models whose intervals hold all at once at this level; left out where the
    interval holds by itself."""
    recommended: bool
    """Whether the service recommends it for its target."""
    cautions: list[str]
    """Cautions about the interval."""
    expected_coverage: NotRequired[ExpectedCoverageDict]
    """How often such an interval covered in the nearest studied design; only of a recommended
    interval, where one was studied."""
    expected_coverage_missing: NotRequired[str]
    """Why a recommended interval has no ``expected_coverage``: which of its numbers no studied
    design comes near."""
    calibration: NotRequired[MeasuredCoverageDict | None]
    """How often the interval covered on samples of the data; null if no sample has its target. The
    field is left out if the request asks for no calibration."""


@final
class JudgeAgreementDict(TypedDict):
    """How far 0/1 grades agree with labels, on the labelled rows."""

    observed: float
    """Share of the rows with equal grade and label."""
    kappa: JudgeEstimateDict | None
    """Cohen's kappa, with an interval on the scale of Fisher's z; None where labels and grades have
    one value only."""
    sensitivity: JudgeEstimateDict | None
    """Share of grades 1 among labels 1, with Wilson's interval, which clusters have not."""
    specificity: JudgeEstimateDict | None
    """Share of grades 0 among labels 0, with Wilson's interval, which clusters have not."""


@final
class JudgeAloneDict(TypedDict):
    """What the judge says without people."""

    estimate: float
    """Mean grade of all rows."""
    bias: JudgeEstimateDict
    """Mean of grade minus label over the labelled rows."""


@final
class JudgeEstimateDict(TypedDict):
    """An estimate with its t interval."""

    estimate: float
    """The estimate."""
    standard_error: NotRequired[float]
    """Its standard error, where it has one."""
    degrees_of_freedom: NotRequired[float]
    """Degrees of freedom of the interval."""
    lower: NotRequired[float]
    """Lower end of the two-sided interval; None where nothing varies."""
    upper: NotRequired[float]
    """Upper end of the interval."""


JudgeResultDict = TypedDict(
    "JudgeResultDict",
    {
        # How the labelled rows were found among all rows.
        "sampled": 'Literal["random", "stratified", "chosen"]',
        # Number of rows with a label.
        "labelled": 'int',
        # Number of rows that only the judge graded.
        "unlabelled": 'int',
        # Whether recommended intervals use the grades; if not, they are those of the labels alone.
        "is_used": 'bool',
        # The weight of the judge, from 0 (labels alone) to 1; left out where strata have their own.
        "lambda": 'NotRequired[float]',
        # The weight of the judge in each stratum.
        "lambda_by_stratum": 'NotRequired[dict[str, float]]',
        # The estimate from labels and grades, whether it is recommended or not; left out where the
        # labelled rows were chosen or every row has a label.
        "prediction_powered": 'NotRequired[JudgeEstimateDict]',
        # The estimate from the labels alone.
        "labels_only": 'JudgeEstimateDict',
        # The judge without people, and its bias.
        "judge_only": 'JudgeAloneDict',
        # The number of labels that alone would give the variance of labels and grades; left out
        # where the labels do not vary or grades are not used.
        "effective_labels": 'NotRequired[float]',
        # Correlation of labels and grades over the labelled rows; left out where one does not vary.
        "correlation": 'NotRequired[float]',
        # Agreement of 0/1 labels and grades; left out for other values and for differences.
        "agreement": 'NotRequired[JudgeAgreementDict]',
        # Labels for the requested half width.
        "plan": 'NotRequired[LabelPlanDict]',
        # Cautions about the judge and the labels.
        "cautions": 'list[str]',
        # The part in words.
        "sentence": 'str',
    },
)
"""What a judge added to the labels."""


@final
class KappaDifferenceDict(TypedDict):
    """Two raters compared by their kappa with the truth, on the items that all three rated."""

    a: str
    """The first rater."""
    b: str
    """The second rater."""
    n: int
    """Number of items that both and the truth rated."""
    kappa_a: float | None
    """Kappa of the first rater with the truth on these items."""
    kappa_b: float | None
    """Kappa of the second rater with the truth on these items."""
    difference: float | None
    """Kappa of a minus kappa of b."""
    standard_error: float | None
    """Standard deviation of the difference over the resamples."""
    lower: float | None
    """Lower end of the percentile interval."""
    upper: float | None
    """Upper end of the percentile interval."""
    n_resamples: int
    """Number of resamples of items, or clusters, in which both kappas are defined."""
    sentence: str
    """The difference in words."""


@final
class LabelPlanDict(TypedDict):
    """How many labels a wished precision needs."""

    half_width: float
    """The half width of the interval."""
    labels: int | None
    """Labels in all, of the same number of rows; None if all rows would not do."""
    additional: int | None
    """Labels beside those there are; 0 if they are enough already."""
    sentence: str
    """The plan in words."""


@final
class LearnerComparisonDict(TypedDict):
    """Two learners side by side."""

    a: str
    """Name of the first learner."""
    b: str
    """Name of the second learner."""
    risks: dict[str, LearnerDifferenceDict]
    """Their difference under each risk."""


class WeightedRiskDifferenceDict(TypedDict):
    """The difference of two models' importance-weighted risks."""

    difference: float
    """Risk of a minus risk of b, under the target distribution."""
    variance: float
    """Variance of the difference."""
    standard_error: float
    """Root of the variance."""
    target: TargetValue
    """The population whose mean losses are compared."""
    beta: list[float]
    """Coefficients of the control variates; empty where there are none."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalIntervalDict | None
    """The interval about the difference; None with fewer than two effective rows."""
    cautions: list[str]
    """Cautions about these numbers."""
    by_source: NotRequired[list[SourceRiskDifferenceDict]]
    """The difference in each source, where sources are known."""


@final
class LearnerDifferenceDict(WeightedRiskDifferenceDict):
    """Two learners under one risk, each at the value that the risk selects for it."""

    selected: SelectedPairDict
    """The values that the risk selects for the two learners."""
    target_risk: NotRequired[MeanDifferenceDict]
    """The difference of the mean losses on a labelled target."""


@final
class LearnerFailureDict(TypedDict):
    """Why a learner is not part of the result."""

    code: str
    """The code of the error."""
    message: str
    """Its sentence."""
    loc: list[str | int]
    """The path of the learner in the request."""
    candidates: NotRequired[int]
    """Number of candidates, where all candidates of a grid failed."""


@final
class LearnerFitsDict(TypedDict):
    """How the splits of one learner were predicted."""

    path: Literal["fast", "plain", "mixed"]
    """``fast`` if no split needed a fit of its own, ``plain`` if every split did, else
    ``mixed``."""
    fast_splits: int
    """Number of splits that were predicted from quantities which all splits share."""
    plain_splits: int
    """Number of splits on which the learner was fitted."""
    reason: str | None
    """Why the learner was fitted on splits, the most frequent reason first."""


@final
class LearnerProgressDict(TypedDict):
    """How much of one learner's work is done."""

    done: int
    """Finished units of work, in the unit of the evaluation."""
    total: int
    """All units of work."""
    status: Literal["queued", "running", "done", "failed"]
    """The status of the learner."""


@final
class LearnerSelectionDict(TypedDict):
    """The selection of each risk from the grid of one learner."""

    grid: GridValuesDict | None
    """None for a learner without a grid."""
    risks: dict[str, RiskAlongGridDict]
    """Every risk along the grid."""
    oracle: OracleDict | None
    """The best value for a labelled target; None where the target has no labels."""
    comparisons: list[ChoiceComparisonDict]
    """The choices of each pair of risks."""
    cautions: list[str]
    """Cautions about the fits."""


LearnerUsedDict = TypedDict(
    "LearnerUsedDict",
    {
        # What kind of method it is, such as ``variances``.
        "family": 'str',
        # Name of the method.
        "name": 'str',
        # All its parameters.
        "params": 'dict[str, JsonValue]',
        # Its key in the result (the request's ``as``), where that is not the name.
        "as": 'NotRequired[str]',
        # The preparation steps before the learner.
        "prepare": 'list[str | dict[str, JsonValue]]',
        # The package of a learner that is not the service's own.
        "package": 'NotRequired[str]',
        # The version of that package.
        "version": 'NotRequired[str]',
    },
)
"""A learner that was fitted, as the request describes it."""


@final
class LearningCurveResultDict(EvaluationResultDict):
    """The error of learners at growing training sizes."""

    kind: Literal["learning_curve"]
    """``learning_curve``."""
    sizes: list[str]
    """Labels of the sizes, in the order of the request."""
    size: str
    """Label of the size at which the models are evaluated."""
    grow_by: Literal["instance", "source", "time"]
    """What a larger training part has more of: ``instance``, ``source`` or ``time``."""
    stratified: bool
    """Whether smaller training parts keep the shares of the classes."""
    curves: dict[str, CurveDict]
    """The curve of each learner that ran at one size or more."""
    learners: dict[str, LearnerFitsDict]
    """How the splits of each model were predicted."""
    failures: dict[str, dict[str, LearnerFailureDict]]
    """Learners that failed, and why, by the label of the size."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


@final
class LeftOutDict(TypedDict):
    """The rows that are not part of an evaluation."""

    n_rows: int
    """Number of rows that are left out."""
    n_remaining: int
    """Number of rows that the evaluation uses."""
    missing: dict[str, RowsWithoutValueDict]
    """Rows without a value, by the column (``target``, ``source``, ...) that has none; a row that
    lacks several values is counted under each of them."""
    small_sources: NotRequired[SourcesWithOneRowDict]
    """Sources with a single row; None if there is none."""


@final
class LeftOutOfSamplesDict(TypedDict):
    """The rows of a source and of a target sample that are not part of an evaluation."""

    source: NotRequired[LeftOutDict]
    """Rows of the source sample; None if all of them are used."""
    target: NotRequired[LeftOutDict]
    """Rows of the target sample; None if all of them are used."""


@final
class LookReadDict(TypedDict):
    """What the look after a batch has shown."""

    number: int
    """Number of the look, which is that of the batch, from 1."""
    rows: int
    """Rows so far."""
    n: int
    """Independent units so far: rows, or clusters."""
    estimate: float
    """Mean difference, or mean of one model, so far."""
    standard_deviation: float
    """Standard deviation of single units, divisor n."""
    lower: float | None
    """Lower end of the interval, which holds for all looks together; null without one."""
    upper: float | None
    """Its upper end; null without one."""
    e_value: float | None
    """e-value against no difference, or against the reference; null for planned looks, without an
    interval, and above 1e300."""
    p_value: float | None
    """p-value that holds for all looks together; null before the first interval."""
    holds: list[StatementValue]
    """Statements that the interval shows."""
    decision: StatementValue | None
    """The decision of the series at this look; null if it is undecided."""
    conditional_power: float | None
    """Of planned looks, the probability that the last one reaches a goal of the stop rule if rows
    to come are like those so far; null for others and at the end."""
    sentence: str
    """The look in words."""
    reason: str
    """Why there is no interval; empty with one."""
    at: str
    """The time of the batch, as its sender or else its receipt."""
    received_at: str
    """The time at which the batch was received."""


@final
class LossTableReadDict(TypedDict):
    """The losses of an evaluation by column."""

    rows: int
    """Number of rows."""
    columns: dict[str, list[float | str | bool | None]]
    """Values by column: one column per model, and those that name the row, such as block and
    instance."""


@final
class LossesResultDict(EvaluationResultDict):
    """The result of an evaluation of losses."""

    kind: Literal["losses"]
    """``losses``."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


@final
class MeanDifferenceDict(TypedDict):
    """The difference of two mean losses, or of two risks of one model."""

    difference: float
    """First minus second."""
    variance: float | None
    """Variance of the difference; None for a single row."""
    standard_error: float | None
    """Root of the variance."""
    interval: NormalIntervalDict | None
    """The interval about the difference; None where there is no variance."""


MeanKindValue: TypeAlias = Literal["macro", "pooled", "first_split"]
"""The mean of the losses that a variance or an interval belongs to."""


@final
class MeansDict(TypedDict):
    """The means of one model's losses."""

    macro: float
    """Average of the block means."""
    pooled: float
    """Average over all instances."""
    blocks: NotRequired[list[float]]
    """(K,) mean of each block, in the order of ``block_labels``; with repeats the average over
    them. Only if ``blocks`` are included."""
    splits: NotRequired[list[float]]
    """(J,) mean of each split, where there are several repeats and ``blocks`` are included."""


@final
class MeasuredCoverageDict(TypedDict):
    """How often an interval covered the truth on samples of the data."""

    coverage: MonteCarloNumberDict
    """Share of the samples in which the interval covered its own target."""
    truth_below: MonteCarloNumberDict
    """Share of the samples in which the target was below the interval."""
    truth_above: MonteCarloNumberDict
    """Share of the samples in which the target was above the interval."""
    width: MonteCarloNumberDict
    """Average width of the interval, in units of the loss."""
    covers: dict[str, MonteCarloNumberDict]
    """Share of the samples in which the interval covered each other quantity that is known
    there."""


@final
class MethodReadDict(TypedDict):
    """A method; the fields that some families lack are missing there."""

    name: str
    """Name of the method in requests."""
    title: str
    """Name of the method for people."""
    summary: str
    """What it is, in a sentence or two."""
    parameters: dict[str, JsonValue]
    """JSON Schema of its parameters."""
    formula: NotRequired[str]
    """Formula in LaTeX; empty without one."""
    references: NotRequired[list[MethodReferenceDict]]
    """Publications that it rests on."""
    assumptions: NotRequired[str]
    """What it assumes."""
    errs: NotRequired[str]
    """In which direction it errs when the assumptions fail."""
    needs: NotRequired[str]
    """What it is computed from, such as losses or scores."""
    blocks: NotRequired[list[str]]
    """Kinds of blocks for which it is valid."""
    targets: NotRequired[list[str]]
    """The quantities that it can estimate."""
    mean: NotRequired[str | None]
    """The mean that it is about; null for neither."""
    tasks: NotRequired[list[str]]
    """Of a learner or step: classification, regression or both."""
    origin: NotRequired[str]
    """Of a learner or step: thetahat, scikit-learn or entry point."""
    acts_on: NotRequired[str]
    """Of a step: the kind of columns that it is for."""
    package: NotRequired[str]
    """Of an installed learner: its package."""
    version: NotRequired[str]
    """Of an installed learner: the version of its package."""
    gives: NotRequired[str]
    """Of a generator: what it draws, losses, data or pairs."""
    repetitions: NotRequired[int]
    """Of a preset: repetitions without a number in the request."""
    roles: NotRequired[dict[str, str]]
    """Of a preset: the data sets that it can use, by role."""


@final
class MethodReferenceDict(TypedDict):
    """A publication that a method rests on."""

    key: str
    """Short name of the publication."""
    text: str
    """Authors, title and place of the publication."""


MethodUsedDict = TypedDict(
    "MethodUsedDict",
    {
        # What kind of method it is, such as ``variances``.
        "family": 'str',
        # Name of the method.
        "name": 'str',
        # All its parameters.
        "params": 'dict[str, JsonValue]',
        # Its key in the result (the request's ``as``), where that is not the name.
        "as": 'NotRequired[str]',
    },
)
"""A method that a result was made with, and its parameters."""


@final
class MetricDifferenceDict(TypedDict):
    """The difference of two models' metric."""

    difference: float
    """Metric of a minus metric of b, by the mean that ``mean`` names."""
    difference_pooled: float
    """Difference of the pooled values; NaN where one is undefined."""
    difference_macro: float
    """Difference of the macro means; NaN where one is undefined."""
    mean: MeanKindValue
    """The mean, ``macro`` or ``pooled``, whose difference ``difference`` is."""
    variance: float | None
    """The variance by the recommended method for ``target``; None where there is none."""
    standard_error: float | None
    """Root of the variance."""
    method: str | None
    """Name of that variance."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval and the t test on the variance; None means normal."""
    target: TargetValue
    """The quantity that the variance, the interval and the test are about."""
    interval: IntervalDict | None
    """The recommended interval for that target."""
    recommended: NotRequired[dict[str, IntervalDict]]
    """The recommended interval of each target; only if ``intervals`` are included."""
    intervals: NotRequired[list[IntervalDict]]
    """Every interval about the difference; only if ``intervals`` are included."""
    statistic: float | None
    """Difference over standard error; None where that is 0 or unknown."""
    p_value: float | None
    """p-value of no difference."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    alternative: AlternativeValue
    """Alternative of the interval and the test, in the units of the metric."""
    higher_is_better: bool
    """Whether larger values are better."""
    cautions: list[str]
    """Cautions about these numbers."""


@final
class MetricMeansDict(TypedDict):
    """The values of a metric of one model."""

    pooled: float
    """The metric over all instances of a repeat, averaged over repeats; NaN where it is
    undefined."""
    macro: float
    """Average of the splits that have a value; NaN where it is undefined."""
    blocks: NotRequired[list[float]]
    """(K,) value of each block, in the order of ``block_labels``; NaN where it is undefined. Only
    if ``blocks`` are included."""
    splits: NotRequired[list[float]]
    """(J,) value of each split, where there are several repeats and ``blocks`` are included."""


class MetricResultDict(TypedDict):
    """A metric of one model. It may have further fields, which depend on the method."""

    estimate: MetricMeansDict
    """The metric over all instances and over blocks."""
    mean: MeanKindValue
    """Which of the two means ``variance`` belongs to."""
    variance: float | None
    """The variance by the recommended method for ``target``; None where there is none."""
    standard_error: float | None
    """Root of the variance."""
    method: str | None
    """Name of that variance."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval on the variance; None means normal."""
    target: TargetValue
    """The quantity that the variance and its interval are about."""
    recommended: dict[str, IntervalDict]
    """The recommended interval of each target."""
    intervals: NotRequired[list[IntervalDict]]
    """Every interval about the metric; only if ``intervals`` are included."""
    variances: NotRequired[dict[str, VarianceEstimateDict]]
    """Estimated variances of the metric, by method; only if ``variances`` are included."""
    higher_is_better: bool
    """Whether larger values are better."""
    cautions: list[str]
    """Cautions about these numbers."""


@final
class ModelGroupsDict(TypedDict):
    """One model by the groups of a column, or of an intersection of columns."""

    columns: list[str]
    """The columns."""
    whole: float
    """Mean over all instances."""
    simultaneous: SimultaneousLevelDict
    """The level at which the intervals hold together."""
    items: list[GroupMeanDict]
    """The groups, in the order of their labels."""
    worst: WorstGroupDict | None
    """The worst group; None where no group has a mean."""
    equal_means: GroupTestDict
    """Whether all groups could have the same mean."""
    gaps: GroupGapsDict
    """Gaps of all pairs of groups."""
    against_whole: GroupGapsDict
    """Gap of each group from the mean of all instances."""
    cautions: list[str]
    """Cautions about all groups."""


@final
class ModelRankingDict(TypedDict):
    """What the data show of the order of the models, all at once at the level of the intervals."""

    compared_with: str
    """The model that the others are compared with here: the control, or else the best one."""
    is_best: bool
    """Whether that is the best model of these data, and not a control."""
    target: TargetValue | None
    """The question that is answered; None where no interval could be built."""
    better: list[str]
    """Models that are shown to be better than that model."""
    tied: list[str]
    """Models that are not shown to be better or worse than that model, the best first, without
    itself."""
    worse: list[str]
    """Models that are shown to be worse than that model, the best first."""
    correction: str
    """How the comparisons are corrected."""
    n_pairs: int
    """Number of pairs that are corrected for: all pairs of models if the best one was looked for in
    these data."""
    smallest_gap: float | None
    """The difference from that model which data like these show with the probability ``power``: the
    median over the other models. None where no interval could be built."""
    power: float
    """That probability."""
    ranks: NotRequired[dict[str, RankOfModelDict]]
    """Ranks by model, the best first; left out with a control, and with a correction that does not
    bound the chance of any false statement."""


@final
class ModelSummaryDict(TypedDict):
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


@final
class MonteCarloNumberDict(TypedDict):
    """A number computed from the repetitions of a simulation."""

    value: float | None
    """The number; null where it is not defined."""
    standard_error: float | None
    """Its Monte-Carlo standard error, in the same units: 0 for a closed form, null where the error
    is unknown."""


@final
class NewSourceCalibrationDict(TypedDict):
    """How the coverage of intervals for a new source was measured."""

    drawn: int
    """Number of sources in each sample."""
    sources: int
    """Number of sources in the data."""
    truth_from: str
    """What the truth is computed from."""
    note: str
    """In which direction the coverage errs."""


class WebhookReadDict(TypedDict):
    """A webhook, without its secret."""

    id: str
    """Id of the webhook."""
    url: str
    """Where deliveries are sent."""
    event_types: list[WebhookEventValue]
    """What it is told about."""
    description: str | None
    """The note; null without one."""
    labels: dict[str, str]
    """It is told only about evaluations and series that have all these labels."""
    created_at: str
    """The time at which it was registered."""
    disabled_at: str | None
    """The time at which the receiver answered 410, after which nothing is sent; null while
    deliveries are sent."""
    previous_secret_until: str | None
    """The time until which deliveries are signed with the previous secret, too; null if the secret
    was never rotated."""


@final
class NewWebhookDict(WebhookReadDict):
    """A webhook with its new secret, which no other response shows."""

    secret: str
    """Verifies the signatures of deliveries; whsec_ and 32 bytes in base64."""


@final
class NormalIntervalDict(TypedDict):
    """A normal interval about a weighted risk."""

    method: str
    """Always ``normal``."""
    target: TargetValue
    """The quantity that the interval is to cover."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: AlternativeValue
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end, in units of the loss; None if it is open."""
    upper: float | None
    """Upper end, in units of the loss; None if it is open."""


@final
class NotApplicableDict(TypedDict):
    """A method that was not used, though the request did not rule it out."""

    name: str
    """Name of the method."""
    reason: str
    """Why it was not used."""
    family: str
    """``variances``, ``intervals``, ``tests`` or ``omnibus``."""


@final
class NumberNeededDict(TypedDict):
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


class OmnibusResultDict(TypedDict):
    """The outcome of one test of all models at once. It may have further fields, which depend on
    the method."""

    statistic: float | None
    """The test statistic; None where it is infinite or undefined."""
    degrees_of_freedom: float | list[float] | None
    """Degrees of freedom, for F of numerator and denominator; None where the reference distribution
    has none."""
    p_value: float
    """p-value of no difference between any models."""
    target: TargetValue
    """The differences that are tested."""
    unit: str
    """What the rows are: ``block``, ``instance`` or ``cluster``."""
    cautions: list[str]
    """Cautions about these numbers."""
    expected_size: NotRequired[ExpectedSizeDict]
    """How often it rejected with three equal models in the studied design nearest to this one; left
    out where none is like it."""


@final
class OracleDict(TypedDict):
    """The value of the grid with the smallest mean loss on the labelled target."""

    selected: bool | int | float | str | None | list[bool | int | float | str | None]
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    curve: list[float]
    """(L,) mean loss on the target at each value."""
    cautions: list[str]
    """Cautions about these numbers."""
    target_risk: float
    """Mean loss on the target."""
    target_risk_variance: float | None
    """Variance of that mean; None for a single target row."""
    target_risk_interval: NormalIntervalDict | None
    """The interval about that mean; None for a single target row."""
    regret: NotRequired[float]
    """Mean loss on the target minus the smallest mean loss along the grid."""


OverallVerdictValue: TypeAlias = Literal["better", "equivalent", "not_worse", "undecided", "worse", "mixed"]
"""The decision on the best model of an evaluation and those that it is compared with."""


@final
class PairGroupsDict(TypedDict):
    """Two models by the groups of a column, or of an intersection of columns."""

    columns: list[str]
    """The columns."""
    whole: float
    """Difference over all instances."""
    simultaneous: SimultaneousLevelDict
    """The level at which the intervals hold together; of several pairs, those of all pairs do."""
    items: list[GroupDifferenceDict]
    """The groups, in the order of their labels."""
    depends_on_group: GroupTestDict
    """Whether the difference of the models depends on the group."""
    gaps: GroupGapsDict
    """Gaps between the differences of all pairs of groups."""
    sentence: str
    """The groups in words."""
    cautions: list[str]
    """Cautions about all groups."""


@final
class ParameterProfileDict(TypedDict):
    """The internal error against the value of one parameter of a grid."""

    values: list[float | int | str | bool | None]
    """The values, in the order of the request."""
    candidates: list[str | None]
    """The best candidate with each value; None where none of them ran."""
    mean: list[float | None]
    """Internal error, or metric, of that candidate."""
    standard_error: list[float | None]
    """The standard error of each entry of ``mean``."""
    external: list[float | None] | None
    """Mean error, or metric, of that candidate over the external splits; None without external
    splits."""


@final
class PassAtDict(TypedDict):
    """How often at least one of k runs of an item succeeds, and how often all do."""

    estimate: float
    """Mean over the items of the unbiased estimate of each, at least one success."""
    standard_error: float | None
    """Standard error of the estimate over items; None without spread."""
    lower: float | None
    """Lower end of its t interval, at least 0."""
    upper: float | None
    """Upper end of its t interval, at most 1."""
    level: float
    """Level of the interval."""
    all_succeed: float
    """Mean over the items of the unbiased estimate that all of k runs succeed."""


@final
class PlanDict(TypedDict):
    """The smallest experiment that has the requested power against the assumed difference."""

    unit: Literal["sources", "instances", "repeats"]
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
    alternatives: list[PlanAlternativeDict]
    """The other units that could be added."""
    sentence: str
    """The plan in words."""


@final
class PlanAlternativeDict(TypedDict):
    """Another kind of data to add, with the number needed or the reason why it does not suffice."""

    unit: Literal["sources", "instances", "repeats"]
    """What is added: ``sources``, ``instances`` or ``repeats``."""
    additional: NotRequired[int]
    """Number of units to add."""
    total: NotRequired[int]
    """Number of units with those that are there."""
    reason: NotRequired[str]
    """Why more of them do not suffice; the numbers are then None."""


class PostHocOmnibusResultDict(TypedDict):
    """The outcome of a test of all models that also compares the pairs. It may have further fields,
    which depend on the method."""

    statistic: float | None
    """The test statistic; None where it is infinite or undefined."""
    degrees_of_freedom: float | list[float] | None
    """Degrees of freedom, for F of numerator and denominator; None where the reference distribution
    has none."""
    p_value: float
    """p-value of no difference between any models."""
    target: TargetValue
    """The differences that are tested."""
    unit: str
    """What the rows are: ``block``, ``instance`` or ``cluster``."""
    cautions: list[str]
    """Cautions about these numbers."""
    expected_size: NotRequired[ExpectedSizeDict]
    """How often it rejected with three equal models in the studied design nearest to this one; left
    out where none is like it."""
    pairs: list[PostHocPairDict]
    """Every pair of models, or every model with the control."""
    alpha: float
    """Level of the pairs' tests."""
    correction: str
    """How their p-values are corrected."""
    tied_with: str
    """The model with the best score, or the control."""
    tied: list[list[str]]
    """One group: that model and those that do not differ from it."""
    diagram: CriticalDifferenceDiagramDict
    """What a critical difference diagram draws."""


@final
class PostHocPairDict(TypedDict):
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


class PowerLawEstimateDict(TypedDict):
    """An estimate from a power law, with a two-sided t interval."""

    estimate: float
    """The estimate."""
    standard_error: float
    """Its standard error."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""


@final
class PowerLawPredictionDict(PowerLawEstimateDict):
    """The error that a power law predicts for a training size."""

    n: int
    """Number of rows to learn from."""


@final
class PowerLawResultDict(TypedDict):
    """A power law that was fitted to the mean losses of a curve."""

    formula: str
    """The law, ``a + b n^-c``, with n the number of rows to learn from."""
    a: PowerLawEstimateDict
    """The error with an unlimited number of rows."""
    b: float
    """The factor of ``n^-c``, the part of the error that falls with more rows."""
    c: PowerLawEstimateDict
    """The exponent: how fast the error falls with more rows."""
    excess: PowerLawEstimateDict
    """The part of the error at the largest size that more rows could still remove."""
    at_all_rows: PowerLawPredictionDict
    """The error with all rows to learn from."""
    at_twice_as_many: PowerLawPredictionDict
    """The error with twice as many rows."""
    residual: float
    """Root mean square distance of the mean losses from the law, in units of the loss."""
    level: float
    """Confidence level of the intervals."""
    degrees_of_freedom: float
    """Degrees of freedom of the t intervals."""


@final
class PredictionsResultDict(EvaluationResultDict):
    """The result of an evaluation of predictions."""

    kind: Literal["predictions"]
    """``predictions``."""
    bias_variance: NotRequired[dict[str, BiasVarianceDict]]
    """By model, its loss split in squared bias and variance, if the loss is squared or zero-one and
    an instance has predictions of several fits."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


@final
class PreviewColumnDict(DatasetColumnDict):
    """One column of a preview."""

    missing: int
    """Missing values in the rows shown."""


@final
class ProblemDocumentDict(TypedDict):
    """An error, as ``application/problem+json``."""

    type: str
    """Path of its explanation."""
    title: str
    """The kind of error."""
    status: int
    """HTTP status."""
    detail: str
    """The fault of this request, as a sentence."""
    instance: str
    """Path of the request."""
    code: str
    """Stable code, the end of type."""
    errors: list[ProblemFieldErrorDict]
    """Each invalid place of the request."""
    request_id: str
    """Id of the request, as in X-Request-ID and in the service's log."""


@final
class ProblemFieldErrorDict(TypedDict):
    """One invalid place of a request."""

    loc: list[str | int]
    """Path into the request."""
    message: str
    """The fault as a sentence."""
    value: JsonValue
    """The value at the path, shortened; NaN is the string NaN."""


@final
class ProvenanceDict(TypedDict):
    """What reproduces a result: the same version, request, data and seed give the same numbers."""

    version: str
    """The service's version."""
    seed: int
    """The seed of all random draws."""
    data_sha256: str
    """The digest of the bytes of the data set, or of the values where the request has them."""
    spec_sha256: str
    """The digest of the request, without its name, labels and seed."""
    methods: list[LearnerUsedDict | MethodUsedDict]
    """Every method that was used, with its parameters."""


@final
class RankOfModelDict(TypedDict):
    """The ranks that a model can have among all models, if the statements on pairs are true."""

    best: int
    """Smallest rank: 1 plus the number of models that are shown to be better."""
    worst: int
    """Largest rank: the number of models minus that of those that are shown to be worse."""
    ties: int
    """Number of models that are not shown to be better or worse."""


@final
class RaterCountsDict(TypedDict):
    """How often one rater gave each category."""

    n: int
    """Number of items that the rater rated."""
    shares: dict[str, float]
    """Share of these ratings in each category; of more than 20 categories the commonest."""


@final
class RaterPairDict(TypedDict):
    """The agreement of two raters on the items that both rated."""

    a: str
    """The first rater."""
    b: str
    """The second rater; the truth, where one is named."""
    n: int
    """Number of items that both rated."""
    n_disagree: int
    """Number of these with different ratings."""
    observed: AgreementEstimateDict
    """Share of the items with equal ratings."""
    kappa: AgreementEstimateDict
    """Cohen's kappa."""
    kappa_linear: NotRequired[AgreementEstimateDict]
    """Cohen's kappa with linear weights; for ordinal and interval ratings."""
    kappa_quadratic: NotRequired[AgreementEstimateDict]
    """Cohen's kappa with quadratic weights; for ordinal and interval ratings."""
    gwet_ac1: AgreementEstimateDict
    """Gwet's AC1."""
    krippendorff_alpha: AgreementEstimateDict
    """Krippendorff's alpha of the two."""
    sensitivity: NotRequired[AgreementEstimateDict]
    """Of two categories: the share of positive ratings among the items that are truly positive."""
    specificity: NotRequired[AgreementEstimateDict]
    """Of two categories: the share of negative ratings among the items that are truly negative."""
    cautions: list[str]
    """Cautions about the pair."""


@final
class RatersResultDict(TypedDict):
    """The agreement of raters, with where it is from."""

    kind: Literal["agreement"]
    """``agreement``."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""
    scale: Literal["nominal", "ordinal", "interval"]
    """What the distance of two ratings means: nominal, ordinal or interval."""
    categories: list[str | int | float | bool]
    """The values of ratings, in their order; the first 20."""
    n_categories: int
    """Number of different values."""
    truth: str | None
    """The rater that the others are compared with."""
    positive: str | int | float | bool | None
    """The positive one of two categories, for sensitivity and specificity."""
    level: float
    """Confidence level of all intervals."""
    n: int
    """Number of items."""
    n_clusters: NotRequired[int]
    """Number of clusters of items, where the request names them."""
    raters: dict[str, RaterCountsDict]
    """By rater, how often it gave each category."""
    coefficients: dict[str, AgreementEstimateDict]
    """Agreement of all raters together: krippendorff_alpha, and fleiss_kappa and gwet_ac1, which
    take categories as nominal."""
    pairs: list[RaterPairDict]
    """The agreement of two raters: of each with the truth, or of all pairs without a truth."""
    differences: list[KappaDifferenceDict]
    """Pairs of raters compared by their kappa with the truth."""
    sentences: list[str]
    """The result in words."""
    cautions: list[str]
    """Cautions about the ratings as a whole."""


@final
class RefitCoefficientsDict(TypedDict):
    """The model that is fitted to the whole source with the selected value."""

    coefficients: list[float]
    """(p,) coefficients, one for each feature."""
    intercept: float
    """The intercept; 0 where the learner has none."""


@final
class RelativeDifferenceDict(TypedDict):
    """How much larger or smaller the mean of a is than that of b, as a share of the latter."""

    mean_a: float
    """Mean of the first model."""
    mean_b: float
    """Mean of the second model."""
    mean: MeanKindValue
    """Which means they are, ``macro`` or ``pooled``."""
    ratio: float | None
    """Mean of a over mean of b; None where the mean of b could be 0, or means could be negative."""
    change: float | None
    """The ratio minus 1: -0.12 is 12 % less. None as the ratio."""
    method: Literal["fieller"]
    """How the set of ratios is found."""
    shape: Literal["interval", "two_rays", "everything"] | None
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


@final
class ReliabilityBinDict(TypedDict):
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


RequirementValue: TypeAlias = Literal["better", "not_worse", "equivalent", "no_group_worse"]
"""What a gate requires of a model compared with another one."""


ResultPartValue: TypeAlias = Literal["blocks", "covariance", "effect_sizes", "intervals", "number_needed", "omnibus", "relative", "score_curves", "tests", "variances", "wins"]
"""A part of a result that is computed and written only where ``include`` names it."""


@final
class RiskAlongGridDict(TypedDict):
    """One risk of a learner along its grid, and the value with the smallest risk."""

    curve: list[float]
    """(L,) estimated risk at each value."""
    curve_variances: list[float]
    """(L,) variance of each estimate."""
    curve_intervals: CurveIntervalsDict | None
    """Intervals about the estimates; None if one row has about all the weight."""
    beta: NotRequired[list[float | list[float]]]
    """(L,) coefficient of the control variate at each value, or coefficients of several."""
    curve_bias: NotRequired[list[float | None]]
    """(L,) estimated bias at each value, where the estimator has one."""
    selected: bool | int | float | str | None | list[bool | int | float | str | None]
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    estimate: float
    """The estimated risk there."""
    variance: float
    """Variance of the estimate."""
    standard_error: float
    """Root of the variance."""
    target: TargetValue
    """The population whose risk is estimated."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalIntervalDict | None
    """The interval about the estimate; None if one row has about all the weight."""
    cautions: list[str]
    """Cautions about these numbers."""
    refit: NotRequired[RefitCoefficientsDict]
    """The model with that value, for learners that have coefficients."""
    by_source: NotRequired[list[SourceRiskDict]]
    """The risk in each source, where sources are known."""
    target_risk: NotRequired[float]
    """Mean loss on the target."""
    target_risk_variance: NotRequired[float | None]
    """Variance of that mean; None for a single target row."""
    target_risk_interval: NotRequired[NormalIntervalDict | None]
    """The interval about that mean; None for a single target row."""
    regret: NotRequired[float]
    """Mean loss on the target minus the smallest mean loss along the grid."""


@final
class RiskPairDict(TypedDict):
    """The difference of two risks at each of the values that they select."""

    a: MeanDifferenceDict
    """The difference of the two risks at the value that the first risk selects."""
    b: MeanDifferenceDict
    """The difference of the two risks at the value that the second risk selects."""


@final
class RocCurveDict(TypedDict):
    """The points of a receiver operating characteristic, from (0, 0) to (1, 1)."""

    false_positive_rate: list[float]
    """(m,) share of the negative rows whose score is at least the threshold."""
    true_positive_rate: list[float]
    """(m,) share of the positive rows whose score is at least the threshold."""
    positives: int
    """Number of rows of the positive class."""
    negatives: int
    """Number of rows of the negative class."""


@final
class RowsWithoutValueDict(TypedDict):
    """Rows that have no value in one column."""

    n: int
    """Number of such rows."""
    rows: list[int]
    """The first of them, ten at most; rows count from 0."""


@final
class RunPlanDict(TypedDict):
    """The standard error that other numbers of items and runs would give."""

    items: int
    """Number of items."""
    runs: int
    """Number of runs of each item."""
    standard_error: float
    """Standard error of the mean, in units of the loss."""


@final
class RunsOfModelDict(TypedDict):
    """The runs of the items of one model."""

    items: int
    """Number of items."""
    runs_per_item: list[int]
    """Least and largest number of runs of an item."""
    design: Literal["nested", "crossed"]
    """``crossed`` if each run, such as a seed, has a loss of every item; else ``nested``."""
    components: dict[str, VarianceComponentDict] | None
    """``item`` and ``residual`` (the runs of an item), and ``run`` of crossed runs; None with one
    item, or one run of each."""
    standard_error_of_new_runs: NotRequired[float]
    """Standard error of the mean over other items and other crossed runs, such as other seeds; the
    intervals are for other items and these runs."""
    plans: list[RunPlanDict]
    """Twice the items, and twice the runs."""
    flip_rate: NotRequired[float]
    """How often two runs of an item differ, for losses of 0 and 1."""
    pass_at: NotRequired[dict[str, PassAtDict]]
    """By the number k that the request asks for."""
    sentence: str
    """The above in words."""


@final
class RunsOfPairDict(TypedDict):
    """The runs of the items in the difference of two models."""

    share_of_runs: float | None
    """Share of the variance of the mean difference that the runs add, which more runs would take
    away; None where it cannot be estimated."""
    sentence: str
    """The above in words."""


@final
class SaturationDict(TypedDict):
    """Whether more rows would still help a learner, and the test share that follows."""

    decision: SaturationDecisionValue
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
    sizes: list[SizeLossDict]
    """Every size against the largest, the largest itself last."""
    reason: str
    """The decision in words."""


SaturationDecisionValue: TypeAlias = Literal["saturated", "not_saturated", "no_improvement_seen", "undecided"]
"""Whether more rows would still help a learner."""


@final
class ScoreCurvesDict(TypedDict):
    """How the scores of one model separate two classes, over the rows of the first repeat."""

    positive_class: str | int | float
    """The class that high scores indicate."""
    level: float
    """Confidence level of the intervals."""
    roc: RocCurveDict
    """The receiver operating characteristic, at most 101 of its points."""
    reliability: list[ReliabilityBinDict] | None
    """Ten groups of rows of about the same size; None if the scores are not between 0 and 1."""


@final
class SecondMomentsDict(TypedDict):
    """Second moments of one model's block means."""

    blocks: list[str | int | float]
    """(K,) labels of the blocks."""
    mean: list[float]
    """(K,) mean loss of each block."""
    within_variance: list[float | None]
    """(K,) variance of the losses inside each block; NaN where it is undefined."""
    moments: list[list[float | None]]
    """(K, K) products of block means; on the diagonal without the variance inside the block."""


@final
class SelectedPairDict(TypedDict):
    """The two values that are compared."""

    a: bool | int | float | str | None | list[bool | int | float | str | None]
    """The value of the first risk; None for a learner without a grid."""
    b: bool | int | float | str | None | list[bool | int | float | str | None]
    """The value of the second risk; None for a learner without a grid."""


@final
class SelectionBiasDict(TypedDict):
    """Bias of the internal value of the chosen candidate, which was chosen for being the best."""

    estimate: float | None
    """External minus internal error (or metric), averaged over the external splits; None without
    external splits."""
    interval: IntervalDict | None
    """The recommended interval; None for a metric and without external splits."""
    without_choice: float | None
    """The part of ``estimate`` that each candidate has by itself, without a choice; None for one
    external split."""
    of_choice: float | None
    """The rest of ``estimate``, which is due to choosing."""
    of_minima: float | None
    """An estimate of the bias from the internal splits alone; None where they do not determine
    it."""
    variances: dict[str, VarianceEstimateDict]
    """Estimated variances of ``estimate``, by method; empty for a metric."""
    intervals: list[IntervalDict]
    """Every interval about ``estimate``; empty for a metric."""


@final
class SelectionResultDict(EvaluationResultDict):
    """The choice among candidates, and the error of choosing and fitting together."""

    kind: Literal["selection"]
    """``selection``."""
    chosen: ChosenCandidateDict
    """The candidate that is chosen in the end."""
    internal: dict[str, InternalResultDict]
    """The internal errors that this choice rests on, by candidate."""
    external: ExternalResultDict | None
    """The choices inside the external training parts; None without external splits."""
    grids: dict[str, GridProfileDict]
    """The internal error along the parameters of each grid."""
    learners: dict[str, LearnerFitsDict]
    """How the splits of each candidate were predicted; those of a grid are counted together."""
    bias: SelectionBiasDict
    """How much too good the internal value of the chosen candidate is."""
    failures: dict[str, LearnerFailureDict]
    """Candidates that failed, with the reason; a grid is listed once if all of it failed."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


SelectionWeightsDict = TypedDict(
    "SelectionWeightsDict",
    {
        # (n,) weight of each row's validation loss, where weights are estimated inside each
        # training part.
        "validation_values": 'NotRequired[list[float]]',
        # Numbers that describe ``validation_values``.
        "validation": 'NotRequired[DiagnosticsDict]',
        # Mean of the squared weights over the source, estimated from the target; None where the
        # estimator has no function.
        "second_moment": 'float | None',
        # The rows that the weights are estimated from: ``all`` rows, or those of each ``training``
        # part.
        "from": 'Literal["all", "training"]',
        # Whether the fits are weighted too.
        "in_fits": 'bool',
        # The estimator of the weights.
        "method": 'str',
        # (n,) weight of each source row.
        "values": 'list[float]',
        # Number of source rows.
        "n": 'int',
        # Number of target rows.
        "n_target": 'int',
        # Number of features.
        "n_features": 'int',
        # Further numbers of the estimator, such as the width of a kernel.
        "details": 'dict[str, JsonValue]',
        # Cautions about the weights.
        "cautions": 'list[str]',
        # Should be near 1: the density ratio has mean 1 over the source.
        "mean": 'float',
        # Sample variance (ddof 1).
        "variance": 'float',
        # The largest weight.
        "largest": 'float',
        # (sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good.
        "effective_sample_size": 'float',
        # Share of the source rows whose weight is above 10.
        "share_above_10": 'float',
        # Share of the source rows whose weight is zero.
        "share_zero": 'float',
        # Largest weight over the sum of the weights.
        "largest_share": 'float',
        # Share of the target rows that have a source row near them; see ``measure_coverage``.
        "coverage": 'float',
    },
)
"""Importance weights of a selection."""


@final
class SeriesLinksDict(TypedDict):
    """Paths of a series and of what belongs to it."""

    self: str
    """Path of the series."""
    batches: str
    """Path for a POST request that adds a batch."""
    looks: str
    """Path of its looks."""
    figure: str
    """Path of its figure."""
    close: str
    """Path for a POST request that closes it."""


class SeriesListedDict(TypedDict):
    """A series in a list: what is fixed, and how far it is."""

    id: str
    """Id of the series."""
    name: str | None
    """Name from the request."""
    labels: dict[str, str]
    """Labels from the request."""
    status: SeriesStatusValue
    """open: it takes batches; closed: it does not."""
    models: list[str]
    """The model, or the two models, that it is about."""
    better: Literal["lower", "higher"]
    """Which values are better."""
    reference: float | None
    """What one model is compared with; null for two."""
    margin: float | None
    """The difference that does not matter, if given."""
    level: float
    """Confidence level of all looks together."""
    method: SeriesMethodDict
    """The sequential method."""
    stop: list[StatementValue]
    """Statements that are decisions."""
    unit: UnitValue
    """What is independent."""
    expected: ExpectedReadDict | None
    """What was expected, if it was said."""
    batches: int
    """Batches so far."""
    rows: int
    """Rows so far."""
    decision: StatementValue | None
    """The decision, which stays; null without one."""
    decided_at: str | None
    """The time of the decision."""
    decided_at_look: int | None
    """The look that decided."""
    created_at: str
    """The time of its creation."""
    last_batch_at: str | None
    """The time of the newest batch."""
    closed_at: str | None
    """The time at which it was closed."""
    links: SeriesLinksDict
    """Related paths."""


@final
class SeriesMethodDict(TypedDict):
    """The sequential method of a series."""

    name: str
    """Its name."""
    params: dict[str, JsonValue]
    """All its parameters."""


@final
class SeriesPlanReadDict(TypedDict):
    """When a decision is expected."""

    assumes: str
    """expected: what the request expects; so_far: what the rows so far have."""
    difference: float
    """The mean difference that is assumed."""
    standard_deviation: float
    """The standard deviation that is assumed."""
    batch_units: float
    """The rows, or clusters, in a batch that are assumed."""
    decision: StatementValue | None
    """The decision that is expected; null if none is."""
    units: int | None
    """Rows, or clusters, from the beginning to the decision; null if none is expected."""
    batches: int | None
    """Batches from the beginning to the decision."""
    additional_batches: int | None
    """Batches from now to the decision."""
    sentence: str
    """The plan in words."""


@final
class SeriesReadDict(SeriesListedDict):
    """A series with its newest look and its plan."""

    latest: LookReadDict | None
    """The newest look; null before the first batch."""
    plan: SeriesPlanReadDict | None
    """When a decision is expected; null after a decision, and if nothing is known."""
    sentence: str
    """What is decided, and what the newest look has shown."""


SeriesStatusValue: TypeAlias = Literal["open", "closed"]
"""Whether a series takes batches."""


SeverityValue: TypeAlias = Literal["info", "warning", "serious"]
"""How much a caution matters to a decision."""


SharedLevelValue: TypeAlias = Literal["sidak", "bonferroni"]
"""How the level of all groups is shared out among them."""


SignOffDecisionValue: TypeAlias = Literal["approved", "rejected", "needs_changes"]
"""The decision of a sign-off: what somebody decided after reading a result."""


@final
class SignOffReadDict(TypedDict):
    """A sign-off; of several the newest one counts."""

    id: str
    """Id of the sign-off."""
    at: str
    """The time of the signature."""
    name: str
    """The person who signed."""
    owner: str
    """The owner of the API key that signed."""
    actor: str
    """First characters of that key; local for none."""
    decision: SignOffDecisionValue
    """The decision."""
    comment: str
    """Reasons and conditions; may be empty."""
    result_sha256: str
    """SHA-256 of the result that was signed."""
    matches_result: bool
    """Whether the result is still the one that was signed, byte by byte."""


@final
class SimultaneousLevelDict(TypedDict):
    """The level at which the intervals of all groups hold together."""

    method: SharedLevelValue
    """``sidak`` for groups without common rows or clusters, else ``bonferroni``."""
    groups: int
    """Number of groups that are allowed for: all that have rows."""
    level: float
    """Level at which all of them hold."""
    level_of_each: float
    """Level of each interval alone."""


@final
class SizeLossDict(TypedDict):
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


@final
class SourceRiskDict(TypedDict):
    """The weighted risk in one source."""

    source: str | int | float
    """Label of the source."""
    n: int
    """Number of its rows."""
    estimate: float
    """Mean of its weighted losses."""
    variance: float | None
    """Variance of the estimate; NaN for one row."""
    interval: NormalIntervalDict | None
    """The interval about the risk; None for one row, or if one row has nearly all the weight."""
    cautions: list[str]
    """Cautions about these numbers."""


@final
class SourceRiskDifferenceDict(TypedDict):
    """The difference of two models' weighted risks in one source."""

    source: str | int | float
    """Label of the source."""
    n: int
    """Number of its rows."""
    difference: float
    """Risk of a minus risk of b."""
    variance: float | None
    """Variance of the difference; NaN for one row."""
    interval: NormalIntervalDict | None
    """The interval about the difference; None for one row, or if one row has nearly all the
    weight."""
    cautions: list[str]
    """Cautions about these numbers."""


@final
class SourcesWithOneRowDict(TypedDict):
    """Sources that have a single row."""

    n: int
    """Number of such sources."""
    sources: list[str | int | float]
    """The first of them, ten at most."""


StatementValue: TypeAlias = Literal["equivalent", "better", "worse", "not_worse", "futile"]
"""A statement about the first model, compared with the second one or with the reference."""


@final
class StatisticIntervalDict(TypedDict):
    """An interval of a statistic."""

    method: str
    """The interval's name."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: AlternativeValue
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end; None if it is open or undefined."""
    upper: float | None
    """Upper end; None if it is open or undefined."""
    cautions: list[str]
    """Cautions about the interval."""


@final
class StepVerdictDict(TypedDict):
    """The verdict on two successive sizes of one learner."""

    decision: DecisionValue
    """The first of the statements that hold: ``better`` means that the larger size is better."""
    also: list[DecisionValue]
    """The other statements that hold."""
    p_value: float | None
    """Two-sided p-value of no difference."""
    reason: str
    """The verdict in words."""


@final
class StudentisedIntervalDict(TypedDict):
    """A studentised interval."""

    method: str
    """The interval's name."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: AlternativeValue
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end; None if it is open or undefined."""
    upper: float | None
    """Upper end; None if it is open or undefined."""
    cautions: list[str]
    """Cautions about the interval."""
    errors: Literal["jackknife"]
    """How the standard error of each resample is estimated: ``jackknife``."""
    standard_error: float | None
    """Standard error of the sample; None where the jackknife is undefined."""


@final
class StudyClaimDict(TypedDict):
    """A sentence of a source, judged by a number of the study."""

    text: str
    """The claim, in the sense of the source."""
    reference: str
    """Key of the source in ``thetahat.references.REFERENCES``; empty for a rule of this
    software."""
    place: str
    """Where the source makes the claim, such as ``Figure 2`` or ``section 4.1``."""
    verdict: Literal["holds", "fails", "undecided"]
    """``holds`` if the number is within the bounds by three standard errors or more, ``fails`` if
    it is outside by more than three, else ``undecided``."""
    measured: str
    """What the number that decides is, in words."""
    figure: float | None
    """The number that decides."""
    standard_error: float | None
    """Its Monte-Carlo standard error; 0 for a closed form, null if it is unknown."""
    at_least: float | None
    """The lower bound; null if there is none."""
    at_most: float | None
    """The upper bound; null if there is none."""
    undecided_because: NotRequired[str]
    """Why the claim is undecided: how near the number is to its bound, and how many times as many
    repetitions would decide it. Left out where it is decided."""


class StudyDescriptionDict(TypedDict):
    """What a study computed. It may have further fields, which depend on the method."""

    preset: NotRequired[str]
    """The preset's name."""
    inputs: NotRequired[dict[str, JsonValue]]
    """The data sets of the preset, by role, as the request gives them."""
    population: NotRequired[dict[str, JsonValue]]
    """The population, as the request gives it."""
    draw: NotRequired[dict[str, JsonValue]]
    """The size of a draw, as the request gives it."""
    estimators: NotRequired[list[dict[str, JsonValue]]]
    """The estimators, as the request gives them."""
    repetitions: int
    """Repetitions in this result."""
    repetitions_asked: int
    """Repetitions that the request asks for; more than ``repetitions`` in a partial result."""
    extends: str | None
    """The id of the study that this one extends."""
    truth_from: NotRequired[str]
    """How the truth was computed."""
    truths: NotRequired[dict[str, str]]
    """The truths that estimates are compared with, in words, by the name used in the tables."""


@final
class StudyFigureDict(TypedDict):
    """One panel of a figure, as numbers; a figure with several panels is several of these."""

    name: str
    """The figure's name in the result and in its address ``.../figures/NAME.svg``: lower-case
    letters, digits and underscores."""
    title: str
    """The figure's title for readers."""
    x: FigureAxisDict
    """The horizontal axis."""
    y: FigureAxisDict
    """The vertical axis."""
    series: list[FigureSeriesDict]
    """The lines and points, in the order of the legend."""
    note: str
    """How to read the figure."""


@final
class StudyResultDict(TypedDict):
    """The result of a study."""

    kind: Literal["study"]
    """Always ``study``."""
    study: StudyDescriptionDict
    """What was computed."""
    tables: list[StudyTableDict]
    """The tables."""
    figures: list[StudyFigureDict]
    """The figures, as numbers."""
    claims: list[StudyClaimDict]
    """Sentences of the preset's source, each with its verdict."""
    cautions: list[str]
    """The cautions about the whole study."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


@final
class StudyTableDict(TypedDict):
    """A table with named columns."""

    name: str
    """The table's name in the result, unique within the study."""
    title: str
    """The table's title for readers."""
    columns: dict[str, str]
    """The heading of each column, by the key that the rows use."""
    rows: list[dict[str, MonteCarloNumberDict | float | int | str | None]]
    """The rows; each has a cell for every column: a number with its standard error, a plain number,
    a text, or null for an empty cell."""
    note: str
    """How to read the table."""


@final
class SummaryDict(TypedDict):
    """The part of a result that a table of evaluations shows."""

    best_model: str
    """The model with the lowest mean loss (or the highest mean score)."""
    target: TargetValue
    """The quantity that the intervals of the models are about."""
    better: Literal["lower", "higher"]
    """``lower`` where the values are losses, ``higher`` where they are scores."""
    level: float
    """Confidence level of the intervals."""
    margin: NotRequired[float]
    """Largest difference that does not matter, where the request has one."""
    correction: NotRequired[str]
    """How p-values are corrected for the number of pairs, where there are several."""
    sentences: list[str]
    """The best model and every verdict in words; of very many comparisons the most relevant."""
    models: list[ModelSummaryDict]
    """The best models, the best one first; at most twenty."""
    comparisons: list[ComparisonSummaryDict]
    """At most twenty comparisons in the order of the result; those with the best model are
    preferred."""
    decisions: dict[str, int]
    """Number of comparisons with each decision."""


TargetValue: TypeAlias = Literal["these_sources", "new_source", "new_population", "these_models"]
"""The quantity that a number estimates; every number in a result names its target."""


class TestResultDict(TypedDict):
    """The outcome of one paired test. It may have further fields, which depend on the method."""

    statistic: float | None
    """The test statistic; None where it is infinite or undefined, and for Bayesian tests."""
    degrees_of_freedom: float | list[float] | None
    """Degrees of freedom, for F of numerator and denominator; None where the reference distribution
    has none."""
    p_value: float | None
    """The p-value; None where the test has none, and for Bayesian tests."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    target: TargetValue
    """The difference that is tested."""
    unit: str
    """What is paired: ``block``, ``instance`` or ``cluster``."""
    cautions: list[str]
    """Cautions about these numbers."""
    expected_size: NotRequired[ExpectedSizeDict]
    """How often it rejected a true null hypothesis in the studied design nearest to this one; left
    out where none is like it."""


@final
class TrainingRowsDict(TypedDict):
    """Number of rows that a learner was fitted to: mean, smallest and largest over the splits."""

    mean: float
    """Average over the splits."""
    smallest: int
    """Number of rows in the smallest training part."""
    largest: int
    """Number of rows in the largest training part."""


@final
class TwoSampleOutcomeDict(TypedDict):
    """Outcome of a test of two independent samples."""

    difference: float
    """Mean of x minus mean of y."""
    statistic: float | None
    """Test statistic; None if it is infinite or undefined."""
    alternative: AlternativeValue
    """Direction that the test is against: ``less`` is a smaller mean of x."""
    p_value: float
    """p-value."""
    monte_carlo_error: float
    """Standard error of the p-value from drawing permutations; 0 if all of them are counted."""
    method: Literal["exact", "random"]
    """``exact`` if all permutations are counted, ``random`` if they are drawn."""
    n_permutations: int
    """Number of permutations that are counted or drawn."""
    cautions: list[str]
    """What to know before using the outcome."""


@final
class UnderstoodColumnReadDict(DatasetColumnDict):
    """One column: what it seems to be for, why, and its cells."""

    role: str
    """What it seems to be for, such as model, target, feature, label, index, identifier or
    unclear."""
    reason: str
    """Why, as the end of a sentence that begins with its name."""
    is_named_label: bool
    """Whether name and values say that rows with one value belong together, as those of a school
    do."""
    task: Literal["classification", "regression"] | None
    """The task if it is the target: classification for text, booleans, and 0 and 1; null if it can
    only be features."""
    distinct: int
    """Number of different values."""
    examples: list[str]
    """Its first different values, shortened."""
    missing: int
    """Number of rows without a value."""
    first_missing: int | None
    """The first of them, from 0."""
    missing_marks: dict[str, int]
    """What is written in such cells of a column of numbers, and how often."""
    not_numbers: int
    """Cells that are no numbers, of a column that is nearly all."""
    first_not_numbers: list[FaultyCellReadDict]
    """The first of these cells."""


UnitValue: TypeAlias = Literal["row", "cluster"]
"""What is independent in a series."""


UsedWeightsDict = TypedDict(
    "UsedWeightsDict",
    {
        # The rows that the weights are estimated from: ``all`` rows, or those of each ``training``
        # part.
        "from": 'Literal["all", "training"]',
        # Whether the fits are weighted too.
        "in_fits": 'bool',
        # The estimator of the weights.
        "method": 'str',
        # (n,) weight of each source row.
        "values": 'list[float]',
        # Number of source rows.
        "n": 'int',
        # Number of target rows.
        "n_target": 'int',
        # Number of features.
        "n_features": 'int',
        # Further numbers of the estimator, such as the width of a kernel.
        "details": 'dict[str, JsonValue]',
        # Cautions about the weights.
        "cautions": 'list[str]',
        # Should be near 1: the density ratio has mean 1 over the source.
        "mean": 'float',
        # Sample variance (ddof 1).
        "variance": 'float',
        # The largest weight.
        "largest": 'float',
        # (sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good.
        "effective_sample_size": 'float',
        # Share of the source rows whose weight is above 10.
        "share_above_10": 'float',
        # Share of the source rows whose weight is zero.
        "share_zero": 'float',
        # Largest weight over the sum of the weights.
        "largest_share": 'float',
        # Share of the target rows that have a source row near them; see ``measure_coverage``.
        "coverage": 'float',
    },
)
"""Importance weights that enter weighted risks."""


@final
class VarianceComponentDict(TypedDict):
    """One part of the variance of the mean over items and runs."""

    variance: float
    """Estimated variance of one loss that comes from it, in squared units of the loss; it may be
    negative."""
    share: float | None
    """Its share of the variance of the mean over these numbers of items and runs; None where a
    component is negative."""


class VarianceEstimateDict(TypedDict):
    """An estimate of the variance of a mean loss; part of results. It may have further fields,
    which depend on the method."""

    value: float | None | list[float | None] | list[list[float | None]]
    """Squared units of the loss; the variance of the *estimate*, never of one instance. An array
    for the estimators that give one per source (K,) or per pair of sources (K, K)."""
    target: TargetValue
    """The error that the mean estimates."""
    mean: MeanKindValue
    """Which mean the variance belongs to."""
    estimate: float
    """That mean, in units of the loss."""
    standard_error: float | None
    """Root of the value; None where that is an array, negative or NaN."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the t interval and the t test that use it; None means normal."""
    usable: bool
    """Whether an interval or a test may be built on it, which needs a positive number."""
    cautions: list[str]
    """Cautions about the variance."""


@final
class VerdictDict(TypedDict):
    """The verdict on two models."""

    decision: DecisionValue
    """The first of the statements that hold."""
    also: list[DecisionValue]
    """The other statements that hold."""
    p_value: float | None
    """Two-sided p-value of no difference."""
    p_value_adjusted: float | None
    """The p-value corrected over the pairs; None for a single pair."""
    reason: str
    """The verdict in words."""
    p_value_equivalent: NotRequired[float]
    """p-value of a difference of at least the margin, by two one-sided tests; None without a
    margin."""
    p_value_equivalent_adjusted: NotRequired[float]
    """That p-value corrected over the pairs; None for a single pair or without a margin."""
    p_value_not_worse: NotRequired[float]
    """One-sided p-value of a being worse than b by at least the margin; None without a margin."""
    p_value_not_worse_adjusted: NotRequired[float]
    """That p-value corrected over the pairs; None for a single pair or without a margin."""
    margin: float | None
    """Largest difference that does not matter, in units of the loss."""
    target: TargetValue | None
    """The quantity that the verdict is about; None where no interval could be built."""
    method: str | None
    """The interval that it rests on, or ``sign`` where all differences are equal."""
    variance: str | None
    """The variance that this interval rests on."""
    plan: PlanDict | None
    """How much more data an undecided verdict needs."""
    plan_reason: str | None
    """Why there is no plan."""
    detectable: DetectableDict | None
    """The smallest difference that data like these detect with the requested power."""
    expected_size: NotRequired[ExpectedSizeDict]
    """How often the verdict's own test called equal models different in the studied design nearest
    to this one; left out where none is like it."""
    expected_size_missing: NotRequired[str]
    """Why there is no ``expected_size``, here and in the tests of the pair: which of their numbers
    no studied design comes near."""


WebhookEventValue: TypeAlias = Literal["evaluation.succeeded", "evaluation.failed", "evaluation.cancelled", "series.decided"]
"""What a webhook is told about."""


@final
class WeightedRiskDict(TypedDict):
    """An importance-weighted risk of one model."""

    estimate: float
    """Estimated mean loss under the target distribution."""
    variance: float
    """Variance of the estimate."""
    standard_error: float
    """Root of the variance."""
    target: TargetValue
    """The population whose mean loss is estimated."""
    beta: list[float]
    """Coefficients of the control variates; empty where there are none."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalIntervalDict | None
    """The interval about the estimate; None with fewer than two effective rows."""
    cautions: list[str]
    """Cautions about these numbers."""
    by_source: NotRequired[list[SourceRiskDict]]
    """The risk in each source, where sources are known."""


@final
class WeightsResultDict(TypedDict):
    """Importance weights of a source sample."""

    kind: Literal["weights"]
    """``weights``."""
    weights: EstimatedWeightsDict
    """The weights with their diagnostics."""
    cautions: list[str]
    """Cautions about rows that are left out; the weights have their own."""
    left_out: NotRequired[LeftOutOfSamplesDict]
    """Incomplete rows that are left out of the samples; the weights are those of the other rows, in
    order."""
    caution_texts: NotRequired[dict[str, CautionDict]]
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: NotRequired[ProvenanceDict]
    """Version, seed, digests and methods, which make the result again."""


@final
class WinRateDict(TypedDict):
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


@final
class WorstGroupDict(TypedDict):
    """The group with the worst mean, and what is certain of the worst group, whichever it is."""

    group: dict[str, str | int | float | None]
    """The group with the worst mean of these data."""
    mean: float
    """Its mean."""
    upper_bound: NotRequired[float]
    """No group has a larger mean loss, with the level as confidence; None for scores, or where a
    group has no bound."""
    lower_bound: NotRequired[float]
    """No group has a smaller mean score; None for losses, or where a group has no bound."""
    groups_without_bound: int
    """Groups that the bound says nothing about, because they have no interval."""
    sentence: str
    """Both in words."""


AnyResult: TypeAlias = "RatersResultDict | BootstrapResultDict | CrossValidationResultDict | ImportanceWeightingResultDict | LearningCurveResultDict | LossesResultDict | PredictionsResultDict | SelectionResultDict | StudyResultDict | WeightsResultDict"
"""The result of any kind."""
