"""What the runs of logs cost: the column that a request names, and the mean of each item."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.similar_names import suggest_name
from thetahat.values.block_losses import MAX_LOSS
from thetahat.values.types import FloatArray
from thetahat_service.data.evaluation_tools.base import COST_PREFIX
from thetahat_service.data.reading import read_columns
from thetahat_service.kinds.base import DatasetFile

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable

UNITS: Final = {
    "usd": "USD",
    "seconds": "seconds",
    "working_seconds": "seconds",
    "tokens": "tokens",
    "input_tokens": "tokens",
    "output_tokens": "tokens",
}
"""What the costs are counted in that are read from the files of tools."""
LOC: Final = ("logs", "cost")

Key = tuple[str, str]
"""Task and item."""
RunCosts = Mapping[Key, Sequence[float]]
"""The costs of the runs of each item that have a score; NaN where the log does not say."""


def find_cost_column(cost: str, file: DatasetFile, place: int) -> str:
    """Return the column of a cost; refuse one that a log does not have, or that is no number."""
    types = {str(column["name"]): column["type"] for column in file.columns}
    known = [name.removeprefix(COST_PREFIX) for name in types if name.startswith(COST_PREFIX)]
    name = next((each for each in (f"{COST_PREFIX}{cost}", cost) if each in types), None)
    if name is None:
        has = (
            f"Its costs are {', '.join(known)}."
            if known
            else "It does not say what runs cost: add a column to it, or give one cost for each "
            "model in cost."
        )
        raise InvalidParameter(
            f"File {place} of logs has no cost {cost!r}{suggest_name(cost, known)}. {has}",
            loc=LOC,
            value=cost,
        )
    if types[name] not in {"number", "integer"}:
        raise InvalidParameter(
            f"The column {name!r} of file {place} of logs is not numeric. Costs must be numbers.",
            loc=LOC,
            value=cost,
        )
    return name


def read_file_costs(cost: str, file: DatasetFile, place: int) -> FloatArray:
    """Return (n,) costs of the rows of a log, NaN where there is none."""
    name = find_cost_column(cost, file, place)
    values = read_columns(file, [name])[name].astype(np.float64)
    unfit = (values < 0) | (values > MAX_LOSS)
    if unfit.any():
        row = int(np.argmax(unfit))
        raise InvalidParameter(
            f"The cost in row {row} of file {place} of logs is {values[row]:g}. A cost must be a "
            f"finite number, 0 or above and at most {MAX_LOSS:g}.",
            loc=LOC,
            value=float(values[row]) if math.isfinite(values[row]) else str(values[row]),
        )
    return values


def average_costs(
    cost: str, unit: str | None, runs: Mapping[str, RunCosts], kept: Sequence[Key]
) -> CostsOfTable:
    """Return the mean cost of each item's runs by model.

    Runs that a log has no cost for are refused, and so are models of which every run costs 0:
    tools write that where they do not know a price.
    """
    from thetahat.analyses.losses.costs import CostsOfTable  # noqa: PLC0415 - seldom needed

    rows = {}
    for model, of_items in runs.items():
        values = [value for key in kept for value in of_items[key]]
        n_missing = sum(map(math.isnan, values))
        if n_missing:
            first = next(key for key in kept if any(map(math.isnan, of_items[key])))
            raise InvalidParameter(
                f"{n_missing} of {len(values)} runs of {model!r} have a score and no cost "
                f"{cost!r}; the first is of item {first[1]!r} of {first[0]!r}. Name another cost, "
                "or give one cost for each model in cost.",
                loc=LOC,
                value=cost,
            )
        if not any(values):
            raise InvalidParameter(
                f"Every run of {model!r} has the cost 0 in {cost!r}, as tools write where they do "
                "not know it. Name another cost, or give one cost for each model in cost.",
                loc=LOC,
                value=cost,
            )
        rows[model] = np.array([math.fsum(v) / len(v) for v in (of_items[key] for key in kept)])
    return CostsOfTable({}, rows, unit or UNITS.get(cost.removeprefix(COST_PREFIX)))
