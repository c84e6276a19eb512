"""The types of a selection in a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from thetahat.analyses.selection.grid_values import GridValue
from thetahat.analyses.selection.selection_rules import SelectionRule
from thetahat.intervals.base import Interval
from thetahat.values.json_values import JsonValue, PreparationSteps
from thetahat.values.types import FloatArray, Label
from thetahat.variances.base import VarianceEstimate

ChosenOn: TypeAlias = Literal["all rows", "the training and validation rows"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InternalResult:
    """The internal error of a candidate, or its metric.

    Parameters
    ----------
    mean : float
        The number by which candidates are chosen; NaN where it is undefined.
    standard_error : float or None
        Standard error of the mean, in its units; None where it is not known.
    splits : ndarray of float or None
        (J,) mean loss, or metric, of each internal split, NaN where it is undefined; None where
        there are very many.
    """

    mean: float = field(metadata={"nullable": True})
    standard_error: float | None
    splits: FloatArray | None = field(metadata={"nullable": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSpec:
    """A learner as the request describes it.

    Parameters
    ----------
    name : str
        Name of the learner.
    params : mapping
        Parameters of the learner, with the values of the grid.
    prepare : tuple
        The preparation steps before the learner.
    """

    name: str
    params: Mapping[str, JsonValue]
    prepare: PreparationSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenCandidate:
    """The candidate that is chosen in the end.

    Parameters
    ----------
    name : str
        Name of the candidate.
    spec : CandidateSpec
        The learner, ready for another request.
    rule : str
        The rule of the choice: ``least`` or ``one_standard_error``.
    by : str
        The number that the choice is made by: ``error``, the mean loss, or the name of a metric.
    higher_is_better : bool
        Whether the candidate with the largest value is best.
    least : str
        The candidate with the best internal value, which ``one_standard_error`` need not choose.
    tied : tuple of str
        Candidates with the same value as ``least``.
    chosen_on : str
        The rows that the choice rests on.
    internal : InternalResult
        Internal error, or metric, of the chosen candidate.
    """

    name: str
    spec: CandidateSpec
    rule: SelectionRule
    by: str
    higher_is_better: bool
    least: str
    tied: tuple[str, ...]
    chosen_on: ChosenOn
    internal: InternalResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalSplit:
    """The choice inside the training part of one external split, and its error on the test part.

    Parameters
    ----------
    repeat : int
        Number of the repeat.
    block : str, int or float
        Label of the block that is the test part.
    winner : str
        The chosen candidate.
    least : str
        The candidate with the best internal value.
    tied : tuple of str
        Candidates with the same value as ``least``.
    internal : float
        Internal error, or metric, of the winner; NaN where it is undefined.
    internal_standard_error : float or None
        Standard error of ``internal``; None where it is not known.
    external : float
        Error, or metric, of the winner on the test part; NaN where it is undefined.
    n_train, n_test : int
        Rows of the training part and of the test part.
    """

    repeat: int
    block: Label
    winner: str
    least: str
    tied: tuple[str, ...]
    internal: float = field(metadata={"nullable": True})
    internal_standard_error: float | None
    external: float = field(metadata={"nullable": True})
    n_train: int
    n_test: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExternalCandidate:
    """One candidate under the external splits.

    Parameters
    ----------
    wins : int
        Number of external splits in which it was chosen.
    internal : tuple of float or None
        (J,) internal error, or metric, in each split; None where there are very many numbers.
    external : ndarray of float or None
        (J,) error, or metric, on each test part; None where there are very many numbers.
    """

    wins: int
    internal: tuple[float, ...] | None = field(metadata={"nullable": True})
    external: FloatArray | None = field(metadata={"nullable": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalResult:
    """The choices inside the external training parts, and their errors on the test parts.

    Parameters
    ----------
    wins : mapping of str to int
        Number of splits in which each candidate was chosen.
    splits : tuple of ExternalSplit
        Every external split.
    candidates : mapping of str to ExternalCandidate
        Every candidate by name.
    """

    wins: Mapping[str, int]
    splits: tuple[ExternalSplit, ...]
    candidates: Mapping[str, ExternalCandidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterProfile:
    """The internal error against the value of one parameter of a grid.

    Parameters
    ----------
    values : tuple of value
        The values, in the order of the request.
    candidates : tuple of str or None
        The best candidate with each value; None where none of them ran.
    mean : tuple of float or None
        Internal error, or metric, of that candidate.
    standard_error : tuple of float or None
        The standard error of each entry of ``mean``.
    external : tuple of float or None
        Mean error, or metric, of that candidate over the external splits; None without external
        splits.
    """

    values: tuple[GridValue, ...]
    candidates: tuple[str | None, ...]
    mean: tuple[float | None, ...]
    standard_error: tuple[float | None, ...]
    external: tuple[float | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GridProfile:
    """The internal error along each parameter of a grid.

    Parameters
    ----------
    parameters : mapping of str to ParameterProfile
        The profile of each parameter, by its name.
    least : str or None
        The best candidate of the grid; None where none ran.
    n_candidates : int
        Number of candidates of the grid.
    """

    parameters: Mapping[str, ParameterProfile]
    least: str | None
    n_candidates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionBias:
    """The bias of the internal value of the chosen candidate, which was chosen for being the best.

    Parameters
    ----------
    estimate : float or None
        External minus internal error (or metric), averaged over the external splits; None without
        external splits.
    interval : Interval or None
        The recommended interval; None for a metric and without external splits.
    without_choice : float or None
        The part of ``estimate`` that each candidate has by itself, without a choice; None for one
        external split.
    of_choice : float or None
        The rest of ``estimate``, which is due to choosing.
    of_minima : float or None
        An estimate of the bias from the internal splits alone; None where they do not determine it.
    variances : mapping of str to VarianceEstimate
        Estimated variances of ``estimate``, by method; empty for a metric.
    intervals : tuple of Interval
        Every interval about ``estimate``; empty for a metric.
    """

    estimate: float | None
    interval: Interval | None
    without_choice: float | None
    of_choice: float | None
    of_minima: float | None
    variances: Mapping[str, VarianceEstimate]
    intervals: tuple[Interval, ...]
