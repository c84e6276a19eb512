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
    """The internal error of a candidate, or its metric."""

    mean: float = field(metadata={"nullable": True})
    """The number by which candidates are chosen; NaN where it is undefined."""
    standard_error: float | None
    """Standard error of the mean, in its units; None where it is not known."""
    splits: FloatArray | None = field(metadata={"nullable": True})
    """(J,) mean loss, or metric, of each internal split, NaN where it is undefined; None where
    there are very many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSpec:
    """A learner as the request describes it."""

    name: str
    """Name of the learner."""
    params: Mapping[str, JsonValue]
    """Parameters of the learner, with the values of the grid."""
    prepare: PreparationSteps
    """The preparation steps before the learner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenCandidate:
    """The candidate that is chosen in the end."""

    name: str
    """Name of the candidate."""
    spec: CandidateSpec
    """The learner, ready for another request."""
    rule: SelectionRule
    """The rule of the choice: ``least`` or ``one_standard_error``."""
    by: str
    """The number that the choice is made by: ``error``, the mean loss, or the name of a metric."""
    higher_is_better: bool
    """Whether the candidate with the largest value is best."""
    least: str
    """The candidate with the best internal value, which ``one_standard_error`` need not choose."""
    tied: tuple[str, ...]
    """Candidates with the same value as ``least``."""
    chosen_on: ChosenOn
    """The rows that the choice rests on."""
    internal: InternalResult
    """Internal error, or metric, of the chosen candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalSplit:
    """The choice inside the training part of one external split, and its error on the test part."""

    repeat: int
    """Number of the repeat."""
    block: Label
    """Label of the block that is the test part."""
    winner: str
    """The chosen candidate."""
    least: str
    """The candidate with the best internal value."""
    tied: tuple[str, ...]
    """Candidates with the same value as ``least``."""
    internal: float = field(metadata={"nullable": True})
    """Internal error, or metric, of the winner; NaN where it is undefined."""
    internal_standard_error: float | None
    """Standard error of ``internal``; None where it is not known."""
    external: float = field(metadata={"nullable": True})
    """Error, or metric, of the winner on the test part; NaN where it is undefined."""
    n_train: int
    """Rows of the training part."""
    n_test: int
    """Rows of the test part."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExternalCandidate:
    """One candidate under the external splits."""

    wins: int
    """Number of external splits in which it was chosen."""
    internal: tuple[float, ...] | None = field(metadata={"nullable": True})
    """(J,) internal error, or metric, in each split; None where there are very many numbers."""
    external: FloatArray | None = field(metadata={"nullable": True})
    """(J,) error, or metric, on each test part; None where there are very many numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalResult:
    """The choices inside the external training parts, and their errors on the test parts."""

    wins: Mapping[str, int]
    """Number of splits in which each candidate was chosen."""
    splits: tuple[ExternalSplit, ...]
    """Every external split."""
    candidates: Mapping[str, ExternalCandidate]
    """Every candidate by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterProfile:
    """The internal error against the value of one parameter of a grid."""

    values: tuple[GridValue, ...]
    """The values, in the order of the request."""
    candidates: tuple[str | None, ...]
    """The best candidate with each value; None where none of them ran."""
    mean: tuple[float | None, ...]
    """Internal error, or metric, of that candidate."""
    standard_error: tuple[float | None, ...]
    """The standard error of each entry of ``mean``."""
    external: tuple[float | None, ...] | None
    """Mean error, or metric, of that candidate over the external splits; None without external
    splits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridProfile:
    """The internal error along each parameter of a grid."""

    parameters: Mapping[str, ParameterProfile]
    """The profile of each parameter, by its name."""
    least: str | None
    """The best candidate of the grid; None where none ran."""
    n_candidates: int
    """Number of candidates of the grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionBias:
    """Bias of the internal value of the chosen candidate, which was chosen for being the best."""

    estimate: float | None
    """External minus internal error (or metric), averaged over the external splits; None without
    external splits."""
    interval: Interval | None
    """The recommended interval; None for a metric and without external splits."""
    without_choice: float | None
    """The part of ``estimate`` that each candidate has by itself, without a choice; None for one
    external split."""
    of_choice: float | None
    """The rest of ``estimate``, which is due to choosing."""
    of_minima: float | None
    """An estimate of the bias from the internal splits alone; None where they do not determine
    it."""
    variances: Mapping[str, VarianceEstimate]
    """Estimated variances of ``estimate``, by method; empty for a metric."""
    intervals: tuple[Interval, ...]
    """Every interval about ``estimate``; empty for a metric."""
