"""The plan of an evaluation of losses: its loss table and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

import numpy as np

from thetahat.analyses.losses import check, describe_other_loss
from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.refit_estimators import drop_refit_target
from thetahat.values.block_losses import LossTable
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.types import BlockKind, FloatArray
from thetahat.values.words import choose_words
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.left_out import keep_rows
from thetahat_service.kinds.losses.loss_table import SentLosses, read_losses
from thetahat_service.kinds.losses.request import LossesRequest
from thetahat_service.kinds.supplied_fits import SuppliedEstimators, read_supplied_fits
from thetahat_service.schemas.numbers import read_number_array

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.analyses.losses.costs import CostsOfTable
    from thetahat.analyses.runs.summaries import RunParts


TASK: Final = BlockNoun(singular="task", plural="tasks")
"""What the sources of logs are called where the request does not say it."""


class LossesPlan(NamedTuple):
    """The losses of a request, checked together with its choices."""

    table: LossTable
    """The losses of every model."""
    weights: FloatArray | None
    """(n,) importance weights of the losses."""
    fits: SuppliedEstimators
    """Estimators that use losses of extra fits."""
    cautions: tuple[Caution, ...] = ()
    """What to know of how the losses were read."""
    runs: RunParts | None = None
    """The runs of the items, where items have several."""
    groups: GroupsOfTable | None = None
    """The groups of the rows."""
    costs: CostsOfTable | None = None
    """What the models cost."""


def build_plan(request: LossesRequest, datasets: Mapping[UUID, DatasetFile]) -> LossesPlan:
    """Read the losses and their weights, and refuse choices that do not fit them."""
    sent_losses = read_losses(request, datasets)
    table = sent_losses.table
    kind, noun = table.layout.kind, request.choices.noun
    if noun is None and request.logs is not None and kind is BlockKind.SOURCE:
        noun = TASK
    table = table.with_words(choose_words(kind, noun, higher_is_better=table.higher_is_better))
    fits = read_supplied_fits(request.fits, table)
    choices = drop_refit_target(request.choices, fits.methods)
    check(table.layout, choices, table.names, describe_other_loss(table))
    groups = sent_losses.groups
    if groups is not None:
        groups.check(table.layout)
    weights, runs = _read_weights(request, sent_losses), _read_runs(request, sent_losses, table)
    costs = sent_losses.read_costs(request, datasets)
    return LossesPlan(table, weights, fits, sent_losses.cautions, runs, groups, costs)


def _read_runs(
    request: LossesRequest, sent_losses: SentLosses, table: LossTable
) -> RunParts | None:
    """Return the runs of the items, if the losses have items."""
    if sent_losses.runs is None:
        if request.pass_at:
            raise InvalidParameter(
                "The field pass_at counts the runs of items, and needs item, or logs.",
                loc=("pass_at",),
            )
        return None
    from thetahat.analyses.runs.summaries import RunParts  # noqa: PLC0415 - seldom needed

    labels = table.layout.instance_labels
    names = () if labels is None else labels.tolist()
    parts = RunParts(sent_losses.runs, names, table.higher_is_better, tuple(request.pass_at or ()))
    parts.check()
    return parts


def _read_weights(request: LossesRequest, sent_losses: SentLosses) -> FloatArray | None:
    if request.weights is None:
        return None
    if request.logs is None and sent_losses.runs is not None:
        raise InvalidParameter(
            "Weights are for single losses, and do not go with item. Leave weights out.",
            loc=("weights",),
        )
    if request.split_scores is not None:
        raise InvalidParameter(
            "Weights need one loss for each instance, which split_scores do not have. Leave "
            "weights out.",
            loc=("weights",),
        )
    rows = request.weights
    if any(isinstance(row, list) for row in rows):
        weights = np.concatenate(
            [read_number_array(row, ("weights", k)) for k, row in enumerate(rows)]
        )
    else:
        weights = read_number_array(rows, ("weights",))
    if len(weights) != sent_losses.n_rows:
        raise InvalidParameter(
            f"The request has {len(weights)} weights and {sent_losses.n_rows} losses. Give one "
            "weight for each loss.",
            loc=("weights",),
            value=len(weights),
        )
    kept_weights: FloatArray = keep_rows(weights, sent_losses.kept)
    return kept_weights
