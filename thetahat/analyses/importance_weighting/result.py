"""The types of the result of an importance-weighted selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thetahat.analyses.losses.result import NormalInterval, SourceRisk, WeightedRiskDifference
from thetahat.cautions import Caution
from thetahat.values.json_values import ParameterValue
from thetahat.values.types import FloatArray, Target

# What is selected ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RefitCoefficients:
    """The model that is fitted to the whole source with the selected value.

    Parameters
    ----------
    coefficients : ndarray of float
        (p,) coefficients, one for each feature.
    intercept : float
        The intercept; 0 where the learner has none.
    """

    coefficients: FloatArray
    intercept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRisk:
    """The mean loss on the labelled target of the model that is fitted to the whole source.

    Parameters
    ----------
    target_risk : float
        Mean loss on the target.
    target_risk_variance : float or None
        Variance of that mean; None for a single target row.
    target_risk_interval : NormalInterval or None
        The interval about that mean; None for a single target row.
    regret : float or None
        Mean loss on the target minus the smallest mean loss along the grid.
    """

    target_risk: float
    target_risk_variance: float | None
    target_risk_interval: NormalInterval | None
    regret: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedValue:
    """The value of the grid with the smallest risk.

    Parameters
    ----------
    selected : value of the grid or None
        None for a learner without a grid.
    selected_index : int
        Position of the selected value in the grid, from 0.
    estimate : float
        The estimated risk there.
    variance : float
        Variance of the estimate.
    standard_error : float
        Root of the variance.
    target : Target
        The population whose risk is estimated.
    bias : float or None
        Estimated bias, where the estimator has one.
    interval : NormalInterval or None
        The interval about the estimate; None if one row has about all the weight.
    cautions : tuple of Caution
        Cautions about these numbers.
    refit : RefitCoefficients or None
        The model with that value, for learners that have coefficients.
    by_source : tuple of SourceRisk or None
        The risk in each source, where sources are known.
    on_target : TargetRisk or None
        The mean loss on a labelled target; its fields are fields of this object.
    """

    selected: ParameterValue
    selected_index: int
    estimate: float
    variance: float
    standard_error: float
    target: Target
    bias: float | None
    interval: NormalInterval | None
    cautions: tuple[Caution, ...]
    refit: RefitCoefficients | None = None
    by_source: tuple[SourceRisk, ...] | None = None
    on_target: TargetRisk | None = field(default=None, metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveIntervals:
    """Normal intervals about a risk along a grid.

    Parameters
    ----------
    method : str
        Always ``normal``.
    level : float
        Confidence level, in (0, 1).
    lower, upper : ndarray of float
        (L,) ends of the intervals.
    """

    method: str
    level: float
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskAlongGrid:
    """One risk of a learner along its grid, and the value with the smallest risk.

    Parameters
    ----------
    curve : ndarray of float
        (L,) estimated risk at each value.
    curve_variances : ndarray of float
        (L,) variance of each estimate.
    curve_intervals : CurveIntervals or None
        Intervals about the estimates; None if one row has about all the weight.
    beta : tuple or None
        (L,) coefficient of the control variate at each value, or coefficients of several.
    curve_bias : tuple of float or None
        (L,) estimated bias at each value, where the estimator has one.
    choice : SelectedValue
        The value with the smallest risk; its fields are fields of this object.
    """

    curve: FloatArray
    curve_variances: FloatArray
    curve_intervals: CurveIntervals | None
    beta: tuple[float | tuple[float, ...], ...] | None = None
    curve_bias: tuple[float | None, ...] | None = None
    choice: SelectedValue = field(metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Oracle:
    """The value of the grid with the smallest mean loss on the labelled target.

    Parameters
    ----------
    selected : value of the grid or None
        None for a learner without a grid.
    selected_index : int
        Position of the selected value in the grid, from 0.
    curve : ndarray of float
        (L,) mean loss on the target at each value.
    on_target : TargetRisk
        The mean loss there; its fields are fields of this object.
    cautions : tuple of Caution
        Cautions about these numbers.
    """

    selected: ParameterValue
    selected_index: int
    curve: FloatArray
    on_target: TargetRisk = field(metadata={"inline": True})
    cautions: tuple[Caution, ...]


# Comparisons --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference:
    """The difference of two mean losses, or of two risks of one model.

    Parameters
    ----------
    difference : float
        First minus second.
    variance : float or None
        Variance of the difference; None for a single row.
    standard_error : float or None
        Root of the variance.
    interval : NormalInterval or None
        The interval about the difference; None where there is no variance.
    """

    difference: float
    variance: float | None
    standard_error: float | None
    interval: NormalInterval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedPair:
    """The two values that are compared.

    Parameters
    ----------
    a, b : value of the grid or None
        The values; None for a learner without a grid.
    """

    a: ParameterValue
    b: ParameterValue


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPair:
    """The difference of two risks at each of the values that they select.

    Parameters
    ----------
    a, b : MeanDifference
        The difference of the two risks at the value that the first risk selects, and at the value
        that the second selects.
    """

    a: MeanDifference
    b: MeanDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceComparison:
    """The choices of two risks for one learner, first minus second.

    Parameters
    ----------
    a, b : str
        The risks.
    selected : SelectedPair
        The values that they select.
    same_choice : bool
        Whether both risks select the same value.
    under : mapping of str to WeightedRiskDifference
        The difference of the two choices, under each risk.
    estimates : RiskPair
        The difference of the two risks at each of the two values.
    target_risk : MeanDifference or None
        The difference of the mean losses on a labelled target.
    """

    a: str
    b: str
    selected: SelectedPair
    same_choice: bool
    under: Mapping[str, WeightedRiskDifference]
    estimates: RiskPair
    target_risk: MeanDifference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerDifference:
    """Two learners under one risk, each at the value that the risk selects for it.

    Parameters
    ----------
    selected : SelectedPair
        The values that the risk selects for the two learners.
    risk : WeightedRiskDifference
        The difference of the risks; its fields are fields of this object.
    target_risk : MeanDifference or None
        The difference of the mean losses on a labelled target.
    """

    selected: SelectedPair
    risk: WeightedRiskDifference = field(metadata={"inline": True})
    target_risk: MeanDifference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerComparison:
    """Two learners side by side.

    Parameters
    ----------
    a, b : str
        Names of the learners.
    risks : mapping of str to LearnerDifference
        Their difference under each risk.
    """

    a: str
    b: str
    risks: Mapping[str, LearnerDifference]


# One learner, and all of them ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GridValues:
    """The grid of a learner.

    Parameters
    ----------
    parameter : str
        The parameter that varies.
    values : tuple
        (L,) its values.
    """

    parameter: str | None
    values: tuple[ParameterValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerSelection:
    """The selection of each risk from the grid of one learner.

    Parameters
    ----------
    grid : GridValues or None
        None for a learner without a grid.
    risks : mapping of str to RiskAlongGrid
        Every risk along the grid.
    oracle : Oracle or None
        The best value for a labelled target; None where the target has no labels.
    comparisons : tuple of ChoiceComparison
        The choices of each pair of risks.
    cautions : tuple of Caution
        Cautions about the fits.
    """

    grid: GridValues | None
    risks: Mapping[str, RiskAlongGrid]
    oracle: Oracle | None
    comparisons: tuple[ChoiceComparison, ...]
    cautions: tuple[Caution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestLearner:
    """The learner with the smallest risk.

    Parameters
    ----------
    selected_learner : str
        Name of the learner.
    choice : SelectedValue
        The value that the risk selects for it; its fields are fields of this object.
    """

    selected_learner: str
    choice: SelectedValue = field(metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOracle:
    """The learner with the smallest mean loss on the labelled target.

    Parameters
    ----------
    selected_learner : str
        Name of the learner.
    oracle : Oracle
        Its best value; its fields are fields of this object.
    """

    selected_learner: str
    oracle: Oracle = field(metadata={"inline": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionAmongLearners:
    """The selection of each risk among several learners with their grids.

    Parameters
    ----------
    risks : mapping of str to BestLearner
        What each risk selects.
    oracle : BestOracle or None
        The best learner for a labelled target; None where the target has no labels.
    learners : mapping of str to LearnerSelection
        Every learner by itself.
    comparisons : tuple of LearnerComparison
        Every pair of learners.
    cautions : tuple of Caution
        Cautions about the selection.
    """

    risks: Mapping[str, BestLearner]
    oracle: BestOracle | None
    learners: Mapping[str, LearnerSelection]
    comparisons: tuple[LearnerComparison, ...]
    cautions: tuple[Caution, ...]
