"""An evaluation in this process, about files of the caller."""

from __future__ import annotations

from collections.abc import Sequence

from thetahat.errors import InvalidParameter
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.running import Evaluated, run_request


def evaluate_in_process(
    request: JsonObject, data: DatasetFile | None = None, logs: Sequence[DatasetFile] = ()
) -> Evaluated:
    """Return the evaluation of a request, with the numbers that the service would give.

    Parameters
    ----------
    request : mapping
        The body of ``POST /v1/evaluations``.
    data : DatasetFile or None
        A file that takes the place of the request's ``dataset``.
    logs : sequence of DatasetFile
        Files that the request's ``logs`` name by their ids.

    Raises
    ------
    pydantic.ValidationError, EvaluationError, ServiceError
        The request or the file is refused.
    """
    body, datasets = dict(request), {file.id: file for file in logs}
    if body.get("protocol") is not None:
        message = (
            "Protocols are kept by a service, which compares an evaluation with its plan. Send the "
            "request to it (thetahat submit), or leave protocol out."
        )
        raise InvalidParameter(message, loc=("protocol",), value=str(body["protocol"]))
    if data is not None:
        body["dataset"] = str(data.id)
        datasets[data.id] = data
    return run_request(body, datasets)
