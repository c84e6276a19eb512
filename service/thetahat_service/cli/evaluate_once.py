"""Evaluations of one command: in this process, or by a running service if its address is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from thetahat_service.cli.connection import connect
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.progress import wait_with_progress

if TYPE_CHECKING:
    from pydantic import ValidationError

    from thetahat_client.results import AnyResult
    from thetahat_service.json_types import JsonObject

OptionalUrl = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="THETAHAT_URL",
        metavar="URL",
        help="Let this service compute and keep the evaluation. Without it, it is computed here.",
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(help="Largest difference that does not matter, in units of the loss."),
]


def evaluate(
    request: JsonObject, data: Path | None, url: str | None
) -> tuple[AnyResult, str | None]:
    """Return the result of a request, and the id of the evaluation if a service computed it."""
    if url is None:
        return _evaluate_here(request, data), None
    from thetahat_client.result_types import read_result

    body = dict(request)
    with connect(url) as client:
        if data is not None:
            body["dataset"] = client.upload(str(data)).id
        submitted = client.submit(body)
        wait_with_progress(client, submitted.id)
        return read_result(dict(client.result(submitted.id))), submitted.id


def _evaluate_here(request: JsonObject, data: Path | None) -> AnyResult:
    from pydantic import ValidationError

    from thetahat_client.media import guess_media_type
    from thetahat_service.jobs.in_process import evaluate_in_process
    from thetahat_service.kinds.registry import JOB_KINDS

    kind = request.get("kind")
    if kind not in JOB_KINDS:
        message = f"There is no kind {kind!r}. The kinds are {', '.join(JOB_KINDS)}."
        raise UserError(message)
    media_type = None if data is None else guess_media_type(data.name)
    try:
        result = evaluate_in_process(request, data, media_type)
    except ValidationError as error:
        raise UserError(_explain(error, request)) from None
    return cast("AnyResult", result)


def _explain(error: ValidationError, request: Mapping[str, object]) -> str:
    from thetahat_service.api.validation import convert_validation_error

    return convert_validation_error(error, request).message
