"""A request that is checked, computed and encoded in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import orjson
import pyarrow as pa

import thetahat
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, Job, run_job
from thetahat_service.kinds.digests import compute_digests
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result
from thetahat_service.outcomes.output_table import OutputTable


class Evaluated(NamedTuple):
    """An evaluation that was computed in this process."""

    request: JsonObject
    """The request with its seed: sent again, it gives the same numbers."""
    result: dict[str, Any]
    """The result as JSON values."""
    losses: pa.Table | OutputTable | None
    """One row for each loss, where the kind has losses."""


def run_request(body: JsonObject, datasets: Mapping[UUID, DatasetFile]) -> Evaluated:
    """Return the evaluation of a request.

    Raises ``pydantic.ValidationError``, ``EvaluationError`` or ``ServiceError`` if the request or a
    file is refused.
    """
    kind = JOB_KINDS[str(body["kind"])]
    checked = kind.request.model_validate(body)
    kind.check(checked, datasets)
    digests = compute_digests(checked, datasets)
    provenance = Provenance(
        version=thetahat.__version__,
        seed=digests.seed,
        data_sha256=digests.data_sha256,
        spec_sha256=digests.request_sha256,
    )
    finished = run_job(kind, Job(uuid4(), kind.name, checked, digests.seed, datasets))
    request = {"kind": kind.name, **orjson.loads(digests.canonical), "seed": digests.seed}
    return Evaluated(request, encode_result(finished, provenance), finished.losses)
