"""The losses of a submission to a Ladder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thetahat.analyses.predictions.losses import find_task
from thetahat.analyses.predictions.model_predictions import ModelPredictions, encode, read_classes
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import list_named_columns, require_columns
from thetahat_service.kinds.fields.left_out import ColumnReader, LeftOutLossFields
from thetahat_service.kinds.fields.methods import make_method_entry, parse_method
from thetahat_service.kinds.ladder.request import LadderRequest
from thetahat_service.kinds.ladder_submissions import LadderSubmission
from thetahat_service.kinds.predictions.request import PredictionColumns, PredictionsRequest
from thetahat_service.kinds.predictions.sent_predictions import read_dataset, read_inline


def parse_loss(request: LadderRequest) -> Loss:
    """Return the loss that a request names."""
    loss: Loss = parse_method(LOSSES, request.loss, ("loss",))
    return loss


def check_request(request: LadderRequest, file: DatasetFile) -> None:
    """Refuse another number of models than one, lists of another length, and unknown columns."""
    parse_loss(request)
    columns = request.columns
    is_inline = bool(request.predictions or request.scores)
    if is_inline == bool(columns.predictions or columns.scores):
        raise InvalidParameter(
            "The request needs either predictions (or scores), or the columns of the data set that "
            "have them. Give one of the two.",
            loc=("predictions",),
        )
    given = request if is_inline else columns
    models = (given.predictions or {}).keys() | (given.scores or {}).keys()
    if len(models) != 1:
        raise InvalidParameter(
            f"A submission is of one model, and the request has {len(models)}. Send a request for "
            "each.",
            loc=("predictions",) if is_inline else ("columns", "predictions"),
            value=len(models),
        )
    require_columns(file, list_named_columns(columns, ("target", "predictions", "scores")))
    for field in ("predictions", "scores"):
        for model, values in (getattr(request, field) or {}).items():
            if len(values) != file.rows:
                raise InvalidParameter(
                    f"The model {model!r} has {len(values)} {field}, and the data set has "
                    f"{file.rows} rows. Give one for each row.",
                    loc=(field, model),
                    value=len(values),
                )


def build_submission(request: LadderRequest, file: DatasetFile) -> LadderSubmission:
    """Read the predictions and the true values, and compute the losses."""
    loss = parse_loss(request)
    are_classes = find_task(loss) != "regression"
    data = _read(request, file, are_classes=are_classes)
    classes = read_classes(data, request.classes) if are_classes else ()
    encoded = encode(loss, data, classes)
    ((model, predicted),) = encoded.models.items()
    with located_errors(data.build_paths(model)):
        losses = adapt_to_classes(loss, classes).losses(encoded.truth, predicted)
    return LadderSubmission(
        model=model,
        sha256=file.sha256,
        target=request.columns.target,
        loss=encode_json(
            make_method_entry(request.loss).model_dump(mode="json", exclude_defaults=True)
        ),
        loss_name=make_method_entry(request.loss).name,
        step=request.step,
        losses=losses,
    )


def _read(request: LadderRequest, file: DatasetFile, *, are_classes: bool) -> ModelPredictions:
    reader = ColumnReader(LeftOutLossFields())
    columns = PredictionColumns(**request.columns.model_dump())
    data = read_dataset(file, columns, reader, are_classes=are_classes)
    if columns.predictions or columns.scores:
        return data
    sent = PredictionsRequest(
        loss=request.loss,
        y=np.asarray(data.y).tolist(),
        predictions=request.predictions,
        scores=request.scores,
    )
    read = read_inline(sent, reader, are_classes=are_classes)
    return replace(read, y=data.y, y_path=data.y_path)
