"""The plan of an evaluation of predictions: losses, metrics and loss table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

from thetahat.analyses.losses import check, describe_other_loss
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.metrics.checks import check_metrics
from thetahat.analyses.predictions.losses import PredictionLosses, compute_losses, find_task
from thetahat.analyses.predictions.model_predictions import ModelPredictions
from thetahat.cautions import TOTAL_ROW
from thetahat.errors import InvalidParameter, Loc
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss
from thetahat.refit_estimators import drop_refit_target
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.types import BlockKind
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.costs import check_cost_fields, read_costs_of_rows
from thetahat_service.kinds.fields.groups import (
    check_group_fields,
    check_inline_groups,
    read_group_columns,
    read_inline_groups,
)
from thetahat_service.kinds.fields.layout import (
    LAYOUT_COLUMNS,
    build_layout_of_columns,
    check_columns_given,
    list_named_columns,
    read_inline_labels,
    read_label_columns,
    require_columns,
)
from thetahat_service.kinds.fields.left_out import ColumnReader
from thetahat_service.kinds.fields.locations import number_rows_as_sent
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.metrics import Metrics, parse_metrics
from thetahat_service.kinds.fields.unused_columns import doubt_columns
from thetahat_service.kinds.predictions.request import PredictionColumns, PredictionsRequest
from thetahat_service.kinds.predictions.sent_predictions import (
    check_order_of_scores,
    keep_predictions,
    read_dataset,
    read_inline,
)
from thetahat_service.kinds.supplied_fits import SuppliedEstimators, read_supplied_fits
from thetahat_service.kinds.test_sets import TestSet, identify_by_targets

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable


OUTPUTS: Final = ("groups", "cost", "predictions", "scores", "sets", "limits")
"""Fields of columns beside the target and the layout."""


@dataclass(frozen=True, slots=True, eq=False)
class PredictionsPlan:
    """The losses of the predictions, and the methods beside them."""

    loss: Loss
    """The loss as the request names it."""
    metrics: Metrics
    """The metrics beside it."""
    losses: PredictionLosses
    """The losses of every model, and the input of the metrics."""
    fits: SuppliedEstimators
    """Estimators that use losses of extra fits."""
    test_set: TestSet
    """The test set with these true values."""
    groups: GroupsOfTable | None = None
    """The groups of the rows."""
    costs: CostsOfTable | None = None
    """What the models cost."""


def check_form(request: PredictionsRequest) -> None:
    """Refuse a request with neither inline predictions nor a data set, or with both."""
    if request.ladder:
        raise InvalidParameter(
            "The score of a Ladder is published by a service, which keeps its leader. Send "
            "the request to one, or leave ladder out.",
            loc=("ladder",),
        )
    rows = (request.y, request.predictions, request.scores, request.sets, request.limits)
    is_inline = any(field is not None for field in rows)
    if is_inline == (request.dataset is not None):
        raise InvalidParameter(
            "The request needs either y and predictions, or a dataset with columns. Give one of "
            "the two.",
            loc=("predictions",),
        )
    check_columns_given(request.dataset, request.columns)
    if is_inline and request.y is None:
        raise InvalidParameter("The field y is missing.", loc=("y",))
    columns = request if is_inline else request.columns
    group_columns = None if request.columns is None else request.columns.groups
    check_group_fields(request, group_columns, ("columns", "groups"), is_inline=is_inline)
    check_cost_fields(request, None if request.columns is None else request.columns.cost)
    if columns is not None and not (
        columns.predictions or columns.scores or columns.sets or columns.limits
    ):
        loc: Loc = ("predictions",) if is_inline else ("columns", "predictions")
        raise InvalidParameter(
            "The field predictions is missing. Give the predictions of each model; for a loss of "
            "probabilities or decision values, its scores are enough, for one of sets or limits "
            "these.",
            loc=loc,
        )


def check_dataset(
    request: PredictionsRequest, columns: PredictionColumns, file: DatasetFile
) -> None:
    """Check a request without opening the data set."""
    check_metrics(
        parse_metrics(request.metrics),
        find_task(_parse_loss(request), has_limits=bool(columns.limits)),
        without_scores=(columns.predictions or {}).keys() - (columns.scores or {}),
    )
    require_columns(file, list_named_columns(columns, ("target", *LAYOUT_COLUMNS, *OUTPUTS)))


class SentRows(NamedTuple):
    """The rows of a request, without those that it leaves out."""

    data: ModelPredictions
    layout: Layout
    groups: GroupsOfTable | None
    test_set: TestSet
    n: int
    """Rows in the request or file."""
    kept: KeptRows | None
    """The rows that are kept; None if no row is left out."""


def read_rows(request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]) -> SentRows:
    """Read the predictions and the groups of their rows, which depend on no choice."""
    loss, reader = _parse_loss(request), ColumnReader(request)
    if request.dataset is not None and request.columns is not None:
        file, columns = datasets[request.dataset], request.columns
        are_classes = find_task(loss, has_limits=bool(columns.limits)) != "regression"
        data = read_dataset(file, columns, reader, are_classes=are_classes)
        labels: Mapping[str, object] = read_label_columns(file, columns, reader)
    else:
        are_classes = find_task(loss, has_limits=bool(request.limits)) != "regression"
        data = read_inline(request, reader, are_classes=are_classes)
        check_groups = partial(check_inline_groups, request, len(data.y))
        labels = read_inline_labels(request, len(data.y), reader, check_groups)
    test_set = identify_by_targets(data.y)
    kind, n = request.blocks or BlockKind.RANDOM, len(data.y)
    kept_rows = reader.choose_rows(n, kind, labels["block"], labels["repeat"])
    layout = build_layout_of_columns(kind, labels, n, request.n_train, kept_rows)
    data = keep_predictions(data, kept_rows)
    groups = read_inline_groups(request.groups, request.group_by, n, kept_rows)
    if request.dataset is not None and request.columns is not None:
        file = datasets[request.dataset]
        groups = read_group_columns(file, request.columns, request.group_by, n, kept_rows)
    if groups is not None:
        groups.check(layout)
    return SentRows(data, layout, groups, test_set, n, kept_rows)


def build_plan(
    request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]
) -> PredictionsPlan:
    """Read the predictions, compute their losses, and check metrics and choices against them."""
    loss = _parse_loss(request)
    data, layout, groups, test_set, n, kept_rows = read_rows(request, datasets)
    metrics, choices = parse_metrics(request.metrics), request.choices
    with number_rows_as_sent(kept_rows):
        losses = compute_losses(
            data,
            layout,
            loss,
            metrics,
            classes=request.classes,
            noun=choices.noun,
            kept=kept_rows,
            probabilities=request.build_probabilities(),
        )
        if request.columns is not None:
            check_order_of_scores(request.columns.scores or {}, losses.classes)
        table = losses.table
        fits = read_supplied_fits(request.fits, table)
        checked = drop_refit_target(choices, fits.methods)
        check(table.layout, checked, table.names, describe_other_loss(table))
    if request.dataset is not None and request.columns is not None:
        file, fields = datasets[request.dataset], ("target", *OUTPUTS)
        doubts = tuple(doubt_columns(file, request.columns, fields, table.layout.words))
        names_total = any(each.code == TOTAL_ROW.code for each in doubts)
        others = [c for c in losses.cautions if not (names_total and c.code == TOTAL_ROW.code)]
        losses = replace(losses, cautions=(*others, *doubts))
    costs = read_costs_of_rows(
        request,
        table.names,
        n,
        kept_rows,
        file=None if request.dataset is None else datasets[request.dataset],
        columns=None if request.columns is None else request.columns.cost,
    )
    return PredictionsPlan(loss, metrics, losses, fits, test_set, groups, costs)


def _parse_loss(request: PredictionsRequest) -> Loss:
    loss: Loss = parse_method(LOSSES, request.loss, ("loss",))
    return loss
