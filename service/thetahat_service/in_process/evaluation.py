"""An evaluation in this process: its request is checked, computed and encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import thetahat
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, Job, run_job
from thetahat_service.kinds.digests import compute_digests
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result


def evaluate_in_process(
    request: JsonObject, data: DatasetFile | None = None, logs: Sequence[DatasetFile] = ()
) -> dict[str, Any]:
    """Return the result of a request as JSON values, with the numbers that the service would give.

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
    if data is not None:
        body["dataset"] = str(data.id)
        datasets[data.id] = data
    kind = JOB_KINDS[str(body["kind"])]
    checked = kind.request.model_validate(body)
    kind.check(checked, datasets)
    digests = compute_digests(checked, datasets)
    job = Job(uuid4(), kind.name, checked, digests.seed, datasets)
    provenance = Provenance(
        version=thetahat.__version__,
        seed=digests.seed,
        data_sha256=digests.data_sha256,
        spec_sha256=digests.request_sha256,
    )
    return encode_result(run_job(kind, job), provenance)
