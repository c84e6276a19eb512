"""The fields that say what each model costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, WithJsonSchema

from thetahat.analyses.losses.gate import refuse_gate_without_costs
from thetahat.errors import InvalidParameter, Loc, run_checks
from thetahat.tables.columns import describe_other_cells
from thetahat.values.left_out_rows import KeptRows
from thetahat_service.data.reading import ReadableFile, read_columns
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.schemas.base import Schema

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable, WithoutRows

CostNumber = Annotated[Any, WithJsonSchema({"type": "number", "minimum": 0})]
"""What a model costs."""

CostItem = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "array", "items": {"type": "number", "minimum": 0}},
                {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "number", "minimum": 0}},
                },
            ]
        }
    ),
]
"""What a model costs: one number, or one for each row, in the shape of the losses."""


class CostUnitField(Schema):
    """What costs are counted in."""

    cost_unit: str | None = Field(
        None,
        min_length=1,
        max_length=40,
        description="What costs are counted in, such as USD, seconds or tokens.",
    )


class ModelCostFields(CostUnitField):
    """What each model costs, as one number."""

    cost: dict[str, CostNumber] | None = Field(
        None,
        min_length=1,
        description="What each model costs, 0 or above: money, time or tokens. The result then "
        "has quality against cost, and a gate may ask for it (cheaper_by).",
        examples=[{"new": 0.2, "old": 1.25}],
    )


class CostFields(CostUnitField):
    """What each model costs, as one number or by row."""

    cost: dict[str, CostItem] | None = Field(
        None,
        min_length=1,
        description="What each model costs, 0 or above: one number, or one for each row in the "
        "shape of the losses. The result then has quality against cost, and a gate may ask for it "
        "(cheaper_by).",
        examples=[{"new": 0.2, "old": 1.25}],
    )


class CostColumnsField(Schema):
    """The columns of a data set with what each model costs for each row."""

    cost: dict[str, str] | None = Field(
        None,
        min_length=1,
        description="The column with what a model costs for each row, by model.",
    )


def check_cost_fields(
    request: ModelCostFields | CostFields,
    columns: Mapping[str, str] | None,
    loc: Loc = ("columns", "cost"),
) -> None:
    """Refuse costs in two places, and a unit or a gate that needs costs without any."""
    has_costs = request.cost is not None or columns is not None

    def refuse_two_places() -> None:
        if request.cost is not None and columns is not None:
            raise InvalidParameter(
                f"Costs stand in cost and in {'.'.join(map(str, loc))}. Give them in one of the "
                "two.",
                loc=loc,
            )

    def check_gate() -> None:
        if isinstance(request, AnalysisRequest) and request.gate is not None:
            refuse_gate_without_costs(request.gate.cheaper_by, has_costs=has_costs)

    def refuse_unit_alone() -> None:
        if request.cost_unit is not None and not has_costs:
            raise InvalidParameter(
                "The field cost_unit names what costs are counted in, and there is no cost. Give "
                "the cost of each model, or leave cost_unit out.",
                loc=("cost_unit",),
                value=request.cost_unit,
            )

    run_checks(refuse_two_places, check_gate, refuse_unit_alone)


def read_costs_of_rows(  # noqa: PLR0913 - the request, its rows, and the file
    request: CostFields,
    models: Sequence[str],
    n_rows: int,
    kept_rows: KeptRows | None,
    *,
    without_rows: WithoutRows | None = None,
    file: ReadableFile | None = None,
    columns: Mapping[str, str] | None = None,
) -> CostsOfTable | None:
    """Return the costs of models and of the rows that are kept; None without any.

    Parameters
    ----------
    models : sequence of str
        All models.
    n_rows : int
        Number of rows of the request or file.
    kept_rows : KeptRows or None
        Those of them that are kept.
    without_rows : str or None
        Why there can be no costs by row; None if there can.
    file, columns : ReadableFile, mapping or None
        The data set, and its column of costs by model.
    """
    if request.cost is None and columns is None:
        return None
    from thetahat.analyses.losses.costs import read_costs  # noqa: PLC0415 - seldom needed

    cost: Mapping[str, Any] | None = request.cost
    loc: Loc = ("cost",)
    if file is not None and columns is not None:
        cost, loc = _read_columns(file, columns), ("columns", "cost")
    costs = read_costs(cost, request.cost_unit, models, n_rows, without_rows=without_rows, loc=loc)
    return costs if costs is None or kept_rows is None else costs.take(kept_rows.index)


def _read_columns(file: ReadableFile, columns: Mapping[str, str]) -> dict[str, Any]:
    """Return the costs of all rows by model; refuse columns that are not numeric."""
    values = read_columns(file, [*dict.fromkeys(columns.values())])
    for model, name in columns.items():
        if values[name].dtype.kind not in "fiu":
            raise InvalidParameter(
                f"The column {name!r} is not numeric. Costs must be numbers."
                f"{describe_other_cells(values[name])}",
                loc=("columns", "cost", model),
                value=name,
            )
    return {model: values[name] for model, name in columns.items()}
