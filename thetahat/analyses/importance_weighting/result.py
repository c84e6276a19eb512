"""The types of the result of an importance-weighted selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thetahat.analyses.losses.optional_results import (
    NormalInterval,
    SourceRisk,
    WeightedRiskDifference,
)
from thetahat.cautions import Caution
from thetahat.values.json_values import ParameterValue
from thetahat.values.types import FloatArray, Target

# What is selected ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RefitCoefficients:
    """The model that is fitted to the whole source with the selected value."""

    coefficients: FloatArray
    """(p,) coefficients, one for each feature."""
    intercept: float
    """The intercept; 0 where the learner has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRisk:
    """The mean loss on the labelled target of the model that is fitted to the whole source."""

    target_risk: float
    """Mean loss on the target."""
    target_risk_variance: float | None
    """Variance of that mean; None for a single target row."""
    target_risk_interval: NormalInterval | None
    """The interval about that mean; None for a single target row."""
    regret: float | None = None
    """Mean loss on the target minus the smallest mean loss along the grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedValue:
    """The value of the grid with the smallest risk."""

    selected: ParameterValue
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    estimate: float
    """The estimated risk there."""
    variance: float
    """Variance of the estimate."""
    standard_error: float
    """Root of the variance."""
    target: Target
    """The population whose risk is estimated."""
    bias: float | None
    """Estimated bias, where the estimator has one."""
    interval: NormalInterval | None
    """The interval about the estimate; None if one row has about all the weight."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""
    refit: RefitCoefficients | None = None
    """The model with that value, for learners that have coefficients."""
    by_source: tuple[SourceRisk, ...] | None = None
    """The risk in each source, where sources are known."""
    on_target: TargetRisk | None = field(default=None, metadata={"inline": True})
    """The mean loss on a labelled target; its fields are fields of this object."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveIntervals:
    """Normal intervals about a risk along a grid."""

    method: str
    """Always ``normal``."""
    level: float
    """Confidence level, in (0, 1)."""
    lower: FloatArray
    """(L,) lower ends."""
    upper: FloatArray
    """(L,) upper ends."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskAlongGrid:
    """One risk of a learner along its grid, and the value with the smallest risk."""

    curve: FloatArray
    """(L,) estimated risk at each value."""
    curve_variances: FloatArray
    """(L,) variance of each estimate."""
    curve_intervals: CurveIntervals | None
    """Intervals about the estimates; None if one row has about all the weight."""
    beta: tuple[float | tuple[float, ...], ...] | None = None
    """(L,) coefficient of the control variate at each value, or coefficients of several."""
    curve_bias: tuple[float | None, ...] | None = None
    """(L,) estimated bias at each value, where the estimator has one."""
    choice: SelectedValue = field(metadata={"inline": True})
    """The value with the smallest risk; its fields are fields of this object."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Oracle:
    """The value of the grid with the smallest mean loss on the labelled target."""

    selected: ParameterValue
    """None for a learner without a grid."""
    selected_index: int
    """Position of the selected value in the grid, from 0."""
    curve: FloatArray
    """(L,) mean loss on the target at each value."""
    on_target: TargetRisk = field(metadata={"inline": True})
    """The mean loss there; its fields are fields of this object."""
    cautions: tuple[Caution, ...]
    """Cautions about these numbers."""


# Comparisons --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference:
    """The difference of two mean losses, or of two risks of one model."""

    difference: float
    """First minus second."""
    variance: float | None
    """Variance of the difference; None for a single row."""
    standard_error: float | None
    """Root of the variance."""
    interval: NormalInterval | None
    """The interval about the difference; None where there is no variance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedPair:
    """The two values that are compared."""

    a: ParameterValue
    """The value of the first risk; None for a learner without a grid."""
    b: ParameterValue
    """The value of the second risk; None for a learner without a grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPair:
    """The difference of two risks at each of the values that they select."""

    a: MeanDifference
    """The difference of the two risks at the value that the first risk selects."""
    b: MeanDifference
    """The difference of the two risks at the value that the second risk selects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceComparison:
    """The choices of two risks for one learner, first minus second."""

    a: str
    """The first risk."""
    b: str
    """The second risk."""
    selected: SelectedPair
    """The values that they select."""
    same_choice: bool
    """Whether both risks select the same value."""
    under: Mapping[str, WeightedRiskDifference]
    """The difference of the two choices, under each risk."""
    estimates: RiskPair
    """The difference of the two risks at each of the two values."""
    target_risk: MeanDifference | None = None
    """The difference of the mean losses on a labelled target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerDifference:
    """Two learners under one risk, each at the value that the risk selects for it."""

    selected: SelectedPair
    """The values that the risk selects for the two learners."""
    risk: WeightedRiskDifference = field(metadata={"inline": True})
    """The difference of the risks; its fields are fields of this object."""
    target_risk: MeanDifference | None = None
    """The difference of the mean losses on a labelled target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerComparison:
    """Two learners side by side."""

    a: str
    """Name of the first learner."""
    b: str
    """Name of the second learner."""
    risks: Mapping[str, LearnerDifference]
    """Their difference under each risk."""


# One learner, and all of them ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GridValues:
    """The grid of a learner."""

    parameter: str | None
    """The parameter that varies."""
    values: tuple[ParameterValue, ...]
    """(L,) its values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerSelection:
    """The selection of each risk from the grid of one learner."""

    grid: GridValues | None
    """None for a learner without a grid."""
    risks: Mapping[str, RiskAlongGrid]
    """Every risk along the grid."""
    oracle: Oracle | None
    """The best value for a labelled target; None where the target has no labels."""
    comparisons: tuple[ChoiceComparison, ...]
    """The choices of each pair of risks."""
    cautions: tuple[Caution, ...]
    """Cautions about the fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestLearner:
    """The learner with the smallest risk."""

    selected_learner: str
    """Name of the learner."""
    choice: SelectedValue = field(metadata={"inline": True})
    """The value that the risk selects for it; its fields are fields of this object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOracle:
    """The learner with the smallest mean loss on the labelled target."""

    selected_learner: str
    """Name of the learner."""
    oracle: Oracle = field(metadata={"inline": True})
    """Its best value; its fields are fields of this object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionAmongLearners:
    """The selection of each risk among several learners with their grids."""

    risks: Mapping[str, BestLearner]
    """What each risk selects."""
    oracle: BestOracle | None
    """The best learner for a labelled target; None where the target has no labels."""
    learners: Mapping[str, LearnerSelection]
    """Every learner by itself."""
    comparisons: tuple[LearnerComparison, ...]
    """Every pair of learners."""
    cautions: tuple[Caution, ...]
    """Cautions about the selection."""
