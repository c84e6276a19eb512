"""Kind ``losses``: everything that follows from a loss matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
from pydantic import Field

from service.kinds.base import Chunks, DatasetFile, Finished, Job, JobKind
from service.kinds.fields.analysis import AnalysisRequest
from service.kinds.fields.layout import BLOCKS_ASSUMED
from service.kinds.fields.losses import LossInput, check_columns, check_form, loss_table
from service.kinds.losses.loss_columns import losses_as_columns
from service.schemas.numbers import number_array
from thetahat.analyses.losses import check, evaluate, other_than_zero_one
from thetahat.errors import InvalidParameter
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import to_json
from thetahat.values.types import FloatArray
from thetahat.weighted_risks.weighted import Weighted


class LossesRequest(AnalysisRequest, LossInput):
    """Losses, and what is to be computed from them."""

    kind: Literal["losses"] = "losses"
    weights: list[Any] | None = Field(
        None,
        description="Importance weight of each loss, in the losses' own shape; adds risks.",
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data set of the losses, if there is one."""
        return () if self.dataset is None else (self.dataset,)


class Losses(JobKind[LossesRequest]):
    """Check, evaluate, done: a loss matrix is one unit of work."""

    name: ClassVar[str] = "losses"
    title: ClassVar[str] = "From a loss matrix"
    request = LossesRequest

    def check(self, request: LossesRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Build the table of an inline request; of a data set, check the names."""
        given = request
        check_form(given)
        choices = given.choices()
        if given.dataset is not None:
            check_columns(given, datasets)
            return
        table = loss_table(given, datasets)
        check(table.layout, choices, table.names, other_than_zero_one(table))
        weights = _weights(given, table)
        if weights is not None:
            for losses in table.models.values():
                Weighted().estimate(losses.rows, weights)

    def start(self, job: Job[LossesRequest]) -> Finished | Chunks:
        """Do it all."""
        given = job.request
        table = loss_table(given, job.datasets)
        choices = given.choices()
        check(table.layout, choices, table.names, other_than_zero_one(table))
        result = to_json(evaluate(table, choices, job.seed, weights=_weights(given, table)))
        if given.blocks is None:
            result["cautions"].append(to_json(BLOCKS_ASSUMED))
        return Finished(result, losses_as_columns(table))


def _weights(given: LossesRequest, table: LossTable) -> FloatArray | None:
    if given.weights is None:
        return None
    if given.split_scores is not None:
        raise InvalidParameter("weights need one loss per instance", loc=("weights",))
    rows = given.weights
    if any(isinstance(row, list) for row in rows):
        weights = np.concatenate([number_array(row, ("weights", k)) for k, row in enumerate(rows)])
    else:
        weights = number_array(rows, ("weights",))
    if len(weights) != table.layout.n_rows:
        raise InvalidParameter(
            f"there are {len(weights)} weights and {table.layout.n_rows} losses",
            loc=("weights",),
            value=len(weights),
        )
    return weights


KIND = Losses()
