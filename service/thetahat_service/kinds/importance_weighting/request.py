"""The request of kind ``importance_weighting``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from thetahat.analyses.selection.grid_values import (
    MAX_VALUES,
    check_count,
    check_distinct,
    list_range_values,
)
from thetahat.errors import InvalidParameter, Loc
from thetahat.importance_weights import get_default_weights
from thetahat.learners import penalised_least_squares
from thetahat.parameter_checks import MAX_SPLITS
from thetahat.weighted_risks import DEFAULT_RISKS
from thetahat_service.kinds.fields.left_out import LeftOutSampleFields
from thetahat_service.kinds.fields.list_items import ParameterItem
from thetahat_service.kinds.fields.loss_names import LossEntry, LossName
from thetahat_service.kinds.fields.sample import LabelledInput, SampleInput
from thetahat_service.kinds.fields.weighting_names import (
    RiskEntry,
    RiskName,
    WeightsEntry,
    WeightsName,
)
from thetahat_service.schemas.base import EvaluationRequest, Schema

DEFAULT_COUNT: Final = 200
"""Number of grid values in the published experiment."""


class Grid(Schema):
    """Values of one parameter: a range, or a list."""

    from_: float | None = Field(None, alias="from", description="The first value of a range.")
    to: float | None = Field(None, description="The last value of a range.")
    count: int | None = Field(
        None, ge=1, le=MAX_VALUES, description="Number of values of a range. Left out: 200."
    )
    scale: Literal["log", "linear"] | None = Field(
        None, description="Whether a range has equal ratios or equal steps. Left out: log."
    )
    values: list[ParameterItem] | None = Field(
        None, min_length=1, max_length=MAX_VALUES, description="The values, instead of a range."
    )


GridEntry = dict[str, Grid | list[ParameterItem]]
LearnerEntry = str | dict[str, Any]
DEFAULT_GRID: Final[Mapping[str, Any]] = {
    "penalty": Grid.model_validate({"from": 1e-3, "to": 1e6, "count": DEFAULT_COUNT})
}


class ImportanceWeightingRequest(EvaluationRequest, LeftOutSampleFields):
    """Two samples, the weights, learners with their grids, and the risks that select."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"source", "target"})

    kind: Literal["importance_weighting"] = Field(
        "importance_weighting", description="The kind of the evaluation."
    )
    source: LabelledInput = Field(description="The labelled sample that learners are fitted to.")
    target: SampleInput = Field(
        description="A sample of the target population. If it has labels, the result also has the "
        "mean loss on it."
    )
    task: Literal["classification", "regression"] = Field(
        "classification", description="Whether classes or numbers are predicted."
    )
    weights: WeightsName | WeightsEntry = Field(
        get_default_weights(),
        description="The estimator of the importance weights.",
        examples=["kernel_mean_matching"],
    )
    weights_from: Literal["all", "training"] = Field(
        "all",
        description="Whether weights are estimated once from all rows, or inside each training "
        "part.",
    )
    weighted_fit: bool = Field(
        True, strict=True, description="Whether the fits are weighted too, and not only the risks."
    )
    learner: LearnerEntry | None = Field(
        None,
        description="The learner: a name, or an object with name, params and prepare. Left out: "
        "ridge, fitted to the classes as -1 and 1.",
    )
    learners: dict[str, LearnerEntry] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Several learners by name, in the place of learner.",
    )
    intercept: bool | None = Field(
        None,
        strict=True,
        description="Whether the default learner has an intercept. Left out: no.",
    )
    grid: GridEntry | None = Field(
        None,
        description="One parameter and its values, for every learner. Left out: 200 penalties "
        "from 1e-3 to 1e6 for ridge, and no grid for other learners.",
        examples=[{"penalty": {"from": 1e-3, "to": 1e6, "count": 200}}],
    )
    grids: dict[str, GridEntry] | None = Field(
        None, description="Grids by learner; a learner without one has grid."
    )
    n_folds: int = Field(
        5, ge=2, le=MAX_SPLITS, description="Number of folds that are drawn from the source."
    )
    loss: LossName | LossEntry | None = Field(
        None,
        description="The loss. Left out: quadratic_margin for classification, squared for "
        "regression.",
    )
    risks: list[RiskName | RiskEntry] = Field(
        list(DEFAULT_RISKS),
        min_length=1,
        max_length=20,
        description="Estimators of the risk, each of which selects a value of the grid.",
    )
    level: float = Field(
        0.95, gt=0, lt=1, strict=True, description="Confidence level of intervals."
    )

    def list_learner_entries(self) -> dict[str, tuple[LearnerEntry, Loc]]:
        """Return each learner's entry in the request and its path, by name."""
        if self.learners is None and self.learner is None:
            params = {} if self.intercept is None else {"intercept": self.intercept}
            name = penalised_least_squares()
            return {name: ({"name": name, "params": params}, ("learner",))}
        if self.learners is not None and self.learner is not None:
            raise InvalidParameter(
                "The request has learner and learners; give either learner or learners.",
                loc=("learner",),
            )
        if self.intercept is not None:
            raise InvalidParameter(
                "The field intercept is only for the default learner. Give intercept in the "
                f"params of {'the' if self.learners is None else 'a'} learner.",
                loc=("intercept",),
            )
        if self.learner is not None:
            named = self.learner if isinstance(self.learner, str) else self.learner.get("name")
            return {str(named): (self.learner, ("learner",))}
        learners = self.learners or {}
        return {name: (entry, ("learners", name)) for name, entry in learners.items()}

    def parse_grid(self, name: str, *, has_default_grid: bool) -> RequestedValues:
        """Return the parameter that varies for a learner, and its values."""
        grid, loc = self._build_grid(name)
        if grid is None:
            if not has_default_grid:
                return RequestedValues(None, [None], loc)
            grid = dict(DEFAULT_GRID)
        if not grid:
            return RequestedValues(None, [None], loc)
        if len(grid) > 1:
            raise InvalidParameter(
                f"A grid has one parameter, and this one has {', '.join(grid)[:200]}. Leave all "
                "but one out.",
                loc=loc,
            )
        ((parameter, entry),) = grid.items()
        return parse_values(parameter, entry, (*loc, parameter))

    def _build_grid(self, name: str) -> tuple[GridEntry | None, Loc]:
        if self.grids is not None and name in self.grids:
            return self.grids[name], ("grids", name)
        return self.grid, ("grid",)


@dataclass(frozen=True, slots=True)
class RequestedValues:
    """The values of one parameter, each once."""

    parameter: str | None
    """Name of the parameter; None, with the single value None, if nothing varies."""
    values: list[Any]
    """As the request has them."""
    loc: Loc
    """Path of the parameter in the request."""
    listed: Loc | None = None
    """Path of the list of values in the request; None for a range."""

    def build_path(self, j: int) -> Loc:
        """Return the path of a value in the request."""
        return self.loc if self.listed is None else (*self.listed, j)


def parse_values(parameter: str, entry: Grid | list[Any], loc: Loc) -> RequestedValues:
    """Return the values of a grid."""
    if isinstance(entry, list):
        return RequestedValues(parameter, _check_values(entry, loc), loc, loc)
    if entry.values is not None:
        if (entry.from_, entry.to, entry.count, entry.scale) != (None, None, None, None):
            raise InvalidParameter(
                "A grid has either values or a range; give one of them.", loc=loc
            )
        listed = (*loc, "values")
        return RequestedValues(parameter, _check_values(entry.values, listed), loc, listed)
    if entry.from_ is None or entry.to is None:
        raise InvalidParameter("A grid needs values, or a range with from and to.", loc=loc)
    return RequestedValues(parameter, _space_values(entry.from_, entry.to, entry, loc), loc)


def _space_values(low: float, high: float, entry: Grid, loc: Loc) -> list[Any]:
    if low > high:
        raise InvalidParameter(
            f"The range goes from {low:g} to {high:g}. It must go from a smaller to a larger "
            "number.",
            loc=(*loc, "to"),
            value=high,
        )
    count = DEFAULT_COUNT if entry.count is None else entry.count
    return list(list_range_values(low, high, count, entry.scale or "log", loc))


def _check_values(values: list[Any], loc: Loc) -> list[Any]:
    if not values:
        raise InvalidParameter("A grid needs at least one value.", loc=loc, value=values)
    check_count(len(values), loc)
    check_distinct(values, loc)
    return list(values)
